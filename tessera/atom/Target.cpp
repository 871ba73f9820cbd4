// The table of targets, and how requirements are checked and put into words.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/atom/Target.h"

#include "tessera/atom/Errors.h"

#include <algorithm>
#include <cctype>
#include <string>

namespace tessera::atom {

// Lowest PTX versions: found by trying (llc 22.1.8 and ptxas 13.0.88 agree on each).
struct TargetTable {
  // number, suffix, lowest PTX, KiB of opt-in shared memory per block
  static constexpr Target rows[] = {
      {70, Suffix::None, 60, 96},  {75, Suffix::None, 63, 64},  {80, Suffix::None, 70, 163},
      {86, Suffix::None, 71, 99},  {87, Suffix::None, 74, 163}, {89, Suffix::None, 78, 99},
      {90, Suffix::None, 78, 227}, {90, Suffix::A, 80, 227},    {100, Suffix::None, 86, 227},
      {100, Suffix::A, 86, 227},   {100, Suffix::F, 88, 227},   {103, Suffix::None, 88, 227},
      {103, Suffix::A, 88, 227},   {103, Suffix::F, 88, 227},   {110, Suffix::None, 90, 227},
      {110, Suffix::A, 90, 227},   {110, Suffix::F, 90, 227},   {120, Suffix::None, 87, 99},
      {120, Suffix::A, 87, 99},    {120, Suffix::F, 88, 99},    {121, Suffix::None, 88, 99},
      {121, Suffix::A, 88, 99},    {121, Suffix::F, 88, 99},
  };
};

namespace {
/// "x", "x or y", "x, y or z".
std::string disjunction(const std::vector<std::string> &parts) {
  std::string out;
  for (size_t i = 0; i < parts.size(); ++i)
    out += cat(i == 0 ? "" : i + 1 == parts.size() ? " or " : ", ", parts[i]);
  return out;
}
/// What people call the GPUs of some numbers (CUDA GPU Compute Capability, developer.nvidia.com).
struct Generation {
  std::string_view name;
  int first, last;
};
constexpr Generation generations[] = {{"volta", 70, 72},  {"turing", 75, 75},
                                      {"ampere", 80, 88}, {"ada", 89, 89},
                                      {"hopper", 90, 90}, {"blackwell", 100, 121}};

/// "; a GPU of this generation is sm_90 or sm_90a", where a text says a target in another way; else
/// nothing.
std::string meant(std::string_view text) {
  std::string word;
  for (char c : text)
    if (c != ' ')
      word += char(std::tolower(static_cast<unsigned char>(c)));
  std::vector<std::string> found;
  for (const Generation &generation : generations)
    if (word == generation.name)
      for (const Target &target : Target::all())
        if (target.number() >= generation.first && target.number() <= generation.last)
          found.push_back(target.str());
  if (!found.empty())
    return cat("; a GPU of this generation is ", disjunction(found));
  size_t digits = word.find_first_of("0123456789");
  for (const Target &target : Target::all())
    if (digits != word.npos && cat("sm_", word.substr(digits)) == target.str())
      return cat("; write ", target.str());
  return "";
}
} // namespace

std::span<const Target> Target::all() { return TargetTable::rows; }

std::string Target::str() const {
  constexpr std::string_view suffixes[] = {"", "a", "f"};
  return cat("sm_", int(smNumber), suffixes[size_t(smSuffix)]);
}

Result<Target> Target::parse(std::string_view text) {
  std::string known;
  for (const Target &target : all()) {
    if (target.str() == text)
      return target;
    known += cat(known.empty() ? "" : ", ", target.str());
  }
  return fail(Error::UnknownTarget, text, known + meant(text));
}

bool Requirement::Clause::metBy(Target target) const {
  switch (kind) {
  case None: return false;
  case AtLeast: return target.number() >= number;
  case Exactly: return target.number() == number && target.suffix() == Suffix::A;
  case Family:
    return target.isSpecific() && target.family() == number / 10 && target.number() >= number;
  }
  return false;
}

bool Requirement::metBy(Target target) const {
  return std::any_of(clauses.begin(), clauses.end(),
                     [&](const Clause &clause) { return clause.metBy(target); });
}

std::vector<Target> Requirement::targets() const {
  std::vector<Target> met;
  std::copy_if(Target::all().begin(), Target::all().end(), std::back_inserter(met),
               [&](Target target) { return metBy(target); });
  return met;
}

std::string Requirement::sentence() const {
  std::vector<std::string> parts;
  for (const Clause &clause : std::span(clauses).first(size())) {
    if (clause.kind == Clause::AtLeast)
      parts.push_back(cat("sm_", int(clause.number), " or later"));
    if (clause.kind == Clause::Exactly)
      parts.push_back(cat("sm_", int(clause.number), "a"));
    if (clause.kind == Clause::Family)
      for (Target target : Target::all())
        if (clause.metBy(target) && target.suffix() == Suffix::A)
          parts.push_back(cat(target.str(), "/f"));
  }
  return disjunction(parts);
}

} // namespace tessera::atom
