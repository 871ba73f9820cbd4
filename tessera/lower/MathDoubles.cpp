// Functions on f64, of which GPUs have no instructions, as polynomials.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Polynomials are the Taylor series, cut where a term is below 2^-57 of the sum. What an argument
// is reduced by is taken in two or three parts with fused multiply-adds. Sums and products whose
// own rounding errors are computed are instructions that nobody fuses. test/sim/math.py measures
// the errors.
#include "tessera/lower/DeviceMath.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/PatternMatch.h"

#include <limits>
#include <numbers>

using namespace mlir;

namespace tessera::lower {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double ln2 = std::numbers::ln2, ln2Rest = 2.3190468138462996e-17;
constexpr int mantissa = 52, bias = 1023;

/// A number that a double does not hold: high is the double nearest to the sum.
struct Pair {
  Value high, low;
};

class Doubles {
public:
  Doubles(PatternRewriter &b, Operation *op) : b(b), loc(op->getLoc()) {}

  Value constant(double value) const {
    return arith::ConstantOp::create(b, loc, b.getF64FloatAttr(value));
  }
  Value add(Value x, Value y) const { return arith::AddFOp::create(b, loc, x, y); }
  Value sub(Value x, Value y) const { return arith::SubFOp::create(b, loc, x, y); }
  Value mul(Value x, Value y) const { return arith::MulFOp::create(b, loc, x, y); }
  Value div(Value x, Value y) const { return arith::DivFOp::create(b, loc, x, y); }
  Value neg(Value x) const { return arith::NegFOp::create(b, loc, x); }
  Value fma(Value x, Value y, Value z) const { return math::FmaOp::create(b, loc, x, y, z); }
  Value abs(Value x) const { return math::AbsFOp::create(b, loc, x); }
  Value nearest(Value x) const { return math::RoundEvenOp::create(b, loc, x); }
  Value signOf(Value magnitude, Value sign) const {
    return math::CopySignOp::create(b, loc, magnitude, sign);
  }
  Value compare(arith::CmpFPredicate predicate, Value x, double y) const {
    return arith::CmpFOp::create(b, loc, predicate, x, constant(y));
  }
  /// x < y and so on; false for a NaN.
  Value less(Value x, double y) const { return compare(arith::CmpFPredicate::OLT, x, y); }
  Value more(Value x, double y) const { return compare(arith::CmpFPredicate::OGT, x, y); }
  Value equal(Value x, double y) const { return compare(arith::CmpFPredicate::OEQ, x, y); }
  Value less(Value x, Value y) const {
    return arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OLT, x, y);
  }
  Value equal(Value x, Value y) const {
    return arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OEQ, x, y);
  }
  Value both(Value x, Value y) const { return arith::AndIOp::create(b, loc, x, y); }
  Value either(Value x, Value y) const { return arith::OrIOp::create(b, loc, x, y); }
  Value isNot(Value x) const {
    return arith::XOrIOp::create(b, loc, x, arith::ConstantOp::create(b, loc, b.getBoolAttr(true)));
  }
  Value select(Value which, Value x, Value y) const {
    return arith::SelectOp::create(b, loc, which, x, y);
  }
  /// c[0] + c[1] x + c[2] x^2 ...
  Value polynomial(Value x, ArrayRef<double> c) const {
    Value sum = constant(c.back());
    for (double coefficient : llvm::reverse(c.drop_back()))
      sum = fma(sum, x, constant(coefficient));
    return sum;
  }

  //===--- bits

  Value integer(int64_t value) const {
    return arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(value));
  }
  template <class Op> Value bits(Value x, int64_t y) const {
    return Op::create(b, loc, x, integer(y));
  }
  Value toBits(Value x) const { return arith::BitcastOp::create(b, loc, b.getI64Type(), x); }
  Value fromBits(Value x) const { return arith::BitcastOp::create(b, loc, b.getF64Type(), x); }
  Value toInteger(Value x) const { return arith::FPToSIOp::create(b, loc, b.getI64Type(), x); }
  Value toDouble(Value x) const { return arith::SIToFPOp::create(b, loc, b.getF64Type(), x); }

  //===--- exactly

  Value instruction(StringRef intrinsic, Value x, Value y) const {
    return LLVM::CallIntrinsicOp::create(b, loc, b.getF64Type(), b.getStringAttr(intrinsic),
                                         ValueRange{x, y})
        .getResult(0);
  }
  Value plainSum(Value x, Value y) const { return instruction("llvm.nvvm.add.rn.d", x, y); }
  Value plainProduct(Value x, Value y) const { return instruction("llvm.nvvm.mul.rn.d", x, y); }
  /// x + y and what it was rounded by, of which x is the larger one, or 0.
  Pair sum(Value x, Value y) const {
    Value high = plainSum(x, y);
    return {high, plainSum(y, neg(plainSum(high, neg(x))))};
  }
  Pair product(Value x, Value y) const {
    Value high = plainProduct(x, y);
    return {high, fma(x, y, neg(high))};
  }

  PatternRewriter &b;
  Location loc;
};

