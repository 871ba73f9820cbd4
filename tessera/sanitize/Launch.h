// Launch: the sanitizer's state for one launch, its clusters and blocks.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/ptx_text/CodePlaces.h"
#include "tessera/sanitize/Errors.h"
#include "tessera/sanitize/GroupRegisters.h"
#include "tessera/sanitize/History.h"
#include "tessera/sanitize/NarrowScopes.h"
#include "tessera/sanitize/WorkShape.h"
#include "tessera/sim/Grid.h"

#include <set>
#include <tuple>

namespace tessera::sanitize {

class Reports;
class TensorOrder;
class WarpKnowledge;

/// The bytes of the heap that malloc has allocated and free has not released.
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

/// The bytes of global memory that were written, by allocation. Allocations only change between
/// launches.
class WrittenMemory {
public:
  void allocate(uint64_t start, uint64_t bytes) { all[start] = std::make_unique<Written>(bytes); }
  void free(uint64_t start) { all.erase(start); }
  void write(uint64_t address, uint64_t count) {
    if (auto after = all.upper_bound(address); after != all.begin())
      std::prev(after)->second->add(address - std::prev(after)->first, count);
  }
  Written &of(const sim::Allocation &allocation) const { return *all.at(allocation.start); }
  /// Keeps the heap of malloc, if there is one; called before a launch that may use it.
  void keepHeap(const sim::Grid &);
  HeapMemory *heap() const { return ofMalloc.get(); }

private:
  std::unique_ptr<HeapMemory> ofMalloc;
  std::map<uint64_t, std::unique_ptr<Written>> all;
};

/// The clocks of an mbarrier: of arrivals at the current phase, and at phases that have ended.
/// Threads of other blocks have separate ones, since their scope and that of the waiting thread
/// must include each other.
struct PhaseClocks {
  Clocks arrivals, ended, arrivalsFar, endedFar;
};

/// The writes of tensor maps after which a map may be used: by the warp of the cluster that wrote,
/// and by agents of other clusters.
struct UsableMaps {
  std::vector<Known> near;
  std::map<uint32_t, Known> far;

  bool covers(const Mark &m, uint32_t base) const {
    uint32_t local = m.agent - base;
    if (local < near.size())
      return near[local].covers(m.clock, m.lanes);
    auto found = far.find(m.agent);
    return found != far.end() && found->second.covers(m.clock, m.lanes);
  }
};

/// A fence that acquired tensor maps, by lanes of a warp at its clock.
struct MapFence {
  Mark fence;
  UsableMaps maps;
};

/// A setmaxnreg that a warp ran: the number of registers, its lowest bit inc or dec, and the line.
struct RegisterChange {
  uint32_t registers;
  int32_t line;
};

struct BlockShadow {
  explicit BlockShadow(size_t sharedBytes) : shared(sharedBytes) {}

