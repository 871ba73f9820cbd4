// Produced: loads that a warp of its own makes, by TMA, ahead of the threads that run the program.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// It comes after those that run the program, alone or with a whole warpgroup that takes few
// registers, so that the others have more.
//
// Each stage of the ring has two barriers in shared memory: full, whose phase ends when all bytes
// of a fill have come, and empty, whose phase ends when all warps of the others have read it. The
// ring goes on from loop to loop, so the warp may be in the next one already.
#pragma once

#include "tessera/tile_lower/Kernel.h"
#include "tessera/tile_lower/TensorMaps.h"

namespace tessera::tile_lower {

class Produced {
public:
  Produced(Kernel &k, const Producer &plan);

  /// Makes the barriers and all that the warp does; the place is then where the others go on.
  void begin(cuda_tile::EntryOp entry);
  /// By the others, before a loop.
  void startLoop();
  /// Until the next loads have come. Gives where they are, in bytes (i32).
  Value awaitLoads();
  /// Likewise of the next iteration, if there is one; else as of this one.
  Value awaitNextLoads(Value hasNext);
  /// Where the loads of this iteration are.
  Value base();
  /// Says that they have been read, or that leaveLoadsBefore() will say that, and goes on to the
  /// next stage.
  void leaveLoads(bool isLater);
  /// Says it of the loads of the iteration before, if there was one in this loop.
  void leaveLoadsBefore();
  /// After a loop.
  void endLoop(cuda_tile::ForOp loop);
  /// Takes back what begin() made outside of the kernel.
  void discard() { maps.discard(); }

private:
  void startRing(int64_t parity);
  Value barrierAt(int64_t first);
  void await(Value barrier);
  void await(Value barrier, Value itsParity);
  void arrive(Value barrier, Value condition);
  Value barrierAt(Value number, int64_t first);
  std::pair<Value, Value> next();
  void advance();
  void initialize();
  void walk(mlir::Block &block);
  void loadInto(const Pipeline &ring);
  void iterate(cuda_tile::ForOp loop, llvm::function_ref<void()> body);
  void drain();

  Kernel &k;
  const Producer &plan;
  TensorMaps maps;
  int64_t control = 0, ring = 0; // bytes from where shared memory begins
  Value stage, parity, before;   // variables; the last is the address of a barrier, or 0
};

} // namespace tessera::tile_lower
