// Scalar instructions, branches and loops.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/tile_lower/Code.h"

using namespace mlir;

namespace tessera::tile_lower {

Value Code::integer(Type type, uint64_t value) {
  APInt bits(type.getIntOrFloatBitWidth(), value, /*isSigned=*/false, /*implicitTrunc=*/true);
  return make<arith::ConstantOp>(b.getIntegerAttr(type, bits));
}

Value Code::real(Type type, double value) {
  return make<arith::ConstantOp>(b.getFloatAttr(type, value));
}

Value Code::resize(Value x, Type to, bool isSigned) {
  unsigned from = bitsOf(x.getType()), wanted = bitsOf(to);
  if (from == wanted)
    return x;
  if (from > wanted)
    return make<arith::TruncIOp>(to, x);
  if (isSigned)
    return make<arith::ExtSIOp>(to, x);
  return make<arith::ExtUIOp>(to, x);
}

Value Code::bitcast(Value x, Type to) {
  return x.getType() == to ? x : Value(make<arith::BitcastOp>(to, x));
}

Value Code::ptx(StringRef text, StringRef constraints, Type result, ValueRange operands) {
  return make<LLVM::InlineAsmOp>(result, operands, text, constraints, /*has_side_effects=*/false,
                                 false, LLVM::TailCallKind::None, LLVM::AsmDialectAttr(),
                                 ArrayAttr())
      .getResult(0);
}

void Code::effect(StringRef text) {
  make<LLVM::InlineAsmOp>(TypeRange(), ValueRange(), text, "", /*has_side_effects=*/true, false,
                          LLVM::TailCallKind::None, LLVM::AsmDialectAttr(), ArrayAttr());
}

Block *Code::newBlock(TypeRange arguments) {
  OpBuilder::InsertionGuard guard(b);
  SmallVector<Location> places(arguments.size(), loc);
  Region *region = b.getInsertionBlock()->getParent();
  return b.createBlock(region, region->end(), arguments, places);
}

void Code::when(Value condition, function_ref<void()> then) {
  if (!condition)
    return then();
  Block *inside = newBlock(), *after = newBlock();
  branchIf(condition, inside, after);
  goTo(inside);
  then();
  branch(after);
  goTo(after);
}

Value Code::valueWhen(Value condition, Value otherwise, function_ref<Value()> then) {
  if (!condition)
    return then();
  Block *inside = newBlock(), *after = newBlock(otherwise.getType());
  make<cf::CondBranchOp>(condition, inside, ValueRange(), after, ValueRange(otherwise));
  goTo(inside);
  branch(after, then());
  goTo(after);
  return after->getArgument(0);
}

void Code::repeat(int64_t count, function_ref<void(Value)> body) {
  Block *head = newBlock(i32), *inside = newBlock(), *after = newBlock();
  branch(head, int32(0));
  goTo(head);
  Value i = head->getArgument(0);
  branchIf(below(i, count), inside, after);
  goTo(inside);
  body(i);
  branch(head, add(i, 1));
  goTo(after);
}

} // namespace tessera::tile_lower
