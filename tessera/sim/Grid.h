// Grid: one launch, as all of its blocks see it; blocks, clusters and their barriers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/sim/Heap.h"
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

/// What a machine lets a kernel take, and what it counts and says of it.
struct Limits {
  uint64_t instructions = uint64_t(1) << 36; // of one warp
  uint64_t globalBytes = uint64_t(16) << 30; // with the local memory of all blocks that run
  uint32_t sharedBytes = 227 * 1024;         // of a block
  uint32_t localBytes = 512 * 1024;          // of a thread; at most 1 GiB
  unsigned hostThreads = 0;                  // 0: as many as the host has
  bool lateCopies = false;           // asynchronous work is done when it is waited for, not soon
  std::optional<uint64_t> shuffle{}; // a seed: warps run in a random order, each for a random
                                     // while, and so do clusters
  bool counts = false;               // all of Statistics
  std::optional<TracedWarp> trace{}; // whose instructions are said
  std::function<void(const std::string &)> progress{}; // called now and then
  /// What kernels print is kept up to so many bytes, until it is taken.
  uint64_t outputBytes = uint64_t(64) << 20;
  uint64_t heapBytes = Heap::defaultSize; // of malloc, where a kernel calls it
  /// A launch that is not at its end by then fails with the id Time.
  std::optional<std::chrono::steady_clock::time_point> deadline{};
};

/// Instructions that a warp runs at most before another one may, where the order is random.
inline constexpr uint64_t shortTurn = 64;

/// Which clusters have been begun, or taken over by others (clusterlaunchcontrol).
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
  Heap *heap = nullptr;                   // of malloc, where the program calls it
  bool cooperative = false;               // all blocks wait for each other
  uint64_t workspace = 0;                 // of a cooperative launch, an address
  std::vector<Observer *> observers = {}; // of all warps
  const Wishes wishes = {};
  std::atomic<bool> stopped = false;
  ClusterQueue clusters = {};

  /// Keeps the first reason, and stops all blocks. `said` is the same with its place.
  void stop(Reason, std::shared_ptr<const Report> said = nullptr);
  /// Stops all blocks if the deadline is over.
  void watchTime();
  /// Keeps a text as far as there is room; `cut` bytes of it did not even come.
  void print(std::string_view, uint64_t cut = 0);

  std::mutex mutex = {}; // of what follows
  std::optional<Reason> reason = {};
  std::shared_ptr<const Report> fault = nullptr; // of the reason, unless an observer ended it
  std::string output = {};
  uint64_t outputRoom = limits.outputBytes, cutBytes = 0; // what is left for output; what was lost
  Statistics statistics = {};
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

/// What came of a turn.
enum class Ran : uint8_t {
  Nothing, // nobody could go on
  Polling, // who could, read the same again and again: somebody else has to do something
  Working,
  ToItsEnd
};

class Cta {
public:
  Cta(Cluster &cluster, uint32_t rank, Dim3 index);

  /// Runs every warp for a while.
  Ran run(uint64_t budget);
  /// Lets all that wait for mbarriers go on without; whether anyone did.
  bool giveUp();
  bool isDone() const { return liveThreads == 0; }
  /// Arrival of lanes at barrier `id`, with a predicate each. `waits`: they go on when it is
  /// complete.
  Flow arrive(Warp &, Mask active, uint32_t id, uint32_t expected, Mask predicates, bool waits);
  /// Lanes have exited.
  void exited(Warp &, Mask);
  void wakeAll(Wait wait, uint32_t subject, bool again);
  std::string waiting() const;

  Cluster &cluster;
  Grid &grid;
  const uint32_t rank;
  const Dim3 index;
  std::vector<std::byte> shared;
  /// What lies below `shared`, where the program asks for it: groups of several warps
  /// (cooperative_groups) meet there.
  std::vector<std::byte> reserved;
  uint32_t liveThreads;
  std::vector<std::unique_ptr<Warp>> warps;
  /// Made when an instruction first names it.
  TensorMemory &tensorMemory() {
    if (!tensor)
      tensor = std::make_unique<TensorMemory>();
    return *tensor;
  }
  /// Whether something lies in its shared memory.
  bool owns(const void *at) const {
    return at >= shared.data() && at < shared.data() + shared.size();
  }
  WarpGroup &group(uint32_t warp) { return groups[warp / WarpGroup::size]; }

private:
  void complete(uint32_t id);
  bool isComplete(const Barrier &) const;
  Barrier barriers[16];
  std::unique_ptr<TensorMemory> tensor;
  std::vector<WarpGroup> groups;
};

/// Blocks that share their shared memory; one block where there are no clusters.
class Cluster {
public:
  Cluster(Grid &, uint64_t flatIndex);

  /// Runs for a while, or until all poll. To its end too when the grid has stopped.
  Ran run(uint64_t budget);
  /// barrier.cluster: arrival of lanes, and waiting for the phase in which they arrived.
  void arrive(Warp &, Mask);
  Flow wait(Warp &, Mask);
  void completeIfAll();
  /// Something that waiting strands poll has changed.
  void event();
  /// Does what mbarriers hear of: when each warp has had its turn, or with Limits::lateCopies when
  /// nobody can go on without it.
  void start(std::function<void()> work);
  /// Does the first of what was put off; whether there was something.
  bool catchUp();
  /// Whoever waits has to wait again if nothing but giving up happened since.
  void changed() { inVain = 0; }

  Grid &grid;
  Dim3 index;
  uint32_t arrived = 0, phase = 0;
  uint8_t ctaGroup = 0; // that tcgen05 instructions of the kernel name; 0: none so far
  /// Its number in the grid.
  uint64_t number() const { return flat; }
  std::vector<std::unique_ptr<Cta>> ctas;
  std::minstd_rand random; // of Limits::shuffle

private:
  /// Ends each mbarrier.try_wait, as hardware does after a while; false if that did not help so
  /// often that it never will.
  bool giveUp();
  Party firstWaiting() const;

  std::deque<std::function<void()>> later;
  const uint64_t flat;
  unsigned inVain = 0; // times that all gave up since anything else happened
};

} // namespace tessera::sim
