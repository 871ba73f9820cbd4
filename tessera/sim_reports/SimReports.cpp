// Writes reports of the simulator in three forms.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/sim_reports/SimReports.h"

#include "tessera/ptx_text/CodePlaces.h"
#include "tessera/ptx_text/Errors.h"
#include "tessera/run/Errors.h"
#include "tessera/sanitize/Errors.h"
#include "tessera/sim/Errors.h"
#include "tessera/sim/Text.h"
#include "tessera/sim_reports/Json.h"
#include "tessera/sim_reports/Markup.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <span>

using namespace tessera;
using namespace tessera::sim_reports;
using ptx_text::CodePlace;
using ptx_text::SourcePlace;

std::optional<NamedReport> SimResults::error() const {
  if (!ended)
    return std::nullopt;
  for (const LaunchRecord &launch : launches)
    if (launch.fault || !launch.reports.empty())
      return std::nullopt;
  std::string kernel = launches.empty() ? statistics.kernel : launches.back().kernel;
  return NamedReport{{ended->id, ended->text, kernel, {"", "", "", place}, "", 0, {}, {}}, ""};
}

namespace {

//===--- The fields of a report --------------------------------------------------------------===//

void addPlace(Object &to, const CodePlace &place) {
  if (place.line) {
    to["line"] = place.line;
    to["text"] = place.text;
  }
  if (place.source.empty())
    return;
  to["source"] = place.source;
  Array places;
  for (const SourcePlace &p : place.places)
    places.push_back(Object{{"file", p.file}, {"line", p.line}, {"column", p.column}});
  to["places"] = std::move(places);
}

Object fieldsOf(const sim::Party &party) {
  Object out;
  for (auto [name, value] :
       {std::pair("access", &party.access), {"block", &party.block}, {"thread", &party.thread}})
    if (!value->empty())
      out[name] = *value;
  addPlace(out, party.place);
  return out;
}

Object fieldsOf(const NamedReport &named) {
  const sim::Report &report = named.report;
  Object out = fieldsOf(report.party);
  out["rule"] = report.rule;
  out["message"] = report.text;
  if (!report.kernel.empty())
    out["kernel"] = report.kernel;
  if (!report.space.empty()) {
    out["space"] = report.space;
    out["address"] = sim::hex(report.address);
  }
  if (!named.allocation.empty())
    out["allocation"] = named.allocation;
  if (report.buffer) {
    out["offset"] = int64_t(report.buffer->first);
    out["bufferBytes"] = int64_t(report.buffer->second);
  }
  if (report.earlier)
    out["earlier"] = fieldsOf(*report.earlier);
  return out;
}

/// The reports of a launch in the order in which they were found; an error that ended it is the
/// last.
std::vector<const NamedReport *> allOf(const LaunchRecord &launch) {
  std::vector<const NamedReport *> out;
  for (const NamedReport &report : launch.reports)
    out.push_back(&report);
  if (launch.fault)
    out.push_back(&*launch.fault);
  return out;
}

/// An object for each instruction, by line.
Array fieldsOf(const std::vector<sim::KernelCoverage> &kernels) {
  constexpr const char *kinds[] = {"always", "predicated", "branch"};
  Array out;
  for (const sim::KernelCoverage &kernel : kernels) {
    const ptx_text::CodePlaces places(*kernel.text);
    std::vector<const sim::InstructionCoverage *> byLine;
    for (const auto &[number, i] : kernel.instructions)
      byLine.push_back(&i);
    std::stable_sort(byLine.begin(), byLine.end(),
                     [](auto *a, auto *b) { return a->line < b->line; });
    Array instructions;
    for (const sim::InstructionCoverage *i : byLine) {
      Object one{{"kind", kinds[i->kind]},
                 {"warps", int64_t(i->warps)},
                 {"threads", int64_t(i->threads)},
                 {"skipped", int64_t(i->skipped)},
                 {"conflicts", int64_t(i->conflicts())},
                 {"covered", i->isCovered()}};
      addPlace(one, places.of(i->line));
      instructions.push_back(std::move(one));
    }
    out.push_back(Object{{"kernel", kernel.name},
                         {"launches", int64_t(kernel.launches)},
                         {"instructions", std::move(instructions)}});
  }
  return out;
}

Object statisticsOf(const sim::Statistics &counted) {
  Object out{{"warpInstructions", int64_t(counted.warpInstructions)},
             {"threadInstructions", int64_t(counted.threadInstructions)},
             {"products", int64_t(counted.products)}};
  auto pairs = [&](const char *name, const auto &map, auto f) {
    Object object;
    for (const auto &[key, value] : map) {
      auto [first, second] = f(value);
      object[cat(key)] = Array{int64_t(first), int64_t(second)};
    }
    out[name] = std::move(object);
  };
  pairs("classes", counted.classes, [](const auto &c) { return std::pair(c.warps, c.threads); });
  pairs("bytes", counted.traffic, [](const auto &t) { return std::pair(t.reads, t.writes); });
  pairs("banks", counted.banks, [](const auto &b) { return std::pair(b.passes, b.needed); });
  return out;
}

//===--- SARIF -------------------------------------------------------------------------------===//

/// A path as part of a URI. RFC 3986.
std::string encoded(std::string_view path) {
  std::string out;
  for (char c : path) {
    constexpr char digits[] = "0123456789ABCDEF";
    auto byte = static_cast<unsigned char>(c);
    const bool isPlain = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    if (isPlain || std::string_view("-._~/").find(c) != std::string_view::npos)
      out += c;
    else
      out += {'%', digits[byte >> 4], digits[byte & 15]};
  }
  return out;
}

/// Where the command runs, with a / at the end; empty if that cannot be said.
std::string folderHere() {
  std::error_code failed;
  const std::filesystem::path folder = std::filesystem::current_path(failed);
  return failed ? "" : cat(folder.string(), "/");
}

/// Relative to where the command runs, if it lies there.
Object artifactOf(const std::string &path) {
  std::string_view from = path == "-" ? "stdin" : std::string_view(path);
  if (std::string here = folderHere(); !here.empty() && from.starts_with(here))
    from.remove_prefix(here.size());
  if (from.starts_with('/'))
    return Object{{"uri", cat("file://", encoded(from))}};
  return Object{{"uri", encoded(from)}, {"uriBaseId", "%SRCROOT%"}};
}

Object physical(const std::string &file, int line, int column = 0, std::string_view snippet = "") {
  Object out{{"artifactLocation", artifactOf(file)}};
  if (line > 0) {
    Object region{{"startLine", line}};
    if (column > 0)
      region["startColumn"] = column;
    if (!snippet.empty())
      region["snippet"] = Object{{"text", snippet}};
    out["region"] = std::move(region);
  }
  return out;
}
Object physical(const SourcePlace &p) { return physical(p.file, p.line, p.column); }

/// Writes SARIF. A result points to the innermost source line, else to the line of PTX, else to the
/// kernel.
class Sarif {
public:
  explicit Sarif(const SimResults &of) : of(of) {}

