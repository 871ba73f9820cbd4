// CheckTarget: the SM gate. What a kernel asks of its target is looked up before anything is
// lowered.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// It fails closed: an op, an inline instruction or an atom that the tables do not have is an error.
// It looks at the bodies and arguments of kernels, with nested regions, and at all types in them:
// those of results, block arguments and attributes. An operand is one of these elsewhere.
#include "tessera/lower/InlinePtx.h"
#include "tessera/lower/Passes.h"
#include "tessera/lower/gate/OpNeeds.h"

#include "tessera/atom/Instructions.h"
#include "tessera/cuda/Cuda.h"
#include "tessera/cute_nvgpu/CuteNvgpu.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cute_nvgpu;

namespace tessera::lower {
#define GEN_PASS_DEF_CHECKTARGET
#include "tessera/lower/Passes.h.inc"

namespace {

/// Lets what the tables do not have pass, with a warning: on an op, a function or a module.
constexpr StringLiteral allowUnlistedName = "tessera.allow_unlisted_ptx";

struct CheckTargetPass : impl::CheckTargetBase<CheckTargetPass> {
  using CheckTargetBase::CheckTargetBase;

  void runOnOperation() override {
    Result<atom::Target> parsed = atom::Target::parse(arch);
    if (!parsed) {
      getOperation().emitError() << parsed.reason().text;
      return signalPassFailure();
    }
    target = &*parsed;
    rows.clear();
    outside.clear();
    good = true;
    Builder b(&getContext());
    getOperation()->walk([&](Operation *op) {
      if (auto module = dyn_cast<gpu::GPUModuleOp>(op)) {
        ptxVersion = target->minimumPtx();
        module->setAttr(targetAttrName, b.getStringAttr(target->str()));
        checkAll(module);
        module->setAttr(ptxVersionAttrName, b.getI32IntegerAttr(ptxVersion));
        return WalkResult::skip();
      }
      if (isKernel(op) && !op->getParentOfType<gpu::GPUModuleOp>())
        outside.insert(op);
      if (auto launch = dyn_cast<cuda::LaunchCfgCreateOp>(op))
        checkLaunch(launch);
      return WalkResult::advance();
    });
    for (size_t i = 0; i < outside.size(); ++i) { // grows
      checkAll(outside[i]);
      outside[i]->walk([&](CallOpInterface call) {
        if (Operation *callee = call.resolveCallable())
          outside.insert(callee);
      });
    }
    if (!good)
      signalPassFailure();
  }

  static bool isKernel(Operation *op) {
    return isa<cuda::KernelOp>(op) || (isa<FunctionOpInterface>(op) &&
                                       (op->hasAttr("cute.kernel") || op->hasAttr("gpu.kernel") ||
                                        op->hasAttr("nvvm.kernel")));
  }

  void checkAll(Operation *root) {
    harmless.clear(); // each module has a PTX version of its own
    root->walk<WalkOrder::PreOrder>([&](Operation *op) {
      for (Region &region : op->getRegions())
        for (Block &block : region)
          for (BlockArgument argument : block.getArguments())
            if (!checkType(op, argument.getType(), [&] { return argumentName(op, argument); }))
              return;
      for (Type type : op->getResultTypes())
        if (!checkType(op, type, [] { return std::string(); }))
          return;
      if (!checkAttributes(op))
        return;
      // Between functions stands what the tables do not tell apart (functions, variables).
      if (op->hasAttr(LLVM::LLVMDialect::getModuleLevelAsmAttrName()))
        unlisted(op, "has assembly of the module (llvm.module_asm), and what it needs of a target "
                     "is not looked at; write it as inline PTX in a kernel");
      checkOp(op);
    });
  }

  void refuse(Operation *op, const Twine &text) {
    // Without a note of the whole op where this would be the kernel.
    if (op->getNumRegions())
      emitError(op->getLoc()) << "'" << op->getName() << "' op " << text;
    else
      op->emitOpError() << text;
    good = false;
  }

  //===--- Types -----------------------------------------------------------------------------===//

