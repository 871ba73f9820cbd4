// Statistics: counts of what a launch has run.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace tessera::sim {

/// The counts. The second half needs Limits::counts.
struct Statistics {
  struct Count {
    uint64_t warps = 0, threads = 0;
  };
  struct Traffic {
    uint64_t reads = 0, writes = 0; // bytes
  };
  /// Accesses of shared memory at a line: passes over the banks, and passes that would be enough
  /// without conflicts.
  struct Banks {
    uint64_t passes = 0, needed = 0;
    void add(const Banks &other) { passes += other.passes, needed += other.needed; }
  };

  std::string kernel; // its whole name; texts shorten it
  uint64_t warpInstructions = 0, threadInstructions = 0;
  std::map<std::string_view, Count> classes;   // by the title of the table of instructions
  std::map<std::string_view, Traffic> traffic; // by space
  std::map<int32_t, Banks> banks;              // by line
  uint64_t products = 0;                       // multiplications and additions of tensor cores

  void add(const Statistics &);
  /// For people, one count per line.
  std::string str() const;
};

} // namespace tessera::sim
