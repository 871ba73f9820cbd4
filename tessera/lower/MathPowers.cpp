// Powers: of floats in double precision through logarithms to the base 2, of integers by
// squaring.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// exp(y log x) in f32, as MLIR has it, is off by as many ulps as y log x is large. In f64 the error
// is below 2^-30, so what is rounded to f32 is within half an ulp of it.
#include "tessera/lower/DeviceMath.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/PatternMatch.h"

#include <limits>
#include <numbers>

using namespace mlir;

namespace tessera::lower {

namespace {

Type likeWith(Type like, Type element) {
  auto vector = dyn_cast<VectorType>(like);
  return vector ? Type(vector.clone(element)) : element;
}
/// A number, or a vector of it.
Value numberOf(OpBuilder &b, Location loc, Type type, TypedAttr number) {
  if (auto vector = dyn_cast<VectorType>(type))
    number = DenseElementsAttr::get(vector, cast<Attribute>(number));
  return arith::ConstantOp::create(b, loc, number);
}

/// Arithmetic on doubles and on their bits, one by one in vectors.
struct Doubles {
  Doubles(OpBuilder &b, Location loc, Type like)
      : b(b), loc(loc), f64(likeWith(like, b.getF64Type())), i64(likeWith(like, b.getI64Type())) {}

  Value real(double x) const { return numberOf(b, loc, f64, b.getF64FloatAttr(x)); }
  Value bits(int64_t x) const { return numberOf(b, loc, i64, b.getI64IntegerAttr(x)); }
  template <class Op, class... Args> Value make(Args... args) const {
    return Op::create(b, loc, args...);
  }
  Value add(Value x, Value y) const { return make<arith::AddFOp>(x, y); }
  Value sub(Value x, Value y) const { return make<arith::SubFOp>(x, y); }
  Value mul(Value x, Value y) const { return make<arith::MulFOp>(x, y); }
  Value compare(arith::CmpFPredicate predicate, Value x, Value y) const {
    return make<arith::CmpFOp>(predicate, x, y);
  }
  Value equals(Value x, double y) const { return compare(arith::CmpFPredicate::OEQ, x, real(y)); }
  Value select(Value which, Value x, Value y) const { return make<arith::SelectOp>(which, x, y); }
  Value both(Value x, Value y) const { return make<arith::AndIOp>(x, y); }
  Value complement(Value x) const {
    return make<arith::XOrIOp>(x, numberOf(b, loc, x.getType(), b.getBoolAttr(true)));
  }
  /// The highest coefficient first.
  Value polynomial(Value x, ArrayRef<double> coefficients) const {
    Value out = real(coefficients.front());
    for (double coefficient : coefficients.drop_front())
      out = make<math::FmaOp>(out, x, real(coefficient));
    return out;
  }

