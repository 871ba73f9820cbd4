// A thread that waits to be called off.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/process/Watchdog.h"

namespace tessera::process {

Watchdog::Watchdog(Seconds limit, std::function<void()> expired)
    : thread([this, limit, expired = std::move(expired)] {
        std::unique_lock lock(mutex);
        if (!changed.wait_for(lock, limit, [this] { return calledOff; }))
          expired();
      }) {}

Watchdog::~Watchdog() {
  {
    std::lock_guard lock(mutex);
    calledOff = true;
  }
  changed.notify_one();
  thread.join();
}

} // namespace tessera::process
