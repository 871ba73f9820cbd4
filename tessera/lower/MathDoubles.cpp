// Functions on f64, of which GPUs have no instructions, as polynomials.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Polynomials are the Taylor series, cut where a term is below 2^-57 of the sum. What an argument
// is reduced by is taken in two or three parts with fused multiply-adds. Sums and products whose
// own rounding errors are computed are instructions that nobody fuses. test/sim/math.py measures
// the errors.
#include "tessera/lower/DeviceMath.h"
#include "tessera/lower/Doubles.h"
#include "tessera/lower/MathAngles.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"

using namespace mlir;

namespace tessera::lower {

namespace doubles {

//===--- exponentials -------------------------------------------------------------------------===//

SmallVector<double> inverseFactorials(int first, int step, int count, bool alternates) {
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

Value scaledBy(const Doubles &f, Value y, Value n) {
  Value whole = f.toInteger(n), half = f.bits<arith::ShRSIOp>(whole, 1);
  Value rest = arith::SubIOp::create(f.b, f.loc, whole, half);
  for (Value power : {half, rest})
    y = f.mul(y, f.fromBits(f.bits<arith::ShLIOp>(f.bits<arith::AddIOp>(power, bias), mantissa)));
  return y;
}

namespace {

/// e^r 2^n for |r| up to 0.35 and whole numbers n.
Value scaledExponential(const Doubles &f, Value r, Value n) {
  return scaledBy(f, f.polynomial(r, inverseFactorials(0, 1, 14)), n);
}

} // namespace

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
namespace {

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

} // namespace

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
Value specialLogarithm(const Doubles &f, Value x, Value result) {
  result = f.select(f.equal(x, infinity), f.constant(infinity), result);
  result = f.select(f.equal(x, 0), f.constant(-infinity), result);
  Value nan = f.constant(std::numeric_limits<double>::quiet_NaN());
  Value isNumber = f.compare(arith::CmpFPredicate::OGE, x, 0);
  return f.select(isNumber, result, nan);
}
Value logarithm(const Doubles &f, Value x, Value low) {
  Parts parts = partsOf(f, x);
  Pair log = logarithmOf(f, parts.m);
  if (low)
    log.low = f.add(log.low, f.div(low, x));
  // k ln 2 is 0 or larger than log(m).
  Pair whole = f.product(parts.k, f.constant(ln2));
  Pair sum = f.sum(whole.high, log.high);
  Value rest = f.add(f.fma(parts.k, f.constant(ln2Rest), whole.low), f.add(sum.low, log.low));
  return specialLogarithm(f, x, f.add(sum.high, rest));
}

namespace {

Value naturalLogarithm(const Doubles &f, Value x) { return logarithm(f, x); }

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
/// x = k pi/2 + r with |r| <= pi/4, modulo 4 of k, which is an i64.
struct Angle {
  Value k;
  Pair r;
};
constexpr double farthest = 0x1p30;

/// For numbers that are larger in kernels: the result of a function of the module.
Angle reducedFar(const Doubles &f, Value x, const Angle &near) {
  Block *block = f.b.getInsertionBlock();
  auto module = block->getParentOp()->getParentOfType<gpu::GPUModuleOp>();
  if (!module || !isa<FunctionOpInterface>(block->getParentOp()))
    return near;
  Value a = f.abs(x), isFar = f.both(f.more(a, farthest), f.less(a, infinity));
  LLVM::LLVMFuncOp function = farAngle(f.b, module, f.b.getF64Type());
  Block *rest = f.b.splitBlock(block, f.b.getInsertionPoint());
  SmallVector<Value> nearParts = {near.k, near.r.high, near.r.low}, parts;
  for (Value part : nearParts)
    rest->addArgument(part.getType(), f.loc);
  Block *far = f.b.createBlock(rest);
  Value all = LLVM::CallOp::create(f.b, f.loc, function, x).getResult();
  for (int64_t i = 0; i < 3; ++i)
    parts.push_back(LLVM::ExtractValueOp::create(f.b, f.loc, all, ArrayRef<int64_t>{i}));
  cf::BranchOp::create(f.b, f.loc, rest, parts);
  f.b.setInsertionPointToEnd(block);
  cf::CondBranchOp::create(f.b, f.loc, isFar, far, ValueRange(), rest, nearParts);
  f.b.setInsertionPointToStart(rest);
  return {rest->getArgument(0), {rest->getArgument(1), rest->getArgument(2)}};
}

/// Exact enough for |x| up to 2^30, as pi/2 is taken in three parts; larger numbers of kernels are
/// reduced by a function.
Angle reduced(const Doubles &f, Value x) {
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
  return reducedFar(f, x, {f.toInteger(k), f.sum(r.high, r.low)});
}
Circular circular(const Doubles &f, Value x) {
  auto [k, r] = reduced(f, x);
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
  return {sine, f.add(one, rest), k};
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

} // namespace

// From the smaller of both over the larger: t or pi/4 + (t - 1) / (t + 1),
// then the series of atan up to 0.42. Signs of zeros count, as in C.
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

namespace {

Value inverseRoot(const Doubles &f, Value x) {
  return f.div(f.constant(1), Value(math::SqrtOp::create(f.b, f.loc, x)));
}

} // namespace

} // namespace doubles

void addDoublePolynomials(RewritePatternSet &patterns, PatternBenefit benefit) {
  using namespace doubles;
  patterns.add<
      Approximation<math::ExpOp, exponential>, Approximation<math::Exp2Op, powerOfTwo>,
      Approximation<math::SinhOp, hyperbolicSine>, Approximation<math::CoshOp, hyperbolicCosine>,
      Approximation<math::TanhOp, hyperbolicTangent>, Approximation<math::LogOp, naturalLogarithm>,
      Approximation<math::Log2Op, logarithmToTwo>, Approximation<math::SinOp, sine>,
      Approximation<math::CosOp, cosine>, Approximation<math::TanOp, tangent>,
      Approximation<math::RsqrtOp, inverseRoot>, OfTwo<math::Atan2Op, angle>,
      OfTwo<math::PowFOp, power>>(patterns.getContext(), benefit);
  addPerElement<math::ExpOp, math::Exp2Op, math::SinhOp, math::CoshOp, math::TanhOp, math::LogOp,
                math::Log2Op, math::SinOp, math::CosOp, math::TanOp, math::RsqrtOp, math::Atan2Op,
                math::PowFOp>(patterns, benefit);
  addOtherDoubles(patterns, benefit);
}

} // namespace tessera::lower
