// MathRemainder: the remainder of floats, exactly.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LLVM's back end computes x - trunc(x / y) y with a quotient that is rounded: 256 for the
// remainder of 10^10 and 3, which is 1. Steps of a quotient of 53 bits are exact, as in tile
// programs (tile_lower/Floats.cpp).
#include "tessera/lower/DeviceMath.h"
#include "tessera/lower/InlinePtx.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

#include <limits>

using namespace mlir;

namespace tessera::lower {

/// Each step takes a quotient rounded to 53 bits away, whose product with y is subtracted without
/// an error, as the rest has no more bits than x and y. The last quotient may be 1 too large.
/// Quotients of f32 are below 2^277; those of f64, below 2^2098, have no double themselves, so the
/// first steps are by y 2^1536, y 2^1024 and y 2^512.
void expandRemainder(arith::RemFOp op) {
  OpBuilder b(op);
  Location loc = op.getLoc();
  Type type = op.getType(), f64 = b.getF64Type();
  constexpr int singleSteps = 6, doubleSteps = 11; // of 53 bits
  auto real = [&](double x) -> Value {
    return arith::ConstantOp::create(b, loc, b.getF64FloatAttr(x));
  };
  auto wide = [&](Value x) -> Value {
    return type.isF64() ? x : Value(arith::ExtFOp::create(b, loc, f64, x));
  };
  auto compare = [&](arith::CmpFPredicate predicate, Value x, Value y) -> Value {
    return arith::CmpFOp::create(b, loc, predicate, x, y);
  };
  auto select = [&](Value which, Value x, Value y) -> Value {
    return arith::SelectOp::create(b, loc, which, x, y);
  };
  auto isInfinite = [&](Value x) {
    return compare(arith::CmpFPredicate::OEQ, math::AbsFOp::create(b, loc, x),
                   real(std::numeric_limits<double>::infinity()));
  };
  Value dividend = wide(op.getLhs()), divisor = wide(op.getRhs()), rest = dividend;
  SmallVector<Value> multiples = {divisor};
  for (int i = 0; i < (type.isF64() ? 3 : 0); ++i)
    multiples.push_back(arith::MulFOp::create(b, loc, multiples.back(), real(0x1p512)));
  for (Value multiple : llvm::reverse(multiples)) {
    Value before = rest;
    for (int step = 0; step < (type.isF64() ? doubleSteps : singleSteps); ++step) {
      Value q =
          math::TruncOp::create(b, loc, arith::DivFOp::create(b, loc, rest, multiple).getResult());
      Value minus = arith::NegFOp::create(b, loc, q);
      rest = math::FmaOp::create(b, loc, minus, multiple, rest);
    }
    rest = select(isInfinite(multiple), before, rest);
  }
  auto less = [&](Value x, Value y) { return compare(arith::CmpFPredicate::OLT, x, y); };
  // Below zero where the dividend is above, or the other way round: one divisor too far.
  Value zero = real(0);
  Value isPast = select(less(dividend, zero), less(zero, rest), less(rest, zero));
  Value step = math::CopySignOp::create(b, loc, divisor, dividend);
  Value back =
      inlinePtx(b, loc, "add.rn.f64 $0, $1, $2;", "=d,d,d", {rest, step}, f64).getResult(0);
  rest = math::CopySignOp::create(b, loc, select(isPast, back, rest), dividend);
  rest = select(isInfinite(divisor), dividend, rest);
  Value isNan = arith::OrIOp::create(b, loc, isInfinite(dividend),
                                     compare(arith::CmpFPredicate::UNO, dividend, divisor));
  rest = select(isNan, real(std::numeric_limits<double>::quiet_NaN()), rest);
  op.replaceAllUsesWith(type.isF64() ? rest : Value(arith::TruncFOp::create(b, loc, type, rest)));
  op.erase();
}

} // namespace tessera::lower
