// Doubles: code for functions on f64, and building blocks that several of them share.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/PatternMatch.h"

#include <limits>
#include <numbers>

namespace tessera::lower::doubles {

using namespace mlir;

inline constexpr double infinity = std::numeric_limits<double>::infinity();
inline constexpr double ln2 = std::numbers::ln2, ln2Rest = 2.3190468138462996e-17;
inline constexpr int mantissa = 52, bias = 1023;

/// The sum of two doubles, more precise than one double: high is the double nearest to the sum.
struct Pair {
  Value high, low;
};

/// Arithmetic, comparisons, choices.
class Reals {
public:
  Reals(PatternRewriter &b, Operation *op) : b(b), loc(op->getLoc()) {}

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

  PatternRewriter &b;
  Location loc;
};

/// The bits of numbers, and sums and products with their rounding errors.
class Doubles : public Reals {
public:
  using Reals::Reals;

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
  /// x + y and its rounding error. |x| must be the larger one, or 0.
  Pair sum(Value x, Value y) const {
    Value high = plainSum(x, y);
    return {high, plainSum(y, neg(plainSum(high, neg(x))))};
  }
  Pair product(Value x, Value y) const {
    Value high = plainProduct(x, y);
    return {high, fma(x, y, neg(high))};
  }
};

/// e^x.
Value exponential(const Doubles &f, Value x);
/// y 2^n for a whole number n. The power is split into two factors, since each has to be a normal
/// number.
Value scaledBy(const Doubles &f, Value y, Value n);
/// x limited to [-most, most], beyond which a function does not change; a NaN stays.
Value clamped(const Doubles &f, Value x, double most);
/// 1/n! for n = first, first + step, ...
SmallVector<double> inverseFactorials(int first, int step, int count, bool alternates = false);

/// x = m 2^k for a positive number, with m from 1/sqrt(2) to sqrt(2).
struct Parts {
  Value m, k;
};
Parts partsOf(const Doubles &f, Value x);
/// log(m): 2 (s + s^3 / 3 + s^5 / 5 + ...) with s = (m - 1) / (m + 1), which is below 0.172. The
/// first two terms include their rounding errors, so that the sum is exact to 2^-62.
Pair logarithmOf(const Doubles &f, Value m);
/// log(x), or for a pair log(x + low), where `low` is the rounding error of x.
Value logarithm(const Doubles &f, Value x, Value low = {});
/// `result` for a positive finite x, else the special value of the logarithm.
Value specialLogarithm(const Doubles &f, Value x, Value result);
/// The angle of the point (x, y).
Value angle(const Doubles &f, Value y, Value x);

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

/// Applies a function on a vector to one element after another, since each f64 has a register of
/// its own. Vectors of several modes keep their op, and are refused with its name and place.
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

/// Less common functions: asin, acos, atan, asinh, acosh, atanh, cbrt, expm1, log10, log1p, erf,
/// erfc.
void addOtherDoubles(RewritePatternSet &patterns, PatternBenefit benefit);

} // namespace tessera::lower::doubles
