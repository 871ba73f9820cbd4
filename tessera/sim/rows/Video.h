// Video: shared parts of scalar and SIMD video instructions: operations on parts of registers, and
// selectors of operands.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/sim/Lanes.h"

#include <algorithm>
#include <cstdlib>

namespace tessera::sim::video {

struct Add {
  static int64_t of(int64_t a, int64_t b) { return a + b; }
};
struct Sub {
  static int64_t of(int64_t a, int64_t b) { return a - b; }
};
/// The average. Halves are rounded away from minus infinity unless the sum is negative.
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
template <class Relation> struct Holds {
  static int64_t of(int64_t a, int64_t b) { return Relation()(a, b); }
};

/// `size` bits of a word from bit `from` on, extended with their sign or zeros.
inline int64_t part(uint32_t word, int from, int size, bool isSigned) {
  int64_t value = int64_t(word >> from) & ((int64_t(1) << size) - 1);
  return isSigned && value >> (size - 1) ? value - (int64_t(1) << size) : value;
}
/// Clamps a value to the range of a part.
template <class T> T clampTo(T value, int size, bool isSigned) {
  T high = (T(1) << (size - isSigned)) - 1, low = isSigned ? -high - 1 : 0;
  return std::clamp(value, low, high);
}

/// The selector after the last dot of an operand that is not a name as a whole: h0 in r1.h0.
inline std::string_view selectorOf(Binding &b, size_t which) {
  const Operand &operand = b.operands[which];
  size_t dot = operand.name.rfind('.');
  return operand.kind == Operand::Name && dot != operand.name.npos && !b.binder.find(operand.name)
             ? operand.name.substr(dot + 1)
             : std::string_view();
}
inline Reason wrongOperand(const Binding &b, size_t which, std::string_view expected) {
  return fail(Error::OperandKind, which + 1, b.modifiers.mnemonic, expected,
              cat("'", b.operands[which].str(), "'"));
}
/// Defines the binder of a mnemonic's comparison.
#define TESSERA_VIDEO_COMPARISON(bind)                                                             \
  [](Binding &b) {                                                                                 \
    using I = int64_t;                                                                             \
    constexpr Status (*all[])(Binding &) = {                                                       \
        bind<Holds<std::equal_to<I>>>, bind<Holds<std::not_equal_to<I>>>,                          \
        bind<Holds<std::less<I>>>,     bind<Holds<std::less_equal<I>>>,                            \
        bind<Holds<std::greater<I>>>,  bind<Holds<std::greater_equal<I>>>};                        \
    return all[b.modifiers.pick({"eq", "ne", "lt", "le", "gt", "ge"})](b);                         \
  }

} // namespace tessera::sim::video
