// Keeps launches, and finds the names of what lies at an address.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/sim_reports/LaunchLog.h"

#include "tessera/sanitize/Sanitizer.h"
#include "tessera/sim/Grid.h"
#include "tessera/sim/Observers.h"

using namespace tessera;
using namespace tessera::sim_reports;

LaunchLog::LaunchLog(std::optional<size_t> maxReports, bool covers, bool ends)
    : sanitizer(maxReports ? std::make_shared<sanitize::Sanitizer>(*maxReports, ends) : nullptr),
      covered(covers ? std::make_unique<sim::Coverage>() : nullptr) {}

sim::Wishes LaunchLog::wishes() const { return sanitizer ? sanitizer->wishes() : sim::Wishes(); }

void LaunchLog::begin(sanitize::WorkStep &step, std::shared_ptr<const void> keeps,
                      uint32_t dependsOn) {
  if (sanitizer)
    sanitizer->begin(step, std::move(keeps), dependsOn);
}

void LaunchLog::drop(const sanitize::WorkRange &range) {
  if (sanitizer)
    sanitizer->drop(range);
}

void LaunchLog::forget(const sanitize::WorkClock &known) {
  if (sanitizer)
    sanitizer->forget(known);
}

void LaunchLog::keepReports(const std::string &by, std::vector<sim::Report> reports) {
  LaunchRecord record;
  record.kernel = by;
  for (sim::Report &report : reports)
    record.reports.push_back({std::move(report), ""});
  if (!record.reports.empty())
    keep(std::move(record));
}

std::vector<sanitize::BusyPage> LaunchLog::busyPages(const sanitize::WorkRange &of,
                                                     size_t most) const {
  return sanitizer ? sanitizer->busyPages(of, most) : std::vector<sanitize::BusyPage>();
}

void LaunchLog::hostAccess(const std::string &by, uint64_t address, bool writes) {
  keepReports(by, sanitizer->hostAccess(by, address, writes));
}

bool LaunchLog::toldHost() const { return sanitizer && sanitizer->toldHost(); }

bool LaunchLog::beganDependents() const { return sanitizer && sanitizer->beganDependents(); }

void LaunchLog::work(const std::string &what, std::span<const sanitize::WorkRange> ranges,
                     const sanitize::WorkStep &step) {
  if (!sanitizer || ranges.empty())
    return;
  keepReports(what, sanitizer->work(what, ranges, step));
}

void LaunchLog::onHost(const sim::HostMemory &e) {
  if (sanitizer)
    sanitizer->onHost(e);
}

void LaunchLog::onLater(const sim::LaterWork &later) {
  const sanitize::WorkStep *step = sanitizer ? sanitizer->stepOfLaunch() : nullptr;
  if (!step)
    return;
  std::vector<sanitize::WorkRange> ranges = {{later.to, later.bytes, true}};
  if (later.from)
    ranges.push_back({later.from, later.bytes, false});
  work("a copy or fill that a kernel asked for", ranges, *step);
}

void LaunchLog::onLaunch(const sim::Grid &grid) {
  if (sanitizer)
    sanitizer->onLaunch(grid);
  if (covered)
    covered->onLaunch(grid);
  began = std::chrono::steady_clock::now();
}

std::unique_ptr<sim::WarpObserver> LaunchLog::watch(const sim::Warp &warp) {
  std::vector<sim::Observer *> looking;
  for (sim::Observer *one :
       {static_cast<sim::Observer *>(covered.get()), static_cast<sim::Observer *>(sanitizer.get())})
    if (one)
      looking.push_back(one);
  return sim::observerOf(looking, warp);
}

sim::Status LaunchLog::onReturn(const sim::Grid &grid, sim::Status ended) {
  LaunchRecord record{grid.kernel.name, grid.kernel.line, 0, {}, {}};
  record.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  if (covered)
    ended = covered->onReturn(grid, std::move(ended));
  if (sanitizer) {
    ended = sanitizer->onReturn(grid, std::move(ended));
    for (const sim::Report &report : sanitizer->reports())
      record.reports.push_back(named(report, grid));
  }
  if (grid.fault)
    record.fault = named(*grid.fault, grid);
  keep(std::move(record));
  return ended;
}

namespace {
std::string variableAt(const std::vector<sim::Parameter> &variables, uint64_t offset) {
  for (const sim::Parameter &v : variables)
    if (offset >= v.offset && offset - v.offset < v.size)
      return v.name;
  return "";
}
} // namespace

NamedReport LaunchLog::named(const sim::Report &report, const sim::Grid &grid) const {
  const uint64_t at = report.address;
  std::string name;
  if (report.space == "shared") {
    uint64_t offset = (at & ((1u << sim::clusterRankShift) - 1)) - sim::sharedStart;
    name = variableAt(grid.kernel.shared, offset);
    if (offset >= grid.kernel.sharedBytes && offset - grid.kernel.sharedBytes < grid.dynamicShared)
      name = "dynamic shared memory";
  } else if (report.space == "parameter") {
    name = variableAt(grid.kernel.parameters, at);
  } else if (report.space == "global" && report.buffer) {
    const uint64_t start = at - report.buffer->first;
    if (auto known = names.find(start); known != names.end())
      name = known->second;
    for (const sim::GlobalVariable &v : grid.program.globals)
      if (start == grid.globals && at - start >= v.offset && at - start - v.offset < v.size)
        name = v.name;
  }
  return {report, std::move(name)};
}
