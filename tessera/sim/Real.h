// Real: reading, computing and writing each floating-point type, so that operations are written
// once.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/sim/Lanes.h"

#include <cfenv>

namespace tessera::sim {

/// A type whose arithmetic is done in double precision, rounded to odd (see number/Exact.h).
template <number::Format which, class C> struct Small {
  using Code = C;
  static constexpr number::Floating format = number::floating(which);
  static double read(Code code, bool ftz) {
    double value;
    if constexpr (format.mantissa == 23)
      value = double(std::bit_cast<float>(uint32_t(code)));
    else if constexpr (format.mantissa == 10)
      value = double(halfToFloat(uint16_t(code)));
    else
      value = double(bfloatToFloat(uint16_t(code)));
    return ftz && !(code & format.infinity()) ? std::copysign(0.0, value) : value;
  }
  static Code write(const Modes &m, double value) {
    if (m.sat)
      value = value > 0 ? std::fmin(value, 1.0) : 0.0; // NaN and -0 too
    if (m.relu)
      value = value > 0 || std::isnan(value) ? value : 0.0;
    if (m.ftz && number::isFlushed(format, value, m.rounding))
      return Code(std::signbit(value) ? format.signBit() : 0);
    if (format.mantissa == 23 && m.rounding == Rounding::NearestEven && !std::isnan(value))
      return Code(std::bit_cast<uint32_t>(float(value)));
    return Code(number::encode(format, value, m.rules()));
  }
  static double add(const Modes &m, double a, double b) {
    return signedZero(addToOdd(a, b), a, b, m.rounding);
  }
  static double sub(const Modes &m, double a, double b) { return add(m, a, -b); }
  static double mul(const Modes &, double a, double b) { return a * b; }
  static double fma(const Modes &m, double a, double b, double c) {
    return fusedToOdd(a, b, c, m.rounding);
  }
};
using F32 = Small<number::Format::f32, uint32_t>;
using F16 = Small<number::Format::f16, uint16_t>;
using Bf16 = Small<number::Format::bf16, uint16_t>;

/// Computes with the host's rounding mode set, if it is not the default.
template <class F> double rounded(Rounding mode, F f) {
  constexpr int hostModes[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD, FE_TONEAREST};
  if (mode == Rounding::NearestEven)
    return f();
  std::fesetround(hostModes[size_t(mode)]);
  volatile double result = f();
  std::fesetround(FE_TONEAREST);
  return result;
}

/// Double precision is the host's, except for NaNs, which hosts choose and make differently: the
/// result is the last operand that is a NaN, made quiet and with its sign; for a fused product the
/// order is b, c, a, for a quotient a, b. An H200 does the same.
struct F64 {
  using Code = uint64_t;
  static double read(Code code, bool) { return std::bit_cast<double>(code); }
  static Code write(const Modes &m, double value) {
    if (m.sat)
      value = value > 0 ? std::fmin(value, 1.0) : 0.0;
    return std::bit_cast<Code>(value);
  }
  static constexpr uint64_t quietBit = uint64_t(1) << 51;
  /// What operands without a NaN give: CUDART_NAN of math_constants.h.
  static constexpr double madeNan = std::bit_cast<double>(0xfff8000000000000);
  static double quiet(double nan) {
    return std::bit_cast<double>(std::bit_cast<uint64_t>(nan) | quietBit);
  }
  /// The first NaN of the operands, or what f computes.
  template <class F>
  static double unlessNan(const Modes &m, std::initializer_list<double> operands, F f) {
    for (double operand : operands)
      if (std::isnan(operand))
        return quiet(operand);
    double result = rounded(m.rounding, f);
    return std::isnan(result) ? madeNan : result;
  }
  static double add(const Modes &m, double a, double b) {
    volatile double x = a, y = b;
    return unlessNan(m, {b, a}, [&] { return x + y; });
  }
  static double sub(const Modes &m, double a, double b) {
    volatile double x = a, y = b;
    return unlessNan(m, {b, a}, [&] { return x - y; });
  }
  static double mul(const Modes &m, double a, double b) {
    volatile double x = a, y = b;
    return unlessNan(m, {b, a}, [&] { return x * y; });
  }
  static double fma(const Modes &m, double a, double b, double c) {
    volatile double x = a, y = b, z = c;
    return unlessNan(m, {b, c, a}, [&] { return std::fma(x, y, z); });
  }
};

/// Op::of(Real, modes, codes...) on one code, or on two that share a register.
template <class Op, class Real, int parts> struct OnCodes {
  using Register =
      std::conditional_t<parts == 1, typename Real::Code,
                         std::conditional_t<sizeof(typename Real::Code) == 2, uint32_t, uint64_t>>;
  template <class... R> static Register of(const Modes &m, R... sources) {
    using Code = typename Real::Code;
    if constexpr (parts == 1)
      return Op::template of<Real>(m, sources...);
    else {
      constexpr int half = 8 * sizeof(Code);
      return Register(Op::template of<Real>(m, Code(sources)...)) |
             Register(Op::template of<Real>(m, Code(sources >> half)...)) << half;
    }
  }
};
template <class Op, class Real, int parts, size_t... N>
Executor realExecutor(std::index_sequence<N...>) {
  using C = OnCodes<Op, Real, parts>;
  return each<C, typename C::Register, std::enable_if_t<N + 1 != 0, typename C::Register>...>;
}

/// The executor of an operation with `sources` operands for a type.
template <class Op, int sources> Executor real(Type type) {
  constexpr auto n = std::make_index_sequence<sources>();
  switch (type) {
  case Type::f64: return realExecutor<Op, F64, 1>(n);
  case Type::f32x2: return realExecutor<Op, F32, 2>(n);
  case Type::f16: return realExecutor<Op, F16, 1>(n);
  case Type::f16x2: return realExecutor<Op, F16, 2>(n);
  case Type::bf16: return realExecutor<Op, Bf16, 1>(n);
  case Type::bf16x2: return realExecutor<Op, Bf16, 2>(n);
  default: return realExecutor<Op, F32, 1>(n);
  }
}
template <class Op, int sources> Status real(Binding &b) {
  readModes(b);
  return done(b, real<Op, sources>(b.modifiers.type()));
}

} // namespace tessera::sim
