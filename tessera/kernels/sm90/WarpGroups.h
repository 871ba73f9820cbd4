// WarpGroups: threads by warpgroup, of which the first one loads and the others multiply; and the
// rows that these are given.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/atom/Threads.h"
#include "tessera/dsl/Dsl.h"

namespace tessera::kernels::sm90 {

/// What a thread is to its block.
struct ThreadIds {
  dsl::Num index, warp, group, lane;

  /// Of the thread that runs; at the start of the kernel.
  static ThreadIds here();
  /// Whether this warp does what one of its warpgroup has to.
  dsl::Num leads() const;
};

/// The coordinates (rows, columns) without so many first rows.
dsl::Tensor rowsFrom(dsl::Tensor coords, dsl::Num first);
/// Those without so many first columns.
dsl::Tensor columnsFrom(dsl::Tensor coords, dsl::Num first);

/// Registers of a thread that setmaxnreg sets for the group that loads and for those that multiply.
struct RegisterBudget {
  int producer, consumer;

  /// Whether a block has so many for this many consumers.
  bool fits(int consumers) const;
};

} // namespace tessera::kernels::sm90
