// GemmSwapped: products whose D has few rows. For the GEMM only.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// wgmma takes 64 rows of its first operand at a time, and 8, 16, ... columns. With one to some
// dozens of rows of A, most of the 64 would be empty. So B, usually the matrix of weights, is the
// first operand, and D is computed transposed. The time goes into reading B once, by all
// multiprocessors. The tiles of D alone do not fill them, so K is in slices. The slices of a tile
// are the blocks of a cluster. At the end each puts its sums into shared memory, and reads its part
// of the rows from all blocks, in the order of slices. So no workspace is needed, and the same
// numbers give the same result.
#pragma once

#include "tessera/kernels/sm90/GemmPlan.h"

namespace tessera::kernels::sm90 {

/// The shared memory of a block: stages of B and A, later sums in their place; barriers.
struct SwappedPlan {
  static constexpr int columnsOfConsumer = GemmPlan::rowsOfConsumer; // wgmma's M
  static constexpr int padding = 4; // words after a row of sums: see sumsPitch

  explicit SwappedPlan(const GemmConfig &c);
  GemmConfig c;
  dsl::SharedMemory memory;
  dsl::Region a, b, sums, ring;

  int consumers() const { return c.tileN / columnsOfConsumer; }
  int consumerThreads() const { return consumers() * atom::Threads::ofGroup; }
  /// One warp loads. If sums take half the registers, three idle warps accompany it, so that its
  /// warpgroup can give registers to the others.
  bool budgeted() const {
    int most = c.scalesBlocks() ? 64 : 128; // rows whose sums take less; scaled ones exist twice
    return c.tileM > most && consumers() == GemmPlan::consumers;
  }
  int threads() const {
    return consumerThreads() + (budgeted() ? atom::Threads::ofGroup : atom::Threads::ofWarp);
  }
  int64_t aStage() const { return c.tileM * findGemmType(c.a)->bytesOf(c.tileK()); }
  int64_t bStage() const { return c.tileN * findGemmType(c.b)->bytesOf(c.tileK()); }
  /// Words from a row of sums to the next. A warp writes eight adjacent words in four pairs of rows
  /// at once: two rows are eight words apart modulo the 32 banks, so that there are no bank
  /// conflicts.
  int sumsPitch() const { return c.tileN + padding; }
};

/// The reason why there is no kernel for a swapped configuration.
std::optional<Reason> refusedSwapped(const GemmConfig &);
void buildSwappedGemm(const GemmConfig &);

} // namespace tessera::kernels::sm90
