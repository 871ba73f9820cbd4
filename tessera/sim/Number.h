// Number: the arithmetic of number/Exact.h for the simulator, and the NaN that stands outside of
// tensors.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/number/Exact.h"

namespace tessera::sim {

using number::addToOdd;
using number::bfloatToFloat;
using number::fusedToOdd;
using number::halfToFloat;
using number::signedZero;
using number::toOdd;

/// The NaN that fills boxes outside of tensors, in each half of any type, and that fma.oob looks
/// for. It is undocumented, and was measured on an H100.
inline constexpr uint16_t outsideNan = 0x7ff7;

} // namespace tessera::sim
