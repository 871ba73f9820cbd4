// ConvertCuteNvgpuToNVVM: architecture ops as NVVM ops, intrinsics or inline PTX, as the rows say.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/lower/ArchPatterns.h"
#include "tessera/lower/LoweredTypes.h"
#include "tessera/lower/Passes.h"
#include "tessera/lower/WarpMmaToNVVM.h"

#include "tessera/cute_nvgpu/CuteNvgpu.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Transforms/DialectConversion.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cute;
using namespace tessera::cute_nvgpu;

namespace tessera::lower {
#define GEN_PASS_DEF_CONVERTCUTENVGPUTONVVM
#include "tessera/lower/Passes.h.inc"

namespace {

/// The block's dynamic shared memory: one external array for each module, aligned to what the ops
/// ask for.
LLVM::GlobalOp dynamicSharedMemory(ConversionPatternRewriter &b, Operation *op, int64_t alignment) {
  constexpr StringLiteral name = "__dynamic_shmem__0";
  Operation *table = SymbolTable::getNearestSymbolTable(op);
  if (auto known = dyn_cast_or_null<LLVM::GlobalOp>(SymbolTable::lookupSymbolIn(table, name))) {
    if (int64_t(known.getAlignment().value_or(1)) < alignment)
      b.modifyOpInPlace(known, [&] { known.setAlignment(uint64_t(alignment)); });
    return known;
  }
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(&table->getRegion(0).front());
  return LLVM::GlobalOp::create(b, op->getLoc(), LLVM::LLVMArrayType::get(b.getI8Type(), 0),
                                /*isConstant=*/false, LLVM::Linkage::External, name, Attribute(),
                                uint64_t(alignment), /*addrSpace=*/3);
}

struct GetDynSmemLowering final : OpConversionPattern<GetDynSmemOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(GetDynSmemOp op, OpAdaptor,
                                ConversionPatternRewriter &b) const override {
    int64_t alignment = std::max<int64_t>(16, cast<PtrType>(op.getType()).getAlignment());
    b.replaceOpWithNewOp<LLVM::AddressOfOp>(op, dynamicSharedMemory(b, op, alignment));
    return success();
  }
};

struct GetDynSmemSizeLowering final : OpConversionPattern<GetDynSmemSizeOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(GetDynSmemSizeOp op, OpAdaptor,
                                ConversionPatternRewriter &b) const override {
    b.replaceOpWithNewOp<LLVM::CallIntrinsicOp>(
        op, op.getType(), b.getStringAttr("llvm.nvvm.read.ptx.sreg.dynamic_smem_size"),
        ValueRange());
    return success();
  }
};

/// A shuffle from lane 0: ptxas then knows that all lanes hold the same value.
struct MakeWarpUniformLowering final : OpConversionPattern<MakeWarpUniformOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(MakeWarpUniformOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    auto constant = [&](int32_t value) -> Value {
      return LLVM::ConstantOp::create(b, op.getLoc(), b.getI32Type(), b.getI32IntegerAttr(value));
    };
    b.replaceOpWithNewOp<NVVM::ShflOp>(op, op.getType(), constant(-1), adaptor.getValue(),
                                       constant(0), constant(31), NVVM::ShflKind::idx, UnitAttr());
    return success();
  }
};

struct CpAsyncLowering final : OpConversionPattern<ArchCpAsyncOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(ArchCpAsyncOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    Location loc = op.getLoc();
    int32_t bytes = int32_t(cast<PtrType>(op.getDst().getType()).getElementBits() / 8);
    Value source = adaptor.getSrc();
    auto global = LLVM::LLVMPointerType::get(b.getContext(), 1);
    if (source.getType() != global)
      source = LLVM::AddrSpaceCastOp::create(b, loc, global, source);
    // Bytes beyond the source size are filled with zeros.
    Value size;
    if (adaptor.getPred()) {
      auto constant = [&](int32_t value) -> Value {
        return LLVM::ConstantOp::create(b, loc, b.getI32Type(), b.getI32IntegerAttr(value));
      };
      size = LLVM::SelectOp::create(b, loc, adaptor.getPred(), constant(bytes), constant(0));
    }
    auto modifier = op.getCacheMode() == LoadCacheMode::global && bytes == 16
                        ? NVVM::LoadCacheModifierKind::CG
                        : NVVM::LoadCacheModifierKind::CA;
    NVVM::CpAsyncOp::create(b, loc, adaptor.getDst(), source, uint32_t(bytes), modifier, size);
    b.eraseOp(op);
    return success();
  }
};

