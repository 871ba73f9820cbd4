// Orders and scopes of atomic updates.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/ptx/Updates.h"

#include "llvm/CodeGen/TargetLowering.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"

using namespace llvm;

namespace tessera::ptx {

/// What comes after the scope in the instruction of an update: `add.u32`; empty if there is none.
static std::string instructionOf(AtomicRMWInst::BinOp operation, Type *type) {
  unsigned bits = type->getPrimitiveSizeInBits();
  auto of = [&](StringRef name) { return (name + Twine(bits)).str(); };
  switch (operation) {
  case AtomicRMWInst::Add:
  case AtomicRMWInst::Sub: return of("add.u");
  case AtomicRMWInst::And: return of("and.b");
  case AtomicRMWInst::Or: return of("or.b");
  case AtomicRMWInst::Xor: return of("xor.b");
  case AtomicRMWInst::Max: return of("max.s");
  case AtomicRMWInst::Min: return of("min.s");
  case AtomicRMWInst::UMax: return of("max.u");
  case AtomicRMWInst::UMin: return of("min.u");
  case AtomicRMWInst::Xchg: return of("exch.b");
  case AtomicRMWInst::UIncWrap: return of("inc.u");
  case AtomicRMWInst::UDecWrap: return of("dec.u");
  case AtomicRMWInst::FAdd:
    return type->isHalfTy() ? "add.noftz.f16" : type->isBFloatTy() ? "add.noftz.bf16" : of("add.f");
  default: return {};
  }
}
static StringRef spaceOf(unsigned addressSpace) {
  switch (addressSpace) {
  case 1: return "global.";
  case 3: return "shared.";
  default: return "";
  }
}

/// An update of the system's scope as the instruction.
static void makeOfSystem(AtomicRMWInst *update) {
  Type *type = update->getType();
  unsigned bits = type->getPrimitiveSizeInBits();
  std::string name = instructionOf(update->getOperation(), type);
  if (name.empty() || (bits != 16 && bits != 32 && bits != 64))
    return;
  IRBuilder<> code(update);
  Value *operand = update->getValOperand();
  if (update->getOperation() == AtomicRMWInst::Sub)
    operand = code.CreateNeg(operand);
  Type *held = code.getIntNTy(bits);
  StringRef letter = bits == 64 ? "l" : bits == 32 ? "r" : "h";
  const DataLayout &layout = update->getDataLayout();
  bool isWide = layout.getPointerSizeInBits(update->getPointerAddressSpace()) == 64;
  std::string text = (Twine("atom.relaxed.sys.") + spaceOf(update->getPointerAddressSpace()) +
                      name + " $0, [$1], $2;")
                         .str();
  auto *assembly =
      InlineAsm::get(FunctionType::get(held, {update->getPointerOperand()->getType(), held}, false),
                     text, ("=" + letter + (isWide ? ",l," : ",r,") + letter + ",~{memory}").str(),
                     /*hasSideEffects=*/true);
  Value *before =
      code.CreateCall(assembly, {update->getPointerOperand(), code.CreateBitCast(operand, held)});
  update->replaceAllUsesWith(code.CreateBitCast(before, type));
  update->eraseFromParent();
}

void stateUpdates(Module &module, TargetMachine &machine) {
  for (Function &function : module) {
    const TargetLowering *lowering = machine.getSubtargetImpl(function)->getTargetLowering();
    for (Instruction &instruction : make_early_inc_range(instructions(function))) {
      auto *update = dyn_cast<AtomicRMWInst>(&instruction);
      if (!update)
        continue;
      const AtomicOrdering order = update->getOrdering();
      IRBuilder<> code(update);
      auto fence = [&] {
        code.CreateFence(order == AtomicOrdering::SequentiallyConsistent
                             ? order
                             : AtomicOrdering::AcquireRelease,
                         update->getSyncScopeID());
      };
      if (isReleaseOrStronger(order))
        fence();
      code.SetInsertPoint(update->getNextNode());
      if (isAcquireOrStronger(order))
        fence();
      update->setOrdering(AtomicOrdering::Monotonic);
      // LLVM makes a loop around `cas`, whose scope it writes, where there is not an instruction.
      bool isInstruction =
          lowering->shouldExpandAtomicRMWInIR(update) == TargetLowering::AtomicExpansionKind::None;
      if (update->getSyncScopeID() == SyncScope::System && isInstruction)
        makeOfSystem(update);
    }
  }
}

} // namespace tessera::ptx
