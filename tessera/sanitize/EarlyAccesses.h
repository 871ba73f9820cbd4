// EarlyAccesses: accesses of a programmatic launch that do not come after the launch before it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A launch may begin before the one that it depends on has ended, if that has run
// griddepcontrol.launch_dependents. What it did is then known to threads that have run
// griddepcontrol.wait, and to those who know of such a wait. PTX ISA, griddepcontrol.
#pragma once

#include "tessera/sanitize/WarpKnowledge.h"
#include "tessera/sanitize/WarpReports.h"

namespace tessera::sanitize {

class EarlyAccesses {
public:
  EarlyAccesses(const WatchedWarp &self, WarpReports &reports, const WarpKnowledge &knowledge)
      : self(self), reports(reports), knowledge(knowledge) {}

  /// griddepcontrol.wait.
  void wait(Mask lanes);
  /// Whether no access of these lanes can be early.
  bool areLate(Mask lanes) const { return !self.launch.dependsOn || !(lanes & ~waited); }
  /// An access of global memory; false if there are reports enough.
  bool access(const sim::MemoryAccess &, Access);

private:
  bool isLate(int lane);

  const WatchedWarp &self;
  WarpReports &reports;
  const WarpKnowledge &knowledge;
  Mask waited = 0;
};

} // namespace tessera::sanitize
