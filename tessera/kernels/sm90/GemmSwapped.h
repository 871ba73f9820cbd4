// GemmSwapped: products whose D has few rows. For the GEMM only.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// wgmma takes 64 rows of its first operand at a time, and 8, 16, ... columns. With one to some
// dozens of rows of A, most of 64 would be empty; so B, which is the matrix of weights where such
// products occur, is the first operand, and D is computed transposed. What counts is that B is read
// once, by all multiprocessors. The tiles of D alone do not fill them, so K is in slices. The
// slices of a tile are the blocks of a cluster. In the end each puts its sums into shared memory,
// and reads its part of the rows from all blocks, in the order of slices. So there is no workspace,
// and the same numbers give the same result.
#pragma once

#include "tessera/kernels/sm90/GemmPlan.h"

namespace tessera::kernels::sm90 {

/// The shared memory of a block: stages of B and A and, where these were, sums; barriers.
struct SwappedPlan {
  static constexpr int columnsOfConsumer = GemmPlan::rowsOfConsumer; // wgmma's M
  static constexpr int padding = 4; // words after a row of sums: see sumsPitch

  explicit SwappedPlan(const GemmConfig &c);
  const GemmConfig &c;
  dsl::SharedMemory memory;
  dsl::Region a, b, sums, ring;

  int consumers() const { return c.tileN / columnsOfConsumer; }
  int consumerThreads() const { return consumers() * atom::Threads::ofGroup; }
  /// A warp loads; where sums take half the registers, it comes with three that do nothing, so that
  /// its warpgroup can give registers to the others.
  bool budgeted() const {
    int most = c.scalesBlocks() ? 64 : 128; // rows whose sums, there twice if scaled, take less
    return c.tileM > most && consumers() == GemmPlan::consumers;
  }
  int threads() const {
    return consumerThreads() + (budgeted() ? atom::Threads::ofGroup : atom::Threads::ofWarp);
  }
  int64_t aStage() const { return c.tileM * findGemmType(c.a)->bytesOf(c.tileK()); }
  int64_t bStage() const { return c.tileN * findGemmType(c.b)->bytesOf(c.tileK()); }
  /// Words from a row of sums to the next. A warp writes eight neighbours in four pairs of rows at
  /// once: two rows are eight words apart modulo the 32 banks, so that no bank is met twice.
  int sumsPitch() const { return c.tileN + padding; }
};

/// Why there is no such kernel of a configuration that is swapped.
std::optional<Reason> refusedSwapped(const GemmConfig &);
void buildSwappedGemm(const GemmConfig &);

} // namespace tessera::kernels::sm90
