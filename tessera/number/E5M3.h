// E5M3: f8E5M3FNU, the one format of tile programs that has no row in Formats.def.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A row states PTX's name of a format, its type in MLIR and its storage in buffers. Neither PTX ISA
// 9.0 nor upstream MLIR has such a type, nor any GPU before sm_107. Tile programs only convert from
// and to it, which takes nothing but its fields.
#pragma once

#include "tessera/number/Format.h"

namespace tessera::number {

/// No sign, 5 bits of exponent with bias 15, 3 of mantissa; all ones is NaN. Source: cuTile Python
/// 1.6.
inline constexpr Floating e5m3{5, 3, 15, Floating::NanOnly, false};

} // namespace tessera::number
