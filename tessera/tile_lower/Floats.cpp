// Floating-point ops: rounded arithmetic, functions, minimum and maximum, comparison.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sums are inline PTX with their rounding: LLVM and ptxas would fuse a plain sum with the product
// before it, which rounds once where the dialect rounds twice. f16 and bf16 are computed in f32,
// which has more than twice their bits, so that a second rounding changes nothing (sums, products,
// quotients, square roots; in one direction always); a fused product to nearest has an instruction.
#include "tessera/number/RoundingModes.h"
#include "tessera/tile_lower/Facts.h"
#include "tessera/tile_lower/Powers.h"
#include "tessera/tile_lower/Rows.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace tessera::cuda_tile;

namespace tessera::tile_lower {

namespace {

using Operands = ArrayRef<Value>;

//===--- Rounded arithmetic

/// PTX's name of a rounding: "rn", "rz", "rm", "rp", "approx", "full".
StringRef ptxName(RoundingMode mode) {
  switch (mode) {
  case RoundingMode::Zero: return "rz";
  case RoundingMode::NegativeInf: return "rm";
  case RoundingMode::PositiveInf: return "rp";
  case RoundingMode::Approx: return "approx";
  case RoundingMode::Full: return "full";
  default: return "rn";
  }
}

/// One instruction on f32 or f64: add.rz.ftz.f32.
Value instruction(Code &c, StringRef name, RoundingMode mode, bool flushes, Operands x) {
  bool isDouble = x[0].getType().isF64();
  std::string text =
      (name + "." + ptxName(mode) + (flushes ? ".ftz" : "") + (isDouble ? ".f64 $0" : ".f32 $0"))
          .str();
  std::string constraints = isDouble ? "=d" : "=f";
  for (size_t i = 0; i < x.size(); ++i) {
    text += ", $" + std::to_string(i + 1);
    constraints += isDouble ? ",d" : ",f";
  }
  return c.ptx(text + ";", constraints, x[0].getType(), x);
}

/// An instruction on operands of any type that has arithmetic.
Value rounded(Code &c, StringRef name, RoundingMode mode, bool flushes, Operands x) {
  Type type = x[0].getType();
  if (type.isF32() || type.isF64())
    return instruction(c, name, mode, flushes, x);
  SmallVector<Value> wide;
  for (Value operand : x)
    wide.push_back(widened(c, type, operand));
  return narrowed(c, instruction(c, name, mode, false, wide), type, number::roundingOf(mode));
}

template <class Op> Value arithmetic(Code &c, Operation *op, Operands x) {
  constexpr bool isProduct = std::is_same_v<Op, MulFOp>, isSum = std::is_same_v<Op, AddFOp>;
  auto rounds = cast<Op>(op);
  return rounded(c,
                 isProduct ? "mul"
                 : isSum   ? "add"
                           : "sub",
                 rounds.getRoundingMode(), rounds.getFlushToZero(), x);
}
Value quotient(Code &c, Operation *op, Operands x) {
  auto divide = cast<DivFOp>(op);
  return rounded(c, "div", divide.getRoundingMode(), divide.getFlushToZero(), x);
}
Value squareRoot(Code &c, Operation *op, Operands x) {
  auto root = cast<SqrtOp>(op);
  return rounded(c, "sqrt", root.getRoundingMode(), root.getFlushToZero(), x);
}
Value fused(Code &c, Operation *op, Operands x) {
  auto fma = cast<FmaOp>(op);
  Type type = x[0].getType();
  bool isNarrow = type.isF16() || type.isBF16();
  if (isNarrow && fma.getRoundingMode() == RoundingMode::NearestEven)
    return c.make<math::FmaOp>(x[0], x[1], x[2]);
  return rounded(c, "fma", fma.getRoundingMode(), fma.getFlushToZero(), x);
}

//===--- Functions

/// A function of MLIR on f32 and f64, and through f32 on f16 and bf16.
template <class Function> Value computed(Code &c, Operands x, bool approximates = false) {
  Type type = x[0].getType();
  SmallVector<Value> wide;
  for (Value operand : x)
    wide.push_back(widened(c, type, operand));
  Value result = c.make<Function>(wide);
  if (approximates)
    result.getDefiningOp()->setAttr(
        "fastmath", arith::FastMathFlagsAttr::get(type.getContext(), arith::FastMathFlags::afn));
  return narrowed(c, result, type);
}
template <class Function> Value function(Code &c, Operation *, Operands x) {
  return computed<Function>(c, x);
}
template <class Op, class Function> Value fullOrApproximate(Code &c, Operation *op, Operands x) {
  return computed<Function>(c, x, cast<Op>(op).getRoundingMode() == RoundingMode::Approx);
}
/// Subnormal numbers are zeros where the op says so, which only ops on f32 may.
template <class Op, class Function> Value flushing(Code &c, Operation *op, Operands x) {
  constexpr bool isPower = std::is_same_v<Op, Exp2Op>;
  if (cast<Op>(op).getFlushToZero())
    return c.ptx(isPower ? "ex2.approx.ftz.f32 $0, $1;" : "rsqrt.approx.ftz.f32 $0, $1;", "=f,f",
                 c.f32, x);
  return computed<Function>(c, x);
}
/// The angle of (y, x): the op's operands are called x and y, and the first is the ordinate.
Value angle(Code &c, Operation *, Operands x) { return computed<math::Atan2Op>(c, x); }

/// Whole numbers of f32 and f64 are exact.
template <class Function> Value whole(Code &c, Operation *, Operands x) {
  Type type = x[0].getType();
  return narrowed(c, c.make<Function>(widened(c, type, x[0])), type);
}

/// The sign of a number, which a NaN has too.
template <bool negates> Value sign(Code &c, Operation *, Operands x) {
  Type type = x[0].getType();
  Value bits = c.bitsOf(x[0]);
  uint64_t mask = uint64_t(1) << (Code::bitsOf(type) - 1);
  Value out = negates ? c.xori(bits, c.integer(bits.getType(), mask))
                      : c.andi(bits, c.integer(bits.getType(), mask - 1));
  return c.bitcast(out, type);
}

/// x - trunc(x / y) y, exactly. Each step takes a quotient rounded to 53 bits away, whose product
/// with y is subtracted without an error, as the rest has no more bits than x and y. The last
/// quotient may be 1 too large. Quotients of f32 are below 2^277; those of f64, below 2^2098, have
/// no double themselves, so the first steps are by y 2^1536, y 2^1024 and y 2^512.
Value remainder(Code &c, Operation *, Operands x) {
  Type type = x[0].getType();
  constexpr int singleSteps = 6, doubleSteps = 11; // of 53 bits
  auto wide = [&](Value v) {
    v = widened(c, type, v);
    return type.isF64() ? v : Value(c.make<arith::ExtFOp>(c.f64, v));
  };
  Value dividend = wide(x[0]), divisor = wide(x[1]), rest = dividend;
  auto isInfinite = [&](Value v) {
    Value infinity = c.real(c.f64, std::numeric_limits<double>::infinity());
    return c.compareReal(arith::CmpFPredicate::OEQ, c.make<math::AbsFOp>(v), infinity);
  };
  SmallVector<Value> multiples = {divisor};
  for (int i = 0; i < (type.isF64() ? 3 : 0); ++i)
    multiples.push_back(c.make<arith::MulFOp>(multiples.back(), c.real(c.f64, 0x1p512)));
  for (Value multiple : llvm::reverse(multiples)) {
    Value before = rest;
    for (int step = 0; step < (type.isF64() ? doubleSteps : singleSteps); ++step) {
      Value q = c.make<math::TruncOp>(c.make<arith::DivFOp>(rest, multiple));
      rest = c.make<math::FmaOp>(c.make<arith::NegFOp>(q), multiple, rest);
    }
    rest = c.select(isInfinite(multiple), before, rest);
  }
  Value zero = c.real(c.f64, 0);
  auto less = [&](Value a, Value b) { return c.compareReal(arith::CmpFPredicate::OLT, a, b); };
  // Below zero where the dividend is above, or the other way round: one divisor too far.
  Value isPast = c.select(less(dividend, zero), less(zero, rest), less(rest, zero));
  Value step = c.make<math::CopySignOp>(divisor, dividend);
  rest = c.select(isPast, c.ptx("add.rn.f64 $0, $1, $2;", "=d,d,d", c.f64, {rest, step}), rest);
  rest = c.make<math::CopySignOp>(rest, dividend);
  Value nan = c.real(c.f64, std::numeric_limits<double>::quiet_NaN());
  Value isNan = c.compareReal(arith::CmpFPredicate::UNO, dividend, divisor);
  rest = c.select(isInfinite(divisor), dividend, rest);
  return narrowed(c, c.select(c.ori(isInfinite(dividend), isNan), nan, rest), type);
}

/// f16, bf16 and f32 as f64, and the power back; `exponent` is a number or a signed integer. A
/// square is a product: rounded once, it is the power.
Value powered(Code &c, Operation *op, Operands x) {
  Type type = x[0].getType();
  if (isEverywhere(op->getOperand(1), 2)) {
    Value number = widened(c, type, x[0]);
    return narrowed(c, instruction(c, "mul", RoundingMode::NearestEven, false, {number, number}),
                    type);
  }
  auto wide = [&](Value v) -> Value {
    if (v.getType().isInteger())
      return c.make<arith::SIToFPOp>(c.f64, c.resize(v, c.i32, true));
    v = widened(c, v.getType(), v);
    return v.getType().isF64() ? v : Value(c.make<arith::ExtFOp>(c.f64, v));
  };
  if (type.isF64()) // whose powers need more than the bits of f64 on the way
    return c.make<math::PowFOp>(x[0], wide(x[1]));
  return narrowed(c, power(c, wide(x[0]), wide(x[1])), type);
}

//===--- Minimum, maximum, comparison

/// IEEE 754-2019, 9.6: the number of a number and a NaN, or the NaN; +0 is above -0. PTX's max and
/// min are that (PTX ISA 9.7.3.11), except for f64, which has no .NaN.
template <bool larger, class Op> Value extremum(Code &c, Operation *op, Operands x) {
  auto chooses = cast<Op>(op);
  Type type = x[0].getType();
  Value a = x[0], b = x[1];
  if (!type.isF64()) {
    std::string name = larger ? "max" : "min";
    if (chooses.getFlushToZero())
      name += ".ftz";
    if (chooses.getPropagateNan())
      name += ".NaN";
    if (type.isF32())
      return c.ptx(name + ".f32 $0, $1, $2;", "=f,f,f", c.f32, {a, b});
    name += type.isF16() ? ".f16" : ".bf16";
    return c.bitcast(c.ptx(name + " $0, $1, $2;", "=h,h,h", c.i16, {c.bitsOf(a), c.bitsOf(b)}),
                     type);
  }
  using Predicate = arith::CmpFPredicate;
  auto isNan = [&](Value v) { return c.compareReal(Predicate::UNO, v, v); };
  Value isFirst = c.compareReal(larger ? Predicate::OGT : Predicate::OLT, a, b);
  // Equal numbers differ in the sign of zero at most.
  Value first = c.bitsOf(a), second = c.bitsOf(b);
  Value equal = c.bitcast(larger ? c.andi(first, second) : c.ori(first, second), type);
  Value out = c.select(c.compareReal(Predicate::OEQ, a, b), equal, c.select(isFirst, a, b));
  if (chooses.getPropagateNan()) {
    out = c.select(isNan(b), b, out);
    return c.select(isNan(a), a, out);
  }
  out = c.select(isNan(b), a, out);
  return c.select(isNan(a), b, out);
}

Value compareReals(Code &c, Operation *op, Operands x) {
  auto compare = cast<CmpFOp>(op);
  using Predicate = arith::CmpFPredicate;
  bool ordered = compare.getComparisonOrdering() == ComparisonOrdering::Ordered;
  auto predicate = [&] {
    switch (compare.getComparisonPredicate()) {
    case ComparisonPredicate::Equal: return ordered ? Predicate::OEQ : Predicate::UEQ;
    case ComparisonPredicate::NotEqual: return ordered ? Predicate::ONE : Predicate::UNE;
    case ComparisonPredicate::LessThan: return ordered ? Predicate::OLT : Predicate::ULT;
    case ComparisonPredicate::LessThanOrEqual: return ordered ? Predicate::OLE : Predicate::ULE;
    case ComparisonPredicate::GreaterThan: return ordered ? Predicate::OGT : Predicate::UGT;
    case ComparisonPredicate::GreaterThanOrEqual: break;
    }
    return ordered ? Predicate::OGE : Predicate::UGE;
  };
  return c.compareReal(predicate(), x[0], x[1]);
}

constexpr Row rows[] = {
    {"addf", arithmetic<AddFOp>},
    {"subf", arithmetic<SubFOp>},
    {"mulf", arithmetic<MulFOp>},
    {"divf", quotient},
    {"fma", fused},
    {"sqrt", squareRoot},
    {"ceil", whole<math::CeilOp>},
    {"floor", whole<math::FloorOp>},
    {"exp", fullOrApproximate<ExpOp, math::ExpOp>},
    {"exp2", flushing<Exp2Op, math::Exp2Op>},
    {"log", function<math::LogOp>},
    {"log2", function<math::Log2Op>},
    {"rsqrt", flushing<RsqrtOp, math::RsqrtOp>},
    {"sin", function<math::SinOp>},
    {"cos", function<math::CosOp>},
    {"tan", function<math::TanOp>},
    {"sinh", function<math::SinhOp>},
    {"cosh", function<math::CoshOp>},
    {"tanh", fullOrApproximate<TanHOp, math::TanhOp>},
    {"absf", sign<false>},
    {"negf", sign<true>},
    {"pow", powered},
    {"fpowi", powered},
    {"atan2", angle},
    {"remf", remainder},
    {"maxf", extremum<true, MaxFOp>},
    {"minf", extremum<false, MinFOp>},
    {"cmpf", compareReals},
};

} // namespace

ArrayRef<Row> arithmeticRows() { return rows; }

} // namespace tessera::tile_lower
