// Kernel: an entry on its way to a kernel, and the elements of its tiles that each thread holds.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A tile block is a block of 128 or 256 threads that all run the same code. At level 0 each thread
// holds its elements of a tile as Tiles.h describes. The parts of a kernel come in layers, each a
// class derived from the one before: Arithmetic.h, Code.h (instructions, control), BlockMemory.h
// (threads and memory), Tiles.h, and here the values of a program.
//
// With a plan (Plan.h) tiles are in registers in the layouts of the plan. Ops without code for
// these layouts (Planned.h) are compiled as at level 0: their operands are converted to the simple
// layout before, and their results to the planned layout after.
#pragma once

#include "tessera/cuda_tile/CudaTile.h"
#include "tessera/tile_lower/Diagnostics.h"
#include "tessera/tile_lower/Kept.h"
#include "tessera/tile_lower/Plan.h"
#include "tessera/tile_lower/Runs.h"
#include "tessera/tile_lower/Tiles.h"

#include <functional>
#include <memory>

namespace tessera::tile_lower {

using llvm::LogicalResult;
using mlir::Operation;

/// A tile that a load left in shared memory.
struct StagedTile {
  const Staging *staging;
  Value base; // offset in bytes (i32) from the beginning of the kernel's shared memory
};

/// All members are i64: an address, and extents and strides in elements.
struct TensorView {
  Value base;
  SmallVector<Value> shape, strides;
};

/// Where the end of a block of the program jumps to: that of a loop or an `if`.
struct BranchTarget {
  mlir::Block *block = nullptr;
  std::vector<ThreadTile> values; // registers are the block's arguments; arrays are written to
};
struct BranchTargets {
  BranchTarget yield, next, end; // where yield, continue and break go
};

class Produced;

class Kernel : public Tiles {
public:
  static constexpr int64_t mostElements = 131072; // of a tile
  static constexpr int64_t mostLocal = 512 << 10; // bytes

  Kernel(mlir::gpu::GPUModuleOp module, llvm::StringRef arch);
  ~Kernel();

  /// Null at level 0.
  std::unique_ptr<const Plan> plan;
  /// The loads that a separate warp makes; null if there is none.
  std::unique_ptr<Produced> produced;
  Runs runs; // of the tiles of the program
  std::vector<BranchTargets> frames;
  /// Tiles that loops share, and where those that are copied already begin in shared memory.
  std::vector<KeptTiles> kept;
  llvm::DenseMap<const KeptTiles *, int64_t> keptAt;
  bool isOnce = false; // the code that is made is a version of loops that run once
  /// Sums with +0 there, each with its other operand.
  llvm::DenseMap<Operation *, Value> addedToZero;

  /// Whether the target has programmatic dependent launch (PTX ISA 9.0, 9.7.13.13).
  bool hasDependentLaunch() const { return hasInstruction("griddepcontrol.wait"); }

  /// Makes the kernel of an entry, at level 0 or with a plan.
  LogicalResult lower(cuda_tile::EntryOp entry, int level);
  /// Undoes everything that was made for an entry.
  void discard();
  /// The name of the kernel; names in the module that belong to it are built from it.
  llvm::StringRef name() { return function.getSymName(); }
  /// Lowers all ops of a block, also its terminator.
  LogicalResult lowerBlock(mlir::Block &block);
  LogicalResult lowerOne(Operation &op);

  //===--- Values of the program

  /// The form of level 0. With a plan it exists only for values that `settle` converted.
  const ThreadTile &tile(Value value) const {
    auto found = settled.find(value);
    return found != settled.end() ? found->second : tiles.find(value)->second;
  }
  /// The form in which the value is held.
  const ThreadTile &held(Value value) const { return tiles.find(value)->second; }
  const TensorView &view(Value value) const { return *views.find(value)->second; }
  /// The one value of a scalar.
  Value scalar(Value value) const { return held(value).registers[0]; }
  void define(Value value, ThreadTile tile);
  void define(Value value, std::shared_ptr<const TensorView> view) {
    views[value] = std::move(view);
  }
  void alias(Value value, Value of);

  //===--- Forms of values, with a plan

  using Tiles::newTile;
  ThreadTile newTile(Type tileType);
  /// A new tile in the form in which a value of the program is held.
  ThreadTile newTileFor(Value value);
  using Tiles::inLayout;
  /// A value in a layout. A value that costs nothing to make is made again instead of converted.
  ThreadTile inLayout(Value value, const BitLayout &layout);
  /// Converts operands to the form of level 0, and results to the planned form.
  void settle(Operation *op);
  void adopt(Operation *op);
  /// A tile in the planned layout of a value; unchanged if that layout is null.
  ThreadTile asPlanned(Value value, const ThreadTile &tile);
  llvm::DenseMap<Operation *, StagedTile> staged; // by load
  /// Where a loop keeps the rewritten operands of its products, by product.
  llvm::DenseMap<Operation *, int64_t> remaking;
  /// Work to do while a warpgroup's product is in flight, by product.
  llvm::DenseMap<Operation *, std::function<void()>> meanwhile;
  /// Code to make before and after that of an op of the program, in this order.
  llvm::DenseMap<Operation *, std::vector<std::function<void()>>> before, after;
  /// Products whose own code does not wait for them.
  llvm::DenseSet<Operation *> leftInFlight;
  /// The registers of products that have begun already, by product.
  llvm::DenseMap<Operation *, SmallVector<Value>> begun;

private:
  bool hasInstruction(llvm::StringRef mnemonic) const;
  /// Gives arrays back that tiles got since there were `first`, and that no value has which is read
  /// after the op.
  void giveBackAfter(Operation *op, size_t first);

  llvm::DenseMap<Value, ThreadTile> tiles, settled;
  llvm::DenseMap<Value, SmallVector<Value, 2>> valuesIn; // by array
  llvm::DenseMap<Value, std::shared_ptr<const TensorView>> views;
};

/// The name of a global of a program in the module of its kernels. Names with a period are the
/// compiler's own: no kernel has one (verifyName in Passes.cpp), and LLVM writes it as `_$_`.
std::string nameOfGlobal(llvm::StringRef name);
/// Makes the globals of a program in the module of its kernels, before the kernels.
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
