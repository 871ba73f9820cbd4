// ConvertCuteToLLVM: a flat bank of named patterns, and one pattern for all algebra.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cuda/Cuda.h"
#include "tessera/cute/Cute.h"
#include "tessera/cute/Narrowed.h"
#include "tessera/cute_nvgpu/CuteNvgpu.h"
#include "tessera/lower/AtomLoops.h"
#include "tessera/lower/Bank.h"
#include "tessera/lower/Elements.h"
#include "tessera/lower/InlineLocals.h"
#include "tessera/lower/LoweredTypes.h"
#include "tessera/lower/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/Transforms/StructuralTypeConversions.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Func/Transforms/FuncConversions.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/Transforms/Patterns.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Transforms/DialectConversion.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cute;

namespace tessera::lower {
#define GEN_PASS_DEF_CONVERTCUTETOLLVM
#include "tessera/lower/Passes.h.inc"

namespace {

//===--- algebra ------------------------------------------------------------------------------===//

/// The specification's name for the lowering of an op, if it differs from the op's.
constexpr std::pair<StringLiteral, StringLiteral> documentedNames[] = {
    {"cute.make_desc_iter", "MakeDescriptorIteratorOpLowering"},
    {"cute.crd2idx", "CrdToIdxOpLowering"},
    {"cute.tiled_divide", "TiledDivOpLowering"},
    {"cute.local_partition", "PartitionOpLowering"},
    {"cute.tiled.copy.partition_S", "TilePartitionOpLowering"},
    {"cute.tiled.copy.partition_D", "TilePartitionOpLowering"},
};

/// `MakeLayoutOpLowering` for `cute.make_layout`.
std::string loweringNameOf(Operation *op) {
  for (const auto &[known, name] : documentedNames)
    if (op->getName().getStringRef() == known)
      return name.str();
  std::string name;
  bool starts = true;
  for (char c : op->getName().stripDialect()) {
    if (c != '_' && c != '.')
      name += starts ? llvm::toUpper(c) : c;
    starts = c == '_' || c == '.';
  }
  return name + "OpLowering";
}

/// How often each lowering, by its name, has rewritten an op, in the order of first use.
struct Statistics : RewriterBase::Listener {
  std::vector<std::pair<std::string, size_t>> counts;
  void count(StringRef name) {
    auto known = llvm::find_if(counts, [&](const auto &row) { return row.first == name; });
    if (known == counts.end())
      known = counts.insert(counts.end(), {name.str(), 0});
    ++known->second;
  }
  void notifyPatternEnd(const Pattern &pattern, LogicalResult status) override {
    if (succeeded(status) && pattern.getDebugName() != byOp)
      count(pattern.getDebugName());
  }
  /// The name of a pattern that counts by the ops that it takes.
  static constexpr StringLiteral byOp = "AlgebraLowering";
};

/// Any algebra op: its definition, evaluated on the leaves of the lowered operands. One pattern is
/// the lowering of about 90 ops; each counts by its own name.
struct AlgebraLowering final : OpInterfaceConversionPattern<AlgebraOpInterface> {
  AlgebraLowering(const TypeConverter &types, MLIRContext *context, Statistics *used)
      : OpInterfaceConversionPattern(types, context, /*benefit=*/0), used(used) {
    setDebugName(Statistics::byOp);
    setHasBoundedRewriteRecursion(); // an op may become others that are simpler, never itself
  }

