// The parser of ptxas's verbose lines.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/ptx/PtxasLog.h"

#include <algorithm>
#include <charconv>
#include <optional>

namespace tessera::ptx {

namespace {

/// Words that stand before or after a number, and where the number goes.
struct Field {
  std::string_view before, after;
  int64_t PtxasReport::*member;
  bool ofEntry; // the line is about the kernel being compiled, not about the last function named
};
constexpr Field fields[] = {
    {"Used ", " registers", &PtxasReport::registers, true},
    {"used ", " barriers", &PtxasReport::barriers, true},
    {"", " bytes smem", &PtxasReport::sharedBytes, true},
    {"", " bytes stack frame", &PtxasReport::stackBytes, false},
    {"", " bytes spill stores", &PtxasReport::spillStoreBytes, false},
    {"", " bytes spill loads", &PtxasReport::spillLoadBytes, false},
};

/// The number in `line` that ends where `field.after` begins.
std::optional<int64_t> numberOf(std::string_view line, const Field &field) {
  size_t end = line.find(field.after);
  if (end == std::string_view::npos)
    return std::nullopt;
  size_t lastOther = line.substr(0, end).find_last_not_of("0123456789");
  size_t begin = lastOther == std::string_view::npos ? 0 : lastOther + 1;
  if (!line.substr(0, begin).ends_with(field.before))
    return std::nullopt;
  int64_t value = 0;
  auto [stop, error] = std::from_chars(line.data() + begin, line.data() + end, value);
  return error == std::errc() ? std::optional(value) : std::nullopt;
}

constexpr std::string_view entryWords = "Compiling entry function '";
constexpr std::string_view functionWords = "Function properties for ";

/// The name after `words`, up to a quote or a blank.
std::optional<std::string_view> nameAfter(std::string_view line, std::string_view words) {
  size_t at = line.find(words);
  if (at == std::string_view::npos)
    return std::nullopt;
  std::string_view name = line.substr(at + words.size());
  return name.substr(0, name.find_first_of("' \r"));
}

/// The place of a function's report, which is made if there is none.
size_t reportOf(std::vector<PtxasReport> &reports, std::string_view function) {
  for (size_t i = 0; i < reports.size(); ++i)
    if (reports[i].function == function)
      return i;
  reports.push_back({.function = std::string(function)});
  return reports.size() - 1;
}

} // namespace

std::vector<PtxasReport> parsePtxasLog(std::string_view log) {
  std::vector<PtxasReport> reports;
  std::optional<size_t> entry, function; // places in `reports`
  while (!log.empty()) {
    std::string_view line = log.substr(0, log.find('\n'));
    log.remove_prefix(std::min(line.size() + 1, log.size()));
    if (std::optional<std::string_view> name = nameAfter(line, entryWords))
      entry = function = reportOf(reports, *name);
    else if (std::optional<std::string_view> name = nameAfter(line, functionWords))
      function = reportOf(reports, *name);
    else if (function)
      for (const Field &field : fields)
        if (std::optional<int64_t> number = numberOf(line, field))
          reports[field.ofEntry && entry ? *entry : *function].*field.member = *number;
  }
  return reports;
}

} // namespace tessera::ptx
