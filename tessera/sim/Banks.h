// Banks: how often the banks of shared memory are asked by the lanes of one instruction.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/sim/Observer.h"
#include "tessera/sim/Statistics.h"

#include <vector>

namespace tessera::sim {

/// Gathers what the lanes of an instruction access.
class BankUse {
public:
  /// Takes what is an ordinary access of shared memory, and nothing else.
  void see(const MemoryAccess &);
  /// The passes of what was seen since the last call.
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
  std::vector<Word> words; // that the lanes served together want, each once
};

} // namespace tessera::sim
