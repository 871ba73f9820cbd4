// Kernel: an entry that is being made into a kernel, with what each thread holds of its tiles.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A tile block is a block of 128 or 256 threads that all run the same code. At level 0 each thread
// holds its elements of a tile as Tiles.h says. What a kernel needs comes in layers, each a class
// over the one before: Arithmetic.h, Code.h (instructions, control), BlockMemory.h (threads and
// memory), Tiles.h, and here the values of a program.
//
// With a plan (Plan.h) tiles are in registers in the layouts that it says. Ops that have no code of
// their own for them (Planned.h) are compiled as at level 0: their operands are brought into the
// simple layout before, and their results into the planned one after.
#pragma once

#include "tessera/cuda_tile/CudaTile.h"
#include "tessera/tile_lower/Diagnostics.h"
#include "tessera/tile_lower/Plan.h"
#include "tessera/tile_lower/Tiles.h"

#include <functional>
#include <memory>

namespace tessera::tile_lower {

using llvm::LogicalResult;
using mlir::Operation;

/// A tile that a load left in shared memory.
struct StagedTile {
  const Staging *staging;
  Value base; // bytes from where the shared memory of the kernel begins, i32
};

/// All as i64: an address, and extents and strides in elements.
struct TensorView {
  Value base;
  SmallVector<Value> shape, strides;
};

/// A block of the program whose end goes somewhere: a loop or an `if`.
struct BranchTarget {
  mlir::Block *block = nullptr;
  std::vector<ThreadTile>
      values; // their registers are the block's arguments, arrays are written to
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
  /// The loads that a warp of its own makes; null where there is none.
  std::unique_ptr<Produced> produced;
  std::vector<BranchTargets> frames;

  /// Whether the target has programmatic dependent launch (PTX ISA 9.0, 9.7.13.13).
  bool hasDependentLaunch() const;

  /// Makes the kernel of an entry, at level 0 or with a plan.
  LogicalResult lower(cuda_tile::EntryOp entry, int level);
  /// Takes back what was made of an entry.
  void discard();
  /// The name of the kernel, for what belongs to it in the module.
  llvm::StringRef name() { return function.getSymName(); }
  /// All ops of a block, its terminator too. Elsewhere than in a kernel: of nothing.
  LogicalResult lowerBlock(mlir::Block &block);

  //===--- Values of the program

  /// As level 0 has it: with a plan only what `settle` has brought into that form.
  const ThreadTile &tile(Value value) const {
    auto found = settled.find(value);
    return found != settled.end() ? found->second : tiles.find(value)->second;
  }
  /// As it is held.
  const ThreadTile &held(Value value) const { return tiles.find(value)->second; }
  const TensorView &view(Value value) const { return *views.find(value)->second; }
  /// The one value of a scalar.
  Value scalar(Value value) const { return held(value).registers[0]; }
  void define(Value value, ThreadTile tile) { tiles[value] = std::move(tile); }
  void define(Value value, std::shared_ptr<const TensorView> view) {
    views[value] = std::move(view);
  }
  void alias(Value value, Value of);

  //===--- Forms of values, with a plan

  using Tiles::newTile;
  ThreadTile newTile(Type tileType);
  /// Such a tile in the form in which a value of the program is held.
  ThreadTile newTileFor(Value value);
  using Tiles::inLayout;
  /// A value in a layout; what costs nothing to make is made again.
  ThreadTile inLayout(Value value, const BitLayout &layout);
  /// Brings operands into the form of level 0, and results into that of the plan.
  void settle(Operation *op);
  void adopt(Operation *op);
  /// A value as the plan has it; null layouts leave it.
  ThreadTile asPlanned(Value value, const ThreadTile &tile);
  llvm::DenseMap<Operation *, StagedTile> staged; // by load
  /// Where a loop keeps what its products have written again, by product.
  llvm::DenseMap<Operation *, int64_t> remaking;
  /// What is done while a warpgroup's product goes on, by product.
  llvm::DenseMap<Operation *, std::function<void()>> meanwhile;
  /// What is done when the last product before a warpgroup's product is done, by product, which
  /// itself is awaited later.
  llvm::DenseMap<Operation *, std::function<void()>> inFlight;
  /// Registers of products that are done already, by product.
  llvm::DenseMap<Operation *, SmallVector<Value>> begun;

private:
  llvm::DenseMap<Value, ThreadTile> tiles, settled;
  llvm::DenseMap<Value, std::shared_ptr<const TensorView>> views;
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
