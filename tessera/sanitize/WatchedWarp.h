// WatchedWarp: the warp that a Watch accompanies: its place in the launch, its agents and clocks.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/sanitize/Launch.h"
#include "tessera/sim/Observer.h"

namespace tessera::sanitize {

using sim::AccessRow;
using sim::hex;
using sim::Order;
using sim::TensorSums;
using sim::Warp;
using sim::WarpGroup;

class WatchedWarp {
public:
  WatchedWarp(Launch &, const Warp &);

  /// The number of one of its agents within the cluster.
  uint32_t agent(Agent by) const { return uint32_t(by) * agents.warps + index; }
  /// That of its warpgroup, or of another warp's of the cluster.
  uint32_t groupAgent() const { return groupAgentOf(index); }
  uint32_t groupAgentOf(uint32_t warp) const;
  /// Whether threads of this warp made a mark.
  bool isOwn(const Mark &m) const { return m.agent == base + index; }
  /// The warp of the cluster that made a mark, by threads or by other agents of one warp.
  uint32_t warpOf(const Mark &m) const { return (m.agent - base) % agents.warps; }
  uint32_t warpsOfBlock() const { return agents.warps / uint32_t(cluster->blocks.size()); }
  BlockShadow &shadowOf(const sim::Cta &cta) const { return cluster->blocks[cta.rank]; }

  /// Of threads the time, which each release advances; of work that goes on the number of the last
  /// piece that has begun.
  uint32_t &clock(Agent by) { return clocks[size_t(by)]; }
  uint32_t clock(Agent by) const { return clocks[size_t(by)]; }

  /// What an access of now leaves in the shadow.
  Mark markOf(Access access, int lane) const {
    const Agent by = row(access).by;
    return {base + agent(by), clock(by), Mask(1) << lane, uint32_t(line()), uint32_t(access), 0};
  }
  /// Loads and stores are strong if the instruction that runs says so.
  Access strength(Access access) const {
    if (access == Access::Atomic)
      return atomic();
    if (access != Access::Read && access != Access::Write)
      return access;
    bool weak = w.instruction().order == Order::Weak;
    return weak ? access : access == Access::Read ? Access::StrongRead : Access::StrongWrite;
  }
  /// Whether the scopes of two strong accesses include each other's thread. PTX ISA 8.7.
  bool areMutual(const Mark &a, const Mark &b) const {
    return launch.narrow.isEmpty() || a.agent == b.agent || reach(a, b);
  }
  /// The line that runs, or that of other work that is blamed.
  int32_t line() const { return blamed ? blamed : w.line(); }

  const Warp &w;
  Launch &launch;
  const std::shared_ptr<ClusterShadow> cluster;
  const Agents agents;
  const uint32_t base, index; // first agent of the cluster; index of the warp in the cluster

private:
  friend class Blame;
  bool reach(const Mark &, const Mark &) const;
  /// The operation of the instruction that runs.
  Access atomic() const;

  static constexpr size_t kinds = size_t(Agent::Group); // a group numbers its products itself
  std::array<uint32_t, kinds> clocks{1};                // by kind of agent, threads first
  int32_t blamed = 0;
};

/// While it lives, another line than the one that runs is blamed.
class Blame {
public:
  Blame(WatchedWarp &warp, int32_t line) : warp(warp), before(std::exchange(warp.blamed, line)) {}
  ~Blame() { warp.blamed = before; }
  Blame(const Blame &) = delete;
  Blame &operator=(const Blame &) = delete;

private:
  WatchedWarp &warp;
  const int32_t before;
};

} // namespace tessera::sanitize
