// WarpKnowledge: what the lanes of a warp know about accesses of others, and how it is passed on.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Clocks (Clocks.h) are kept once for all lanes, and for single lanes only what they know beyond
// that. Barriers, mbarriers, fences and the ends of asynchronous work pass them on;
// StrongAccesses.h does so for releases and acquires of memory, TensorOrder.h for tcgen05. Fences
// of proxies record what the async proxy and tensor maps have been shown. Source: PTX ISA 8 (memory
// consistency model), 8.6 (proxies).
#pragma once

#include "tessera/sanitize/WatchedWarp.h"

namespace tessera::sanitize {

/// The scopes that are told apart, by size.
inline constexpr Scope scopes[] = {Scope::Cta, Scope::Cluster, Scope::Gpu};

class WarpKnowledge {
public:
  explicit WarpKnowledge(WatchedWarp &);
  ~WarpKnowledge() { self.cluster->knowledge[self.index] = nullptr; }
  WarpKnowledge(const WarpKnowledge &) = delete;
  WarpKnowledge &operator=(const WarpKnowledge &) = delete;

  //===--- Questions

  /// Whether a lane knows of an access.
  bool knows(const Mark &m, int lane) const {
    if (self.isOwn(m)) {
      Mask others = m.lanes & ~(Mask(1) << lane);
      if (!others || own[lane].covers(m.clock, others))
        return true;
    }
    return allKnow(m) || (extra[lane] && covers(*extra[lane], Channel::Seen, m));
  }
  /// Whether a lane knows anything of other clusters.
  bool knowsOthers(int lane) const {
    return !common.far.empty() || (extra[lane] && !extra[lane]->far.empty());
  }
  /// Whether the clocks of all lanes have it. Lanes may know of it without, each by its own.
  bool allKnow(const Mark &m) const { return covers(common, Channel::Seen, m); }
  /// Whether all lanes know of it, together or each by its own.
  bool knowsWhole(const Mark &) const;
  /// Whether a lane knows that an mbarrier was made. fence.mbarrier_init tells the whole cluster,
  /// the own block as well, through a barrier that is otherwise relaxed.
  bool knowsMade(const Mark &, int lane) const;
  /// Whether a write has been shown to the proxy that an access goes through.
  bool isShown(const Mark &, Access, int lane) const;
  /// What all lanes know of the threads of each warp of the cluster.
  const Known *ofWarps() const { return common.near[size_t(Channel::Seen)].data(); }

  //===--- Events

  /// Of barriers and mbarriers, except for TensorCommit.
  void synchronize(const sim::Synchronize &);
  /// Of memory and proxies.
  void fence(const sim::Fence &);
  /// A bulk copy of this warp has ended: its mbarrier, or the lane that waited, learns of it.
  void endCopy(const sim::AsyncWork &);

  /// A bulk copy of this warp has begun that does the same as an earlier one of its instruction.
  void repeatCopy(uint32_t first, uint32_t copy) {
    auto &repeated = self.cluster->repeated[self.index];
    auto at = std::ranges::lower_bound(repeated, first, {}, &ClusterShadow::Repeated::first);
    if (at == repeated.end() || at->first != first)
      at = repeated.insert(at, {first, 0});
    at->later |= Mask(1) << (copy - first - 1);
  }

  /// The warp begins a product with A in registers, which earlier loads may have filled.
  void fillProduct(uint32_t product) {
    self.cluster->filled[self.index].push_back({self.clock(Agent::Thread)++, product});
  }

  //===--- For others that pass knowledge on

  /// Passes on what some lanes know and have done, or, relaxed, only what they have fenced.
  void release(Clocks &to, Mask lanes, bool relaxed = false);
  void acquire(const Clocks &from, Mask lanes);
  /// A strong read took what a release of a scope passed on. Without `acquires` it counts from a
  /// fence on.
  void read(const Clocks &released, Scope, Mask lanes, bool acquires);
  /// Whether a fence came before relaxed writes of a lane, and its scope.
  bool hasFenced(Mask lanes) const { return fencedLanes & lanes; }
  Scope scopeOfFence() const { return fencedScope; }
  /// What all lanes know of an agent of the cluster, and of tcgen05 instructions.
  Known &seen(uint32_t agent) { return common.at(Channel::Seen, agent); }
  TensorClocks &tensor() { return common.tensor; }
  const TensorClocks &tensor() const { return common.tensor; }

private:
  /// Lanes have met, so each knows what the others know.
  void meet(Mask lanes);
  void fenceMemory(Order, Scope, Mask lanes);
  /// Arrival at an mbarrier, by threads of the barrier's own block or of others.
  void arrive(PhaseClocks &, Mask lanes, bool isFar);
  void waited(const PhaseClocks &, Mask lanes);
  /// Makes everything that some lanes know visible through a proxy.
  void show(Channel, Mask lanes);
  /// Allows the block to use maps that have been shown.
  void acquireMaps(Mask lanes);
  bool covers(const Clocks &, Channel, const Mark &) const;
  /// Whether copies have ended, too, for which this one stands.
  bool coversRepeats(const Known &, const Mark &copy) const;
  /// Whether a warp of the cluster read something before a wgmma that is known to have ended, and
  /// that takes registers of all four warps: they have been filled then.
  bool isConsumed(const Clocks &, const Mark &) const;

  WatchedWarp &self;
  Clocks common;                           // of all lanes
  std::unique_ptr<Clocks> extra[warpSize]; // additional knowledge of single lanes
  Known own[warpSize];                     // what each lane knows of the others of its warp
  Known ownInits; // of mbarriers that lanes of the warp made: told by a barrier of the cluster
  Clocks fenced, observed[3]; // what relaxed writes pass on; what relaxed reads have seen, by scope
  Mask fencedLanes = 0, observedLanes = 0;
  Scope fencedScope = Scope::Cta;
  UsableMaps maps; // by fences of the warp itself
};

} // namespace tessera::sanitize
