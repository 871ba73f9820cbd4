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

uint32_t WatchedWarp::groupAgent() const {
  uint32_t each = agents.groups / uint32_t(w.grid.cluster.volume());
  return agents.firstGroup() + w.cta.rank * each + w.index / WarpGroup::size;
}

} // namespace tessera::sanitize
