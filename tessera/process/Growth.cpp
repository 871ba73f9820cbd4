// A thread that looks at the clock and at the memory of its process.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/process/Growth.h"

#include <algorithm>
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <stop_token>
#include <unistd.h>

namespace tessera::process {

uint64_t memoryInUse() {
  // proc(5): pages of the program, and those of them that are in memory.
  unsigned long all = 0, resident = 0;
  if (FILE *file = std::fopen("/proc/self/statm", "re")) {
    if (std::fscanf(file, "%lu %lu", &all, &resident) != 2)
      resident = 0;
    std::fclose(file);
  }
  return uint64_t(resident) * uint64_t(sysconf(_SC_PAGESIZE));
}

Growth::Growth(Limits limits, Tell tell)
    : thread([limits, tell = std::move(tell)](const std::stop_token &calledOff) {
        constexpr Seconds between(0.25);
        const auto start = std::chrono::steady_clock::now();
        std::mutex mutex;
        std::unique_lock lock(mutex);
        std::condition_variable_any never;
        while (!calledOff.stop_requested()) {
          Seconds passed = std::chrono::steady_clock::now() - start;
          uint64_t bytes = memoryInUse();
          if (passed >= limits.seconds || bytes >= limits.bytes)
            return tell(passed, bytes);
          never.wait_for(lock, calledOff, std::min(between, limits.seconds - passed),
                         [] { return false; });
        }
      }) {}

} // namespace tessera::process
