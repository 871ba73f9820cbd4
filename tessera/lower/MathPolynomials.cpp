// Functions that MLIR approximates too coarsely, as polynomials on f32.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Coefficients are those of Cephes (S. Moshier, public), reductions those of Cody and Waite with
// fused multiply-adds. test/sim/math.py measures the errors.
#include "tessera/lower/DeviceMath.h"
#include "tessera/lower/MathAngles.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/PatternMatch.h"

#include <cmath>
#include <limits>
#include <numbers>

using namespace mlir;

namespace tessera::lower {

namespace {

/// Arithmetic on f32 values or vectors of them.
class Floats {
public:
  Floats(PatternRewriter &b, Operation *op)
      : b(b), loc(op->getLoc()), type(op->getResult(0).getType()) {}

  Value constant(double value) const {
    TypedAttr number = b.getF32FloatAttr(float(value));
    if (auto vector = dyn_cast<VectorType>(type))
      number = DenseElementsAttr::get(vector, cast<Attribute>(number));
    return arith::ConstantOp::create(b, loc, number);
  }
  Value add(Value x, Value y) const { return arith::AddFOp::create(b, loc, x, y); }
  Value sub(Value x, Value y) const { return arith::SubFOp::create(b, loc, x, y); }
  Value mul(Value x, Value y) const { return arith::MulFOp::create(b, loc, x, y); }
  Value div(Value x, Value y) const { return arith::DivFOp::create(b, loc, x, y); }
  Value neg(Value x) const { return arith::NegFOp::create(b, loc, x); }
  /// x * y + z, rounded once.
  Value fma(Value x, Value y, Value z) const { return math::FmaOp::create(b, loc, x, y, z); }
  template <class Op> Value call(Value x) const { return Op::create(b, loc, x); }
  Value signOf(Value magnitude, Value sign) const {
    return math::CopySignOp::create(b, loc, magnitude, sign);
  }
  /// x < y; false for a NaN.
  Value less(Value x, Value y) const {
    return arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OLT, x, y);
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

