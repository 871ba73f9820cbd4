// Reads suppressions, and finds their patterns.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/sim_reports/Suppressions.h"

#include "tessera/base/Demangled.h"
#include "tessera/base/Nearest.h"
#include "tessera/sanitize/Errors.h"
#include "tessera/sim/Errors.h"

#include <algorithm>
#include <span>

namespace tessera::sim_reports {

namespace {

std::vector<std::string_view> rules() {
  std::vector<std::string_view> out{"*"};
  for (std::span<const Sentence> table :
       {std::span<const Sentence>(sanitize::errors), std::span<const Sentence>(sim::errors)})
    for (const Sentence &row : table)
      out.push_back(row.id);
  return out;
}

/// Each piece between two * comes after the one before.
bool isIn(std::string_view pattern, std::string_view text) {
  while (true) {
    const size_t star = std::min(pattern.find('*'), pattern.size());
    const size_t at = text.find(pattern.substr(0, star));
    if (at == text.npos)
      return false;
    if (star == pattern.size())
      return true;
    text.remove_prefix(at + star);
    pattern.remove_prefix(star + 1);
  }
}

std::string_view trimmed(std::string_view text) {
  const size_t first = std::min(text.find_first_not_of(" \t\r"), text.size());
  return text.substr(first, text.find_last_not_of(" \t\r") + 1 - first);
}

} // namespace

Result<Suppressions> Suppressions::parse(std::string_view text, std::string_view name) {
  Suppressions out;
  for (int line = 1; !text.empty(); ++line) {
    const size_t end = std::min(text.find('\n'), text.size());
    const std::string_view row = trimmed(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (row.empty() || row.front() == '#')
      continue;
    const size_t colon = std::min(row.find(':'), row.size());
    const std::string_view rule = trimmed(row.substr(0, colon)),
                           pattern = trimmed(row.substr(std::min(colon + 1, row.size())));
    if (pattern.empty())
      return Reason{"Suppression",
                    cat(name, ", line ", line, ": expects RULE:PATTERN, such as Race:my_kernel or ",
                        "*:third_party/*.cuh, but got '", row, "'")};
    const std::vector<std::string_view> known = rules();
    if (std::find(known.begin(), known.end(), rule) == known.end()) {
      const std::string_view near = nearestOf(rule, known);
      return Reason{"Suppression", cat(name, ", line ", line, ": there is no rule '", rule, "'",
                                       near.empty() ? "" : cat("; the nearest: '", near, "'"),
                                       "; docs/simulator.md lists them, and * is any")};
    }
    out.rows.push_back({std::string(rule), std::string(pattern)});
  }
  return out;
}

bool Suppressions::has(const sim::Report &report) const {
  std::vector<std::string> texts{report.kernel, demangled(report.kernel)};
  auto add = [&](const sim::Party &party) {
    for (const ptx_text::SourcePlace &place : party.place.places)
      texts.push_back(place.file);
  };
  add(report.party);
  if (report.earlier)
    add(*report.earlier);
  return std::any_of(rows.begin(), rows.end(), [&](const Row &row) {
    return (row.rule == "*" || row.rule == report.rule) &&
           std::any_of(texts.begin(), texts.end(),
                       [&](const std::string &text) { return isIn(row.pattern, text); });
  });
}

} // namespace tessera::sim_reports
