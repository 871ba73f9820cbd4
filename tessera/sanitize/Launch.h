// Launch: what the sanitizer keeps of one launch, of its clusters and blocks.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/ptx_text/CodePlaces.h"
#include "tessera/sanitize/Errors.h"
#include "tessera/sanitize/GroupRegisters.h"
#include "tessera/sanitize/Report.h"
#include "tessera/sanitize/Shadow.h"
#include "tessera/sim/Grid.h"

#include <set>
#include <tuple>

namespace tessera::sanitize {

class Watch;

/// The reports of one launch, one for each pair of lines.
class Reports {
public:
  /// Keeps it if it is new. False when there are enough.
  bool add(Report, int earlierLine, size_t most);
  /// Whether a rule was reported for these lines, so that it need not be said again.
  bool has(Error rule, int line, int earlierLine);
  bool hasAll(size_t most);
  std::vector<Report> take() { return std::move(list); }

private:
  std::mutex mutex;
  std::vector<Report> list;
  std::set<std::tuple<std::string_view, int, int>> seen;
};

/// Which bytes of the heap malloc has given out and free has not taken back.
class HeapMemory {
public:
  HeapMemory(uint64_t start, uint64_t bytes) : start(start), given(bytes) {}
  void give(uint64_t address, uint64_t bytes);
  void take(uint64_t address);
  bool has(uint64_t address, uint64_t bytes) const {
    return given.firstMissing(address - start, bytes) == address - start + bytes;
  }
  const uint64_t start;

private:
  std::mutex mutex;
  std::map<uint64_t, uint64_t> sizes;
  Written given; // its bits are changed one by one
};

/// Which bytes of global memory somebody wrote, by allocations. Allocations come and go between
/// launches only.
class WrittenMemory {
public:
  void allocate(uint64_t start, uint64_t bytes) { all[start] = std::make_unique<Written>(bytes); }
  void free(uint64_t start) { all.erase(start); }
  void write(uint64_t address, uint64_t count) {
    if (auto after = all.upper_bound(address); after != all.begin())
      std::prev(after)->second->add(address - std::prev(after)->first, count);
  }
  Written &of(const sim::Allocation &allocation) const { return *all.at(allocation.start); }
  /// The heap of malloc, if there is one; before a launch that may use it.
  void keepHeap(const sim::Grid &);
  HeapMemory *heap() const { return ofMalloc.get(); }

private:
  std::unique_ptr<HeapMemory> ofMalloc;
  std::map<uint64_t, std::unique_ptr<Written>> all;
};

/// The clocks of an mbarrier: of arrivals at the phase that goes on, and at those that have ended.
/// Threads of other blocks have their own, as their scope and that of who waits have to reach each
/// other.
struct PhaseClocks {
  Clocks arrivals, ended, arrivalsFar, endedFar;
};

struct BlockShadow {
  explicit BlockShadow(size_t sharedBytes) : shared(sharedBytes) {}

  /// Made when it is first used.
  SharedShadow &tensor() {
    if (!ofTensor)
      ofTensor = std::make_unique<SharedShadow>(size_t(sim::TensorMemory::lanes) *
                                                sim::TensorMemory::columns);
    return *ofTensor;
  }
  SharedShadow shared;
  Clocks barriers[16]; // of who has arrived

private:
  std::unique_ptr<SharedShadow> ofTensor;
};

/// Of the blocks of a cluster, as its warps share it. Only the host's thread that runs the cluster
/// touches it.
struct ClusterShadow {
  Agents agents;
  uint32_t firstAgent = 0;
  std::vector<BlockShadow> blocks; // by rank
  Clocks arrivals;                 // at the cluster's barrier
  std::unordered_map<const void *, PhaseClocks> mbarriers;
  std::vector<Watch *> watches; // by warp of the cluster
};

/// A number that nobody wrote, as a thread copied it to global memory. If that is a part of what
/// the thread put there in one piece, as the padding of a struct or the list after a count, others
/// have no reason to look at it. So what to say of it is decided when all is there.
struct Suspect {
  uint64_t address;
  uint32_t bytes, agent;
  int lane;
  std::string block, thread;
  UnsetOrigin origin;
};

class Suspects {
public:
  /// Whether more of these two lines are wanted.
  bool wants(int loaded, int stored);
  void add(Suspect);
  const std::vector<Suspect> &all() const { return list; }

private:
  std::mutex mutex;
  std::map<std::pair<int, int>, int> counts;
  std::vector<Suspect> list;
};

struct Launch {
  Launch(const sim::Grid &grid, const WrittenMemory &written, size_t maxReports, bool ends)
      : grid(grid), written(written), uses(grid.program), maxReports(maxReports), ends(ends) {}

  /// That of a warp's cluster, which its warps own.
  std::shared_ptr<ClusterShadow> clusterOf(const sim::Warp &);
  /// False when the launch has to end, as there are enough.
  bool report(Report, int earlierLine = 0);
  /// Whether a report would be kept. To make one is dear, as its places have to be found.
  bool wants(Error rule, int line, int earlierLine) {
    return wantsAny() && !reports.has(rule, line, earlierLine);
  }
  bool wantsAny() { return ends || !reports.hasAll(maxReports); }
  /// Where a line of the program comes from. The text is read when the first one is asked for.
  ptx_text::CodePlace placeOf(int line);
  /// A sentence with who it is about, and where.
  std::string located(const std::string &block, const std::string &thread, int line, Reason);
  /// Reports the suspects that are not parts of something, when the kernel has ended.
  void settle();

  const sim::Grid &grid;
  const WrittenMemory &written;
  const ProgramUses uses;
  const size_t maxReports;
  const bool ends; // with so many
  GlobalShadow shadow;
  Reports reports;
  Suspects suspects;

private:
  bool isPart(const Suspect &);
  Report reportOf(const Suspect &);
  std::mutex mutex; // of what follows
  std::map<uint64_t, std::weak_ptr<ClusterShadow>> clusters;
  std::optional<ptx_text::CodePlaces> places;
};

} // namespace tessera::sanitize