  PatternRewriter &b;
  Location loc;
  Type type;
};

//===--- exponentials and logarithms ----------------------------------------------------------===//

/// 2^(x log2 e), with what rounding the product leaves: 2^(t + d) = 2^t (1 + d ln 2). What an H200
/// is off comes from its ex2.approx: 2.2 ulp.
Value exponential(const Floats &f, Value x) {
  constexpr double factor = std::numbers::log2e;
  constexpr float high = float(factor);
  Value t = f.mul(x, f.constant(high));
  Value d = f.fma(x, f.constant(high), f.neg(t));
  d = f.fma(x, f.constant(factor - double(high)), d);
  Value y = f.call<math::Exp2Op>(t);
  Value corrected = f.fma(y, f.mul(d, f.constant(std::numbers::ln2)), y);
  // Beyond, y is infinite, subnormal or 0, and the rest may be no number.
  return f.select(f.less(f.call<math::AbsFOp>(t), f.constant(128)), corrected, y);
}

Value hyperbolicSine(const Floats &f, Value x) {
  Value a = f.call<math::AbsFOp>(x), z = f.mul(x, x);
  Value small = f.fma(
      f.mul(f.polynomial(z, {1.66667160211e-1, 8.33028376239e-3, 2.03721912945e-4}), z), x, x);
  // e^a / 2, which overflows no earlier than the result: the difference is exact and a little more
  // than ln 2 is taken away, so the exponential is smaller than it.
  constexpr double part = 178.0 / 256;
  Value half = f.mul(f.call<math::ExpOp>(f.sub(a, f.constant(part))),
                     f.constant(std::exp(part - std::numbers::ln2)));
  Value large = f.sub(half, f.div(f.constant(0.25), half));
  return f.select(f.less(a, f.constant(1)), small, f.signOf(large, x));
}

/// Up to 0.625 a polynomial; beyond, 1 - 2 / (e^2a + 1).
Value hyperbolicTangent(const Floats &f, Value x) {
  Value a = f.call<math::AbsFOp>(x), z = f.mul(x, x);
  Value p = f.polynomial(z, {-3.33332819422e-1, 1.33314422036e-1, -5.37397155531e-2,
                             2.06390887954e-2, -5.70498872745e-3});
  Value small = f.fma(f.mul(p, z), x, x);
  Value e = f.call<math::ExpOp>(f.add(a, a));
  Value large = f.sub(f.constant(1), f.div(f.constant(2), f.add(e, f.constant(1))));
  return f.select(f.less(a, f.constant(0.625)), small, f.signOf(large, x));
}

/// log(a + sqrt(a^2 + 1)) as log1p, which keeps small results.
Value inverseHyperbolicSine(const Floats &f, Value x) {
  Value a = f.call<math::AbsFOp>(x), square = f.mul(a, a);
  Value root = f.call<math::SqrtOp>(f.add(square, f.constant(1)));
  Value near = f.call<math::Log1pOp>(f.add(a, f.div(square, f.add(root, f.constant(1)))));
  Value far = f.add(f.call<math::LogOp>(a), f.constant(std::numbers::ln2)); // a^2 overflows
  return f.signOf(f.select(f.less(a, f.constant(1e9)), near, far), x);
}

/// log(x + sqrt(x^2 - 1)) as log1p of what is more than 1, with t = x - 1.
Value inverseHyperbolicCosine(const Floats &f, Value x) {
  Value t = f.sub(x, f.constant(1));
  Value more = f.add(t, f.call<math::SqrtOp>(f.fma(t, t, f.add(t, t))));
  Value far = f.add(f.call<math::LogOp>(x), f.constant(std::numbers::ln2)); // t^2 overflows
  Value value = f.select(f.less(x, f.constant(1e9)), f.call<math::Log1pOp>(more), far);
  Value nan = f.constant(std::numeric_limits<float>::quiet_NaN());
  return f.select(f.less(x, f.constant(1)), nan, value);
}

Value inverseHyperbolicTangent(const Floats &f, Value x) {
  Value a = f.call<math::AbsFOp>(x);
  Value ratio = f.div(f.add(a, a), f.sub(f.constant(1), a));
  return f.signOf(f.mul(f.constant(0.5), f.call<math::Log1pOp>(ratio)), x);
}

/// 2^(log2 |x| / 3), and a step of Halley's method. Zero, infinity and NaN are their own roots.
Value cubeRoot(const Floats &f, Value x) {
  Value a = f.call<math::AbsFOp>(x);
  Value y = f.call<math::Exp2Op>(f.mul(f.call<math::Log2Op>(a), f.constant(1.0 / 3)));
  Value cube = f.mul(f.mul(y, y), y);
  Value step = f.div(f.sub(cube, a), f.add(f.add(cube, cube), a));
  Value better = f.signOf(f.fma(f.neg(y), step, y), x);
  Value finite = f.less(a, f.constant(std::numeric_limits<float>::infinity()));
  Value root = f.select(finite, better, x);
  return f.select(f.less(f.constant(0), a), root, x);
}

//===--- the error function -------------------------------------------------------------------===//

/// Up to 1 x + x q(x^2), beyond 1 - 2^-p(x). Both are Chebyshev's interpolations, computed with 60
/// digits.
Value errorFunction(const Floats &f, Value x) {
  constexpr double most = 4; // from where it is 1
  Value a = f.call<math::AbsFOp>(x);
  Value q =
      f.polynomial(f.mul(x, x), {0.12837916584835093, -0.37612626666720334, 0.11283594715160218,
                                 -0.026854212010626412, 0.005189087423433974, -0.000801686428716587,
                                 7.875875062685488e-05});
  Value near = f.fma(x, q, x);
  Value b = f.select(f.less(f.constant(most), a), f.constant(most), a); // a NaN stays
  Value p = f.polynomial(b, {-0.0004618615766698807, 1.630582171493444, 0.911532311288859,
                             0.1588119897709087, -0.03811764189002414, 0.006866645968928733,
                             -0.000861008516515442, 6.644770978074627e-05, -2.361910227018601e-06});
  Value far = f.sub(f.constant(1), f.call<math::Exp2Op>(f.neg(p)));
  return f.select(f.less(a, f.constant(1)), near, f.signOf(far, x));
}

//===--- circular functions -------------------------------------------------------------------===//

/// x = k pi/2 + r with |r| <= pi/4, modulo 4 of k.
struct Angle {
  Value k, r;
};

/// Exact enough for |x| up to 105615, as pi/2 is taken in three parts; larger numbers of kernels
/// are reduced by a function.
Angle reduced(const Floats &f, Value x) {
  Value k = f.call<math::RoundEvenOp>(f.mul(x, f.constant(2 / std::numbers::pi)));
  Value r = x, minus = f.neg(k);
  for (double part : {1.5707963705062866, -4.3711388286737929e-8, -1.7151245100058819e-15})
    r = f.fma(minus, f.constant(part), r);
  Block *block = f.b.getInsertionBlock();
  auto module = block->getParentOp()->getParentOfType<gpu::GPUModuleOp>();
  if (!module || !f.type.isF32() || !isa<FunctionOpInterface>(block->getParentOp()))
    return {k, r};
  Value a = f.call<math::AbsFOp>(x), infinity = f.constant(std::numeric_limits<float>::infinity());
  Value isFar =
      arith::AndIOp::create(f.b, f.loc, f.less(f.constant(105615), a), f.less(a, infinity));
  LLVM::LLVMFuncOp function = farAngle(f.b, module, f.type);
  Block *rest = f.b.splitBlock(block, f.b.getInsertionPoint());
  Angle out = {rest->addArgument(f.type, f.loc), rest->addArgument(f.type, f.loc)};
  Block *far = f.b.createBlock(rest);
  Value both = LLVM::CallOp::create(f.b, f.loc, function, x).getResult();
  Type i32 = f.b.getI32Type();
  Value shift = arith::ConstantOp::create(f.b, f.loc, f.b.getI64IntegerAttr(32));
  Value farK =
      arith::TruncIOp::create(f.b, f.loc, i32, arith::ShRUIOp::create(f.b, f.loc, both, shift));
  farK = arith::SIToFPOp::create(f.b, f.loc, f.type, farK);
  Value farR =
      arith::BitcastOp::create(f.b, f.loc, f.type, arith::TruncIOp::create(f.b, f.loc, i32, both));
  cf::BranchOp::create(f.b, f.loc, rest, ValueRange{farK, farR});
  f.b.setInsertionPointToEnd(block);
  cf::CondBranchOp::create(f.b, f.loc, isFar, far, ValueRange(), rest, ValueRange{k, r});
  f.b.setInsertionPointToStart(rest);
  return out;
}

/// sin or cos of r by the two lowest bits of k.
Value circular(const Floats &f, Value x, int quarter) {
  auto [k, r] = reduced(f, x);
  Value z = f.mul(r, r);
  Value sine =
      f.fma(f.mul(f.polynomial(z, {-1.6666654611e-1, 8.3321608736e-3, -1.9515295891e-4}), z), r, r);
  Value cosine =
      f.polynomial(z, {1, -0.5, 4.166664568298827e-2, -1.388731625493765e-3, 2.443315711809948e-5});
  // k modulo 4 in floats: k - 4 floor(k / 4).
  Value turn = f.add(k, f.constant(quarter));
  Value whole = f.call<math::FloorOp>(f.mul(turn, f.constant(0.25)));
  Value rest = f.fma(whole, f.constant(-4), turn);
  auto is = [&](double which) {
    return arith::CmpFOp::create(f.b, f.loc, arith::CmpFPredicate::OEQ, rest, f.constant(which));
  };
  Value odd = arith::OrIOp::create(f.b, f.loc, is(1), is(3));
  Value value = f.select(odd, cosine, sine);
  return f.select(f.less(f.constant(1.5), rest), f.neg(value), value);
}
Value sine(const Floats &f, Value x) { return circular(f, x, 0); }
Value cosine(const Floats &f, Value x) { return circular(f, x, 1); }

/// atan x = pi/2 - atan 1/x above 1 + sqrt 2, pi/4 + atan (x-1)/(x+1) above sqrt 2 - 1.
Value arctangent(const Floats &f, Value x) {
  Value a = f.call<math::AbsFOp>(x);
  Value large = f.less(f.constant(2.414213562373095), a),
        medium = f.less(f.constant(0.4142135623730950), a);
  Value reduced =
      f.select(large, f.div(f.constant(-1), a),
               f.select(medium, f.div(f.sub(a, f.constant(1)), f.add(a, f.constant(1))), a));
  Value base = f.select(large, f.constant(std::numbers::pi / 2),
                        f.select(medium, f.constant(std::numbers::pi / 4), f.constant(0)));
  Value z = f.mul(reduced, reduced);
  Value tail = f.mul(
      f.polynomial(z, {-3.33329491539e-1, 1.99777106478e-1, -1.38776856032e-1, 8.05374449538e-2}),
      z);
  return f.signOf(f.add(base, f.fma(tail, reduced, reduced)), x);
}

/// The angle of (x, y), from the smaller of both over the larger; signs of zeros count, as in C.
Value angle(const Floats &f, Value y, Value x) {
  Value across = f.call<math::AbsFOp>(x), up = f.call<math::AbsFOp>(y);
  Value steep = f.less(across, up);
  Value larger = f.select(steep, up, across), smaller = f.select(steep, across, up);
  auto equal = [&](Value a, Value b) {
    return arith::CmpFOp::create(f.b, f.loc, arith::CmpFPredicate::OEQ, a, b);
  };
  Value ratio = f.select(equal(smaller, larger), f.constant(1), f.div(smaller, larger));
  ratio = f.select(equal(larger, f.constant(0)), f.constant(0), ratio);
  Value r = arctangent(f, ratio);
  r = f.select(steep, f.sub(f.constant(std::numbers::pi / 2), r), r);
  Value left = f.less(f.signOf(f.constant(1), x), f.constant(0));
  Value out = f.signOf(f.select(left, f.sub(f.constant(std::numbers::pi), r), r), y);
  Value isNan = arith::CmpFOp::create(f.b, f.loc, arith::CmpFPredicate::UNO, x, y);
  return f.select(isNan, f.add(x, y), out);
}

//===--- patterns -----------------------------------------------------------------------------===//

template <class Op, Value (*function)(const Floats &, Value)>
struct Approximation final : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;