  static std::string argumentName(Operation *op, BlockArgument argument) {
    bool entry = isa<FunctionOpInterface>(op) && argument.getOwner()->isEntryBlock();
    return cat(entry ? "argument " : "block argument ", int(argument.getArgNumber()), ": ");
  }

  /// Whether it points into the shared memory of the cluster. Of LLVM's pointers the ops say it.
  static bool isOfCluster(Type type) {
    auto pointer = dyn_cast<cute::PtrType>(type);
    return pointer && pointer.getAddressSpace() == cute::AddressSpace::Dsmem;
  }
  /// Formats of numbers that MLIR has and no GPU: LLVM makes calls of a library that is not there.
  static bool isForeign(Type type) {
    return isa<Float80Type, Float128Type, LLVM::LLVMPPCFP128Type, LLVM::LLVMX86AMXType>(type);
  }
  /// Every atom in a type, tiled or not, or of a view that carries one; where pointers point; and
  /// formats of numbers.
  template <class Where> bool checkType(Operation *op, Type type, Where &&where) {
    if (harmless.contains(type.getAsOpaquePointer()))
      return true;
    bool met = true;
    auto check = [&](const auto &row) {
      ptxVersion = std::max(ptxVersion, row.ptxFor(*target));
      if (std::optional<Reason> refusal = atom::refusal(row.name, row.needs, *target)) {
        refuse(op, where() + refusal->text);
        met = false;
      }
    };
    auto checkMnemonic = [&](std::string_view mnemonic) {
      Result<std::vector<const atom::Availability *>> all =
          atom::availabilityOf({std::string(mnemonic)});
      std::optional<Reason> refusal = all ? std::nullopt : std::optional(all.reason());
      for (size_t i = 0; !refusal && i < all->size(); ++i) {
        ptxVersion = std::max(ptxVersion, (*all)[i]->ptxFor(*target));
        refusal = atom::refusal(*(*all)[i], *target);
      }
      if (refusal)
        refuse(op, where() + refusal->text);
      met &= !refusal;
    };
    type.walk<WalkOrder::PreOrder>([&](Type part) {
      if (std::optional<MmaInstance> mma = mmaInstanceOf(part))
        check(*mma->row);
      else if (std::optional<CopyInstance> copy = copyInstanceOf(part)) {
        check(*copy->row);
        // The row's instruction with a modifier that the atom adds.
        if (met && cast<TableCopyAtom>(cute::untiled(part)).getForm().byteMask)
          checkMnemonic(cat(copy->row->mnemonic, ".cp_mask"));
      } else if (isOfCluster(part)) {
        checkMnemonic("mapa.shared::cluster.u32");
      } else if (isForeign(part)) {
        std::string name;
        llvm::raw_string_ostream(name) << part;
        met = unlisted(op, where() + "has the type '" + name +
                               "', which no GPU computes with; use f64 or a smaller format");
      } else
        return WalkResult::advance();
      return met ? WalkResult::skip() : WalkResult::interrupt();
    });
    if (met)
      harmless.insert(type.getAsOpaquePointer());
    return met;
  }

  /// Types in attributes. Functions repeat their arguments there, which have been looked at.
  bool checkAttributes(Operation *op) {
    if (isa<FunctionOpInterface>(op))
      return true;
    DictionaryAttr attributes = op->getDiscardableAttrDictionary();
    if (isa_and_nonnull<CuteNvgpuDialect>(op->getDialect()))
      attributes = op->getAttrDictionary();
    for (NamedAttribute attribute : attributes) {
      if (harmless.contains(attribute.getValue().getAsOpaquePointer()))
        continue;
      bool met = true;
      attribute.getValue().walk([&](Type type) {
        met &= checkType(op, type, [&] {
          return cat("attribute '", std::string_view(attribute.getName().getValue()), "': ");
        });
        return met ? WalkResult::advance() : WalkResult::interrupt();
      });
      if (!met)
        return false;
      harmless.insert(attribute.getValue().getAsOpaquePointer());
    }
    return true;
  }

  //===--- Ops -------------------------------------------------------------------------------===//

