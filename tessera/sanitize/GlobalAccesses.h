// GlobalAccesses: checks a warp's accesses of global memory.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/sanitize/EarlyAccesses.h"
#include "tessera/sanitize/LaneGroups.h"
#include "tessera/sanitize/RaceCheck.h"
#include "tessera/sanitize/StrongAccesses.h"
#include "tessera/sanitize/UnsetValues.h"

namespace tessera::sanitize {

class GlobalAccesses {
public:
  GlobalAccesses(const WatchedWarp &self, WarpReports &reports, const WarpKnowledge &knowledge,
                 StrongAccesses &strong, RaceCheck &races, UnsetValues &values,
                 EarlyAccesses &early)
      : self(self), reports(reports), knowledge(knowledge), strong(strong), races(races),
        values(values), early(early) {}

  // A result is false if there are reports enough.

  bool access(const sim::MemoryAccess &);
  /// Plain loads and stores.
  bool access(const sim::WarpAccess &, const LaneGroups &);

  /// A compare-and-swap that `access` was told of has happened.
  bool swap(const sim::Swap &s) { return !swapping || noteSwap(s); }

  /// malloc gives bytes out, or free takes them back.
  void change(const sim::MemoryChange &);

private:
  bool check(const sim::MemoryAccess &);
  bool noteSwap(const sim::Swap &);
  /// An earlier write of this launch to bytes that a load with .nc reads, whose lane knows of it;
  /// or null. What a lane does not know races anyway.
  const Mark *missedBy(const Site &, int lane) const;
  Written &writtenOf(const sim::Allocation &);
  /// The constant variable that an access is in, or null.
  const sim::GlobalVariable *constantOf(const sim::Allocation &, uint64_t address) const;
  /// The variable of the module at or before an address of its variables; null for other memory.
  const sim::GlobalVariable *variableBefore(const sim::Allocation &, uint64_t address) const;
  /// The variable of the module past whose end an access is; null if it is within one.
  const sim::GlobalVariable *passedVariable(const sim::Allocation &, uint64_t address,
                                            uint64_t bytes) const;

  /// Whether a lane knows of a mark where it makes a strong access, or another kind.
  bool knows(const Mark &m, int lane, bool isStrong, const std::byte *host) const {
    return knowledge.knows(m, lane) || (isStrong && !row(m.how()).strong && strong.tells(host, m));
  }

  /// A compare-and-swap before it happens. Its page stays locked: threads of the host that go by
  /// what it writes are noted after it.
  struct Swapping {
    Site site;
    const std::byte *host;
    std::unique_lock<std::mutex> lock;
  };

  const WatchedWarp &self;
  WarpReports &reports;
  const WarpKnowledge &knowledge;
  StrongAccesses &strong;
  RaceCheck &races;
  UnsetValues &values;
  EarlyAccesses &early;
  std::optional<Swapping> swapping;
  GlobalShadow::Page *page = nullptr; // the last one
  uint64_t pageNumber = ~uint64_t(0);
  const sim::Allocation *writtenAt = nullptr; // the last one
  Written *written = nullptr;
};

} // namespace tessera::sanitize
