// Makes a Watch for each warp, and puts the reports of a launch together.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/sanitize/Sanitizer.h"

#include "tessera/sanitize/Reports.h"
#include "tessera/sanitize/Watch.h"
#include "tessera/sim/DeviceLaunches.h"

namespace tessera::sanitize {

struct Sanitizer::State {
  WrittenMemory written;
  std::unique_ptr<Launch> launch;
  History history;
  WorkStep *next = nullptr; // of the host's next launch
  uint32_t dependsOn = 0;
  std::shared_ptr<const void> keeps;
  WorkStep *step = nullptr; // of the host's launch, which has the grids that kernels launch
};

Sanitizer::Sanitizer(size_t maxReports, bool ends)
    : maxReports(maxReports), ends(ends), state(std::make_unique<State>()) {}
Sanitizer::~Sanitizer() = default;

void Sanitizer::begin(WorkStep &step, std::shared_ptr<const void> keeps, uint32_t dependsOn) {
  state->next = &step;
  state->dependsOn = dependsOn;
  state->keeps = std::move(keeps);
  tellsHost = beginsDependents = false;
}

std::vector<Report> Sanitizer::work(const std::string &what, std::span<const WorkRange> ranges,
                                    const WorkStep &step) {
  std::vector<Report> out;
  state->history.add(what, ranges, step, [&](Report report) { out.push_back(std::move(report)); });
  all.insert(all.end(), out.begin(), out.end());
  return out;
}

const WorkStep *Sanitizer::stepOfLaunch() const { return state->step; }

void Sanitizer::drop(const WorkRange &range) { state->history.drop(range); }

std::vector<BusyPage> Sanitizer::busyPages(const WorkRange &of, size_t most) const {
  return state->history.busyPages(of, most);
}

std::vector<Report> Sanitizer::hostAccess(const std::string &by, uint64_t address, bool writes) {
  std::vector<Report> out;
  if (std::optional<Report> found = state->history.conflictWithHost(by, address, writes)) {
    out.push_back(*found);
    all.push_back(std::move(*found));
  }
  return out;
}

void Sanitizer::forget(const WorkClock &known) { state->history.forget(known); }

sim::Wishes Sanitizer::wishes() const {
  return {.lateWork = true, .alignedTogether = true, .impatientWaits = true, .ownedLocals = true};
}

void Sanitizer::onHost(const sim::HostMemory &e) {
  switch (e.what) {
  case sim::HostMemory::Allocated: state->written.allocate(e.address, e.bytes); break;
  case sim::HostMemory::Written: state->written.write(e.address, e.bytes); break;
  case sim::HostMemory::Freed: state->written.free(e.address); break;
  }
}

void Sanitizer::onLaunch(const sim::Grid &grid) {
  state->written.keepHeap(grid);
  state->launch = std::make_unique<Launch>(grid, state->written, maxReports, ends);
  if (!grid.launches || grid.launches->isOfHost)
    state->step = std::exchange(state->next, nullptr);
  if (const WorkStep *step = state->step; step && state->history.hasBeside(*step)) {
    state->launch->history = &state->history;
    state->launch->step = step;
  }
  state->launch->dependsOn = std::exchange(state->dependsOn, 0);
  state->launch->past = &state->history;
}

std::unique_ptr<sim::WarpObserver> Sanitizer::watch(const sim::Warp &w) {
  return std::make_unique<Watch>(*state->launch, w);
}

sim::Status Sanitizer::onReturn(const sim::Grid &, sim::Status ended) {
  state->launch->settle();
  // Of the launch, or of one that it launched.
  tellsHost |= state->launch->tellsHost();
  beginsDependents |= state->launch->dependentsBegin;
  if (WorkStep *step = state->step; step && ended)
    state->history.add(*state->launch, *step, state->keeps, [&](Report report) {
      const int earlier = report.earlier ? report.earlier->place.line : 0;
      state->launch->report(std::move(report), earlier);
    });
  found = state->launch->reports->take();
  state->launch.reset();
  all.insert(all.end(), found.begin(), found.end());
  if (found.empty())
    return ended;
  Reason together{found.front().rule, ""};
  for (const Report &report : found)
    together.text += cat(together.text.empty() ? "" : "\n", report.text);
  bool byUs = !ended && ended.reason().id == sim::errors[size_t(sim::Error::ObserverEnded)].id;
  if (!ended && !byUs)
    together.text += cat("\n", ended.reason().text);
  return together;
}

} // namespace tessera::sanitize
