// Registers, memory, and conversions between formats of floating-point numbers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conversions that a target has no instruction for are computed with integers, the same on all
// targets: the rounding of number/Code.cpp as code, and tables of the numbers of formats of 8 bits
// and fewer.
#include "tessera/tile_lower/Elements.h"

#include "tessera/base/Result.h"
#include "tessera/cuda_tile/CudaTile.h"
#include "tessera/number/E5M3.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/TypeSwitch.h"

#include <limits>

using namespace mlir;

namespace tessera::tile_lower {

using number::Floating;
using number::Rounding;

bool isPointer(Type element) { return isa<cuda_tile::PointerType>(element); }
bool isBaseFloat(Type element) {
  return isa<Float16Type, BFloat16Type, Float32Type, Float64Type>(element);
}
bool isFourBits(Type element) { return element.isInteger(4) || isa<Float4E2M1FNType>(element); }

Type heldType(Type element) {
  MLIRContext *context = element.getContext();
  if (isBaseFloat(element))
    return element;
  if (isa<FloatTF32Type>(element))
    return Float32Type::get(context);
  if (isPointer(element))
    return IntegerType::get(context, 64);
  if (element.isInteger() && !element.isInteger(4))
    return element;
  return IntegerType::get(context, 8);
}
Type memoryType(Type element) {
  return element.isInteger(1) ? IntegerType::get(element.getContext(), 8) : heldType(element);
}
int64_t memoryBytes(Type element) { return memoryType(element).getIntOrFloatBitWidth() / 8; }

Value toMemory(Code &code, Type element, Value held) {
  return element.isInteger(1) ? code.resize(held, code.i8, false) : held;
}
Value fromMemory(Code &code, Type element, Value loaded) {
  return element.isInteger(1) ? code.differ(loaded, 0) : loaded;
}

Floating fieldsOf(Type element) {
  if (isa<cuda_tile::Float8E5M3FNUType>(element))
    return number::e5m3;
  std::string name;
  llvm::raw_string_ostream(name) << element;
  return number::floating(number::findMlir(name).value_or(number::Format::f32));
}

namespace {

/// The table of the numbers of a format of up to 8 bits, as f32, made once in a module.
Value numbersOf(Code &code, Type element) {
  Operation *module = SymbolTable::getNearestSymbolTable(code.b.getInsertionBlock()->getParentOp());
  Floating fields = fieldsOf(element);
  std::string name = cat("tile_numbers_", fields.isSigned ? "" : "u", "e", int(fields.exponent),
                         "m", int(fields.mantissa));
  auto table = dyn_cast_or_null<LLVM::GlobalOp>(SymbolTable::lookupSymbolIn(module, name));
  if (!table) {
    SmallVector<float> numbers;
    for (uint64_t bits = 0; bits < uint64_t(1) << fields.bits(); ++bits)
      numbers.push_back(float(number::decode(fields, bits)));
    auto values = DenseElementsAttr::get(RankedTensorType::get(int64_t(numbers.size()), code.f32),
                                         ArrayRef<float>(numbers));
    OpBuilder::InsertionGuard guard(code.b);
    code.b.setInsertionPointToStart(&module->getRegion(0).front());
    table = code.make<LLVM::GlobalOp>(LLVM::LLVMArrayType::get(code.f32, unsigned(numbers.size())),
                                      /*isConstant=*/true, LLVM::Linkage::Internal, name, values,
                                      /*alignment=*/0, /*addrSpace=*/1);
  }
  return code.make<LLVM::AddressOfOp>(table);
}

/// Whether a number is rounded away from zero, given what is dropped: `rest` of `whole` bits.
Value roundsUp(Code &code, Rounding rounding, Value isNegative, Value isOdd, Value rest,
               Value half) {
  Value isInexact = code.differ(rest, 0);
  switch (rounding) {
  case Rounding::NearestAway: return code.negate(code.below(rest, half));
  case Rounding::Zero: return code.integer(code.i1, 0);
  case Rounding::Down: return code.andi(isInexact, isNegative);
  case Rounding::Up: return code.andi(isInexact, code.negate(isNegative));
  default: return code.ori(code.above(rest, half), code.andi(code.equal(rest, half), isOdd));
  }
}

/// The result for a number beyond the largest.
Value beyond(Code &code, const Floating &f, Rounding rounding, bool saturates, Value isNegative) {
  Value largest = code.int32(int64_t(f.largest()));
  if (saturates || f.top == Floating::Finite || rounding == Rounding::Zero)
    return largest;
  Value infinite = code.int32(int64_t(f.top == Floating::Ieee ? f.infinity() : f.nan()));
  if (rounding == Rounding::Down)
    return code.select(isNegative, infinite, largest);
  if (rounding == Rounding::Up)
    return code.select(isNegative, largest, infinite);
  return infinite;
}

/// The code of an f32 in a format, as i32. number::encode, whose names these are.
Value encoded(Code &code, const Floating &f, Rounding rounding, Value x) {
  constexpr int mantissa = 23, bias = 127;
  bool saturates = f.bits() <= 8;
  Value bits = code.bitsOf(x), magnitude = code.andi(bits, 0x7fffffff);
  Value isNegative = code.differ(code.shr(bits, 31), 0);
  Value exponent = code.shr(magnitude, mantissa), fraction = code.andi(magnitude, 0x7fffff);
  Value isNormal = code.differ(exponent, 0);
  Value result;
  if (f.mantissa == 0) {
    // Only powers of two, with the exponents of f32: a subnormal f32 is below the least of them
    // except 2^-127, half of the least normal number.
    Value over = code.select(isNormal, fraction, code.sub(magnitude, 0x400000));
    Value isOver = code.compare(arith::CmpIPredicate::sgt, over, 0);
    // The absolute value is rounded: __nv_cvt_float_to_e8m0 of the CUDA Math API.
    Value up = rounding == Rounding::Up ? isOver : code.integer(code.i1, 0);
    result = code.add(exponent, code.resize(up, code.i32, false));
  } else {
    int least = 1 - f.bias; // exponent of normal numbers
    Value significand =
        code.ori(fraction, code.select(isNormal, code.int32(1 << mantissa), code.int32(0)));
    Value power = code.sub(code.select(isNormal, exponent, code.int32(1)), bias);
    Value binade = code.make<arith::MaxSIOp>(power, code.int32(least));
    // A shift by 25 or more leaves nothing, and drops less than half of the least number.
    Value drop = code.add(code.sub(binade, power), mantissa - f.mantissa);
    drop = code.make<arith::MinSIOp>(drop, code.int32(25));
    Value kept = code.shr(significand, drop);
    Value one = code.int32(1);
    Value rest = code.andi(significand, code.sub(code.shl(one, drop), 1));
    Value half = code.shr(code.shl(one, drop), 1);
    Value isOdd = code.differ(code.andi(kept, 1), 0);
    Value up = roundsUp(code, rounding, isNegative, isOdd, rest, half);
    kept = code.add(kept, code.resize(up, code.i32, false));
    result = code.add(kept, code.shl(code.sub(binade, least), int64_t(f.mantissa)));
  }
  Value largest = code.int32(int64_t(f.largest()));
  result = code.select(code.above(result, largest),
                       beyond(code, f, rounding, saturates, isNegative), result);
  // The direction of rounding does not matter for infinity.
  Value isInfinite = code.equal(magnitude, 0x7f800000);
  result = code.select(isInfinite, beyond(code, f, Rounding::NearestEven, saturates, isNegative),
                       result);
  Value isNan = code.above(magnitude, 0x7f800000);
  if (f.isSigned)
    result =
        code.ori(result, code.select(isNegative, code.int32(int64_t(f.signBit())), code.int32(0)));
  else if (f.mantissa) // no numbers below zero
    isNan = code.ori(isNan, code.andi(isNegative, code.differ(magnitude, 0)));
  return code.select(isNan, code.int32(int64_t(f.nan())), result);
}

} // namespace

Value widened(Code &code, Type element, Value held) {
  if (isa<Float64Type, Float32Type, FloatTF32Type>(element))
    return held;
  if (isBaseFloat(element))
    return code.make<arith::ExtFOp>(code.f32, held);
  Value table = numbersOf(code, element);
  Value index = code.resize(held, code.i64, false);
  Value address = code.make<LLVM::GEPOp>(table.getType(), code.f32, table, ValueRange(index));
  return code.make<LLVM::LoadOp>(code.f32, address);
}

Value roundedToOdd(Code &code, Value x) {
  Value nearest = code.make<arith::TruncFOp>(code.f32, x);
  Value back = code.make<arith::ExtFOp>(code.f64, nearest);
  // An ordered comparison: it is false for a NaN, which stays as it is.
  Value isInexact = code.compareReal(arith::CmpFPredicate::ONE, back, x);
  auto magnitude = [&](Value v) { return code.andi(code.bitsOf(v), INT64_MAX); };
  Value isLarger = code.above(magnitude(back), magnitude(x));
  Value bits = code.bitsOf(nearest);
  Value truncated = code.sub(bits, code.resize(isLarger, code.i32, false));
  Value odd = code.select(isInexact, code.ori(truncated, 1), bits);
  return code.bitcast(odd, code.f32);
}

/// An f64 as f32, ties away from zero, for which there is no instruction. Half of the last bit that
/// is kept is added to the magnitude; a subnormal f32 counts steps of 2^-149.
static Value roundedAway(Code &code, Value x) {
  constexpr int dropped = 29;
  Value magnitude = code.andi(code.bitsOf(x), INT64_MAX), a = code.bitcast(magnitude, code.f64);
  Value bits = code.add(magnitude, int64_t(1) << (dropped - 1));
  bits = code.andi(bits, ~((int64_t(1) << dropped) - 1));
  Value normal = code.make<arith::TruncFOp>(code.f32, code.bitcast(bits, code.f64));
  Value isSmall = code.compareReal(arith::CmpFPredicate::OLT, a, code.real(code.f64, 0x1p-126));
  Value steps = code.select(isSmall, a, code.real(code.f64, 0));
  steps = code.make<arith::MulFOp>(steps, code.real(code.f64, 0x1p149));
  Value whole = code.make<math::FloorOp>(steps);
  Value rest = code.make<arith::SubFOp>(steps, whole); // exact
  Value up = code.compareReal(arith::CmpFPredicate::OGE, rest, code.real(code.f64, 0.5));
  Value count =
      code.add(code.make<arith::FPToSIOp>(code.i32, whole), code.resize(up, code.i32, false));
  Value out = code.select(isSmall, code.bitcast(count, code.f32), normal);
  Value sign = code.resize(code.shr(code.bitsOf(x), 63), code.i32, false);
  out = code.bitcast(code.ori(code.bitsOf(out), code.shl(sign, 31)), code.f32);
  Value isNan = code.compareReal(arith::CmpFPredicate::UNO, x, x);
  return code.select(isNan, code.real(code.f32, std::numeric_limits<double>::quiet_NaN()), out);
}

Value narrowed(Code &code, Value number, Type element, Rounding rounding) {
  bool isNearest = rounding == Rounding::NearestEven;
  bool isWide = number.getType().isF64();
  if (element.isF64())
    return isWide ? number : Value(code.make<arith::ExtFOp>(code.f64, number));
  if (element.isF32()) {
    if (!isWide)
      return number;
    if (isNearest)
      return code.make<arith::TruncFOp>(code.f32, number);
    if (rounding == Rounding::NearestAway)
      return roundedAway(code, number);
    std::string_view mode = rounding == Rounding::Zero   ? "rz"
                            : rounding == Rounding::Down ? "rm"
                                                         : "rp";
    return code.ptx(cat("cvt.", mode, ".f32.f64 $0, $1;"), "=f,d", code.f32, number);
  }
  if (isWide)
    number = roundedToOdd(code, number);
  if (isNearest && isBaseFloat(element))
    return code.make<arith::TruncFOp>(element, number);
  if (isNearest && isa<FloatTF32Type>(element)) {
    if (code.roundsToTf32)
      return code.bitcast(code.ptx("cvt.rn.tf32.f32 $0, $1;", "=r,f", code.i32, number), code.f32);
    // Before the 13 low bits are cut off, half of the last kept bit is added, or one less if that
    // bit is even, so that ties go to even. The carry may lead to infinity.
    Value code32 = code.bitsOf(number), last = code.andi(code.shr(code32, 13), 1);
    Value rounded = code.andi(code.add(code.add(code32, 0xfff), last), ~int64_t(0x1fff));
    Value isNan = code.compareReal(arith::CmpFPredicate::UNO, number, number);
    Value nan = code.int32(int64_t(fieldsOf(element).nan() << 13));
    return code.bitcast(code.select(isNan, nan, rounded), code.f32);
  }
  Floating fields = fieldsOf(element);
  Value bits = encoded(code, fields, rounding, number);
  if (isa<FloatTF32Type>(element))
    return code.bitcast(code.shl(bits, 13), code.f32);
  if (isBaseFloat(element))
    return code.bitcast(code.resize(bits, code.i16, false), element);
  return code.resize(bits, code.i8, false);
}

} // namespace tessera::tile_lower
