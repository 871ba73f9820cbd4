// Barriers of blocks and clusters, and fences. PTX ISA 9.7.13.1 to 9.7.13.5.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/sim/Lanes.h"

#include <algorithm>
#include <atomic>

namespace tessera::sim {

namespace {

/// operand: d or none, barrier, threads or none, predicate or none
template <bool waits> Flow barrier(Warp &w, const Instruction &i, Mask mask) {
  uint32_t id = w.uniform<uint32_t>(i.operand[1], mask);
  uint32_t threads = i.operand[2] == noSlot ? 0 : w.uniform<uint32_t>(i.operand[2], mask);
  Mask predicates = i.operand[3] == noSlot ? 0 : w.predicate(i.operand[3]);
  if (i.operand[2] != noSlot && threads == 0)
    return w.fault(std::countr_zero(mask), Error::BarrierCount, id, threads);
  return w.cta.arrive(w, mask, id, threads, predicates, waits);
}
template <bool waits> Status bindBarrier(Binding &b) {
  auto &o = b.out.operand;
  std::rotate(o.begin(), o.end() - 1, o.end());
  return done(b, barrier<waits>);
}
template <bool counted> Status bindReduction(Binding &b) {
  if (!counted) { // the operand with the number of threads is not there
    b.out.operand[3] = b.out.operand[2];
    b.out.operand[2] = noSlot;
  }
  b.out.modes.choice = uint8_t(b.modifiers.pick({"popc", "and", "or"}));
  return done(b, barrier<true>);
}

Flow clusterArrive(Warp &w, const Instruction &, Mask mask) {
  w.cta.cluster.arrive(w, mask);
  return Flow::Next;
}
Flow clusterWait(Warp &w, const Instruction &, Mask mask) { return w.cta.cluster.wait(w, mask); }

/// Blocks on other threads of the host see what was written before.
Flow fence(Warp &w, const Instruction &i, Mask mask) {
  std::atomic_thread_fence(std::memory_order_seq_cst);
  w.tell(Fence{Fence::Memory, mask, i.order, i.scope});
  return Flow::Next;
}
/// Makes what the threads know of visible through a proxy, or initialised mbarriers to others.
template <Fence::What what> Flow show(Warp &w, const Instruction &, Mask mask) {
  w.tell(Fence{.what = what, .lanes = mask});
  return Flow::Next;
}
Flow nothing(Warp &, const Instruction &, Mask) { return Flow::Next; }

Status bindFence(Binding &b) {
  const Modifiers &m = b.modifiers;
  bool maps = m.has("tensormap::generic");
  return done(b, m.has("mbarrier_init")               ? show<Fence::MbarrierInit>
                 : !m.has("proxy")                    ? fence
                 : maps && m.has("acquire")           ? show<Fence::MapsAcquire>
                 : maps                               ? show<Fence::MapsRelease>
                 : m.has("alias") || m.has("acquire") ? nothing
                                                      : show<Fence::AsyncProxy>);
}

// clang-format off
constexpr InstructionRow rows[] = {
    {"bar ?cta sync", "u32 u32?", bindBarrier<true>, "waits until all threads, or a number of them, are here"},
    {"barrier ?cta sync ?aligned", "u32 u32?", bindBarrier<true>, "the same"},
    {"bar ?cta arrive", "u32 u32", bindBarrier<false>, "arrives without waiting"},
    {"barrier ?cta arrive ?aligned", "u32 u32", bindBarrier<false>, "the same"},
    {"bar ?cta red popc u32", "=u32 u32 pred", bindReduction<false>, "waits, and counts the threads whose predicate is true"},
    {"bar ?cta red popc u32", "=u32 u32 u32 pred", bindReduction<true>, "the same with a number of threads"},
    {"bar ?cta red and|or pred", "=pred u32 pred", bindReduction<false>, "waits; whether the predicate is true in all threads, or in any"},
    {"bar ?cta red and|or pred", "=pred u32 u32 pred", bindReduction<true>, "the same with a number of threads"},
    {"barrier ?cta red popc ?aligned u32", "=u32 u32 pred", bindReduction<false>, "as bar.red"},
    {"barrier ?cta red popc ?aligned u32", "=u32 u32 u32 pred", bindReduction<true>, "as bar.red"},
    {"barrier ?cta red and|or ?aligned pred", "=pred u32 pred", bindReduction<false>, "as bar.red"},
    {"barrier ?cta red and|or ?aligned pred", "=pred u32 u32 pred", bindReduction<true>, "as bar.red"},
    {"barrier cluster arrive ?release|relaxed ?aligned", "", [](Binding &b) { return done(b, clusterArrive); }, "arrives at the cluster's barrier"},
    {"barrier cluster wait ?acquire ?aligned", "", [](Binding &b) { return done(b, clusterWait); }, "waits for all threads of the cluster"},
    {"membar cta|gl|sys", "", bindFence, "orders memory accesses"},
    {"fence ?sc|acq_rel|acquire|release <scope>", "", bindFence, "orders memory accesses"},
    {"fence acquire|release sync_restrict::shared::cluster|sync_restrict::shared::cta cluster", "", bindFence, "orders memory accesses"},
    {"fence mbarrier_init release cluster", "", bindFence, "makes initialised mbarriers visible"},
    {"fence proxy alias|async|async.global|async::generic ?acquire|release ?global|shared::cta|shared::cluster|sync_restrict::shared::cluster|sync_restrict::shared::cta ?cluster", "",
     bindFence, "orders accesses of different proxies"},
    {"fence proxy tensormap::generic release <scope>", "", bindFence, "makes changes of tensor maps visible"},
    {"fence proxy tensormap::generic acquire <scope>", "addr imm", bindFence, "makes a changed tensor map visible to copies"},
};
// clang-format on

} // namespace

const RowGroup barrierRows = {"Barriers and fences", rows};

} // namespace tessera::sim
