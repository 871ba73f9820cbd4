// The place of a warp in its launch, and the marks that it makes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/sanitize/WatchedWarp.h"

#include "tessera/sim/Atomic.h"

namespace tessera::sanitize {

WatchedWarp::WatchedWarp(Launch &launch, const Warp &w)
    : w(w), launch(launch), cluster(launch.clusterOf(w)), agents(cluster->agents),
      base(cluster->firstAgent), index(w.cta.rank * warpsOfBlock() + w.index) {}

uint32_t WatchedWarp::groupAgent() const {
  uint32_t each = agents.groups / uint32_t(w.grid.cluster.volume());
  return agents.firstGroup() + w.cta.rank * each + w.index / WarpGroup::size;
}

Mark WatchedWarp::markOf(Access access, int lane) const {
  const Agent by = row(access).by;
  return {base + agent(by), clock(by), Mask(1) << lane, uint32_t(line()), uint32_t(access), 0};
}

Access WatchedWarp::strength(Access access) const {
  if (access == Access::Atomic && w.instruction().modes.choice == sim::Cas)
    return Access::Cas;
  if (access != Access::Read && access != Access::Write)
    return access;
  bool weak = w.instruction().order == Order::Weak;
  return weak ? access : access == Access::Read ? Access::StrongRead : Access::StrongWrite;
}

} // namespace tessera::sanitize
