// PlanValues: what the parts of a plan ask of values and ops.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/tile_lower/Plan.h"

namespace tessera::tile_lower {

/// Registers of a tile that a thread holds at most; larger tiles are in local memory.
constexpr int64_t mostRegisters = 128;

/// A ring of fewer buffers lets nothing run ahead.
constexpr int64_t fewestStages = 2;

/// How many elements a tile has; 0 of what is not a tile.
int64_t elementsOf(Value value);
/// Whether an op is in the region of a reduction or scan, where each thread has tiles for itself.
bool isInCombiner(Operation *op);
/// What costs nothing to make again in any layout.
bool isMadeAnywhere(Value value);
/// Elementwise on one operand of its shape: made again for each part of an operand of a product.
bool isUnary(Operation *op);
/// Whether an op only makes scalars and views of others, so that it can be made again anywhere.
bool isScalarCode(Operation *op);
/// How TMA copies the tile of a load to where it is staged; or why it cannot.
Result<Boxes> boxesOf(const Staging &staging, llvm::StringRef arch);
/// Whether `continue` in an `if` ends an iteration of this loop, and not of one in it.
bool endsIn(cuda_tile::ContinueOp end, cuda_tile::ForOp loop);

} // namespace tessera::tile_lower
