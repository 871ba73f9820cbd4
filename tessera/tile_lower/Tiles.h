// Tiles: the elements that each thread holds of a tile, and conversions between layouts.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// At level 0, element e of a tile, counted in row-major order, is held by thread e mod 128 in its
// slot e div 128: the simple layout. If a tile has fewer elements than threads, thread t holds
// element t mod (number of elements), so all threads know a scalar, and branches on scalars are
// uniform. A tile of up to 8 slots is in registers, one value per slot; a larger one is an array in
// local memory, processed by loops. Reshapes keep the order, so they are free; elements move to
// other threads through shared memory (`moved`, `inLayout`).
#pragma once

#include "tessera/tile_lower/BitLayout.h"
#include "tessera/tile_lower/BlockMemory.h"

namespace tessera::tile_lower {

/// The part of a tile that a thread holds.
struct ThreadTile {
  Type element; // the type in cuda_tile
  int64_t count = 1;
  SmallVector<Value> registers = {}; // a value for each slot, or none:
  Value array = {};                  // the address of the slots in local memory
  BitLayout layout = {};             // of registers
  bool isUniform = false;            // all elements are equal, and there is one register

  bool isScalar() const { return count == 1; }
};

/// A place in a tile: a slot, and the element of this thread in it.
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
  /// A tile without values; a large one gets an array that no other tile in use has.
  ThreadTile newTile(Type element, int64_t count);
  ThreadTile splat(Type element, int64_t count, Value value);
  /// Calls `body` for each slot of a tile of `count` elements, or once within a loop over slots.
  void forSlots(int64_t count, llvm::function_ref<void(const Slot &)> body);
  Value get(const ThreadTile &tile, const Slot &slot);
  void set(ThreadTile &tile, const Slot &slot, Value value);
  /// Whether this thread acts for the element in its slot; null if it always does.
  Value isOwner(int64_t count);

  /// Moves elements of a tile through shared memory. For each of `places` the result has a tile of
  /// `count` elements, whose element at a slot is that of `source` at place(slot).
  SmallVector<ThreadTile> moved(const ThreadTile &source, int64_t count,
                                ArrayRef<llvm::function_ref<Value(const Slot &)>> places);
  ThreadTile movedTo(const ThreadTile &source, int64_t count,
                     llvm::function_ref<Value(const Slot &)> place) {
    return moved(source, count, {place})[0];
  }

  //===--- Layouts (Exchange.cpp)

  /// A tile in registers in another layout; a uniform tile stays so.
  ThreadTile inLayout(const ThreadTile &tile, const BitLayout &layout);
  /// The tile in the form of level 0: registers or an array in the simple layout.
  ThreadTile simple(const ThreadTile &tile);
  /// The bits of the element's number that this thread's number sets, i32.
  Value threadPart(const BitLayout &layout);
  /// The number of the element in each register.
  SmallVector<Value> elementsOf(const BitLayout &layout);
  /// Whether this thread acts for its elements; null if it always does.
  Value isOwner(const BitLayout &layout);

  //===--- Coordinates, all i32

  /// Coordinates of an element in row-major order.
  SmallVector<Value> coordinatesOf(Value element, ArrayRef<int64_t> shape);
  Value elementAt(ArrayRef<Value> coordinates, ArrayRef<int64_t> shape);

  /// The address of a variable of this thread, which becomes a register.
  Value newVariable(Type type);

  /// Bytes of local memory that a thread uses so far.
  int64_t localUsed() const { return localBytes; }

protected:
  /// Lets later tiles have an array of `arraysInUse`, whose tile nothing reads any more.
  void giveBack(size_t number);

  mlir::LLVM::LLVMFuncOp function; // its first block holds the arrays
  std::vector<Value> arraysInUse;  // in the order in which tiles got them

private:
  int64_t localBytes = 0;
  /// Arrays that are free, by the type of an element and how many there are.
  llvm::DenseMap<std::pair<Type, int64_t>, SmallVector<Value>> freeArrays;
};

} // namespace tessera::tile_lower
