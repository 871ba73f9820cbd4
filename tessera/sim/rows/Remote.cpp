// Asynchronous stores and reductions to shared memory of a cluster, and clusters that a running one
// takes over. PTX ISA 9.7.9.12, 9.7.13.16 and 9.7.13.18.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/sim/Atomic.h"
#include "tessera/sim/Grid.h"
#include "tessera/sim/rows/Bulk.h"

namespace tessera::sim {

namespace {

/// The mbarrier that is signalled for `bytes`, if that is allowed; null after a fault.
Mbarrier *hearing(Warp &w, Space space, uint64_t address, uint32_t bytes, Access how, int lane) {
  auto *barrier = reinterpret_cast<Mbarrier *>(w.locate(space, address, 8, how, lane));
  if (barrier && barrier->isThere() && barrier->counts(-int64_t(bytes)))
    return barrier;
  if (barrier)
    barrier->isThere()
        ? w.fault(lane, Error::MbarrierBytes, hex(address), barrier->bytes() - int64_t(bytes))
        : w.fault(lane, Error::MbarrierNone, hex(address));
  return nullptr;
}
/// Does work now, or as late as possible, and then signals its bytes to mbarriers.
template <class F> void start(Warp &w, std::vector<Mbarrier *> barriers, uint32_t bytes, F work) {
  w.cta.cluster.start([&w, copy = w.copies, bytes, work, barriers = std::move(barriers)] {
    work();
    for (Mbarrier *barrier : barriers)
      bulk::endCopy(w, copy, *barrier, bytes);
  });
}

//===--- st.async, red.async: [to], values, [mbarrier]; choice: the reduction

template <class A, bool reduces> Flow sendAs(Warp &w, const Instruction &i, Mask mask) {
  using Code = typename A::Code;
  uint64_t to[warpSize], bars[warpSize];
  w.addresses(i, 0, to);
  w.addresses(i, 1, bars);
  for (Mask left = mask; left; left &= left - 1) {
    int lane = std::countr_zero(left);
    uint32_t bytes = uint32_t(sizeof(Code) * i.listSize);
    bulk::beginCopy(w, lane);
    std::byte *at =
        w.locate(i.space, to[lane], bytes, reduces ? Access::BulkReduce : Access::BulkWrite, lane);
    Mbarrier *barrier =
        at ? hearing(w, i.space, bars[lane], bytes, Access::MbarrierSend, lane) : nullptr;
    if (!barrier)
      return Flow::Fault;
    std::array<Code, 4> values{};
    for (size_t k = 0; k < i.listSize; ++k)
      values[k] = w.in<Code>(i.list[k])[lane];
    start(w, {barrier}, bytes, [at, values, bytes, op = i.modes.choice] {
      if (reduces)
        update<A>(at, op, values[0]);
      else
        std::memcpy(at, values.data(), bytes);
    });
  }
  return Flow::Next;
}
template <bool reduces> Status bindSend(Binding &b) {
  const Modifiers &m = b.modifiers;
  int count = m.has("v2") ? 2 : m.has("v4") ? 4 : 1;
  if (b.out.listSize != count)
    return fail(Error::OperandKind, 2, m.mnemonic, cat("a list of ", count),
                cat("one of ", int(b.out.listSize)));
  b.out.modes.choice = atomicOp(m);
  return done(b, byAtomic(m.type(), []<class A>(A) -> Executor { return sendAs<A, reduces>; }));
}

// clusterlaunchcontrol: a cluster that has not begun is not launched any more; the one that asked
// does its work

/// The answer, which programs only pass on: whether a cluster was cancelled, and where its first
/// block lies.
struct Answer {
  uint32_t isCanceled = 0, x = 0, y = 0, z = 0;
};

/// choice: all blocks of the cluster get the answer.
Flow tryCancel(Warp &w, const Instruction &i, Mask mask) {
  uint64_t to[warpSize], bars[warpSize];
  w.addresses(i, 0, to);
  w.addresses(i, 1, bars);
  Space space = i.space == Space::Generic ? Space::Generic : Space::Shared;
  for (Mask left = mask; left; left &= left - 1) {
    int lane = std::countr_zero(left);
    bulk::beginCopy(w, lane);
    std::vector<Mbarrier *> barriers;
    std::vector<std::byte *> places;
    for (uint32_t rank = 0; rank < w.cta.cluster.ctas.size(); ++rank) {
      if (!i.modes.choice && rank != w.cta.rank)
        continue;
      auto of = [&](uint64_t address) {
        uint64_t low = address & ((1u << clusterRankShift) - 1);
        return i.modes.choice ? (space == Space::Generic ? window::shared : 0) | low |
                                    uint64_t(rank) << clusterRankShift
                              : address;
      };
      places.push_back(w.locate(space, of(to[lane]), 16, Access::BulkWrite, lane));
      barriers.push_back(places.back()
                             ? hearing(w, space, of(bars[lane]), 16, Access::MbarrierCopy, lane)
                             : nullptr);
      if (!barriers.back())
        return Flow::Fault;
    }
    Answer answer;
    if (uint64_t index = w.cta.grid.clusters.next++; index < w.cta.grid.clusters.count) {
      const Grid &g = w.grid;
      Dim3 at =
          Dim3{g.grid.x / g.cluster.x, g.grid.y / g.cluster.y, g.grid.z / g.cluster.z}.at(index);
      answer = {1, at.x * g.cluster.x, at.y * g.cluster.y, at.z * g.cluster.z};
    }
    start(w, std::move(barriers), 16, [places, answer] {
      for (std::byte *place : places)
        std::memcpy(place, &answer, 16);
    });
  }
  return Flow::Next;
}
Status bindTryCancel(Binding &b) {
  b.out.modes.choice = uint8_t(b.modifiers.has("multicast::cluster::all"));
  return done(b, tryCancel);
}
Flow isCanceled(Warp &w, const Instruction &i, Mask mask) {
  Mask yes = 0;
  for (int lane = 0; lane < warpSize; ++lane)
    yes |= Mask(w.in<Answer>(i.operand[1])[lane].isCanceled) << lane;
  w.putPredicate(i.operand[0], yes, mask);
  return Flow::Next;
}
template <uint32_t Answer::*extent> struct Coordinate {
  static uint32_t of(Answer a) { return a.*extent; }
};
Status bindCoordinate(Binding &b) {
  constexpr Executor all[] = {each<Coordinate<&Answer::x>, uint32_t, Answer>,
                              each<Coordinate<&Answer::y>, uint32_t, Answer>,
                              each<Coordinate<&Answer::z>, uint32_t, Answer>};
  return done(
      b, all[b.modifiers.pick({"get_first_ctaid::x", "get_first_ctaid::y", "get_first_ctaid::z"})]);
}
/// list: x, y, z and one that is not written.
Flow coordinates(Warp &w, const Instruction &i, Mask mask) {
  const Answer *answers = w.in<Answer>(i.operand[0]);
  constexpr uint32_t Answer::*parts[] = {&Answer::x, &Answer::y, &Answer::z};
  for (size_t part = 0; part < 3; ++part)
    for (int lane = 0; lane < warpSize; ++lane)
      if (mask >> lane & 1)
        w.out<uint32_t>(i.list[part])[lane] = answers[lane].*parts[part];
  return Flow::Next;
}
Status bindCoordinates(Binding &b) {
  if (b.out.listSize != 4)
    return fail(Error::OperandKind, 1, b.modifiers.mnemonic, "a list of 4",
                cat("one of ", int(b.out.listSize)));
  return done(b, coordinates);
}

#define HEARD " mbarrier::complete_tx::bytes"
// clang-format off
constexpr InstructionRow rows[] = {
    {"st async ?weak ?shared::cluster ?mbarrier::complete_tx::bytes ?v2|v4 b32|b64|u32|u64|s32|s64|f32|f64", "addr t{} addr", bindSend<false>, "stores values into a block of the cluster, and signals an mbarrier"},
    {"red async relaxed cluster ?shared::cluster" HEARD " inc|dec|min|max|add u32", "addr t{} addr", bindSend<true>, "a reduction there"},
    {"red async relaxed cluster ?shared::cluster" HEARD " min|max|add s32", "addr t{} addr", bindSend<true>, "a reduction there"},
    {"red async relaxed cluster ?shared::cluster" HEARD " and|or|xor b32", "addr t{} addr", bindSend<true>, "a bitwise reduction there"},
    {"red async relaxed cluster ?shared::cluster" HEARD " add u64|s64", "addr t{} addr", bindSend<true>, "a sum there"},
    {"clusterlaunchcontrol try_cancel async ?shared::cta" HEARD " ?multicast::cluster::all b128", "addr addr", bindTryCancel, "takes over a cluster that has not begun"},
    {"clusterlaunchcontrol query_cancel is_canceled pred b128", "=pred b128", [](Binding &b) { return done(b, isCanceled); }, "whether there was one"},
    {"clusterlaunchcontrol query_cancel get_first_ctaid::x|get_first_ctaid::y|get_first_ctaid::z b32 b128", "=b32 b128", bindCoordinate, "a coordinate of its first block"},
    {"clusterlaunchcontrol query_cancel get_first_ctaid v4 b32 b128", "=b32{} b128", bindCoordinates, "all of them"},
};
// clang-format on
#undef HEARD

} // namespace

const RowGroup remoteRows = {"Other blocks and clusters", rows};

} // namespace tessera::sim
