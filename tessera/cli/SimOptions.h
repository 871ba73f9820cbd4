// SimOptions: the options of `tessera sim` and `tessera run --device sim` for the simulator, and
// their output.
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
  /// The observer for a machine; set by parse() if the sanitizer or a file of reports is requested.
  std::shared_ptr<LaunchLog> log;
  /// The options added by addOptions.
  std::vector<CLI::Option *> options;

  void addOptions(CLI::App &);
  /// The name of the first of them in the command line; empty if there is none.
  std::string given() const;
  /// Reads the options that are more than a number. A reason if one cannot be read, or if a file of
  /// --json, --sarif, --junit or --html is the same as another of them or of `outputs`.
  Result<int> parse(std::vector<Output> outputs);
  /// Prints --stats.
  void tellCounts(const sim::Statistics &) const;
  /// Writes the files of --json, --sarif, --junit and --html with the observed launches; returns an
  /// exit code, errors went to stderr.
  int write(SimResults) const;
};

} // namespace tessera::cli
