// PlanValues: queries about values and ops that the parts of a plan share.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/tile_lower/Plan.h"

namespace tessera::tile_lower {

/// The most registers that a thread holds of a tile; larger tiles are in local memory.
constexpr int64_t mostRegisters = 128;

/// The fewest buffers of a ring with which loads can run ahead.
constexpr int64_t fewestStages = 2;

/// Number of elements of a tile; 0 for a value that is not a tile.
int64_t elementsOf(Value value);
/// Whether an op is in the region of a reduction or scan, where each thread has tiles of its own.
bool isInCombiner(Operation *op);
/// Whether a value costs nothing to make again in any layout.
bool isMadeAnywhere(Value value);
/// Whether an op is elementwise with one operand of its shape, so that it can be repeated for each
/// part of an operand of a product.
bool isUnary(Operation *op);
/// Whether an op only makes numbers, pointers and views from others, so that it can be repeated
/// anywhere; of scalar code, no tile of more than one element.
bool isIndexCode(Operation *op);
bool isScalarCode(Operation *op);
/// What a load needs besides its token: a view and indices, or pointers, a mask and paddings. Its
/// token, which may be null.
SmallVector<Value> addressesOf(Operation *load);
Value tokenOf(Operation *load);
/// Collects the ops of a loop's body that `value` needs, in their order; false if one of them
/// cannot be computed for another iteration in advance.
bool collectAhead(Value value, cuda_tile::ForOp loop, bool (*isAhead)(Operation *),
                  llvm::SetVector<Operation *> &out);
/// The boxes by which TMA copies the tile of a load to its staging; or the reason why it cannot.
Result<Boxes> boxesOf(const Staging &staging, llvm::StringRef arch);
/// Whether a `continue` within an `if` ends an iteration of this loop, not of a loop inside it.
bool endsIn(cuda_tile::ContinueOp end, cuda_tile::ForOp loop);

} // namespace tessera::tile_lower
