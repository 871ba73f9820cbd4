// Growth: tells of work that takes long, or much memory, before it takes too much.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/process/Watchdog.h"

#include <cstdint>
#include <functional>
#include <thread>

namespace tessera::process {

/// Bytes of memory that this process has in use; 0 where the system does not say.
uint64_t memoryInUse();

/// Calls `tell` once, on a thread of its own, when the work has taken `seconds` or the process has
/// `bytes` of memory in use, unless it is destroyed before.
class Growth {
public:
  struct Limits {
    Seconds seconds;
    uint64_t bytes;
  };
  using Tell = std::function<void(Seconds, uint64_t bytes)>;

  Growth(Limits, Tell);

private:
  std::jthread thread; // ends when it is destroyed
};

} // namespace tessera::process
