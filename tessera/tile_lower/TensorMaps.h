// TensorMaps: the tensor maps of a block, which it makes itself, as launchers of other front ends
// pass none.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// TMA reads maps from global memory, so they are in a slot of an array of the module. A slot
// belongs to one block at a time: the block that changed its flag from 0 to 1, until it writes 0
// there after its last copy. That needs no order of blocks, launches or streams, and no number of
// slots: a block that finds none free tries until another block ends. There are enough for all
// blocks that a GPU holds, and a block begins with those of its multiprocessor, so that a free one
// is the rule. A context has its own array.
#pragma once

#include "tessera/tile_lower/Kernel.h"

namespace tessera::tile_lower {

class TensorMaps {
public:
  TensorMaps(Kernel &k, const Producer &plan) : k(k), plan(plan) {}

  /// By a warp: takes a slot and makes the maps, images of which are in shared memory, `images`
  /// bytes from its begin.
  void make(int64_t images);
  /// By one thread: copies the boxes of a load to shared memory, `to` (i32) bytes from its begin;
  /// `barrier` counts their bytes.
  void copy(const Staging &staging, Value to, Value barrier);
  /// By one thread, after its last copy has come.
  void release();
  void discard();

  static int64_t bytesOf(const Staging &staging);

private:
  mlir::LLVM::GlobalOp array(llvm::StringRef stem, int64_t words, uint64_t alignment);
  Value addressOf(mlir::LLVM::GlobalOp array, Value offset);
  Value askFor(Value slot);
  void describe(const Staging &staging, Value image);

  Kernel &k;
  const Producer &plan;
  mlir::LLVM::GlobalOp flags, slots;
  Value flag, first; // addresses (i64) in this block's slot
};

} // namespace tessera::tile_lower
