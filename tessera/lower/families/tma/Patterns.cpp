// TMA copies as NVVM ops that one elected lane executes, and tensor maps as calls of the runtime.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/lower/ClusterPointers.h"
#include "tessera/lower/InlinePtx.h"
#include "tessera/lower/RuntimeCalls.h"
#include "tessera/lower/TargetOf.h"
#include "tessera/lower/families/Elected.h"
#include "tessera/lower/families/tma/Tma.h"

#include "tessera/cute_nvgpu/CuteNvgpu.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cute_nvgpu;

namespace tessera::lower {

namespace {

NVVM::TMALoadMode loadMode(atom::TmaMode mode) {
  using enum atom::TmaMode;
  switch (mode) {
  case Im2col: return NVVM::TMALoadMode::IM2COL;
  case Im2colW: return NVVM::TMALoadMode::IM2COL_W;
  case Im2colW128: return NVVM::TMALoadMode::IM2COL_W_128;
  case Gather4: return NVVM::TMALoadMode::TILE_GATHER4;
  default: return NVVM::TMALoadMode::TILE;
  }
}
NVVM::TMAStoreMode storeMode(atom::TmaMode mode) {
  return mode == atom::TmaMode::Im2col     ? NVVM::TMAStoreMode::IM2COL
         : mode == atom::TmaMode::Scatter4 ? NVVM::TMAStoreMode::TILE_SCATTER4
                                           : NVVM::TMAStoreMode::TILE;
}
NVVM::TMAReduxKind reduxKind(atom::Reduction kind) {
  return *NVVM::symbolizeTMAReduxKind(StringRef(atom::name(kind))); // NVVM's names are PTX's
}

/// Replaces `op` by what `make` builds where only an elected lane comes.
template <class TmaOp, class Make>
LogicalResult replaceInElectedLane(TmaOp op, ConversionPatternRewriter &b, Make make) {
  enterElected(b, op);
  make();
  b.eraseOp(op);
  return success();
}

/// The barrier at the same place in the first CTA of the pair that this one belongs to: bit 24 of
/// an address of shared memory is the lowest of the CTA's rank. Source: CUTLASS
/// include/cute/arch/copy_sm100_tma.hpp, Sm100MmaPeerBitMask.
Value leadersBarrier(OpBuilder &b, Location loc, Value barrier) {
  constexpr int32_t withoutPeer = ~(1 << 24);
  Value address = addressOf(b, loc, barrier);
  Value mask = LLVM::ConstantOp::create(b, loc, b.getI32Type(), b.getI32IntegerAttr(withoutPeer));
  Value leaders = LLVM::AndOp::create(b, loc, address, mask);
  return LLVM::IntToPtrOp::create(b, loc, barrier.getType(), leaders);
}

struct TmaLoadLowering final : OpConversionPattern<ArchTmaLoadOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(ArchTmaLoadOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    bool pair = op.getNumCta() == 2;
    bool own = hasNoClusters(op) && !adaptor.getMask();
    return replaceInElectedLane(op, b, [&] {
      Value dst = own ? adaptor.getDst() : inCluster(b, op.getLoc(), adaptor.getDst());
      Value barrier =
          pair ? leadersBarrier(b, op.getLoc(), adaptor.getBarrier()) : adaptor.getBarrier();
      NVVM::CTAGroupKindAttr group;
      if (pair)
        group = NVVM::CTAGroupKindAttr::get(b.getContext(), NVVM::CTAGroupKind::CTA_2);
      NVVM::CpAsyncBulkTensorGlobalToSharedClusterOp::create(
          b, op.getLoc(), dst, adaptor.getDesc(), adaptor.getCoord(), barrier, adaptor.getOffsets(),
          adaptor.getMask(), adaptor.getCachePolicy(),
          NVVM::TMALoadModeAttr::get(b.getContext(), loadMode(op.getMode())), b.getBoolAttr(own),
          group, /*predicate=*/Value());
    });
  }
};

struct TmaStoreLowering final : OpConversionPattern<ArchTmaStoreOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(ArchTmaStoreOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    return replaceInElectedLane(op, b, [&] {
      NVVM::CpAsyncBulkTensorSharedCTAToGlobalOp::create(
          b, op.getLoc(), adaptor.getDesc(), adaptor.getSrc(), adaptor.getCoord(),
          adaptor.getCachePolicy(),
          NVVM::TMAStoreModeAttr::get(b.getContext(), storeMode(op.getMode())),
          /*predicate=*/Value());
    });
  }
};

