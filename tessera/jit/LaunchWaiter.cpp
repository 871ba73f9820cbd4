// Waits for launches with a time limit, and names the one that did not end.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/jit/LaunchWaiter.h"

#include "tessera/jit/Errors.h"

#include <thread>

namespace tessera::jit {

using Clock = std::chrono::steady_clock;

namespace {

/// How many pending launches are kept to name the one that does not end. Host code that reaches
/// this limit has not waited for any of them; later launches are not kept.
constexpr size_t pendingAtMost = 1024;

/// Waiting for short kernels spins, so that they are not held up; waiting for long ones sleeps, so
/// that it does not occupy a core.
void pause(Clock::duration waited) {
  using namespace std::chrono_literals;
  if (waited > 10ms)
    std::this_thread::sleep_for(waited > 1s ? 2ms : 100us);
}

} // namespace

Result<run::EventId> LaunchWaiter::makeEvent() {
  if (spare.empty())
    return device.createEvent();
  run::EventId event = spare.back();
  spare.pop_back();
  return event;
}

run::Status LaunchWaiter::dropFinished() {
  while (!pending.empty() && pending.front().event) {
    TESSERA_TRY(bool finished, device.finished(*pending.front().event));
    if (!finished)
      break;
    spare.push_back(*pending.front().event);
    pending.pop_front();
  }
  return run::Done{};
}

std::string LaunchWaiter::Launch::str() const {
  return cat("kernel @", module, "::@", kernel, ", grid ", run::str(config.grid), ", block ",
             run::str(config.block), ", cluster ",
             config.cluster ? run::str(*config.cluster) : "none", ", ", config.dynamicSharedBytes,
             " bytes of dynamic shared memory");
}

run::Status LaunchWaiter::note(const char *module, const char *kernel,
                               const run::LaunchConfig &config) {
  Launch launch = {module, kernel, config, std::nullopt};
  {
    std::lock_guard lock(mutex);
    latest = launch;
  }
  if (pending.size() >= pendingAtMost)
    TESSERA_CHECK(dropFinished());
  if (pending.size() >= pendingAtMost)
    return run::Done{};
  if (events) {
    TESSERA_TRY(launch.event, makeEvent());
    TESSERA_CHECK(device.record(*launch.event, config.stream));
  }
  pending.push_back(launch);
  return run::Done{};
}

std::string LaunchWaiter::last() const {
  std::lock_guard lock(mutex);
  return latest ? latest->str() : "";
}

Reason LaunchWaiter::unfinished(Seconds limit) {
  // An event that cannot be queried any more has not finished either.
  (void)dropFinished();
  std::string seconds = run::decimal(limit.count());
  if (pending.empty())
    return fail(Error::LaunchUnfinished, "work on the device", seconds, "");
  size_t others = pending.size() - 1;
  return fail(Error::LaunchUnfinished, pending.front().str(), seconds,
              others == 0 ? "" : cat("; ", others, " launches wait after it"));
}

run::Status LaunchWaiter::wait(run::EventId event, Seconds limit) {
  auto start = Clock::now();
  while (true) {
    TESSERA_TRY(bool finished, device.finished(event));
    if (finished)
      break;
    auto waited = Clock::now() - start;
    if (waited >= limit)
      return unfinished(limit);
    pause(waited);
  }
  for (const Launch &launch : pending)
    if (launch.event)
      spare.push_back(*launch.event);
  pending.clear();
  return run::Done{};
}

run::Status LaunchWaiter::wait(Seconds limit) {
  if (!end) {
    TESSERA_TRY(end, device.createEvent());
  }
  // The default stream waits for the others.
  TESSERA_CHECK(device.record(*end));
  TESSERA_CHECK(wait(*end, limit));
  return device.synchronize();
}

} // namespace tessera::jit
