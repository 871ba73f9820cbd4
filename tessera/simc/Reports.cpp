// Reports of tessera-c/Sim.h: what launches found, one by one and as files.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/sim_reports/SimReports.h"
#include "tessera/simc/Handles.h"

#include <algorithm>

using namespace tessera;
using namespace tessera::simc;

struct TesseraSimReports {
  struct One {
    const sim_reports::NamedReport *report;
    bool endedKernel;
  };
  sim_reports::SimResults results;
  std::vector<One> all;
  std::string text; // of the last call of tesseraSimReportsAs
};

bool tesseraSimName(TesseraSimMachine *machine, uint64_t address, const char *name,
                    TesseraSimError **error) {
  return guarded(error, [&] {
    if (!has(error, "tesseraSimName", {{machine, "a machine"}, {name, "a name"}}))
      return false;
    machine->launches->name(address, name);
    return true;
  });
}

TesseraSimReports *tesseraSimTakeReports(TesseraSimMachine *machine, TesseraSimError **error) {
  return guarded(error, [&]() -> TesseraSimReports * {
    if (!has(error, "tesseraSimTakeReports", {{machine, "a machine"}}))
      return nullptr;
    auto taken = std::make_unique<TesseraSimReports>();
    taken->results.isPtx = true;
    taken->results.statistics = machine->machine.statistics();
    size_t count = 0;
    for (const sim_reports::LaunchRecord &launch : machine->launches->all())
      count += launch.reports.size() + (launch.fault ? 1 : 0);
    taken->all.reserve(count);
    // What is taken is not there again: from here on nothing is allocated.
    taken->results.launches = machine->launches->take();
    constexpr int ofReports = 5; // docs/exit-codes.md
    taken->results.exit = taken->results.launches.empty() ? 0 : ofReports;
    auto add = [&](const sim_reports::NamedReport &one, bool ended) {
      taken->all.push_back({&one, ended});
    };
    for (const sim_reports::LaunchRecord &launch : taken->results.launches) {
      for (const sim_reports::NamedReport &one : launch.reports)
        add(one, false);
      if (launch.fault)
        add(*launch.fault, true);
    }
    return taken.release();
  });
}
size_t tesseraSimReportCount(const TesseraSimReports *reports) {
  return reports ? reports->all.size() : 0;
}

static TesseraSimParty partyOf(const sim::Party &party) {
  return {party.access.c_str(),      party.block.c_str(),      party.thread.c_str(),
          int64_t(party.place.line), party.place.text.c_str(), party.place.source.c_str()};
}
bool tesseraSimReport(const TesseraSimReports *reports, size_t index, TesseraSimReport *to) {
  if (!to || index >= tesseraSimReportCount(reports))
    return false;
  const TesseraSimReports::One &one = reports->all[index];
  const sim::Report &report = one.report->report;
  static const sim::Party nobody;
  *to = {report.rule.data(), // a literal of a row, with a 0 at its end
         report.text.c_str(),
         one.endedKernel,
         report.kernel.c_str(),
         report.space.c_str(),
         one.report->allocation.c_str(),
         report.address,
         report.buffer ? int64_t(report.buffer->first) : -1,
         report.buffer ? int64_t(report.buffer->second) : -1,
         partyOf(report.party),
         report.earlier.has_value(),
         partyOf(report.earlier ? *report.earlier : nobody)};
  return true;
}

const char *tesseraSimReportsAs(TesseraSimReports *reports, const char *format, const char *file,
                                TesseraSimError **error) {
  struct Row {
    std::string_view name;
    std::string (*make)(const sim_reports::SimResults &);
  };
  static constexpr Row rows[] = {{"json", sim_reports::jsonOf},
                                 {"sarif", sim_reports::sarifOf},
                                 {"junit", sim_reports::junitOf}};
  return guarded(error, [&]() -> const char * {
    if (!has(error, "tesseraSimReportsAs",
             {{reports, "reports"}, {format, "a format"}, {file, "a name of the PTX"}}))
      return nullptr;
    const Row *row = std::ranges::find(rows, std::string_view(format), &Row::name);
    if (row == std::end(rows))
      return refuse(error, simc::fail(simc::Error::ReportFormat, format)), nullptr;
    reports->results.file = file;
    reports->text = row->make(reports->results);
    return reports->text.c_str();
  });
}
void tesseraSimReportsDestroy(TesseraSimReports *reports) { delete reports; }
