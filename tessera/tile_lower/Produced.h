// Produced: TMA loads by a separate warp, ahead of the threads that run the program.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The warp comes after the threads that run the program, alone or as part of a warpgroup with few
// registers, so that those threads can have more.
//
// Each stage of the ring has two barriers in shared memory. A phase of `full` ends when all bytes
// of a fill have come, a phase of `empty` when all warps that run the program have read the stage.
// Loads for a product that begins an iteration early may have two of their own: they are awaited
// first, and free again first.
// The ring continues from loop to loop, so the separate warp may already be in the next loop.
#pragma once

#include "tessera/tile_lower/Kernel.h"
#include "tessera/tile_lower/TensorMaps.h"

namespace tessera::tile_lower {

class Produced {
public:
  Produced(Kernel &k, const Producer &plan);

  /// Makes the barriers and all code of the separate warp; code of the other threads comes next.
  void begin(cuda_tile::EntryOp entry);
  /// Before a loop, by the threads that run the program.
  void startLoop();
  /// How many iterations of a loop get their tiles from all threads, by cp.async, while the
  /// separate warp makes its tensor maps. For those threads: where the ring begins in shared
  /// memory, and the bytes of a stage.
  int64_t begunIn(Operation *loop) const { return loop == first ? begunIterations : 0; }
  int64_t ringAt() const { return ring; }
  int64_t stageBytes() const { return plan.bytes; }
  /// Called by all threads once they see what is in a stage: says so, if the condition holds.
  void haveLoaded(int64_t stage, Value condition);
  /// Waits for this iteration's loads: those of the early product, or the others, or all. Returns
  /// their offset in bytes (i32).
  Value awaitEarlyLoads();
  Value awaitLoads();
  /// Waits for the early product's loads of the next iteration, if there is one; else of this one.
  Value awaitNextLoads(Value hasNext);
  /// Signals that the early product's loads of this iteration have been read, unless it is the last
  /// one, in which it reads them again.
  void leaveEarlyLoads(Value hasNext);
  /// Signals it after the last iteration.
  void leaveLastEarlyLoads();
  /// The offset of this iteration's loads.
  Value base();
  /// Signals that this iteration's loads have been read (if `isLater`, leaveLoadsBefore() will
  /// signal it), and moves on to the next stage.
  void leaveLoads(bool isLater);
  /// Signals it for the previous iteration, if this loop had one.
  void leaveLoadsBefore();
  /// After a loop.
  void endLoop(cuda_tile::ForOp loop);
  /// Undoes what begin() made outside of the kernel.
  void discard() { maps.discard(); }

private:
  enum Barrier {
    Full,
    Empty,
    EarlyFull,
    EarlyEmpty
  };
  Barrier early(Barrier barrier) const;
  void startRing(int64_t parity);
  Value barrierAt(Barrier which);
  void await(Value barrier);
  void await(Value barrier, Value itsParity);
  void arrive(Value barrier, Value condition);
  Value barrierAt(Value number, Barrier which);
  std::pair<Value, Value> next();
  void advance();
  void initialize();
  void chooseBegun(cuda_tile::EntryOp entry);
  void walk(mlir::Block &block);
  void loadInto(const Pipeline &ring);
  void loadUnlessBegun(const Pipeline &ring);
  void iterate(cuda_tile::ForOp loop, llvm::function_ref<void()> body);
  void drain();

  Kernel &k;
  const Producer &plan;
  TensorMaps maps;
  int64_t control = 0, ring = 0; // offsets in bytes within shared memory
  Value stage, parity;           // variables
  Operation *first = nullptr;    // a loop that all threads begin
  int64_t begunIterations = 0;   // of it
  Value begun;                   // variable: those that are left
  Value before, lastEarly;       // addresses of barriers; the first may be 0
};

} // namespace tessera::tile_lower
