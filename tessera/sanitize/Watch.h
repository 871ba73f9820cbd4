// Watch: the sanitizer's observer of one warp, which hands its events to those who check them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A Watch accompanies each warp and is told of its events (sim/Observer.h). Each of its parts has
// one responsibility and knows only parts below it:
//
//   Watch             which event is for whom
//   SharedAccesses    accesses of shared memory, mbarriers, the end of a block
//   GlobalAccesses    accesses of global memory, its variables and the heap
//   LocalAccesses     accesses of local memory
//   TensorAccesses    accesses of tensor memory
//   GroupProducts     registers of wgmma
//   WarpgroupRegisters  setmaxnreg
//   EarlyAccesses     programmatic launches
//   RaceCheck         an access against the earlier ones of its bytes (Shadow.h)
//   TensorOrder       which tcgen05 instructions come before others
//   StrongAccesses    releases and acquires through memory
//   UnsetValues       values that nobody wrote (Unset.h), between registers and memory
//   WarpKnowledge     what the lanes know (Clocks.h), and how barriers and fences pass it on
//   WarpReports       the reports
//   WatchedWarp       which warp it is: its agents, their clocks, its launch and cluster (Launch.h)
//
// Of other warps of the cluster, WarpKnowledge and TensorOrder are asked what their lanes know.
//
// Work that continues after its instruction, such as bulk copies, cp.async, wgmma and tcgen05, is
// an agent of its own, whose end is known only after a wait.
#pragma once

#include "tessera/sanitize/GlobalAccesses.h"
#include "tessera/sanitize/GroupProducts.h"
#include "tessera/sanitize/LocalAccesses.h"
#include "tessera/sanitize/SharedAccesses.h"
#include "tessera/sanitize/TensorAccesses.h"
#include "tessera/sanitize/WarpgroupRegisters.h"

namespace tessera::sanitize {

class Watch : public sim::WarpObserver {
public:
  Watch(Launch &launch, const Warp &w) : self(launch, w) {
    for (const sim::Strand &kernel : w.parked()) // began before anybody looked on
      values.begin(*kernel.frame, kernel.lanes);
  }

  bool onExecute(const sim::Execute &) override;
  bool onSkip(const sim::Skip &) override;
  bool onAccess(const sim::MemoryAccess &) override;
  bool onWarpAccess(const sim::WarpAccess &) override;
  bool onSwap(const sim::Swap &) override;
  bool onProductRead(const sim::ProductRead &) override;
  bool onTensorAccess(const sim::TensorAccess &) override;
  bool onChange(const sim::MemoryChange &) override;
  bool onSynchronize(const sim::Synchronize &) override;
  bool onFence(const sim::Fence &) override;
  bool onWork(const sim::AsyncWork &) override;
  bool onEnd(const sim::End &) override;

private:
  bool begin(const sim::AsyncWork &);
  bool end(const sim::AsyncWork &);
  bool repeatsCopy(int lane);

  WatchedWarp self;
  WarpReports reports{self};
  WarpKnowledge knowledge{self};
  UnsetValues values{self, reports};
  StrongAccesses strong{self, knowledge};
  TensorOrder tensorOrder{self, knowledge};
  RaceCheck races{self, knowledge, reports};
  GroupProducts products{self, reports, knowledge};
  WarpgroupRegisters registers{self, reports};
  EarlyAccesses early{self, reports, knowledge};
  SharedAccesses shared{self, reports, knowledge, strong, races, values};
  GlobalAccesses global{self, reports, knowledge, strong, races, values, early};
  LocalAccesses local{reports, values};
  TensorAccesses tensor{self, reports, races, tensorOrder, values};
  Mask running = 0;               // the lanes of the instruction that runs
  bool repeats = false;           // the bulk copy that began last is that of a lane before it
  uint32_t copies[warpSize] = {}; // the number of each lane's latest one
};

} // namespace tessera::sanitize
