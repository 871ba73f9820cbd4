// Comparison and selection. PTX ISA 9.7.6 and 9.7.7.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/sim/Real.h"

namespace tessera::sim {

namespace {

/// The order of sets <compare> and <intcompare>; those from equ on are true for NaN, lo to hs are
/// unsigned.
enum Comparison : uint8_t {
  Eq,
  Ne,
  Lt,
  Le,
  Gt,
  Ge,
  Equ,
  Neu,
  Ltu,
  Leu,
  Gtu,
  Geu,
  Num,
  Nan
};
Comparison comparisonOf(const Modifiers &m) {
  constexpr Comparison unsignedOnes[] = {Lt, Le, Gt, Ge};
  if (int which = m.pick({"lo", "ls", "hi", "hs"}, -1); which >= 0)
    return unsignedOnes[which];
  return Comparison(m.pick({"eq", "ne", "lt", "le", "gt", "ge", "equ", "neu", "ltu", "leu", "gtu",
                            "geu", "num", "nan"}));
}

template <class F> Mask lanesWhere(F f) {
  Mask out = 0;
  for (int lane = 0; lane < warpSize; ++lane)
    out |= Mask(f(lane)) << lane;
  return out;
}
template <class T> Mask compared(uint8_t how, const T *a, const T *b) {
  auto unordered = [&](int l) { return !(a[l] <= b[l]) && !(a[l] >= b[l]); };
  switch (how) {
  case Eq: return lanesWhere([&](int l) { return a[l] == b[l]; });
  case Ne: return lanesWhere([&](int l) { return a[l] < b[l] || a[l] > b[l]; }); // false for NaN
  case Lt: return lanesWhere([&](int l) { return a[l] < b[l]; });
  case Le: return lanesWhere([&](int l) { return a[l] <= b[l]; });
  case Gt: return lanesWhere([&](int l) { return a[l] > b[l]; });
  case Ge: return lanesWhere([&](int l) { return a[l] >= b[l]; });
  case Num: return ~lanesWhere(unordered);
  case Nan: return lanesWhere(unordered);
  default: return compared(uint8_t(how - Equ), a, b) | lanesWhere(unordered);
  }
}

/// Numbers of a type of 32 bits or less as floats, which hold them exactly. `part` is 1 for the
/// high half.
template <class R>
void read(Warp &w, Slot slot, bool ftz, int part, int parts, float (&to)[warpSize]) {
  using C = typename R::Code;
  for (int lane = 0; lane < warpSize; ++lane)
    to[lane] = float(R::read(w.in<C>(slot)[lane * parts + part], ftz));
}
using Comparer = Mask (*)(Warp &, const Instruction &, Slot a, Slot b, int part);
template <class T> Mask compareInteger(Warp &w, const Instruction &i, Slot a, Slot b, int) {
  return compared(i.modes.choice, w.in<T>(a), w.in<T>(b));
}
template <class R, int parts>
Mask compareSmall(Warp &w, const Instruction &i, Slot a, Slot b, int part) {
  float x[warpSize], y[warpSize];
  read<R>(w, a, i.modes.ftz, part, parts, x);
  read<R>(w, b, i.modes.ftz, part, parts, y);
  return compared(i.modes.choice, x, y);
}

Mask combined(uint8_t how, Mask a, Mask b) {
  return how == 1 ? a & b : how == 2 ? a | b : how == 3 ? a ^ b : a;
}

/// p = comparison, q = its opposite, each combined with c; of a pair of halves p is for the low and
/// q for the high.
template <Comparer compare, bool pair> Flow setp(Warp &w, const Instruction &i, Mask mask) {
  Mask found = compare(w, i, i.operand[2], i.operand[3], 0);
  Mask other = pair ? compare(w, i, i.operand[2], i.operand[3], 1) : ~found;
  Mask c = i.modes.second ? w.predicate(i.operand[4]) : 0;
  w.putPredicate(i.operand[0], combined(i.modes.second, found, c), mask);
  if (i.operand[1] != noSlot)
    w.putPredicate(i.operand[1], combined(i.modes.second, other, c), mask);
  return Flow::Next;
}

/// The result of set if it is true, in the low bits: all ones, or 1.0.
uint32_t truth(Type type) {
  switch (type) {
  case Type::f32: return 0x3f800000;
  case Type::f16:
  case Type::f16x2: return 0x3c00;
  case Type::bf16:
  case Type::bf16x2: return 0x3f80;
  default: return ~0u;
  }
}
template <Comparer compare, bool pair> Flow set(Warp &w, const Instruction &i, Mask mask) {
  Mask found[2] = {compare(w, i, i.operand[1], i.operand[2], 0), 0};
  if (pair)
    found[1] = compare(w, i, i.operand[1], i.operand[2], 1);
  Mask c = i.modes.second ? w.predicate(i.operand[3]) : 0;
  uint32_t one = truth(i.modes.to), result[warpSize];
  uint16_t narrow[warpSize];
  for (int lane = 0; lane < warpSize; ++lane) {
    auto holds = [&](int part) { return combined(i.modes.second, found[part], c) >> lane & 1; };
    result[lane] = holds(0) ? (pair ? one & 0xffff : one) : 0;
    if (pair && holds(1))
      result[lane] |= one << 16;
    narrow[lane] = uint16_t(result[lane]);
  }
  bits(i.modes.to) == 16 ? w.put(i.operand[0], narrow, mask) : w.put(i.operand[0], result, mask);
  return Flow::Next;
}

template <template <Comparer, bool> class Make> Executor comparing(Type type) {
  switch (type) {
  case Type::f32: return Make<compareInteger<float>, false>::run;
  case Type::f64: return Make<compareInteger<double>, false>::run;
  case Type::f16: return Make<compareSmall<F16, 1>, false>::run;
  case Type::f16x2: return Make<compareSmall<F16, 2>, true>::run;
  case Type::bf16: return Make<compareSmall<Bf16, 1>, false>::run;
  case Type::bf16x2: return Make<compareSmall<Bf16, 2>, true>::run;
  default:
    return byInteger(type,
                     []<class T>(T) -> Executor { return Make<compareInteger<T>, false>::run; });
  }
}
template <Comparer compare, bool pair> struct MakeSetp {
  static constexpr Executor run = setp<compare, pair>;
};
template <Comparer compare, bool pair> struct MakeSet {
  static constexpr Executor run = set<compare, pair>;
};
template <template <Comparer, bool> class Make> Status bindComparison(Binding &b) {
  readModes(b);
  b.out.modes.choice = comparisonOf(b.modifiers);
  b.out.modes.second = uint8_t(1 + b.modifiers.pick({"and", "or", "xor"}, -1));
  Type type = b.modifiers.type();
  if (type == Type::f32 && b.out.modes.ftz)
    return done(b, Make<compareSmall<F32, 1>, false>::run);
  return done(b, comparing<Make>(type));
}

/// a where the predicate is set, otherwise b.
template <class T> Flow selp(Warp &w, const Instruction &i, Mask mask) {
  const T *a = w.in<T>(i.operand[1]), *b = w.in<T>(i.operand[2]);
  Mask p = w.predicate(i.operand[3]);
  T result[warpSize];
  for (int lane = 0; lane < warpSize; ++lane)
    result[lane] = p >> lane & 1 ? a[lane] : b[lane];
  w.put(i.operand[0], result, mask);
  return Flow::Next;
}
Flow selpPredicate(Warp &w, const Instruction &i, Mask mask) {
  Mask p = w.predicate(i.operand[3]);
  w.putPredicate(i.operand[0], (w.predicate(i.operand[1]) & p) | (w.predicate(i.operand[2]) & ~p),
                 mask);
  return Flow::Next;
}
/// a where c is not negative.
template <class T, class C> Flow slct(Warp &w, const Instruction &i, Mask mask) {
  const T *a = w.in<T>(i.operand[1]), *b = w.in<T>(i.operand[2]);
  const C *c = w.in<C>(i.operand[3]);
  T result[warpSize];
  for (int lane = 0; lane < warpSize;
       ++lane) // -0 and, with ftz, what is flushed to it are not below 0
    result[lane] =
        c[lane] >= 0 || (i.modes.ftz && std::fabs(double(c[lane])) < 0x1p-126) ? a[lane] : b[lane];
  w.put(i.operand[0], result, mask);
  return Flow::Next;
}
template <class C> Status bindSlct(Binding &b) {
  readModes(b);
  return done(b, bySize(b.modifiers.type(0), []<class T>(T) -> Executor { return slct<T, C>; }));
}

// clang-format off
constexpr InstructionRow rows[] = {
    {"setp <intcompare> ?<boolean> <int>|<bits>", "=pred| t t pred?", bindComparison<MakeSetp>, "p and not p of a comparison, combined with c"},
    {"setp <compare> ?<boolean> ?ftz f32|f64|<half>", "=pred| t t pred?", bindComparison<MakeSetp>,
     "the same; of pairs p is for the low half and q for the high one"},
    {"set <intcompare> ?<boolean> u32|s32|f32 <int>|<bits>", "=t0 t1 t1 pred?", bindComparison<MakeSet>, "all ones or 1.0 where a comparison holds"},
    {"set <compare> ?<boolean> ?ftz u32|s32|f32 f32|f64", "=t0 t1 t1 pred?", bindComparison<MakeSet>, "the same"},
    {"set <intcompare> ?<boolean> f16|bf16 <int>|<bits>", "=t0 t1 t1 pred?", bindComparison<MakeSet>, "1.0 in a half where a comparison holds"},
    {"set <compare> ?<boolean> ?ftz f16|bf16 f32|f64", "=t0 t1 t1 pred?", bindComparison<MakeSet>, "the same"},
    {"set <compare> ?<boolean> ?ftz u16|s16|u32|s32|<half> <half>", "=t0 t1 t1 pred?", bindComparison<MakeSet>, "the same, of pairs for each half"},
    {"selp <any>", "=t t t pred",
     [](Binding &b) { return done(b, bySize(b.modifiers.type(), []<class T>(T) -> Executor { return selp<T>; })); }, "a where c, otherwise b"},
    {"selp pred", "=t t t pred", [](Binding &b) { return done(b, selpPredicate); }, "a where c, otherwise b"},
    {"slct <any> s32", "=t0 t0 t0 t1", bindSlct<int32_t>, "a where c >= 0, otherwise b"},
    {"slct ?ftz <any> f32", "=t0 t0 t0 t1", bindSlct<float>, "a where c >= 0, otherwise b"},
};
// clang-format on

} // namespace

const RowGroup compareRows = {"Comparison and selection", rows};

} // namespace tessera::sim
