// What the handles of tessera-c/Sim.h stand for, and checks that all its functions share.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera-c/Sim.h"

#include "tessera/base/ApiError.h"
#include "tessera/sanitize/Defaults.h"
#include "tessera/sim/Machine.h"
#include "tessera/sim/Streams.h"
#include "tessera/sim_reports/LaunchLog.h"
#include "tessera/simc/Errors.h"

#include <utility>

struct TesseraSimError {
  std::string id, text;
};
struct TesseraSimProgram {
  std::shared_ptr<const tessera::sim::Program> program;
  std::vector<std::string> names; // of kernels
};

namespace tessera::simc {

/// Keeps launches until someone takes them.
class Launches : public sim_reports::LaunchLog {
public:
  explicit Launches(bool sanitize)
      : LaunchLog(sanitize ? std::optional(sanitize::defaultReports) : std::nullopt, false) {}
  const std::vector<sim_reports::LaunchRecord> &all() const { return kept; }
  std::vector<sim_reports::LaunchRecord> take() { return std::exchange(kept, {}); }

protected:
  void keep(sim_reports::LaunchRecord record) override {
    if (record.fault || !record.reports.empty())
      kept.push_back(std::move(record));
  }

private:
  std::vector<sim_reports::LaunchRecord> kept;
};

} // namespace tessera::simc

struct TesseraSimMachine {
  std::shared_ptr<tessera::simc::Launches> launches;
  tessera::sim::Machine machine;
  tessera::sim::Streams streams;
  std::string output;
};
struct TesseraSimModule {
  TesseraSimMachine &owner;
  tessera::sim::LoadedProgram loaded;
};
struct TesseraSimStream {
  TesseraSimMachine &owner;
  tessera::sim::Streams::Stream stream;
};
struct TesseraSimEvent {
  TesseraSimMachine &owner;
  tessera::sim::Streams::Event recorded;
};

namespace tessera::simc {

/// Whether nothing is missing of what a function expects.
bool has(TesseraSimError **error, const char *function,
         std::initializer_list<std::pair<const void *, const char *>> arguments);
bool done(TesseraSimError **error, const Status &);

/// A launch with its arguments, checked and copied. None after a refusal.
struct Launch {
  std::string kernel;
  sim::LaunchConfig config;
  std::vector<std::byte> parameters;
};
std::optional<Launch> launchOf(TesseraSimModule *, const char *kernel, const TesseraSimLaunch *,
                               const void *const *arguments, size_t count, const char *function,
                               TesseraSimError **error);

} // namespace tessera::simc