//===--- exponentials -------------------------------------------------------------------------===//

/// 1/n! for n = first, first + step, ...
SmallVector<double> inverseFactorials(int first, int step, int count, bool alternates = false) {
  SmallVector<double> out;
  double factorial = 1, sign = 1;
  for (int n = 1; n < first; ++n)
    factorial *= n + 1;
  for (int n = first; count > 0; --count) {
    out.push_back(sign / factorial);
    for (int i = 0; i < step; ++i)
      factorial *= ++n;
    sign = alternates ? -sign : sign;
  }
  return out;
}

/// e^r 2^n for |r| up to 0.35 and whole numbers n, the power in two factors, as each has to be a
/// normal number.
Value scaledExponential(const Doubles &f, Value r, Value n) {
  Value y = f.polynomial(r, inverseFactorials(0, 1, 14));
  Value whole = f.toInteger(n), half = f.bits<arith::ShRSIOp>(whole, 1);
  Value rest = arith::SubIOp::create(f.b, f.loc, whole, half);
  for (Value power : {half, rest})
    y = f.mul(y, f.fromBits(f.bits<arith::ShLIOp>(f.bits<arith::AddIOp>(power, bias), mantissa)));
  return y;
}
/// Numbers beyond which there are only infinity and zero; a NaN stays.
Value clamped(const Doubles &f, Value x, double most) {
  x = f.select(f.less(x, -most), f.constant(-most), x);
  return f.select(f.more(x, most), f.constant(most), x);
}
Value exponential(const Doubles &f, Value x) {
  x = clamped(f, x, 800);
  Value n = f.nearest(f.mul(x, f.constant(std::numbers::log2e))), minus = f.neg(n);
  Value r = f.fma(minus, f.constant(ln2), x);
  return scaledExponential(f, f.fma(minus, f.constant(ln2Rest), r), n);
}
/// 2^(high + low).
Value powerOfTwo(const Doubles &f, Pair x) {
  Value n = f.nearest(x.high), rest = f.sub(x.high, n);
  if (x.low)
    rest = f.add(rest, x.low);
  return scaledExponential(f, f.mul(rest, f.constant(ln2)), n);
}
Value powerOfTwo(const Doubles &f, Value x) {
  return powerOfTwo(f, Pair{clamped(f, x, 1100), Value()});
}

/// x + x^3 / 3! + ..., for |x| up to 1.
Value nearSine(const Doubles &f, Value x) {
  Value z = f.mul(x, x);
  return f.fma(f.mul(f.polynomial(z, inverseFactorials(3, 2, 9)), z), x, x);
}
Value hyperbolicSine(const Doubles &f, Value x) {
  Value a = f.abs(x), half = f.constant(0.5);
  // e^a is the square of e^(a/2), which overflows no earlier than the result.
  Value root = exponential(f, f.mul(a, half)), e = exponential(f, a);
  Value far = f.mul(f.mul(half, root), root);
  Value middle = f.sub(f.mul(half, e), f.div(half, e));
  Value large = f.select(f.more(a, 40), far, middle);
  return f.select(f.less(a, 1), nearSine(f, x), f.signOf(large, x));
}
Value hyperbolicCosine(const Doubles &f, Value x) {
  Value a = f.abs(x), half = f.constant(0.5);
  Value root = exponential(f, f.mul(a, half)), e = exponential(f, a);
  Value far = f.mul(f.mul(half, root), root);
  Value near = f.add(f.mul(half, e), f.div(half, e));
  return f.select(f.more(a, 40), far, near);
}
/// The series of tanh up to 1, from tanh' = 1 - tanh^2; beyond, 1 - 2 / (e^2x + 1).
Value hyperbolicTangent(const Doubles &f, Value x) {
  SmallVector<double> series = {1}; // of x, x^3, ...
  for (size_t k = 1; k < 46; ++k) {
    double sum = 0;
    for (size_t i = 0; i < k; ++i)
      sum -= series[i] * series[k - 1 - i];
    series.push_back(sum / double(2 * k + 1));
  }
  series.erase(series.begin());
  Value a = f.abs(x), z = f.mul(x, x);
  Value near = f.fma(f.mul(f.polynomial(z, series), z), x, x);
  Value e = exponential(f, f.add(a, a));
  Value far = f.sub(f.constant(1), f.div(f.constant(2), f.add(e, f.constant(1))));
  return f.select(f.less(a, 1), near, f.signOf(far, x));
}

