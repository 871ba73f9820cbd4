// SimReports: the results of a simulator run as JSON, as SARIF and as JUnit's XML.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One table of fields (fieldsOf in SimReports.cpp) makes all three, so that all have the same
// content.
#pragma once

#include "tessera/sim/Coverage.h"
#include "tessera/sim/Statistics.h"
#include "tessera/sim_reports/LaunchLog.h"

namespace tessera::sim_reports {

struct SimResults {
  std::string file;   // as the user named it
  bool isPtx = false; // whether lines of PTX are lines of it
  std::vector<LaunchRecord> launches;
  sim::Statistics statistics; // of the last launch
  bool counts = true;         // whether there are any
  bool covers = false;        // whether instructions were counted
  std::vector<sim::KernelCoverage> coverage{};
  /// Why the command fails, if it does. If no launch has a report or a fault this is its error.
  std::optional<Reason> ended;
  ptx_text::CodePlace place; // of `ended`, where it is about a line of the file
  bool differs = false;      // numbers are not those of a reference
  int exit = 0;

  /// The error in `ended` that no launch reports.
  std::optional<NamedReport> error() const;
};

std::string jsonOf(const SimResults &);
/// OASIS SARIF 2.1.0.
std::string sarifOf(const SimResults &);
/// A test case for each launch.
std::string junitOf(const SimResults &);

} // namespace tessera::sim_reports
