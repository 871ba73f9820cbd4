// Instructions of a warp: an NVVM op, an intrinsic or inline PTX, as the row says.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/lower/ClusterPointers.h"
#include "tessera/lower/InlinePtx.h"
#include "tessera/lower/LoweredTypes.h"
#include "tessera/lower/families/warp/Warp.h"

#include "tessera/cute_nvgpu/families/warp/Warp.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cute;
using namespace tessera::cute_nvgpu;

namespace tessera::lower {

namespace {

//===--- matrices -----------------------------------------------------------------------------===//

bool isPlainMatrix(ShapeAttr shape) { return shape.getValue() == layout::Tree::of({8, 8}); }

/// Inline PTX for matrices of bytes, and of 6 or 4 bits that a load widens to bytes.
Value loadBytes(OpBuilder &b, Location loc, const atom::CopyRow &row, Value address) {
  std::string constraints, list = "{";
  int count = row.registersFor(0);
  for (int i = 0; i < count; ++i) {
    constraints += "=r,";
    list += cat(i ? ", $" : "$", i);
  }
  Type i32 = b.getI32Type();
  Type type = count == 1 ? i32
                         : Type(LLVM::LLVMStructType::getLiteral(
                               b.getContext(), SmallVector<Type>(size_t(count), i32)));
  std::string text = cat(atom::mnemonicFor(row, 0), " ", list, "}, [$", count, "];");
  return inlinePtx(b, loc, text, constraints + "r,~{memory}", address, type).getResult(0);
}
void storeBytes(OpBuilder &b, Location loc, const atom::CopyRow &row, Value address,
                ArrayRef<Value> words) {
  std::string constraints = "r", list = "{";
  SmallVector<Value> operands = {address};
  for (auto [i, word] : llvm::enumerate(words)) {
    constraints += ",r";
    list += cat(i ? ", $" : "$", i + 1);
    operands.push_back(word);
  }
  inlinePtx(b, loc, cat(atom::mnemonicFor(row, 0), " [$0], ", list, "};"),
            constraints + ",~{memory}", operands);
}

struct LdsmLowering final : OpConversionPattern<ArchLdsmOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(ArchLdsmOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    Location loc = op.getLoc();
    Type i32 = b.getI32Type();
    if (!isPlainMatrix(op.getMatrixShape())) {
      const atom::CopyRow &row = **atom::find(
          ldsmKey(op.getMatrixShape(), op.getSzPattern(), op.getNumMatrices(), op.getTranspose()));
      Value words = loadBytes(b, loc, row, addressOf(b, loc, adaptor.getSrc()));
      if (isa<VectorType>(op.getType()))
        words = vector::FromElementsOp::create(b, loc, op.getType(), leavesOf(b, loc, words));
      b.replaceOp(op, words);
      return success();
    }
    uint32_t count = op.getNumMatrices();
    Type type = count == 1 ? i32
                           : LLVM::LLVMStructType::getLiteral(b.getContext(),
                                                              SmallVector<Type>(count, i32));
    auto shape = NVVM::LdStMatrixShapeAttr::get(b.getContext(), 8, 8);
    Value loaded =
        NVVM::LdMatrixOp::create(b, loc, type, adaptor.getSrc(), count,
                                 op.getTranspose() ? NVVM::MMALayout::col : NVVM::MMALayout::row,
                                 shape, NVVM::LdStMatrixEltType::B16);
    SmallVector<Value> words = leavesOf(b, loc, loaded);
    if (isa<VectorType>(op.getType()))
      loaded = vector::FromElementsOp::create(b, loc, op.getType(), words);
    b.replaceOp(op, loaded);
    return success();
  }
};

struct StsmLowering final : OpConversionPattern<ArchStsmOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(ArchStsmOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    Location loc = op.getLoc();
    SmallVector<Value> words = {adaptor.getValue()};
    if (isa<VectorType>(op.getValue().getType())) {
      auto parts = vector::ToElementsOp::create(b, loc, op.getValue());
      words.assign(parts.getResults().begin(), parts.getResults().end());
    }
    if (!isPlainMatrix(op.getMatrixShape())) {
      storeBytes(b, loc,
                 **atom::find(stsmKey(op.getMatrixShape(), op.getNumMatrices(), op.getTranspose())),
                 addressOf(b, loc, adaptor.getDst()), words);
      b.eraseOp(op);
      return success();
    }
    NVVM::StMatrixOp::create(b, loc, adaptor.getDst(), words,
                             op.getTranspose() ? NVVM::MMALayout::col : NVVM::MMALayout::row,
                             NVVM::LdStMatrixShapeAttr::get(b.getContext(), 8, 8),
                             NVVM::LdStMatrixEltType::B16);
    b.eraseOp(op);
    return success();
  }
};

//===--- products -----------------------------------------------------------------------------===//

/// A lane's register of scale factors, the first byte of it that counts, and which lanes of a quad
/// give it.
struct Scales {
  Value data;
  int16_t byteId = 0, threadId = 0;
};

/// Registers of a warp-level MMA in the order of PTX, of the types that its intrinsic takes.
struct WarpMma {
  const atom::MmaRow &row;
  ValueRange a, b, c;
  Value metadata = {}; // of a sparse A
  int32_t selector = 0;
  Scales scaleA = {}, scaleB = {}; // of a block-scaled product
};

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

