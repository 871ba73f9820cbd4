// PlanValues: what the parts of a plan ask of values and ops.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/tile_lower/Plan.h"

namespace tessera::tile_lower {

/// Registers of a tile that a thread holds at most; larger tiles are in local memory.
constexpr int64_t mostRegisters = 128;

/// How many elements a tile has; 0 of what is not a tile.
int64_t elementsOf(Value value);
/// What costs nothing to make again in any layout.
bool isMadeAnywhere(Value value);
/// Elementwise on one operand of its shape: made again for each part of an operand of a product.
bool isUnary(Operation *op);

} // namespace tessera::tile_lower