struct TmaReduceLowering final : OpConversionPattern<ArchTmaReduceOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(ArchTmaReduceOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    return replaceInElectedLane(op, b, [&] {
      NVVM::CpAsyncBulkTensorReduceOp::create(b, op.getLoc(), adaptor.getDesc(), adaptor.getSrc(),
                                              reduxKind(op.getKind()), storeMode(op.getMode()),
                                              adaptor.getCoord(), adaptor.getCachePolicy());
    });
  }
};

struct TmaPrefetchLowering final : OpConversionPattern<ArchTmaPrefetchOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(ArchTmaPrefetchOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    return replaceInElectedLane(op, b, [&] {
      NVVM::CpAsyncBulkTensorPrefetchOp::create(b, op.getLoc(), adaptor.getDesc(),
                                                adaptor.getCoord(), adaptor.getOffsets(),
                                                loadMode(op.getMode()), adaptor.getCachePolicy());
    });
  }
};

/// 128 bytes by vectors of 16.
struct CopyTmaDescLowering final : OpConversionPattern<ArchCopyTmaDescOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(ArchCopyTmaDescOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    Location loc = op.getLoc();
    constexpr unsigned vectorBytes = 16, mapBytes = 128;
    Type vector = VectorType::get({vectorBytes / 4}, b.getI32Type());
    auto at = [&](Value base, int32_t i) -> Value {
      return LLVM::GEPOp::create(b, loc, base.getType(), vector, base, ArrayRef<LLVM::GEPArg>(i));
    };
    for (int32_t i = 0; i < int32_t(mapBytes / vectorBytes); ++i) {
      Value part = LLVM::LoadOp::create(b, loc, vector, at(adaptor.getSrc(), i), vectorBytes);
      LLVM::StoreOp::create(b, loc, part, at(adaptor.getDst(), i), vectorBytes);
    }
    b.eraseOp(op);
    return success();
  }
};

/// tensormap.replace for each field by one elected lane, as LLVM 22 has no op; address, extents,
/// strides. PTX ISA 9.7.9.27.
struct ReplaceTmaDescLowering final : OpConversionPattern<ArchReplaceTmaDescOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(ArchReplaceTmaDescOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    Location loc = op.getLoc();
    auto space = atom::AddressSpace(
        cast<LLVM::LLVMPointerType>(adaptor.getDesc().getType()).getAddressSpace());
    bool shared = space == atom::AddressSpace::Smem;
    std::string_view name = shared                              ? ".shared::cta"
                            : space == atom::AddressSpace::Gmem ? ".global"
                                                                : "";
    enterElected(b, op);
    Value desc = LLVM::PtrToIntOp::create(b, loc, b.getI64Type(), adaptor.getDesc());
    auto replace = [&](StringRef field, StringRef type, std::string_view ordinal,
                       StringRef constraints, Value value) {
      std::string text = cat("tensormap.replace.tile.", std::string_view(field), name, ".b1024.",
                             std::string_view(type));
      inlinePtx(b, loc, cat(text, " [$0]", ordinal, ", $1;"), constraints, {desc, value});
    };
    if (!shared)
      inlinePtx(b, loc, "fence.proxy.tensormap::generic.acquire.gpu [$0], 128;", "l,~{memory}",
                desc);
    Value tensor = LLVM::PtrToIntOp::create(b, loc, b.getI64Type(), adaptor.getTensor());
    replace("global_address", "b64", "", "l,l,~{memory}", tensor);
    for (auto [i, extent] : llvm::enumerate(adaptor.getExtents()))
      replace("global_dim", "b32", cat(", ", i), "l,r,~{memory}", extent);
    for (auto [i, stride] : llvm::enumerate(adaptor.getStrides()))
      replace("global_stride", "b64", cat(", ", i), "l,l,~{memory}", stride);
    if (!shared)
      inlinePtx(b, loc, "fence.proxy.tensormap::generic.release.gpu;", "~{memory}", {});
    b.eraseOp(op);
    return success();
  }
};

/// Inline PTX: LLVM's intrinsic prefetches a grid constant twice.
struct PrefetchTmaDescLowering final : OpConversionPattern<ArchPrefetchTmaDescOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(ArchPrefetchTmaDescOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    inlinePtx(b, op.getLoc(), "prefetch.tensormap [$0];", "l", adaptor.getDesc());
    b.eraseOp(op);
    return success();
  }
};