/// The row's factors of a row of A, as NVVM counts them.
NVVM::ScaleVecSize scaleVecOf(const atom::MmaRow &row) {
  int factors = row.k / row.scale.vec;
  return factors == 1   ? NVVM::ScaleVecSize::X1
         : factors == 2 ? NVVM::ScaleVecSize::X2
                        : NVVM::ScaleVecSize::X4;
}
Value scaledOp(OpBuilder &b, Location loc, const WarpMma &mma) {
  const atom::MmaRow &row = mma.row;
  int64_t shape[] = {row.m.first, row.n.first, row.k};
  std::array<NVVM::MMATypes, 2> types = {*nvvmType(row.a.element), *nvvmType(row.b.element)};
  // NVVM's names are PTX's.
  auto format = *NVVM::symbolizeBlockScaleFormat(StringRef(atom::ptxName(row.scale.element)));
  auto kind = *NVVM::symbolizeMMABlockScaleKind(StringRef(atom::name(row.kind)));
  auto id = [&](int16_t value) -> Value {
    return LLVM::ConstantOp::create(b, loc, b.getI16Type(), b.getI16IntegerAttr(value));
  };
  if (mma.metadata) {
    auto op = NVVM::MmaSpBlockScaleOp::create(
        b, loc, resultType(b, mma.c), mma.a, mma.b, mma.c, mma.metadata, selectorOf(b, loc, mma),
        mma.scaleA.data, id(mma.scaleA.byteId), id(mma.scaleA.threadId), mma.scaleB.data,
        id(mma.scaleB.byteId), id(mma.scaleB.threadId), shape, types, scaleVecOf(row), format,
        kind);
    op.setOrderedMetadata(true);
    return op;
  }
  return NVVM::MmaBlockScaleOp::create(
      b, loc, resultType(b, mma.c), mma.a, mma.b, mma.c, mma.scaleA.data, id(mma.scaleA.byteId),
      id(mma.scaleA.threadId), mma.scaleB.data, id(mma.scaleB.byteId), id(mma.scaleB.threadId),
      shape, types, scaleVecOf(row), format, kind);
}

Value nvvmOp(OpBuilder &b, Location loc, const WarpMma &mma) {
  const atom::MmaRow &row = mma.row;
  if (row.scale.isScaled())
    return scaledOp(b, loc, mma);
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
  if (mma.row.scale.isScaled())
    operands.append({mma.scaleA.data, mma.scaleB.data});
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
  if (mma.row.scale.isScaled())
    for (const Scales &scales : {mma.scaleA, mma.scaleB})
      text += cat(", $", next++, ", {", scales.byteId, ", ", scales.threadId, "}");
  std::string constraints;
  for (Value c : mma.c)
    constraints += (constraints.empty() ? "=" : ",=") + constraintOf(c.getType());
  SmallVector<Value> operands = operandsOf(mma);
  for (Value operand : operands)
    constraints += "," + constraintOf(operand.getType());
  return inlinePtx(b, loc, text + ";", constraints, operands, resultType(b, mma.c)).getResult(0);
}
/// The registers of D, by the row's route.
SmallVector<Value> buildWarpMma(OpBuilder &b, Location loc, const WarpMma &mma) {
  switch (mma.row.route) {
  case atom::Route::Nvvm: return leavesOf(b, loc, nvvmOp(b, loc, mma));
  case atom::Route::Intrinsic: return leavesOf(b, loc, intrinsic(b, loc, mma));
  case atom::Route::Asm: return leavesOf(b, loc, byInlinePtx(b, loc, mma));
  }
  return {};
}

template <class Op> struct WarpMmaLowering final : OpConversionPattern<Op> {
  using OpConversionPattern<Op>::OpConversionPattern;

  LogicalResult matchAndRewrite(Op op, typename Op::Adaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    Result<const atom::MmaRow *> row = op.getRow();
    if (!row)
      return op.emitOpError() << row.reason().text;
    WarpMma mma{**row, adaptor.getA(), adaptor.getB(), adaptor.getC()};
    if constexpr (requires { adaptor.getE(); }) {
      mma.metadata = adaptor.getE();
      mma.selector = int32_t(op.getSelector());
    }
    if constexpr (requires { adaptor.getSfa(); }) {
      mma.scaleA = {adaptor.getSfa(), int16_t(op.getByteIdA()), int16_t(op.getThreadIdA())};
      mma.scaleB = {adaptor.getSfb(), int16_t(op.getByteIdB()), int16_t(op.getThreadIdB())};
    }
    b.replaceOp(op, buildWarpMma(b, op.getLoc(), mma));
    return success();
  }
};

} // namespace

void addWarpPatterns(RewritePatternSet &patterns, const TypeConverter &types) {
  patterns.add<LdsmLowering, StsmLowering, WarpMmaLowering<ArchMmaSm80Op>,
               WarpMmaLowering<ArchMmaSm89Op>, WarpMmaLowering<ArchMmaSm80SparseOp>,
               WarpMmaLowering<ArchMmaSm120Op>, WarpMmaLowering<ArchMmaSm120SparseOp>,
               WarpMmaLowering<ArchMmaSm120ScaledOp>, WarpMmaLowering<ArchMmaSm120ScaledSparseOp>>(
      types, patterns.getContext());
}

} // namespace tessera::lower
