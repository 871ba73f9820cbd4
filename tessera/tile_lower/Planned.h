// Planned: how ops on tiles in the layouts of a plan are compiled.
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

/// The tables, one per file.
ArrayRef<PlannedRow> plannedShapeRows();     // PlannedShapes.cpp
ArrayRef<PlannedRow> plannedMemoryRows();    // PlannedAccess.cpp
ArrayRef<PlannedRow> plannedReductionRows(); // PlannedReductions.cpp
ArrayRef<PlannedRow> plannedProductRows();   // PlannedProducts.cpp
ArrayRef<PlannedRow> plannedQuotientRows();  // Quotients.cpp
ArrayRef<PlannedRow> plannedOnceRows();      // Once.cpp

/// Copies the tile of a staged load to shared memory, `base` bytes (i32) after its beginning. The
/// data of cp.async has arrived when its group has been waited for. If the condition (i1) is false,
/// zeros are written, without a branch.
void copyStaged(Kernel &k, const Staging &staging, Value base, Value condition = {});
/// The elements of a staged tile that each thread has copied itself, `base` bytes (i32) after the
/// beginning of shared memory.
ThreadTile ownElements(Kernel &k, const Staging &staging, Value base);
/// Makes arrived data visible to all threads, and to products that read it by the async proxy.
void showStaged(Kernel &k);

/// A product by fused multiply-adds; nothing if a tile of it is not in registers.
std::optional<LogicalResult> multiplyFused(Kernel &k, Operation *op);

/// Begins a warpgroup's product whose accumulator starts at zero, without waiting for it. Returns
/// the registers of the accumulator.
SmallVector<Value> beginProduct(Kernel &k, Operation *op);
/// Waits for all products of the warpgroup but the last `left`; `sums` are the registers of one
/// that is done then.
void awaitProducts(Kernel &k, llvm::MutableArrayRef<Value> sums, int left = 0);

/// Rewrites B of a product in shared memory and makes it visible to all. Returns its offset in
/// bytes (i32).
Value remade(Kernel &k, const Product &product, Operation *op);

/// The loads of a loop that run ahead in a ring of buffers, and the products that run ahead.
class Pipelined {
public:
  Pipelined(Kernel &k, cuda_tile::ForOp loop, const Pipeline &pipeline);

  /// Whether the end of an iteration must say if another one follows, instead of the loop's head.
  bool knowsNext() const { return pipeline.carried || pipeline.early; }
  /// Types of the values that an iteration passes to the next.
  SmallVector<Type> passedTypes() const;

  /// Before the loop: begins the loads of the first iterations.
  void start();
  /// The values that the first iteration gets. With knowsNext(), there must be a first iteration.
  SmallVector<Value> enter();
  /// At the beginning of an iteration: waits for its loads, and begins those of a later one, now or
  /// during a product. `hasNext` only with knowsNext().
  void step(Value number, ValueRange passed, Value hasNext);
  /// At the end of an iteration; returns the values for the next one.
  SmallVector<Value> leave(ValueRange passed);
  /// After the loop. `values` are those that the loop carries.
  void finish(std::vector<ThreadTile> &values);

private:
  void issue(Value number, Value stage, Value condition = {});
  void stageLoads(Value first);
  void setNumber(Value number);
  std::pair<Value, Value> ahead(int64_t iterations);
  void await(int64_t groups);
  void leaveInFlight();
  void beginByThreads();
  void beginEarly();
  size_t carriedNumber();

  Kernel &k;
  cuda_tile::ForOp loop;
  const Pipeline &pipeline;
  int64_t ring = 0, topBefore = 0;
  Value hasNext;            // whether another iteration follows
  SmallVector<Value> early; // registers of the next iteration's product
};

} // namespace tessera::tile_lower
