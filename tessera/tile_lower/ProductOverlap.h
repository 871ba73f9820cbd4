// ProductOverlap: the products of a loop that go on in other iterations than their own.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For loops whose loads a separate warp makes. Attention has both kinds: S = Q K of the next
// iteration begins before O += P V of this one, and O is awaited in the next iteration, where it is
// scaled.
#pragma once

#include "tessera/tile_lower/Plan.h"

namespace tessera::tile_lower {

class ProductOverlap {
public:
  ProductOverlap(const Plan &plan, cuda_tile::ForOp loop, Pipeline &ring)
      : plan(plan), loop(loop), ring(ring) {}

  /// Sets `carried` and `early` of the ring, if there are registers for what products hold
  /// meanwhile: so many of a thread are left beside all sums. `isShared`: several blocks share a
  /// multiprocessor.
  void choose(int64_t left, bool isShared);
  /// Finds the loads that only the early product reads, and the first product that reads others;
  /// false if there are none, or no others, or if the early product reads others too.
  bool separate();

private:
  bool readsRing(Operation *op, unsigned operand);
  Operation *earlyProduct();
  Operation *carriedProduct();

  const Plan &plan;
  cuda_tile::ForOp loop;
  Pipeline &ring;
};

} // namespace tessera::tile_lower
