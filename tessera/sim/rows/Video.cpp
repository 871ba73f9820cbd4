// Arithmetic on the two halves or four bytes of registers: the SIMD video instructions. PTX
// ISA 9.7.18.2.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/sim/rows/Video.h"

namespace tessera::sim {

namespace {

using namespace video;

struct Packed : InstructionParts {
  int size = 0; // bits of a part
  bool signedA = false, signedB = false, signedD = false, saturates = false, accumulates = false;
  std::array<uint8_t, 4> a{}, b{}; // the part of b:a that each part of an operand is
  uint8_t mask = 0;                // of the parts that the results take; others are those of c

  int count() const { return 32 / size; }
};

template <class Op> uint32_t partsOf(const Packed &p, uint32_t a, uint32_t b, uint32_t c) {
  uint32_t packed = 0, sum = c, ones = (1u << p.size) - 1;
  auto operand = [&](uint8_t which, bool isSigned) {
    return part(which < p.count() ? a : b, which % p.count() * p.size, p.size, isSigned);
  };
  for (int i = 0; i < p.count(); ++i) {
    int64_t value = Op::of(operand(p.a[size_t(i)], p.signedA), operand(p.b[size_t(i)], p.signedB));
    if (p.saturates)
      value = clampTo(value, p.size, p.signedD);
    bool taken = p.mask >> i & 1;
    sum += taken ? uint32_t(value) : 0;
    packed |= ((taken ? uint32_t(value) : c >> (i * p.size)) & ones) << (i * p.size);
  }
  return p.accumulates ? sum : packed;
}
template <class Op> Flow run(Warp &w, const Instruction &i, Mask mask) {
  const auto &plan = *static_cast<const Packed *>(i.plan);
  const uint32_t *a = w.in<uint32_t>(i.operand[1]), *b = w.in<uint32_t>(i.operand[2]),
                 *c = w.in<uint32_t>(i.operand[3]);
  uint32_t result[warpSize];
  for (int lane = 0; lane < warpSize; ++lane)
    result[lane] = partsOf<Op>(plan, a[lane], b[lane], c[lane]);
  w.put(i.operand[0], result, mask);
  return Flow::Next;
}

/// Parts by number, the highest first: h10 are halves 1 and 0.
bool readParts(std::string_view text, const Packed &p, std::array<uint8_t, 4> &to) {
  size_t count = size_t(p.count());
  if (text.size() != count + 1 || text[0] != (count == 2 ? 'h' : 'b'))
    return false;
  for (size_t i = 0; i < count; ++i) {
    if (text[count - i] < '0' || text[count - i] >= char('0' + 2 * count))
      return false;
    to[i] = uint8_t(text[count - i] - '0');
  }
  return true;
}
/// Some of the parts, the highest first.
bool readMask(std::string_view text, const Packed &p, uint8_t &to) {
  if (text.size() < 2 || text[0] != (p.count() == 2 ? 'h' : 'b'))
    return false;
  to = 0;
  for (int last = p.count(); char c : text.substr(1)) {
    if (c < '0' || c - '0' >= last)
      return false;
    last = c - '0';
    to |= uint8_t(1 << last);
  }
  return true;
}

template <class Op> Status bind(Binding &b) {
  auto &plan = b.binder.plan<Packed>();
  const Modifiers &m = b.modifiers;
  bool halves = m.words[0].back() == '2', compares = m.types.size() == 2;
  plan.size = halves ? 16 : 8;
  plan.signedD = !compares && m.type(0) == Type::s32;
  plan.signedA = m.type(compares ? 0 : 1) == Type::s32;
  plan.signedB = m.type(compares ? 1 : 2) == Type::s32;
  plan.saturates = m.has("sat");
  plan.accumulates = m.has("add");
  auto or_ = [](std::string_view text, std::string_view otherwise) {
    return text.empty() ? otherwise : text;
  };
  if (!readMask(or_(selectorOf(b, 0), halves ? "h10" : "b3210"), plan, plan.mask))
    return wrongOperand(b, 0,
                        halves ? "a register, or one with .h0, .h1 or .h10"
                               : "a register, or one with .b and some of 3210");
  std::string_view expected = halves ? "a register, or one with .h and two of 0 to 3"
                                     : "a register, or one with .b and four of 0 to 7";
  if (!readParts(or_(selectorOf(b, 1), halves ? "h10" : "b3210"), plan, plan.a))
    return wrongOperand(b, 1, expected);
  if (!readParts(or_(selectorOf(b, 2), halves ? "h32" : "b7654"), plan, plan.b))
    return wrongOperand(b, 2, expected);
  b.out.plan = &plan;
  return done(b, run<Op>);
}

#define FORM " <word> <word> <word> ?sat|add"
#define COMPARE " <word> <word> eq|ne|lt|le|gt|ge ?add"
#define OPERANDS "=b32. b32. b32. b32"
// clang-format off
constexpr InstructionRow rows[] = {
    {"vadd2" FORM, OPERANDS, bind<Add>, "sums of halves; with .add all of them and c"},
    {"vadd4" FORM, OPERANDS, bind<Add>, "sums of bytes"},
    {"vsub2" FORM, OPERANDS, bind<Sub>, "differences of halves"},
    {"vsub4" FORM, OPERANDS, bind<Sub>, "differences of bytes"},
    {"vavrg2" FORM, OPERANDS, bind<Average>, "averages of halves, rounded up"},
    {"vavrg4" FORM, OPERANDS, bind<Average>, "averages of bytes"},
    {"vabsdiff2" FORM, OPERANDS, bind<Apart>, "absolute differences of halves"},
    {"vabsdiff4" FORM, OPERANDS, bind<Apart>, "absolute differences of bytes"},
    {"vmin2" FORM, OPERANDS, bind<Min>, "the smaller halves"},
    {"vmin4" FORM, OPERANDS, bind<Min>, "the smaller bytes"},
    {"vmax2" FORM, OPERANDS, bind<Max>, "the larger halves"},
    {"vmax4" FORM, OPERANDS, bind<Max>, "the larger bytes"},
    {"vset2" COMPARE, OPERANDS, TESSERA_VIDEO_COMPARISON(bind), "1 for each half where a comparison holds"},
    {"vset4" COMPARE, OPERANDS, TESSERA_VIDEO_COMPARISON(bind), "1 for each byte"},
};
// clang-format on
#undef FORM
#undef COMPARE
#undef OPERANDS

} // namespace

const RowGroup videoRows = {"Halves and bytes of registers", rows};

} // namespace tessera::sim
