// Checks: the checks that a program's environment asks for, their reports and files, and the exit
// code.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/sim/Errors.h"
#include "tessera/sim_reports/LaunchLog.h"

#include <memory>
#include <optional>
#include <string>

namespace tessera::cuda_driver {

/// The observer of the process. It prints the reports of a launch when that has ended, and lets the
/// program continue, since CUDA does not know of them.
class Checks : public sim_reports::LaunchLog {
public:
  /// Made from the environment. `countsFaults`: the program's exit code tells if a kernel failed.
  static Result<std::shared_ptr<Checks>> make(bool countsFaults);

  sim::Status onReturn(const sim::Grid &, sim::Status ended) override;

  /// The text of the error that ended the last launch; empty if there is none or it has no agent.
  const std::string &lastFault() const { return said; }
  /// Counts a launch that failed by the kernel's fault.
  void countFault() { ++faults; }
  /// Writes the files and prints a summary. Returns the exit code to use if the program's is 0.
  int finish(int exitCode);

protected:
  void keep(sim_reports::LaunchRecord) override;

private:
  struct Settings;
  explicit Checks(std::shared_ptr<Settings> settings);

  std::shared_ptr<Settings> settings;
  std::vector<sim_reports::LaunchRecord> kept; // where a file is asked for
  std::string said;
  size_t reported = 0, suppressed = 0, faults = 0;
  bool isFinished = false;
};

/// Whether a variable of the environment is set to something other than empty or 0.
bool isSet(const char *name);

} // namespace tessera::cuda_driver