  LogicalResult matchAndRewrite(AlgebraOpInterface op, ArrayRef<Value> operands,
                                ConversionPatternRewriter &rewriter) const override {
    if (isa<AddOffsetOp>(op)) // has rows, and is what algebra on pointers becomes
      return failure();
    std::string name = used ? loweringNameOf(op) : "";
    if (failed(lowerByEvaluation(op, operands, rewriter, *getTypeConverter())))
      return failure();
    if (used)
      used->count(name);
    return success();
  }

private:
  Statistics *used; // where it is asked for
};

//===--- values that are not algebra ---------------------------------------------------------===//

/// A value that its type states.
template <class Op> struct StaticLowering final : OpConversionPattern<Op> {
  using OpConversionPattern<Op>::OpConversionPattern;

  LogicalResult matchAndRewrite(Op op, typename Op::Adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Type type = op.getType();
    if (static_cast<const LoweredTypes *>(this->getTypeConverter())->isPacked(type)) {
      Emit emit(rewriter, op->getBlock());
      emit.loc = op.getLoc();
      rewriter.replaceOp(
          op, buildPacked(emit, datumOf(type), type, this->typeConverter->convertType(type)));
      return success();
    }
    rewriter.replaceOpWithNewOp<LLVM::UndefOp>(op, this->typeConverter->convertType(op.getType()));
    return success();
  }
};

/// An atom from its fields.
struct MakeAtomLowering final : OpConversionPattern<MakeAtomOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(MakeAtomOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    Type type = getTypeConverter()->convertType(op.getType());
    bool byAddress = cute_nvgpu::carriesTensorMap(op.getType());
    b.replaceOp(op, byAddress ? adaptor.getFields().front()
                              : fromLeaves(b, op.getLoc(), type, adaptor.getFields()));
    return success();
  }
};
struct AtomGetValueLowering final : OpConversionPattern<cute_nvgpu::AtomGetValueOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(cute_nvgpu::AtomGetValueOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    Type atom = op.getAtom().getType();
    if (cute_nvgpu::carriesTensorMap(atom)) {
      b.replaceOp(op, adaptor.getAtom());
      return success();
    }
    for (auto [i, field] : llvm::enumerate(cute_nvgpu::fieldsOf(atom)))
      if (field.key == op.getField()) {
        b.replaceOpWithNewOp<LLVM::ExtractValueOp>(op, adaptor.getAtom(), int64_t(i));
        return success();
      }
    return op.emitOpError() << "field " << op.getField() << " of " << atom << " is not lowered yet";
  }
};
/// A tiled atom has the fields of its atom.
template <class Op> struct MakeTiledLowering final : OpConversionPattern<Op> {
  using OpConversionPattern<Op>::OpConversionPattern;

  LogicalResult matchAndRewrite(Op op, typename Op::Adaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    b.replaceOp(op, adaptor.getAtom());
    return success();
  }
};

/// A choice between two values of our dialects, leaf by leaf.
struct SelectLowering final : OpConversionPattern<arith::SelectOp> {
  using OpConversionPattern::OpConversionPattern;

  static bool isOurs(Type type) {
    return isa<CuteDialect, cute_nvgpu::CuteNvgpuDialect, cuda::CudaDialect>(type.getDialect());
  }
  LogicalResult matchAndRewrite(arith::SelectOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    Location loc = op.getLoc();
    Type lowered = getTypeConverter()->convertType(op.getType());
    if (!lowered)
      return op.emitOpError("chooses between values of a type that has no form in LLVM: ")
             << op.getType();
    SmallVector<Value> leaves;
    for (auto [yes, no] : llvm::zip(leavesOf(b, loc, adaptor.getTrueValue()),
                                    leavesOf(b, loc, adaptor.getFalseValue())))
      leaves.push_back(arith::SelectOp::create(b, loc, adaptor.getCondition(), yes, no));
    b.replaceOp(op, fromLeaves(b, loc, lowered, leaves));
    return success();
  }
};

/// A value of our dialects that nobody reads.
struct PoisonLowering final : OpConversionPattern<ub::PoisonOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(ub::PoisonOp op, OpAdaptor,
                                ConversionPatternRewriter &b) const override {
    Type lowered = getTypeConverter()->convertType(op.getType());
    if (!lowered)
      return failure();
    b.replaceOpWithNewOp<LLVM::PoisonOp>(op, lowered);
    return success();
  }
};

/// The rows of what is not algebra; others are in MemoryToLLVM.cpp, DivisionToLLVM.cpp and
/// PrintToLLVM.cpp. No row depends on a target.
constexpr BankRow bank[] = {
    {"MakeAtomOpLowering", addPattern<MakeAtomLowering>},
    {"AtomGetValueOpLowering", addPattern<AtomGetValueLowering>},
    {"MakeTiledCopyOpLowering", addPattern<MakeTiledLowering<MakeTiledCopyOp>>},
    {"MakeTiledMmaOpLowering", addPattern<MakeTiledLowering<MakeTiledMmaOp>>},
    {"StaticOpLowering", addPattern<StaticLowering<StaticOp>>},
    {"MakeSwizzleOpLowering", addPattern<StaticLowering<MakeSwizzleOp>>},
    {"SelectLowering", addPattern<SelectLowering>},
    {"PoisonLowering", addPattern<PoisonLowering>},
};

