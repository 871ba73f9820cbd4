// Stand-in dialects, and ops that upstream or we lack.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/import/ForeignContext.h"

#include "tessera/cute/Cute.h"
#include "tessera/import/Form.h"
#include "tessera/import/Spellings.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/BuiltinDialect.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/OpImplementation.h"

using namespace mlir;

namespace tessera::import {

namespace detail {
/// The purpose of a foreign context.
class Purpose : public Dialect {
public:
  static constexpr StringLiteral getDialectNamespace() { return "tessera_import"; }
  explicit Purpose(MLIRContext *context)
      : Dialect(getDialectNamespace(), context, TypeID::get<Purpose>()) {}
  MLIRContext *target = nullptr;
  const Version *version = nullptr;
};

class StandIn : public Dialect {
public:
  Attribute parseAttribute(DialectAsmParser &parser, Type type) const override {
    StringAttr name = StringAttr::get(getContext(), getNamespace());
    return OpaqueAttr::get(name, parser.getFullSymbolSpec(),
                           type ? type : NoneType::get(getContext()));
  }
  Type parseType(DialectAsmParser &parser) const override {
    return OpaqueType::get(StringAttr::get(getContext(), getNamespace()),
                           parser.getFullSymbolSpec());
  }
  std::optional<ParseOpHook> getParseOperationHook(StringRef) const override {
    return parseForeignOp;
  }

protected:
  StandIn(StringRef name, MLIRContext *context, TypeID id) : Dialect(name, context, id) {
    allowUnknownOperations();
    allowUnknownTypes();
  }
};

class NvvmStandIn : public StandIn {
public:
  static constexpr StringLiteral getDialectNamespace() { return "nvvm"; }
  explicit NvvmStandIn(MLIRContext *context)
      : StandIn(getDialectNamespace(), context, TypeID::get<NvvmStandIn>()) {}
};

class NvgpuStandIn : public StandIn {
public:
  static constexpr StringLiteral getDialectNamespace() { return "nvgpu"; }
  explicit NvgpuStandIn(MLIRContext *context)
      : StandIn(getDialectNamespace(), context, TypeID::get<NvgpuStandIn>()) {}
};

template <size_t length> struct OpName {
  char text[length] = {};
  constexpr OpName(const char (&literal)[length]) { std::copy_n(literal, length, text); }
};

template <class ConcreteOp> class IsAdded : public OpTrait::TraitBase<ConcreteOp, IsAdded> {};

/// An op that a dialect in use lacks: any operands, any results, read by its row.
template <OpName opName>
class AddedOp : public Op<AddedOp<opName>, OpTrait::ZeroRegions, OpTrait::VariadicResults,
                          OpTrait::ZeroSuccessors, OpTrait::VariadicOperands, IsAdded> {
public:
  using Op<AddedOp<opName>, OpTrait::ZeroRegions, OpTrait::VariadicResults, OpTrait::ZeroSuccessors,
           OpTrait::VariadicOperands, IsAdded>::Op;
  static constexpr StringLiteral getOperationName() { return StringLiteral(opName.text); }
  static ArrayRef<StringRef> getAttributeNames() { return {}; }

  /// The properties that `<{...}>` has in the generic form, for the row to take.
  struct Properties {
    DictionaryAttr all;
    bool operator==(const Properties &other) const { return all == other.all; }
  };
  static LogicalResult setPropertiesFromAttr(Properties &properties, Attribute given,
                                             function_ref<InFlightDiagnostic()> emitError) {
    properties.all = dyn_cast<DictionaryAttr>(given);
    return properties.all ? success() : emitError() << "expects a dictionary, but got " << given;
  }
  static Attribute getPropertiesAsAttr(MLIRContext *, const Properties &properties) {
    return properties.all;
  }
  static llvm::hash_code computePropertiesHash(const Properties &properties) {
    return hash_value(properties.all);
  }
  static std::optional<Attribute> getInherentAttr(MLIRContext *, const Properties &, StringRef) {
    return std::nullopt;
  }
  static void setInherentAttr(Properties &, StringRef, Attribute) {}
  static void populateInherentAttrs(MLIRContext *, const Properties &, NamedAttrList &) {}
  static LogicalResult verifyInherentAttrs(OperationName, NamedAttrList &,
                                           function_ref<InFlightDiagnostic()>) {
    return success();
  }

  static ParseResult parse(OpAsmParser &parser, OperationState &state) {
    return parseForeignOp(parser, state);
  }
};

/// Adds the ops to the dialect if the caller has it.
template <OpName... names> void addOps(MLIRContext &context, StringRef dialectName) {
  if (Dialect *dialect = context.getOrLoadDialect(dialectName))
    (RegisteredOperationName::insert<AddedOp<names>>(*dialect), ...);
}
} // namespace detail

ForeignContext::ForeignContext(MLIRContext &target, const DialectRegistry &ownDialects,
                               const Version &version, Spelling spelling)
    : context(MLIRContext::Threading::DISABLED) {
  const bool theirs = spelling == Spelling::Theirs;
  DialectRegistry registry;
  ownDialects.appendTo(registry);
  registerSpellings(registry);
  if (theirs)
    registry.insert<arith::ArithDialect, cf::ControlFlowDialect, func::FuncDialect, gpu::GPUDialect,
                    LLVM::LLVMDialect, math::MathDialect, scf::SCFDialect, vector::VectorDialect>();
  else
    target.getDialectRegistry().appendTo(registry);
  context.appendDialectRegistry(registry);
  auto *cuteOfTarget = target.getLoadedDialect<cute::CuteDialect>();
  readRatios(cuteOfTarget && cuteOfTarget->readsRatios(), context);
  // The place says which op it is; an error about a module would print it whole.
  context.printOpOnDiagnostic(false);
  context.allowUnregisteredDialects(target.allowsUnregisteredDialects());
  auto *purpose = context.getOrLoadDialect<detail::Purpose>();
  purpose->target = &target;
  if (theirs) {
    purpose->version = &version;
    context.getOrLoadDialect<detail::NvvmStandIn>();
    context.getOrLoadDialect<detail::NvgpuStandIn>();
    // `gpu.module @m [#nvvm.target<...>]` wants attributes that can compile; a promise is enough to
    // verify it.
    context.getOrLoadDialect<BuiltinDialect>()
        ->declarePromisedInterface<gpu::TargetAttrInterface, OpaqueAttr>();
  }
  detail::addOps<"vector.splat", "vector.extractelement", "vector.insertelement">(context,
                                                                                  "vector");
  detail::addOps<"cute.tuple.product", "cute.tuple.product_each", "cute.kernel_smem_size",
                 "cute.memref.alloc_smem", "cute.derefine", "cute.random_delay",
                 "cute.memref.load_vec.grouped", "cute.copy.grouped", "cute.copy_atom_call.grouped",
                 "cute.gemm.grouped", "cute.mma_atom_call.grouped", "cute.prefetch.grouped",
                 "cute.prefetch_atom_call.grouped">(context, "cute");
  detail::addOps<"cute_nvgpu.arch.alloc_smem">(context, "cute_nvgpu");
  detail::addOps<"cuda.launch_cfg.access_policy_window",
                 "cuda.launch_cfg.cluster_scheduling_policy", "cuda.launch_cfg.mem_sync_domain",
                 "cuda.launch_cfg.mem_sync_domain_map",
                 "cuda.launch_cfg.nvlink_util_centric_scheduling",
                 "cuda.launch_cfg.preferred_cluster_dim", "cuda.launch_cfg.priority",
                 "cuda.launch_cfg.shared_mem_carveout", "cuda.launch_cfg.sync_policy">(context,
                                                                                       "cuda");
}

void readRatios(bool reads, MLIRContext &context) {
  if (auto *dialect = static_cast<cute::CuteDialect *>(context.getOrLoadDialect("cute")))
    dialect->setReadsRatios(reads);
}
void readRatios(DialectRegistry &registry) {
  registry.addExtension(
      +[](MLIRContext *, cute::CuteDialect *dialect) { dialect->setReadsRatios(true); });
}
bool hasRatios(StringRef text) { return text.contains("cute_nvgpu"); }

const Version *ForeignContext::version(MLIRContext *context) {
  auto *purpose = context->getLoadedDialect<detail::Purpose>();
  return purpose ? purpose->version : nullptr;
}

MLIRContext *ForeignContext::target(MLIRContext *context) {
  return context->getLoadedDialect<detail::Purpose>()->target;
}

bool isDefined(OperationName name) {
  return name.isRegistered() && !name.hasTrait<detail::IsAdded>();
}

bool isUndefined(OperationName name) {
  static constexpr StringLiteral open[] = {"nvvm", "nvgpu", "llvm"};
  return !name.isRegistered() && llvm::is_contained(open, name.getDialectNamespace());
}

} // namespace tessera::import
