// Planned: how ops are compiled where tiles have the layouts of a plan.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/tile_lower/Access.h"
#include "tessera/tile_lower/Rows.h"

#include <optional>

namespace tessera::tile_lower {

/// Nothing where the op has to be compiled as at level 0.
using mlir::ValueRange;
using PlannedCode = std::optional<LogicalResult> (*)(Kernel &, Operation *);
struct PlannedRow {
  llvm::StringLiteral op; // without the dialect
  PlannedCode code;
};
const PlannedRow *plannedRowOf(Operation *);

/// The tables, one of a file.
ArrayRef<PlannedRow> plannedShapeRows();     // PlannedShapes.cpp
ArrayRef<PlannedRow> plannedMemoryRows();    // PlannedAccess.cpp
ArrayRef<PlannedRow> plannedReductionRows(); // PlannedReductions.cpp
ArrayRef<PlannedRow> plannedProductRows();   // PlannedProducts.cpp

/// Copies the tile of a staged load to shared memory, `base` bytes (i32) from where it begins. What
/// cp.async moves has arrived when its group has been waited for. Where a condition (i1) does not
/// hold it leaves zeros, without a branch.
void copyStaged(Kernel &k, const Staging &staging, Value base, Value condition = {});
/// Shows what has arrived to all threads, and to products that read it by themselves.
void showStaged(Kernel &k);

/// Begins a warpgroup's product whose sums begin with zero, without waiting for it; gives the
/// registers of its sums.
SmallVector<Value> beginProduct(Kernel &k, Operation *op);
/// Waits for all products of the warpgroup, of which one gives these registers.
void awaitProducts(Kernel &k, llvm::MutableArrayRef<Value> sums);

/// Writes B of a product to shared memory again, and shows it to all; gives where it begins, in
/// bytes (i32).
Value remade(Kernel &k, const Product &product, Operation *op);

/// The loads of a loop that run ahead of it, in a ring of buffers, and its products that do.
class Pipelined {
public:
  Pipelined(Kernel &k, cuda_tile::ForOp loop, const Pipeline &pipeline);

  /// Whether the end of an iteration has to say if another one comes, not the head of the loop.
  bool knowsNext() const { return pipeline.carried || pipeline.early; }
  /// What an iteration gets from the one before.
  SmallVector<Type> passedTypes() const;

  /// Before the loop: the loads of the first iterations.
  void start();
  /// What the first iteration gets; with knowsNext(), where it is sure that there is one.
  SmallVector<Value> enter();
  /// At the begin of an iteration: its loads have arrived, those of a later one begin, now or
  /// during a product. `hasNext` only with knowsNext().
  void step(Value number, ValueRange passed, Value hasNext);
  /// At its end; gives what the next one gets.
  SmallVector<Value> leave(ValueRange passed);
  /// After the loop. `values` are what it carries.
  void finish(std::vector<ThreadTile> &values);

private:
  void issue(Value number, Value stage, Value condition = {});
  void stageLoads(Value first);
  void setNumber(Value number);
  void await(int64_t groups);

  Kernel &k;
  cuda_tile::ForOp loop;
  const Pipeline &pipeline;
  int64_t ring = 0, topBefore = 0;
  SmallVector<Value> early; // registers of the next iteration's product
};

} // namespace tessera::tile_lower
