// The rows of the bank for floats that LLVM has no type for, tf32 and those below 16 bits:
// constants, casts and conversions, as arithmetic on their bits.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lowered, a number of N bits is an iN, and a tf32 the 32 bits of an f32 whose low 13 do not count.
#include "tessera/lower/Bank.h"
#include "tessera/lower/InlinePtx.h"
#include "tessera/lower/LoweredTypes.h"
#include "tessera/lower/TargetOf.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace tessera::lower {

namespace {
constexpr unsigned tf32LowBits = 13, f32Mantissa = 23, f32Bits = 32;

/// Whether LLVM has no type for a float, or for the elements of a vector.
bool isForeign(Type type) {
  Type element = getElementTypeOrSelf(type);
  return isa<FloatTF32Type>(element) ||
         (isa<FloatType>(element) && element.getIntOrFloatBitWidth() < 16);
}
bool isTf32(Type type) { return isa<FloatTF32Type>(getElementTypeOrSelf(type)); }

/// The same shape with other elements.
Type withElement(Type like, Type element) {
  auto vector = dyn_cast<VectorType>(like);
  return vector ? Type(vector.clone(element)) : element;
}

/// Arithmetic on the bits of a number, or of each of a vector.
struct Bits {
  OpBuilder &b;
  Location loc;
  Type i32, f32;

  Bits(OpBuilder &b, Location loc, Type like)
      : b(b), loc(loc), i32(withElement(like, b.getI32Type())),
        f32(withElement(like, b.getF32Type())) {}

