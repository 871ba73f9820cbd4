// SplitK: K in slices, for the consumers of Hopper. For the GEMM only.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/kernels/gemm/GemmBlock.h"
#include "tessera/kernels/gemm/SliceTeams.h"
#include "tessera/kernels/sm90/GemmPlan.h"

namespace tessera::kernels::sm90 {

/// The slices of Hopper's blocks.
class SplitK {
public:
  SplitK(GemmBlock &block, const GemmPlan &plan) : s(block), plan(plan), c(block.c) {}

  bool there() const { return c.splitK > 1; }
  /// The number of slices, or of tiles of K if there are fewer: no slice is empty.
  dsl::Num slices(dsl::Num tilesK) { return dsl::min(tilesK, c.splitK); }

  void check(dsl::Num tiles, dsl::Num slices, dsl::Tensor workspace, dsl::Tensor counters) {
    SliceTeams::check(c, GemmPlan::consumers, tiles, slices, workspace, counters);
  }
  /// Called by a consumer: SliceTeams::store.
  void store(dsl::Num consumer, const TilePosition &, dsl::Tensor sums,
             const std::function<void()> &whole);

private:
  GemmBlock &s;
  const GemmPlan &plan;
  const GemmConfig &c;
};

} // namespace tessera::kernels::sm90
