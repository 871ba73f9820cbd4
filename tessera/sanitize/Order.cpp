// Order: how knowledge is passed on: releases and acquires, fences, and the ends of asynchronous
// work.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/sanitize/Watch.h"

namespace tessera::sanitize {

bool Watch::onSynchronize(const sim::Synchronize &s) {
  using enum sim::Synchronize::What;
  bool relaxed = s.what == BarrierArrive || s.what == ClusterArrive
                     ? w.instruction().order == Order::Relaxed
                     : false;
  auto barrier = [&]() -> Clocks & { return shadowOf(w.cta).barriers[s.id]; };
  auto phases = [&]() -> PhaseClocks & { return cluster->mbarriers[s.mbarrier]; };
  switch (s.what) {
  case BarrierArrive: release(barrier(), s.lanes, relaxed); break;
  case BarrierPass:
    acquire(barrier(), s.lanes);
    meet(s.lanes);
    break;
  case BarrierEnd: barrier() = {}; break;
  case ClusterArrive: release(cluster->arrivals, s.lanes, relaxed); break;
  case ClusterPass:
    acquire(cluster->arrivals, s.lanes);
    if (!cluster->arrivals.near[0].empty())
      ownInits.join(cluster->arrivals.at(Channel::Inits, index));
    break;
  case LanesMeet: meet(s.lanes); break;
  case MbarrierInit: phases() = {}; break;
  case MbarrierArrive: arrive(phases(), s.lanes, s.isFar); break;
  case MbarrierPass: waited(phases(), s.lanes); break;
  case MbarrierPhase: {
    PhaseClocks &clocks = phases();
    clocks.ended.join(std::exchange(clocks.arrivals, {}), agents);
    clocks.endedFar.join(std::exchange(clocks.arrivalsFar, {}), agents);
    break;
  }
  case TensorCommit: commitTensor(phases().arrivals, s.lanes); break;
  }
  return true;
}

bool Watch::onFence(const sim::Fence &f) {
  using enum sim::Fence::What;
  switch (f.what) {
  case Memory: fence(f.order, f.scope, f.lanes); break;
  case AsyncProxy: show(Channel::Async, f.lanes); break;
  case MbarrierInit: show(Channel::Inits, f.lanes); break;
  case MapsRelease: show(Channel::Maps, f.lanes); break;
  case MapsAcquire: acquireMaps(f.lanes); break;
  case Products: ++groupFences; break;
  case BeforeThreadSync: common.tensor.join(ordered); break;
  case AfterThreadSync: ordered.join(common.tensor); break;
  }
  return true;
}

bool Watch::onWork(const sim::AsyncWork &work) {
  return work.what == sim::AsyncWork::Begin ? begin(work) : end(work);
}

bool Watch::begin(const sim::AsyncWork &work) {
  switch (work.by) {
  case Agent::Copy: copies = uint32_t(work.number); return true;
  case Agent::AsyncCopy: asyncs = uint32_t(work.number); return true;
  case Agent::Group: return startProduct(*work.instruction, work.number, work.lane);
  case Agent::TensorLoad:
  case Agent::TensorStore:
  case Agent::TensorWork: beginTensor(work.by, work.sums); return true;
  default: return true;
  }
}

bool Watch::end(const sim::AsyncWork &work) {
  switch (work.by) {
  case Agent::Copy:
  case Agent::StoreSource:
    if (work.mbarrier)
      endCopy(cluster->mbarriers[work.mbarrier].arrivals, work.by, uint32_t(work.number));
    else {
      Clocks knows;
      endCopy(knows, work.by, uint32_t(work.number));
      acquire(knows, Mask(1) << work.lane);
    }
    return true;
  case Agent::AsyncCopy: return endAsync(work);
  case Agent::Group: endProducts(work.number); return true;
  case Agent::TensorLoad:
  case Agent::TensorStore: endTensor(work.by); return true;
  default: return true;
  }
}

void Watch::release(Clocks &to, Mask lanes, bool relaxed) {
  to.prepare(agents);
  if (relaxed) { // only what was fenced before
    to.at(Channel::Inits, index).join(common.at(Channel::Inits, index));
    to.tensor.join(common.tensor);
    if (lanes & fencedLanes)
      to.join(fenced, agents);
    return;
  }
  to.join(common, agents);
  Known mine;
  for (Mask left = lanes; left; left &= left - 1) {
    int lane = std::countr_zero(left);
    mine.join(own[lane]);
    if (extra[lane])
      to.join(*extra[lane], agents);
  }
  bool all = (w.live & ~lanes) == 0;
  mine.join(all ? Known{now, 0, 0} : Known{0, now, lanes});
  to.at(Channel::Seen, index).join(mine);
  if (agents.tensors)
    to.tensor.set(TensorClocks::LoadsBegun, index, begun(Agent::TensorLoad), agents);
  ++now;
}

void Watch::acquire(const Clocks &from, Mask lanes) {
  if (from.isEmpty())
    return;
  bool all = (w.live & ~lanes) == 0;
  if (all)
    common.join(from, agents);
  common.tensor.join(from.tensor); // as a whole too
  for (Mask left = lanes; left; left &= left - 1) {
    int lane = std::countr_zero(left);
    if (!from.near[0].empty())
      own[lane].join(from.at(Channel::Seen, index));
    if (all)
      continue;
    if (!extra[lane]) {
      extra[lane] = std::make_unique<Clocks>();
      extra[lane]->prepare(agents);
    }
    extra[lane]->join(from, agents);
    for (Channel channel :
         {Channel::Async, Channel::Inits, Channel::Maps}) // these are kept for the warp as a whole
      for (size_t i = 0; i < agents.warps && !from.near[0].empty(); ++i)
        common.near[size_t(channel)][i].join(from.near[size_t(channel)][i]);
  }
}

/// A scope that is written has to reach the other block; many kernels leave it out. A relaxed
/// arrival passes on only what fences ordered before it.
void Watch::arrive(PhaseClocks &clocks, Mask lanes, bool isFar) {
  const Instruction &i = w.instruction();
  bool relaxed = i.order == Order::Relaxed;
  if (isFar && (i.scope == Scope::Cta || (relaxed && fencedScope == Scope::Cta)))
    return;
  release(isFar ? clocks.arrivalsFar : clocks.arrivals, lanes, relaxed);
}

void Watch::waited(const PhaseClocks &clocks, Mask lanes) {
  const Instruction &i = w.instruction();
  for (bool isFar : {false, true}) {
    const Clocks &from = isFar ? clocks.endedFar : clocks.ended;
    if (from.isEmpty() || (isFar && i.scope == Scope::Cta))
      continue;
    if (i.order != Order::Relaxed) {
      acquire(from, lanes);
      continue;
    }
    common.tensor.join(from.tensor);
    observed[size_t(isFar ? Scope::Cluster : Scope::Cta)].join(from, agents);
    observedLanes |= lanes;
  }
}

void Watch::meet(Mask lanes) {
  bool all = (w.live & ~lanes) == 0;
  Clocks gathered;
  Known mine = all ? Known{now, 0, 0} : Known{0, now, lanes};
  for (Mask left = lanes; left; left &= left - 1) {
    int lane = std::countr_zero(left);
    mine.join(own[lane]);
    if (extra[lane])
      gathered.join(*extra[lane], agents);
    if (all)
      extra[lane].reset();
  }
  ++now;
  for (Mask left = lanes; left; left &= left - 1)
    own[std::countr_zero(left)] = mine;
  if (!gathered.isEmpty())
    acquire(gathered, lanes);
}

void Watch::show(Channel channel, Mask lanes) {
  Clocks known;
  release(known, lanes);
  known.show(channel, agents);
  for (size_t i = 0; i < agents.warps; ++i)
    common.near[size_t(channel)][i].join(known.near[size_t(channel)][i]);
  for (const auto &[agent, entry] : known.far)
    common.far[agent][size_t(channel)].join(entry[size_t(channel)]);
}

void Watch::acquireMaps(Mask lanes) {
  for (size_t i = 0; i < agents.warps; ++i)
    maps.near[i].join(common.near[size_t(Channel::Maps)][i]);
  for (const auto &[agent, entry] : common.far)
    maps.far[agent].join(entry[size_t(Channel::Maps)]);
  std::vector<MapFence> &fences = shadowOf(w.cta).mapFences;
  fences.push_back({{.agent = base + index, .clock = now, .lanes = lanes}, maps});
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

//===--- Fences and strong accesses. PTX ISA 8.8 to 8.10 -------------------------------------===//

namespace {
constexpr Scope scopes[] = {Scope::Cta, Scope::Cluster, Scope::Gpu};
/// The block, the cluster or the grid.
uint64_t instanceOf(const sim::Cta &cta, Scope scope) {
  uint64_t cluster = cta.cluster.number();
  return scope == Scope::Cta       ? cluster * cta.cluster.ctas.size() + cta.rank
         : scope == Scope::Cluster ? cluster
                                   : 0;
}
} // namespace

void Watch::fence(Order order, Scope scope, Mask lanes) {
  if (order != Order::Release && (observedLanes & lanes)) {
    for (Scope s : scopes)
      if (s <= scope)
        acquire(std::exchange(observed[size_t(s)], {}), lanes);
    observedLanes &= ~lanes;
  }
  if (order == Order::Acquire)
    return;
  if (scope == Scope::Gpu && !launch.fences)
    launch.fences = true;
  if (!(fencedLanes &
        ~lanes)) // what others of the warp fenced is replaced only if they fence again
    fenced = {};
  fencedLanes |= lanes;
  fencedScope = scope;
  release(fenced, lanes);
}

void Watch::order(const std::byte *host, Access access, int lane) {
  const Instruction &i = w.instruction();
  const AccessRow &how = row(access);
  GlobalShadow &shadow = launch.shadow;
  Mask mask = Mask(1) << lane;
  bool releases = i.order == Order::Release || i.order == Order::AcquireRelease;
  bool acquires = i.order == Order::Acquire || i.order == Order::AcquireRelease;
  if (how.reads)
    looks.push_back({host, mask, i.scope, acquires});
  if (!how.writes || (!releases && !(fencedLanes & mask)))
    return;
  Clocks mine;
  release(mine, mask, !releases);
  Scope scope = releases ? i.scope : std::min(i.scope, fencedScope);
  std::lock_guard lock(shadow.mutex);
  shadow.hasReleases = true;
  auto &to = shadow.releases[host];
  for (Scope s : scopes)
    if (s <= scope)
      mine.leave(to[{s, instanceOf(w.cta, s)}], base, agents);
}

/// An access is reported before it happens, and in between another thread of the host may release
/// and write what this one then reads. So what a read learns is looked up after it, when the warp
/// comes to its next instruction: then at most too much is known, never too little.
void Watch::look() {
  GlobalShadow &shadow = launch.shadow;
  if (shadow.hasReleases) {
    std::lock_guard lock(shadow.mutex);
    for (const Look &l : looks)
      if (auto at = shadow.releases.find(l.host); at != shadow.releases.end())
        for (Scope s : scopes)
          if (auto found = at->second.find({s, instanceOf(w.cta, s)});
              s <= l.scope && found != at->second.end()) {
            Clocks met;
            met.enter(found->second, base, agents);
            if (l.acquires)
              acquire(met, l.lanes);
            else
              observed[size_t(s)].join(met, agents);
            observedLanes |= l.lanes;
          }
  }
  looks.clear();
}

//===--- Work that goes on -------------------------------------------------------------------===//

void Watch::endCopy(Clocks &knows, Agent agent, uint32_t clock) const {
  knows.prepare(agents);
  knows.at(Channel::Seen, uint32_t(agent) * agents.warps + index).addCopy(clock);
}

void Watch::endProducts(uint64_t product) {
  Mask warp = Mask(1) << w.index % WarpGroup::size;
  common.at(Channel::Seen, groupAgent())
      .joinProducts({.full = 0, .part = uint32_t(product), .lanes = warp});
  waitedProducts = std::max(waitedProducts, product);
}

} // namespace tessera::sanitize