//===--- functions ----------------------------------------------------------------------------===//

/// Parameters without content are dropped, in kernels, in their launches and in host functions.
LogicalResult convertSignature(const TypeConverter &types, TypeRange inputs,
                               TypeConverter::SignatureConversion &conversion) {
  for (auto [i, type] : llvm::enumerate(inputs)) {
    Type lowered = types.convertType(type);
    if (!lowered)
      return failure();
    if (LoweredTypes::hasContent(lowered))
      conversion.addInputs(unsigned(i), lowered);
  }
  return success();
}

/// The return type of a function: results without content are dropped, several become one struct;
/// void if none is left. Null if a type has no form in LLVM.
Type convertResults(MLIRContext *context, const TypeConverter &types, TypeRange results,
                    SmallVectorImpl<Type> *lowered = nullptr) {
  SmallVector<Type> content;
  for (Type result : results) {
    Type type = types.convertType(result);
    if (!type)
      return {};
    if (lowered)
      lowered->push_back(type);
    if (LoweredTypes::hasContent(type))
      content.push_back(type);
  }
  if (content.empty())
    return LLVM::LLVMVoidType::get(context);
  return content.size() == 1 ? content[0] : LLVM::LLVMStructType::getLiteral(context, content);
}

/// The launch attributes of a gpu.func, as NVVM has them; memory that it declares is refused.
LogicalResult convertLaunch(gpu::GPUFuncOp op, LLVM::LLVMFuncOp function) {
  if (op.getNumWorkgroupAttributions() || op.getNumPrivateAttributions())
    return op.emitOpError(
        "expects no memory attributions: declare shared memory with cute_nvgpu.arch.get_dyn_smem");
  if (std::optional<ArrayRef<int32_t>> block = op.getKnownBlockSize())
    function->setAttr("nvvm.reqntid", DenseI32ArrayAttr::get(op.getContext(), *block));
  return success();
}
template <class FuncOp> LogicalResult convertLaunch(FuncOp, LLVM::LLVMFuncOp) { return success(); }

/// Whether nothing outside the module of a GPU can call a function, so that it may go where it is
/// inlined or not used. The host's functions are found by their names.
bool isInternal(Operation *op) {
  bool kernel = llvm::any_of(ArrayRef<StringRef>{"cute.kernel", "gpu.kernel", "nvvm.kernel"},
                             [&](StringRef mark) { return op->hasAttr(mark); });
  auto function = dyn_cast<func::FuncOp>(op);
  return function && function.isPrivate() && !function.isExternal() && !kernel &&
         isa_and_present<gpu::GPUModuleOp>(op->getParentOp());
}

