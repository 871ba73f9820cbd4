// LaunchWaiter: launches that may not have finished, and waiting for them with a limit.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/run/Device.h"

#include <chrono>
#include <deque>
#include <mutex>
#include <string>

namespace tessera::jit {

using Seconds = std::chrono::duration<double>;

/// Waits by polling, since the driver's own wait never ends if a kernel does not end.
class LaunchWaiter {
public:
  /// The device must outlive the log.
  explicit LaunchWaiter(run::Device &device) : device(device) {}

  /// Whether each launch gets an event, which tells launches apart that have finished; at first
  /// none does. An event takes the GPU about a microsecond, so that measurements do without.
  void useEvents(bool use) { events = use; }

  /// Records that the device accepted a launch of `@module::@kernel`. The names must live as long
  /// as the log. This costs almost nothing, since launches are measured.
  run::Status note(const char *module, const char *kernel, const run::LaunchConfig &);

  /// Waits for all work on the device and reports its failures. Fails with the row LaunchUnfinished
  /// after `limit`. After that, do not call anything that waits for the device; releasing its
  /// memory does.
  run::Status wait(Seconds limit);
  /// Waits up to an event that was recorded.
  run::Status wait(run::EventId, Seconds limit);

  /// "kernel @m::@k, grid (8, 1, 1), block ..."; empty before the first launch. Any thread may call
  /// it.
  std::string last() const;

private:
  struct Launch {
    const char *module, *kernel;
    run::LaunchConfig config;
    std::optional<run::EventId> event;

    std::string str() const;
  };
  Result<run::EventId> makeEvent();
  run::Status dropFinished();
  Reason unfinished(Seconds limit);

  run::Device &device;
  bool events = false;
  std::deque<Launch> pending;
  std::vector<run::EventId> spare;
  std::optional<run::EventId> end;
  std::optional<Launch> latest;
  mutable std::mutex mutex; // of latest
};

} // namespace tessera::jit
