// WorkOrder: which pieces of work of a host's streams are known to come before which.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Vector clocks again (Clocks.h), with an entry for each chain of work: what a stream is given, or
// the nodes of a graph that follow each other. A piece of work knows what it comes after.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>

namespace tessera::sanitize {

/// A piece of work: its chain, and its number among all work of the process. In a chain numbers
/// rise.
struct WorkPoint {
  uint32_t chain = 0, number = 0; // number 0: none
};

/// Pieces of work that have ended, as somebody knows: all up to a number, and those of some chains
/// up to numbers of their own.
class WorkClock {
public:
  bool covers(WorkPoint point) const {
    if (point.number <= all)
      return true;
    auto found = chains.find(point.chain);
    return found != chains.end() && point.number <= found->second;
  }
  void add(WorkPoint point) {
    if (point.number > all)
      chains[point.chain] = std::max(chains[point.chain], point.number);
  }
  void addAll(uint32_t upTo) {
    all = std::max(all, upTo);
    std::erase_if(chains, [&](const auto &entry) { return entry.second <= all; });
  }
  void join(const WorkClock &other) {
    addAll(other.all);
    for (auto [chain, number] : other.chains)
      add({chain, number});
  }

private:
  uint32_t all = 0;
  std::map<uint32_t, uint32_t> chains;
};

/// The piece of work that runs, and what comes before it.
struct WorkStep {
  WorkPoint point{};
  WorkClock after{};
  /// Everything up to this work, when it has ended.
  WorkClock ended() const {
    WorkClock out = after;
    out.add(point);
    return out;
  }
};

/// Bytes that a copy or a fill touches.
struct WorkRange {
  uint64_t start = 0, bytes = 0;
  bool writes = false;

  uint64_t end() const { return start + bytes; }
  friend bool operator==(const WorkRange &, const WorkRange &) = default;
};

/// What work that the host has not waited for does with a page of memory that both use, of which it
/// touches every byte.
struct BusyPage {
  static constexpr uint64_t bytes = 4096;
  uint64_t start = 0;
  bool isWritten = false; // every byte; otherwise some are only read
};

} // namespace tessera::sanitize
