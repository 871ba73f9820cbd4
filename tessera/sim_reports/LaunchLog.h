// LaunchLog: the outcome of each launch of a machine, for machine-readable reports.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/sim/Coverage.h"
#include "tessera/sim/Observer.h"
#include "tessera/sim/Report.h"

#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace tessera::sanitize {
class Sanitizer;
class WorkClock;
struct BusyPage;
struct WorkRange;
struct WorkStep;
} // namespace tessera::sanitize

namespace tessera::sim_reports {

/// A report, and the name of what lies at its address: a variable, a parameter, a buffer of the
/// command line; empty where there is none.
struct NamedReport {
  sim::Report report;
  std::string allocation;
};

struct LaunchRecord {
  std::string kernel; // its whole name
  int line = 0;       // of its PTX
  double seconds = 0;
  std::vector<NamedReport> reports;
  std::optional<NamedReport> fault; // the error that ended it
};

/// Sees launches begin and end, not what warps do; what the sanitizer and the coverage see goes
/// through it.
class LaunchLog : public sim::Observer {
public:
  /// With a sanitizer if `maxReports` says how many reports of a launch are kept, and end it if
  /// `ends` says so; with coverage if `covers` says so.
  LaunchLog(std::optional<size_t> maxReports, bool covers, bool ends = true);

  const std::vector<LaunchRecord> &launches() const { return all; }
  /// Null: not counted.
  const sim::Coverage *coverage() const { return covered.get(); }
  /// Gives an allocation of global memory this name from now on.
  void name(uint64_t start, std::string as) { names[start] = std::move(as); }

  /// For hosts whose work comes in several orders, as Sanitizer.h says; nothing without one.
  bool hasSanitizer() const { return sanitizer != nullptr; }
  void begin(sanitize::WorkStep &, std::shared_ptr<const void> keeps, uint32_t dependsOn = 0);
  void work(const std::string &what, std::span<const sanitize::WorkRange>,
            const sanitize::WorkStep &);
  void drop(const sanitize::WorkRange &);
  void forget(const sanitize::WorkClock &);
  std::vector<sanitize::BusyPage> busyPages(const sanitize::WorkRange &, size_t most) const;
  void hostAccess(const std::string &by, uint64_t address, bool writes);
  bool toldHost() const;
  bool beganDependents() const;

  sim::Wishes wishes() const override;
  void onHost(const sim::HostMemory &) override;
  void onLater(const sim::LaterWork &) override;
  void onLaunch(const sim::Grid &) override;
  std::unique_ptr<sim::WarpObserver> watch(const sim::Warp &) override;
  sim::Status onReturn(const sim::Grid &, sim::Status ended) override;

protected:
  /// Keeps the outcome of a launch.
  virtual void keep(LaunchRecord record) { all.push_back(std::move(record)); }

private:
  /// Keeps what is reported of something other than a launch, if anything is.
  void keepReports(const std::string &by, std::vector<sim::Report>);
  NamedReport named(const sim::Report &, const sim::Grid &) const;

  std::shared_ptr<sanitize::Sanitizer> sanitizer; // or null
  std::unique_ptr<sim::Coverage> covered;         // or null
  std::vector<LaunchRecord> all;
  std::map<uint64_t, std::string> names;
  std::chrono::steady_clock::time_point began;
};

} // namespace tessera::sim_reports
