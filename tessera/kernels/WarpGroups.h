// WarpGroups: threads by warpgroup, where the first one loads and the others multiply; and helpers
// for their rows.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/atom/Threads.h"
#include "tessera/dsl/Dsl.h"

namespace tessera::kernels {

/// The position of a thread in its block.
struct ThreadIds {
  dsl::Num index, warp, group, lane;

  /// The position of the running thread; called at the start of the kernel.
  static ThreadIds here();
  /// Whether this warp does the work of a single warp of its warpgroup.
  dsl::Num leads() const;
};

/// The coordinates (rows, columns) without the first `first` rows.
dsl::Tensor rowsFrom(dsl::Tensor coords, dsl::Num first);
/// The coordinates without the first `first` columns.
dsl::Tensor columnsFrom(dsl::Tensor coords, dsl::Num first);

/// Registers per thread, for setmaxnreg, of the group that loads and of those that multiply.
struct RegisterBudget {
  int producer, consumer;

  /// Whether a block that is alone on its multiprocessor has enough for this many consumers. It has
  /// what ptxas gives all of its threads at entry: setmaxnreg waits forever for more.
  bool fits(int consumers) const;
};

} // namespace tessera::kernels
