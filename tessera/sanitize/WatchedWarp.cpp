// The place of a warp in its launch.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/sanitize/WatchedWarp.h"

#include "tessera/sim/Atomic.h"

#include <atomic>

namespace tessera::sanitize {

WatchedWarp::WatchedWarp(Launch &launch, const Warp &w)
    : w(w), launch(launch), cluster(launch.clusterOf(w)), agents(cluster->agents),
      base(cluster->firstAgent), index(w.cta.rank * warpsOfBlock() + w.index) {}

Access WatchedWarp::atomic() const {
  return w.instruction().modes.choice == sim::Cas ? Access::Cas : Access::Atomic;
}

Access WatchedWarp::effectOf(Access access, const sim::MemoryAccess &a) const {
  if (access != Access::Cas || !a.host)
    return access;
  const sim::Slot expected = w.instruction().list[1]; // the first one is the result
  auto differ = [&]<class T>(T, size_t count) {
    auto *at = reinterpret_cast<T *>(const_cast<std::byte *>(a.host));
    const T *values = w.in<T>(expected) + size_t(a.lane) * count;
    for (size_t k = 0; k < count; ++k)
      if (std::atomic_ref(at[k]).load() != values[k])
        return true;
    return false;
  };
  const bool fails = a.bytes == 2   ? differ(uint16_t(), 1)
                     : a.bytes == 4 ? differ(uint32_t(), 1)
                                    : differ(uint64_t(), a.bytes / sizeof(uint64_t));
  return fails ? Access::StrongRead : access;
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
