// UnsetValues: follows values that nobody wrote between a warp's registers and memory.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Unset.h says what becomes of them in registers and what a use is. Each access class tells here
// what its loads and stores move, with the Written of the memory and the place in it.
#pragma once

#include "tessera/sanitize/WarpReports.h"

namespace tessera::sanitize {

class UnsetValues {
public:
  UnsetValues(const WatchedWarp &self, WarpReports &reports)
      : self(self), reports(reports), registers(self.w) {}

  /// A function begins in a frame: registers that it never writes have no value.
  void begin(const sim::Frame &frame, Mask lanes) { registers.begin(frame, lanes); }

  // Where a result means nothing else, it is false if there are reports enough.

  /// Before an instruction runs, or is skipped because of its guard.
  bool run(const Instruction &i, Mask active, Mask fragment) {
    element = 0;
    return registers.isIdle(i) || pass(i, active, fragment);
  }
  bool skip(const Instruction &i, Mask fragment) {
    return registers.isIdle(i) || pass(i, 0, fragment);
  }
  /// Whether there is nothing to follow at an instruction: then `store` need not be told of it.
  bool isIdle(const Instruction &i) const { return registers.isIdle(i); }

  /// An access uses what it reads: reports bytes that nobody wrote.
  bool isWritten(const Site &, const Written &, uint64_t first, Access, int lane);
  /// A load: records which bits were never written. Using them is an error.
  bool load(const Site &, const Written &, uint64_t first, const sim::MemoryAccess &);
  /// A store: the bytes of unset bits count as never written. In global memory, storing what was
  /// computed from them is a use, and storing a copy of them may be one.
  bool store(const sim::MemoryAccess &, Written &, uint64_t first);

  /// A cp.async of a lane has written here; what it reads is told next.
  void beginCopy(int lane, Written &written, uint64_t offset) {
    copy = {&self.w.instruction(), lane, &written, offset};
  }
  bool isCopying(int lane) const {
    return copy.instruction == &self.w.instruction() && copy.lane == lane;
  }
  void endCopy(const Written &from, uint64_t first, uint32_t bytes);

private:
  bool pass(const Instruction &, Mask active, Mask fragment);
  /// Some bytes of a store.
  bool store(const sim::MemoryAccess &, Written &, uint64_t first, uint32_t at, uint32_t bytes,
             UnsetBits);

  const WatchedWarp &self;
  WarpReports &reports;
  UnsetRegisters registers;
  size_t element = 0; // of a fragment: the next one that a wmma loads or stores
  struct Copy {
    const Instruction *instruction = nullptr;
    int lane = 0;
    Written *written = nullptr; // of the shared memory
    uint64_t offset = 0;
  };
  Copy copy;
};

} // namespace tessera::sanitize
