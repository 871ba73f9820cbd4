// GemmPlan: the parts of a block of Hopper's GEMM besides the stages that other targets also have.
// For the parts of the GEMM only.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/kernels/WarpGroups.h"
#include "tessera/kernels/gemm/GemmMemory.h"

namespace tessera::kernels::sm90 {

/// Its shared memory: GemmMemory, flags of slices, barriers of turns.
struct GemmPlan : GemmMemory {
  static constexpr int consumers = 2;                            // which store, too
  static constexpr int rowsOfConsumer = GemmMemory::rowsOfBlock; // one wgmma's
  static_assert(tileM == consumers * rowsOfConsumer);
  static constexpr int groupThreads = atom::Threads::ofGroup;
  static constexpr int threads = (consumers + 1) * groupThreads;
  static constexpr RegisterBudget registers{40, 232};

  explicit GemmPlan(const GemmConfig &c);
  dsl::Region flags; // one for each consumer: whether its slice came last
  dsl::Region turns; // barriers of the ping-pong form: one for each consumer's turn to multiply

  /// The most accumulator values for which a thread has registers beside those for computing D: as
  /// many as ptxas compiles without spills.
  int mostSums() const;
};

} // namespace tessera::kernels::sm90
