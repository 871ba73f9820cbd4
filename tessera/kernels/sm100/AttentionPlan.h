// AttentionPlan: the parts of a block of Blackwell's attention that other targets do not have. For
// the parts of the kernel only.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/kernels/attention/AttentionBlock.h"

namespace tessera::kernels::sm100 {

/// Its shared memory, which begins with AttentionMemory, and its tensor memory.
struct AttentionPlan : AttentionMemory {
  static constexpr int rowsOfConsumer = atom::Threads::ofGroup; // a thread has a row

  explicit AttentionPlan(const AttentionConfig &c);
  // Barriers, one for each consumer.
  dsl::Region scores;  // S is complete; after the last step O is
  dsl::Region powers;  // P is complete, and S and O have been read
  dsl::Region address; // a word: the address of tensor memory

  // Warps: those of consumers come first, since warp w reaches lanes 32 (w mod 4) of tensor memory.
  int multiplies() const { return c.consumers * atom::Threads::warpsOfGroup; }
  int loads() const { return multiplies() + 1; }
  int warps() const { return loads() + 1; }
  /// Two consumers take registers from the other warps. Only a whole group can release them, and at
  /// entry each thread of the three groups has 168.
  bool sharesRegisters() const { return c.consumers > 1; }
  /// Slopes need more registers than 208, and masks 88 where the range of keys is computed: what
  /// ptxas 13.0 makes of either has a frame with the other's numbers.
  RegisterBudget registers() const {
    return c.alibi && !c.causal && !c.window ? RegisterBudget{72, 216} : RegisterBudget{88, 208};
  }
  int threads() const {
    int groups = c.consumers + 1;
    return sharesRegisters() ? groups * atom::Threads::ofGroup : warps() * atom::Threads::ofWarp;
  }

  // Columns: S of each consumer, then O of each. P lies in the first half of S.
  int firstOut() const { return c.consumers * c.tileN; }
  int usedColumns() const { return firstOut() + c.consumers * c.valueDims(); }
  /// Columns that a block allocates: a power of two.
  int columns() const;
};

} // namespace tessera::kernels::sm100
