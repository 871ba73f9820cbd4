// Watchdog: does something unless it is called off in time.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

namespace tessera::process {

using Seconds = std::chrono::duration<double>;

/// For calls that cannot be given a limit: host code, which may loop, and the driver's launch,
/// which waits where too many are queued. Calls `expired` on a thread of its own when `limit` has
/// passed, unless it is destroyed before.
class Watchdog {
public:
  Watchdog(Seconds limit, std::function<void()> expired);
  Watchdog(const Watchdog &) = delete;
  ~Watchdog();

private:
  std::mutex mutex;
  std::condition_variable changed;
  bool calledOff = false;
  std::thread thread; // after what it uses
};

} // namespace tessera::process
