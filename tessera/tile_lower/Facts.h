// Facts: what is known about the scalars of a tile program before it runs.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "mlir/IR/Value.h"

#include <optional>

namespace tessera::tile_lower {

/// The divisor of a scalar, a power of two, from constants, assumptions and arithmetic; for a
/// pointer in bytes. 1 if nothing is known, at most 2^20.
int64_t divisorOf(mlir::Value scalar);
/// Whether a scalar is certainly in [0, 2^31), signed or unsigned.
bool isSmall(mlir::Value scalar);

/// How a scalar changes from one tile block to the next along an axis (0 to 2): 1 if it never
/// falls, -1 if it never rises, 0 if it does not change; nothing if that is unknown. Sums and
/// products are taken not to wrap around.
std::optional<int> growthOf(mlir::Value scalar, int axis);

/// Whether all elements of a tile are this number, as it is made from such a constant.
bool isEverywhere(mlir::Value tile, double number);

} // namespace tessera::tile_lower