//===--- logarithms ---------------------------------------------------------------------------===//

/// x = m 2^k of a positive number, m from 1/sqrt(2) to sqrt(2).
struct Parts {
  Value m, k;
};
Parts partsOf(const Doubles &f, Value x) {
  constexpr int subnormal = 54;
  Value isSmall = f.less(x, std::numeric_limits<double>::min());
  x = f.select(isSmall, f.mul(x, f.constant(0x1p54)), x);
  Value bits = f.toBits(x);
  constexpr int64_t fraction = (int64_t(1) << mantissa) - 1, one = int64_t(bias) << mantissa;
  Value m = f.fromBits(f.bits<arith::OrIOp>(f.bits<arith::AndIOp>(bits, fraction), one));
  Value k = f.toDouble(f.bits<arith::ShRUIOp>(bits, mantissa));
  k = f.sub(k, f.select(isSmall, f.constant(bias + subnormal), f.constant(bias)));
  Value isLarge = f.more(m, std::numbers::sqrt2);
  m = f.select(isLarge, f.mul(m, f.constant(0.5)), m);
  return {m, f.select(isLarge, f.add(k, f.constant(1)), k)};
}
/// log(m): 2 (s + s^3 / 3 + s^5 / 5 + ...) of s = (m - 1) / (m + 1), which is below 0.172. The
/// first two terms have what they are rounded by, so that the sum is exact to 2^-62.
Pair logarithmOf(const Doubles &f, Value m) {
  constexpr double third = 1.0 / 3, thirdRest = 1.850371707708594e-17;
  Value d = f.plainSum(m, f.constant(-1)); // exact
  Pair e = {f.plainSum(m, f.constant(1)), {}};
  e.low = f.plainSum(m, f.neg(f.plainSum(e.high, f.constant(-1)))); // exact, twice
  Value s = f.div(d, e.high);
  Value rest = f.fma(f.neg(s), e.low, f.fma(f.neg(s), e.high, d));
  Value low = f.div(rest, e.high);
  Pair z = f.product(s, s);
  z.low = f.fma(f.add(s, s), low, z.low);
  Pair cube = f.product(s, z.high);
  cube.low = f.fma(s, z.low, f.fma(low, z.high, cube.low));
  Pair second = f.product(cube.high, f.constant(third));
  second.low =
      f.fma(cube.high, f.constant(thirdRest), f.fma(cube.low, f.constant(third), second.low));
  SmallVector<double> odd;
  for (int n = 5; n <= 23; n += 2)
    odd.push_back(1.0 / n);
  Value further = f.mul(f.mul(cube.high, z.high), f.polynomial(z.high, odd));
  Pair out = f.sum(s, second.high);
  out.low = f.plainSum(out.low, f.plainSum(f.plainSum(low, second.low), further));
  out = f.sum(out.high, out.low);
  return {f.plainSum(out.high, out.high), f.plainSum(out.low, out.low)};
}
/// The logarithm of a number that is positive and finite, or the special values.
Value specialLogarithm(const Doubles &f, Value x, Value result) {
  result = f.select(f.equal(x, infinity), f.constant(infinity), result);
  result = f.select(f.equal(x, 0), f.constant(-infinity), result);
  Value nan = f.constant(std::numeric_limits<double>::quiet_NaN());
  Value isNumber = f.compare(arith::CmpFPredicate::OGE, x, 0);
  return f.select(isNumber, result, nan);
}
Value logarithm(const Doubles &f, Value x) {
  Parts parts = partsOf(f, x);
  Pair log = logarithmOf(f, parts.m);
  // k ln 2 is 0 or larger than log(m).
  Pair whole = f.product(parts.k, f.constant(ln2));
  Pair sum = f.sum(whole.high, log.high);
  Value low = f.add(f.fma(parts.k, f.constant(ln2Rest), whole.low), f.add(sum.low, log.low));
  return specialLogarithm(f, x, f.add(sum.high, low));
}
/// log2 of a positive number, as a pair.
Pair binaryLogarithm(const Doubles &f, Value x) {
  constexpr double factor = std::numbers::log2e, rest = 2.0355273740931033e-17;
  Parts parts = partsOf(f, x);
  Pair log = logarithmOf(f, parts.m);
  Pair scaled = f.product(log.high, f.constant(factor));
  Value low = f.fma(log.high, f.constant(rest), f.fma(log.low, f.constant(factor), scaled.low));
  Pair sum = f.sum(parts.k, scaled.high);
  return f.sum(sum.high, f.plainSum(sum.low, low));
}
Value logarithmToTwo(const Doubles &f, Value x) {
  Pair log = binaryLogarithm(f, x);
  return specialLogarithm(f, x, f.add(log.high, log.low));
}

