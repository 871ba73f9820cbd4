// Kernel: an entry that is being made into a kernel, with what each thread holds of its tiles.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A tile block is a block of 128 threads that all run the same code. Element e of a tile, counted
// in row-major order, is held by thread e mod 128 in its slot e div 128. Of a tile of fewer than
// 128 elements each thread holds element t mod (number of elements), so a scalar is known to all,
// and branches on scalars are uniform. A tile of up to 8 slots is in registers, one value a slot; a
// larger one is an array in local memory, over which loops go. Reshapes keep the order, so they
// are free; what moves elements to other threads goes through shared memory (`moved`).
#pragma once

#include "tessera/cuda_tile/CudaTile.h"
#include "tessera/tile_lower/Diagnostics.h"
#include "tessera/tile_lower/Elements.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

#include <memory>

namespace tessera::tile_lower {

using llvm::ArrayRef;
using llvm::LogicalResult;
using llvm::SmallVector;
using mlir::Operation;

/// What a thread holds of a tile.
struct Tile {
  Type element; // as cuda_tile has it
  int64_t count = 1;
  SmallVector<Value> registers = {}; // a value for each slot, or none:
  Value array = {};                  // the address of the slots in local memory

  bool isScalar() const { return count == 1; }
};

/// A place in a tile: a slot, and the element that this thread has there.
struct Slot {
  Value index;        // i32
  int64_t number = 0; // of a tile in registers
  Value element = {}; // i32
};

/// All as i64: an address, and extents and strides in elements.
struct TensorView {
  Value base;
  SmallVector<Value> shape, strides;
};

/// A block of the program whose end goes somewhere: a loop or an `if`.
struct Target {
  mlir::Block *block = nullptr;
  std::vector<Tile> values; // their registers are the block's arguments, arrays are written to
};
struct Frame {
  Target yield, next, end; // where yield, continue and break go
};

class Kernel : public Code {
public:
  static constexpr int64_t threads = 128, mostRegisters = 8, mostElements = 131072;
  static constexpr int64_t mostShared = 32768, mostLocal = 512 << 10; // bytes

  Kernel(mlir::gpu::GPUModuleOp module, llvm::StringRef arch);

  /// Whether the target has programmatic dependent launch (PTX ISA 9.0, 9.7.13.13).
  bool hasDependentLaunch() const;

  const llvm::StringRef arch;
  mlir::gpu::GPUModuleOp module;
  std::vector<Frame> frames;

  /// Makes the kernel of an entry.
  LogicalResult lower(cuda_tile::EntryOp entry);
  /// All ops of a block, its terminator too. Elsewhere than in a kernel: of nothing.
  LogicalResult lowerBlock(mlir::Block &block);

  //===--- Values of the program

  const Tile &tile(Value value) const { return tiles.find(value)->second; }
  const TensorView &view(Value value) const { return *views.find(value)->second; }
  /// The one value of a scalar.
  Value scalar(Value value) const { return tile(value).registers[0]; }
  void define(Value value, Tile tile) { tiles[value] = std::move(tile); }
  void define(Value value, std::shared_ptr<const TensorView> view) {
    views[value] = std::move(view);
  }
  void alias(Value value, Value of);

  //===--- Tiles

  static int64_t slotsOf(int64_t count) { return std::max<int64_t>(1, count / threads); }
  static bool isInRegisters(int64_t count) { return slotsOf(count) <= mostRegisters; }
  /// A tile without values; an array of its own if it is large.
  Tile newTile(Type element, int64_t count);
  Tile newTile(Type tileType);
  Tile splat(Type element, int64_t count, Value value);
  /// Calls `body` for each slot of tiles of so many elements, or makes a loop of it.
  void forSlots(int64_t count, llvm::function_ref<void(const Slot &)> body);
  Value get(const Tile &tile, const Slot &slot);
  void set(Tile &tile, const Slot &slot, Value value);
  /// Whether this thread is the one that acts for the element in its slot; null if it always is.
  Value isOwner(int64_t count);

  /// Elements of a tile at other places, through shared memory: for each of `places` a tile of
  /// `count` elements, whose element at a slot is that of `source` at place(slot).
  SmallVector<Tile> moved(const Tile &source, int64_t count,
                          ArrayRef<llvm::function_ref<Value(const Slot &)>> places);
  Tile movedTo(const Tile &source, int64_t count, llvm::function_ref<Value(const Slot &)> place) {
    return moved(source, count, {place})[0];
  }

  //===--- Coordinates, all i32

  /// Coordinates of an element in row-major order.
  SmallVector<Value> coordinatesOf(Value element, ArrayRef<int64_t> shape);
  Value elementAt(ArrayRef<Value> coordinates, ArrayRef<int64_t> shape);

  //===--- Threads and memory

  Value thread; // i32
  void barrier();
  Value specialRegister(llvm::StringRef name);
  /// The address of an element in shared memory, whose part for this kernel has at least
  /// `bytes` bytes, and which begins `offset` bytes in it.
  Value shared(Type element, Value index, int64_t bytes, int64_t offset = 0);
  Value loadAt(Type element, Value address);
  void storeAt(Type element, Value address, Value held);
  Value globalAddress(Value address);
  /// What a global of the program is called in the module.
  mlir::LLVM::GlobalOp constantArray(llvm::StringRef stem, Type element,
                                     mlir::DenseElementsAttr values, int64_t alignment = 0);

private:
  void write(const Tile &source, Value first, int64_t from, int64_t count);

  llvm::DenseMap<Value, Tile> tiles;
  llvm::DenseMap<Value, std::shared_ptr<const TensorView>> views;
  mlir::LLVM::LLVMFuncOp function;
  int64_t sharedBytes = 0, localBytes = 0;
};

inline int64_t countOf(ArrayRef<int64_t> shape) {
  int64_t count = 1;
  for (int64_t extent : shape)
    count *= extent;
  return count;
}
inline int64_t countOf(Type tile) { return countOf(cuda_tile::shapeOf(tile)); }

} // namespace tessera::tile_lower
