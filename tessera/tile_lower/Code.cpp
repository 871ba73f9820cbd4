// Scalar instructions, branches and loops.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/tile_lower/Code.h"

using namespace mlir;

namespace tessera::tile_lower {

Value Numbers::integer(Type type, uint64_t value) {
  APInt bits(type.getIntOrFloatBitWidth(), value, /*isSigned=*/false, /*implicitTrunc=*/true);
  return make<arith::ConstantOp>(b.getIntegerAttr(type, bits));
}

Value Numbers::real(Type type, double value) {
  return make<arith::ConstantOp>(b.getFloatAttr(type, value));
}

Value Numbers::resize(Value x, Type to, bool isSigned) {
  unsigned from = bitsOf(x.getType()), wanted = bitsOf(to);
  if (from == wanted)
    return x;
  if (from > wanted)
    return make<arith::TruncIOp>(to, x);
  if (isSigned)
    return make<arith::ExtSIOp>(to, x);
  return make<arith::ExtUIOp>(to, x);
}

Value Numbers::bitcast(Value x, Type to) {
  return x.getType() == to ? x : Value(make<arith::BitcastOp>(to, x));
}

Value Arithmetic::combination(Value number, ArrayRef<int64_t> masks) {
  Value out;
  for (size_t i = 0; i < masks.size();) {
    // A run of masks that double is one product, as long as nothing is carried.
    size_t end = i + 1;
    auto carries = [&](size_t length) {
      for (int64_t rest = masks[i]; rest & (rest - 1); rest &= rest - 1)
        if (((rest & (rest - 1)) & -(rest & (rest - 1))) >> length < (rest & -rest))
          return true;
      return false;
    };
    while (masks[i] && end < masks.size() && masks[end] == masks[end - 1] * 2 &&
           !carries(end - i + 1))
      ++end;
    if (masks[i]) {
      Value piece = andi(i ? shr(number, int64_t(i)) : number, (int64_t(1) << (end - i)) - 1);
      piece = mul(piece, masks[i]);
      out = out ? xori(out, piece) : piece;
    }
    i = end;
  }
  return out ? out : int32(0);
}

LLVM::InlineAsmOp Code::assembly(StringRef text, StringRef constraints, TypeRange results,
                                 ValueRange operands, bool hasEffects) {
  return make<LLVM::InlineAsmOp>(results, operands, text, constraints, hasEffects, false,
                                 LLVM::TailCallKind::None, LLVM::AsmDialectAttr(), ArrayAttr());
}

SmallVector<Value> Code::memoryPtx(StringRef text, StringRef constraints, ValueRange operands,
                                   int64_t words) {
  SmallVector<Type> types(size_t(words), i32);
  SmallVector<Type> results;
  if (words == 1)
    results = {i32};
  else if (words > 1)
    results = {LLVM::LLVMStructType::getLiteral(b.getContext(), types)};
  auto code = assembly(text, constraints, results, operands, /*hasEffects=*/true);
  SmallVector<Value> out;
  if (words == 1)
    out.push_back(code.getResult(0));
  for (int64_t i = 0; words > 1 && i < words; ++i)
    out.push_back(make<LLVM::ExtractValueOp>(code.getResult(0), ArrayRef<int64_t>{i}));
  return out;
}

Value Code::ptx(StringRef text, StringRef constraints, Type result, ValueRange operands) {
  return assembly(text, constraints, result, operands, /*hasEffects=*/false).getResult(0);
}

void Code::effect(StringRef text) { assembly(text, "", {}, {}, /*hasEffects=*/true); }

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
