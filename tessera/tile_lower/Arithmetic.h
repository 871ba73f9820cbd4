// Arithmetic: constants and scalar instructions, one call each, at a place in a kernel.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"

namespace tessera::tile_lower {

using mlir::Type;
using mlir::Value;

/// The place, constants, and conversions of numbers to other widths.
class Numbers {
public:
  explicit Numbers(mlir::MLIRContext *context)
      : b(context), loc(mlir::UnknownLoc::get(context)), i1(b.getI1Type()), i8(b.getI8Type()),
        i16(b.getI16Type()), i32(b.getI32Type()), i64(b.getI64Type()), f32(b.getF32Type()),
        f64(b.getF64Type()) {}

  mlir::OpBuilder b;
  mlir::Location loc;
  const Type i1, i8, i16, i32, i64, f32, f64;

  template <class Op, class... Arguments> auto make(Arguments &&...arguments) {
    return Op::create(b, loc, std::forward<Arguments>(arguments)...);
  }

  /// The low bits of `value`, as a constant of an integer type.
  Value integer(Type type, uint64_t value);
  Value int32(int64_t value) { return integer(i32, uint64_t(value)); }
  Value int64(int64_t value) { return integer(i64, uint64_t(value)); }
  Value real(Type type, double value);
  static unsigned bitsOf(Type type) { return type.getIntOrFloatBitWidth(); }
  Type intOf(unsigned bits) { return b.getIntegerType(bits); }

  /// An integer in another width: truncated, or extended with zeros or its sign.
  Value resize(Value x, Type to, bool isSigned);
  Value bitcast(Value x, Type to);
  /// The bits of a number as an integer of its width.
  Value bitsOf(Value x) { return bitcast(x, intOf(bitsOf(x.getType()))); }
};

/// Instructions on numbers. Overloads take a constant as right operand.
class Arithmetic : public Numbers {
public:
  using Numbers::Numbers;

  template <class Op> Value binary(Value x, Value y) { return Op::create(b, loc, x, y); }
  template <class Op> Value binary(Value x, int64_t y) {
    return Op::create(b, loc, x, integer(x.getType(), uint64_t(y)));
  }
  template <class Y> Value add(Value x, Y y) { return binary<mlir::arith::AddIOp>(x, y); }
  template <class Y> Value sub(Value x, Y y) { return binary<mlir::arith::SubIOp>(x, y); }
  template <class Y> Value mul(Value x, Y y) { return binary<mlir::arith::MulIOp>(x, y); }
  template <class Y> Value udiv(Value x, Y y) { return binary<mlir::arith::DivUIOp>(x, y); }
  template <class Y> Value urem(Value x, Y y) { return binary<mlir::arith::RemUIOp>(x, y); }
  template <class Y> Value andi(Value x, Y y) { return binary<mlir::arith::AndIOp>(x, y); }
  template <class Y> Value ori(Value x, Y y) { return binary<mlir::arith::OrIOp>(x, y); }
  template <class Y> Value xori(Value x, Y y) { return binary<mlir::arith::XOrIOp>(x, y); }
  template <class Y> Value shl(Value x, Y y) { return binary<mlir::arith::ShLIOp>(x, y); }
  template <class Y> Value shr(Value x, Y y) { return binary<mlir::arith::ShRUIOp>(x, y); }

  template <class Y> Value compare(mlir::arith::CmpIPredicate predicate, Value x, Y y) {
    if constexpr (std::is_convertible_v<Y, Value>)
      return mlir::arith::CmpIOp::create(b, loc, predicate, x, y);
    else
      return mlir::arith::CmpIOp::create(b, loc, predicate, x,
                                         integer(x.getType(), uint64_t(int64_t(y))));
  }
  template <class Y> Value equal(Value x, Y y) {
    return compare(mlir::arith::CmpIPredicate::eq, x, y);
  }
  template <class Y> Value differ(Value x, Y y) {
    return compare(mlir::arith::CmpIPredicate::ne, x, y);
  }
  template <class Y> Value below(Value x, Y y) { // unsigned
    return compare(mlir::arith::CmpIPredicate::ult, x, y);
  }
  template <class Y> Value above(Value x, Y y) { // unsigned
    return compare(mlir::arith::CmpIPredicate::ugt, x, y);
  }
  Value compareReal(mlir::arith::CmpFPredicate predicate, Value x, Value y) {
    return mlir::arith::CmpFOp::create(b, loc, predicate, x, y);
  }
  Value select(Value condition, Value yes, Value no) {
    return mlir::arith::SelectOp::create(b, loc, condition, yes, no);
  }
  Value negate(Value condition) { return xori(condition, integer(i1, 1)); }

  /// The exclusive or of masks[i] over all bits i that are set in `number`, an i32.
  Value combination(Value number, llvm::ArrayRef<int64_t> masks);
};

} // namespace tessera::tile_lower
