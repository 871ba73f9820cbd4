// Tensor memory: its life as NVVM ops, products, loads and stores as inline PTX.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LLVM 22 takes the intrinsic of a product for a store to D: of two that accumulate into the same D
// it deletes the first. So products are inline PTX, which is volatile and convergent. Loads and
// stores are too: their registers are then scalars from the start.
#include "tessera/lower/InlinePtx.h"
#include "tessera/lower/LoweredTypes.h"
#include "tessera/lower/families/Elected.h"
#include "tessera/lower/families/tensor/Tensor.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cute_nvgpu;

namespace tessera::lower {

namespace {

NVVM::CTAGroupKind groupOf(bool isTwoCta) {
  return isTwoCta ? NVVM::CTAGroupKind::CTA_2 : NVVM::CTAGroupKind::CTA_1;
}

//===--- life ---------------------------------------------------------------------------------===//

struct AllocLowering final : OpConversionPattern<AllocTmemOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(AllocTmemOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    b.replaceOpWithNewOp<NVVM::Tcgen05AllocOp>(op, adaptor.getSmem(), adaptor.getNumColumns(),
                                               groupOf(op.getIsTwoCta()));
    return success();
  }
};

struct RelinquishLowering final : OpConversionPattern<RelinquishTmemAllocPermitOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(RelinquishTmemAllocPermitOp op, OpAdaptor,
                                ConversionPatternRewriter &b) const override {
    b.replaceOpWithNewOp<NVVM::Tcgen05RelinquishAllocPermitOp>(op, groupOf(op.getIsTwoCta()));
    return success();
  }
};

/// LLVM's pointer of an address, where an NVVM op takes one.
Value tensorPointer(OpBuilder &b, Location loc, Value address) {
  unsigned space = LoweredTypes::addressSpace(cute::AddressSpace::tmem);
  Type type = LLVM::LLVMPointerType::get(b.getContext(), space);
  return LLVM::IntToPtrOp::create(b, loc, type, address);
}

struct DeallocLowering final : OpConversionPattern<DeallocTmemOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(DeallocTmemOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    b.replaceOpWithNewOp<NVVM::Tcgen05DeallocOp>(
        op, tensorPointer(b, op.getLoc(), adaptor.getTmem()), adaptor.getNumColumns(),
        groupOf(op.getIsTwoCta()));
    return success();
  }
};

struct RetrieveLowering final : OpConversionPattern<RetrieveTmemPtrOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(RetrieveTmemPtrOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    constexpr unsigned alignment = 4;
    b.replaceOpWithNewOp<LLVM::LoadOp>(op, b.getI32Type(), adaptor.getSmem(), alignment);
    return success();
  }
};

//===--- loads and stores ---------------------------------------------------------------------===//

/// "{$0, $1}" for operands first .. first + count - 1.
std::string group(int64_t first, int64_t count) {
  std::string text = "{";
  for (int64_t i = 0; i < count; ++i)
    text += cat(i ? ", $" : "$", first + i);
  return text + "}";
}

/// The distance in columns of the two halves that a 16x32bx2 moves: they are neighbours. In a
/// packed form a register is two columns.
std::string secondHalf(const atom::CopyRow &row, int64_t repeats) {
  constexpr int64_t lanes = 16, bits = 32;
  if (row.key.rows != lanes || row.key.columns != bits)
    return "";
  return cat(", ", repeats * (row.key.packed16 ? 2 : 1));
}

struct LoadLowering final : OpConversionPattern<ArchTmemLoadOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(ArchTmemLoadOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    const atom::CopyRow &row = **op.getRow();
    int64_t repeats = op.getNumRep(), count = row.registersFor(repeats);
    std::string constraints;
    for (int64_t i = 0; i < count; ++i)
      constraints += "=r,";
    std::string text = cat(atom::mnemonicFor(row, repeats), " ", group(0, count), ", [$", count,
                           "]", secondHalf(row, repeats), ";");
    Type i32 = b.getI32Type();
    Type results = count == 1 ? i32
                              : Type(LLVM::LLVMStructType::getLiteral(
                                    b.getContext(), SmallVector<Type>(size_t(count), i32)));
    Location loc = op.getLoc();
    Value words =
        inlinePtx(b, loc, text, constraints + "r", adaptor.getSrc(), results).getResult(0);
    if (count != 1)
      words = vector::FromElementsOp::create(b, loc, op.getType(), leavesOf(b, loc, words));
    b.replaceOp(op, words);
    return success();
  }
};

struct StoreLowering final : OpConversionPattern<ArchTmemStoreOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(ArchTmemStoreOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    const atom::CopyRow &row = **op.getRow();
    int64_t repeats = op.getNumRep(), count = row.registersFor(repeats);
    Location loc = op.getLoc();
    SmallVector<Value> operands = {adaptor.getDst()};
    if (count == 1)
      operands.push_back(adaptor.getValue());
    else
      llvm::append_range(operands,
                         vector::ToElementsOp::create(b, loc, adaptor.getValue()).getResults());
    std::string constraints = "r";
    for (int64_t i = 0; i < count; ++i)
      constraints += ",r";
    std::string text = cat(atom::mnemonicFor(row, repeats), " [$0]", secondHalf(row, repeats), ", ",
                           group(1, count), ";");
    inlinePtx(b, loc, text, constraints, operands, {});
    b.eraseOp(op);
    return success();
  }
};

//===--- products -----------------------------------------------------------------------------===//

/// `tcgen05.mma... [d], a, b, idesc, p {, scale};`, A a descriptor or an address.
struct UmmaLowering final : OpConversionPattern<ArchUmmaOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(ArchUmmaOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    atom::UmmaForm form = op.getForm();
    bool fromTmem = isa<cute::PtrType>(op.getA().getType());
    std::string text =
        cat(atom::mnemonic(form, /*vec=*/0), " [$0], ", fromTmem ? "[$1]" : "$1", ", $2, $3, $4");
    if (op.getScale())
      text += cat(", ", op.getScale());
    enterElected(b, op);
    inlinePtx(b, op.getLoc(), text + ";", fromTmem ? "r,r,l,r,b" : "r,l,l,r,b",
              {adaptor.getD(), adaptor.getA(), adaptor.getB(), adaptor.getIdesc(),
               adaptor.getAccumulate()},
              {});
    b.eraseOp(op);
    return success();
  }
};

} // namespace

void addTensorPatterns(RewritePatternSet &patterns, const TypeConverter &types) {
  patterns.add<AllocLowering, RelinquishLowering, DeallocLowering, RetrieveLowering, LoadLowering,
               StoreLowering, UmmaLowering>(types, patterns.getContext());
}

} // namespace tessera::lower
