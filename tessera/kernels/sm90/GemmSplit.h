// GemmSplit: K in slices, for products with fewer tiles than there are multiprocessors. For the
// GEMM only.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/kernels/sm90/GemmPlan.h"

namespace tessera::kernels::sm90 {

/// Each slice of K of a tile is computed by another block and put into a workspace. The block that
/// comes last adds up all slices, always in the order of slices, so that the same numbers give the
/// same result. No block waits for another.
class SplitK {
public:
  explicit SplitK(GemmBlock &block) : s(block), c(block.c) {}

  bool there() const { return c.splitK > 1; }
  /// The number of slices, or of tiles of K if there are fewer: no slice is empty.
  dsl::Num slices(dsl::Num tilesK) { return dsl::min(tilesK, c.splitK); }

  /// In the host function: checks that the workspace has room for `tiles` tiles.
  void check(dsl::Num tiles, dsl::Num slices, dsl::Tensor workspace, dsl::Tensor counters);

  /// Called by a consumer: stores the sums of a slice. The last consumer adds up the whole tile and
  /// processes it.
  void store(dsl::Num consumer, const TilePosition &, dsl::Tensor sums,
             const std::function<void()> &whole);

private:
  GemmBlock &s;
  const GemmConfig &c;

  int values() const { return c.tileN / 2; } // per thread
  dsl::Tensor partial(dsl::Num consumer, const TilePosition &, dsl::Num slice);
  dsl::Num comesLast(dsl::Num consumer, const TilePosition &);
};

} // namespace tessera::kernels::sm90
