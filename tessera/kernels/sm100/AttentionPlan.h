// AttentionPlan: what a block of Blackwell's attention has besides what Hopper's has too. For the
// parts of the kernel only.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/kernels/sm90/AttentionPlan.h"

namespace tessera::kernels::sm100 {

/// Its shared memory: Hopper's pieces first, from their beginning; and its tensor memory.
struct AttentionPlan : sm90::AttentionPlan {
  static constexpr int rowsOfConsumer = atom::Threads::ofGroup; // a thread has a row

  explicit AttentionPlan(const AttentionConfig &c);
  // Barriers, one of each consumer.
  dsl::Region scores;  // S is there; after the last step O is
  dsl::Region powers;  // P is there, and S and O have been read
  dsl::Region address; // a word: where tensor memory begins

  // Warps: those of consumers come first, as warp w reaches lanes 32 (w mod 4) of tensor memory.
  int multiplies() const { return c.consumers * atom::Threads::warpsOfGroup; }
  int loads() const { return multiplies() + 1; }
  int warps() const { return loads() + 1; }
  /// Two consumers take registers from the other warps, which only a whole group gives: as many
  /// as a lane of a quarter of the SM has for three warps, 512.
  bool sharesRegisters() const { return c.consumers > 1; }
  static constexpr sm90::RegisterBudget registers{80, 216};
  int threads() const {
    int groups = c.consumers + 1;
    return sharesRegisters() ? groups * atom::Threads::ofGroup : warps() * atom::Threads::ofWarp;
  }

  // Columns: S of each consumer, O of each. P lies in the first half of S.
  int firstOut() const { return c.consumers * c.tileN; }
  int usedColumns() const { return firstOut() + c.consumers * c.valueDims(); }
  /// Columns that a block takes: a power of two.
  int columns() const;
};

} // namespace tessera::kernels::sm100
