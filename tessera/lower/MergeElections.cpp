// MergeElections: one election for a run of what single lanes execute.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products, commits and TMA copies each come with an election of their own, as each stands alone in
// CuTe IR. elect.sync elects the same lane of the same warp every time (PTX ISA 9.7.13.14), so
// where nothing but arithmetic is between two such branches, they are one. A product for itself
// costs about ten instructions, one of four in a branch six (docs/blackwell.md). Only in functions
// with products in tensor memory: elsewhere it has not been measured.
#include "tessera/lower/Functions.h"
#include "tessera/lower/Passes.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;

namespace tessera::lower {
#define GEN_PASS_DEF_MERGEELECTIONS
#include "tessera/lower/Passes.h.inc"

namespace {

/// A block that ends with an election: `elected` is what the one lane executes, `after` where all
/// go on.
struct Election {
  Block *before;
  NVVM::ElectSyncOp vote;
  Block *elected, *after;
};

std::optional<Election> electionAt(Block *block) {
  auto branch = dyn_cast<LLVM::CondBrOp>(block->getTerminator());
  if (!branch || !branch.getTrueDestOperands().empty() || !branch.getFalseDestOperands().empty())
    return std::nullopt;
  auto vote = branch.getCondition().getDefiningOp<NVVM::ElectSyncOp>();
  if (!vote || vote.getMembermask() || vote->getBlock() != block || !vote->hasOneUse())
    return std::nullopt;
  Block *elected = branch.getTrueDest(), *after = branch.getFalseDest();
  auto back = dyn_cast<LLVM::BrOp>(elected->getTerminator());
  if (elected == after || elected->getSinglePredecessor() != block || !back ||
      back.getDest() != after || !back.getDestOperands().empty())
    return std::nullopt;
  return Election{block, vote, elected, after};
}

/// Whether all lanes come to `second` from `first` only, and do nothing but arithmetic on the way.
bool follows(const Election &first, const Election &second) {
  for (Block *from : first.after->getPredecessors())
    if (from != first.before && from != first.elected)
      return false;
  for (Operation &op : first.after->without_terminator())
    if (&op != second.vote && !isMemoryEffectFree(&op))
      return false;
  return second.before == first.after && second.after != first.before;
}

/// Code in between moves before the first vote; the second elected block follows the first.
void merge(const Election &first, const Election &second) {
  SmallVector<Operation *> between;
  for (Operation &op : first.after->without_terminator())
    if (&op != second.vote)
      between.push_back(&op);
  for (Operation *op : between)
    op->moveBefore(first.vote);
  first.elected->getTerminator()->erase();
  first.elected->getOperations().splice(first.elected->end(), second.elected->getOperations());
  first.before->getTerminator()->setSuccessor(second.after, 1);
  first.after->getTerminator()->erase();
  second.vote->erase();
  first.after->erase();
  second.elected->erase();
}

struct MergeElectionsPass : impl::MergeElectionsBase<MergeElectionsPass> {
  bool canScheduleOn(RegisteredOperationName name) const override {
    return isModuleOrFunction(name);
  }
  void runOnOperation() override {
    bool changed = false;
    forEachFunction(getOperation(), [&](FunctionOpInterface function) {
      if (!hasTensorProduct(function.getFunctionBody()))
        return;
      // A merge erases other blocks only, and gives this one another successor to look at.
      for (Block &block : function.getFunctionBody())
        while (std::optional<Election> first = electionAt(&block)) {
          std::optional<Election> second = electionAt(first->after);
          if (!second || !follows(*first, *second))
            break;
          merge(*first, *second);
          changed = true;
        }
    });
    if (!changed)
      markAllAnalysesPreserved();
  }
};

} // namespace
} // namespace tessera::lower