/// `cuda.kernel`, `gpu.func` and `func.func` as `llvm.func`; attributes of the dialects that read
/// them stay.
template <class FuncOp> struct FunctionLowering final : OpConversionPattern<FuncOp> {
  using OpConversionPattern<FuncOp>::OpConversionPattern;

  LogicalResult matchAndRewrite(FuncOp op, typename FuncOp::Adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    const TypeConverter &types = *this->getTypeConverter();
    FunctionType type = op.getFunctionType();
    TypeConverter::SignatureConversion conversion(type.getNumInputs());
    if (failed(convertSignature(types, type.getInputs(), conversion)))
      return op.emitOpError("has a parameter of a type that has no form in LLVM: ") << type;
    Type result = convertResults(op.getContext(), types, type.getResults());
    if (!result)
      return op.emitOpError("has a result of a type that has no form in LLVM: ") << type;
    auto function = LLVM::LLVMFuncOp::create(
        rewriter, op.getLoc(), SymbolTable::getSymbolName(op).getValue(),
        LLVM::LLVMFunctionType::get(result, conversion.getConvertedTypes()));
    function->setDiscardableAttrs(op->getDiscardableAttrDictionary());
    if (isInternal(op))
      function.setLinkage(LLVM::Linkage::Internal);
    if (failed(convertLaunch(op, function)))
      return failure();
    for (unsigned i = 0; i < type.getNumInputs(); ++i) {
      auto mapping = conversion.getInputMapping(i);
      DictionaryAttr attributes = op.getArgAttrDict(i);
      if (mapping && attributes)
        function.setArgAttrs(unsigned(mapping->inputNo), attributes);
      if (mapping && isa<cuda::KernelOp>(op) && cute_nvgpu::carriesTensorMap(type.getInput(i)))
        function.setArgAttr(unsigned(mapping->inputNo),
                            cute_nvgpu::CuteNvgpuDialect::gridConstantAttrName,
                            rewriter.getUnitAttr());
    }
    rewriter.inlineRegionBefore(op.getFunctionBody(), function.getBody(), function.end());
    if (!function.getBody().empty() &&
        failed(rewriter.convertRegionTypes(&function.getBody(), types, &conversion)))
      return failure();
    rewriter.eraseOp(op);
    return success();
  }
};

template <class ReturnOp> struct ReturnLowering final : OpConversionPattern<ReturnOp> {
  using OpConversionPattern<ReturnOp>::OpConversionPattern;

  LogicalResult matchAndRewrite(ReturnOp op, typename ReturnOp::Adaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    SmallVector<Value> content;
    llvm::copy_if(adaptor.getOperands(), std::back_inserter(content),
                  [](Value value) { return LoweredTypes::hasContent(value.getType()); });
    if (content.size() > 1) {
      SmallVector<Type> types(ValueRange(content).getTypes());
      Type type = LLVM::LLVMStructType::getLiteral(op.getContext(), types);
      Value all = LLVM::UndefOp::create(rewriter, op.getLoc(), type);
      for (auto [i, value] : llvm::enumerate(content))
        all = LLVM::InsertValueOp::create(rewriter, op.getLoc(), all, value, int64_t(i));
      content = {all};
    }
    rewriter.replaceOpWithNewOp<LLVM::ReturnOp>(op, TypeRange(), content);
    return success();
  }
};

/// A call passes and takes what the signature has; a result without content is what its type
/// states.
struct CallLowering final : OpConversionPattern<func::CallOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(func::CallOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    SmallVector<Type> lowered;
    Type result =
        convertResults(op.getContext(), *getTypeConverter(), op.getResultTypes(), &lowered);
    if (!result)
      return op.emitOpError("has a result of a type that has no form in LLVM: ")
             << op.getResultTypes();
    SmallVector<Value> arguments;
    llvm::copy_if(adaptor.getOperands(), std::back_inserter(arguments),
                  [](Value value) { return LoweredTypes::hasContent(value.getType()); });
    const bool none = isa<LLVM::LLVMVoidType>(result);
    auto call = LLVM::CallOp::create(b, op.getLoc(), none ? TypeRange() : TypeRange(result),
                                     op.getCallee(), arguments);
    const auto content = llvm::count_if(lowered, LoweredTypes::hasContent);
    SmallVector<Value> results;
    int64_t next = 0;
    for (Type type : lowered)
      if (!LoweredTypes::hasContent(type))
        results.push_back(LLVM::UndefOp::create(b, op.getLoc(), type));
      else if (content == 1)
        results.push_back(call.getResult());
      else
        results.push_back(LLVM::ExtractValueOp::create(b, op.getLoc(), call.getResult(), next++));
    b.replaceOp(op, results);
    return success();
  }
};

