// Functions on f64 that fewer kernels have: inverses, logarithms, roots, the error function.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Coefficients of the error function are those of Chebyshev's interpolation, computed with 75
// digits. test/sim/math.py measures the errors.
#include "tessera/lower/Doubles.h"

namespace tessera::lower::doubles {

namespace {

Value root(const Doubles &f, Value x) { return math::SqrtOp::create(f.b, f.loc, x); }
Value nan(const Doubles &f) { return f.constant(std::numeric_limits<double>::quiet_NaN()); }

//===--- angles -------------------------------------------------------------------------------===//

/// sqrt(1 - x^2); a NaN beyond 1.
Value across(const Doubles &f, Value x) {
  Value a = f.abs(x), one = f.constant(1);
  return root(f, f.mul(f.sub(one, a), f.add(one, a)));
}
Value arcsine(const Doubles &f, Value x) { return angle(f, x, across(f, x)); }
Value arccosine(const Doubles &f, Value x) { return angle(f, across(f, x), x); }
Value arctangent(const Doubles &f, Value x) { return angle(f, x, f.constant(1)); }

//===--- logarithms ---------------------------------------------------------------------------===//

/// The sum and what it was rounded by, whichever term is larger.
Pair anySum(const Doubles &f, Value x, Value y) {
  Value high = f.plainSum(x, y), part = f.plainSum(high, f.neg(x));
  Value lost = f.plainSum(x, f.neg(f.plainSum(high, f.neg(part))));
  return {high, f.plainSum(lost, f.plainSum(y, f.neg(part)))};
}
Value logarithmOfOneAnd(const Doubles &f, Value x) {
  Pair sum = anySum(f, f.constant(1), x);
  return f.select(f.equal(x, 0), x, logarithm(f, sum.high, sum.low));
}
Value decimalLogarithm(const Doubles &f, Value x) {
  constexpr double factor = std::numbers::log10e, factorRest = 1.098319650216765e-17;
  constexpr double two = 0.30102999566398120, twoRest = -2.8037281277851704e-18; // log10(2)
  Parts parts = partsOf(f, x);
  Pair log = logarithmOf(f, parts.m);
  Pair scaled = f.product(log.high, f.constant(factor));
  scaled.low =
      f.fma(log.high, f.constant(factorRest), f.fma(log.low, f.constant(factor), scaled.low));
  Pair whole = f.product(parts.k, f.constant(two));
  Pair sum = f.sum(whole.high, scaled.high); // the first is 0 or larger
  Value rest = f.add(f.fma(parts.k, f.constant(twoRest), whole.low), f.add(sum.low, scaled.low));
  return specialLogarithm(f, x, f.add(sum.high, rest));
}

/// log(a + sqrt(a^2 + 1)) as a logarithm of one and what is more, which keeps small results.
Value inverseHyperbolicSine(const Doubles &f, Value x) {
  Value a = f.abs(x), square = f.mul(a, a), one = f.constant(1);
  Value more = f.add(a, f.div(square, f.add(one, root(f, f.add(square, one)))));
  Value far = f.add(logarithm(f, a), f.constant(ln2)); // a^2 may overflow
  return f.signOf(f.select(f.less(a, 0x1p28), logarithmOfOneAnd(f, more), far), x);
}
/// log(x + sqrt(x^2 - 1)) likewise, with t = x - 1.
Value inverseHyperbolicCosine(const Doubles &f, Value x) {
  Value t = f.sub(x, f.constant(1));
  Value more = f.add(t, root(f, f.fma(t, t, f.add(t, t))));
  Value far = f.add(logarithm(f, x), f.constant(ln2));
  Value value = f.select(f.less(x, 0x1p28), logarithmOfOneAnd(f, more), far);
  return f.select(f.less(x, 1), nan(f), value);
}
Value inverseHyperbolicTangent(const Doubles &f, Value x) {
  Value a = f.abs(x), twice = f.add(a, a);
  Value log = logarithmOfOneAnd(f, f.div(twice, f.sub(f.constant(1), a)));
  return f.signOf(f.mul(f.constant(0.5), log), x);
}

//===--- exponentials and roots ---------------------------------------------------------------===//

/// e^x = 2^n (1 + more), exact to a part of a unit of the sum; `low` is what x was rounded by.
struct Exponential {
  Value n, more;
};
Exponential exponentialOf(const Doubles &f, Value x, Value low = {}) {
  Value n = f.nearest(f.mul(x, f.constant(std::numbers::log2e))), minus = f.neg(n);
  Value high = f.fma(minus, f.constant(ln2), x), lost = f.mul(minus, f.constant(ln2Rest));
  if (low)
    lost = f.add(lost, low);
  Value r = f.add(high, lost);
  lost = f.add(f.sub(high, r), lost);
  // r + r^2 / 2 + ..., and what r lost.
  Value tail = f.mul(f.mul(r, r), f.polynomial(r, inverseFactorials(2, 1, 13)));
  return {n, f.add(r, f.fma(lost, f.add(r, f.constant(1)), tail))};
}
/// 2^n (e^r - 1) + (2^n - 1).
Value exponentialWithoutOne(const Doubles &f, Value x) {
  constexpr double most = 64; // beyond, the one is below half a unit
  auto [n, more] = exponentialOf(f, clamped(f, x, most));
  Value power = scaledBy(f, f.constant(1), n);
  Value value = f.fma(power, more, f.sub(power, f.constant(1)));
  value = f.select(f.more(x, most), exponential(f, x), value);
  return f.select(f.equal(x, 0), x, value);
}

/// A third of the exponent, three steps of Halley's method, and one of Newton's with the rest of
/// the cube.
Value cubeRoot(const Doubles &f, Value x) {
  // The bits of a number are about its logarithm. The constant is two thirds of the bits of 1 less
  // what makes the largest error the same on both sides (W. Kahan).
  constexpr int64_t third = int64_t(715094163) << 32;
  // Far from subnormal numbers, and from those whose sums overflow.
  Value a = f.abs(x), isSmall = f.less(a, 0x1p-960), isLarge = f.more(a, 0x1p960);
  auto scale = [&](double up) {
    return f.select(isSmall, f.constant(up), f.select(isLarge, f.constant(1 / up), f.constant(1)));
  };
  a = f.mul(a, scale(0x1p120));
  Value y = f.fromBits(f.bits<arith::AddIOp>(f.bits<arith::DivUIOp>(f.toBits(a), 3), third));
  for (int step = 0; step < 3; ++step) {
    Value cube = f.mul(f.mul(y, y), y);
    Value change = f.div(f.sub(cube, a), f.add(f.add(cube, cube), a));
    y = f.fma(f.neg(y), change, y);
  }
  Pair square = f.product(y, y), cube = f.product(square.high, y);
  Value rest = f.add(f.sub(cube.high, a), f.fma(square.low, y, cube.low));
  y = f.sub(y, f.div(rest, f.mul(f.constant(3), square.high)));
  y = f.mul(y, scale(0x1p-40));
  // Zero, infinity and NaN are their own roots.
  Value isOrdinary = f.both(f.more(a, 0), f.less(a, infinity));
  return f.select(isOrdinary, f.signOf(y, x), x);
}

//===--- the error function -------------------------------------------------------------------===//

/// Up to 1: x + x q(x^2).
Value errorNearZero(const Doubles &f, Value x) {
  constexpr double q[] = {0.1283791670955126,      -0.37612638903183754,    0.1128379167095512,
                          -0.02686617064512984,    0.0052239776254232985,   -0.000854832702193483,
                          0.00012055332902888736,  -1.4925647567519332e-05, 1.6462045441468418e-06,
                          -1.6364642158167616e-07, 1.4792401209404813e-08,  -1.216456005728345e-09,
                          8.709045129053106e-11,   -4.230945824295338e-12};
  return f.fma(x, f.polynomial(f.mul(x, x), q), x);
}
/// erfc from 0.5 on: (1 + 2a) e^(a^2) times it is a polynomial of the linear fraction that maps 0.5
/// to 28 to -1 to 1.
Value complementOf(const Doubles &f, Value a) {
  constexpr double from = 3.75, scale = 1.3084848484848486, shift = 0.0006060606060606061;
  constexpr double c[] = {1.2375775878742366,      -0.1071803522357911,    0.002027266560559064,
                          0.03681584375577845,     -0.03718972455070293,   0.02410715250408014,
                          -0.01171271015165235,    0.004324272751853535,   -0.0011350853023266068,
                          0.0001560185270369606,   2.0064048409368724e-05, -1.5086964295271064e-05,
                          2.0450484746127955e-06,  6.813744892981381e-07,  -2.652051464620538e-07,
                          -1.7485338310944815e-08, 2.3734499299592244e-08, -5.623340754204433e-10,
                          -2.0462296309843425e-09, 1.3144347998767065e-10, 1.7376382838632841e-10,
                          -9.742093124162012e-12,  -1.085201639703848e-11};
  a = clamped(f, a, 28); // where it is below all numbers
  Value t = f.div(f.sub(a, f.constant(from)), f.add(a, f.constant(from)));
  Value p = f.polynomial(f.fma(t, f.constant(scale), f.constant(shift)), c);
  p = f.div(p, f.fma(a, f.constant(2), f.constant(1)));
  Pair square = f.product(a, a);
  auto [n, more] = exponentialOf(f, f.neg(square.high), f.neg(square.low));
  return scaledBy(f, f.fma(p, more, p), n);
}
Value error(const Doubles &f, Value x) {
  Value a = f.abs(x), far = f.sub(f.constant(1), complementOf(f, a));
  return f.select(f.less(a, 1), errorNearZero(f, x), f.signOf(far, x));
}
Value errorComplement(const Doubles &f, Value x) {
  Value a = f.abs(x), complement = complementOf(f, a);
  Value left = f.select(f.less(a, 1), f.sub(f.constant(1), errorNearZero(f, x)),
                        f.sub(f.constant(2), complement));
  return f.select(f.less(x, 0.5), left, complement);
}

} // namespace

void addOtherDoubles(RewritePatternSet &patterns, PatternBenefit benefit) {
  patterns.add<
      Approximation<math::AsinOp, arcsine>, Approximation<math::AcosOp, arccosine>,
      Approximation<math::AtanOp, arctangent>, Approximation<math::AsinhOp, inverseHyperbolicSine>,
      Approximation<math::AcoshOp, inverseHyperbolicCosine>,
      Approximation<math::AtanhOp, inverseHyperbolicTangent>,
      Approximation<math::Log1pOp, logarithmOfOneAnd>,
      Approximation<math::Log10Op, decimalLogarithm>,
      Approximation<math::ExpM1Op, exponentialWithoutOne>, Approximation<math::CbrtOp, cubeRoot>,
      Approximation<math::ErfOp, error>, Approximation<math::ErfcOp, errorComplement>>(
      patterns.getContext(), benefit);
  addPerElement<math::AsinOp, math::AcosOp, math::AtanOp, math::AsinhOp, math::AcoshOp,
                math::AtanhOp, math::Log1pOp, math::Log10Op, math::ExpM1Op, math::CbrtOp,
                math::ErfOp, math::ErfcOp>(patterns, benefit);
}

} // namespace tessera::lower::doubles
