// Grid: one launch as seen by all of its blocks; blocks, clusters and their barriers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/sim/Conditions.h"
#include "tessera/sim/Heap.h"
#include "tessera/sim/Idling.h"
#include "tessera/sim/RegisterPool.h"
#include "tessera/sim/Statistics.h"
#include "tessera/sim/TensorMemory.h"
#include "tessera/sim/WarpGroup.h"

#include <atomic>
#include <chrono>
#include <deque>
#include <functional>
#include <mutex>
#include <random>

namespace tessera::sim {

class DeviceLaunches;
struct Party;
struct Report;

struct Dim3 {
  uint32_t x = 1, y = 1, z = 1;
  uint64_t volume() const { return uint64_t(x) * y * z; }
  std::string str() const { return cat("(", x, ", ", y, ", ", z, ")"); }
  friend bool operator==(const Dim3 &, const Dim3 &) = default;
  /// The coordinates of a flat index, x fastest.
  Dim3 at(uint64_t flat) const {
    return {uint32_t(flat % x), uint32_t(flat / x % y), uint32_t(flat / x / y)};
  }
};

/// A warp of a block.
struct TracedWarp {
  Dim3 block{0, 0, 0};
  uint32_t warp = 0;
  friend bool operator==(const TracedWarp &, const TracedWarp &) = default;
};

/// Limits of a machine for kernels, and what it counts and traces.
struct Limits {
  uint64_t instructions = uint64_t(1) << 36; // of one warp
  uint64_t globalBytes = uint64_t(16) << 30; // including the local memory of all running blocks
  uint32_t sharedBytes = 227 * 1024;         // of a block
  uint32_t localBytes = 512 * 1024;          // of a thread; at most 1 GiB
  unsigned hostThreads = 0;                  // 0: as many as the host has
  bool lateCopies = false;           // asynchronous work is done when it is waited for, not soon
  std::optional<uint64_t> shuffle{}; // a seed: warps run in a random order, each for a random
                                     // while, and so do clusters
  bool counts = false;               // all of Statistics
  std::optional<TracedWarp> trace{}; // whose instructions are printed
  std::function<void(const std::string &)> progress{}; // called from time to time
  /// Output of kernels that is kept until it is taken, in bytes.
  uint64_t outputBytes = uint64_t(64) << 20;
  uint64_t heapBytes = Heap::defaultSize; // of malloc, if a kernel calls it
  /// Whether the process has no threads beside those that run the kernel, so many: then nobody else
  /// writes to memory that the host uses too. Without it nothing is known.
  std::function<bool(unsigned)> isAlone{};
  /// A launch that has not ended by then fails with the id Time.
  std::optional<std::chrono::steady_clock::time_point> deadline{};
};

/// The most instructions that a warp runs in one turn if the order is random.
inline constexpr uint64_t shortTurn = 64;

/// Which clusters have begun, or were taken over by others (clusterlaunchcontrol).
struct ClusterQueue {
  std::atomic<uint64_t> next = 0;
  uint64_t count = 0;
};

struct Grid {
  const Program &program;
  const Function &kernel;
  Dim3 grid, block, cluster;
  uint32_t dynamicShared = 0;
  std::span<const std::byte> parameters;
  uint64_t globals = 0; // address of the program's variables
  GlobalMemory &memory;
  const Limits &limits;
  Heap *heap = nullptr;                   // of malloc, if the program calls it
  DeviceLaunches *launches = nullptr;     // what its kernels launch
  bool cooperative = false;               // all blocks wait for each other
  uint64_t workspace = 0;                 // of a cooperative launch, an address
  std::vector<Observer *> observers = {}; // of all warps
  Conditions *conditions = nullptr;       // of the nodes of graphs
  const Wishes wishes = {};
  std::atomic<bool> stopped = false;
  ClusterQueue clusters = {};

  /// Keeps the first reason, and stops all blocks. `said` is the same reason with its place.
  void stop(Reason, std::shared_ptr<const Report> said = nullptr);
  /// Stops all blocks if the deadline has passed.
  void watchTime();
  /// Keeps text as long as there is room. `cut` bytes of it were lost before.
  void print(std::string_view, uint64_t cut = 0);