/// A function that calls itself, directly or through others: device code has no stack that is deep
/// enough to count on, and the algebra of a call would have to end by itself.
LogicalResult refuseRecursion(Operation *root) {
  WalkResult found = root->walk([&](func::FuncOp start) {
    SmallVector<func::FuncOp> open = {start};
    llvm::SmallPtrSet<Operation *, 8> seen;
    while (!open.empty()) {
      func::FuncOp at = open.pop_back_val();
      WalkResult inside = at.walk([&](func::CallOp call) {
        auto callee =
            SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(call, call.getCalleeAttr());
        if (!callee)
          return WalkResult::advance();
        if (callee == start) {
          call.emitOpError("calls @")
              << callee.getName() << ", which then calls itself (@" << start.getName()
              << "): recursion is not lowered; write it as a loop";
          return WalkResult::interrupt();
        }
        if (seen.insert(callee).second)
          open.push_back(callee);
        return WalkResult::advance();
      });
      if (inside.wasInterrupted())
        return WalkResult::interrupt();
    }
    return WalkResult::advance();
  });
  return failure(found.wasInterrupted());
}

/// Indices that fill leaves and were not expanded: with `checks` it is asserted that they fit.
void finishNarrowing(Operation *root, bool checks) {
  root->walk([&](arith::IndexCastOp op) {
    if (!op->removeDiscardableAttr(narrowedAttrName) || !checks)
      return;
    OpBuilder b(op->getContext());
    b.setInsertionPointAfter(op);
    assertSame(b, op.getLoc(), op.getIn(), op.getOut());
  });
}

/// Refuses configurations that a file states as pointers: the structure of another compiler, whose
/// bytes mean something else here. Host functions of the LLVM dialect stay: nobody calls them.
LogicalResult checkConfiguration(cuda::LaunchExOp op) {
  auto cast = op.getConfig().getDefiningOp<UnrealizedConversionCastOp>();
  if (!cast || !op->getParentOfType<func::FuncOp>())
    return success();
  return op.emitOpError("expects the configuration that cuda.launch_cfg.create makes, but it is a "
                        "pointer, as in dumps from after the lowering of launches: give an "
                        "earlier dump, or run the kernel alone, from its PTX");
}

/// Refuses ops that reach for elements which memory cannot hold, and functions as values.
LogicalResult expectLowerable(Operation *root) {
  WalkResult found = root->walk([](Operation *op) {
    if (auto launch = dyn_cast<cuda::LaunchExOp>(op); launch && failed(checkConfiguration(launch)))
      return WalkResult::interrupt();
    if (isa<func::CallOp>(op) && llvm::any_of(op->getResultTypes(), endsWithItsCall)) {
      op->emitOpError("is not lowered: a result is on the stack of the function that is called, "
                      "and ends with it; run tessera-inline-locals before, and leave "
                      "cuda.return_if_error to the caller");
      return WalkResult::interrupt();
    }
    if (isa<func::ConstantOp, func::CallIndirectOp>(op)) {
      op->emitOpError("is not lowered: functions are called by name, with func.call");
      return WalkResult::interrupt();
    }
    return failed(checkAccess(op)) ? WalkResult::interrupt() : WalkResult::advance();
  });
  return failure(found.wasInterrupted());
}

/// A launch takes what the kernel takes; tensor maps are what their address points to.
struct LaunchLowering final : OpConversionPattern<cuda::LaunchExOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(cuda::LaunchExOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    SmallVector<Value> arguments;
    SmallVector<int32_t> byAddress;
    for (auto [old, argument] : llvm::zip(op.getArguments(), adaptor.getArguments())) {
      if (!LoweredTypes::hasContent(argument.getType()))
        continue;
      if (cute_nvgpu::carriesTensorMap(old.getType()))
        byAddress.push_back(int32_t(arguments.size()));
      arguments.push_back(argument);
    }
    rewriter.modifyOpInPlace(op, [&] {
      op.getArgumentsMutable().assign(arguments);
      if (!byAddress.empty())
        op->setAttr(cute_nvgpu::CuteNvgpuDialect::gridConstantAttrName,
                    rewriter.getDenseI32ArrayAttr(byAddress));
    });
    return success();
  }
};

