// Conversions: between integers, floating-point numbers, pointers, and bits.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/tile_lower/Rows.h"

#include <cmath>

using namespace mlir;
using namespace tessera::cuda_tile;

namespace tessera::tile_lower {

namespace {

using Operands = ArrayRef<Value>;

Type fromOf(Operation *op) { return elementOf(op->getOperand(0).getType()); }
Type toOf(Operation *op) { return elementOf(op->getResult(0).getType()); }

//===--- Integers. A held i4 has its high bits zero.

Value extend(Code &c, Operation *op, Operands x) {
  bool isSigned = cast<ExtIOp>(op).getSignedness() == Signedness::Signed;
  Value value = x[0];
  if (fromOf(op).isInteger(4) && isSigned)
    value = c.sub(c.xori(value, 8), 8);
  value = c.resize(value, heldType(toOf(op)), isSigned);
  return toOf(op).isInteger(4) ? c.andi(value, 15) : value;
}
Value truncate(Code &c, Operation *op, Operands x) {
  Value low = c.resize(x[0], heldType(toOf(op)), false);
  return toOf(op).isInteger(4) ? c.andi(low, 15) : low;
}

//===--- Floating-point numbers

Value floatToFloat(Code &c, Operation *op, Operands x) {
  auto rounding = [&] {
    switch (cast<FToFOp>(op).getRoundingMode()) {
    case RoundingMode::Zero: return number::Rounding::Zero;
    case RoundingMode::NegativeInf: return number::Rounding::Down;
    case RoundingMode::PositiveInf: return number::Rounding::Up;
    case RoundingMode::NearestAway: return number::Rounding::NearestAway;
    default: return number::Rounding::NearestEven;
    }
  }();
  return narrowed(c, widened(c, fromOf(op), x[0]), toOf(op), rounding);
}

/// A conversion to unsigned i1, which is how cuTile Python writes one to bool, yields 1 for
/// everything but zero (tile_eval/Conversions.cpp says why).
Value floatToInteger(Code &c, Operation *op, Operands x) {
  auto convert = cast<FToIOp>(op);
  bool isSigned = convert.getSignedness() == Signedness::Signed;
  unsigned bits = Code::bitsOf(toOf(op));
  Value number = widened(c, fromOf(op), x[0]);
  using Predicate = arith::CmpFPredicate;
  if (bits == 1 && !isSigned)
    return c.compareReal(Predicate::UNE, number, c.real(number.getType(), 0));
  // Narrow integers are converted through i32, which holds them all.
  Type wide = c.intOf(std::max(bits, 32u));
  auto converted = [&](Value v) {
    Value whole = isSigned || bits < 32 ? Value(c.make<arith::FPToSIOp>(wide, v))
                                        : Value(c.make<arith::FPToUIOp>(wide, v));
    return c.resize(whole, toOf(op), false);
  };
  if (!convert.getSaturating())
    return converted(number);
  // Both bounds are exact. Types without such large numbers reach them with infinity only.
  Type type = number.getType();
  double above = std::ldexp(1.0, int(bits) - isSigned), least = isSigned ? -above : 0;
  Value isAbove = c.compareReal(Predicate::OGE, number, c.real(type, above));
  Value isBelow = c.compareReal(Predicate::OLT, number, c.real(type, least));
  Value isNan = c.compareReal(Predicate::UNO, number, number);
  Value outside = c.ori(c.ori(isAbove, isBelow), isNan);
  Value inside = converted(c.select(outside, c.real(type, 0), number));
  uint64_t ones = bits < 64 ? (uint64_t(1) << bits) - 1 : ~uint64_t(0);
  uint64_t largest = isSigned ? ones >> 1 : ones;
  Value out = c.select(isAbove, c.integer(toOf(op), largest), inside);
  return c.select(isBelow, c.integer(toOf(op), isSigned ? largest + 1 : 0), out);
}

Value integerToFloat(Code &c, Operation *op, Operands x) {
  bool isSigned = cast<IToFOp>(op).getSignedness() == Signedness::Signed;
  Type to = toOf(op);
  Value whole = x[0];
  unsigned bits = Code::bitsOf(whole.getType());
  if (bits < 32)
    whole = c.resize(whole, c.i32, isSigned);
  auto converted = [&](Type type, Value v) {
    return isSigned ? Value(c.make<arith::SIToFPOp>(type, v))
                    : Value(c.make<arith::UIToFPOp>(type, v));
  };
  if (to.isF64() || to.isF32())
    return converted(to, whole);
  // Rounded once in total. f64 has all integers of 53 bits. In longer ones the low 11 bits are
  // replaced by a sticky bit above them: f64 has that integer, and the sticky bit is below all bits
  // that narrower types keep.
  if (bits == 64) {
    constexpr int64_t low = 0x7ff;
    Value magnitude = whole, isNegative = c.integer(c.i1, 0);
    if (isSigned) {
      isNegative = c.compare(arith::CmpIPredicate::slt, whole, 0);
      magnitude = c.select(isNegative, c.sub(c.int64(0), whole), whole);
    }
    Value isLong = c.above(magnitude, (int64_t(1) << 53) - 1);
    Value isInexact = c.differ(c.andi(magnitude, low), 0);
    Value sticky = c.select(isInexact, c.int64(low + 1), c.int64(0));
    Value cut = c.ori(c.andi(magnitude, ~low), sticky);
    Value kept = c.select(isLong, cut, magnitude);
    Value number = c.make<arith::UIToFPOp>(c.f64, kept);
    return narrowed(c, c.select(isNegative, c.make<arith::NegFOp>(number), number), to);
  }
  return narrowed(c, converted(c.f64, whole), to);
}

//===--- Bits

Value sameBits(Code &c, Operation *op, Operands x) {
  Type to = heldType(toOf(op));
  // Formats of 4 and 8 bits are all held as i8, so there may be nothing to do.
  return x[0].getType() == to ? x[0] : c.bitcast(x[0], to);
}
Value same(Code &, Operation *, Operands x) { return x[0]; }

/// Elements as bits in a row, little-endian, and back. Shared memory has the bytes of one side, and
/// each thread reads what its elements are made of.
LogicalResult repack(Kernel &k, Operation *op) {
  Type from = fromOf(op), to = toOf(op);
  const ThreadTile source = k.tile(op->getOperand(0));
  int64_t count = countOf(op->getResult(0).getType());
  auto bits = [](Type element) {
    return element.isInteger(1) ? 1 : isFourBits(element) ? 4 : 8 * memoryBytes(element);
  };
  auto codeOf = [&](Value held) { return k.resize(k.bitsOf(held), k.i64, false); };
  ThreadTile out = k.newTile(to, count);
  auto setCode = [&](const Slot &slot, Value code) {
    Type held = heldType(to);
    Value narrow = k.resize(code, k.intOf(Code::bitsOf(held)), false);
    k.set(out, slot, k.bitcast(narrow, held));
  };
  if (bits(from) >= bits(to)) {
    // A part of one element.
    int64_t parts = bits(from) / bits(to);
    ThreadTile whole =
        k.movedTo(source, count, [&](const Slot &slot) { return k.udiv(slot.element, parts); });
    k.forSlots(count, [&](const Slot &slot) {
      Value shift = k.mul(k.urem(slot.element, parts), bits(to));
      Value code = k.shr(codeOf(k.get(whole, slot)), k.resize(shift, k.i64, false));
      if (bits(to) < 64)
        code = k.andi(code, (int64_t(1) << bits(to)) - 1);
      setCode(slot, code);
    });
  } else {
    // Several elements together.
    int64_t parts = bits(to) / bits(from);
    SmallVector<ThreadTile> pieces;
    for (int64_t part = 0; part < parts; ++part)
      pieces.push_back(k.movedTo(source, count, [&](const Slot &slot) {
        return k.add(k.mul(slot.element, parts), part);
      }));
    k.forSlots(count, [&](const Slot &slot) {
      Value code = k.int64(0);
      for (int64_t part = 0; part < parts; ++part)
        code = k.ori(code, k.shl(codeOf(k.get(pieces[size_t(part)], slot)), part * bits(from)));
      setCode(slot, code);
    });
  }
  k.define(op->getResult(0), std::move(out));
  return success();
}

constexpr Row rows[] = {
    {"exti", extend},          {"trunci", truncate},        {"ftof", floatToFloat},
    {"ftoi", floatToInteger},  {"itof", integerToFloat},    {"bitcast", sameBits},
    {"int_to_ptr", same},      {"ptr_to_int", same},        {"ptr_to_ptr", same},
    {"pack", nullptr, repack}, {"unpack", nullptr, repack},
};

} // namespace

ArrayRef<Row> conversionRows() { return rows; }

} // namespace tessera::tile_lower