  void checkOp(Operation *op) {
    auto [found, fresh] = rows.try_emplace(op->getName());
    if (fresh)
      found->second = opRowOf(op->getName());
    std::optional<OpRow> row = found->second;
    if (!row) {
      unlisted(op, "is in no row of the table of ops, so what it needs of a target is not known; "
                   "use another op or inline PTX");
      return;
    }
    if (row->kind == OpRow::Plain)
      return;
    if (std::optional<atom::UmmaForm> form = ummaFormOf(op))
      if (std::optional<Reason> refusal = atom::ummaRefusal(*form, target))
        return refuse(op, refusal->text);
    const void *text = nullptr; // of inline PTX
    if (auto inlined = dyn_cast<LLVM::InlineAsmOp>(op)) {
      std::string wrong = wrongInlinePtx(inlined.getAsmString(), inlined.getConstraints(),
                                         inlined.getNumOperands());
      if (!wrong.empty())
        return refuse(op, wrong);
      text = inlined.getAsmStringAttr().getAsOpaquePointer();
      if (harmless.contains(text))
        return;
    }
    Result<NeededInstructions> needed = neededInstructions(*row, op);
    if (!needed && needed.reason().id == noIntrinsicId)
      return refuse(op, needed.reason().text);
    if (!needed) {
      unlisted(op, needed.reason().text);
      return;
    }
    bool isText = isa<LLVM::InlineAsmOp>(op) || op->getName().getStringRef() == "nvvm.inline_ptx";
    for (const NeededInstruction &instruction : *needed)
      if (!checkInstruction(op, instruction, isText))
        return;
    if (text)
      harmless.insert(text);
  }

  /// False after an error.
  bool checkInstruction(Operation *op, const NeededInstruction &instruction, bool isText) {
    bool isRegister = StringRef(instruction.text).starts_with("%");
    SmallVector<const atom::Availability *> conditions;
    std::optional<Reason> unknown;
    if (isRegister) {
      Result<const atom::Availability *> one = atom::availabilityOfRegister(instruction.text);
      if (one)
        conditions.push_back(*one);
      else
        unknown = one.reason();
    } else {
      Result<std::vector<const atom::Availability *>> all =
          atom::availabilityOf({instruction.text, instruction.operands, instruction.hasSink});
      if (all)
        conditions.append(all->begin(), all->end());
      else
        unknown = all.reason();
    }
    if (unknown)
      return unlisted(op, unknown->text);
    for (const atom::Availability *condition : conditions) {
      if (std::optional<Reason> refusal = atom::refusal(*condition, *target)) {
        refuse(op, isText ? refusal->text + ": '" + instruction.text + "'" : refusal->text);
        return false;
      }
      ptxVersion = std::max(ptxVersion, condition->ptxFor(*target));
    }
    return true;
  }

  /// What is not in the tables: an error, or a warning if it is allowed. False after an error.
  bool unlisted(Operation *op, const Twine &text) {
    bool allowed = allowUnlisted;
    for (Operation *at = op; at && !allowed; at = at->getParentOp())
      allowed = at->hasAttr(allowUnlistedName);
    if (allowed) {
      op->emitWarning() << "'" << op->getName() << "' op " << text << " (allowed)";
      return true;
    }
    refuse(op, text + "; the attribute " + allowUnlistedName +
                   " lets it pass if the target does have it");
    return false;
  }

  void checkLaunch(cuda::LaunchCfgCreateOp op) {
    APInt bytes;
    if (!matchPattern(op.getDynamicSmemBytes(), m_ConstantInt(&bytes)) ||
        bytes.getSExtValue() <= target->maxDynamicShared())
      return;
    refuse(op, "expects at most " + Twine(target->maxDynamicShared()) +
                   " bytes of dynamic shared memory, what a block of " + target->str() +
                   " can have, but got " + Twine(bytes.getSExtValue()));
  }

  const atom::Target *target = nullptr;
  int ptxVersion = 0; // of the gpu.module at hand
  bool good = true;
  llvm::SetVector<Operation *>
      outside; // kernels that no module of the GPU holds, and what they call
  llvm::DenseMap<OperationName, std::optional<OpRow>> rows;
  llvm::DenseSet<const void *> harmless; // types and attributes that have been looked at
};

} // namespace
} // namespace tessera::lower
