// GemmSplit: K in slices, for products with fewer tiles than there are multiprocessors. For the
// GEMM only.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/kernels/sm90/GemmPlan.h"

namespace tessera::kernels::sm90 {

/// Each slice of K of a tile is summed by another block and put into a workspace. The block that
/// comes last adds the sums of all slices up, in the order of slices whoever is last, so that the
/// same numbers give the same result. Nobody waits for anybody.
class SplitK {
public:
  explicit SplitK(GemmBlock &block) : s(block), c(block.c) {}

  bool there() const { return c.splitK > 1; }
  /// As many as there are, or tiles of K if these are fewer: none is empty.
  dsl::Num slices(dsl::Num tilesK) { return dsl::min(tilesK, c.splitK); }

  /// In the host function: that so many tiles fit.
  void check(dsl::Num tiles, dsl::Num slices, dsl::Tensor workspace, dsl::Tensor counters);

  /// By a consumer: puts the sums of a slice away; the last makes them the whole tile's and does
  /// what is to be done with it.
  void store(dsl::Num consumer, const TilePosition &, dsl::Tensor sums,
             const std::function<void()> &whole);

private:
  GemmBlock &s;
  const GemmConfig &c;

  int values() const { return c.tileN / 2; } // of a thread
  dsl::Tensor partial(dsl::Num consumer, const TilePosition &, dsl::Num slice);
  dsl::Num comesLast(dsl::Num consumer, const TilePosition &);
};

} // namespace tessera::kernels::sm90