  /// Created when it is first used.
  SharedShadow &tensor() {
    if (!ofTensor)
      ofTensor = std::make_unique<SharedShadow>(size_t(sim::TensorMemory::lanes) *
                                                sim::TensorMemory::columns);
    return *ofTensor;
  }
  SharedShadow shared;
  Clocks barriers[16]; // of threads that have arrived
  /// What fences of the block's warps have acquired counts for all of its threads that know of the
  /// fence: it has to be in the block that uses the proxy, by any of its threads (Lustig et al.,
  /// "Mixed-proxy extensions for the NVIDIA PTX memory consistency model", ISCA 2022, 5.4).
  std::vector<MapFence> mapFences;
  std::vector<std::vector<RegisterChange>> registerChanges; // by warp; none before the first one

private:
  std::unique_ptr<SharedShadow> ofTensor;
};

/// The state of the blocks of a cluster, shared by its warps. Only the host's thread that runs the
/// cluster touches it.
struct ClusterShadow {
  Agents agents;
  uint32_t firstAgent = 0;
  std::vector<BlockShadow> blocks; // by rank
  Clocks arrivals;                 // at the cluster's barrier
  std::unordered_map<const void *, PhaseClocks> mbarriers;
  // By warp of the cluster. Warps that have not begun yet, or are gone, have none.
  std::vector<const WarpKnowledge *> knowledge;
  std::vector<const TensorOrder *> tensors;
  std::vector<Mark> waits; // griddepcontrol.wait (EarlyAccesses.h)
  /// A wgmma with A in registers, and the clock of the warp up to which loads may have filled them.
  struct Filled {
    uint32_t clock, product;
  };
  std::vector<std::vector<Filled>> filled; // by warp
  /// Bulk copies of lanes that copy the same in one instruction: the first one stands for those
  /// whose bits are set, bit 0 for the next one.
  struct Repeated {
    uint32_t first;
    Mask later;
  };
  std::vector<std::vector<Repeated>> repeated; // by warp
};

/// A number never written to memory that a thread copied to global memory. If it is part of what
/// the thread stored there in one piece, such as the padding of a struct or the list after a count,
/// other threads have no reason to read it. What to report is therefore decided when everything is
/// stored.
struct Suspect {
  uint64_t address;
  uint32_t bytes, agent;
  int lane;
  std::string block, thread;
  UnsetOrigin origin;
};

class Suspects {
public:
  /// Whether more reports for these two lines are wanted.
  bool wants(int loaded, int stored);
  void add(Suspect);
  const std::vector<Suspect> &all() const { return list; }

private:
  std::mutex mutex;
  std::map<std::pair<int, int>, int> counts;
  std::vector<Suspect> list;
};

struct Launch {
  Launch(const sim::Grid &, const WrittenMemory &, size_t maxReports, bool ends);
  ~Launch();

  /// The state of a warp's cluster, which its warps own.
  std::shared_ptr<ClusterShadow> clusterOf(const sim::Warp &);
  /// False if the launch has to end because there are enough reports.
  bool report(Report, int earlierLine = 0);
  /// Whether a report would be kept. Making a report is expensive, as its places must be looked up.
  bool wants(Error rule, int line, int earlierLine);
  bool wantsAny();
  /// The source of a line of the program. The text is parsed at the first call.
  ptx_text::CodePlace placeOf(int line);
  /// A sentence with the agent that it is about, and the place.
  std::string located(const std::string &block, const std::string &thread, int line, Reason);
  /// Reports the suspects that are not parts of something, after the kernel has ended.
  void settle();

  const sim::Grid &grid;
  const WrittenMemory &written;
  const ProgramUses uses;
  const NarrowScopes narrow;
  const WorkShape shape;
  const size_t maxReports;
  const bool ends; // whether that many end the launch
  GlobalShadow shadow;
  const std::unique_ptr<Reports> reports;
  Suspects suspects;
  /// Set before the launch, if there is work that it does not come after.
  const History *history = nullptr;
  const WorkStep *step = nullptr;
  /// The number of the launch that this one need not come after, or 0; what earlier work did.
  uint32_t dependsOn = 0;
  const History *past = nullptr;
  /// Whether a thread let dependent launches begin.
  std::atomic<bool> dependentsBegin = false;
  /// Called for strong reads of global memory: notes that their writers come before.
  void meet(uint64_t address, uint32_t bytes);
  std::set<uint32_t> met;
  /// Whether there were strong writes, or weak ones, of memory that the host reads too, and fences
  /// for all of the device.
  std::atomic<bool> tells = false, writesForHost = false, fences = false;
  /// Whether the host may know from its memory how far the launch is.
  bool tellsHost() const { return tells || (writesForHost && fences); }

private:
  bool isPart(const Suspect &);
  Report reportOf(const Suspect &);
  std::mutex mutex; // protects what follows
  std::map<uint64_t, std::weak_ptr<ClusterShadow>> clusters;
  std::optional<ptx_text::CodePlaces> places;
};

} // namespace tessera::sanitize
