// E5M3: f8E5M3FNU, the one format of tile programs that has no row in Formats.def.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A row says how PTX spells a format, which type of MLIR holds it and how buffers keep it. PTX ISA
// 9.0 has no such type, upstream MLIR neither, and no GPU before sm_107. Tile programs compute with
// it by conversions alone, which need its fields.
#pragma once

#include "tessera/number/Format.h"

namespace tessera::number {

/// No sign, 5 bits of exponent with bias 15, 3 of mantissa; all ones is NaN. Source: cuTile Python
/// 1.6.
inline constexpr Floating e5m3{5, 3, 15, Floating::NanOnly, false};

} // namespace tessera::number