/// |x|^y = 2^(y log2 |x|), with the sign and the special cases of C's pow (C17, F.10.4.4).
Value power(const Doubles &f, Value x, Value y) {
  constexpr double most = 1100;
  Value magnitude = f.abs(x), nan = f.constant(std::numeric_limits<double>::quiet_NaN());
  Pair log = binaryLogarithm(f, magnitude);
  Value isOrdinary = f.both(f.more(magnitude, 0), f.less(magnitude, infinity));
  Value special = f.select(f.equal(magnitude, 0), f.constant(-infinity), f.constant(infinity));
  log.high = f.select(isOrdinary, log.high, special);
  log.low = f.select(isOrdinary, log.low, f.constant(0));
  Pair t = f.product(y, log.high);
  t.low = f.fma(y, log.low, t.low);
  Value isFar = f.isNot(f.less(f.abs(t.high), most)); // or the product of 0 and infinity
  t.low = f.select(isFar, f.constant(0), t.low);
  t.high = clamped(f, t.high, most);
  Value out = f.select(f.equal(magnitude, 1), f.constant(1), powerOfTwo(f, t));

  // A negative x: an odd y keeps the sign, and a y between integers has no power.
  Value isNegative = f.bits<arith::ShRUIOp>(f.toBits(x), 63);
  isNegative = arith::TruncIOp::create(f.b, f.loc, f.b.getI1Type(), isNegative);
  auto isWhole = [&](Value v) { return f.equal(Value(math::FloorOp::create(f.b, f.loc, v)), v); };
  Value isOdd = f.both(isWhole(y), f.isNot(isWhole(f.mul(y, f.constant(0.5)))));
  out = f.select(f.both(isNegative, isOdd), f.neg(out), out);
  out = f.select(f.both(f.both(isNegative, isOrdinary), f.isNot(isWhole(y))), nan, out);
  Value isNan = arith::CmpFOp::create(f.b, f.loc, arith::CmpFPredicate::UNO, x, y);
  out = f.select(isNan, nan, out);
  return f.select(f.either(f.equal(x, 1), f.equal(y, 0)), f.constant(1), out);
}

//===--- circular functions -------------------------------------------------------------------===//

