// A row's instruction on registers: NVVM op, intrinsic or inline PTX.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/lower/WarpMmaToNVVM.h"

#include "tessera/lower/InlinePtx.h"
#include "tessera/lower/LoweredTypes.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace tessera;

namespace tessera::lower {

namespace {
std::optional<NVVM::MMATypes> nvvmType(atom::Element element) {
  // NVVM's names are PTX's.
  return NVVM::symbolizeMMATypes(StringRef(atom::ptxName(element)));
}

/// One register stands alone, several are a struct.
Type resultType(OpBuilder &b, ValueRange c) {
  if (c.size() == 1)
    return c.front().getType();
  return LLVM::LLVMStructType::getLiteral(b.getContext(), SmallVector<Type>(c.getTypes()));
}

Value selectorOf(OpBuilder &b, Location loc, const WarpMma &mma) {
  return LLVM::ConstantOp::create(b, loc, b.getI32Type(), b.getI32IntegerAttr(mma.selector));
}

Value nvvmOp(OpBuilder &b, Location loc, const WarpMma &mma) {
  const atom::MmaRow &row = mma.row;
  int64_t shape[] = {row.m.first, row.n.first, row.k};
  std::optional<NVVM::MMAIntOverflow> overflow;
  if (row.d.element == atom::Element::s32 && row.a.element != atom::Element::b1)
    overflow = row.overflow == atom::Overflow::Wrapped ? NVVM::MMAIntOverflow::wrapped
                                                       : NVVM::MMAIntOverflow::satfinite;
  std::optional<NVVM::MMAB1Op> bitOp;
  if (row.bitOp != atom::BitOp::None)
    bitOp = row.bitOp == atom::BitOp::XorPopc ? NVVM::MMAB1Op::xor_popc : NVVM::MMAB1Op::and_popc;
  std::array<NVVM::MMATypes, 2> types = {*nvvmType(row.a.element), *nvvmType(row.b.element)};
  if (row.recipe == atom::Recipe::MmaSparse) {
    auto op = NVVM::MmaSpOp::create(b, loc, resultType(b, mma.c), mma.a, mma.b, mma.c, mma.metadata,
                                    selectorOf(b, loc, mma), shape, overflow, types);
    op.setOrderedMetadata(row.sparsity.metadata == atom::Metadata::Ordered);
    return op;
  }
  // A is a row, B a column where K is contiguous.
  auto layoutOf = [](atom::Major major, bool isA) {
    return (major == atom::Major::K) == isA ? NVVM::MMALayout::row : NVVM::MMALayout::col;
  };
  std::array<NVVM::MMALayout, 2> layouts = {layoutOf(row.a.majors, true),
                                            layoutOf(row.b.majors, false)};
  return NVVM::MmaOp::create(b, loc, resultType(b, mma.c), mma.a, mma.b, mma.c, shape, bitOp,
                             overflow, types, layouts);
}

SmallVector<Value> operandsOf(const WarpMma &mma) {
  SmallVector<Value> operands(mma.a);
  llvm::append_range(operands, mma.b);
  llvm::append_range(operands, mma.c);
  if (mma.metadata)
    operands.push_back(mma.metadata);
  return operands;
}

Value intrinsic(OpBuilder &b, Location loc, const WarpMma &mma) {
  SmallVector<Value> operands = operandsOf(mma);
  if (mma.metadata)
    operands.push_back(selectorOf(b, loc, mma));
  return LLVM::CallIntrinsicOp::create(b, loc, resultType(b, mma.c),
                                       b.getStringAttr(atom::intrinsicName(mma.row)), operands)
      .getResult(0);
}

/// "{$4,$5}" for registers first .. first + count - 1.
std::string group(int &next, size_t count) {
  std::string text = "{";
  for (size_t i = 0; i < count; ++i)
    text += (i ? ", $" : "$") + std::to_string(next++);
  return text + "}";
}
std::string constraintOf(Type type) { return type.isF32() ? "f" : type.isF64() ? "d" : "r"; }

Value byInlinePtx(OpBuilder &b, Location loc, const WarpMma &mma) {
  int next = 0;
  std::string text = mma.row.mnemonic + " " + group(next, mma.c.size());
  for (ValueRange registers : {mma.a, mma.b, mma.c})
    text += ", " + group(next, registers.size());
  if (mma.metadata)
    text += ", $" + std::to_string(next++) + ", " + std::to_string(mma.selector);
  std::string constraints;
  for (Value c : mma.c)
    constraints += (constraints.empty() ? "=" : ",=") + constraintOf(c.getType());
  SmallVector<Value> operands = operandsOf(mma);
  for (Value operand : operands)
    constraints += "," + constraintOf(operand.getType());
  return inlinePtx(b, loc, text + ";", constraints, operands, resultType(b, mma.c)).getResult(0);
}
} // namespace

SmallVector<Value> buildWarpMma(OpBuilder &b, Location loc, const WarpMma &mma) {
  switch (mma.row.route) {
  case atom::Route::Nvvm: return leavesOf(b, loc, nvvmOp(b, loc, mma));
  case atom::Route::Intrinsic: return leavesOf(b, loc, intrinsic(b, loc, mma));
  case atom::Route::Asm: return leavesOf(b, loc, byInlinePtx(b, loc, mma));
  }
  return {};
}

} // namespace tessera::lower
