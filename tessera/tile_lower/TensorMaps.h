// TensorMaps: the tensor maps of a block. Each block makes its own, as launchers of other front
// ends pass none.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// TMA reads maps from global memory, so they are in a slot of an array of the module. A slot
// belongs to one block at a time: the block that changed its flag from 0 to 1, until it writes 0
// back after its last copy. This needs no order of blocks, launches or streams, and no fixed number
// of slots: a block that finds none free tries until another block ends. There are enough slots for
// all blocks that a GPU holds, and a block begins with those of its multiprocessor, so that it
// usually finds a free one at once. A context has its own array.
#pragma once

#include "tessera/tile_lower/Kernel.h"

namespace tessera::tile_lower {

class TensorMaps {
public:
  TensorMaps(Kernel &k, const Producer &plan) : k(k), plan(plan) {}

  /// Called by a warp: takes a slot and makes the maps from their images, which are `images` bytes
  /// after the beginning of shared memory.
  void make(int64_t images);
  /// Called by one thread: copies the boxes of a load to shared memory, `to` (i32) bytes after its
  /// beginning. `barrier` counts their bytes.
  void copy(const Staging &staging, Value to, Value barrier);
  /// Called by one thread after its last copy has arrived.
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