  Value constant(uint32_t bits) const {
    TypedAttr number = b.getI32IntegerAttr(int32_t(bits));
    if (auto vector = dyn_cast<VectorType>(i32))
      number = DenseElementsAttr::get(vector, cast<Attribute>(number));
    return arith::ConstantOp::create(b, loc, number);
  }
  Value andWith(Value x, uint32_t mask) const {
    return arith::AndIOp::create(b, loc, x, constant(mask));
  }
  Value orWith(Value x, Value y) const { return arith::OrIOp::create(b, loc, x, y); }
  Value shl(Value x, unsigned by) const {
    return by ? Value(arith::ShLIOp::create(b, loc, x, constant(by))) : x;
  }
  Value compare(arith::CmpIPredicate predicate, Value x, uint32_t y) const {
    return arith::CmpIOp::create(b, loc, predicate, x, constant(y));
  }
  Value select(Value which, Value x, Value y) const {
    return arith::SelectOp::create(b, loc, which, x, y);
  }
  Value asFloat(Value x) const { return arith::BitcastOp::create(b, loc, f32, x); }
  Value asBits(Value x) const { return arith::BitcastOp::create(b, loc, i32, x); }
};

/// A number of fewer than 16 bits as an f32, which holds it exactly: its bits as those of an f32 of
/// a smaller exponent, which a multiplication makes right, of subnormal numbers too.
Value widened(const Bits &f, Value code, const llvm::fltSemantics &format) {
  using llvm::APFloat;
  const bool isSigned = APFloat::semanticsHasSignedRepr(format);
  const unsigned bits = APFloat::semanticsSizeInBits(format);
  const unsigned mantissa = APFloat::semanticsPrecision(format) - 1;
  const uint32_t sign = isSigned ? uint32_t(1) << (bits - 1) : 0;
  const uint32_t magnitudes = ((uint32_t(1) << bits) - 1) & ~sign;
  const int bias = 1 - APFloat::semanticsMinExponent(format);
  Value u = arith::ExtUIOp::create(f.b, f.loc, f.i32, code);
  Value magnitude = isSigned ? f.andWith(u, magnitudes) : u;
  Value out;
  if (!APFloat::semanticsHasZero(format)) { // an exponent alone, with the bias of f32
    out = f.select(f.compare(arith::CmpIPredicate::eq, magnitude, 0), f.constant(0x00400000),
                   f.shl(magnitude, f32Mantissa));
  } else {
    Value small = f.asFloat(f.shl(magnitude, f32Mantissa - mantissa));
    Value scale = f.asFloat(f.constant(uint32_t(127 + 127 - bias) << f32Mantissa));
    out = f.asBits(arith::MulFOp::create(f.b, f.loc, small, scale));
  }
  constexpr uint32_t infinity = 0x7f800000, nan = 0x7fc00000;
  if (APFloat::semanticsHasInf(format)) { // a NaN keeps its mantissa
    auto code = uint32_t(APFloat::getInf(format).bitcastToAPInt().getZExtValue());
    out = f.select(f.compare(arith::CmpIPredicate::uge, magnitude, code),
                   f.orWith(out, f.constant(infinity)), out);
  } else if (APFloat::semanticsHasNaN(format)) {
    auto code = uint32_t(APFloat::getNaN(format).bitcastToAPInt().getZExtValue());
    bool isNegativeZero = isSigned && code == sign;
    Value isNan = f.compare(arith::CmpIPredicate::eq, isNegativeZero ? u : magnitude,
                            isNegativeZero ? sign : magnitudes);
    out = f.select(isNan, f.constant(nan), out);
    if (isNegativeZero) // whose sign says nothing
      u = f.select(isNan, f.constant(0), u);
  }
  if (isSigned)
    out = f.orWith(out, f.shl(f.andWith(u, sign), f32Bits - bits));
  return f.asFloat(out);
}

/// The numbers below 16 bits that an f32 is nearest to, as cvt.rn.satfinite has it (PTX ISA, cvt):
/// what is too large, infinity too, becomes the largest number, and a NaN the format's, or the
/// largest number where it has none.
Value narrowed(const Bits &f, Value number, const llvm::fltSemantics &format, Type code) {
  using llvm::APFloat;
  const unsigned bits = APFloat::semanticsSizeInBits(format);
  const unsigned mantissa = APFloat::semanticsPrecision(format) - 1;
  const int bias = 1 - APFloat::semanticsMinExponent(format), bias32 = 127;
  auto codeOf = [](const APFloat &x) { return uint32_t(x.bitcastToAPInt().getZExtValue()); };
  const uint32_t largest = codeOf(APFloat::getLargest(format));
  const bool hasNan = APFloat::semanticsHasNaN(format);
  constexpr uint32_t magnitudes = 0x7fffffff, infinity = 0x7f800000;
  Value x = f.asBits(number);
  Value magnitude = f.andWith(x, magnitudes);
  // Rounded at the last bit that stays, of which a carry may make a larger exponent.
  const unsigned dropped = f32Mantissa - mantissa;
  Value last = f.andWith(arith::ShRUIOp::create(f.b, f.loc, magnitude, f.constant(dropped)), 1);
  Value half = arith::AddIOp::create(f.b, f.loc, last, f.constant((1u << (dropped - 1)) - 1));
  Value rounded = arith::ShRUIOp::create(
      f.b, f.loc, arith::AddIOp::create(f.b, f.loc, magnitude, half), f.constant(dropped));
  Value normal =
      arith::SubIOp::create(f.b, f.loc, rounded, f.constant(uint32_t(bias32 - bias) << mantissa));
  normal = arith::MinUIOp::create(f.b, f.loc, normal, f.constant(largest));
  // A subnormal number counts steps of the smallest one; a sum with a number whose last bit is such
  // a step rounds to them.
  const auto step = uint32_t(bias32 + int(f32Mantissa) + 1 - bias - int(mantissa)) << f32Mantissa;
  Value sum = arith::AddFOp::create(f.b, f.loc, f.asFloat(magnitude), f.asFloat(f.constant(step)));
  Value subnormal = arith::SubIOp::create(f.b, f.loc, f.asBits(sum), f.constant(step));
  const auto smallest = uint32_t(bias32 + 1 - bias) << f32Mantissa;
  Value out =
      f.select(f.compare(arith::CmpIPredicate::ult, magnitude, smallest), subnormal, normal);
  out = f.orWith(out, f.andWith(arith::ShRUIOp::create(f.b, f.loc, x, f.constant(f32Bits - bits)),
                                1u << (bits - 1)));
  // cvt makes 0x7f of a NaN, also of e5m2, and a positive number where there is no NaN.
  const uint32_t nan = hasNan ? (1u << (bits - 1)) - 1 : largest;
  out = f.select(f.compare(arith::CmpIPredicate::ugt, magnitude, infinity), f.constant(nan), out);
  return arith::TruncIOp::create(f.b, f.loc, code, out);
}

/// The bits of an f32 as those of a tf32, to nearest even; PTX converts so from sm_90 on only.
Value rounded(const Bits &f, Value number) {
  constexpr uint32_t kept = ~((uint32_t(1) << tf32LowBits) - 1);
  constexpr uint32_t magnitudes = 0x7fffffff, infinity = 0x7f800000;
  Value x = f.asBits(number);
  Value even = f.andWith(arith::ShRUIOp::create(f.b, f.loc, x, f.constant(tf32LowBits)), 1);
  Value half = arith::AddIOp::create(f.b, f.loc, even, f.constant(~kept >> 1));
  Value nearest = f.andWith(arith::AddIOp::create(f.b, f.loc, x, half), kept);
  Value isNan = f.compare(arith::CmpIPredicate::ugt, f.andWith(x, magnitudes), infinity);
  return f.select(isNan, f.constant(magnitudes & kept), nearest);
}

struct ConstantLowering final : OpConversionPattern<arith::ConstantOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(arith::ConstantOp op, OpAdaptor,
                                ConversionPatternRewriter &b) const override {
    Type lowered = getTypeConverter()->convertType(op.getType());
    if (!isForeign(op.getType()) || !lowered)
      return failure();
    auto codeOf = [&](const APFloat &number) {
      APInt code = number.bitcastToAPInt();
      return isTf32(op.getType()) ? code.zext(f32Bits).shl(tf32LowBits) : code;
    };
    if (auto number = dyn_cast<FloatAttr>(op.getValue())) {
      b.replaceOpWithNewOp<arith::ConstantOp>(op,
                                              b.getIntegerAttr(lowered, codeOf(number.getValue())));
      return success();
    }
    auto numbers = dyn_cast<DenseElementsAttr>(op.getValue());
    auto vector = dyn_cast<VectorType>(lowered);
    if (!numbers || !vector)
      return failure();
    SmallVector<APInt> codes = llvm::map_to_vector(numbers.getValues<APFloat>(), codeOf);
    b.replaceOpWithNewOp<arith::ConstantOp>(op, DenseElementsAttr::get(vector, codes));
    return success();
  }
};

