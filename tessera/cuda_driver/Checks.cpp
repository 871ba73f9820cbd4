// Prints reports, writes them to files, and ends programs with an exit code of ours.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cuda_driver/Checks.h"

#include "tessera/base/Demangled.h"
#include "tessera/cuda_driver/Driver.h"
#include "tessera/files/OutputFile.h"
#include "tessera/sanitize/Defaults.h"
#include "tessera/sim_reports/Sentences.h"
#include "tessera/sim_reports/SimReports.h"
#include "tessera/sim_reports/Suppressions.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <unistd.h>

namespace tessera::cuda_driver {

using sim_reports::LaunchRecord;
using sim_reports::NamedReport;

bool isSet(const char *name) {
  const char *value = std::getenv(name);
  return value && *value && std::string_view(value) != "0";
}

namespace {
std::string textOf(const char *variable) {
  const char *value = std::getenv(variable);
  return value ? value : "";
}

/// A path of the environment; %p in it is the process, as a program may start others.
std::string pathOf(const char *variable) {
  std::string path = textOf(variable);
  if (size_t at = path.find("%p"); at != path.npos)
    path.replace(at, 2, std::to_string(::getpid()));
  return path;
}
} // namespace

struct Checks::Settings {
  std::optional<size_t> reports; // the most that the sanitizer keeps of a launch
  bool countsFaults = false;
  sim_reports::Suppressions suppressions;
  std::string json, sarif, junit;

  bool writes() const { return !json.empty() || !sarif.empty() || !junit.empty(); }
};

Checks::Checks(std::shared_ptr<Settings> given)
    : LaunchLog(given->reports, false, false), settings(std::move(given)) {}

Result<std::shared_ptr<Checks>> Checks::make(bool countsFaults) {
  auto settings = std::make_shared<Settings>();
  if (isSet("TESSERA_CHECK"))
    settings->reports = sanitize::defaultReports;
  settings->json = pathOf("TESSERA_JSON");
  settings->sarif = pathOf("TESSERA_SARIF");
  settings->junit = pathOf("TESSERA_JUNIT");
  settings->countsFaults = countsFaults || settings->reports || settings->writes();
  if (const std::string path = textOf("TESSERA_SUPPRESSIONS"); !path.empty()) {
    std::ifstream file(path);
    std::stringstream text;
    if (!file || !(text << file.rdbuf(), file) || file.bad())
      return fail(Error::Setting, "TESSERA_SUPPRESSIONS", path,
                  "a file with text that can be read");
    TESSERA_TRY(settings->suppressions, sim_reports::Suppressions::parse(text.str(), path));
    if (settings->reports) // suppressed ones must not take the places of others
      settings->reports = 100 * sanitize::defaultReports;
  }
  return std::shared_ptr<Checks>(new Checks(std::move(settings)));
}

sim::Status Checks::onReturn(const sim::Grid &grid, sim::Status ended) {
  said.clear();
  sim::Status own = ended;
  (void)LaunchLog::onReturn(grid, std::move(ended));
  return own;
}

void Checks::keep(LaunchRecord record) {
  std::erase_if(record.reports, [&](const NamedReport &named) {
    const bool isKnown = settings->suppressions.has(named.report);
    suppressed += isKnown;
    return isKnown;
  });
  if (record.reports.size() > sanitize::defaultReports)
    record.reports.resize(sanitize::defaultReports);
  record.kernel = demangled(record.kernel);
  auto complete = [&](NamedReport &named) {
    named.report.text = sim_reports::sentenceOf(named.report);
    named.report.kernel = demangled(named.report.kernel);
  };
  for (NamedReport &named : record.reports) {
    complete(named);
    say(named.report.text);
  }
  reported += record.reports.size();
  if (record.fault) {
    complete(*record.fault);
    said = record.fault->report.text;
  }
  // Beyond this number a test case for each launch helps nobody: only those with reports are kept.
  constexpr size_t most = 20000;
  if (settings->writes() && (kept.size() < most || record.fault || !record.reports.empty()))
    kept.push_back(std::move(record));
}

int Checks::finish(int exitCode) {
  constexpr int exitWithReports = 5; // KernelFailed of docs/exit-codes.md
  if (std::exchange(isFinished, true))
    return exitCode;
  const size_t failed = settings->countsFaults ? faults : 0;
  const int code = exitCode || !(reported || failed) ? exitCode : exitWithReports;
  if (settings->writes()) {
    std::error_code none;
    sim_reports::SimResults results;
    results.file = std::filesystem::read_symlink("/proc/self/exe", none).string();
    results.launches = std::move(kept);
    results.counts = false;
    results.exit = code;
    for (auto [path, text] : {std::pair(&settings->json, &sim_reports::jsonOf),
                              {&settings->sarif, &sim_reports::sarifOf},
                              {&settings->junit, &sim_reports::junitOf}})
      if (!path->empty())
        if (Status written = files::writeFile(*path, {text(results)}); !written)
          say(written.reason());
  }
  auto counted = [](size_t count, const char *what, const char *of) {
    return count ? cat(count, " ", what, count == 1 ? "" : "s", of) : std::string();
  };
  std::string what = counted(failed, "fault", " of a kernel");
  for (const std::string &more : {counted(reported, "report", " of the sanitizer"),
                                  counted(suppressed, "report", " suppressed")})
    what += cat(what.empty() || more.empty() ? "" : " and ", more);
  if (!what.empty())
    say(fail(Error::EndedWithReports, what, code));
  return code;
}

} // namespace tessera::cuda_driver
