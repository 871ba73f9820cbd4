// TensorMemory: allocating columns of tensor memory, and waiting for products into it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/dsl/Barriers.h"

namespace tessera::dsl {

/// The columns of tensor memory that a block allocates: 32, 64 ... 512. Both blocks of a pair
/// allocate this many. A whole warp calls these functions, the same warp each time.
class TensorMemory {
public:
  TensorMemory() = default;
  /// The address is passed on through a word of shared memory at `slot`.
  TensorMemory(int columns, Pointer slot, int blocks = 1)
      : columns(columns), blocks(blocks), slot(slot) {}

  /// Allocates. In a pair, each block must know that the other has begun. A barrier of the block
  /// follows.
  void take(Place = Place::current()) const;
  /// The first column as a pointer to elements. Called by any thread after that barrier.
  Pointer pointer(Element, Place = Place::current()) const;
  /// Frees the columns, once no thread of either block uses them.
  void giveBack(Place = Place::current()) const;

private:
  int columns = 0, blocks = 1;
  Pointer slot;
};

/// Arrives at the barrier when all earlier products of this warp are done. In a pair, the first
/// block began them. `mask`, an i16, names the blocks of the cluster whose barriers are meant.
/// `blocks`: 1, or 2 for products of a pair; 0: of a pair, if there is a mask.
void mma_commit(Barrier, Num mask = {}, Place = Place::current(), int blocks = 0);

/// Called by a warp: copies the scale factors of four blocks of K for each of 128 rows from shared
/// memory to four columns, for all four groups of 32 lanes (tcgen05.cp). The factors of row m are
/// at byte 16 (m mod 32) + 4 (m div 32). Later products of the warp read them. In a pair, the first
/// block copies for both, each from its own shared memory to its own tensor memory.
void copy_factors(Pointer from, Pointer to, Element factor, int blocks = 1,
                  Place = Place::current());

} // namespace tessera::dsl