/// The second registrar, after the bank: signatures, which need every value to be convertible.
constexpr BankRow signatures[] = {
    {"ConvertGPUFuncSignature", addPattern<FunctionLowering<gpu::GPUFuncOp>>},
    {"ConvertCudaKernelSignature", addPattern<FunctionLowering<cuda::KernelOp>>},
    {"ConvertFuncSignature", addPattern<FunctionLowering<func::FuncOp>>},
    {"GPUReturnLowering", addPattern<ReturnLowering<gpu::ReturnOp>>},
    {"CudaReturnLowering", addPattern<ReturnLowering<cuda::ReturnOp>>},
    {"FuncReturnLowering", addPattern<ReturnLowering<func::ReturnOp>>},
    {"FuncCallLowering", addPattern<CallLowering>},
    {"LaunchLowering", addPattern<LaunchLowering>},
};

struct ConvertCuteToLLVMPass : impl::ConvertCuteToLLVMBase<ConvertCuteToLLVMPass> {
  using ConvertCuteToLLVMBase::ConvertCuteToLLVMBase;

  void runOnOperation() override {
    MLIRContext *context = &getContext();
    if (failed(expectDesugared(getOperation(), getArgument())) ||
        failed(refuseRecursion(getOperation())) || failed(expectLowerable(getOperation())))
      return signalPassFailure();
    finishNarrowing(getOperation(), checkLayoutAssumptions);
    if (layoutAbi != "dynamic" && layoutAbi != "packed") {
      getOperation().emitError() << getArgument()
                                 << ": expects layout-abi=dynamic or layout-abi=packed, but got '"
                                 << layoutAbi << "'";
      return signalPassFailure();
    }
    LoweredTypes types(context, checkLayoutAssumptions,
                       layoutAbi == "packed" ? LayoutAbi::Packed : LayoutAbi::Dynamic);
    RewritePatternSet patterns(context);
    for (ArrayRef<BankRow> rows : {ArrayRef<BankRow>(bank), memoryBank(), divisionBank(),
                                   printBank(), floatBank(), ArrayRef<BankRow>(signatures)})
      for (const BankRow &row : rows)
        row.add(patterns, types, row.name);
    Statistics used;
    patterns.add<AlgebraLowering>(types, context, statistics ? &used : nullptr);
    ConversionTarget target(*context);
    target.addIllegalDialect<CuteDialect>();
    target.addIllegalOp<cute_nvgpu::AtomGetValueOp>();
    target.addIllegalOp<cuda::KernelOp, cuda::ReturnOp, func::FuncOp, func::ReturnOp, func::CallOp,
                        gpu::GPUFuncOp, gpu::ReturnOp>();
    target.addLegalDialect<LLVM::LLVMDialect, arith::ArithDialect, vector::VectorDialect>();
    target.addLegalOp<UnrealizedConversionCastOp>();
    target.addDynamicallyLegalOp<arith::SelectOp>(
        [](arith::SelectOp op) { return !SelectLowering::isOurs(op.getType()); });
    target.addDynamicallyLegalOp<ub::PoisonOp>(
        [](ub::PoisonOp op) { return !SelectLowering::isOurs(op.getType()); });
    target
        .addDynamicallyLegalOp<arith::ConstantOp, arith::BitcastOp, arith::ExtFOp, arith::TruncFOp>(
            [](Operation *op) { return !hasForeignFloats(op) && !roundsOtherwise(op); });
    target.addDynamicallyLegalOp<cuda::LaunchExOp>([](cuda::LaunchExOp op) {
      return llvm::all_of(op.getArguments(), [](Value argument) {
        return LoweredTypes::hasContent(argument.getType()) &&
               LLVM::isCompatibleType(argument.getType());
      });
    });
    scf::populateSCFStructuralTypeConversionsAndLegality(types, patterns, target);
    cf::populateCFStructuralTypeConversionsAndLegality(types, patterns, target);
    // Architecture ops take pointers of either dialect: their own pass looks through the casts.
    target.markUnknownOpDynamicallyLegal([](Operation *) { return true; });
    ConversionConfig config;
    config.allowPatternRollback = false;
    config.foldingMode = DialectConversionFoldingMode::Never; // the rows take ops as they stand
    if (statistics)
      config.listener = &used;
    if (failed(applyPartialConversion(getOperation(), target, std::move(patterns), config)))
      return signalPassFailure();
    for (const auto &[name, count] : used.counts)
      llvm::errs() << getArgument() << ": " << count << " " << name << "\n";
  }
};

} // namespace
} // namespace tessera::lower