struct BitcastLowering final : OpConversionPattern<arith::BitcastOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(arith::BitcastOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    Type lowered = getTypeConverter()->convertType(op.getType());
    if (!lowered || isTf32(op.getType()) != isTf32(op.getIn().getType()))
      return failure();
    b.replaceOp(op, adaptor.getIn().getType() == lowered
                        ? adaptor.getIn()
                        : Value(LLVM::BitcastOp::create(b, op.getLoc(), lowered, adaptor.getIn())));
    return success();
  }
};

/// A number of such a format as an f32.
Value asF32(OpBuilder &b, Location loc, Type type, Value lowered) {
  Bits f(b, loc, type);
  constexpr uint32_t kept = ~((uint32_t(1) << tf32LowBits) - 1);
  if (isTf32(type))
    return f.asFloat(f.andWith(lowered, kept));
  return widened(f, lowered, cast<FloatType>(getElementTypeOrSelf(type)).getFloatSemantics());
}

Value constantIndex(OpBuilder &b, Location loc, int64_t i) {
  return LLVM::ConstantOp::create(b, loc, b.getI32IntegerAttr(int32_t(i)));
}

/// Numbers of 8 bits as f16, which represents all of them: two at a time, a single one with a zero.
Value inPairs(OpBuilder &b, Location loc, Type from, Value codes) {
  auto vector = dyn_cast<VectorType>(codes.getType());
  int64_t count = vector ? vector.getNumElements() : 1;
  auto element = [&](Value of, int64_t i) -> Value {
    return LLVM::ExtractElementOp::create(b, loc, of, constantIndex(b, loc, i));
  };
  auto insert = [&](Value into, Value x, int64_t i) -> Value {
    return LLVM::InsertElementOp::create(b, loc, into, x, constantIndex(b, loc, i));
  };
  auto pairOfCodes = VectorType::get({2}, b.getI8Type()),
       pairOfNumbers = VectorType::get({2}, b.getF16Type());
  Value all;
  if (vector)
    all = LLVM::PoisonOp::create(b, loc, VectorType::get({count}, b.getF16Type()));
  for (int64_t i = 0; i < count; i += 2) {
    Value pair = LLVM::ZeroOp::create(b, loc, pairOfCodes);
    for (int64_t j = 0; j < std::min<int64_t>(2, count - i); ++j)
      pair = insert(pair, vector ? element(codes, i + j) : codes, j);
    Value numbers = NVVM::ConvertF8x2ToF16x2Op::create(b, loc, pairOfNumbers, pair, /*relu=*/false,
                                                       getElementTypeOrSelf(from));
    if (!vector)
      return element(numbers, 0);
    for (int64_t j = 0; j < std::min<int64_t>(2, count - i); ++j)
      all = insert(all, element(numbers, j), i + j);
  }
  return all;
}

