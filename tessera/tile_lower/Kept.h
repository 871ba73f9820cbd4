// Kept: tiles that several loops load alike are copied once and stay in shared memory.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Programs that normalise rows read them in one loop for each sum, and in another for the results:
//
//   for %i in (0 to %n) { %x = load %row[%i] ... }     // a sum
//   for %i in (0 to %n) { %x = load %row[%i] ... }     // the results
//
// The tiles of the first iterations are copied before the first loop, all at once, by cp.async. The
// first iterations of every loop read them from there, the others load them. Each thread reads only
// what it copied itself.
//
// Where each loop runs once, nothing is copied (Once.h); this is also done with tiles that are too
// large to copy.
//
// Memory may not change in between: the loads have the same token, and what no token orders may
// come in any order (Access.h).
#pragma once

#include "tessera/tile_lower/Plan.h"

#include "llvm/ADT/MapVector.h"

#include <memory>
#include <vector>

namespace tessera::tile_lower {

class Kernel;

/// Loops of one block that run over the same numbers, and the loads that they share.
struct KeptTiles {
  /// A tile of an iteration, and which load of which loop yields it.
  struct Shared {
    std::shared_ptr<const Staging> staging;               // of the first of the loads
    llvm::MapVector<Operation *, Operation *> loads = {}; // and the loops that they are in
    std::optional<int64_t> offset = {}; // in bytes, of the iteration's; none: it is not copied

    Operation *firstLoop() const { return loads.front().second; }
  };
  SmallVector<cuda_tile::ForOp> loops;
  std::vector<Shared> tiles;
  int64_t iterations = 0, bytes = 0; // of an iteration
  bool isAlsoOnce = false;           // whether there is code for one iteration of each (Once.h)

  /// Those that a loop loads, and of these the ones that are copied.
  SmallVector<const Shared *> sharedBy(cuda_tile::ForOp loop) const;
  SmallVector<const Shared *> readBy(cuda_tile::ForOp loop) const;
};
/// What a kernel without products keeps.
std::vector<KeptTiles> keptTiles(cuda_tile::EntryOp entry, const Plan &plan);

} // namespace tessera::tile_lower
