// Arithmetic on a byte, a half or the whole of registers: the scalar video instructions. PTX
// ISA 9.7.18.1.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A result is computed exactly, and added to c or put into a part of it. Where an H100 (driver 580)
// was seen to give something else than the ISA's text, nothing is computed (Missing.def;
// docs/simulator.md, "Compared with an H100").
#include "tessera/sim/rows/Video.h"

namespace tessera::sim {

namespace {

using namespace video;

/// The bits of a register that an operand is.
struct Part {
  std::string_view name;
  uint8_t from, size;
};
constexpr Part parts[] = {{"", 0, 32},   {"b0", 0, 8},  {"b1", 8, 8},  {"b2", 16, 8},
                          {"b3", 24, 8}, {"h0", 0, 16}, {"h1", 16, 16}};

struct Scalar : InstructionParts {
  Part a = parts[0], b = parts[0], d = parts[0];
  bool signedA = false, signedB = false;
  bool adds = false, merges = false; // to c, into a part of c
  // vshl, vshr
  bool wraps = false;
  // vmad
  bool negatesProduct = false, negatesC = false, plusOne = false;
};

uint32_t finish(const Scalar &p, int64_t value, uint32_t c) {
  if (!p.merges)
    return uint32_t(value) + (p.adds ? c : 0);
  uint32_t taken = uint32_t((uint64_t(1) << p.d.size) - 1) << p.d.from;
  return (uint32_t(value) << p.d.from & taken) | (c & ~taken);
}

template <class Op> struct Plain {
  static uint32_t of(const Scalar &p, int64_t a, int64_t b, uint32_t c) {
    return finish(p, Op::of(a, b), c);
  }
};
template <bool left> struct Shift {
  static uint32_t of(const Scalar &p, int64_t a, int64_t b, uint32_t c) {
    auto by = p.wraps ? b & 31 : std::min<int64_t>(b, 32);
    return finish(p, left ? int64_t(uint64_t(a) << by) : a >> by, c);
  }
};
/// PTX ISA 9.7.18.1.3: the product or c may be negated.
struct MultiplyAdd {
  static uint32_t of(const Scalar &p, int64_t a, int64_t b, uint32_t c) {
    auto product = uint32_t(a) * uint32_t(b);
    return (p.negatesProduct ? -product : product) + (p.negatesC ? -c : c) + p.plusOne;
  }
};

template <class Op> Flow run(Warp &w, const Instruction &i, Mask mask) {
  const auto &plan = *static_cast<const Scalar *>(i.plan);
  const uint32_t *a = w.in<uint32_t>(i.operand[1]), *b = w.in<uint32_t>(i.operand[2]);
  const uint32_t *c = i.operand[3] == noSlot ? a : w.in<uint32_t>(i.operand[3]);
  uint32_t result[warpSize];
  for (int lane = 0; lane < warpSize; ++lane)
    result[lane] = Op::of(plan, part(a[lane], plan.a.from, plan.a.size, plan.signedA),
                          part(b[lane], plan.b.from, plan.b.size, plan.signedB), c[lane]);
  w.put(i.operand[0], result, mask);
  return Flow::Next;
}

Status readPart(Binding &b, size_t which, Part &to) {
  std::string_view text = selectorOf(b, which);
  auto found = std::find_if(std::begin(parts), std::end(parts),
                            [&](const Part &part) { return part.name == text; });
  if (found == std::end(parts))
    return wrongOperand(b, which, "a register, or one with .b0 to .b3, .h0 or .h1");
  to = *found;
  return Done{};
}

Status read(Binding &b, Scalar &plan) {
  const Modifiers &m = b.modifiers;
  bool compares = m.types.size() == 2;
  plan.signedA = m.type(compares ? 0 : 1) == Type::s32;
  plan.signedB = m.type(compares ? 1 : 2) == Type::s32;
  plan.wraps = m.has("wrap");
  for (auto [which, to] : {std::pair(0, &plan.d), {1, &plan.a}, {2, &plan.b}})
    TESSERA_CHECK(readPart(b, size_t(which), *to));
  if (plan.d.name == "h1")
    return fail(
        Error::MissingInstruction, cat(m.mnemonic, " ", b.operands[0].str()),
        "by the ISA the lower half of a result goes to .h1, but an H100 puts the upper half there");
  b.out.plan = &plan;
  return Done{};
}

template <class Op> Status bindWith(Binding &b) {
  auto &plan = b.binder.plan<Scalar>();
  TESSERA_CHECK(read(b, plan));
  plan.adds = b.modifiers.has("add");
  plan.merges = b.operands.size() == 4 && !plan.adds;
  // A part of d needs c for the others, and c without an operation a part.
  if (plan.merges != (plan.d.size != 32))
    return wrongOperand(
        b, 0, plan.merges ? "a register with .b0 to .b3, .h0 or .h1" : "a whole register");
  return done(b, run<Op>);
}
template <class Op> Status bind(Binding &b) { return bindWith<Plain<Op>>(b); }

Status bindMultiplyAdd(Binding &b) {
  auto &plan = b.binder.plan<Scalar>();
  const Modifiers &m = b.modifiers;
  TESSERA_CHECK(read(b, plan));
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
  return done(b, run<MultiplyAdd>);
}

#define TYPES " <word> <word> <word>"
#define SHIFT " <word> <word> u32 clamp|wrap"
#define COMPARE " <word> <word> eq|ne|lt|le|gt|ge"
#define COMBINE " add"
#define MERGED "=b32. b32. b32. b32"
// clang-format off
/// Alone, combined with c, and put into a part of c.
#define THREE(form, bind, what) \
    {form, "=b32. b32. b32.", bind, what}, \
    {form COMBINE, "=b32. b32. b32. b32", bind, "the same, added to c"}, \
    {form, MERGED, bind, "the same, put into a part of c"}
constexpr InstructionRow rows[] = {
    THREE("vadd" TYPES, bind<Add>, "a + b"),
    THREE("vsub" TYPES, bind<Sub>, "a - b"),
    THREE("vabsdiff" TYPES, bind<Apart>, "the absolute difference of a and b"),
    THREE("vmin" TYPES, bind<Min>, "the smaller"),
    THREE("vmax" TYPES, bind<Max>, "the larger"),
    THREE("vshl" SHIFT, bindWith<Shift<true>>, "a to the left"),
    THREE("vshr" SHIFT, bindWith<Shift<false>>, "a to the right, with its sign if it is signed"),
    THREE("vset" COMPARE, TESSERA_VIDEO_COMPARISON(bind), "1 where a comparison holds, otherwise 0"),
    {"vmad" TYPES " ?po", "=b32. b32. b32. b32.", bindMultiplyAdd, "a * b + c, and 1 with .po"},
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
