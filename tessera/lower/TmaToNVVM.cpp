// TMA copies as NVVM ops that one elected lane executes, and tensor maps as calls of the runtime.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/lower/ArchPatterns.h"
#include "tessera/lower/RuntimeCalls.h"

#include "tessera/cute_nvgpu/CuteNvgpu.h"
#include "tessera/cute_nvgpu/TensorMaps.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cute_nvgpu;

namespace tessera::lower {

namespace {

/// Moves the insertion point into a block that only an elected lane enters, in the middle of the block of `op`, which is
/// called by the whole warp.
void enterElected(ConversionPatternRewriter &b, Operation *op) {
  Location loc = op->getLoc();
  Block *before = op->getBlock();
  Block *behind = b.splitBlock(before, std::next(op->getIterator()));
  Block *elected = b.createBlock(behind);
  b.setInsertionPointToEnd(before);
  Value lane = NVVM::ElectSyncOp::create(b, loc, b.getI1Type(), /*membermask=*/Value());
  LLVM::CondBrOp::create(b, loc, lane, elected, behind);
  b.setInsertionPointToEnd(elected);
  LLVM::BrOp::create(b, loc, ValueRange(), behind);
  b.setInsertionPointToStart(elected);
}

/// The same address in the window of the cluster. An address space cast would cost two instructions (LLVM 22).
Value inCluster(OpBuilder &b, Location loc, Value shared) {
  Value address = LLVM::PtrToIntOp::create(b, loc, b.getI32Type(), shared);
  constexpr unsigned clusterSpace = 7;
  return LLVM::IntToPtrOp::create(b, loc, LLVM::LLVMPointerType::get(b.getContext(), clusterSpace), address);
}

struct TmaLoadLowering final : OpConversionPattern<ArchTmaLoadOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(ArchTmaLoadOp op, OpAdaptor adaptor, ConversionPatternRewriter &b) const override {
    if (op.getMode() != TmaMode::tiled || op.getNumCta() != 1)
      return op.emitOpError("of this mode, or for two CTAs, is not lowered yet");
    Location loc = op.getLoc();
    enterElected(b, op);
    NVVM::CpAsyncBulkTensorGlobalToSharedClusterOp::create(
        b, loc, inCluster(b, loc, adaptor.getDst()), adaptor.getDesc(), adaptor.getCoord(), adaptor.getBarrier(),
        adaptor.getOffsets(), adaptor.getMask(), adaptor.getCachePolicy(),
        NVVM::TMALoadModeAttr::get(b.getContext(), NVVM::TMALoadMode::TILE), b.getBoolAttr(false),
        NVVM::CTAGroupKindAttr(), /*predicate=*/Value());
    b.eraseOp(op);
    return success();
  }
};

struct TmaStoreLowering final : OpConversionPattern<ArchTmaStoreOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(ArchTmaStoreOp op, OpAdaptor adaptor, ConversionPatternRewriter &b) const override {
    if (op.getMode() != TmaStoreMode::tiled)
      return op.emitOpError("of this mode is not lowered yet");
    enterElected(b, op);
    NVVM::CpAsyncBulkTensorSharedCTAToGlobalOp::create(
        b, op.getLoc(), adaptor.getDesc(), adaptor.getSrc(), adaptor.getCoord(), adaptor.getCachePolicy(),
        NVVM::TMAStoreModeAttr::get(b.getContext(), NVVM::TMAStoreMode::TILE), /*predicate=*/Value());
    b.eraseOp(op);
    return success();
  }
};

/// Inline PTX: LLVM's intrinsic prefetches a grid constant twice.
struct PrefetchTmaDescLowering final : OpConversionPattern<ArchPrefetchTmaDescOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(ArchPrefetchTmaDescOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    LLVM::InlineAsmOp::create(b, op.getLoc(), TypeRange(), adaptor.getDesc(), "prefetch.tensormap [$0];", "l",
                              /*has_side_effects=*/true, /*is_align_stack=*/false, LLVM::TailCallKind::None,
                              LLVM::AsmDialectAttr(), ArrayAttr());
    b.eraseOp(op);
    return success();
  }
};

/// tessera_rt_tensor_map(image, tensor, rank, extents, strides, box, type, swizzle), with the driver's numbers.
struct MakeTmaDescTiledLowering final : OpConversionPattern<MakeTmaDescTiledOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(MakeTmaDescTiledOp op, OpAdaptor adaptor, ConversionPatternRewriter &b) const override {
    Location loc = op.getLoc();
    Type i32 = b.getI32Type(), i64 = b.getI64Type();
    auto number = [&](int64_t value) -> Value {
      return LLVM::ConstantOp::create(b, loc, i32, b.getI32IntegerAttr(int32_t(value)));
    };
    constexpr unsigned words = 16, alignment = 64; // of a tensor map
    Value image = stackSlot(b, loc, i64, words, alignment);
    Value tensor = LLVM::PtrToIntOp::create(b, loc, i64, adaptor.getTensor());
    SmallVector<Value> box = llvm::map_to_vector(op.getBox(), [&](int32_t extent) { return number(extent); });
    callRuntime(b, op, "tessera_rt_tensor_map", {},
                {image, tensor, number(int64_t(op.getBox().size())), stackArray(b, loc, i64, adaptor.getExtents()),
                 stackArray(b, loc, i64, adaptor.getStrides()), stackArray(b, loc, i32, box),
                 number(int64_t(driverType(op.getFormat()))), number(int64_t(op.getSwizzle()))});
    b.replaceOp(op, image);
    return success();
  }
};

} // namespace

void addTmaPatterns(RewritePatternSet &patterns, const TypeConverter &types) {
  patterns.add<TmaLoadLowering, TmaStoreLowering, PrefetchTmaDescLowering, MakeTmaDescTiledLowering>(
      types, patterns.getContext());
}

} // namespace tessera::lower
