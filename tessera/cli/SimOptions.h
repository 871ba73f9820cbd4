// SimOptions: what `tessera sim` and `tessera run --device sim` let a user say of the simulator,
// and what they tell of it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/base/Result.h"
#include "tessera/cli/SimReports.h"
#include "tessera/sanitize/Defaults.h"
#include "tessera/sim/Machine.h"

#include <memory>
#include <string>
#include <vector>

namespace CLI {
class App;
}
namespace tessera::sanitize {
class Sanitizer;
}

namespace tessera::cli {

struct SimOptions {
  sim::Limits limits;
  std::string json, sarif, junit, trace;
  bool sanitizes = false;
  size_t maxReports = sanitize::defaultReports;
  std::shared_ptr<sanitize::Sanitizer> sanitizer;  // from parse() on, if it is asked for
  std::shared_ptr<LaunchLog> log;                  // likewise, if a file of reports is
  std::shared_ptr<sim::Observer> observer() const; // of both, for a machine

  void addOptions(CLI::App &);
  /// Reads what is more than a number; a reason if it cannot be.
  Result<int> parse();
  /// Prints --stats.
  void tellCounts(const sim::Statistics &) const;
  /// Writes the files of --json, --sarif and --junit, with the launches that were seen; returns an
  /// exit code, errors went to stderr.
  int write(SimResults) const;
};

} // namespace tessera::cli
