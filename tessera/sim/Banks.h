// Banks: the bank conflicts of one instruction's lanes in shared memory.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/sim/Observer.h"
#include "tessera/sim/Statistics.h"

#include <vector>

namespace tessera::sim {

/// Collects the accesses of an instruction's lanes.
class BankUse {
public:
  /// Records an ordinary access of shared memory; ignores others.
  void see(const MemoryAccess &);
  /// The passes of the accesses since the last call.
  Statistics::Banks take();

private:
  struct Lane {
    uint64_t address;
    uint32_t bytes;
    int lane;
  };
  std::vector<Lane> accessed;
  struct Word {
    uint64_t number;
    uint32_t next; // of the same bank, or `none`
  };
  static constexpr uint32_t none = ~uint32_t(0);
  std::vector<Word> words; // accessed by the lanes served together, each once
};

} // namespace tessera::sim