/// A tensor map in the frame of a host function.
Value imageSlot(OpBuilder &b, Location loc) {
  constexpr unsigned words = 16, alignment = 64;
  return stackSlot(b, loc, b.getI64Type(), words, alignment);
}

/// tessera_rt_tensor_map_im2col(image, tensor, rank, extents, strides, lower, upper, steps,
/// channels, pixels, type, swizzle); along W tessera_rt_tensor_map_im2col_wide, with one corner on
/// each side as numbers and at the end the driver's number of the mode.
struct MakeTmaDescIm2colLowering final : OpConversionPattern<MakeTmaDescIm2colOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(MakeTmaDescIm2colOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    Location loc = op.getLoc();
    Type i32 = b.getI32Type(), i64 = b.getI64Type();
    auto number = [&](int64_t value) -> Value {
      return LLVM::ConstantOp::create(b, loc, i32, b.getI32IntegerAttr(int32_t(value)));
    };
    auto numbers = [&](ArrayRef<int32_t> values) {
      SmallVector<Value> constants =
          llvm::map_to_vector(values, [&](int32_t value) { return number(value); });
      return stackArray(b, loc, i32, constants);
    };
    Value image = imageSlot(b, loc);
    Value tensor = LLVM::PtrToIntOp::create(b, loc, i64, adaptor.getTensor());
    atom::TmaMode mode = op.getMode().value_or(atom::TmaMode::Im2col);
    bool wide = mode != atom::TmaMode::Im2col;
    auto corner = [&](ArrayRef<int32_t> values) {
      return wide ? number(values.front()) : numbers(values);
    };
    SmallVector<Value> arguments = {image,
                                    tensor,
                                    number(int64_t(adaptor.getExtents().size())),
                                    stackArray(b, loc, i64, adaptor.getExtents()),
                                    stackArray(b, loc, i64, adaptor.getStrides()),
                                    corner(op.getLower()),
                                    corner(op.getUpper()),
                                    numbers(op.getSteps()),
                                    number(op.getChannels()),
                                    number(op.getPixels()),
                                    number(int64_t(op.getFormat())),
                                    number(int64_t(op.getSwizzle()))};
    if (wide)
      arguments.push_back(number(mode == atom::TmaMode::Im2colW128));
    if (failed(callRuntime(
            b, op, wide ? "tessera_rt_tensor_map_im2col_wide" : "tessera_rt_tensor_map_im2col", {},
            arguments)))
      return failure();
    b.replaceOp(op, image);
    return success();
  }
};

/// tessera_rt_tensor_map(image, tensor, rank, extents, strides, box, type, swizzle), with the
/// driver's numbers.
struct MakeTmaDescTiledLowering final : OpConversionPattern<MakeTmaDescTiledOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(MakeTmaDescTiledOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    Location loc = op.getLoc();
    Type i32 = b.getI32Type(), i64 = b.getI64Type();
    auto number = [&](int64_t value) -> Value {
      return LLVM::ConstantOp::create(b, loc, i32, b.getI32IntegerAttr(int32_t(value)));
    };
    Value image = imageSlot(b, loc);
    Value tensor = LLVM::PtrToIntOp::create(b, loc, i64, adaptor.getTensor());
    SmallVector<Value> box =
        llvm::map_to_vector(op.getBox(), [&](int32_t extent) { return number(extent); });
    if (failed(callRuntime(b, op, "tessera_rt_tensor_map", {},
                           {image, tensor, number(int64_t(op.getBox().size())),
                            stackArray(b, loc, i64, adaptor.getExtents()),
                            stackArray(b, loc, i64, adaptor.getStrides()),
                            stackArray(b, loc, i32, box), number(int64_t(op.getFormat())),
                            number(int64_t(op.getSwizzle()))})))
      return failure();
    b.replaceOp(op, image);
    return success();
  }
};

} // namespace

void addTmaPatterns(RewritePatternSet &patterns, const TypeConverter &types) {
  patterns.add<TmaLoadLowering, TmaStoreLowering, TmaReduceLowering, TmaPrefetchLowering,
               PrefetchTmaDescLowering, CopyTmaDescLowering, ReplaceTmaDescLowering,
               MakeTmaDescTiledLowering, MakeTmaDescIm2colLowering>(types, patterns.getContext());
}

} // namespace tessera::lower
