// KeepProductLoops: loops of products in tensor memory stay as they are.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The first product of a tile overwrites its sums and the others add to them, so a loop carries the
// flag, false and then true. LLVM takes the first iteration out of such a loop, with all its waits
// and TMA loads, to have the flag constant; the tensor core gains nothing from it.
#include "tessera/lower/Functions.h"
#include "tessera/lower/Passes.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Dominance.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace tessera::lower {
#define GEN_PASS_DEF_KEEPPRODUCTLOOPS
#include "tessera/lower/Passes.h.inc"

namespace {

/// Whether the loop from `header` to the branch back at the end of `latch` has a product.
bool hasProduct(Block *header, Block *latch) {
  llvm::SetVector<Block *> blocks;
  blocks.insert(header);
  blocks.insert(latch);
  for (size_t i = 1; i < blocks.size(); ++i)
    blocks.insert(blocks[i]->pred_begin(), blocks[i]->pred_end());
  return llvm::any_of(blocks, [](Block *block) { return hasTensorProduct(*block); });
}

struct KeepProductLoopsPass : impl::KeepProductLoopsBase<KeepProductLoopsPass> {
  bool canScheduleOn(RegisteredOperationName name) const override {
    return isModuleOrFunction(name);
  }
  void runOnOperation() override {
    bool changed = false;
    forEachFunction(getOperation(), [&](FunctionOpInterface function) {
      Region &body = function.getFunctionBody();
      if (!hasTensorProduct(body))
        return;
      DominanceInfo dominance(function);
      for (Block &latch : body)
        for (Block *header : latch.getSuccessors())
          if (dominance.dominates(header, &latch) && hasProduct(header, &latch)) {
            annotate(latch.getTerminator());
            changed = true;
          }
    });
    if (!changed)
      markAllAnalysesPreserved();
  }

  /// Annotations of the program on the loop stay.
  static void annotate(Operation *branch) {
    MLIRContext *context = branch->getContext();
    auto disable = LLVM::LoopUnrollAttr::get(context, BoolAttr::get(context, true), nullptr,
                                             nullptr, nullptr, nullptr, nullptr, nullptr);
    auto annotation = LLVM::LoopAnnotationAttr::get(
        context, nullptr, nullptr, nullptr, disable, nullptr, nullptr, nullptr, nullptr, nullptr,
        nullptr, nullptr, nullptr, nullptr, nullptr, {});
    if (auto jump = dyn_cast<LLVM::BrOp>(branch); jump && !jump.getLoopAnnotationAttr())
      jump.setLoopAnnotationAttr(annotation);
    else if (auto choice = dyn_cast<LLVM::CondBrOp>(branch);
             choice && !choice.getLoopAnnotationAttr())
      choice.setLoopAnnotationAttr(annotation);
  }
};

} // namespace
} // namespace tessera::lower
