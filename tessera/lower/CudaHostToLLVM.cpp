// ConvertCudaHostToLLVM: launches as calls of the runtime.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/lower/LoweredTypes.h"
#include "tessera/lower/Passes.h"
#include "tessera/lower/RuntimeCalls.h"

#include "tessera/cuda/Cuda.h"
#include "tessera/cute_nvgpu/CuteNvgpu.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Transforms/DialectConversion.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cuda;

namespace tessera::lower {
#define GEN_PASS_DEF_CONVERTCUDAHOSTTOLLVM
#include "tessera/lower/Passes.h.inc"

namespace {

constexpr StringLiteral byAddressAttrName = cute_nvgpu::CuteNvgpuDialect::gridConstantAttrName;
/// Bytes of a launch configuration, which only the runtime looks into.
constexpr int64_t configBytes = 128;

/// A global string, one for each text; an error where the module has something else of its name.
FailureOr<Value> stringOf(ConversionPatternRewriter &b, Operation *op, StringRef text) {
  auto module = op->getParentOfType<ModuleOp>();
  std::string name = ("tessera_name_" + text).str();
  std::string terminated = text.str() + '\0';
  Operation *known = module.lookupSymbol(name);
  auto global = dyn_cast_or_null<LLVM::GlobalOp>(known);
  if (known && !(global && global.getConstant() && global.getLinkage() == LLVM::Linkage::Internal &&
                 global.getValueOrNull() == b.getStringAttr(terminated))) {
    known->emitError() << "'" << name << "' is the name of a text for launches, which a file may "
                       << "not define as something else; choose another name";
    return failure();
  }
  if (!global) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(module.getBody());
    global = LLVM::GlobalOp::create(
        b, op->getLoc(), LLVM::LLVMArrayType::get(b.getI8Type(), unsigned(terminated.size())),
        /*isConstant=*/true, LLVM::Linkage::Internal, name, b.getStringAttr(terminated));
  }
  return Value(LLVM::AddressOfOp::create(b, op->getLoc(), global));
}

struct CreateLowering final : OpConversionPattern<LaunchCfgCreateOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(LaunchCfgCreateOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    Value config = stackSlot(b, op.getLoc(), b.getI8Type(), configBytes, 16);
    SmallVector<Value> arguments = {config};
    llvm::append_range(arguments, adaptor.getOperands());
    arguments.push_back(LLVM::ConstantOp::create(
        b, op.getLoc(), b.getI32Type(), b.getI32IntegerAttr(int32_t(op.getMaxNumAttrs()))));
    if (failed(callRuntime(b, op, "tessera_rt_launch_config", {}, arguments)))
      return failure();
    b.replaceOp(op, config);
    return success();
  }
};

/// Ops that set one attribute: the runtime function has the op's name.
template <class Op> struct AttributeLowering final : OpConversionPattern<Op> {
  AttributeLowering(const TypeConverter &types, MLIRContext *context, StringRef function)
      : OpConversionPattern<Op>(types, context), function(function) {}

  LogicalResult matchAndRewrite(Op op, typename Op::Adaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    if (failed(callRuntime(b, op, function, {}, adaptor.getOperands())))
      return failure();
    b.eraseOp(op);
    return success();
  }
  StringRef function;
};

struct LaunchLowering final : OpConversionPattern<LaunchExOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(LaunchExOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    Location loc = op.getLoc();
    Type pointer = LLVM::LLVMPointerType::get(b.getContext());
    int64_t count = int64_t(adaptor.getArguments().size());
    Value array = stackSlot(b, loc, pointer, std::max<int64_t>(1, count), 8);
    // An address that stands for what it points to is the place of the parameter's value already.
    auto byAddress = op->getAttrOfType<DenseI32ArrayAttr>(byAddressAttrName);
    for (auto [i, argument] : llvm::enumerate(adaptor.getArguments())) {
      bool placed = byAddress && llvm::is_contained(byAddress.asArrayRef(), int32_t(i));
      Value slot = placed ? argument : stackSlot(b, loc, argument.getType(), 1, 16);
      if (!placed)
        LLVM::StoreOp::create(b, loc, argument, slot);
      Value entry =
          LLVM::GEPOp::create(b, loc, pointer, pointer, array, ArrayRef<LLVM::GEPArg>{int32_t(i)});
      LLVM::StoreOp::create(b, loc, slot, entry);
    }
    SymbolRefAttr callee = op.getCallee();
    FailureOr<Value> moduleName = stringOf(b, op, callee.getRootReference());
    FailureOr<Value> kernelName = stringOf(b, op, callee.getLeafReference());
    if (failed(moduleName) || failed(kernelName))
      return failure();
    FailureOr<Value> result = callRuntime(
        b, op, "tessera_rt_launch", b.getI32Type(),
        {*moduleName, *kernelName, adaptor.getConfig(), array,
         LLVM::ConstantOp::create(b, loc, b.getI32Type(), b.getI32IntegerAttr(int32_t(count)))});
    if (failed(result))
      return failure();
    b.replaceOp(op, *result);
    return success();
  }
};