struct Circular {
  Value sine, cosine; // of the rest, by which of them the quadrant asks for
  Value quadrant;     // i64
};
/// x = k pi/2 + r with |r| <= pi/4. Exact enough for |x| up to 2^30, as pi/2 is taken in three
/// parts.
Circular circular(const Doubles &f, Value x) {
  constexpr double parts[] = {1.5707963267948966, 6.123233995736766e-17, -1.4973849048591833e-33};
  Value k = f.nearest(f.mul(x, f.constant(2 / std::numbers::pi))), minus = f.neg(k);
  Value near = f.fma(minus, f.constant(parts[0]), x); // exact where it is small
  Pair second = f.product(minus, f.constant(parts[1]));
  Pair r = f.sum(near, second.high);
  // The sum is exact only if `near` is the larger one, which it need not be next to a multiple.
  Value isSmall = f.less(f.abs(near), f.abs(second.high));
  Pair turned = f.sum(second.high, near);
  r = {r.high, f.select(isSmall, turned.low, r.low)};
  r.low = f.fma(minus, f.constant(parts[2]), f.plainSum(r.low, second.low));
  r = f.sum(r.high, r.low);

  Value z = f.mul(r.high, r.high);
  SmallVector<double> sines = inverseFactorials(3, 2, 8, true),
                      cosines = inverseFactorials(4, 2, 8, true);
  for (double &c : sines)
    c = -c;
  Value tail = f.mul(f.mul(f.polynomial(z, sines), z), r.high);
  Value half = f.mul(z, f.constant(0.5));
  Value sine = f.add(r.high, f.fma(r.low, f.sub(f.constant(1), half), tail));
  // 1 - z/2 with what it is rounded by.
  Value one = f.plainSum(f.constant(1), f.neg(half));
  Value lost = f.plainSum(f.plainSum(f.constant(1), f.neg(one)), f.neg(half));
  Value rest = f.fma(f.mul(z, z), f.polynomial(z, cosines), f.fma(f.neg(r.high), r.low, lost));
  return {sine, f.add(one, rest), f.toInteger(k)};
}
Value isOdd(const Doubles &f, Value integer) {
  return arith::TruncIOp::create(f.b, f.loc, f.b.getI1Type(), integer);
}
Value quarter(const Doubles &f, const Circular &c, int64_t turn) {
  Value at = f.bits<arith::AddIOp>(c.quadrant, turn);
  Value value = f.select(isOdd(f, at), c.cosine, c.sine);
  return f.select(isOdd(f, f.bits<arith::ShRUIOp>(at, 1)), f.neg(value), value);
}
/// -0 is its own sine, and infinity has none.
Value finite(const Doubles &f, Value x, Value value) {
  Value nan = f.constant(std::numeric_limits<double>::quiet_NaN());
  return f.select(f.less(f.abs(x), infinity), value, nan);
}
Value sine(const Doubles &f, Value x) {
  Value value = quarter(f, circular(f, x), 0);
  return finite(f, x, f.select(f.equal(x, 0), x, value));
}
Value cosine(const Doubles &f, Value x) { return finite(f, x, quarter(f, circular(f, x), 1)); }
Value tangent(const Doubles &f, Value x) {
  Circular c = circular(f, x);
  Value turns = isOdd(f, c.quadrant);
  Value value = f.div(f.select(turns, f.neg(c.cosine), c.sine), f.select(turns, c.sine, c.cosine));
  return finite(f, x, f.select(f.equal(x, 0), x, value));
}

/// The angle of (x, y), from the smaller of both over the larger: t or pi/4 + (t - 1) / (t + 1),
/// then the series of atan up to 0.42. Signs of zeros count, as in C.
Value angle(const Doubles &f, Value y, Value x) {
  Value across = f.abs(x), up = f.abs(y), steep = f.less(across, up);
  Value larger = f.select(steep, up, across), smaller = f.select(steep, across, up);
  // Far from where a sum overflows, and a quotient loses bits.
  Value isHuge = f.more(larger, 0x1p1000), isTiny = f.less(larger, 0x1p-960);
  Value scale =
      f.select(isHuge, f.constant(0x1p-60), f.select(isTiny, f.constant(0x1p100), f.constant(1)));
  Value a = f.mul(smaller, scale), b = f.mul(larger, scale);
  Value isMedium = f.less(f.mul(b, f.constant(std::numbers::sqrt2 - 1)), a);
  Value t = f.div(f.select(isMedium, f.sub(a, b), a), f.select(isMedium, f.add(a, b), b));
  // Two zeros, or two infinities, have no quotient.
  Value isEven = f.equal(smaller, larger);
  t = f.select(isEven, f.constant(0), t);
  isMedium = f.either(isMedium, f.both(isEven, f.more(larger, 0)));
  Value z = f.mul(t, t);
  SmallVector<double> odd;
  for (int n = 3; n <= 43; n += 2)
    odd.push_back((n % 4 == 3 ? -1.0 : 1.0) / n);
  Value near = f.fma(f.mul(f.polynomial(z, odd), z), t, t);
  constexpr double quarterRest = 3.061616997868383e-17; // of pi/4
  auto turned = [&](double quarters, Value angle) {     // quarters pi/4 + angle
    return f.add(f.constant(quarters * (std::numbers::pi / 4)),
                 f.add(angle, f.constant(quarters * quarterRest)));
  };
  Value r = f.select(isMedium, turned(1, near), near);
  Value upright = f.select(isMedium, turned(1, f.neg(near)), turned(2, f.neg(near)));
  r = f.select(steep, upright, r);
  // To the left: pi - r.
  Value left = f.less(f.signOf(f.constant(1), x), 0);
  r = f.select(left, turned(4, f.neg(r)), r);
  Value isNan = arith::CmpFOp::create(f.b, f.loc, arith::CmpFPredicate::UNO, x, y);
  Value nan = f.constant(std::numeric_limits<double>::quiet_NaN());
  return f.select(isNan, nan, f.signOf(r, y));
}

