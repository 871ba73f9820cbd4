// Number: the arithmetic of numbers (number/Exact.h) for the simulator, and the NaN of the outside
// of tensors.
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

/// The NaN with which boxes of tensors are filled, in each half of any type, and which fma.oob
/// looks for. No document says which one; an H100 was asked.
inline constexpr uint16_t outsideNan = 0x7ff7;

} // namespace tessera::sim
