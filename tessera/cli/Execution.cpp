// Loading, calling, waiting, timing.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cli/Execution.h"

#include "tessera/jit/Errors.h"
#include "tessera/process/Deadline.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdio>

using namespace tessera;
using namespace tessera::cli;
using Unit = Execution::Unit;

void tessera::cli::addLoweringOptions(CLI::App &command, driver::LoweringChoices &choices) {
  command.add_flag("--check-layout-assumptions", choices.checkLayoutAssumptions,
                   "assert at run time what the layout algebra assumes of dynamic sizes "
                   "(divisibility, no overflow)");
  command.add_flag("--hold-back-loads", choices.holdBackLoads,
                   "keep two TMA loads fewer in flight than a ring of buffers has room for: some "
                   "kernels gain, so try both");
  command.add_flag("!--no-line-info", choices.lineInfo,
                   "do not say in the code which lines of the source it comes from");
}

void Execution::begin() {
  if (!device)
    return;
  runtime = std::make_unique<jit::Runtime>(*device);
  runtime->log().useEvents(timeout > 0);
}

Result<program::Loaded> Execution::load(const program::DeviceImage &image) {
  TESSERA_TRY(program::Loaded loaded, program::load(*device, image));
  for (run::Kernel &kernel : loaded.kernels)
    runtime->add(image.module, kernel.info.name, kernel);
  return std::move(loaded);
}

Result<Unit> Execution::load(RunCode &code, Session &session,
                             const std::vector<driver::KernelSource> &kernels) {
  begin();
  for (const program::DeviceImage &image : code.images) {
    TESSERA_TRY(program::Loaded loaded, load(image));
    warnAbout(session.compiler.context(), kernels,
              loaded.wasCompiled ? loaded.module.log : image.log);
  }
  host.emplace(std::move(code.host));
  return Unit{};
}

Result<Unit> Execution::load(const std::vector<program::DeviceImage> &images) {
  begin();
  for (const program::DeviceImage &image : images)
    TESSERA_CHECK(load(image));
  return Unit{};
}

Execution::Work Execution::calling(const std::string &entry, std::vector<void *> values) {
  auto queue = [this, entry, values = std::move(values)]() -> Result<Unit> {
    std::optional<jit::CurrentRuntime> current;
    if (runtime)
      current.emplace(*runtime);
    TESSERA_TRY(int32_t result, host->call(entry, values));
    if (runtime && !runtime->errors().empty())
      return runtime->errors().front();
    if (result != 0)
      return Reason{"EntryFailed", cat(entry, " returned ", result, ", expected 0")};
    return Unit{};
  };
  return {cat("the host function '", entry, "'"), std::move(queue)};
}

Execution::Work Execution::launching(const std::string &module, const std::string &kernel,
                                     run::LaunchConfig config, std::vector<void *> values) {
  auto queue = [this, &module, &kernel, config, values = std::move(values)]() -> Result<Unit> {
    if (runtime->launch(module.c_str(), kernel.c_str(), config, values))
      return runtime->errors().front();
    return Unit{};
  };
  return {cat("kernel '", kernel, "'"), std::move(queue)};
}

Result<Unit> Execution::call(const Work &work) { return limited(work); }

/// Does work, and waits for the device: for all of it or, if the work succeeds, for an event.
Result<Unit> Execution::limited(const Work &work, std::optional<run::EventId> end) {
  std::optional<process::Watchdog> watchdog;
  if (timeout > 0)
    watchdog.emplace(process::Seconds(timeout), [&] { hostIsLate(work.name); });
  Result<Unit> done = work.queue();
  watchdog.reset();
  // Also where the work failed: what it launched before has to end before anything is released.
  if (runtime)
    if (run::Status status = finish(done ? end : std::nullopt); done && !status)
      return status.reason();
  return done;
}

/// Waits for the device; leaves the process when that takes too long.
run::Status Execution::finish(std::optional<run::EventId> event) {
  if (timeout == 0)
    return event ? run::Done{} : device->synchronize();
  process::Seconds limit(timeout);
  run::Status status = event ? runtime->log().wait(*event, limit) : runtime->log().wait(limit);
  if (!status && status.reason().id == jit::errors[size_t(jit::Error::LaunchUnfinished)].id)
    process::leaveLate(status.reason().text);
  return status;
}

/// The entry itself may loop, or wait in a launch after a kernel that does not finish.
void Execution::hostIsLate(const std::string &name) const {
  std::string last = runtime ? runtime->log().last() : "";
  process::leaveLate(jit::fail(jit::Error::HostUnfinished, name, run::decimal(timeout),
                               last.empty() ? "" : "; its last launch was " + last)
                         .text);
}

/// Each call between two events; the median, as single calls are disturbed by others on the
/// machine.
Result<std::vector<double>> Execution::times(const Work &work, int calls, run::StreamId stream) {
  if (!device)
    return Reason{"NoDevice", "--bench times with a GPU's events, and there is none"};
  TESSERA_TRY(run::EventId start, device->createEvent());
  TESSERA_TRY(run::EventId end, device->createEvent());
  if (runtime)
    runtime->log().useEvents(false); // they would be measured too
  std::vector<double> times;
  constexpr int warmUp = 3;
  for (int i = -warmUp; i < calls; ++i) {
    // Between the events there is nothing but the work: what takes time on the host would be
    // measured.
    auto timed = [&]() -> Result<Unit> {
      TESSERA_CHECK(device->record(start, stream));
      TESSERA_TRY(Unit queued, work.queue());
      TESSERA_CHECK(device->record(end, stream));
      return queued;
    };
    TESSERA_CHECK(limited({work.name, timed}, end));
    TESSERA_TRY(double milliseconds, device->elapsedMilliseconds(start, end));
    if (i >= 0)
      times.push_back(milliseconds);
  }
  std::sort(times.begin(), times.end());
  return times;
}

/// A program that has its launches in a graph pays for the host function once.
Result<std::vector<double>> Execution::timesInGraph(const Work &work, run::StreamId stream,
                                                    int inside, int runs, double warmUp) {
  TESSERA_TRY(run::GraphId graph, device->capture(stream, [&]() -> run::Status {
    for (int i = 0; i < inside; ++i)
      if (Result<Unit> queued = work.queue(); !queued)
        return queued.reason();
    return run::Done{};
  }));
  TESSERA_TRY(run::EventId start, device->createEvent());
  TESSERA_TRY(run::EventId end, device->createEvent());
  auto milliseconds = [&]() -> Result<double> {
    auto timed = [&]() -> Result<Unit> {
      TESSERA_CHECK(device->record(start, stream));
      TESSERA_CHECK(device->launchGraph(graph, stream));
      TESSERA_CHECK(device->record(end, stream));
      return Unit{};
    };
    TESSERA_CHECK(limited({work.name, timed}, end));
    return device->elapsedMilliseconds(start, end);
  };
  constexpr int least = 2, most = 50'000; // graphs before those that count
  double before = 0;
  for (int i = 0; i < least || (before < warmUp && i < most); ++i) {
    TESSERA_TRY(double took, milliseconds());
    before += took;
  }
  std::vector<double> times;
  for (int i = 0; i < runs; ++i) {
    TESSERA_TRY(double took, milliseconds());
    times.push_back(took / inside);
  }
  TESSERA_CHECK(device->destroyGraph(graph));
  std::sort(times.begin(), times.end());
  return times;
}
