// tessera-litmus: what PTX's memory model allows a small program, and what the simulator shows.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/base/Printable.h"
#include "tessera/litmus/Model.h"
#include "tessera/litmus/Runs.h"
#include "tessera/process/Plain.h"
#include "tools/version/Version.h"

#include <charconv>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <map>

using namespace tessera;
using namespace tessera::litmus;

namespace {

constexpr const char *usage =
    "usage: tessera-litmus FILE [--runs N] [--timeout S]\n"
    "\n"
    "Says which outcomes of a litmus test PTX's memory consistency model allows, and whether there "
    "is\n"
    "a data race (docs/simulator.md). - reads stdin.\n"
    "  --runs N    run it on the simulator N times, each in another order, with the sanitizer\n"
    "  --timeout S limit in seconds for the whole command; 0: no limit\n"
    "  --version   print version, commit and kind of build\n"
    "Exit code: 0 done; 1 a run showed what is forbidden, or reported a race where there is none; "
    "2 bad input;\n"
    "4 not finished in time; 6 this machine has no more memory or threads; 7 the standard output "
    "could not\n"
    "be written\n";

std::string str(const Program &test, const Outcome &outcome) {
  std::string out;
  std::vector<std::string> names = test.names();
  for (size_t i = 0; i < names.size(); ++i)
    out += cat(out.empty() ? "" : "  ", names[i], " = ", outcome[i]);
  return printable(out);
}

/// Runs in the places and orders that there are; how often each outcome was seen.
Result<bool> compare(const Program &test, const Verdict &verdict, uint64_t runs) {
  std::map<Outcome, uint64_t> seen;
  bool agrees = true;
  for (uint64_t i = 0; i < runs; ++i) {
    RunOptions options{.lanes = i % 2 ? Lanes::OneWarp : Lanes::OwnWarps,
                       .shuffle = i + 1,
                       .hostThreads = i % 4 < 2 ? 1u : 0u,
                       .sanitize = true};
    TESSERA_TRY(Run one, run(test, options));
    ++seen[one.outcome];
    if (verdict.hasRace)
      continue;
    for (const std::string &report : one.reports) {
      std::printf("reported, without a race: %s\n", printable(report).c_str());
      agrees = false;
    }
  }
  for (const auto &[outcome, count] : seen) {
    const bool isAllowed = verdict.allowed.count(outcome);
    std::printf("%s  %s (%llu of %llu runs)\n", isAllowed ? "seen     " : "FORBIDDEN",
                str(test, outcome).c_str(), static_cast<unsigned long long>(count),
                static_cast<unsigned long long>(runs));
    agrees &= isAllowed;
  }
  return agrees;
}

Result<bool> answer(std::string text, uint64_t runs) {
  TESSERA_TRY(std::unique_ptr<Program> test, parse(std::move(text)));
  TESSERA_TRY(Verdict verdict, judge(*test));
  for (const Outcome &outcome : verdict.allowed)
    std::printf("allowed    %s\n", str(*test, outcome).c_str());
  std::printf("%zu outcomes of %llu candidates; %s\n", verdict.allowed.size(),
              static_cast<unsigned long long>(verdict.candidates),
              verdict.hasRace ? "there is a data race" : "no data race");
  return runs ? compare(*test, verdict, runs) : true;
}

int program(int argc, char **argv) {
  if (saidVersion(argc, argv, "tessera-litmus"))
    return 0;
  std::string file;
  uint64_t runs = 0;
  for (int i = 1; i < argc; ++i) {
    std::string_view word = argv[i];
    if (word == "--help") {
      std::fputs(usage, stdout);
      return 0;
    }
    if (word == "--runs" && i + 1 < argc) {
      std::string_view given = argv[++i];
      auto [end, error] = std::from_chars(given.data(), given.data() + given.size(), runs);
      if (error != std::errc() || end != given.data() + given.size())
        return process::failPlain(cat("--runs expects a number, but got '", given, "'"));
    } else if (word == "--timeout" && i + 1 < argc) {
      if (!process::endPlainWithin(argv[++i], "tessera-litmus"))
        return process::BadInput;
    } else if (file.empty() && (word == "-" || !word.starts_with("-"))) {
      file = word;
    } else {
      return process::failPlain(
          cat("expects one file and the options of --help, but got '", word, "'"));
    }
  }
  if (file.empty())
    return process::failPlain("expects a file, or - for stdin; see --help");
  std::string text;
  std::ifstream opened;
  if (file != "-")
    opened.open(file, std::ios::binary);
  std::istream &from = file == "-" ? std::cin : opened;
  constexpr size_t most = 1 << 20;
  if (from)
    for (char c; text.size() <= most && from.get(c);)
      text += c;
  if (text.empty() || text.size() > most)
    return process::failPlain(text.empty() ? cat("cannot read ", file)
                                           : cat(file, " has more than ", most, " bytes"));
  Result<bool> agrees = answer(std::move(text), runs);
  return !agrees   ? process::failPlain(agrees.reason().text, process::codeOf(agrees.reason()))
         : *agrees ? process::Right
                   : process::Differs;
}

} // namespace

int main(int argc, char **argv) { return process::runPlain(argc, argv, program); }
