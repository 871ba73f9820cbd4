// Code: scalar instructions, one call each, at a place in a kernel that is being made.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Builders.h"

namespace tessera::tile_lower {

using mlir::Type;
using mlir::Value;

class Code {
public:
  explicit Code(mlir::MLIRContext *context)
      : b(context), loc(mlir::UnknownLoc::get(context)), i1(b.getI1Type()), i8(b.getI8Type()),
        i16(b.getI16Type()), i32(b.getI32Type()), i64(b.getI64Type()), f32(b.getF32Type()),
        f64(b.getF64Type()) {}

  mlir::OpBuilder b;
  mlir::Location loc;
  const Type i1, i8, i16, i32, i64, f32, f64;

  template <class Op, class... Arguments> auto make(Arguments &&...arguments) {
    return Op::create(b, loc, std::forward<Arguments>(arguments)...);
  }

  //===--- Numbers

  /// The low bits of `value` as a constant of an integer type.
  Value integer(Type type, uint64_t value);
  Value int32(int64_t value) { return integer(i32, uint64_t(value)); }
  Value int64(int64_t value) { return integer(i64, uint64_t(value)); }
  Value real(Type type, double value);
  static unsigned bitsOf(Type type) { return type.getIntOrFloatBitWidth(); }
  Type intOf(unsigned bits) { return b.getIntegerType(bits); }

  //===--- Integer arithmetic; the second form takes a number for the right operand

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

  //===--- Other widths

  /// An integer as one of another width: its low bits, or extended with zeros or its sign.
  Value resize(Value x, Type to, bool isSigned);
  Value bitcast(Value x, Type to);
  /// The bits of a number as an integer of its width.
  Value bitsOf(Value x) { return bitcast(x, intOf(bitsOf(x.getType()))); }

  /// The exclusive or of masks[i] over the bits i that are one in an i32.
  Value combination(Value number, llvm::ArrayRef<int64_t> masks);

  //===--- PTX

  /// Instructions of inline PTX; operands are $1, $2, ... Those with effects stay where they are.
  mlir::LLVM::InlineAsmOp assembly(llvm::StringRef text, llvm::StringRef constraints,
                                   mlir::TypeRange results, mlir::ValueRange operands,
                                   bool hasEffects);
  /// One instruction without side effects.
  Value ptx(llvm::StringRef text, llvm::StringRef constraints, Type result,
            mlir::ValueRange operands);

  /// Instructions that read or write memory, with `words` results of 32 bits.
  llvm::SmallVector<Value> memoryPtx(llvm::StringRef text, llvm::StringRef constraints,
                                     mlir::ValueRange operands, int64_t words);
  /// An instruction that has neither operands nor a result.
  void effect(llvm::StringRef text);

  //===--- Blocks

  /// A new block after the current one, with arguments of these types; the place stays.
  mlir::Block *newBlock(mlir::TypeRange arguments = {});
  void goTo(mlir::Block *block) { b.setInsertionPointToEnd(block); }
  void branch(mlir::Block *to, mlir::ValueRange values = {}) {
    make<mlir::cf::BranchOp>(to, values);
  }
  void branchIf(Value condition, mlir::Block *yes, mlir::Block *no) {
    make<mlir::cf::CondBranchOp>(condition, yes, no);
  }
  /// Runs code where a condition holds; always, without a branch, if it is null.
  void when(Value condition, llvm::function_ref<void()> then);
  /// What `then` gives where the condition holds, else another value. A null condition holds.
  Value valueWhen(Value condition, Value otherwise, llvm::function_ref<Value()> then);
  /// A loop: i = 0, 1, ... below `count`.
  void repeat(int64_t count, llvm::function_ref<void(Value i)> body);
};

} // namespace tessera::tile_lower
