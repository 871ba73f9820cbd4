// Idling: what a warp does that seems to wait for others in a loop.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Such a loop reads a number again and again: a flag, a lock, the phase of an mbarrier. While all
// warps of a grid poll or are parked, they are looked at, each instruction. If a warp has changed
// no memory and read no clock, and its registers are as they were, it goes round forever, unless
// the number changes; if that is so of all, nobody changes it. No count of turns would prove that:
// a loop may give up after a million of them.
#pragma once

#include "tessera/sim/Instruction.h"
#include "tessera/sim/Memory.h"

#include <vector>

namespace tessera::sim {

struct Frame;

/// The last number that lanes have polled at an instruction.
struct Poll {
  const Frame *frame = nullptr;
  uint32_t pc = 0;
  Mask lanes = 0;
  uint64_t address = 0, value = 0;
};

class Idling {
public:
  /// Called before and after an instruction.
  void before(Warp &, const Instruction &, Mask active);
  void after(Warp &, const Instruction &, Mask active, Flow);
  void polled(const Poll &);
  /// The latest poll by one of these lanes of a frame, or null.
  const Poll *pollOf(const Frame *, Mask) const;

  /// Whether anything but registers has changed, or may have, since this was last set to false.
  bool moved = false;
  /// Whether it reads memory to which the host may write.
  bool readsHost = false;

private:
  std::vector<Poll> polls; // of different places, the latest last
  std::vector<std::byte> bytes;
};

/// Who of a launch waits, for the end that nobody will go on. Workers are the host's threads.
struct Standstill {
  unsigned workers = 0; // that have not ended
  unsigned idle = 0;    // whose clusters all idle
  unsigned sure = 0;    // that have looked for long enough since anything changed
  uint64_t changes = 0; // numbers what changes
};

} // namespace tessera::sim
