// Arithmetic on a byte, a half or the whole of registers: the scalar video instructions. PTX ISA 9.7.18.1.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A result is computed exactly, clamped to the range of the destination with .sat, and either combined with c or put into a part of it.
#include "tessera/sim/rows/Video.h"

namespace tessera::sim {

namespace {

using namespace video;
using Wide = __int128; // exact results, vshl's too

/// The bits of a register that an operand is.
struct Part {
  std::string_view name;
  uint8_t from, size;
};
constexpr Part parts[] = {{"", 0, 32}, {"b0", 0, 8}, {"b1", 8, 8}, {"b2", 16, 8}, {"b3", 24, 8}, {"h0", 0, 16}, {"h1", 16, 16}};

struct Scalar : Plan {
  Part a = parts[0], b = parts[0], d = parts[0];
  bool signedA = false, signedB = false, signedD = false, saturates = false;
  bool merges = false; // into a part of c
  Wide (*combine)(Wide, Wide) = nullptr;
  // vshl, vshr
  bool wraps = false;
  // vmad
  bool negatesProduct = false, negatesC = false, plusOne = false;
  int scale = 0;
};

uint32_t finish(const Scalar &p, Wide value, uint32_t c) {
  if (p.saturates)
    value = clampTo(value, p.d.size, p.signedD);
  if (p.combine)
    value = p.combine(value, part(c, 0, 32, p.signedD));
  if (!p.merges)
    return uint32_t(value);
  uint32_t taken = uint32_t((uint64_t(1) << p.d.size) - 1) << p.d.from;
  return (uint32_t(value) << p.d.from & taken) | (c & ~taken);
}

template <class Op> struct Plain {
  static uint32_t of(const Scalar &p, int64_t a, int64_t b, uint32_t c) { return finish(p, Op::of(a, b), c); }
};
template <bool left> struct Shift {
  static uint32_t of(const Scalar &p, int64_t a, int64_t b, uint32_t c) {
    auto by = p.wraps ? b & 31 : std::min<int64_t>(b, 32);
    return finish(p, left ? Wide(a) * (Wide(1) << by) : Wide(a) >> by, c);
  }
};
/// PTX ISA 9.7.18.1.3: the product or c may be negated; c has the sign of the result.
struct MultiplyAdd {
  static uint32_t of(const Scalar &p, int64_t a, int64_t b, uint32_t c) {
    Wide product = Wide(a) * b, sum = part(c, 0, 32, p.signedD);
    product = p.negatesProduct ? -product : product;
    sum = p.negatesC ? -sum : sum;
    return finish(p, (product + sum + p.plusOne) >> p.scale, c);
  }
};

template <class Op> Flow run(Warp &w, const Instruction &i, Mask mask) {
  const auto &plan = *static_cast<const Scalar *>(i.plan);
  const uint32_t *a = w.in<uint32_t>(i.operand[1]), *b = w.in<uint32_t>(i.operand[2]);
  const uint32_t *c = i.operand[3] == noSlot ? a : w.in<uint32_t>(i.operand[3]);
  uint32_t result[warpSize];
  for (int lane = 0; lane < warpSize; ++lane)
    result[lane] =
        Op::of(plan, part(a[lane], plan.a.from, plan.a.size, plan.signedA), part(b[lane], plan.b.from, plan.b.size, plan.signedB), c[lane]);
  w.put(i.operand[0], result, mask);
  return Flow::Next;
}

Status readPart(Binding &b, size_t which, Part &to) {
  std::string_view text = selectorOf(b, which);
  auto found = std::find_if(std::begin(parts), std::end(parts), [&](const Part &part) { return part.name == text; });
  if (found == std::end(parts))
    return wrongOperand(b, which, "a register, or one with .b0 to .b3, .h0 or .h1");
  to = *found;
  return Done{};
}

Status read(Binding &b, Scalar &plan) {
  const Modifiers &m = b.modifiers;
  bool compares = m.types.size() == 2;
  plan.signedD = !compares && m.type(0) == Type::s32;
  plan.signedA = m.type(compares ? 0 : 1) == Type::s32;
  plan.signedB = m.type(compares ? 1 : 2) == Type::s32;
  plan.saturates = m.has("sat");
  plan.wraps = m.has("wrap");
  for (auto [which, to] : {std::pair(0, &plan.d), {1, &plan.a}, {2, &plan.b}})
    SIM_CHECK(readPart(b, size_t(which), *to));
  b.out.plan = &plan;
  return Done{};
}

template <class Op> Status bindWith(Binding &b) {
  auto &plan = b.binder.plan<Scalar>();
  SIM_CHECK(read(b, plan));
  constexpr Wide (*combines[])(Wide, Wide) = {nullptr, [](Wide a, Wide c) { return a + c; }, [](Wide a, Wide c) { return std::min(a, c); },
                                              [](Wide a, Wide c) { return std::max(a, c); }};
  plan.combine = combines[1 + b.modifiers.pick({"add", "min", "max"}, -1)];
  plan.merges = b.operands.size() == 4 && !plan.combine;
  // A part of d needs c for the others, and c without an operation a part.
  if (plan.merges != (plan.d.size != 32))
    return wrongOperand(b, 0, plan.merges ? "a register with .b0 to .b3, .h0 or .h1" : "a whole register");
  return done(b, run<Op>);
}
template <class Op> Status bind(Binding &b) { return bindWith<Plain<Op>>(b); }

Status bindMultiplyAdd(Binding &b) {
  auto &plan = b.binder.plan<Scalar>();
  const Modifiers &m = b.modifiers;
  SIM_CHECK(read(b, plan));
  plan.plusOne = m.has("po");
  plan.negatesProduct = b.operands[1].minus != b.operands[2].minus;
  plan.negatesC = b.operands[3].minus;
  for (size_t i = 0; i < b.operands.size(); ++i)
    if (b.operands[i].minus && (plan.plusOne || i == 0))
      return wrongOperand(b, i, "a value without '-'");
  if (plan.negatesProduct && plan.negatesC)
    return wrongOperand(b, 3, "no '-', as the product has one");
  if (plan.d.size != 32)
    return wrongOperand(b, 0, "a whole register");
  if (!selectorOf(b, 3).empty())
    return wrongOperand(b, 3, "a whole register");
  plan.signedD = plan.signedA || plan.signedB || plan.negatesProduct || plan.negatesC;
  plan.scale = m.has("shr7") ? 7 : m.has("shr15") ? 15 : 0;
  return done(b, run<MultiplyAdd>);
}

#define TYPES " <word> <word> <word> ?sat"
#define SHIFT " <word> <word> u32 ?sat clamp|wrap"
#define COMPARE " <word> <word> eq|ne|lt|le|gt|ge"
#define COMBINE " add|min|max"
#define MERGED "=b32. b32. b32. b32"
// clang-format off
/// Alone, combined with c, and put into a part of c.
#define THREE(form, bind, what) \
    {form, "=b32. b32. b32.", bind, what}, \
    {form COMBINE, "=b32. b32. b32. b32", bind, "the same, combined with c"}, \
    {form, MERGED, bind, "the same, put into a part of c"}
constexpr InstructionRow rows[] = {
    THREE("vadd" TYPES, bind<Add>, "a + b"),
    THREE("vsub" TYPES, bind<Sub>, "a - b"),
    THREE("vabsdiff" TYPES, bind<Apart>, "the distance of a and b"),
    THREE("vmin" TYPES, bind<Min>, "the smaller"),
    THREE("vmax" TYPES, bind<Max>, "the larger"),
    THREE("vshl" SHIFT, bindWith<Shift<true>>, "a to the left"),
    THREE("vshr" SHIFT, bindWith<Shift<false>>, "a to the right, with its sign if it is signed"),
    THREE("vset" COMPARE, TESSERA_VIDEO_COMPARISON(bind), "1 where a comparison holds, otherwise 0"),
    {"vmad" TYPES " ?shr7|shr15", "=b32. b32. b32. b32.", bindMultiplyAdd, "a * b + c, scaled"},
    {"vmad <word> <word> <word> po ?sat ?shr7|shr15", "=b32. b32. b32. b32.", bindMultiplyAdd, "a * b + c + 1, scaled"},
};
// clang-format on
#undef TYPES
#undef SHIFT
#undef COMPARE
#undef COMBINE
#undef MERGED
#undef THREE

} // namespace

const RowGroup scalarVideoRows = {"Bytes, halves and words with a second operation", rows};

} // namespace tessera::sim
