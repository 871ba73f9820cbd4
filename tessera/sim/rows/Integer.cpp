// Integer arithmetic. PTX ISA 9.7.1 and 9.7.2.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/sim/Lanes.h"

#include <algorithm>
#include <bit>
#include <limits>

namespace tessera::sim {

namespace {

template <class T> using Unsigned = std::make_unsigned_t<T>;
template <class T> T clamped(Wide<T> value) {
  using L = std::numeric_limits<T>;
  return T(std::clamp<Wide<T>>(value, L::min(), L::max()));
}

struct Add {
  template <class T> static T of(T a, T b) { return T(Unsigned<T>(a) + Unsigned<T>(b)); }
};
struct Sub {
  template <class T> static T of(T a, T b) { return T(Unsigned<T>(a) - Unsigned<T>(b)); }
};
struct AddSat {
  template <class T> static T of(T a, T b) { return clamped<T>(Wide<T>(a) + b); }
};
struct SubSat {
  template <class T> static T of(T a, T b) { return clamped<T>(Wide<T>(a) - b); }
};
// Through 64 bits: two u16 would be promoted to int and could overflow it.
struct MulLo {
  template <class T> static T of(T a, T b) { return T(uint64_t(a) * uint64_t(b)); }
};
struct MulHi {
  template <class T> static T of(T a, T b) {
    return T((Wide<T>(a) * Wide<T>(b)) >> (8 * sizeof(T)));
  }
};
struct MulWide {
  template <class T> static Wide<T> of(T a, T b) { return Wide<T>(a) * Wide<T>(b); }
};
struct MadLo {
  template <class T> static T of(T a, T b, T c) {
    return T(uint64_t(a) * uint64_t(b) + uint64_t(c));
  }
};
struct MadHi {
  template <class T> static T of(T a, T b, T c) { return Add::of(MulHi::of(a, b), c); }
};
struct MadHiSat {
  template <class T> static T of(T a, T b, T c) { return AddSat::of(MulHi::of(a, b), c); }
};
struct MadWide {
  template <class T> static Wide<T> of(T a, T b, Wide<T> c) {
    return Add::of(MulWide::of(a, b), c);
  }
};
template <class T> int64_t low24(T a) {
  return std::is_signed_v<T> ? int64_t(int32_t(uint32_t(a) << 8) >> 8)
                             : int64_t(uint32_t(a) & 0xffffff);
}
struct Mul24Lo {
  template <class T> static T of(T a, T b) { return T(low24(a) * low24(b)); }
};
struct Mul24Hi {
  template <class T> static T of(T a, T b) { return T((low24(a) * low24(b)) >> 16); }
};
struct Mad24Lo {
  template <class T> static T of(T a, T b, T c) { return Add::of(Mul24Lo::of(a, b), c); }
};
struct Mad24Hi {
  template <class T> static T of(T a, T b, T c) { return Add::of(Mul24Hi::of(a, b), c); }
};
struct Mad24HiSat {
  template <class T> static T of(T a, T b, T c) { return AddSat::of(Mul24Hi::of(a, b), c); }
};
struct Sad {
  template <class T> static T of(T a, T b, T c) {
    return T(Unsigned<T>(c) +
             (a < b ? Unsigned<T>(b) - Unsigned<T>(a) : Unsigned<T>(a) - Unsigned<T>(b)));
  }
};
// Division by zero is undefined in PTX; GPUs give all ones, and the dividend as the rest.
struct Div {
  template <class T> static T of(T a, T b) {
    if (b == 0)
      return T(-1);
    return std::is_signed_v<T> && b == T(-1) ? Sub::of(T(0), a) : T(a / b);
  }
};
struct Rem {
  template <class T> static T of(T a, T b) {
    if (b == 0)
      return a;
    return std::is_signed_v<T> && b == T(-1) ? T(0) : T(a % b);
  }
};
struct Neg {
  template <class T> static T of(T a) { return Sub::of(T(0), a); }
};
struct Abs {
  template <class T> static T of(T a) { return a < 0 ? Neg::of(a) : a; }
};
struct Min {
  template <class T> static T of(T a, T b) { return std::min(a, b); }
};
struct Max {
  template <class T> static T of(T a, T b) { return std::max(a, b); }
};
struct MinRelu {
  template <class T> static T of(T a, T b) { return std::max(T(0), std::min(a, b)); }
};
struct MaxRelu {
  template <class T> static T of(T a, T b) { return std::max({T(0), a, b}); }
};

/// Op on both halves of a 32-bit register.
template <class Op, class H> struct Halves {
  static uint32_t of(uint32_t a, uint32_t b) {
    return uint32_t(uint16_t(Op::of(H(a), H(b)))) |
           uint32_t(uint16_t(Op::of(H(a >> 16), H(b >> 16)))) << 16;
  }
};
template <class Op> Status halves(Binding &b) {
  bool isSigned = b.modifiers.type() == Type::s16x2;
  return done(b, isSigned ? each<Halves<Op, int16_t>, uint32_t, uint32_t, uint32_t>
                          : each<Halves<Op, uint16_t>, uint32_t, uint32_t, uint32_t>);
}

struct Popc {
  template <class T> static uint32_t of(T a) { return uint32_t(std::popcount(a)); }
};
struct Clz {
  template <class T> static uint32_t of(T a) { return uint32_t(std::countl_zero(a)); }
};
struct Brev {
  template <class T> static T of(T a) {
    T out = 0;
    for (size_t i = 0; i < 8 * sizeof(T); ++i)
      out = T(out << 1 | (a >> i & 1));
    return out;
  }
};
/// The highest bit that differs from the sign; all ones if there is none.
struct Bfind {
  template <class T> static uint32_t of(T a) {
    Unsigned<T> u = Unsigned<T>(a < 0 ? ~a : a);
    return u ? uint32_t(8 * sizeof(T) - 1 - size_t(std::countl_zero(u))) : ~0u;
  }
};
struct BfindShift {
  template <class T> static uint32_t of(T a) {
    uint32_t found = Bfind::of(a);
    return found == ~0u ? found : uint32_t(8 * sizeof(T) - 1) - found;
  }
};
struct Fns {
  static uint32_t of(uint32_t mask, uint32_t base, int32_t offset) {
    if (offset == 0)
      return base < 32 && (mask >> base & 1) ? base : ~0u;
    int step = offset > 0 ? 1 : -1, left = std::abs(offset);
    for (int64_t at = base; at >= 0 && at < 32; at += step)
      if ((mask >> at & 1) && --left == 0)
        return uint32_t(at);
    return ~0u;
  }
};
/// `length` bits from `start`, extended with the sign of the last of them that exists.
struct Bfe {
  template <class T> static T of(T a, uint32_t b, uint32_t c) {
    constexpr uint32_t size = 8 * sizeof(T);
    uint32_t start = b & 255, length = c & 255;
    if (length == 0)
      return 0;
    bool sign = std::is_signed_v<T> && (a >> std::min(start + length - 1, size - 1) & 1);
    Unsigned<T> value = start < size ? Unsigned<T>(Unsigned<T>(a) >> start) : 0;
    uint32_t have = start < size ? std::min(length, size - start) : 0;
    Unsigned<T> mask = have >= size ? ~Unsigned<T>(0) : Unsigned<T>((Unsigned<T>(1) << have) - 1);
    return T((value & mask) | (sign ? ~mask : 0));
  }
};
struct Bfi {
  template <class T> static T of(T a, T b, uint32_t c, uint32_t d) {
    constexpr uint32_t size = 8 * sizeof(T);
    uint32_t start = c & 255, length = d & 255;
    if (start >= size || length == 0)
      return b;
    T mask = T((length >= size ? ~T(0) : T((T(1) << length) - 1)) << start);
    return T((T(a << start) & mask) | (b & ~mask));
  }
};
/// 2^width - 1 at a position. PTX ISA 9.7.1.23: clamp makes of what is too far nothing, wrap takes
/// it modulo 32.
struct Bmsk {
  static uint32_t of(const Modes &m, uint32_t at, uint32_t width) {
    if (m.choice)
      return (width & 31 ? (1u << (width & 31)) - 1 : 0) << (at & 31);
    uint32_t mask = width >= 32 ? ~0u : (1u << width) - 1;
    return at >= 32 ? 0 : mask << at;
  }
};
struct Szext {
  template <class T> static T of(const Modes &m, T a, uint32_t n) {
    if (m.choice)
      n &= 31;
    if (n >= 32)
      return a;
    if (n == 0)
      return 0;
    return T(T(uint32_t(a) << (32 - n)) >> (32 - n));
  }
};
Status bindChoice(Binding &b, Executor run) {
  b.out.modes.choice = uint8_t(b.modifiers.has("wrap"));
  return done(b, run);
}

template <class A, class B> struct Dp4a {
  static uint32_t of(uint32_t a, uint32_t b, uint32_t c) {
    for (int i = 0; i < 32; i += 8)
      c += uint32_t(int32_t(A(a >> i)) * int32_t(B(b >> i)));
    return c;
  }
};
/// Two 16-bit values of a with the low or the high two bytes of b.
template <class A, class B> struct Dp2a {
  static uint32_t of(const Modes &m, uint32_t a, uint32_t b, uint32_t c) {
    b >>= m.choice ? 16 : 0;
    for (int i = 0; i < 2; ++i)
      c += uint32_t(int32_t(A(a >> (16 * i))) * int32_t(B(b >> (8 * i))));
    return c;
  }
};
template <template <class, class> class Op, class SA, class UA> Status dotProduct(Binding &b) {
  using U = uint32_t;
  bool a = b.modifiers.type(0) == Type::s32, c = b.modifiers.type(1) == Type::s32;
  b.out.modes.choice = uint8_t(b.modifiers.has("hi"));
  return done(b, a ? (c ? each<Op<SA, int8_t>, U, U, U, U> : each<Op<SA, uint8_t>, U, U, U, U>)
                   : (c ? each<Op<UA, int8_t>, U, U, U, U> : each<Op<UA, uint8_t>, U, U, U, U>));
}

/// Results of 32 bits whatever the type.
template <class Op> Status toWord(Binding &b) {
  return done(b, byInteger(b.modifiers.type(), []<class T>(T) -> Executor {
                if constexpr (requires { Op::of(T()); } &&
                              !(std::is_signed_v<T> && std::is_same_v<Op, Popc>))
                  return each<Op, uint32_t, T>;
                else
                  return nullptr;
              }));
}
template <class Op> Status unsignedToWord(Binding &b) {
  return done(b, bySize(b.modifiers.type(), []<class T>(T) -> Executor {
                if constexpr (std::is_unsigned_v<T>)
                  return each<Op, uint32_t, T>;
                else
                  return nullptr;
              }));
}

template <class F> Status wide(Binding &b, F f) {
  return done(b, byInteger(b.modifiers.type(), [&]<class T>(T t) -> Executor {
                if constexpr (sizeof(T) == 2 || sizeof(T) == 4)
                  return f(t);
                else
                  return nullptr;
              }));
}

//===--- With carry: PTX ISA 9.7.2 -----------------------------------------------------------===//

/// x + y + carry, or x - y - borrow, where x is a product or a source. choice: 1 reads the carry, 2
/// writes it, 4 is the high half of the product. A difference is x + ~y + 1, and its carry is 1
/// where nothing is borrowed: an addc after a sub.cc sees that, as nvcc's division of 128 bits
/// expects.
enum Extended : uint8_t {
  Plus,
  Minus,
  ProductLow,
  ProductHigh,
  SignedHigh
};
template <class T, Extended how> Flow extended(Warp &w, const Instruction &i, Mask mask) {
  const T *a = w.in<T>(i.operand[1]), *b = w.in<T>(i.operand[2]);
  T result[warpSize];
  Mask carry = 0;
  for (int lane = 0; lane < warpSize; ++lane) {
    T x = a[lane], y = b[lane];
    if (how == ProductLow || how == ProductHigh || how == SignedHigh) {
      using S = std::make_signed_t<T>;
      x = how == ProductLow    ? MulLo::of(x, y)
          : how == ProductHigh ? MulHi::of(x, y)
                               : T(MulHi::of(S(x), S(y)));
      y = w.in<T>(i.operand[3])[lane];
    }
    T in = i.modes.choice & 1 ? T(w.carry >> lane & 1) : T(how == Minus);
    Wide<T> sum = Wide<T>(x) + (how == Minus ? T(~y) : y) + in;
    result[lane] = T(sum);
    carry |= Mask(sum >> (8 * sizeof(T)) & 1) << lane;
  }
  w.put(i.operand[0], result, mask);
  if (i.modes.choice & 2)
    w.carry = (w.carry & ~mask) | (carry & mask);
  return Flow::Next;
}
template <Extended how> Status carrying(Binding &b) {
  bool isHigh = b.modifiers.has("hi"), isSigned = sim::isSigned(b.modifiers.type());
  b.out.modes.choice = uint8_t(b.modifiers.words[0].ends_with("c") |
                               (b.modifiers.has("cc") ? 2 : 0) | (isHigh ? 4 : 0));
  return done(b, bySize(b.modifiers.type(), [&]<class T>(T) -> Executor {
                if constexpr (sizeof(T) >= 4 && std::is_unsigned_v<T>)
                  return !isHigh    ? extended<T, how>
                         : isSigned ? extended<T, SignedHigh>
                                    : extended<T, ProductHigh>;
                else
                  return nullptr;
              }));
}

// clang-format off
constexpr InstructionRow rows[] = {
    {"add <int>", "=t t t", binary<Add>, "a + b"},
    {"add sat s32", "=t t t", binary<AddSat>, "a + b, clamped"},
    {"add <pair>", "=t t t", halves<Add>, "a + b of both halves"},
    {"sub <int>", "=t t t", binary<Sub>, "a - b"},
    {"sub sat s32", "=t t t", binary<SubSat>, "a - b, clamped"},
    {"add cc <int32>", "=t t t", carrying<Plus>, "a + b, with carry out"},
    {"addc ?cc <int32>", "=t t t", carrying<Plus>, "a + b + carry"},
    {"sub cc <int32>", "=t t t", carrying<Minus>, "a - b; the carry out is 1 where nothing is borrowed"},
    {"subc ?cc <int32>", "=t t t", carrying<Minus>, "a - b - 1 + carry"},
    {"mad lo|hi cc <int32>", "=t t t t", carrying<ProductLow>, "a * b + c, with carry out"},
    {"madc lo|hi ?cc <int32>", "=t t t t", carrying<ProductLow>, "a * b + c + carry"},
    {"mul lo <int>", "=t t t", binary<MulLo>, "low half of a * b"},
    {"mul hi <int>", "=t t t", binary<MulHi>, "high half of a * b"},
    {"mul wide <narrow>", "=w t t",
     [](Binding &b) { return wide(b, []<class T>(T) -> Executor { return each<MulWide, Wide<T>, T, T>; }); }, "a * b in twice the size"},
    {"mad lo <int>", "=t t t t", ternary<MadLo>, "low half of a * b, plus c"},
    {"mad hi <int>", "=t t t t", ternary<MadHi>, "high half of a * b, plus c"},
    {"mad hi sat s32", "=t t t t", ternary<MadHiSat>, "high half of a * b, plus c, clamped"},
    {"mad wide <narrow>", "=w t t w",
     [](Binding &b) { return wide(b, []<class T>(T) -> Executor { return each<MadWide, Wide<T>, T, T, Wide<T>>; }); },
     "a * b + c in twice the size"},
    {"mul24 lo <word>", "=t t t", binary<Mul24Lo>, "low 32 bits of a 24-bit product"},
    {"mul24 hi <word>", "=t t t", binary<Mul24Hi>, "high 32 of the 48 bits of a 24-bit product"},
    {"mad24 lo <word>", "=t t t t", ternary<Mad24Lo>, "mul24.lo plus c"},
    {"mad24 hi <word>", "=t t t t", ternary<Mad24Hi>, "mul24.hi plus c"},
    {"mad24 hi sat s32", "=t t t t", ternary<Mad24HiSat>, "mul24.hi plus c, clamped"},
    {"sad <int>", "=t t t t", ternary<Sad>, "c + |a - b|"},
    {"div <int>", "=t t t", binary<Div>, "a / b towards zero; by 0 all ones"},
    {"rem <int>", "=t t t", binary<Rem>, "the remainder of a / b; by 0 a"},
    {"abs s16|s32|s64", "=t t", unary<Abs>, "absolute value"},
    {"neg s16|s32|s64", "=t t", unary<Neg>, "-a"},
    {"min <int>", "=t t t", binary<Min>, "the smaller"},
    {"max <int>", "=t t t", binary<Max>, "the larger"},
    {"min relu s32", "=t t t", binary<MinRelu>, "the smaller, at least 0"},
    {"max relu s32", "=t t t", binary<MaxRelu>, "the larger, at least 0"},
    {"min <pair>", "=t t t", halves<Min>, "the smaller of both halves"},
    {"max <pair>", "=t t t", halves<Max>, "the larger of both halves"},
    {"min relu s16x2", "=t t t", halves<MinRelu>, "the smaller of both halves, at least 0"},
    {"max relu s16x2", "=t t t", halves<MaxRelu>, "the larger of both halves, at least 0"},
    {"popc b32|b64", "=u32 t", unsignedToWord<Popc>, "number of ones"},
    {"clz b32|b64", "=u32 t", unsignedToWord<Clz>, "number of leading zeros"},
    {"bfind <int32>", "=u32 t", toWord<Bfind>, "highest bit that is not the sign"},
    {"bfind shiftamt <int32>", "=u32 t", toWord<BfindShift>, "the shift that brings it to the top"},
    {"fns b32", "=b32 b32 b32 s32", [](Binding &b) { return done(b, each<Fns, uint32_t, uint32_t, uint32_t, int32_t>); },
     "the n-th set bit from a position"},
    {"brev b32|b64", "=t t", unary<Brev>, "bits in reverse order"},
    {"bfe <int32>", "=t t u32 u32",
     [](Binding &b) { return done(b, byInteger(b.modifiers.type(), []<class T>(T) -> Executor { return each<Bfe, T, T, uint32_t, uint32_t>; })); },
     "a field of bits"},
    {"bfi b32|b64", "=t t t u32 u32",
     [](Binding &b) { return done(b, bySize(b.modifiers.type(), []<class T>(T) -> Executor { return each<Bfi, T, T, T, uint32_t, uint32_t>; })); },
     "b with a field of a's bits"},
    {"bmsk clamp|wrap b32", "=b32 u32 u32", [](Binding &b) { return bindChoice(b, each<Bmsk, uint32_t, uint32_t, uint32_t>); },
     "ones at a position"},
    {"szext clamp|wrap u32", "=t t u32", [](Binding &b) { return bindChoice(b, each<Szext, uint32_t, uint32_t, uint32_t>); },
     "the low n bits, extended with zeros"},
    {"szext clamp|wrap s32", "=t t u32", [](Binding &b) { return bindChoice(b, each<Szext, int32_t, int32_t, uint32_t>); },
     "the low n bits, extended with their sign"},
    {"dp4a <word> <word>", "=b32 b32 b32 b32", dotProduct<Dp4a, int8_t, uint8_t>, "c plus the products of four bytes"},
    {"dp2a lo|hi <word> <word>", "=b32 b32 b32 b32", dotProduct<Dp2a, int16_t, uint16_t>, "c plus the products of two halves and two bytes"},
};
// clang-format on

} // namespace

const RowGroup integerRows = {"Integer arithmetic", rows};

} // namespace tessera::sim