Value inverseRoot(const Doubles &f, Value x) {
  return f.div(f.constant(1), Value(math::SqrtOp::create(f.b, f.loc, x)));
}

//===--- patterns -----------------------------------------------------------------------------===//

template <class Op, Value (*function)(const Doubles &, Value)>
struct Approximation final : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;

  LogicalResult matchAndRewrite(Op op, PatternRewriter &b) const override {
    if (!op.getType().isF64())
      return failure();
    b.replaceOp(op, function(Doubles(b, op), op.getOperand()));
    return success();
  }
};
template <class Op, Value (*function)(const Doubles &, Value, Value)>
struct OfTwo final : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;

  LogicalResult matchAndRewrite(Op op, PatternRewriter &b) const override {
    if (!op.getType().isF64())
      return failure();
    b.replaceOp(op, function(Doubles(b, op), op.getLhs(), op.getRhs()));
    return success();
  }
};

/// A function on a vector: that of one element after another, as an f64 has a register of its own.
/// Vectors of several modes keep their op, which is refused by its name and place.
template <class Op> struct PerElement final : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;

  LogicalResult matchAndRewrite(Op op, PatternRewriter &b) const override {
    auto vector = dyn_cast<VectorType>(op.getType());
    if (!vector || vector.isScalable() || vector.getRank() != 1 || !vector.getElementType().isF64())
      return failure();
    Location loc = op->getLoc();
    Value out = LLVM::PoisonOp::create(b, loc, vector);
    for (int64_t i = 0; i < vector.getNumElements(); ++i) {
      Value at = LLVM::ConstantOp::create(b, loc, b.getI64Type(), i);
      SmallVector<Value> of;
      for (Value operand : op->getOperands())
        of.push_back(LLVM::ExtractElementOp::create(b, loc, operand, at));
      Value one = Op::create(b, loc, TypeRange(b.getF64Type()), of, op->getAttrs());
      out = LLVM::InsertElementOp::create(b, loc, out, one, at);
    }
    b.replaceOp(op, out);
    return success();
  }
};

template <class... Ops> void addPerElement(RewritePatternSet &patterns, PatternBenefit benefit) {
  patterns.add<PerElement<Ops>...>(patterns.getContext(), benefit);
}

} // namespace

void addDoublePolynomials(RewritePatternSet &patterns, PatternBenefit benefit) {
  patterns.add<Approximation<math::ExpOp, exponential>, Approximation<math::Exp2Op, powerOfTwo>,
               Approximation<math::SinhOp, hyperbolicSine>,
               Approximation<math::CoshOp, hyperbolicCosine>,
               Approximation<math::TanhOp, hyperbolicTangent>,
               Approximation<math::LogOp, logarithm>, Approximation<math::Log2Op, logarithmToTwo>,
               Approximation<math::SinOp, sine>, Approximation<math::CosOp, cosine>,
               Approximation<math::TanOp, tangent>, Approximation<math::RsqrtOp, inverseRoot>,
               OfTwo<math::Atan2Op, angle>, OfTwo<math::PowFOp, power>>(patterns.getContext(),
                                                                        benefit);
  addPerElement<math::ExpOp, math::Exp2Op, math::SinhOp, math::CoshOp, math::TanhOp, math::LogOp,
                math::Log2Op, math::SinOp, math::CosOp, math::TanOp, math::RsqrtOp, math::Atan2Op,
                math::PowFOp>(patterns, benefit);
}

} // namespace tessera::lower
