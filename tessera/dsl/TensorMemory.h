// TensorMemory: columns of tensor memory, taken and given back, and the end of products into it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/dsl/Barriers.h"

namespace tessera::dsl {

/// The columns of a block's tensor memory that it takes: 32, 64 ... 512. Of a pair both blocks take
/// as many. What is here is done by a whole warp, the same one each time.
class TensorMemory {
public:
  TensorMemory() = default;
  /// The address is passed on through a word of shared memory at `slot`.
  TensorMemory(int columns, Pointer slot, int blocks = 1)
      : columns(columns), blocks(blocks), slot(slot) {}

  /// Of two blocks, after each knows that the other has begun. A barrier of the block follows.
  void take(Place = Place::current()) const;
  /// By any thread, after that barrier: the first column, as elements.
  Pointer pointer(Element, Place = Place::current()) const;
  /// When nobody uses it any more, in either block.
  void giveBack(Place = Place::current()) const;

private:
  int columns = 0, blocks = 1;
  Pointer slot;
};

/// Arrives at the barrier once the products that this warp began before are done. Of a pair the
/// first block began them; a mask, an i16, names the blocks of the cluster whose barriers are
/// meant.
void mma_commit(Barrier, Num mask = {}, Place = Place::current());

/// By a warp: factors of four blocks of K of each of 128 rows from shared memory, where row m has
/// them from byte 16 (m mod 32) + 4 (m div 32) on, to four columns, for all four groups of 32 lanes
/// (tcgen05.cp). Products that the warp begins after it read them. Of a pair the first block does
/// so for both, each from its own shared memory to its own tensor memory.
void copy_factors(Pointer from, Pointer to, Element factor, int blocks = 1,
                  Place = Place::current());

} // namespace tessera::dsl
