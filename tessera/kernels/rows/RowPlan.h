// RowPlan: how the columns of a row are distributed over threads. For the rows only.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A row is read once, in vectors of 16 bytes, and stays in registers. Short rows share a warp,
// longer ones have a warp, a block or a cluster of blocks; or a block takes them piece by piece.
#pragma once

#include "tessera/atom/Threads.h"
#include "tessera/kernels/rows/Rows.h"

namespace tessera::kernels::rows {

struct RowPlan {
  static constexpr int vectorBytes = 16;
  static constexpr int mostCluster = atom::Threads::blocksOfCluster;
  // A thread has 128 registers in blocks of this size, and 64 in the largest.
  static constexpr int mostThreads = atom::Threads::registers / 128,
                       mostThreadsAtAll = atom::Threads::ofBlock;
  static constexpr int threadsOfWarpRows = 128; // of a block where a row has a warp or less

  explicit RowPlan(const RowConfig &);

  int width;    // elements of a vector
  int vectors;  // of a thread
  int threads;  // of a row in a block: a power of two up to a warp, or whole warps
  int cluster;  // blocks of a row
  bool pieces;  // whether a row is taken piece by piece
  bool fits;    // whether the registers of a cluster suffice
  int together; // blocks that must fit on a multiprocessor

  int lanes() const;
  int warps() const; // that share a row in a block
  int threadsOfBlock() const;
  int rowsOfBlock() const { return threadsOfBlock() / threads; }
  int threadsOfRow() const { return threads * cluster; }
  int64_t capacity() const { return int64_t(threadsOfRow()) * vectors * width; }
};

} // namespace tessera::kernels::rows
