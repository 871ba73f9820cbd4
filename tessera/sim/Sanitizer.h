// Sanitizer: what order the accesses of shared memory have, and reports of those that have none.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Happens-before by vector clocks, of warps: lanes of one warp are not told apart. Barriers, mbarriers and atomics pass
// clocks on. Each warp has a second agent that stands for its bulk copies, whose end only an mbarrier or a wait_group
// tells. A third clock says which writes fence.proxy.async has shown to the async proxy; it goes the same ways.
// Source: Flanagan and Freund, "FastTrack", PLDI 2009; PTX ISA 8 (memory consistency model) and 8.6 (proxies).
#pragma once

#include "tessera/sim/Memory.h"

#include <algorithm>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace tessera::sim {

class Warp;

/// How shared memory is accessed. Bulk and Group go through the async proxy; a Bulk access ends later.
enum class Access : uint8_t {
  Read,
  Write,
  Atomic,
  Mbarrier,
  BulkRead,
  BulkWrite,
  GroupRead
};

/// What an agent knows of the others: their accesses up to a clock, and their writes that the async proxy sees.
struct Clocks {
  std::vector<uint32_t> seen, proxied;

  explicit Clocks(size_t agents = 0) : seen(agents), proxied(agents) {}
  void join(const Clocks &other) {
    join(seen, other.seen);
    join(proxied, other.proxied);
  }
  void fence() { join(proxied, seen); }

private:
  static void join(std::vector<uint32_t> &to, const std::vector<uint32_t> &from) {
    to.resize(std::max(to.size(), from.size()));
    for (size_t i = 0; i < from.size(); ++i)
      to[i] = std::max(to[i], from[i]);
  }
};

/// The last accesses of each byte of a block's shared memory.
class Shadow {
public:
  explicit Shadow(size_t bytes) : cells(bytes) {}

  /// An access by a lane of a warp; false after a fault.
  bool note(Warp &, uint32_t offset, uint32_t bytes, Access, uint64_t address, int lane);

private:
  struct Mark {
    uint32_t agent = 0, clock = 0;
    int32_t line = 0;
    uint32_t thread = 0;
    Access access = Access::Read;
  };
  struct Cell {
    Mark write, read; // clock 0: never
    bool hasMore = false;
  };

  std::vector<Cell> cells;
  std::unordered_map<uint32_t, std::vector<Mark>> more; // reads that are not ordered with each other
  std::unordered_map<uint32_t, Clocks> atomics;
};

} // namespace tessera::sim
