// ConvertCuteNvgpuToNVVM: architecture ops as NVVM ops, intrinsics or inline PTX, as the rows say.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/lower/LoweredTypes.h"
#include "tessera/lower/Passes.h"
#include "tessera/lower/families/Families.h"

#include "tessera/atom/Instructions.h"
#include "tessera/cute_nvgpu/CuteNvgpu.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
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

/// Whether a target of the kernels below `root` has the unit's instruction. It is not known of
/// kernels without a target, and of code that is in no `gpu.module`.
bool isForATarget(const Unit &unit, Operation *root) {
  if (unit.instruction.empty())
    return true;
  bool is = true;
  root->walk([&](gpu::GPUModuleOp kernels) {
    auto name = kernels->getAttrOfType<StringAttr>(targetAttrName);
    Result<atom::Target> target = atom::Target::parse(name ? name.getValue().str() : "");
    is = !target || atom::hasInstruction(*target, unit.instruction);
    return is ? WalkResult::interrupt() : WalkResult::advance();
  });
  return is;
}

struct ConvertCuteNvgpuToNVVMPass : impl::ConvertCuteNvgpuToNVVMBase<ConvertCuteNvgpuToNVVMPass> {
  void runOnOperation() override {
    MLIRContext *context = &getContext();
    LoweredTypes types(context);
    RewritePatternSet patterns(context);
    patterns.add<GetDynSmemLowering, GetDynSmemSizeLowering, MakeWarpUniformLowering>(types,
                                                                                      context);
    for (const Unit *unit : units())
      if (isForATarget(*unit, getOperation()))
        unit->addPatterns(patterns, types);
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
