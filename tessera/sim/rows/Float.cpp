// Floating point in all sizes. PTX ISA 9.7.3 to 9.7.5.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/sim/rows/HostFloats.h"

#include <algorithm>
#include <numbers>

namespace tessera::sim {

namespace {

// Operations on codes of a type R: Op::of<R>(modes, a, b, c).
struct Add {
  template <class R, class C> static C of(const Modes &m, C a, C b) {
    return R::write(m, R::add(m, R::read(a, m.ftz), R::read(b, m.ftz)));
  }
};
struct Sub {
  template <class R, class C> static C of(const Modes &m, C a, C b) {
    return R::write(m, R::sub(m, R::read(a, m.ftz), R::read(b, m.ftz)));
  }
};
struct Mul {
  template <class R, class C> static C of(const Modes &m, C a, C b) {
    return R::write(m, R::mul(m, R::read(a, m.ftz), R::read(b, m.ftz)));
  }
};
struct Fma {
  template <class R, class C> static C of(const Modes &m, C a, C b, C c) {
    return R::write(m, R::fma(m, R::read(a, m.ftz), R::read(b, m.ftz), R::read(c, m.ftz)));
  }
};
/// 0, whatever c is, where a or b lay outside of a tensor.
struct FmaInside {
  template <class R, class C> static C of(const Modes &m, C a, C b, C c) {
    auto isOutside = [](C code) { return (code & 0x7fff) == outsideNan; };
    return isOutside(a) || isOutside(b) ? C(0) : Fma::of<R>(m, a, b, c);
  }
};
/// a / b and sqrt(a) rounded to odd: the error is found with a fused product.
struct Div {
  template <class R, class C> static C of(const Modes &m, C a, C b) {
    double x = R::read(a, m.ftz), y = R::read(b, m.ftz);
    if constexpr (std::is_same_v<R, F64>) {
      volatile double p = x, q = y;
      return R::write(m, F64::unlessNan(m, {x, y}, [&] { return p / q; }));
    }
    double q = x / y, rest = std::fma(-q, y, x);
    return R::write(m, std::isfinite(q) && std::isfinite(y) ? toOdd(q, y > 0 ? rest : -rest) : q);
  }
};
struct Sqrt {
  template <class R, class C> static C of(const Modes &m, C a) {
    double x = R::read(a, m.ftz);
    if constexpr (std::is_same_v<R, F64>) {
      volatile double p = x;
      return R::write(m, F64::unlessNan(m, {x}, [&] { return std::sqrt(p); }));
    }
    double root = std::sqrt(x);
    return R::write(m, std::isfinite(root) ? toOdd(root, std::fma(-root, root, x)) : root);
  }
};
template <class C> constexpr C signBit = C(C(1) << (8 * sizeof(C) - 1));
struct Neg {
  template <class R, class C> static C of(const Modes &m, C a) {
    return flushed<R>(m, a, C(a ^ signBit<C>));
  }
  /// f64 keeps a NaN, sign and payload; the others give the canonical one, as an H200 does.
  template <class R, class C> static C flushed(const Modes &m, C a, C result) {
    if (std::isnan(R::read(a, false)))
      return std::is_same_v<R, F64> ? C(a | F64::quietBit) : C(C(~C(0)) >> 1);
    return m.ftz && R::read(a, true) == 0 ? C(result & signBit<C>) : result;
  }
};
struct Abs {
  template <class R, class C> static C of(const Modes &m, C a) {
    return Neg::flushed<R>(m, a, C(a & ~signBit<C>));
  }
};
struct Copysign {
  template <class R, class C> static C of(const Modes &, C a, C b) {
    return C((a & signBit<C>) | (b & ~signBit<C>));
  }
};
/// -0 is below +0; a NaN loses against a number unless .NaN is given. PTX ISA 9.7.3.10.
template <bool larger> struct MinMax {
  template <class R, class C> static C of(const Modes &m, C a, C b) {
    double x = R::read(a, m.ftz), y = R::read(b, m.ftz);
    bool negative = m.xorsign && (std::signbit(x) != std::signbit(y));
    if (m.absolute)
      x = std::fabs(x), y = std::fabs(y);
    double result;
    if (std::isnan(x) || std::isnan(y))
      result = m.nan || (std::isnan(x) && std::isnan(y)) ? NAN : std::isnan(x) ? y : x;
    else if (x == y)
      result = std::signbit(x) == larger ? y : x;
    else
      result = (x < y) == larger ? y : x;
    if (m.xorsign)
      result = std::copysign(result, negative ? -1.0 : 1.0);
    if (std::isnan(result))
      return std::is_same_v<R, F64> ? C(b | F64::quietBit) : C(C(~C(0)) >> 1);
    return R::write(m, result);
  }
  template <class R, class C> static C of(const Modes &m, C a, C b, C c) {
    return of<R>(m, of<R>(m, a, b), c);
  }
};

// Approximations are computed in double precision and rounded once, within every bound that the ISA
// states.
template <double (*f)(double)> struct Approximate {
  template <class R, class C> static C of(const Modes &m, C a) {
    return R::write(m, f(R::read(a, m.ftz)));
  }
};
double reciprocal(double x) { return 1 / x; }
double reciprocalRoot(double x) {
  if (x < 0)
    return F64::madeNan;
  return x == 0 ? std::copysign(INFINITY, x) : 1 / std::sqrt(x);
}
double exponential(double x) { return std::exp2(x); }
double logarithm(double x) { return x == 0 ? -INFINITY : std::log2(x); }
double sine(double x) { return std::sin(x); }
double cosine(double x) { return std::cos(x); }
double tangent(double x) { return std::tanh(x); }

/// rcp and sqrt, rounded in a stated mode.
struct Rcp {
  template <class R, class C> static C of(const Modes &m, C a) {
    return Div::of<R>(m, std::is_same_v<R, F64> ? C(0x3ff0000000000000) : C(0x3f800000), a);
  }
};
/// rcp.approx.ftz.f64 and rsqrt.approx.ftz.f64 work on the upper 32 bits. PTX ISA 9.7.3.14.
template <double (*f)(double)> struct Gross {
  static uint64_t of(const Modes &m, uint64_t a) {
    uint64_t x = a & 0xffffffff00000000;
    if (!(x & 0x7ff0000000000000))
      x &= uint64_t(1) << 63;
    uint64_t result = std::bit_cast<uint64_t>(f(std::bit_cast<double>(x))) & 0xffffffff00000000;
    return result & 0x7ff0000000000000 ? result : result & uint64_t(1) << 63;
  }
};
template <double (*f)(double)> Status gross(Binding &b) {
  return done(b, each<Gross<f>, uint64_t, uint64_t>);
}

//===--- The common cases, as vectors of the host --------------------------------------------===//

template <class Op, class Fast, int sources> Status quick(Binding &b) {
  TESSERA_CHECK((real<Op, sources>(b)));
  const Modes &m = b.out.modes;
  if (b.modifiers.type() != Type::f32 || m.rounding != Rounding::NearestEven || m.sat)
    return Done{};
  if constexpr (sources == 1)
    return done(b, m.ftz ? byFours<Fast, Op, true, float> : byFours<Fast, Op, false, float>);
  else if constexpr (sources == 2)
    return done(b, m.ftz ? byFours<Fast, Op, true, float, float>
                         : byFours<Fast, Op, false, float, float>);
  else if (hostHasFma())
    return done(b, m.ftz ? fusedByHost<Op, true> : fusedByHost<Op, false>);
  else if (!m.ftz)
    return done(b, each<Fast, float, float, float, float>);
  return Done{};
}

template <double (*f)(double), class Fast> Status quickApproximation(Binding &b) {
  TESSERA_CHECK((real<Approximate<f>, 1>(b)));
  if (b.modifiers.type() != Type::f32 || !hostHasFma())
    return Done{};
  return done(b, b.out.modes.ftz ? approximated<Fast, true> : approximated<Fast, false>);
}

template <class Op, class Fast, int sources> Status quickHalves(Binding &b) {
  TESSERA_CHECK((real<Op, sources>(b)));
  const Modes &m = b.out.modes;
  Executor fast = halvesByHost<Fast, Op, sources>(b.modifiers.type());
  return m.ftz || m.sat || m.relu || !fast ? Status(Done{}) : done(b, fast);
}

//===--- Classes of numbers ------------------------------------------------------------------===//

template <class T> bool hasClass(uint8_t which, T x) {
  switch (which) {
  case 0: return std::isfinite(x);
  case 1: return std::isinf(x);
  case 2: return !std::isnan(x);
  case 3: return std::isnan(x);
  case 4:
    return std::isnormal(x) || x == 0; // so does an H100: what is not NaN, infinite or subnormal
  default: return std::fpclassify(x) == FP_SUBNORMAL;
  }
}
template <class T> Flow classify(Warp &w, const Instruction &i, Mask mask) {
  Mask found = 0;
  for (int lane = 0; lane < warpSize; ++lane)
    found |= Mask(hasClass(i.modes.choice, w.in<T>(i.operand[1])[lane])) << lane;
  w.putPredicate(i.operand[0], found, mask);
  return Flow::Next;
}
Status bindTest(Binding &b) {
  b.out.modes.choice = uint8_t(
      b.modifiers.pick({"finite", "infinite", "number", "notanumber", "normal", "subnormal"}));
  return done(b, b.modifiers.type() == Type::f64 ? classify<double> : classify<float>);
}

/// a and c of a narrower type: add.f32.bf16.
template <class Narrow, bool minus, bool fused> struct Mixed {
  static uint32_t of(const Modes &m, typename Narrow::Code a, uint32_t b)
    requires(!fused)
  {
    double x = Narrow::read(a, false);
    return F32::write(m, F32::add(m, x, minus ? -F32::read(b, false) : F32::read(b, false)));
  }
  static uint32_t of(const Modes &m, typename Narrow::Code a, typename Narrow::Code b, uint32_t c)
    requires(fused)
  {
    return F32::write(
        m, F32::fma(m, Narrow::read(a, false), Narrow::read(b, false), F32::read(c, false)));
  }
};
template <bool minus> Status mixed(Binding &b) {
  readModes(b);
  bool isF16 = b.modifiers.type(1) == Type::f16;
  return done(b, isF16 ? each<Mixed<F16, minus, false>, uint32_t, uint16_t, uint32_t>
                       : each<Mixed<Bf16, minus, false>, uint32_t, uint16_t, uint32_t>);
}
Status mixedFma(Binding &b) {
  readModes(b);
  bool isF16 = b.modifiers.type(1) == Type::f16;
  return done(b, isF16 ? each<Mixed<F16, false, true>, uint32_t, uint16_t, uint16_t, uint32_t>
                       : each<Mixed<Bf16, false, true>, uint32_t, uint16_t, uint16_t, uint32_t>);
}

// clang-format off
constexpr InstructionRow rows[] = {
    {"add ?<round> ?ftz ?sat f32", "=t t t", quick<Add, FastAdd, 2>, "a + b"},
    {"sub ?<round> ?ftz ?sat f32", "=t t t", quick<Sub, FastSub, 2>, "a - b"},
    {"mul ?<round> ?ftz ?sat f32", "=t t t", quick<Mul, FastMul, 2>, "a * b"},
    {"fma <round> ?ftz ?sat f32", "=t t t t", quick<Fma, FastFma, 3>, "a * b + c, rounded once"},
    {"mad ?<round> ?ftz ?sat f32", "=t t t t", quick<Fma, FastFma, 3>, "the same"},
    {"add ?<round> f64", "=t t t", real<Add, 2>, "a + b"},
    {"sub ?<round> f64", "=t t t", real<Sub, 2>, "a - b"},
    {"mul ?<round> f64", "=t t t", real<Mul, 2>, "a * b"},
    {"fma <round> f64", "=t t t t", real<Fma, 3>, "a * b + c, rounded once"},
    {"mad ?<round> f64", "=t t t t", real<Fma, 3>, "the same"},
    {"add ?<round> ?ftz f32x2", "=t t t", real<Add, 2>, "a + b of both halves"},
    {"sub ?<round> ?ftz f32x2", "=t t t", real<Sub, 2>, "a - b of both halves"},
    {"mul ?<round> ?ftz f32x2", "=t t t", real<Mul, 2>, "a * b of both halves"},
    {"fma ?<round> ?ftz f32x2", "=t t t t", real<Fma, 3>, "a * b + c of both halves"},
    {"add ?<round> ?sat f32 f16|bf16", "=f32 t1 f32", mixed<false>, "a + c with a narrow a"},
    {"sub ?<round> ?sat f32 f16|bf16", "=f32 t1 f32", mixed<true>, "a - c with a narrow a"},
    {"fma <round> ?sat f32 f16|bf16", "=f32 t1 t1 f32", mixedFma, "a * b + c with narrow a and b"},
    {"add ?rn ?ftz ?sat <half>", "=t t t", quickHalves<Add, HalfSum, 2>, "a + b"},
    {"sub ?rn ?ftz ?sat <half>", "=t t t", quickHalves<Sub, HalfDifference, 2>, "a - b"},
    {"mul ?rn ?ftz ?sat <half>", "=t t t", quickHalves<Mul, HalfProduct, 2>, "a * b"},
    {"fma rn ?ftz ?sat|relu <half>", "=t t t t", quickHalves<Fma, HalfFused, 3>, "a * b + c, rounded once"},
    {"fma rn oob ?relu <half>", "=t t t t", real<FmaInside, 3>, "the same; 0 where a or b is the NaN that boxes of tensors are filled with"},
    {"div <round> ?ftz f32", "=t t t", quick<Div, FastDiv, 2>, "a / b"},
    {"div approx|full ?ftz f32", "=t t t", quick<Div, FastDiv, 2>, "a / b, approximately (here correctly rounded)"},
    {"div <round> f64", "=t t t", real<Div, 2>, "a / b"},
    {"neg ?ftz f32", "=t t", real<Neg, 1>, "-a"},
    {"neg f64", "=t t", real<Neg, 1>, "-a"},
    {"neg ?ftz <half>", "=t t", real<Neg, 1>, "-a"},
    {"abs ?ftz f32", "=t t", real<Abs, 1>, "absolute value"},
    {"abs f64", "=t t", real<Abs, 1>, "absolute value"},
    {"abs ?ftz <half>", "=t t", real<Abs, 1>, "absolute value"},
    {"copysign f32|f64", "=t t t", real<Copysign, 2>, "b with the sign of a"},
    {"min ?ftz ?NaN ?xorsign ?abs f32", "=t t t", real<MinMax<false>, 2>, "the smaller; of a NaN and a number the number"},
    {"max ?ftz ?NaN ?xorsign ?abs f32", "=t t t", real<MinMax<true>, 2>, "the larger"},
    {"min ?ftz ?NaN ?abs f32", "=t t t t", real<MinMax<false>, 3>, "the smallest of three"},
    {"max ?ftz ?NaN ?abs f32", "=t t t t", real<MinMax<true>, 3>, "the largest of three"},
    {"min f64", "=t t t", real<MinMax<false>, 2>, "the smaller"},
    {"max f64", "=t t t", real<MinMax<true>, 2>, "the larger"},
    {"min ?ftz ?NaN ?xorsign ?abs <half>", "=t t t", real<MinMax<false>, 2>, "the smaller"},
    {"max ?ftz ?NaN ?xorsign ?abs <half>", "=t t t", real<MinMax<true>, 2>, "the larger"},
    {"rcp <round> ?ftz f32|f64", "=t t", quick<Rcp, FastRcp, 1>, "1 / a"},
    {"rcp approx ?ftz f32", "=t t", quick<Rcp, FastRcp, 1>, "1 / a, approximately (here correctly rounded)"},
    {"rcp approx ftz f64", "=t t", gross<reciprocal>, "the upper half of 1 / a"},
    {"sqrt <round> ?ftz f32|f64", "=t t", quick<Sqrt, FastSqrt, 1>, "square root"},
    {"sqrt approx ?ftz f32", "=t t", quick<Sqrt, FastSqrt, 1>, "square root, approximately (here correctly rounded)"},
    {"rsqrt approx ftz f64", "=t t", gross<reciprocalRoot>, "the upper half of 1 / sqrt(a)"},
    {"rsqrt approx ?ftz f32|f64", "=t t", quickApproximation<reciprocalRoot, HostRsqrt>, "1 / sqrt(a)"},
    {"sin approx ?ftz f32", "=t t", real<Approximate<sine>, 1>, "sine"},
    {"cos approx ?ftz f32", "=t t", real<Approximate<cosine>, 1>, "cosine"},
    {"lg2 approx ?ftz f32", "=t t", quickApproximation<logarithm, HostLog2>, "logarithm to base 2"},
    {"ex2 approx ?ftz f32", "=t t", quickApproximation<exponential, HostExp2>, "power of 2"},
    {"ex2 approx ?ftz <half>", "=t t", real<Approximate<exponential>, 1>, "power of 2"},
    {"tanh approx f32", "=t t", real<Approximate<tangent>, 1>, "hyperbolic tangent"},
    {"tanh approx <half>", "=t t", real<Approximate<tangent>, 1>, "hyperbolic tangent"},
    {"testp finite|infinite|number|notanumber|normal|subnormal f32|f64", "=pred t", bindTest, "whether a is of a class"},
};
// clang-format on

} // namespace

const RowGroup floatRows = {"Floating point", rows};

} // namespace tessera::sim