  std::mutex mutex = {}; // protects what follows
  std::optional<Reason> reason = {};
  std::shared_ptr<const Report> fault =
      nullptr; // of the reason, unless an observer ended the launch
  std::string output = {};
  uint64_t outputRoom = limits.outputBytes, cutBytes = 0; // room left for output; bytes lost
  Statistics statistics = {};
  Standstill standstill = {};
  uint64_t clustersDone = 0;
  std::chrono::steady_clock::time_point began = std::chrono::steady_clock::now(), told = began;
};

/// A barrier of a block. PTX ISA 9.7.13.1.
struct Barrier {
  uint32_t expected = 0; // threads; 0: all of the block
  uint32_t arrived = 0;
  bool all = true, any = false; // over the predicates of .red
  uint32_t count = 0;
};

class Cluster;

/// The result of a turn.
enum class Ran : uint8_t {
  Nothing, // no warp could continue
  Polling, // warps that could run only polled the same values: another one has to act
  Working,
  ToItsEnd
};

class Cta {
public:
  Cta(Cluster &cluster, uint32_t rank, Dim3 index);

  /// Runs every warp for a while.
  Ran run(uint64_t budget);
  /// Lets all lanes that wait for mbarriers continue without success; returns whether there were
  /// any.
  bool giveUp();
  bool isDone() const { return liveThreads == 0; }
  /// Lanes arrive at barrier `id`, each with a predicate. `waits`: they continue when the barrier
  /// is complete.
  Flow arrive(Warp &, Mask active, uint32_t id, uint32_t expected, Mask predicates, bool waits);
  /// Records that lanes have exited.
  void exited(Warp &, Mask);
  void wakeAll(Wait wait, uint32_t subject, bool again);
  std::string waiting() const;

  Cluster &cluster;
  Grid &grid;
  const uint32_t rank;
  const Dim3 index;
  std::vector<std::byte> shared;
  /// The area below `shared`, if the program uses it: groups of several warps (cooperative_groups)
  /// synchronise there.
  std::vector<std::byte> reserved;
  uint32_t liveThreads;
  std::vector<std::unique_ptr<Warp>> warps;
  /// Created when an instruction first uses it.
  TensorMemory &tensorMemory() {
    if (!tensor)
      tensor = std::make_unique<TensorMemory>();
    return *tensor;
  }
  /// Whether an address is in its shared memory.
  bool owns(const void *at) const {
    return at >= shared.data() && at < shared.data() + shared.size();
  }
  RegisterPool registers;
  WarpGroup &group(uint32_t warp) { return groups[warp / WarpGroup::size]; }

private:
  void complete(uint32_t id);
  bool isComplete(const Barrier &) const;
  Barrier barriers[16];
  std::unique_ptr<TensorMemory> tensor;
  std::vector<WarpGroup> groups;
};

/// Blocks that share their shared memory; a single block without clusters.
class Cluster {
public:
  Cluster(Grid &, uint64_t flatIndex);

  /// Runs for a while, or until all warps poll. If the grid has stopped, runs to the end.
  Ran run(uint64_t budget);
  /// barrier.cluster: arrival of lanes, and waiting for the phase in which they arrived.
  void arrive(Warp &, Mask);
  Flow wait(Warp &, Mask);
  void completeIfAll();
  /// Records that something which waiting fragments poll has changed.
  void event();
  /// Does work whose end mbarriers are told of: after each warp's turn, or with Limits::lateCopies
  /// when no warp can continue without it.
  void start(std::function<void()> work);
  /// Does the first piece of postponed work; returns whether there was any.
  bool catchUp();
  /// Records a change other than giving up, so that waits which gave up may try again.
  void changed() { inVain = 0; }
  /// Runs each warp once more; returns whether it changed nothing and is where it was the last
  /// time.
  bool idles();
  void stopIdling();
  /// The first thread that waits, and where.
  Party firstWaiting() const;

  Grid &grid;
  Dim3 index;
  uint32_t arrived = 0, phase = 0;
  uint8_t ctaGroup = 0; // stated by the kernel's tcgen05 instructions; 0: none so far
  /// Its number in the grid.
  uint64_t number() const { return flat; }
  std::vector<std::unique_ptr<Cta>> ctas;
  std::minstd_rand random; // of Limits::shuffle

private:
  /// Ends each mbarrier.try_wait, as hardware does after a while; false if that did not help so
  /// often that it never will.
  bool giveUp();
  bool looksBetween() const;

  std::deque<std::function<void()>> later;
  const uint64_t flat;
  unsigned inVain = 0;    // times that all gave up since anything else happened
  uint64_t idleState = 0; // of its warps, when idles() was last called
};

/// Stops a launch of which no thread can go on, and says who of some clusters waits for what.
void stopStuck(Grid &, std::span<Cluster *const>);

} // namespace tessera::sim