  LogicalResult matchAndRewrite(Op op, PatternRewriter &b) const override {
    if (!getElementTypeOrSelf(op.getType()).isF32())
      return failure();
    b.replaceOp(op, function(Floats(b, op), op.getOperand()));
    return success();
  }
};

struct AngleOf final : OpRewritePattern<math::Atan2Op> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(math::Atan2Op op, PatternRewriter &b) const override {
    if (!getElementTypeOrSelf(op.getType()).isF32())
      return failure();
    b.replaceOp(op, angle(Floats(b, op), op.getLhs(), op.getRhs()));
    return success();
  }
};

/// MLIR's logarithms are those of normal numbers: a subnormal one is scaled first.
template <class Op> struct OfSubnormal final : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;

  LogicalResult matchAndRewrite(Op op, PatternRewriter &b) const override {
    constexpr StringLiteral isScaled = "tessera.scaled";
    if (!getElementTypeOrSelf(op.getType()).isF32() || op->hasAttr(isScaled))
      return failure();
    constexpr int digits = std::numeric_limits<float>::digits;
    constexpr double less =
        std::is_same_v<Op, math::LogOp> ? digits * std::numbers::ln2 : double(digits);
    Floats f(b, op);
    Value x = op.getOperand();
    Value isSmall = f.less(x, f.constant(std::numeric_limits<float>::min()));
    x = f.select(isSmall, f.mul(x, f.constant(double(1 << digits))), x);
    Value log = f.call<Op>(x);
    log.getDefiningOp()->setAttr(isScaled, b.getUnitAttr());
    b.replaceOp(op, f.sub(log, f.select(isSmall, f.constant(less), f.constant(0))));
    return success();
  }
};

} // namespace

void addPolynomials(RewritePatternSet &patterns, PatternBenefit benefit) {
  patterns
      .add<Approximation<math::ExpOp, exponential>, Approximation<math::SinhOp, hyperbolicSine>,
           Approximation<math::AsinhOp, inverseHyperbolicSine>,
           Approximation<math::AcoshOp, inverseHyperbolicCosine>,
           Approximation<math::AtanhOp, inverseHyperbolicTangent>,
           Approximation<math::TanhOp, hyperbolicTangent>, Approximation<math::CbrtOp, cubeRoot>,
           Approximation<math::ErfOp, errorFunction>, Approximation<math::SinOp, sine>,
           Approximation<math::CosOp, cosine>, Approximation<math::AtanOp, arctangent>, AngleOf,
           OfSubnormal<math::LogOp>, OfSubnormal<math::Log2Op>>(patterns.getContext(), benefit);
}

} // namespace tessera::lower