//===--- matrices -----------------------------------------------------------------------------===//

bool isPlainMatrix(ShapeAttr shape) { return shape.getValue() == layout::Tree::of({8, 8}); }

struct LdsmLowering final : OpConversionPattern<ArchLdsmOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(ArchLdsmOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    if (!isPlainMatrix(op.getMatrixShape()))
      return op.emitOpError() << "matrices of shape \""
                              << layout::str(op.getMatrixShape().getValue())
                              << "\" are not lowered yet";
    Location loc = op.getLoc();
    Type i32 = b.getI32Type();
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
    if (!isPlainMatrix(op.getMatrixShape()))
      return op.emitOpError() << "matrices of shape \""
                              << layout::str(op.getMatrixShape().getValue())
                              << "\" are not lowered yet";
    Location loc = op.getLoc();
    SmallVector<Value> words = {adaptor.getValue()};
    if (isa<VectorType>(op.getValue().getType())) {
      auto parts = vector::ToElementsOp::create(b, loc, op.getValue());
      words.assign(parts.getResults().begin(), parts.getResults().end());
    }
    NVVM::StMatrixOp::create(b, loc, adaptor.getDst(), words,
                             op.getTranspose() ? NVVM::MMALayout::col : NVVM::MMALayout::row,
                             NVVM::LdStMatrixShapeAttr::get(b.getContext(), 8, 8),
                             NVVM::LdStMatrixEltType::B16);
    b.eraseOp(op);
    return success();
  }
};

//===--- warp MMAs ----------------------------------------------------------------------------===//

template <class Op> struct WarpMmaLowering final : OpConversionPattern<Op> {
  using OpConversionPattern<Op>::OpConversionPattern;

  LogicalResult matchAndRewrite(Op op, typename Op::Adaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    Result<const atom::MmaRow *> row = op.getRow();
    if (!row)
      return op.emitOpError() << row.reason().text;
    WarpMma mma{**row, adaptor.getA(), adaptor.getB(), adaptor.getC(), {}, 0};
    if constexpr (requires { adaptor.getE(); }) {
      mma.metadata = adaptor.getE();
      mma.selector = int32_t(op.getSelector());
    }
    b.replaceOp(op, buildWarpMma(b, op.getLoc(), mma));
    return success();
  }
};

struct ConvertCuteNvgpuToNVVMPass : impl::ConvertCuteNvgpuToNVVMBase<ConvertCuteNvgpuToNVVMPass> {
  void runOnOperation() override {
    MLIRContext *context = &getContext();
    LoweredTypes types(context);
    RewritePatternSet patterns(context);
    patterns.add<GetDynSmemLowering, GetDynSmemSizeLowering, MakeWarpUniformLowering,
                 CpAsyncLowering, LdsmLowering, StsmLowering, WarpMmaLowering<ArchMmaSm80Op>,
                 WarpMmaLowering<ArchMmaSm89Op>, WarpMmaLowering<ArchMmaSm80SparseOp>>(types,
                                                                                       context);
    addGroupMmaPatterns(patterns, types);
    addTmaPatterns(patterns, types);
    addBulkPatterns(patterns, types);
    ConversionTarget target(*context);
    target.addIllegalDialect<CuteNvgpuDialect>();
    target.markUnknownOpDynamicallyLegal([](Operation *) { return true; });
    ConversionConfig config;
    config.allowPatternRollback = false;
    if (failed(applyPartialConversion(getOperation(), target, std::move(patterns), config)))
      signalPassFailure();
  }
};

} // namespace
} // namespace tessera::lower
