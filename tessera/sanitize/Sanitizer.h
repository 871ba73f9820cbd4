// Sanitizer: an observer of the simulator that reports unordered accesses and missing fences.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   auto sanitizer = std::make_shared<sanitize::Sanitizer>();
//   sim::Machine machine({}, sanitizer);
//   sim::Status ended = machine.launch(...);    // the first report's rule, and the texts of all
//   for (const sanitize::Report &report : sanitizer->reports()) ...
//
// Launches continue after a report, until there are enough. docs/simulator.md lists the rules;
// Watch.h says how they are checked.
#pragma once

#include "tessera/sanitize/Defaults.h"
#include "tessera/sanitize/WorkOrder.h"
#include "tessera/sim/Observer.h"

#include <memory>
#include <span>
#include <string>
#include <vector>

namespace tessera::sim {
struct Report; // Report.h
}

namespace tessera::sanitize {

using sim::Report;

class Sanitizer : public sim::Observer {
public:
  /// Keeps up to `maxReports` reports of a launch, for different pairs of lines. Then, if `ends`,
  /// it ends the launch.
  explicit Sanitizer(size_t maxReports = defaultReports, bool ends = true);
  ~Sanitizer() override;

  /// Reports of the last launch.
  const std::vector<Report> &reports() const { return found; }
  /// Reports of all launches.
  const std::vector<Report> &allReports() const { return all; }

  //===--- For hosts whose work comes in several orders, as in the streams of CUDA

  /// The host's next launch is this step, with the grids that its kernels launch, and compared with
  /// work that it does not come after. It may turn out to come after more, and lives until then.
  /// `keeps` owns the program. `dependsOn`: the number of a launch that it need not come after
  /// before griddepcontrol.wait.
  void begin(WorkStep &step, std::shared_ptr<const void> keeps, uint32_t dependsOn = 0);
  /// A copy or a fill: "a copy". Returns its reports.
  std::vector<Report> work(const std::string &what, std::span<const WorkRange>, const WorkStep &);
  /// The step of the host's last launch; null: it has none.
  const WorkStep *stepOfLaunch() const;
  /// The bytes of an allocation that ends.
  void drop(const WorkRange &);
  /// All later work comes after this.
  void forget(const WorkClock &);
  /// What work that is not forgotten does with these bytes (History.h).
  std::vector<BusyPage> busyPages(const WorkRange &, size_t most) const;
  /// An access by the host, "a read by the host in main"; its report if that work conflicts.
  std::vector<Report> hostAccess(const std::string &by, uint64_t address, bool writes);
  /// Whether the last launch may have told the host how far it is, by memory that both use.
  bool toldHost() const { return tellsHost; }
  /// Whether the last launch let those that depend on it begin.
  bool beganDependents() const { return beginsDependents; }

  sim::Wishes wishes() const override;
  void onHost(const sim::HostMemory &) override;
  void onLaunch(const sim::Grid &) override;
  std::unique_ptr<sim::WarpObserver> watch(const sim::Warp &) override;
  sim::Status onReturn(const sim::Grid &, sim::Status ended) override;

private:
  struct State;
  const size_t maxReports;
  const bool ends;
  std::unique_ptr<State> state;
  std::vector<Report> found, all;
  bool tellsHost = false, beginsDependents = false;
};

} // namespace tessera::sanitize