  std::string str() {
    Array results, notes;
    for (const LaunchRecord &launch : of.launches)
      for (const NamedReport *report : allOf(launch))
        results.push_back(result(*report, launch.line));
    if (std::optional<NamedReport> error = of.error()) {
      if (error->report.party.place.line || !of.launches.empty())
        results.push_back(result(*error, of.launches.empty() ? 0 : of.launches.back().line));
      else
        notes.push_back(Object{{"level", "error"},
                               {"descriptor", Object{{"id", error->report.rule}}},
                               {"message", Object{{"text", error->report.text}}}});
    }
    Array rules;
    for (const std::string &id : ids)
      rules.push_back(rule(id));
    Object invocation{{"executionSuccessful", of.exit == 0}, {"exitCode", of.exit}};
    if (!notes.empty())
      invocation["toolExecutionNotifications"] = std::move(notes);
    Object bases;
    if (std::string here = folderHere(); !here.empty())
      bases["%SRCROOT%"] = Object{{"uri", cat("file://", encoded(here))}};
    Object run{
        {"tool", Object{{"driver", Object{{"name", "Tessera"}, {"rules", std::move(rules)}}}}},
        {"invocations", Array{std::move(invocation)}},
        {"originalUriBaseIds", std::move(bases)},
        {"results", std::move(results)}};
    return Value(Object{{"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
                        {"version", "2.1.0"},
                        {"runs", Array{std::move(run)}}})
        .str();
  }

private:
  Object result(const NamedReport &named, int kernelLine) {
    const sim::Report &report = named.report;
    const CodePlace &place = report.party.place;
    Array related;
    auto relate = [&](Object at, const std::string &what) {
      related.push_back(Object{{"id", int64_t(related.size())},
                               {"physicalLocation", std::move(at)},
                               {"message", Object{{"text", what}}}});
    };
    auto relatePlace = [&](const CodePlace &p, const std::string &who, bool first) {
      if (of.isPtx && p.line && (!p.places.empty() || !first))
        relate(physical(of.file, p.line, 0, p.text), cat(who, ": PTX line ", p.line));
      for (size_t i = first ? 1 : 0; i < p.places.size(); ++i)
        relate(physical(p.places[i]), i ? cat(who, ": inlined here") : who);
    };
    relatePlace(place, "this", true);
    if (const std::optional<sim::Party> &e = report.earlier)
      relatePlace(e->place, cat(e->access, " by thread ", e->thread, " of block ", e->block),
                  false);
    int line = of.isPtx ? place.line ? place.line : kernelLine : 0;
    Object location{{"physicalLocation", place.places.empty()
                                             ? physical(of.file, line, 0, place.text)
                                             : physical(place.places[0])}};
    if (!report.kernel.empty())
      location["logicalLocations"] = Array{Object{
          {"name", report.kernel}, {"fullyQualifiedName", report.kernel}, {"kind", "function"}}};
    Object properties = fieldsOf(named);
    Object out{{"ruleId", report.rule},
               {"ruleIndex", indexOf(std::string(report.rule))},
               {"level", "error"},
               {"message", Object{{"text", report.text}}},
               {"locations", Array{std::move(location)}},
               {"properties", std::move(properties)}};
    if (!related.empty())
      out["relatedLocations"] = std::move(related);
    return out;
  }

  int64_t indexOf(const std::string &id) {
    auto found = std::find(ids.begin(), ids.end(), id);
    if (found == ids.end())
      found = ids.insert(ids.end(), id);
    return found - ids.begin();
  }

  /// What GitHub asks of a rule: its sentence, with dots for what differs from report to report.
  static Object rule(const std::string &id) {
    std::string sentence = id;
    for (std::span<const Sentence> table :
         {std::span<const Sentence>(sanitize::errors), std::span<const Sentence>(sim::errors),
          std::span<const Sentence>(ptx_text::errors), std::span<const Sentence>(run::errors)})
      for (const Sentence &row : table)
        if (row.id == id)
          sentence = filled(row.text,
                            {"...", "...", "...", "...", "...", "...", "...", "...", "...", "..."});
    return Object{{"id", id},
                  {"name", id},
                  {"shortDescription", Object{{"text", sentence}}},
                  {"fullDescription", Object{{"text", sentence}}},
                  {"help", Object{{"text", "docs/simulator.md of Tessera lists the rules, and what "
                                           "orders accesses."}}},
                  {"properties", Object{{"problem.severity", "error"}}}};
  }

  const SimResults &of;
  std::vector<std::string> ids; // of the rules, in the order of their indices
};

//===--- JUnit -------------------------------------------------------------------------------===//

std::string seconds(double value) {
  char out[32];
  std::snprintf(out, sizeof(out), "%.6f", value);
  return out;
}

struct TestCase {
  std::string name;
  double seconds = 0;
  std::vector<const NamedReport *> found; // an error if the last of them ended the kernel
  bool isError = false;
  std::string differs;

