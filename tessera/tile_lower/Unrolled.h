// Unrolled: loops whose iterations begin with loads and do not wait for each other's memory.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Several iterations are made at once, the loads of all of them first, so that a thread has more
// bytes on the way. What is left at the end is a loop of single iterations.
#pragma once

#include "tessera/tile_lower/Kernel.h"

#include <optional>

namespace tessera::tile_lower {

struct Unrolled {
  int64_t copies = 1;
  // The loads of the body that may be made ahead, and what their addresses need, in their order.
  SmallVector<Operation *> first = {};
  llvm::DenseSet<Operation *> known = {}; // loads whose results the caller has defined
};
/// Nothing for loops that cannot be cut, and where a tile already has many bytes of each thread.
std::optional<Unrolled> unrolled(const Plan &plan, cuda_tile::ForOp loop);

/// Whether a loop is without products, other loops, branches or ordered accesses, and its values
/// are in registers, so that its iterations can be made in other forms.
bool isCuttable(const Plan &plan, cuda_tile::ForOp loop);
/// What a plain load yields, if it may be made ahead of its iteration: no token puts it after
/// another op of the loop. Adds the ops that its address needs.
Value loadedAhead(Operation *op, cuda_tile::ForOp loop, llvm::SetVector<Operation *> &addressing);
/// The loads of a loop that may be made ahead and are wanted, and what their addresses need, in
/// their order.
SmallVector<Operation *> loadsFirst(cuda_tile::ForOp loop,
                                    llvm::function_ref<bool(Operation *)> isWanted);

/// Makes the code of iterations `number`, `number + step`, ... without the loop's end. `carried`
/// are the values that the loop carries, before and after.
LogicalResult lowerCopies(Kernel &k, cuda_tile::ForOp loop, const Unrolled &plan, Value number,
                          Value step, std::vector<ThreadTile> &carried);

} // namespace tessera::tile_lower
