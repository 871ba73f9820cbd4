// Bulk copies, reductions and stores to other CTAs: NVVM ops where there are, inline PTX for the
// rest.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/lower/ClusterPointers.h"
#include "tessera/lower/InlinePtx.h"
#include "tessera/lower/TargetOf.h"
#include "tessera/lower/families/bulk/Bulk.h"

#include "tessera/cute_nvgpu/CuteNvgpu.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cute_nvgpu;

namespace tessera::lower {

namespace {

Value inGlobal(OpBuilder &b, Location loc, Value pointer) {
  auto global = LLVM::LLVMPointerType::get(b.getContext(), unsigned(atom::AddressSpace::Gmem));
  return pointer.getType() == global
             ? pointer
             : LLVM::AddrSpaceCastOp::create(b, loc, global, pointer).getResult();
}
Value constantOf(OpBuilder &b, Location loc, uint32_t value) {
  return LLVM::ConstantOp::create(b, loc, b.getI32Type(), b.getI32IntegerAttr(int32_t(value)));
}

struct BulkG2SLowering final : OpConversionPattern<ArchBulkCopyG2SOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(ArchBulkCopyG2SOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    Location loc = op.getLoc();
    bool own = hasNoClusters(op) && !adaptor.getMask();
    NVVM::CpAsyncBulkGlobalToSharedClusterOp::create(
        b, loc, own ? adaptor.getDst() : inCluster(b, loc, adaptor.getDst()),
        inGlobal(b, loc, adaptor.getSrc()), adaptor.getBarrier(), constantOf(b, loc, op.getBytes()),
        adaptor.getMask(), adaptor.getCachePolicy());
    b.eraseOp(op);
    return success();
  }
};

struct BulkS2GLowering final : OpConversionPattern<ArchBulkCopyS2GOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(ArchBulkCopyS2GOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    Location loc = op.getLoc();
    NVVM::CpAsyncBulkSharedCTAToGlobalOp::create(
        b, loc, inGlobal(b, loc, adaptor.getDst()), adaptor.getSrc(),
        constantOf(b, loc, op.getBytes()), adaptor.getCachePolicy(), adaptor.getByteMask());
    b.eraseOp(op);
    return success();
  }
};

struct BulkS2SLowering final : OpConversionPattern<ArchBulkCopyS2SOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(ArchBulkCopyS2SOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    Location loc = op.getLoc();
    // The barrier lies in the destination's CTA, though LLVM's intrinsic has it as a pointer to the
    // CTA's own memory.
    NVVM::CpAsyncBulkSharedCTAToSharedClusterOp::create(
        b, loc, inCluster(b, loc, adaptor.getDst()), adaptor.getSrc(),
        inShared(b, loc, adaptor.getBarrier()), constantOf(b, loc, op.getBytes()));
    b.eraseOp(op);
    return success();
  }
};

struct BulkPrefetchLowering final : OpConversionPattern<ArchBulkPrefetchOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(ArchBulkPrefetchOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    Location loc = op.getLoc();
    NVVM::CpAsyncBulkPrefetchOp::create(b, loc, inGlobal(b, loc, adaptor.getSrc()),
                                        constantOf(b, loc, op.getBytes()),
                                        adaptor.getCachePolicy());
    b.eraseOp(op);
    return success();
  }
};

/// `cp.reduce.async.bulk... [dst], [src], bytes{, [barrier]}{, policy};`
struct BulkReduceLowering final : OpConversionPattern<ArchBulkReduceOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(ArchBulkReduceOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    Result<const atom::CopyRow *> row = op.getRow();
    if (!row)
      return op.emitOpError() << row.reason().text;
    Location loc = op.getLoc();
    std::string text = (*row)->mnemonic;
    SmallVector<Value> operands;
    std::string tail, constraints;
    if (adaptor.getBarrier()) {
      operands = {addressOf(b, loc, adaptor.getDst()), addressOf(b, loc, adaptor.getSrc()),
                  addressOf(b, loc, adaptor.getBarrier())};
      constraints = "r,r,r,~{memory}";
      tail = ", [$2]";
    } else {
      operands = {inGlobal(b, loc, adaptor.getDst()), addressOf(b, loc, adaptor.getSrc())};
      constraints = "l,r,~{memory}";
      if (Value policy = adaptor.getCachePolicy()) {
        constexpr StringLiteral mechanism = ".bulk_group";
        text.insert(text.find(mechanism) + mechanism.size(), ".L2::cache_hint");
        operands.push_back(policy);
        constraints = "l,r,l,~{memory}";
        tail = ", $2";
      }
    }
    inlinePtx(b, loc, cat(text, " [$0], [$1], ", op.getBytes(), tail, ";"), constraints, operands);
    b.eraseOp(op);
    return success();
  }
};

/// `st.async... [dst], {words}, [barrier];`
struct DsmemStoreLowering final : OpConversionPattern<ArchDsmemStoreOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(ArchDsmemStoreOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    Location loc = op.getLoc();
    SmallVector<Value> words = {adaptor.getValue()};
    if (isa<VectorType>(op.getValue().getType())) {
      auto parts = vector::ToElementsOp::create(b, loc, op.getValue());
      words.assign(parts.getResults().begin(), parts.getResults().end());
    }
    Result<const atom::CopyRow *> row =
        atom::find(atom::CopyKey{.family = atom::CopyFamily::DsmemStore});
    std::string list, constraints = "r";
    for (size_t i = 0; i < words.size(); ++i) {
      list += cat(i ? ", $" : "$", i + 1);
      constraints += ",r";
    }
    if (words.size() > 1)
      list = "{" + list + "}";
    SmallVector<Value> operands = {addressOf(b, loc, adaptor.getDst())};
    llvm::append_range(operands, words);
    operands.push_back(addressOf(b, loc, adaptor.getBarrier()));
    inlinePtx(b, loc,
              cat(atom::mnemonicFor(**row, int64_t(words.size()) * 32), " [$0], ", list, ", [$",
                  words.size() + 1, "];"),
              constraints + ",r,~{memory}", operands);
    b.eraseOp(op);
    return success();
  }
};

struct MapDsmemPtrLowering final : OpConversionPattern<MapDsmemPtrOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(MapDsmemPtrOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    b.replaceOpWithNewOp<NVVM::MapaOp>(op, getTypeConverter()->convertType(op.getType()),
                                       adaptor.getPtr(), adaptor.getRank());
    return success();
  }
};

} // namespace

void addBulkPatterns(RewritePatternSet &patterns, const TypeConverter &types) {
  patterns.add<BulkG2SLowering, BulkS2GLowering, BulkS2SLowering, BulkPrefetchLowering,
               BulkReduceLowering, DsmemStoreLowering, MapDsmemPtrLowering>(types,
                                                                            patterns.getContext());
}

} // namespace tessera::lower
