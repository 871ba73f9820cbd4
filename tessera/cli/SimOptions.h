// SimOptions: what `tessera sim` and `tessera run --device sim` let a user say of the simulator,
// and what they tell of it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/base/Result.h"
#include "tessera/cli/CommandLine.h"
#include "tessera/sanitize/Defaults.h"
#include "tessera/sim/Machine.h"
#include "tessera/sim_reports/SimReports.h"

#include <memory>
#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
} // namespace CLI

namespace tessera::cli {

using sim_reports::LaunchLog;
using sim_reports::SimResults;

struct SimOptions {
  sim::Limits limits;
  std::string json, sarif, junit, html, trace;
  bool sanitizes = false;
  size_t maxReports = sanitize::defaultReports;
  /// The observer for a machine; from parse() on, if the sanitizer or a file of reports is asked
  /// for.
  std::shared_ptr<LaunchLog> log;
  /// Those of addOptions.
  std::vector<CLI::Option *> options;

  void addOptions(CLI::App &);
  /// The name of the first of them that the command line has; empty if it has none.
  std::string given() const;
  /// Reads what is more than a number; a reason if it cannot be, or where a file of --json,
  /// --sarif,
  /// --junit or --html is another of them or of `outputs`.
  Result<int> parse(std::vector<Output> outputs);
  /// Prints --stats.
  void tellCounts(const sim::Statistics &) const;
  /// Writes the files of --json, --sarif, --junit and --html, with the launches that were seen;
  /// returns an exit code, errors went to stderr.
  int write(SimResults) const;
};

} // namespace tessera::cli