/// Likewise f32 to numbers of 8 bits, to nearest and at most the largest number.
Value narrowedInPairs(OpBuilder &b, Location loc, Type to, Value numbers, Type codes) {
  auto vector = dyn_cast<VectorType>(codes);
  const int64_t count = vector ? vector.getNumElements() : 1;
  auto pairOfCodes = VectorType::get({2}, b.getI8Type());
  Value zero = LLVM::ZeroOp::create(b, loc, b.getF32Type());
  auto number = [&](int64_t i) -> Value {
    if (i >= count)
      return zero;
    return vector ? Value(LLVM::ExtractElementOp::create(b, loc, numbers, constantIndex(b, loc, i)))
                  : numbers;
  };
  Value all = vector ? Value(LLVM::PoisonOp::create(b, loc, codes)) : Value();
  for (int64_t i = 0; i < count; i += 2) {
    // The first operand goes to the upper half (PTX ISA, cvt).
    Value pair = NVVM::ConvertF32x2ToF8x2Op::create(
        b, loc, pairOfCodes, number(i + 1), number(i), NVVM::FPRoundingMode::RN,
        NVVM::SaturationMode::SATFINITE, /*relu=*/false, getElementTypeOrSelf(to));
    for (int64_t j = 0; j < std::min<int64_t>(2, count - i); ++j) {
      Value code = LLVM::ExtractElementOp::create(b, loc, pair, constantIndex(b, loc, j));
      if (!vector)
        return code;
      all = LLVM::InsertElementOp::create(b, loc, all, code, constantIndex(b, loc, i + j));
    }
  }
  return all;
}

struct ExtFLowering final : OpConversionPattern<arith::ExtFOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(arith::ExtFOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    Location loc = op.getLoc();
    Type from = op.getIn().getType(), to = op.getType();
    Bits f(b, loc, to);
    Type element = getElementTypeOrSelf(to);
    if (convertsInPairs(op, from) && !isForeign(to)) {
      Value halves = inPairs(b, loc, from, adaptor.getIn());
      if (element.isF16()) {
        b.replaceOp(op, halves);
        return success();
      }
      Value number = arith::ExtFOp::create(b, loc, element.isF64() ? to : f.f32, halves);
      if (element.isF32() || element.isF64())
        b.replaceOp(op, number);
      else
        b.replaceOpWithNewOp<arith::TruncFOp>(op, to, number);
      return success();
    }
    Value number = isForeign(from) ? asF32(b, loc, from, adaptor.getIn())
                                   : Value(arith::ExtFOp::create(b, loc, f.f32, op.getIn()));
    if (isTf32(to))
      b.replaceOp(op, f.asBits(number)); // which has all numbers of narrower formats
    else if (isForeign(to))
      return op.emitOpError() << "from " << from << " to " << to
                              << " is not lowered: convert to f32 and from there";
    else if (element.isF32())
      b.replaceOp(op, number);
    else if (element.isF64())
      b.replaceOpWithNewOp<arith::ExtFOp>(op, to, number);
    else
      b.replaceOpWithNewOp<arith::TruncFOp>(op, to, number);
    return success();
  }
};

/// How cvt says a rounding mode of PTX's own types; empty where it has none. Source: PTX ISA, cvt
/// (to bf16: .rn and .rz only; ties away from zero: none of these).
StringRef cvtRounding(arith::RoundingMode mode, Type from, Type to) {
  const bool both = (from.isF32() || from.isF64()) && (to.isF16() || (from.isF64() && to.isF32()));
  if (mode == arith::RoundingMode::toward_zero && (both || (from.isF32() && to.isBF16())))
    return "rz";
  if (both && mode == arith::RoundingMode::downward)
    return "rm";
  return both && mode == arith::RoundingMode::upward ? "rp" : "";
}

