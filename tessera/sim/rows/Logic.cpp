// Logic and shifts. PTX ISA 9.7.8.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/sim/Lanes.h"

#include <algorithm>

namespace tessera::sim {

namespace {

struct And {
  template <class T> static T of(T a, T b) { return T(a & b); }
};
struct Or {
  template <class T> static T of(T a, T b) { return T(a | b); }
};
struct Xor {
  template <class T> static T of(T a, T b) { return T(a ^ b); }
};
struct Not {
  template <class T> static T of(T a) { return T(~a); }
};
struct Cnot {
  template <class T> static T of(T a) { return T(a == 0); }
};

/// A predicate is a mask of lanes, so that one operation serves the warp.
template <class Op> Flow masks(Warp &w, const Instruction &i, Mask mask) {
  if constexpr (requires { Op::of(Mask(), Mask()); })
    w.putPredicate(i.operand[0], Op::of(w.predicate(i.operand[1]), w.predicate(i.operand[2])),
                   mask);
  else
    w.putPredicate(i.operand[0], Op::of(w.predicate(i.operand[1])), mask);
  return Flow::Next;
}
template <class Op> Status onMasks(Binding &b) { return done(b, masks<Op>); }

// Amounts beyond the size shift everything out.
struct Shl {
  template <class T> static T of(T a, uint32_t n) { return n >= 8 * sizeof(T) ? T(0) : T(a << n); }
};
struct Shr {
  template <class T> static T of(T a, uint32_t n) {
    return T(n >= 8 * sizeof(T) ? (a < 0 ? T(-1) : T(0)) : T(a >> n));
  }
};
template <class Op> Status shift(Binding &b) {
  return done(b, byInteger(b.modifiers.type(),
                           []<class T>(T) -> Executor { return each<Op, T, T, uint32_t>; }));
}

/// Shifts the 64 bits of b:a and keeps one half.
struct Shf {
  static uint32_t of(const Modes &m, uint32_t a, uint32_t b, uint32_t c) {
    uint32_t n = m.choice ? c & 31 : std::min(c, 32u);
    uint64_t both = uint64_t(b) << 32 | a;
    return m.second ? uint32_t((both << n) >> 32) : uint32_t(both >> n);
  }
};
struct Lop3 {
  static uint32_t of(const Modes &m, uint32_t a, uint32_t b, uint32_t c) {
    uint32_t out = 0;
    for (int term = 0; term < 8; ++term)
      if (m.choice >> term & 1)
        out |= (term & 4 ? a : ~a) & (term & 2 ? b : ~b) & (term & 1 ? c : ~c);
    return out;
  }
};
/// Four bytes of b:a; a selector's fourth bit replicates the sign of its byte. PTX ISA 9.7.9.7.
struct Prmt {
  static uint32_t of(const Modes &m, uint32_t a, uint32_t b, uint32_t c) {
    uint64_t both = uint64_t(b) << 32 | a;
    uint32_t out = 0, first = c & 3;
    for (uint32_t i = 0; i < 4; ++i) {
      uint32_t selector = c >> (4 * i) & 15;
      switch (m.choice) {
      case 1: selector = (first + i) & 7; break;           // f4e
      case 2: selector = (first - i) & 7; break;           // b4e
      case 3: selector = first; break;                     // rc8
      case 4: selector = std::max(first, i); break;        // ecl
      case 5: selector = std::min(first, i); break;        // ecr
      case 6: selector = (first & 1) * 2 + (i & 1); break; // rc16
      default: break;
      }
      uint32_t byte = uint32_t(both >> (8 * (selector & 7)) & 255);
      if (m.choice == 0 && (selector & 8))
        byte = byte & 128 ? 255 : 0;
      out |= byte << (8 * i);
    }
    return out;
  }
};

Status bindShf(Binding &b) {
  b.out.modes.choice = uint8_t(b.modifiers.has("wrap"));
  b.out.modes.second = uint8_t(b.modifiers.has("l"));
  return done(b, each<Shf, uint32_t, uint32_t, uint32_t, uint32_t>);
}
Status bindLop3(Binding &b) {
  b.out.modes.choice = uint8_t(b.out.immediate[0]);
  return done(b, each<Lop3, uint32_t, uint32_t, uint32_t, uint32_t>);
}
/// operand: d, p, a, b, c, q: whether d is not 0, combined with q. PTX ISA 9.7.8.6. second: and,
/// not or.
Flow lop3AndTest(Warp &w, const Instruction &i, Mask mask) {
  const uint32_t *a = w.in<uint32_t>(i.operand[2]), *b = w.in<uint32_t>(i.operand[3]),
                 *c = w.in<uint32_t>(i.operand[4]);
  uint32_t result[warpSize];
  Mask found = 0, q = w.predicate(i.operand[5]);
  for (int lane = 0; lane < warpSize; ++lane) {
    result[lane] = Lop3::of(i.modes, a[lane], b[lane], c[lane]);
    found |= Mask(result[lane] != 0) << lane;
  }
  w.put(i.operand[0], result, mask);
  if (i.operand[1] != noSlot)
    w.putPredicate(i.operand[1], i.modes.second ? found & q : found | q, mask);
  return Flow::Next;
}
Status bindLop3AndTest(Binding &b) {
  b.out.modes.choice = uint8_t(b.out.immediate[0]);
  b.out.modes.second = uint8_t(b.modifiers.has("and"));
  return done(b, lop3AndTest);
}
Status bindPrmt(Binding &b) {
  b.out.modes.choice =
      uint8_t(1 + b.modifiers.pick({"f4e", "b4e", "rc8", "ecl", "ecr", "rc16"}, -1));
  return done(b, each<Prmt, uint32_t, uint32_t, uint32_t, uint32_t>);
}

// clang-format off
constexpr InstructionRow rows[] = {
    {"and <bits>", "=t t t", binary<And>, "a and b"},
    {"or <bits>", "=t t t", binary<Or>, "a or b"},
    {"xor <bits>", "=t t t", binary<Xor>, "a xor b"},
    {"not <bits>", "=t t", unary<Not>, "not a"},
    {"cnot <bits>", "=t t", unary<Cnot>, "1 if a is 0, otherwise 0"},
    {"and pred", "=t t t", onMasks<And>, "a and b"},
    {"or pred", "=t t t", onMasks<Or>, "a or b"},
    {"xor pred", "=t t t", onMasks<Xor>, "a xor b"},
    {"not pred", "=t t", onMasks<Not>, "not a"},
    {"shl <bits>", "=t t u32", shift<Shl>, "a to the left"},
    {"shr <int>|<bits>", "=t t u32", shift<Shr>, "a to the right, with its sign if it is signed"},
    {"shf l|r clamp|wrap b32", "=b32 b32 b32 u32", bindShf, "one half of b:a after a shift"},
    {"lop3 b32", "=b32 b32 b32 b32 imm", bindLop3, "a function of three bits given by its table"},
    {"lop3 and|or b32", "=b32| b32 b32 b32 imm pred", bindLop3AndTest, "the same, and whether it is not 0, combined with a predicate"},
    {"prmt b32 ?f4e|b4e|rc8|ecl|ecr|rc16", "=b32 b32 b32 b32", bindPrmt, "four bytes of b:a"},
};
// clang-format on

} // namespace

Executor notPredicate() { return masks<Not>; }

const RowGroup logicRows = {"Logic and shifts", rows};

} // namespace tessera::sim
