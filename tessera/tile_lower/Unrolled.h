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
  int64_t copies;
  // The loads of the body that may be made ahead, and what their addresses need, in their order.
  SmallVector<Operation *> first;
};
/// Nothing for loops with products, other loops, branches or ordered accesses, and where a tile
/// already has many bytes of each thread.
std::optional<Unrolled> unrolled(const Plan &plan, cuda_tile::ForOp loop);

/// Makes the code of iterations `number`, `number + step`, ... without the loop's end. `carried`
/// are the values that the loop carries, before and after.
LogicalResult lowerCopies(Kernel &k, cuda_tile::ForOp loop, const Unrolled &plan, Value number,
                          Value step, std::vector<ThreadTile> &carried);

} // namespace tessera::tile_lower
