// Powers in double precision, through logarithms to the base 2.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/tile_lower/Powers.h"

#include "mlir/Dialect/Math/IR/Math.h"

#include <limits>
#include <numbers>

using namespace mlir;

namespace tessera::tile_lower {

namespace {

using Predicate = arith::CmpFPredicate;

/// The polynomial with these coefficients, the highest first.
Value polynomial(Code &c, Value x, ArrayRef<double> coefficients) {
  Value out = c.real(c.f64, coefficients.front());
  for (double coefficient : coefficients.drop_front())
    out = c.make<math::FmaOp>(out, x, c.real(c.f64, coefficient));
  return out;
}

constexpr int mantissa = 52, bias = 1023;

/// log2 of a positive normal number. m 2^e with m between 1/sqrt(2) and sqrt(2); log(m) is the
/// series 2 (s + s^3 / 3 + s^5 / 5 + ...) of s = (m - 1) / (m + 1), below 0.172, cut after s^13.
Value logarithm(Code &c, Value x) {
  constexpr int64_t fraction = (int64_t(1) << mantissa) - 1, one = int64_t(bias) << mantissa;
  Value bits = c.bitsOf(x);
  Value m = c.bitcast(c.ori(c.andi(bits, fraction), one), c.f64);
  Value exponent = c.sub(c.shr(bits, mantissa), bias);
  Value isLarge = c.compareReal(Predicate::OGT, m, c.real(c.f64, std::numbers::sqrt2));
  m = c.select(isLarge, c.make<arith::MulFOp>(m, c.real(c.f64, 0.5)), m);
  exponent = c.add(exponent, c.resize(isLarge, c.i64, false));
  Value unit = c.real(c.f64, 1);
  Value s = c.make<arith::DivFOp>(c.make<arith::SubFOp>(m, unit), c.make<arith::AddFOp>(m, unit));
  Value square = c.make<arith::MulFOp>(s, s);
  Value series = polynomial(c, square, {1.0 / 13, 1.0 / 11, 1.0 / 9, 1.0 / 7, 1.0 / 5, 1.0 / 3, 1});
  Value twice = c.make<arith::MulFOp>(s, c.real(c.f64, 2 / std::numbers::ln2));
  return c.make<math::FmaOp>(twice, series, c.make<arith::SIToFPOp>(c.f64, exponent));
}

/// 2^t for t between -1000 and 1000: the series of exp for the part after the nearest integer, cut
/// after x^10.
Value exponential(Code &c, Value t) {
  Value whole = c.make<math::RoundEvenOp>(t);
  Value part =
      c.make<arith::MulFOp>(c.make<arith::SubFOp>(t, whole), c.real(c.f64, std::numbers::ln2));
  SmallVector<double> coefficients;
  double factorial = 1;
  for (int n = 0; n <= 10; factorial *= ++n)
    coefficients.insert(coefficients.begin(), 1 / factorial);
  Value series = polynomial(c, part, coefficients);
  Value scale = c.shl(c.add(c.make<arith::FPToSIOp>(c.i64, whole), bias), mantissa);
  return c.make<arith::MulFOp>(series, c.bitcast(scale, c.f64));
}

} // namespace

Value power(Code &c, Value x, Value y) {
  constexpr double infinity = std::numeric_limits<double>::infinity(), most = 1000;
  auto number = [&](double value) { return c.real(c.f64, value); };
  auto equals = [&](Value a, double b) { return c.compareReal(Predicate::OEQ, a, number(b)); };
  Value magnitude = c.make<math::AbsFOp>(x);
  Value log = c.select(equals(magnitude, 0), number(-infinity), logarithm(c, magnitude));
  log = c.select(equals(magnitude, infinity), number(infinity), log);
  Value t = c.make<arith::MulFOp>(y, log);
  t = c.select(c.compareReal(Predicate::OLT, t, number(most)), t, number(most));
  t = c.select(c.compareReal(Predicate::OGT, t, number(-most)), t, number(-most));
  Value out = c.select(equals(magnitude, 1), number(1), exponential(c, t));

  // A negative x: an odd y keeps the sign, and a y between integers has no power.
  Value isNegative = c.compare(arith::CmpIPredicate::slt, c.bitsOf(x), 0);
  Value isWhole = c.compareReal(Predicate::OEQ, c.make<math::FloorOp>(y), y);
  Value half = c.make<arith::MulFOp>(y, number(0.5));
  Value isEven = c.compareReal(Predicate::OEQ, c.make<math::FloorOp>(half), half);
  Value isOdd = c.andi(isWhole, c.negate(isEven));
  out = c.select(c.andi(isNegative, isOdd), c.make<arith::NegFOp>(out), out);
  Value isOrdinary = c.andi(c.compareReal(Predicate::OGT, magnitude, number(0)),
                            c.compareReal(Predicate::OLT, magnitude, number(infinity)));
  Value nan = number(std::numeric_limits<double>::quiet_NaN());
  out = c.select(c.andi(c.andi(isNegative, isOrdinary), c.negate(isWhole)), nan, out);

  out = c.select(c.compareReal(Predicate::UNO, x, y), nan, out);
  return c.select(c.ori(equals(x, 1), equals(y, 0)), number(1), out);
}

} // namespace tessera::tile_lower