/// Streams are pointers, results i32.
struct CastLowering final : OpConversionPattern<CastOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(CastOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    Value input = adaptor.getInput();
    Type to = getTypeConverter()->convertType(op.getType());
    Type from = input.getType();
    if (from == to)
      b.replaceOp(op, input);
    else if (isa<LLVM::LLVMPointerType>(to))
      b.replaceOpWithNewOp<LLVM::IntToPtrOp>(op, to, input);
    else if (isa<LLVM::LLVMPointerType>(from))
      b.replaceOpWithNewOp<LLVM::PtrToIntOp>(op, to, input);
    else if (from.getIntOrFloatBitWidth() < to.getIntOrFloatBitWidth())
      b.replaceOpWithNewOp<LLVM::SExtOp>(op, to, input);
    else
      b.replaceOpWithNewOp<LLVM::TruncOp>(op, to, input);
    return success();
  }
};

/// The block splits: an error returns at once.
struct ReturnIfErrorLowering final : OpConversionPattern<ReturnIfErrorOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(ReturnIfErrorOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    Location loc = op.getLoc();
    auto function = op->getParentOfType<LLVM::LLVMFuncOp>();
    if (!function || op->getParentOp() != function)
      return op.emitOpError("expects to be in the body of a host function");
    Block *before = op->getBlock();
    Block *after = b.splitBlock(before, std::next(op->getIterator()));
    Block *leave = b.createBlock(after);
    bool isVoid = isa<LLVM::LLVMVoidType>(function.getFunctionType().getReturnType());
    if (isVoid)
      LLVM::ReturnOp::create(b, loc, ValueRange());
    else
      LLVM::ReturnOp::create(b, loc, adaptor.getStatus());
    b.setInsertionPointToEnd(before);
    Value zero = LLVM::ConstantOp::create(b, loc, b.getI32Type(), b.getI32IntegerAttr(0));
    Value bad = LLVM::ICmpOp::create(b, loc, LLVM::ICmpPredicate::ne, adaptor.getStatus(), zero);
    LLVM::CondBrOp::create(b, loc, bad, leave, after);
    b.eraseOp(op);
    return success();
  }
};

struct ConvertCudaHostToLLVMPass : impl::ConvertCudaHostToLLVMBase<ConvertCudaHostToLLVMPass> {
  void runOnOperation() override {
    MLIRContext *context = &getContext();
    LoweredTypes types(context);
    RewritePatternSet patterns(context);
    patterns.add<CreateLowering, LaunchLowering, CastLowering, ReturnIfErrorLowering>(types,
                                                                                      context);
    patterns.add<AttributeLowering<LaunchCfgClusterDimOp>>(types, context,
                                                           "tessera_rt_launch_cluster");
    patterns.add<AttributeLowering<LaunchCfgProgrammaticStreamSerializationAllowedOp>>(
        types, context, "tessera_rt_launch_programmatic");
    patterns.add<AttributeLowering<LaunchCfgCooperativeOp>>(types, context,
                                                            "tessera_rt_launch_cooperative");
    ConversionTarget target(*context);
    target.addIllegalDialect<CudaDialect>();
    target.markUnknownOpDynamicallyLegal([](Operation *) { return true; });
    if (failed(applyPartialConversion(getOperation(), target, std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace
} // namespace tessera::lower
