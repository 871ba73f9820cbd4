// The place of a warp in its launch.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/sanitize/WatchedWarp.h"

#include "tessera/sim/Atomic.h"

namespace tessera::sanitize {

WatchedWarp::WatchedWarp(Launch &launch, const Warp &w)
    : w(w), launch(launch), cluster(launch.clusterOf(w)), agents(cluster->agents),
      base(cluster->firstAgent), index(w.cta.rank * warpsOfBlock() + w.index) {}

Access WatchedWarp::atomic() const {
  return w.instruction().modes.choice == sim::Cas ? Access::Cas : Access::Atomic;
}

bool WatchedWarp::reach(const Mark &a, const Mark &b) const {
  const Scope scope = std::min(launch.narrow.of(int(a.line)), launch.narrow.of(int(b.line)));
  if (scope == Scope::Gpu)
    return true;
  auto block = [&](const Mark &m) {
    return m.agent % agents.count() % agents.warps / warpsOfBlock();
  };
  return a.agent / agents.count() == b.agent / agents.count() &&
         (scope == Scope::Cluster || block(a) == block(b));
}

uint32_t WatchedWarp::groupAgentOf(uint32_t warp) const {
  uint32_t each = agents.groups / uint32_t(w.grid.cluster.volume()), ofBlock = warpsOfBlock();
  return agents.firstGroup() + warp / ofBlock * each + warp % ofBlock / WarpGroup::size;
}

} // namespace tessera::sanitize