/// One number by cvt. LLVM's own conversions are to nearest even, whatever they are told.
Value converted(OpBuilder &b, Location loc, Value x, Type to, StringRef rounding) {
  const Type from = x.getType(), held = to.isF32() ? to : b.getI16Type();
  const std::string name = to.isF32() ? "f32" : to.isF16() ? "f16" : "bf16";
  const std::string text =
      ("cvt." + rounding + "." + name + (from.isF64() ? ".f64" : ".f32") + " $0, $1;").str();
  Value made =
      inlinePtx(b, loc, text, std::string(to.isF32() ? "=f" : "=h") + (from.isF64() ? ",d" : ",f"),
                x, held)
          .getResult(0);
  return held == to ? made : Value(LLVM::BitcastOp::create(b, loc, to, made));
}

struct TruncFLowering final : OpConversionPattern<arith::TruncFOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(arith::TruncFOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    Location loc = op.getLoc();
    Type from = op.getIn().getType(), to = op.getType();
    const bool nearest = !roundsOtherwise(op);
    Type element = getElementTypeOrSelf(from);
    if (isTf32(to) && element.isF32() && nearest) {
      b.replaceOp(op, rounded(Bits(b, loc, to), op.getIn()));
      return success();
    }
    const bool narrows =
        isa<Float8E4M3FNType, Float8E5M2Type, Float6E2M3FNType, Float6E3M2FNType, Float4E2M1FNType>(
            getElementTypeOrSelf(to));
    if (narrows && nearest && !element.isF64()) {
      Bits f(b, loc, to);
      Value number = isForeign(from)   ? asF32(b, loc, from, adaptor.getIn())
                     : element.isF32() ? op.getIn()
                                       : Value(arith::ExtFOp::create(b, loc, f.f32, op.getIn()));
      Type code = getTypeConverter()->convertType(to);
      b.replaceOp(op, convertsInPairs(op, to)
                          ? narrowedInPairs(b, loc, to, number, code)
                          : narrowed(f, number,
                                     cast<FloatType>(getElementTypeOrSelf(to)).getFloatSemantics(),
                                     code));
      return success();
    }
    if (isForeign(to))
      return op.emitOpError() << "from " << from << " to " << to
                              << (nearest ? "" : " in this rounding mode")
                              << " is not lowered: tf32 is rounded from f32, and e4m3, e5m2, e2m3, "
                                 "e3m2 and e2m1 from f32, f16 or bf16, to nearest even";
    if (nearest) {
      b.replaceOpWithNewOp<arith::TruncFOp>(op, to, asF32(b, loc, from, adaptor.getIn()),
                                            op.getRoundingmodeAttr(), op.getFastmathAttr());
      return success();
    }
    const StringRef rounding =
        cvtRounding(*op.getRoundingmode(), element, getElementTypeOrSelf(to));
    auto vector = dyn_cast<VectorType>(to);
    if (rounding.empty() || (vector && (vector.isScalable() || vector.getRank() != 1)))
      return op.emitOpError() << "from " << from << " to " << to
                              << " in this rounding mode is not lowered: PTX rounds f32 and f64 to "
                                 "f16, and f64 to f32, to zero, down and up, and f32 to bf16 to "
                                 "zero";
    if (!vector) {
      b.replaceOp(op, converted(b, loc, op.getIn(), to, rounding));
      return success();
    }
    SmallVector<Value> numbers;
    for (int64_t i = 0; i < vector.getNumElements(); ++i)
      numbers.push_back(converted(b, loc, vector::ExtractOp::create(b, loc, op.getIn(), i),
                                  vector.getElementType(), rounding));
    b.replaceOpWithNewOp<vector::FromElementsOp>(op, vector, numbers);
    return success();
  }
};

constexpr BankRow rows[] = {
    {"FloatConstantLowering", addPattern<ConstantLowering>},
    {"FloatBitcastLowering", addPattern<BitcastLowering>},
    {"FloatExtFLowering", addPattern<ExtFLowering>},
    {"FloatTruncFLowering", addPattern<TruncFLowering>},
};
} // namespace

ArrayRef<BankRow> floatBank() { return rows; }

bool roundsOtherwise(Operation *op) {
  auto narrows = dyn_cast<arith::TruncFOp>(op);
  return narrows && narrows.getRoundingmode().value_or(arith::RoundingMode::to_nearest_even) !=
                        arith::RoundingMode::to_nearest_even;
}

bool hasForeignFloats(Operation *op) {
  return llvm::any_of(op->getOperandTypes(), isForeign) ||
         llvm::any_of(op->getResultTypes(), isForeign);
}

} // namespace tessera::lower
