// How the lanes of a warp learn of accesses, and what they know.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/sanitize/WarpKnowledge.h"

namespace tessera::sanitize {

WarpKnowledge::WarpKnowledge(WatchedWarp &self)
    : self(self), maps{std::vector<Known>(self.agents.warps), {}} {
  common.prepare(self.agents);
  self.cluster->knowledge[self.index] = this;
}

//===--- Questions ---------------------------------------------------------------------------===//

bool WarpKnowledge::covers(const Clocks &clocks, Channel channel, const Mark &m) const {
  uint32_t local = m.agent - self.base;
  const Known *known = nullptr;
  if (local < self.agents.count()) {
    const auto &near = clocks.near[size_t(channel)];
    known = local < near.size() ? &near[local] : nullptr;
  } else if (auto found = clocks.far.find(m.agent); found != clocks.far.end())
    known = &found->second[size_t(channel)];
  if (!known)
    return false;
  Agent by = row(m.how()).by;
  if (by == Agent::Copy || by == Agent::StoreSource)
    return known->coversCopy(m.clock) && (local >= self.agents.count() || coversRepeats(*known, m));
  return known->covers(m.clock, m.lanes) || (channel == Channel::Seen && isConsumed(clocks, m));
}

bool WarpKnowledge::coversRepeats(const Known &known, const Mark &copy) const {
  const auto &repeated = self.cluster->repeated[self.warpOf(copy)];
  auto at = std::ranges::lower_bound(repeated, copy.clock, {}, &ClusterShadow::Repeated::first);
  if (at == repeated.end() || at->first != copy.clock)
    return true;
  for (Mask left = at->later; left; left &= left - 1)
    if (!known.coversCopy(copy.clock + 1 + uint32_t(std::countr_zero(left))))
      return false;
  return true;
}

bool WarpKnowledge::isConsumed(const Clocks &clocks, const Mark &m) const {
  const uint32_t warp = m.agent - self.base;
  if (m.how() != Access::Read || warp >= self.agents.warps)
    return false;
  const auto &filled = self.cluster->filled[warp];
  auto next = std::ranges::lower_bound(filled, m.clock, {}, &ClusterShadow::Filled::clock);
  return next != filled.end() &&
         clocks.at(Channel::Seen, self.groupAgentOf(warp)).full >= next->product;
}

bool WarpKnowledge::knowsMade(const Mark &m, int lane) const {
  return knows(m, lane) ||
         (self.isOwn(m) ? ownInits.covers(m.clock, m.lanes) : covers(common, Channel::Inits, m));
}

bool WarpKnowledge::knowsWhole(const Mark &m) const {
  if (allKnow(m))
    return true;
  for (Mask left = self.w.live; left; left &= left - 1) // each may have learned of it by itself
    if (!knows(m, std::countr_zero(left)))
      return false;
  return true;
}

bool WarpKnowledge::isShown(const Mark &m, Access to, int lane) const {
  if (row(to).proxy == sim::Proxy::TensorMap)
    return maps.covers(m, self.base) ||
           std::ranges::any_of(self.cluster->blocks[self.w.cta.rank].mapFences,
                               [&](const MapFence &f) {
                                 return f.maps.covers(m, self.base) && knows(f.fence, lane);
                               });
  return covers(common, Channel::Async, m) ||
         (to == Access::MbarrierCopy && covers(common, Channel::Inits, m));
}

//===--- Events ------------------------------------------------------------------------------===//

void WarpKnowledge::synchronize(const sim::Synchronize &s) {
  using enum sim::Synchronize::What;
  bool relaxed = s.what == BarrierArrive || s.what == ClusterArrive
                     ? self.w.instruction().order == Order::Relaxed
                     : false;
  auto barrier = [&]() -> Clocks & { return self.shadowOf(self.w.cta).barriers[s.id]; };
  auto phases = [&]() -> PhaseClocks & { return self.cluster->mbarriers[s.mbarrier]; };
  switch (s.what) {
  case BarrierArrive: release(barrier(), s.lanes, relaxed); break;
  case BarrierPass:
    acquire(barrier(), s.lanes);
    meet(s.lanes);
    break;
  case BarrierEnd: barrier() = {}; break;
  case ClusterArrive: release(self.cluster->arrivals, s.lanes, relaxed); break;
  case ClusterPass:
    acquire(self.cluster->arrivals, s.lanes);
    if (!self.cluster->arrivals.near[0].empty())
      ownInits.join(self.cluster->arrivals.at(Channel::Inits, self.index));
    break;
  case LanesMeet: meet(s.lanes); break;
  case MbarrierInit: phases() = {}; break;
  case MbarrierArrive: arrive(phases(), s.lanes, s.isFar); break;
  case MbarrierPass: waited(phases(), s.lanes); break;
  case MbarrierPhase: {
    PhaseClocks &clocks = phases();
    clocks.ended.join(std::exchange(clocks.arrivals, {}), self.agents);
    clocks.endedFar.join(std::exchange(clocks.arrivalsFar, {}), self.agents);
    break;
  }
  case TensorCommit:     // TensorOrder.h
  case Registers: break; // WarpgroupRegisters.h
  }
}

void WarpKnowledge::fence(const sim::Fence &f) {
  using enum sim::Fence::What;
  switch (f.what) {
  case Memory: fenceMemory(f.order, f.scope, f.lanes); break;
  case AsyncProxy: show(Channel::Async, f.lanes); break;
  case MbarrierInit: show(Channel::Inits, f.lanes); break;
  case MapsRelease: show(Channel::Maps, f.lanes); break;
  case MapsAcquire: acquireMaps(f.lanes); break;
  case Products: // GroupProducts.h
  case BeforeThreadSync:
  case AfterThreadSync: // TensorOrder.h
  case DependentsBegin:
  case DependenciesEnd: break; // EarlyAccesses.h
  }
}

void WarpKnowledge::endCopy(const sim::AsyncWork &work) {
  auto tell = [&](Clocks &clocks) {
    clocks.prepare(self.agents);
    clocks.at(Channel::Seen, self.agent(work.by)).addCopy(uint32_t(work.number));
  };
  if (work.mbarrier) {
    tell(self.cluster->mbarriers[work.mbarrier].arrivals);
    return;
  }
  Clocks ended;
  tell(ended);
  acquire(ended, Mask(1) << work.lane);
}

//===--- How knowledge is passed on ----------------------------------------------------------===//

void WarpKnowledge::release(Clocks &to, Mask lanes, bool relaxed) {
  to.prepare(self.agents);
  if (relaxed) { // only what was fenced before
    to.at(Channel::Inits, self.index).join(common.at(Channel::Inits, self.index));
    to.tensor.join(common.tensor);
    if (lanes & fencedLanes)
      to.join(fenced, self.agents);
    return;
  }
  to.join(common, self.agents);
  Known mine;
  for (Mask left = lanes; left; left &= left - 1) {
    int lane = std::countr_zero(left);
    mine.join(own[lane]);
    if (extra[lane])
      to.join(*extra[lane], self.agents);
  }
  bool all = (self.w.live & ~lanes) == 0;
  uint32_t &now = self.clock(Agent::Thread);
  mine.join(all ? Known{now, 0, 0} : Known{0, now, lanes});
  to.at(Channel::Seen, self.index).join(mine);
  if (self.agents.tensors)
    to.tensor.set(TensorClocks::LoadsBegun, self.index, self.clock(Agent::TensorLoad), self.agents);
  ++now;
}

void WarpKnowledge::acquire(const Clocks &from, Mask lanes) {
  if (from.isEmpty())
    return;
  bool all = (self.w.live & ~lanes) == 0;
  if (all)
    common.join(from, self.agents);
  common.tensor.join(from.tensor); // as a whole too
  for (Mask left = lanes; left; left &= left - 1) {
    int lane = std::countr_zero(left);
    if (!from.near[0].empty())
      own[lane].join(from.at(Channel::Seen, self.index));
    if (all)
      continue;
    if (!extra[lane]) {
      extra[lane] = std::make_unique<Clocks>();
      extra[lane]->prepare(self.agents);
    }
    extra[lane]->join(from, self.agents);
    for (Channel channel :
         {Channel::Async, Channel::Inits, Channel::Maps}) // these are kept for the warp as a whole
      for (size_t i = 0; i < self.agents.warps && !from.near[0].empty(); ++i)
        common.near[size_t(channel)][i].join(from.near[size_t(channel)][i]);
  }
}

void WarpKnowledge::read(const Clocks &released, Scope scope, Mask lanes, bool acquires) {
  if (acquires)
    acquire(released, lanes);
  else
    observed[size_t(scope)].join(released, self.agents);
  observedLanes |= lanes;
}

/// A scope that is written has to reach the other block; many kernels leave it out. A relaxed
/// arrival passes on only what fences ordered before it.
void WarpKnowledge::arrive(PhaseClocks &clocks, Mask lanes, bool isFar) {
  const Instruction &i = self.w.instruction();
  bool relaxed = i.order == Order::Relaxed;
  if (isFar && (i.scope == Scope::Cta || (relaxed && fencedScope == Scope::Cta)))
    return;
  release(isFar ? clocks.arrivalsFar : clocks.arrivals, lanes, relaxed);
}

void WarpKnowledge::waited(const PhaseClocks &clocks, Mask lanes) {
  const Instruction &i = self.w.instruction();
  for (bool isFar : {false, true}) {
    const Clocks &from = isFar ? clocks.endedFar : clocks.ended;
    if (from.isEmpty() || (isFar && i.scope == Scope::Cta))
      continue;
    if (i.order != Order::Relaxed) {
      acquire(from, lanes);
      continue;
    }
    common.tensor.join(from.tensor);
    observed[size_t(isFar ? Scope::Cluster : Scope::Cta)].join(from, self.agents);
    observedLanes |= lanes;
  }
}

void WarpKnowledge::meet(Mask lanes) {
  bool all = (self.w.live & ~lanes) == 0;
  Clocks gathered;
  uint32_t &now = self.clock(Agent::Thread);
  Known mine = all ? Known{now, 0, 0} : Known{0, now, lanes};
  for (Mask left = lanes; left; left &= left - 1) {
    int lane = std::countr_zero(left);
    mine.join(own[lane]);
    if (extra[lane])
      gathered.join(*extra[lane], self.agents);
    if (all)
      extra[lane].reset();
  }
  ++now;
  for (Mask left = lanes; left; left &= left - 1)
    own[std::countr_zero(left)] = mine;
  if (!gathered.isEmpty())
    acquire(gathered, lanes);
}

void WarpKnowledge::show(Channel channel, Mask lanes) {
  Clocks known;
  release(known, lanes);
  known.show(channel, self.agents);
  for (size_t i = 0; i < self.agents.warps; ++i)
    common.near[size_t(channel)][i].join(known.near[size_t(channel)][i]);
  for (const auto &[agent, entry] : known.far)
    common.far[agent][size_t(channel)].join(entry[size_t(channel)]);
}

void WarpKnowledge::acquireMaps(Mask lanes) {
  for (size_t i = 0; i < self.agents.warps; ++i)
    maps.near[i].join(common.near[size_t(Channel::Maps)][i]);
  for (const auto &[agent, entry] : common.far)
    maps.far[agent].join(entry[size_t(Channel::Maps)]);
  std::vector<MapFence> &fences = self.shadowOf(self.w.cta).mapFences;
  fences.push_back(
      {{.agent = self.base + self.index, .clock = self.clock(Agent::Thread), .lanes = lanes},
       maps});
  // If there are too many, the oldest is merged into the next one of its warp: more counts as
  // known.
  // A block has 32 warps at most.
  constexpr size_t most = 64;
  if (fences.size() <= most)
    return;
  auto next = std::find_if(fences.begin() + 1, fences.end(), [&](const MapFence &f) {
    return f.fence.agent == fences[0].fence.agent;
  });
  if (next == fences.end()) // the others' are kept; this warp's own is in `maps`
    return void(fences.erase(fences.begin()));
  fences[0].maps = std::move(next->maps);
  fences.erase(next);
}

void WarpKnowledge::fenceMemory(Order order, Scope scope, Mask lanes) {
  if (order != Order::Release && (observedLanes & lanes)) {
    for (Scope s : scopes)
      if (s <= scope)
        acquire(std::exchange(observed[size_t(s)], {}), lanes);
    observedLanes &= ~lanes;
  }
  if (order == Order::Acquire)
    return;
  if (scope == Scope::Gpu && !self.launch.fences)
    self.launch.fences = true;
  if (!(fencedLanes &
        ~lanes)) // what others of the warp fenced is replaced only if they fence again
    fenced = {};
  fencedLanes |= lanes;
  fencedScope = scope;
  release(fenced, lanes);
}

} // namespace tessera::sanitize
