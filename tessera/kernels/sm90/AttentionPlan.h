// AttentionPlan: the parts of a block of Hopper's attention that other targets do not have. For the
// parts of the kernel only.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/kernels/attention/AttentionBlock.h"

namespace tessera::kernels::sm90 {

struct AttentionPlan : AttentionMemory {
  explicit AttentionPlan(const AttentionConfig &c) : AttentionMemory(c) { placeTiles(); }

  int threads() const { return (c.consumers + 1) * groupThreads; }
  /// Blocks that fit on a multiprocessor. With few queries a block waits for memory, so two keep
  /// more loads in flight.
  int together() const;
  /// Registers such that all groups together have no more than at entry.
  RegisterBudget registers() const {
    if (c.consumers == 1)
      return {40, together() > 1 ? 208 : 240};
    if (c.isNarrow()) // those that turn V need more
      return c.consumers == 2 ? RegisterBudget{56, 224} : RegisterBudget{56, 152};
    return c.consumers == 2 ? RegisterBudget{24, 240} : RegisterBudget{32, 160};
  }
};

/// The work of two warps if V has 8 bits, where wgmma needs the keys of a head contiguous: they
/// transpose each tile, from the last one to the first.
void turn(AttentionBlock &);
/// The work of a warpgroup that multiplies: all of its rows of O.
void consume(AttentionBlock &);

} // namespace tessera::kernels::sm90
