// History: what earlier pieces of work did to global memory, to find work that nothing orders.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The shadow of a launch (Shadow.h) ends with it. What it holds then is compared with the accesses
// of earlier launches, copies and fills, and kept for later ones: as runs of words that
// neighbouring lanes accessed in the same way, by pages. Work that all later work comes after is
// forgotten. As in the shadow, what has no room is dropped, so a race may be missed, but none is
// invented.
//
// Two launches may also order themselves: one reads by a strong access what the other wrote by one.
// That is taken as if it ordered all of the first before the second.
#pragma once

#include "tessera/sanitize/Shadow.h"
#include "tessera/sanitize/WorkOrder.h"
#include "tessera/sanitize/WorkShape.h"

#include <functional>
#include <optional>
#include <set>
#include <span>
#include <tuple>

namespace tessera::sim {
struct Report; // Report.h
} // namespace tessera::sim

namespace tessera::sanitize {

using sim::Report;
struct Launch;

class History {
public:
  using Take = std::function<void(Report)>;

  /// Keeps and compares what a grid of a launch that has ended did; a launch has several if kernels
  /// launch others. `keeps` owns its program.
  void add(Launch &, WorkStep &, std::shared_ptr<const void> keeps, const Take &);
  /// The same of a copy or a fill: "a copy of 16 bytes".
  void add(const std::string &what, std::span<const WorkRange>, const WorkStep &, const Take &);
  /// Forgets what was done to bytes that nobody uses any more.
  void drop(const WorkRange &);
  /// All later work comes after this.
  void forget(const WorkClock &);

  /// Whether there is work that a piece of work does not come after.
  bool hasBeside(const WorkStep &) const;
  /// The work beside a piece of work that wrote these bytes by strong accesses. Launches may run.
  std::set<uint32_t> strongWriters(const WorkStep &, uint64_t address, uint32_t bytes) const;

  /// A launch's earlier access of these bytes that conflicts with one of now: by whom; or nothing.
  /// Launches may run.
  std::string conflictWith(uint32_t work, uint64_t address, uint32_t bytes, Access) const;

  /// The pages that these bytes have a part of, of which work that is not forgotten touches all of
  /// that part; `most` of them at most.
  std::vector<BusyPage> busyPages(const WorkRange &, size_t most) const;
  /// What such work does that conflicts with an access by the host at an address.
  std::optional<Report> conflictWithHost(const std::string &by, uint64_t address, bool writes);

private:
  /// Words of a page that were accessed in one way: the first by the mark's lanes, each next one by
  /// the same lanes, or by the next ones.
  struct Run {
    uint16_t first, count;
    bool rises;
    uint16_t grid; // of the work
    uint32_t work; // its number
    Mark mark;

    bool has(uint32_t word) const { return uint32_t(word - first) < count; }
    Mark at(uint32_t word) const;
  };
  using Runs = std::vector<Run>;
  /// The grids of a launch that have the same kernel and shape.
  struct Grids {
    std::string kernel{};
    WorkShape shape{};
    std::shared_ptr<const void> keeps{}; // the program, which has the text
    std::string_view text{};
  };
  struct Work {
    WorkStep step{};
    std::vector<Grids> grids{}; // of a launch
    std::string what{};         // of a copy or a fill; of a launch those that its kernels asked for
    std::vector<WorkRange> ranges{};
  };

  static Runs runsOf(const Cell *, uint32_t work, uint16_t grid);
  /// The place of a launch's grid in its work; none if there is no room.
  std::optional<uint16_t> gridOf(const Launch &, const WorkStep &,
                                 std::shared_ptr<const void> keeps);
  /// Leaves out those of `kept` that come before `by`, or are of the same work, and tell nothing
  /// more.
  void replace(Runs &kept, const Runs &by, const WorkStep &) const;
  const Work *beside(const WorkStep &, uint32_t work) const;
  /// Calls visit(address of a word, run, mark) for each word of these bytes and each run that has
  /// it, until one returns true.
  template <class Visit> void eachRun(uint64_t address, uint32_t bytes, const Visit &) const;
  /// Copies and fills that a piece of work does not come after.
  std::vector<const Work *> rangesBeside(const WorkStep &) const;
  Work &keep(Work);
  /// Forgets work of which nothing is kept.
  void tidy();
  Party partyOf(const Grids &, const Mark &) const;
  void compare(Launch &, const WorkStep &, uint64_t page, const Cell *,
               const std::vector<const Work *> &ranges, const Take &);
  bool isNew(const std::string &kernel, int line, const std::string &otherKernel, int otherLine) {
    return reported.emplace(kernel, line, otherKernel, otherLine).second;
  }

  std::map<uint64_t, Runs> pages;
  std::map<uint32_t, Work> works;
  std::map<uint32_t, uint32_t> last; // by chain, of those
  size_t tidyAt = 1024;              // so many of them
  std::set<std::tuple<std::string, int, std::string, int>> reported;
};

} // namespace tessera::sanitize
