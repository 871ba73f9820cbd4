// SharedAccesses: checks a warp's accesses of shared memory, its mbarriers and the end of a block.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/sanitize/LaneGroups.h"
#include "tessera/sanitize/RaceCheck.h"
#include "tessera/sanitize/StrongAccesses.h"
#include "tessera/sanitize/UnsetValues.h"

namespace tessera::sanitize {

class SharedAccesses {
public:
  SharedAccesses(WatchedWarp &self, WarpReports &reports, const WarpKnowledge &knowledge,
                 StrongAccesses &strong, RaceCheck &races, UnsetValues &values)
      : self(self), reports(reports), knowledge(knowledge), strong(strong), races(races),
        values(values) {}

  // A result is false if there are reports enough.

  bool access(const sim::MemoryAccess &);
  /// Plain loads and stores of the own block's memory.
  bool access(const sim::WarpAccess &, const LaneGroups &);
  /// A compare-and-swap that `access` was told of has happened.
  bool swap(const sim::Swap &s) { return !swapping || noteSwap(s); }
  /// By the warps of a warpgroup, all of whom come to the product.
  bool productRead(const sim::ProductRead &);
  /// A lane has waited for its cp.async; its writes now count as those of the lane.
  bool endCopy(const sim::AsyncWork &);
  /// The last thread of the block ends.
  bool endBlock(int lane);

private:
  bool check(const sim::MemoryAccess &);
  bool noteSwap(const sim::Swap &);
  bool mbarrier(const sim::Cta &owner, const Site &, Access, int lane);
  /// Compares an access with the earlier ones of its bytes.
  bool note(const Site &, Access, int lane);
  /// mbarrier.inval comes after what threads of other warps did with the mbarrier.
  bool endMbarrier(SharedShadow &, const Site &, int lane);
  /// Whether a thread of the block knows of an access.
  bool blockKnows(const Mark &) const;

  WatchedWarp &self;
  WarpReports &reports;
  const WarpKnowledge &knowledge;
  StrongAccesses &strong;
  RaceCheck &races;
  UnsetValues &values;
  std::optional<Site> swapping; // of a compare-and-swap that has not happened yet
};

} // namespace tessera::sanitize
