// Pipeline: a ring of stages in shared memory that TMA fills and warps empty.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each stage has two barriers: a phase of `full` ends when the bytes of a fill have come, a phase
// of `empty` when all readers are done. Fill number f goes to stage f % stages. Its producer waits
// for the end of phase f / stages - 1 of `empty`, its consumers for the end of phase f / stages of
// `full`. Waits use only the parities of the phases: a producer begins with parity 1, because for a
// new barrier the phase before the first counts as ended; consumers begin with 0.
#pragma once

#include "tessera/dsl/SharedMemory.h"

#include <tuple>

namespace tessera::dsl {

/// Where a producer or consumer is in a ring: the stage, and the parity that it waits for next.
struct Stage {
  Num index, parity;

  auto members() { return std::tie(index, parity); }
  /// The next place in a ring of `stages` stages.
  Stage next(int stages, Place = Place::current()) const;
};

class Pipeline {
public:
  Pipeline() = default;
  Pipeline(int stages, Barriers full, Barriers empty)
      : stages(stages), fullBarriers(full), emptyBarriers(empty) {}

  /// Called by one thread, with mbarrier_init_fence after it. `consumerArrivals` arrivals empty a
  /// stage, `producerArrivals` fill it: one if TMA fills it, the arrival that announces the bytes.
  void init(int64_t consumerArrivals, int64_t producerArrivals = 1, Place = Place::current()) const;

  static Stage producerStart(Place = Place::current());
  static Stage consumerStart(Place = Place::current());
  Stage next(const Stage &stage, Place at = Place::current()) const {
    return stage.next(stages, at);
  }

  /// Called by the producer's warp: waits until the stage is empty, and announces `bytes` bytes.
  /// The result is the barrier for the loads.
  Barrier acquire(const Stage &, int64_t bytes, Place = Place::current()) const;
  /// Called by consumers: waits until the stage is full.
  void wait(const Stage &, Place = Place::current()) const;
  Barrier full(Index stage) const { return fullBarriers[stage]; }
  /// The barrier at which consumers arrive when they have read the stage.
  Barrier empty(Index stage) const { return emptyBarriers[stage]; }

private:
  int stages = 0;
  Barriers fullBarriers, emptyBarriers;
};

/// One lane of a warp announces bytes.
void expect_bytes(Barrier, int64_t bytes, Place = Place::current());

} // namespace tessera::dsl
