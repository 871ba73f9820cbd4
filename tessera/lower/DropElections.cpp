// DropElections: no election among lanes of which one is left.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// TMA copies and products in tensor memory come with an election of their own, as the warp calls
// them. An author who knows CuTe C++ calls them in a branch that one lane takes. There elect.sync
// of all lanes waits for lanes that never come (PTX ISA 9.7.13.14: the behaviour is undefined if a
// lane that executes it is not in the mask, and it waits for all of the mask), while the lane to
// elect is the one that is there.
#include "tessera/lower/Functions.h"
#include "tessera/lower/Passes.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace tessera::lower {
#define GEN_PASS_DEF_DROPELECTIONS
#include "tessera/lower/Passes.h.inc"

namespace {

constexpr int64_t lanes = 32;

std::optional<int64_t> constantOf(Value value) {
  APInt number;
  if (matchPattern(value, m_ConstantInt(&number)))
    return number.getSExtValue();
  return std::nullopt;
}

/// Numbers that no two lanes of a warp share.
class Lanes {
public:
  explicit Lanes(FunctionOpInterface function) {
    // Threads are counted along x first, so a warp's lie in one row of x where these divide it.
    auto block = function->getAttrOfType<DenseI32ArrayAttr>("nvvm.reqntid");
    ArrayRef<int32_t> extents = block ? block.asArrayRef() : ArrayRef<int32_t>();
    rowsOfX =
        !extents.empty() && (extents[0] % lanes == 0 ||
                             llvm::all_of(extents.drop_front(), [](int32_t n) { return n == 1; }));
  }

  /// Whether a condition holds, or does not hold, for at most one lane of a warp.
  bool atMostOne(Value condition, bool holds) const {
    Operation *op = condition.getDefiningOp();
    if (!op)
      return false;
    if (isa<NVVM::ElectSyncOp>(op))
      return holds;
    if (auto both = dyn_cast<LLVM::AndOp>(op))
      return holds && (atMostOne(both.getLhs(), true) || atMostOne(both.getRhs(), true));
    if (auto either = dyn_cast<LLVM::OrOp>(op))
      return !holds && (atMostOne(either.getLhs(), false) || atMostOne(either.getRhs(), false));
    if (auto opposite = dyn_cast<LLVM::XOrOp>(op)) {
      std::optional<int64_t> with = constantOf(opposite.getRhs());
      return with && (*with & 1) && condition.getType().isInteger(1) &&
             atMostOne(opposite.getLhs(), !holds);
    }
    auto compare = dyn_cast<LLVM::ICmpOp>(op);
    auto equal = holds ? LLVM::ICmpPredicate::eq : LLVM::ICmpPredicate::ne;
    return compare && compare.getPredicate() == equal && constantOf(compare.getRhs()) &&
           differs(compare.getLhs());
  }

private:
  /// Whether each lane has another number.
  bool differs(Value number) const {
    Operation *op = number.getDefiningOp();
    if (!op)
      return false;
    if (isa<NVVM::LaneIdOp>(op))
      return true;
    if (isa<NVVM::ThreadIdXOp>(op))
      return rowsOfX;
    // The number within the warp.
    if (auto mask = dyn_cast<LLVM::AndOp>(op))
      return constantOf(mask.getRhs()) == lanes - 1 && differs(mask.getLhs());
    if (auto rest = dyn_cast<LLVM::URemOp>(op))
      return constantOf(rest.getRhs()) == lanes && differs(rest.getLhs());
    if (auto rest = dyn_cast<LLVM::SRemOp>(op))
      return constantOf(rest.getRhs()) == lanes && differs(rest.getLhs());
    return false;
  }

  bool rowsOfX;
};

/// Whether all ways to a block take one side of a branch: those that come back to where it leads
/// have been there before.
bool isBehind(Block *block, Block *branch, Block *to, DominanceInfo &dominance) {
  return dominance.dominates(to, block) && llvm::all_of(to->getPredecessors(), [&](Block *from) {
           return from == branch || dominance.dominates(to, from);
         });
}

/// Whether at most one lane of each warp comes to a block: a branch that one lane takes is on all
/// ways to it.
bool isOfOneLane(Block *block, const Lanes &lanes, DominanceInfo &dominance) {
  for (DominanceInfoNode *node = dominance.getNode(block)->getIDom(); node;
       node = node->getIDom()) {
    auto branch = dyn_cast<LLVM::CondBrOp>(node->getBlock()->getTerminator());
    if (!branch || branch.getTrueDest() == branch.getFalseDest())
      continue;
    for (bool taken : {true, false})
      if (isBehind(block, node->getBlock(), taken ? branch.getTrueDest() : branch.getFalseDest(),
                   dominance) &&
          lanes.atMostOne(branch.getCondition(), taken))
        return true;
  }
  return false;
}

struct DropElectionsPass : impl::DropElectionsBase<DropElectionsPass> {
  bool canScheduleOn(RegisteredOperationName name) const override {
    return isModuleOrFunction(name);
  }
  void runOnOperation() override {
    bool changed = false;
    forEachFunction(getOperation(), [&](FunctionOpInterface function) {
      Region &body = function.getFunctionBody();
      if (body.empty() || body.hasOneBlock())
        return;
      Lanes lanes(function);
      DominanceInfo dominance(function);
      SmallVector<NVVM::ElectSyncOp> decided;
      body.walk([&](NVVM::ElectSyncOp vote) {
        if (!vote.getMembermask() && isOfOneLane(vote->getBlock(), lanes, dominance))
          decided.push_back(vote);
      });
      for (NVVM::ElectSyncOp vote : decided) {
        OpBuilder b(vote);
        vote.replaceAllUsesWith(
            LLVM::ConstantOp::create(b, vote.getLoc(), b.getBoolAttr(true)).getResult());
        vote.erase();
        changed = true;
      }
    });
    if (!changed)
      markAllAnalysesPreserved();
  }
};

} // namespace
} // namespace tessera::lower
