// Rounded arithmetic: the host's own in f32 and f64, exact sums and products in the smaller types.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// This file is compiled with -frounding-math -ffp-contract=off.
#include "tessera/tile_eval/Arithmetic.h"

#include "tessera/number/Exact.h"
#include "tessera/number/RoundingModes.h"

#include <cfenv>

namespace tessera::tile_eval {

namespace {

int hostMode(RoundingMode mode) {
  switch (mode) {
  case RoundingMode::Zero: return FE_TOWARDZERO;
  case RoundingMode::NegativeInf: return FE_DOWNWARD;
  case RoundingMode::PositiveInf: return FE_UPWARD;
  default: return FE_TONEAREST;
  }
}

/// Sets the rounding direction of the host for as long as it lives.
class HostRounding {
public:
  explicit HostRounding(RoundingMode mode) : before(std::fegetround()) {
    std::fesetround(hostMode(mode));
  }
  ~HostRounding() { std::fesetround(before); }

private:
  int before;
};

template <class F> F apply(Arithmetic op, F a, F b, F c) {
  switch (op) {
  case Arithmetic::Add: return a + b;
  case Arithmetic::Sub: return a - b;
  case Arithmetic::Mul: return a * b;
  case Arithmetic::Div: return a / b;
  case Arithmetic::Fma: return std::fma(a, b, c);
  case Arithmetic::Sqrt: return std::sqrt(a);
  }
  return a;
}

template <class F, class Bits> struct Host {
  static F number(uint64_t code) { return std::bit_cast<F>(Bits(code)); }
  static uint64_t code(F value) { return std::bit_cast<Bits>(value); }
};
using HostFloat = Host<float, uint32_t>;
using HostDouble = Host<double, uint64_t>;
constexpr uint64_t f32Nan = 0x7fffffff;

/// Whether a result that is the smallest normal number is flushed: whether only rounding in the
/// steps of subnormal numbers made it that large (number/Exact.h, isFlushed). The same op on
/// numbers 2^64 times as large has no such steps. Sums are exact here, and the scaled numbers are
/// finite.
bool isRoundedUp(Arithmetic op, float a, float b, float c, float result) {
  if (std::fabs(result) != 0x1p-126f || op == Arithmetic::Add || op == Arithmetic::Sub)
    return false;
  return std::fabs(apply(op, a * 0x1p64f, b, c * 0x1p64f)) < 0x1p-62f;
}

void computeFloat(Arithmetic op, bool flushes, size_t count, Source a, Source b, Source c,
                  Codes &out) {
  auto in = [&](Source s, size_t i) { return HostFloat::number(flushes ? flushed(s[i]) : s[i]); };
  for (size_t i = 0; i < count; ++i) {
    float result = apply(op, in(a, i), in(b, i), in(c, i));
    uint64_t code = std::isnan(result) ? f32Nan : HostFloat::code(result);
    if (flushes && isRoundedUp(op, in(a, i), in(b, i), in(c, i), result))
      result = std::copysign(0.0f, result), code = HostFloat::code(result);
    out[i] = flushes ? flushed(code) : code;
  }
}
void computeDouble(Arithmetic op, size_t count, Source a, Source b, Source c, Codes &out) {
  for (size_t i = 0; i < count; ++i)
    out[i] = HostDouble::code(
        apply(op, HostDouble::number(a[i]), HostDouble::number(b[i]), HostDouble::number(c[i])));
}

/// The square root rounded to odd: its error has the sign of x - r * r.
double sqrtToOdd(double x) {
  double root = std::sqrt(x);
  return number::toOdd(root, std::fma(-root, root, x));
}

/// f16 and bf16, while the host rounds to nearest.
void computeSmall(Arithmetic op, TypeKind kind, number::Rounding rounding, size_t count, Source a,
                  Source b, Source c, Codes &out) {
  for (size_t i = 0; i < count; ++i) {
    double x = decode(kind, a[i]), y = decode(kind, b[i]), z = decode(kind, c[i]), result;
    switch (op) {
    case Arithmetic::Sub: y = -y; [[fallthrough]];
    case Arithmetic::Add:
      result = number::signedZero(number::addToOdd(x, y), x, y, rounding);
      break;
    case Arithmetic::Mul: result = x * y; break; // exact
    case Arithmetic::Fma: result = number::fusedToOdd(x, y, z, rounding); break;
    default: result = sqrtToOdd(x); break;
    }
    out[i] = encode(kind, result, rounding);
  }
}
/// Quotients of f16 and bf16: f32's, rounded again.
void divideSmall(TypeKind kind, RoundingMode mode, size_t count, Source a, Source b, Codes &out) {
  std::vector<float> quotients(count);
  {
    HostRounding host(mode);
    for (size_t i = 0; i < count; ++i)
      quotients[i] = float(decode(kind, a[i])) / float(decode(kind, b[i]));
  }
  for (size_t i = 0; i < count; ++i)
    out[i] = encode(kind, quotients[i], number::roundingOf(mode));
}

} // namespace

Codes compute(Arithmetic op, TypeKind kind, Modifiers modifiers, size_t count, Source a, Source b,
              Source c) {
  Codes out(count);
  if (kind == TypeKind::F32 || kind == TypeKind::F64) {
    HostRounding host(modifiers.rounding);
    if (kind == TypeKind::F32)
      computeFloat(op, modifiers.flushesToZero, count, a, b, c, out);
    else
      computeDouble(op, count, a, b, c, out);
  } else if (op == Arithmetic::Div) {
    divideSmall(kind, modifiers.rounding, count, a, b, out);
  } else {
    HostRounding host(RoundingMode::NearestEven);
    computeSmall(op, kind, number::roundingOf(modifiers.rounding), count, a, b, c, out);
  }
  return out;
}

} // namespace tessera::tile_eval
