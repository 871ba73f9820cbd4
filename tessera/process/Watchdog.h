// Watchdog: calls a function unless it is stopped in time.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

namespace tessera::process {

using Seconds = std::chrono::duration<double>;

/// The longest limit of time that programs take.
inline constexpr double mostSeconds = 1e6;
/// Whether a program accepts this limit in seconds: 0 (no limit) to mostSeconds. NaN, which no
/// comparison refuses, is not a limit.
constexpr bool isLimit(double seconds) { return seconds >= 0 && seconds <= mostSeconds; }

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
