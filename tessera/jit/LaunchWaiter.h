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

/// Waits by asking again and again, as the driver's own waiting has no end where a kernel has none.
class LaunchWaiter {
public:
  /// The device must outlive the log.
  explicit LaunchWaiter(run::Device &device) : device(device) {}

  /// Whether each launch gets an event, which tells launches apart that have finished; at first
  /// none does. An event takes the GPU about a microsecond, so that measurements do without.
  void useEvents(bool use) { events = use; }

  /// Notes that the device took a launch of `@module::@kernel`. The names have to live as long as
  /// the log. It costs next to nothing, as launches are measured.
  run::Status note(const char *module, const char *kernel, const run::LaunchConfig &);

  /// Waits for all work on the device and reports what failed in it. Fails with the row
  /// LaunchUnfinished after `limit`; then nothing that waits for the device may be called any more,
  /// which releasing its memory does.
  run::Status wait(Seconds limit);
  /// The same up to an event that was recorded.
  run::Status wait(run::EventId, Seconds limit);

  /// "kernel @m::@k, grid (8, 1, 1), block ..."; empty before the first. Any thread may ask.
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