  OpBuilder &b;
  Location loc;
  Type f64, i64;
};

constexpr int64_t fractionBits = 52, bias = 1023;

/// log2 of a positive normal number m 2^e with 1/sqrt 2 < m <= sqrt 2: e + 2/ln 2 atanh(s) with
/// s = (m - 1) / (m + 1), at most 0.172, as a series up to s^13.
Value logarithm(const Doubles &d, Value x) {
  Value code = d.make<arith::BitcastOp>(d.i64, x);
  Value fraction = d.make<arith::AndIOp>(code, d.bits((int64_t(1) << fractionBits) - 1));
  Value m =
      d.make<arith::BitcastOp>(d.f64, d.make<arith::OrIOp>(fraction, d.bits(bias << fractionBits)));
  Value e = d.make<arith::SubIOp>(d.make<arith::ShRUIOp>(code, d.bits(fractionBits)), d.bits(bias));
  Value isLarge = d.compare(arith::CmpFPredicate::OGT, m, d.real(std::numbers::sqrt2));
  m = d.select(isLarge, d.mul(m, d.real(0.5)), m);
  e = d.make<arith::AddIOp>(e, d.make<arith::ExtUIOp>(d.i64, isLarge));
  Value s = d.make<arith::DivFOp>(d.sub(m, d.real(1)), d.add(m, d.real(1)));
  Value series =
      d.polynomial(d.mul(s, s), {1.0 / 13, 1.0 / 11, 1.0 / 9, 1.0 / 7, 1.0 / 5, 1.0 / 3, 1});
  return d.make<math::FmaOp>(d.mul(s, d.real(2 / std::numbers::ln2)), series,
                             d.make<arith::SIToFPOp>(d.f64, e));
}

/// 2^t for |t| <= 1000: 2^k with the nearest integer, and the series of exp for the rest.
Value exponential(const Doubles &d, Value t) {
  Value k = d.make<math::RoundEvenOp>(t);
  SmallVector<double> coefficients;
  double factorial = 1;
  for (int n = 0; n <= 10; factorial *= ++n)
    coefficients.insert(coefficients.begin(), 1 / factorial);
  Value series = d.polynomial(d.mul(d.sub(t, k), d.real(std::numbers::ln2)), coefficients);
  Value exponent = d.make<arith::AddIOp>(d.make<arith::FPToSIOp>(d.i64, k), d.bits(bias));
  Value scale = d.make<arith::ShLIOp>(exponent, d.bits(fractionBits));
  return d.mul(series, d.make<arith::BitcastOp>(d.f64, scale));
}

/// x^y with the special cases of C (C17, F.10.4.4), for numbers that were f32: beyond what f32 has
/// the result only has to be beyond it too.
Value power(const Doubles &d, Value x, Value y) {
  using Predicate = arith::CmpFPredicate;
  constexpr double infinity = std::numeric_limits<double>::infinity(), most = 1000;
  Value magnitude = d.make<math::AbsFOp>(x);
  Value log = d.select(d.equals(magnitude, 0), d.real(-infinity), logarithm(d, magnitude));
  log = d.select(d.equals(magnitude, infinity), d.real(infinity), log);
  Value t = d.mul(y, log);
  t = d.select(d.compare(Predicate::OLT, t, d.real(most)), t, d.real(most));
  t = d.select(d.compare(Predicate::OGT, t, d.real(-most)), t, d.real(-most));
  Value out = d.select(d.equals(magnitude, 1), d.real(1), exponential(d, t));
  // An odd power of a negative number is negative; a power between integers does not exist.
  Value isNegative = d.make<arith::CmpIOp>(arith::CmpIPredicate::slt,
                                           d.make<arith::BitcastOp>(d.i64, x), d.bits(0));
  auto isWhole = [&](Value v) { return d.compare(Predicate::OEQ, d.make<math::FloorOp>(v), v); };
  Value whole = isWhole(y), even = isWhole(d.mul(y, d.real(0.5)));
  Value isOdd = d.both(whole, d.complement(even));
  out = d.select(d.both(isNegative, isOdd), d.make<arith::NegFOp>(out), out);
  Value isOrdinary = d.both(d.compare(Predicate::OGT, magnitude, d.real(0)),
                            d.compare(Predicate::OLT, magnitude, d.real(infinity)));
  Value nan = d.real(std::numeric_limits<double>::quiet_NaN());
  out = d.select(d.both(d.both(isNegative, isOrdinary), d.complement(whole)), nan, out);
  out = d.select(d.compare(Predicate::UNO, x, y), nan, out);
  return d.select(d.make<arith::OrIOp>(d.equals(x, 1), d.equals(y, 0)), d.real(1), out);
}

/// Whether f64 has so many bits to spare that `power` is right.
bool isNarrow(Type type) {
  Type element = getElementTypeOrSelf(type);
  return element.isF32() || element.isF16() || element.isBF16();
}

struct PowF final : OpRewritePattern<math::PowFOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(math::PowFOp op, PatternRewriter &b) const override {
    if (!isNarrow(op.getType()))
      return failure();
    Doubles d(b, op.getLoc(), op.getType());
    Value x = d.make<arith::ExtFOp>(d.f64, op.getLhs()),
          y = d.make<arith::ExtFOp>(d.f64, op.getRhs());
    b.replaceOpWithNewOp<arith::TruncFOp>(op, op.getType(), power(d, x, y));
    return success();
  }
};

struct FPowI final : OpRewritePattern<math::FPowIOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(math::FPowIOp op, PatternRewriter &b) const override {
    if (!isNarrow(op.getType()))
      return failure();
    Doubles d(b, op.getLoc(), op.getType());
    Value x = d.make<arith::ExtFOp>(d.f64, op.getLhs());
    Value y = d.make<arith::SIToFPOp>(d.f64, op.getRhs());
    b.replaceOpWithNewOp<arith::TruncFOp>(op, op.getType(), power(d, x, y));
    return success();
  }
};

/// Squares, multiplied where the exponent has a bit; of a negative exponent 1 / x^n, which is 0
/// unless x is 1 or -1.
struct IPowI final : OpRewritePattern<math::IPowIOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(math::IPowIOp op, PatternRewriter &b) const override {
    Location loc = op.getLoc();
    Type type = op.getType(), element = getElementTypeOrSelf(type);
    if (element.isIndex())
      return failure();
    auto constant = [&](int64_t x) { return numberOf(b, loc, type, b.getIntegerAttr(element, x)); };
    auto compare = [&](arith::CmpIPredicate predicate, Value x, int64_t y) -> Value {
      return arith::CmpIOp::create(b, loc, predicate, x, constant(y));
    };
    Value base = op.getLhs(), exponent = op.getRhs();
    Value square = base, out = constant(1);
    const int64_t bits = element.getIntOrFloatBitWidth();
    for (int64_t bit = 0; bit < bits - 1; ++bit) {
      if (bit)
        square = arith::MulIOp::create(b, loc, square, square);
      Value has = arith::AndIOp::create(b, loc, exponent, constant(int64_t(1) << bit));
      out = arith::SelectOp::create(b, loc, compare(arith::CmpIPredicate::ne, has, 0),
                                    arith::MulIOp::create(b, loc, out, square), out);
    }
    Value isOdd =
        compare(arith::CmpIPredicate::ne, arith::AndIOp::create(b, loc, exponent, constant(1)), 0);
    Value inverse = arith::SelectOp::create(b, loc, isOdd, base, constant(1));
    Value isUnit = arith::OrIOp::create(b, loc, compare(arith::CmpIPredicate::eq, base, 1),
                                        compare(arith::CmpIPredicate::eq, base, -1));
    inverse = arith::SelectOp::create(b, loc, isUnit, inverse, constant(0));
    b.replaceOpWithNewOp<arith::SelectOp>(op, compare(arith::CmpIPredicate::slt, exponent, 0),
                                          inverse, out);
    return success();
  }
};
} // namespace

void addPowers(RewritePatternSet &patterns, PatternBenefit benefit) {
  patterns.add<PowF, IPowI>(patterns.getContext(), benefit);
  // MLIR multiplies where the exponent is a constant.
  patterns.add<FPowI>(patterns.getContext(), /*benefit=*/0);
}

} // namespace tessera::lower
