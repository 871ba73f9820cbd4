// Tiles: what each thread holds of a tile, and tiles from one form to another.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// At level 0 element e of a tile, counted in row-major order, is held by thread e mod 128 in its
// slot e div 128: the simple layout. Of a tile of fewer elements than threads each thread holds
// element t mod (number of elements), so a scalar is known to all, and branches on scalars are
// uniform. A tile of up to 8 slots is in registers, one value a slot; a larger one is an array in
// local memory, over which loops go. Reshapes keep the order, so they are free; what moves elements
// to other threads goes through shared memory (`moved`, `inLayout`).
#pragma once

#include "tessera/tile_lower/BitLayout.h"
#include "tessera/tile_lower/BlockMemory.h"

namespace tessera::tile_lower {

/// What a thread holds of a tile.
struct ThreadTile {
  Type element; // as cuda_tile has it
  int64_t count = 1;
  SmallVector<Value> registers = {}; // a value for each slot, or none:
  Value array = {};                  // the address of the slots in local memory
  BitLayout layout = {};             // of registers
  bool isUniform = false;            // all elements are the same, and there is one register

  bool isScalar() const { return count == 1; }
};

/// A place in a tile: a slot, and the element that this thread has there.
struct Slot {
  Value index;        // i32
  int64_t number = 0; // of a tile in registers
  Value element = {}; // i32
};

class Tiles : public BlockMemory {
public:
  using BlockMemory::BlockMemory;

  static constexpr int64_t mostRegisters = 8;

  //===--- The simple layout

  int64_t slotsOf(int64_t count) const { return std::max<int64_t>(1, count / threads); }
  bool isInRegisters(int64_t count) const { return slotsOf(count) <= mostRegisters; }
  BitLayout simpleLayout(int64_t count) const {
    return blocked(bitsUpTo(log2Of(count)), log2Of(threads));
  }
  /// A tile without values; an array of its own if it is large.
  ThreadTile newTile(Type element, int64_t count);
  ThreadTile splat(Type element, int64_t count, Value value);
  /// Calls `body` for each slot of tiles of so many elements, or makes a loop of it.
  void forSlots(int64_t count, llvm::function_ref<void(const Slot &)> body);
  Value get(const ThreadTile &tile, const Slot &slot);
  void set(ThreadTile &tile, const Slot &slot, Value value);
  /// Whether this thread is the one that acts for the element in its slot; null if it always is.
  Value isOwner(int64_t count);

  /// Elements of a tile at other places, through shared memory: for each of `places` a tile of
  /// `count` elements, whose element at a slot is that of `source` at place(slot).
  SmallVector<ThreadTile> moved(const ThreadTile &source, int64_t count,
                                ArrayRef<llvm::function_ref<Value(const Slot &)>> places);
  ThreadTile movedTo(const ThreadTile &source, int64_t count,
                     llvm::function_ref<Value(const Slot &)> place) {
    return moved(source, count, {place})[0];
  }

  //===--- Layouts (Exchange.cpp)

  /// A tile in registers of another layout; what is uniform stays so.
  ThreadTile inLayout(const ThreadTile &tile, const BitLayout &layout);
  /// The form of level 0: registers or an array in the simple layout.
  ThreadTile simple(const ThreadTile &tile);
  /// The bits of the element that this thread's number gives, i32.
  Value threadPart(const BitLayout &layout);
  /// The number of each register's element.
  SmallVector<Value> elementsOf(const BitLayout &layout);
  /// Whether this thread is the one that acts for its elements; null if it always is.
  Value isOwner(const BitLayout &layout);

  //===--- Coordinates, all i32

  /// Coordinates of an element in row-major order.
  SmallVector<Value> coordinatesOf(Value element, ArrayRef<int64_t> shape);
  Value elementAt(ArrayRef<Value> coordinates, ArrayRef<int64_t> shape);

  /// The address of a number of this thread that code writes and reads, which becomes a register.
  Value newVariable(Type type);

  /// Bytes of local memory of a thread so far.
  int64_t localUsed() const { return localBytes; }

protected:
  mlir::LLVM::LLVMFuncOp function; // in whose first block arrays are made

private:
  int64_t localBytes = 0;
};

} // namespace tessera::tile_lower
