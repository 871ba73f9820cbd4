// CoverageLines: counts of a kernel's instructions, by lines of its sources and of its PTX.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/ptx_text/CodePlaces.h"
#include "tessera/sim_reports/SimReports.h"

#include <span>

namespace tessera::cli {

using sim_reports::SimResults;

/// A message at a line: a report, or several that say the same about other launches or threads.
struct Said {
  std::string rule, text;
  int earlier = 0; // the line of the other access
  uint64_t times = 0;
};

/// The instructions of a line. Each is counted at its own place.
struct CoveredLine {
  std::vector<const sim::InstructionCoverage *> instructions;
  std::vector<Said> said;

  uint64_t sum(auto of) const {
    uint64_t all = 0;
    for (const sim::InstructionCoverage *i : instructions)
      all += of(*i);
    return all;
  }
  uint64_t warps() const {
    return sum([](auto &i) { return i.warps; });
  }
  uint64_t lanes() const {
    return sum([](auto &i) { return i.lanes(); });
  }
  uint64_t idle() const { return warps() * sim::warpSize - lanes(); }
  uint64_t passes() const {
    return sum([](auto &i) { return i.banks.passes; });
  }
  uint64_t conflicts() const {
    return sum([](auto &i) { return i.conflicts(); });
  }
  uint64_t covered() const {
    return sum([](auto &i) { return i.isCovered(); });
  }
  uint64_t guarded() const {
    return sum([](auto &i) { return i.kind != sim::InstructionCoverage::Always; });
  }
  uint64_t bothWays() const {
    return sum([](auto &i) { return i.wentBothWays(); });
  }
};

/// The lines of one file that a kernel has code for.
struct CoveredFile {
  std::string name, anchor; // of lines: the anchor, and their number
  std::string missing;      // why there is no text; empty if there is
  std::vector<std::string> text;
  std::map<int, CoveredLine> lines;

  std::string anchorOf(int line) const { return cat(anchor, line); }
  /// How many have been run, and how many have code.
  std::pair<uint64_t, uint64_t> covered() const {
    std::pair<uint64_t, uint64_t> out;
    for (const auto &[line, at] : lines)
      out.first += at.covered() > 0, out.second += !at.instructions.empty();
    return out;
  }
};

/// A kernel, by lines of its sources and of its PTX.
struct KernelLines {
  KernelLines(const sim::KernelCoverage &kernel, const SimResults &of, size_t index);

  const sim::KernelCoverage &kernel;
  std::string id;
  CoveredFile ptx;
  std::vector<CoveredFile> sources; // the one with most lines first
  std::vector<Said> elsewhere;      // reports without a line
  CoveredLine all;                  // instructions of all lines
  uint64_t reports = 0;

  /// The files with counted lines: sources if there are any.
  std::span<const CoveredFile> counted() const {
    return sources.empty() ? std::span(&ptx, 1) : std::span<const CoveredFile>(sources);
  }
  std::pair<uint64_t, uint64_t> linesCovered() const {
    std::pair<uint64_t, uint64_t> out;
    for (const CoveredFile &file : counted()) {
      auto [some, of] = file.covered();
      out.first += some, out.second += of;
    }
    return out;
  }
  /// For branches or predicated instructions: how many went both ways, and how many there are.
  std::pair<uint64_t, uint64_t> bothWays(sim::InstructionCoverage::Kind kind) const {
    std::pair<uint64_t, uint64_t> out;
    for (const sim::InstructionCoverage *i : all.instructions)
      if (i->kind == kind)
        out.first += i->wentBothWays(), ++out.second;
    return out;
  }

private:
  void add(const sim::Report &);
  ptx_text::CodePlaces places;
};

} // namespace tessera::cli
