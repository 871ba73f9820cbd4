// Arithmetic on the two halves or four bytes of registers: the SIMD video instructions, without masks and selectors of their
// operands. PTX ISA 9.7.18. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/sim/Lanes.h"

#include <algorithm>
#include <cstdlib>

namespace tessera::sim {

namespace {

struct Add {
  static int64_t of(int64_t a, int64_t b) { return a + b; }
};
struct Sub {
  static int64_t of(int64_t a, int64_t b) { return a - b; }
};
/// Halves away from minus infinity unless the sum is negative.
struct Average {
  static int64_t of(int64_t a, int64_t b) { return (a + b + (a + b >= 0)) >> 1; }
};
struct Apart {
  static int64_t of(int64_t a, int64_t b) { return std::llabs(a - b); }
};
struct Min {
  static int64_t of(int64_t a, int64_t b) { return std::min(a, b); }
};
struct Max {
  static int64_t of(int64_t a, int64_t b) { return std::max(a, b); }
};

/// choice: d, a, b are signed (1, 2, 4); second: what is made of the results.
enum Second : uint8_t {
  Wrap,
  Clamp,
  Accumulate
};
template <class Op, int size> struct Parts {
  static uint32_t of(const Modes &m, uint32_t a, uint32_t b, uint32_t c) {
    uint32_t packed = 0, sum = c, ones = (1u << size) - 1;
    auto part = [&](uint32_t word, int shift, bool isSigned) {
      int64_t value = word >> shift & ones;
      return isSigned && value >> (size - 1) ? value - (int64_t(1) << size) : value;
    };
    for (int shift = 0; shift < 32; shift += size) {
      int64_t value = Op::of(part(a, shift, m.choice & 2), part(b, shift, m.choice & 4));
      int64_t high = (int64_t(1) << (size - (m.choice & 1))) - 1, low = m.choice & 1 ? -high - 1 : 0;
      sum += uint32_t(value);
      packed |= (uint32_t(m.second == Clamp ? std::clamp(value, low, high) : value) & ones) << shift;
    }
    return m.second == Accumulate ? sum : packed;
  }
};

template <class Op> Status bindParts(Binding &b) {
  Modes &m = b.out.modes;
  for (size_t i = 0; i < 3; ++i)
    m.choice |= uint8_t((b.modifiers.type(i) == Type::s32) << i);
  m.second = b.modifiers.has("sat") ? Clamp : b.modifiers.has("add") ? Accumulate : Wrap;
  bool halves = b.modifiers.words[0].back() == '2';
  return done(b, halves ? each<Parts<Op, 16>, uint32_t, uint32_t, uint32_t, uint32_t>
                        : each<Parts<Op, 8>, uint32_t, uint32_t, uint32_t, uint32_t>);
}

#define FORM " <word> <word> <word> ?sat|add"
#define OPERANDS "=b32 b32 b32 b32"
// clang-format off
constexpr InstructionRow rows[] = {
    {"vadd2" FORM, OPERANDS, bindParts<Add>, "sums of halves; with .add all of them and c"},
    {"vadd4" FORM, OPERANDS, bindParts<Add>, "sums of bytes"},
    {"vsub2" FORM, OPERANDS, bindParts<Sub>, "differences of halves"},
    {"vsub4" FORM, OPERANDS, bindParts<Sub>, "differences of bytes"},
    {"vavrg2" FORM, OPERANDS, bindParts<Average>, "averages of halves, rounded up"},
    {"vavrg4" FORM, OPERANDS, bindParts<Average>, "averages of bytes"},
    {"vabsdiff2" FORM, OPERANDS, bindParts<Apart>, "distances of halves"},
    {"vabsdiff4" FORM, OPERANDS, bindParts<Apart>, "distances of bytes"},
    {"vmin2" FORM, OPERANDS, bindParts<Min>, "the smaller halves"},
    {"vmin4" FORM, OPERANDS, bindParts<Min>, "the smaller bytes"},
    {"vmax2" FORM, OPERANDS, bindParts<Max>, "the larger halves"},
    {"vmax4" FORM, OPERANDS, bindParts<Max>, "the larger bytes"},
};
// clang-format on
#undef FORM
#undef OPERANDS

} // namespace

const RowGroup videoRows = {"Halves and bytes of registers", rows};

} // namespace tessera::sim
