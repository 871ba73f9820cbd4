// Exchange between the lanes of a warp. PTX ISA 9.7.9.6, 9.7.13.7 to 9.7.13.13.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/sim/Real.h"
#include "tessera/sim/Shuffle.h"

#include <algorithm>

namespace tessera::sim {

namespace {

/// Lanes may give different masks (tiles of a warp do): those of the first one's mask go on, the
/// others follow on their own. False: a lane is not a member of its mask; return `flow`.
bool members(Warp &w, Slot slot, Mask &active, Mask &all, Flow &flow) {
  const uint32_t *given = w.in<uint32_t>(slot);
  all = given[std::countr_zero(active)];
  Mask same = 0;
  for (int lane = 0; lane < warpSize; ++lane)
    same |= Mask(given[lane] == all) << lane;
  w.leaveThere(active & ~same);
  active &= same;
  if (Mask strangers = active & ~all) {
    flow = w.fault(std::countr_zero(strangers), Error::LaneNotMember, std::countr_zero(strangers),
                   hex(all));
    return false;
  }
  return true;
}
/// The same, and all members that run have to be here.
bool gather(Warp &w, Slot slot, Mask &active, Flow &flow) {
  Mask all = 0;
  return members(w, slot, active, all, flow) && w.together(active, all, flow);
}

/// operand: d, p, a, b, c, members
template <bool sync> Flow shfl(Warp &w, const Instruction &i, Mask mask) {
  Flow flow = Flow::Next;
  if (sync && !gather(w, i.operand[5], mask, flow))
    return flow;
  const uint32_t *a = w.in<uint32_t>(i.operand[2]), *b = w.in<uint32_t>(i.operand[3]),
                 *c = w.in<uint32_t>(i.operand[4]);
  uint32_t result[warpSize];
  Mask valid = 0;
  for (int lane = 0; lane < warpSize; ++lane) {
    int from = shuffleSource(Shuffle(i.modes.choice), lane, b[lane], c[lane]);
    result[lane] = a[from < 0 ? lane : from];
    valid |= Mask(from >= 0) << lane;
  }
  w.put(i.operand[0], result, mask);
  if (i.operand[1] != noSlot)
    w.putPredicate(i.operand[1], valid, mask);
  return Flow::Next;
}
template <bool sync> Status bindShfl(Binding &b) {
  b.out.modes.choice = uint8_t(b.modifiers.pick({"up", "down", "bfly", "idx"}));
  return done(b, shfl<sync>);
}

enum Vote : uint8_t {
  All,
  Any,
  Uni,
  Ballot
};
Flow vote(Warp &w, const Instruction &i, Mask mask) {
  Flow flow = Flow::Next;
  if (!gather(w, i.operand[2], mask, flow))
    return flow;
  Mask yes = w.predicate(i.operand[1]) & mask;
  if (i.modes.choice == Ballot) {
    uint32_t result[warpSize];
    std::fill_n(result, warpSize, yes);
    w.put(i.operand[0], result, mask);
  } else
    w.putPredicate(i.operand[0],
                   (i.modes.choice == All   ? yes == mask
                    : i.modes.choice == Any ? yes != 0
                                            : yes == 0 || yes == mask)
                       ? mask
                       : 0,
                   mask);
  return Flow::Next;
}
Status bindVote(Binding &b) {
  b.out.modes.choice = uint8_t(b.modifiers.pick({"all", "any", "uni", "ballot"}));
  return done(b, vote);
}

/// Lanes with the same value. operand: d, p, a, members
template <class T, bool all> Flow match(Warp &w, const Instruction &i, Mask mask) {
  Flow flow = Flow::Next;
  if (!gather(w, i.operand[all ? 3 : 2], mask, flow))
    return flow;
  const T *a = w.in<T>(i.operand[all ? 2 : 1]);
  uint32_t result[warpSize] = {};
  for (int lane = 0; lane < warpSize; ++lane)
    for (int other = 0; other < warpSize; ++other)
      result[lane] |= uint32_t(mask >> other & 1 && a[other] == a[lane]) << other;
  if (all) {
    bool same = result[std::countr_zero(mask)] == mask;
    std::fill_n(result, warpSize, same ? mask : 0);
    if (i.operand[1] != noSlot)
      w.putPredicate(i.operand[1], same ? mask : 0, mask);
  }
  w.put(i.operand[0], result, mask);
  return Flow::Next;
}
template <bool all> Status bindMatch(Binding &b) {
  return done(b, bits(b.modifiers.type()) == 64 ? match<uint64_t, all> : match<uint32_t, all>);
}

enum Reduce : uint8_t {
  Add,
  Min,
  Max,
  And,
  Or,
  Xor
};
template <class T> T reduced(uint8_t how, T a, T b) {
  switch (how) {
  case Add: return T(uint32_t(a) + uint32_t(b));
  case Min: return std::min(a, b);
  case Max: return std::max(a, b);
  case And: return a & b;
  case Or: return a | b;
  default: return a ^ b;
  }
}
template <class T> Flow redux(Warp &w, const Instruction &i, Mask mask) {
  Flow flow = Flow::Next;
  if (!gather(w, i.operand[2], mask, flow))
    return flow;
  const T *a = w.in<T>(i.operand[1]);
  int first = std::countr_zero(mask);
  T sum = a[first];
  for (int lane = first + 1; lane < warpSize; ++lane)
    if (mask >> lane & 1)
      sum = reduced(i.modes.choice, sum, a[lane]);
  T result[warpSize];
  std::fill_n(result, warpSize, sum);
  w.put(i.operand[0], result, mask);
  return Flow::Next;
}
/// NaNs are left out unless .NaN is given. PTX ISA 9.7.13.12.
Flow reduxFloat(Warp &w, const Instruction &i, Mask mask) {
  Flow flow = Flow::Next;
  if (!gather(w, i.operand[2], mask, flow))
    return flow;
  float sum = NAN;
  bool poisoned = false;
  for (int lane = 0; lane < warpSize; ++lane) {
    float a = w.in<float>(i.operand[1])[lane];
    if (!(mask >> lane & 1))
      continue;
    a = i.modes.absolute ? std::fabs(a) : a;
    poisoned |= i.modes.nan && std::isnan(a);
    sum = i.modes.choice == Min ? std::fmin(sum, a) : std::fmax(sum, a);
  }
  uint32_t result[warpSize];
  std::fill_n(result, warpSize,
              poisoned || std::isnan(sum) ? 0x7fffffffu : std::bit_cast<uint32_t>(sum));
  w.put(i.operand[0], result, mask);
  return Flow::Next;
}
Status bindRedux(Binding &b) {
  readModes(b);
  b.out.modes.choice = uint8_t(b.modifiers.pick({"add", "min", "max", "and", "or", "xor"}));
  Type type = b.modifiers.type();
  return done(b, type == Type::f32   ? reduxFloat
                 : type == Type::s32 ? redux<int32_t>
                                     : redux<uint32_t>);
}

Flow activemask(Warp &w, const Instruction &i, Mask mask) {
  uint32_t result[warpSize];
  std::fill_n(result, warpSize, mask);
  w.put(i.operand[0], result, mask);
  return Flow::Next;
}
/// The lowest member leads. operand: d, p, members
Flow elect(Warp &w, const Instruction &i, Mask mask) {
  Flow flow = Flow::Next;
  if (!gather(w, i.operand[2], mask, flow))
    return flow;
  uint32_t result[warpSize];
  std::fill_n(result, warpSize, uint32_t(std::countr_zero(mask)));
  w.put(i.operand[0], result, mask);
  w.putPredicate(i.operand[1], mask & (0 - mask), mask);
  return Flow::Next;
}
/// Lanes may come from different places in the program.
Flow warpBarrier(Warp &w, const Instruction &i, Mask mask) {
  Flow flow = Flow::Next;
  Mask all = 0;
  if (!members(w, i.operand[0], mask, all, flow))
    return flow;
  Mask here = mask;
  for (const Strand &f : w.parked())
    here |= f.wait == Wait::WarpBarrier && f.subject == all ? f.lanes : 0;
  if ((all & w.live & ~here) != 0)
    return w.block(mask, Wait::WarpBarrier, all);
  w.wake(Wait::WarpBarrier, all);
  w.tell(Synchronize{Synchronize::LanesMeet, all & w.live});
  return Flow::Next;
}

// clang-format off
constexpr InstructionRow rows[] = {
    {"shfl sync up|down|bfly|idx b32", "=b32| b32 b32 b32 b32", bindShfl<true>, "a of another lane; p says whether that is in range"},
    {"shfl up|down|bfly|idx b32", "=b32| b32 b32 b32", bindShfl<false>, "the same without waiting"},
    {"vote sync all|any|uni pred", "=pred pred b32", bindVote, "whether the predicate is true in all, in any, or in all or none of the members"},
    {"vote sync ballot b32", "=b32 pred b32", bindVote, "the members whose predicate is true"},
    {"match any sync b32|b64", "=b32 t b32", bindMatch<false>, "the members with the same value"},
    {"match all sync b32|b64", "=b32| t b32", bindMatch<true>, "all members, if all have the same value"},
    {"redux sync add|min|max <word>", "=t t b32", bindRedux, "a reduction over the members"},
    {"redux sync and|or|xor b32", "=t t b32", bindRedux, "a bitwise reduction over the members"},
    {"redux sync min|max ?abs ?NaN f32", "=t t b32", bindRedux, "the smallest or largest over the members"},
    {"activemask b32", "=b32", [](Binding &b) { return done(b, activemask); }, "the lanes that are here"},
    {"elect sync", "=b32| b32", [](Binding &b) { return done(b, elect); }, "one leader among the members"},
    {"bar warp sync", "b32", [](Binding &b) { return done(b, warpBarrier); }, "waits for the members"},
};
// clang-format on

} // namespace

const RowGroup warpRows = {"Lanes of a warp", rows};

} // namespace tessera::sim
