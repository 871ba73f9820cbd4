// Kernel: an entry that is being made into a kernel, with what each thread holds of its tiles.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A tile block is a block of 128 or 256 threads that all run the same code. At level 0 element e of
// a tile, counted in row-major order, is held by thread e mod 128 in its slot e div 128: the simple
// layout. Of a tile of fewer elements than threads each thread holds element t mod (number of
// elements), so a scalar is known to all, and branches on scalars are uniform. A tile of up to 8
// slots is in registers, one value a slot; a larger one is an array in local memory, over which
// loops go. Reshapes keep the order, so they are free; what moves elements to other threads goes
// through shared memory (`moved`).
//
// With a plan (Plan.h) tiles are in registers in the layouts that it says. Ops that have no code of
// their own for them (Planned.h) are compiled as at level 0: their operands are brought into the
// simple layout before, and their results into the planned one after.
#pragma once

#include "tessera/cuda_tile/CudaTile.h"
#include "tessera/tile_lower/Diagnostics.h"
#include "tessera/tile_lower/Elements.h"
#include "tessera/tile_lower/Plan.h"

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
  BitLayout layout = {};             // of registers
  bool isUniform = false;            // all elements are the same, and there is one register

  bool isScalar() const { return count == 1; }
};

/// A tile that a load left in shared memory.
struct StagedTile {
  const Staging *staging;
  Value base; // bytes from where the shared memory of the kernel begins, i32
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
  static constexpr int64_t mostRegisters = 8, mostElements = 131072;
  static constexpr int64_t mostShared = 32768, mostLocal = 512 << 10; // bytes

  Kernel(mlir::gpu::GPUModuleOp module, llvm::StringRef arch);

  int64_t threads = 128;
  /// Bytes of shared memory that what moves elements has at a time.
  int64_t scratch = mostShared;
  /// Null at level 0.
  std::unique_ptr<const Plan> plan;

  /// Whether the target has programmatic dependent launch (PTX ISA 9.0, 9.7.13.13).
  bool hasDependentLaunch() const;

  const llvm::StringRef arch;
  mlir::gpu::GPUModuleOp module;
  std::vector<Frame> frames;

  /// Makes the kernel of an entry, at level 0 or with a plan.
  LogicalResult lower(cuda_tile::EntryOp entry, int level);
  /// Takes back what was made of an entry.
  void discard() { function.erase(); }
  /// Bytes of shared memory of a block, and of local memory of a thread, so far.
  int64_t sharedUsed() const { return sharedBytes; }
  int64_t localUsed() const { return localBytes; }
  /// All ops of a block, its terminator too. Elsewhere than in a kernel: of nothing.
  LogicalResult lowerBlock(mlir::Block &block);

  //===--- Values of the program

  /// As level 0 has it: with a plan only what `settle` has brought into that form.
  const Tile &tile(Value value) const {
    auto found = settled.find(value);
    return found != settled.end() ? found->second : tiles.find(value)->second;
  }
  /// As it is held.
  const Tile &held(Value value) const { return tiles.find(value)->second; }
  const TensorView &view(Value value) const { return *views.find(value)->second; }
  /// The one value of a scalar.
  Value scalar(Value value) const { return held(value).registers[0]; }
  void define(Value value, Tile tile) { tiles[value] = std::move(tile); }
  void define(Value value, std::shared_ptr<const TensorView> view) {
    views[value] = std::move(view);
  }
  void alias(Value value, Value of);

  //===--- Tiles

  int64_t slotsOf(int64_t count) const { return std::max<int64_t>(1, count / threads); }
  bool isInRegisters(int64_t count) const { return slotsOf(count) <= mostRegisters; }
  BitLayout simpleLayout(int64_t count) const {
    return blocked(bitsUpTo(log2Of(count)), log2Of(threads));
  }
  /// A tile without values; an array of its own if it is large.
  Tile newTile(Type element, int64_t count);
  Tile newTile(Type tileType);
  /// Such a tile in the form in which a value of the program is held.
  Tile newTileFor(Value value);
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

  //===--- Layouts (Exchange.cpp)

  /// A tile in registers of another layout; what is uniform stays so.
  Tile inLayout(const Tile &tile, const BitLayout &layout);
  /// A value in a layout; what costs nothing to make is made again.
  Tile inLayout(Value value, const BitLayout &layout);
  /// The form of level 0: registers or an array in the simple layout.
  Tile simple(const Tile &tile);
  /// Brings operands into the form of level 0, and results into that of the plan.
  void settle(Operation *op);
  void adopt(Operation *op);
  /// A value as the plan has it; null layouts leave it.
  Tile asPlanned(Value value, const Tile &tile);
  /// The bits of the element that this thread's number gives, i32.
  Value threadPart(const BitLayout &layout);
  /// The number of each register's element.
  SmallVector<Value> elementsOf(const BitLayout &layout);
  /// Whether this thread is the one that acts for its elements; null if it always is.
  Value isOwner(const BitLayout &layout);
  /// What a lane whose number differs in these bits has.
  Value shuffled(Value value, int64_t laneMask);

  //===--- Shared memory of a plan

  /// Bytes from the begin of shared memory that are in use, before which nothing is moved.
  int64_t sharedTop = 0;
  llvm::DenseMap<Operation *, StagedTile> staged; // by load
  /// An address in shared memory, `offset` (i32) bytes from where it begins.
  Value sharedBytesAt(Value offset);
  /// Takes bytes, aligned to 1024; they are free again when sharedTop is set back.
  int64_t takeShared(int64_t bytes);
  /// Says that so many bytes from sharedTop on are used.
  void useShared(int64_t bytes) { sharedBytes = std::max(sharedBytes, sharedTop + bytes); }
  /// 2^n neighbours in memory as they are held, in one access of at most 16 bytes.
  SmallVector<Value> loadVector(Type element, Value address, int64_t count);
  void storeVector(Type element, Value address, ArrayRef<Value> held);

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

  llvm::DenseMap<Value, Tile> tiles, settled;
  llvm::DenseMap<Value, std::shared_ptr<const TensorView>> views;
  mlir::LLVM::LLVMFuncOp function;
  int64_t sharedBytes = 0, localBytes = 0;
};

/// The globals of a program in the module of its kernels, before these.
void makeGlobals(cuda_tile::TileModuleOp program, mlir::gpu::GPUModuleOp module,
                 llvm::StringRef arch);

inline int64_t countOf(ArrayRef<int64_t> shape) {
  int64_t count = 1;
  for (int64_t extent : shape)
    count *= extent;
  return count;
}
inline int64_t countOf(Type tile) { return countOf(cuda_tile::shapeOf(tile)); }

} // namespace tessera::tile_lower