  std::string str(const std::string &file) const {
    std::string out = cat("    <testcase classname=\"", markup(file), "\" name=\"", markup(name),
                          "\" time=\"", ::seconds(seconds), "\"");
    if (found.empty() && differs.empty())
      return cat(out, "/>\n");
    const char *kind = isError ? "error" : "failure";
    std::string type = "Differs", message = differs, content = differs;
    if (!found.empty()) {
      const sim::Report &first = (isError ? found.back() : found.front())->report;
      type = first.rule;
      message = first.text.substr(0, first.text.find('\n'));
      content.clear();
      for (const NamedReport *one : found)
        content +=
            cat(content.empty() ? "" : "\n", one->report.text, "\n", Value(fieldsOf(*one)).str());
    }
    return cat(out, ">\n      <", kind, " type=\"", markup(type), "\" message=\"", markup(message),
               "\">", markup(content, true), "</", kind, ">\n    </testcase>\n");
  }
};

} // namespace

std::string tessera::sim_reports::jsonOf(const SimResults &of) {
  Array reports;
  std::optional<NamedReport> fault = of.error();
  for (const LaunchRecord &launch : of.launches) {
    for (const NamedReport &report : launch.reports)
      reports.push_back(fieldsOf(report));
    if (launch.fault && !fault)
      fault = launch.fault;
  }
  Object out;
  out.isOrdered = true;
  if (of.counts)
    out["kernel"] = of.statistics.kernel;
  if (of.ended) {
    out["error"] = of.ended->id;
    out["message"] = of.ended->text;
  }
  if (fault)
    out["fault"] = fieldsOf(*fault);
  out["reports"] = std::move(reports);
  if (of.counts)
    out["statistics"] = statisticsOf(of.statistics);
  if (of.covers)
    out["coverage"] = fieldsOf(of.coverage);
  return Value(std::move(out)).str();
}

std::string tessera::sim_reports::sarifOf(const SimResults &of) { return Sarif(of).str(); }

std::string tessera::sim_reports::junitOf(const SimResults &of) {
  std::vector<TestCase> cases;
  std::map<std::string, int> launches;
  for (const LaunchRecord &launch : of.launches) {
    const int number = ++launches[launch.kernel];
    cases.push_back({number == 1 ? launch.kernel : cat(launch.kernel, " (launch ", number, ")"),
                     launch.seconds, allOf(launch), launch.fault.has_value(), ""});
  }
  const std::optional<NamedReport> error = of.error();
  if (cases.empty()) // also so that a run without any test does not count as passed
    cases.push_back(
        {of.statistics.kernel.empty() ? "(no launch)" : of.statistics.kernel, 0, {}, false, ""});
  if (error) {
    cases.back().found.push_back(&*error);
    cases.back().isError = true;
  }
  if (of.differs && cases.back().found.empty())
    cases.back().differs = "numbers differ from those of --check";
  size_t failures = 0, errors = 0;
  double time = 0;
  std::string all;
  for (const TestCase &one : cases) {
    errors += one.isError;
    failures += !one.isError && (!one.found.empty() || !one.differs.empty());
    time += one.seconds;
    all += one.str(of.file);
  }
  std::string counts = cat(" tests=\"", cases.size(), "\" failures=\"", failures, "\" errors=\"",
                           errors, "\" time=\"", ::seconds(time), "\"");
  return cat("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"tessera\"", counts,
             ">\n  <testsuite name=\"", markup(of.file), "\"", counts, " skipped=\"0\">\n", all,
             "  </testsuite>\n</testsuites>\n");
}
