// Blocks and clusters: who runs when, barriers, and the error when nobody can continue.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/sim/Grid.h"
#include "tessera/sim/Observers.h"

#include <algorithm>
#include <random>

namespace tessera::sim {

namespace {
constexpr uint64_t slice = 4096; // instructions that a warp runs before the next one may
/// PTX ISA 9.7.13.15.16: try_wait ends after a time that the system chooses. This is how often a
/// loop around it may come back before it counts as endless.
constexpr unsigned patience = 1000;
} // namespace

Cta::Cta(Cluster &cluster, uint32_t rank, Dim3 index)
    : cluster(cluster), grid(cluster.grid), rank(rank), index(index),
      shared(size_t(grid.kernel.sharedBytes) + grid.dynamicShared),
      reserved(grid.program.usesReserved ? sharedStart : 0),
      liveThreads(uint32_t(grid.block.volume())),
      registers(grid.kernel, (liveThreads + warpSize - 1) / warpSize),
      groups(liveThreads / (WarpGroup::size * warpSize) + 1) {}

Ran Cta::run(uint64_t budget) {
  Ran ran = Ran::Nothing;
  auto turn = [&](Warp &warp, uint64_t instructions) {
    if (!warp.isDone() && !grid.stopped.load(std::memory_order_relaxed) && warp.run(instructions))
      ran = std::max(ran, warp.isPolling() ? Ran::Polling : Ran::Working);
  };
  if (!grid.limits.shuffle) {
    for (auto &warp : warps)
      turn(*warp, budget);
    return ran;
  }
  std::minstd_rand &random = cluster.random;
  std::vector<Warp *> order;
  for (auto &warp : warps)
    order.push_back(warp.get());
  for (size_t left = order.size(); left; --left) {
    std::swap(order[random() % left], order[left - 1]);
    turn(*order[left - 1], 1 + random() % shortTurn);
  }
  return ran;
}
bool Cta::giveUp() {
  bool any = false;
  for (auto &warp : warps)
    any |= warp->giveUp();
  return any;
}

void Cta::wakeAll(Wait wait, uint32_t subject, bool again) {
  for (auto &warp : warps)
    warp->wake(wait, subject, again);
}

/// Without a number of threads a barrier waits for all that have not exited.
bool Cta::isComplete(const Barrier &barrier) const {
  return barrier.arrived && barrier.arrived >= (barrier.expected ? barrier.expected : liveThreads);
}

Flow Cta::arrive(Warp &warp, Mask active, uint32_t id, uint32_t expected, Mask predicates,
                 bool waits) {
  int lane = std::countr_zero(active);
  if (id >= std::size(barriers))
    return warp.fault(lane, Error::BarrierId, id);
  uint32_t whole = (uint32_t(grid.block.volume()) + warpSize - 1) / warpSize * warpSize;
  if (expected % warpSize || expected > whole)
    return warp.fault(lane, Error::BarrierCount, id, expected);
  Barrier &barrier = barriers[id];
  if (barrier.arrived && barrier.expected != expected)
    return warp.fault(lane, Error::BarrierChanged, id, expected, barrier.expected);
  barrier.expected = expected;
  warp.tell(Synchronize{Synchronize::BarrierArrive, active, id});
  // A barrier counts whole warps: one counts in full if all of its live lanes arrive.
  barrier.arrived += expected && active == warp.live ? warpSize : uint32_t(std::popcount(active));
  barrier.all &= (predicates & active) == active;
  barrier.any |= (predicates & active) != 0;
  barrier.count += uint32_t(std::popcount(predicates & active));
  Flow flow = waits ? warp.block(active, Wait::Barrier, id) : Flow::Next;
  if (isComplete(barrier))
    complete(id);
  return flow;
}

/// Gives the results of bar.red to the threads that wait, and lets them continue.
void Cta::complete(uint32_t id) {
  cluster.changed();
  Barrier done = std::exchange(barriers[id], Barrier());
  for (auto &warp : warps)
    for (const Strand &f : warp->parked()) {
      const Instruction &i = f.frame->function->code[f.pc];
      if (f.wait != Wait::Barrier || f.subject != id)
        continue;
      warp->tell(Synchronize{Synchronize::BarrierPass, f.lanes, id});
      if (i.operand[0] == noSlot)
        continue;
      auto *to = reinterpret_cast<uint32_t *>(f.frame->registers.get() + i.operand[0]);
      if (i.modes.choice == 0) // popc
        for (int lane = 0; lane < warpSize; ++lane)
          to[lane] = f.lanes >> lane & 1 ? done.count : to[lane];
      else
        *to = (*to & ~f.lanes) | ((i.modes.choice == 1 ? done.all : done.any) ? f.lanes : 0);
    }
  warps.front()->tell(Synchronize{Synchronize::BarrierEnd, 0, id});
  wakeAll(Wait::Barrier, id, false);
}

void Cta::exited(Warp &warp, Mask lanes) {
  cluster.changed();
  liveThreads -= uint32_t(std::popcount(lanes));
  if (isDone())
    warp.tell(End{End::Block, lanes});
  if (!liveThreads && tensor && tensor->allocated())
    warp.fault(std::countr_zero(lanes), Error::TensorLeak, tensor->allocated());
  for (uint32_t id = 0; id < std::size(barriers); ++id)
    if (isComplete(barriers[id]))
      complete(id);
  cluster.completeIfAll();
}

Cluster::Cluster(Grid &grid, uint64_t flatIndex)
    : grid(grid), random(uint32_t(grid.limits.shuffle.value_or(0) + flatIndex)), flat(flatIndex) {
  Dim3 clusters{grid.grid.x / grid.cluster.x, grid.grid.y / grid.cluster.y,
                grid.grid.z / grid.cluster.z};
  index = clusters.at(flatIndex);
  for (uint32_t rank = 0; rank < grid.cluster.volume(); ++rank) {
    Dim3 at = grid.cluster.at(rank);
    ctas.push_back(
        std::make_unique<Cta>(*this, rank,
                              Dim3{index.x * grid.cluster.x + at.x, index.y * grid.cluster.y + at.y,
                                   index.z * grid.cluster.z + at.z}));
  }
  for (auto &cta : ctas)
    for (uint64_t first = 0; first < grid.block.volume(); first += warpSize) {
      uint64_t count = std::min<uint64_t>(warpSize, grid.block.volume() - first);
      cta->warps.push_back(std::make_unique<Warp>(*cta, uint32_t(first / warpSize),
                                                  Mask((uint64_t(1) << count) - 1)));
    }
  for (auto &cta : ctas)
    for (auto &warp : cta->warps)
      warp->observer = observerOf(grid.observers, *warp);
}

Ran Cluster::run(uint64_t budget) {
  for (uint64_t spent = 0; spent < budget && !grid.stopped; spent += slice) {
    grid.watchTime();
    Ran ran = Ran::Nothing;
    bool done = true;
    for (auto &cta : ctas) {
      ran = std::max(ran, cta->run(slice));
      done &= cta->isDone();
    }
    // A copy takes longer than a turn: whoever waits for it does so before it ends, however far a
    // warp has run ahead of the others.
    bool copied = false;
    while (!grid.limits.lateCopies && catchUp())
      copied = true;
    if (done)
      return Ran::ToItsEnd;
    if (ran == Ran::Polling && !grid.stopped)
      return ran;
    if (ran == Ran::Nothing && !copied && !catchUp() && !giveUp() && !grid.stopped) {
      if (looksBetween()) // at something that another cluster may change
        return Ran::Polling;
      Cluster *const all[] = {this};
      stopStuck(grid, all);
    }
  }
  return grid.stopped ? Ran::ToItsEnd : Ran::Working;
}

void Cluster::arrive(Warp &warp, Mask lanes) {
  warp.tell(Synchronize{Synchronize::ClusterArrive, lanes});
  arrived += uint32_t(std::popcount(lanes));
  for (int lane = 0; lane < warpSize; ++lane)
    if (lanes >> lane & 1)
      warp.clusterPhase[lane] = phase;
  completeIfAll();
}

void Cluster::completeIfAll() {
  uint32_t all = 0;
  for (auto &cta : ctas)
    all += cta->liveThreads;
  if (!arrived || arrived < all)
    return;
  arrived = 0;
  ++phase;
  changed();
  for (auto &cta : ctas) {
    for (auto &warp : cta->warps)
      for (const Strand &f : warp->parked())
        if (f.wait == Wait::ClusterBarrier)
          warp->tell(Synchronize{Synchronize::ClusterPass, f.lanes});
    cta->wakeAll(Wait::ClusterBarrier, 0, false);
  }
}

Flow Cluster::wait(Warp &warp, Mask lanes) {
  bool over = warp.clusterPhase[std::countr_zero(lanes)] != phase;
  if (over)
    warp.tell(Synchronize{Synchronize::ClusterPass, lanes});
  return over ? Flow::Next : warp.block(lanes, Wait::ClusterBarrier, 0);
}

void Cluster::start(std::function<void()> work) { later.push_back(std::move(work)); }

bool Cluster::catchUp() {
  if (later.empty())
    return false;
  std::function<void()> work = std::move(later.front());
  later.pop_front();
  work();
  return true;
}

bool Cluster::giveUp() {
  bool any = false;
  inVain = std::min(inVain + 1, patience + 1);
  for (auto &cta : ctas)
    for (auto &warp : cta->warps)
      warp->looked &= inVain > 1;
  if (inVain <= patience)
    for (auto &cta : ctas)
      any |= cta->giveUp();
  return any;
}

/// Whether threads that come back to try_wait again and again poll something else in between.
bool Cluster::looksBetween() const {
  bool waits = false, looks = false;
  for (const auto &cta : ctas)
    for (const auto &warp : cta->warps) {
      looks |= warp->looked;
      for (const Strand &f : warp->parked())
        waits |= f.wait == Wait::Event;
    }
  return waits && looks;
}

void Cluster::event() {
  changed();
  for (auto &cta : ctas)
    cta->wakeAll(Wait::Event, 0, true);
}

} // namespace tessera::sim
