// ScfToCf: regions of control flow become branches.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The patterns are upstream's. Its pass runs them as a conversion of dialects, which asks of every
// op whether it may stay, and notes every op that goes to another block: a function is noted again
// for each branch in it. Here a pattern runs on the ops that it is for, and blocks are split and
// spliced without a note. What no pattern takes stays, and tessera-check-lowered refuses it.
#include "tessera/lower/Functions.h"
#include "tessera/lower/Passes.h"

#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Rewrite/PatternApplicator.h"

using namespace mlir;

namespace tessera::lower {
#define GEN_PASS_DEF_CONVERTSCFTOCF
#include "tessera/lower/Passes.h.inc"

namespace {

struct ConvertScfToCfPass : impl::ConvertScfToCfBase<ConvertScfToCfPass> {
  bool canScheduleOn(RegisteredOperationName name) const override {
    return isModuleOrFunction(name);
  }
  LogicalResult initialize(MLIRContext *context) override {
    RewritePatternSet all(context);
    populateSCFToControlFlowConversionPatterns(all);
    patterns = std::move(all);
    return success();
  }
  void runOnOperation() override {
    bool any = lower<scf::ForallOp>(); // to scf.parallel
    any |= lower<scf::ParallelOp>();   // to scf.for and scf.if
    any |= lower<scf::ExecuteRegionOp, scf::ForOp, scf::IfOp, scf::IndexSwitchOp, scf::WhileOp>();
    if (!any)
      markAllAnalysesPreserved();
  }

private:
  /// Whether there are such ops.
  template <class... Ops> bool lower() {
    SmallVector<Operation *> found; // outer ones first
    getOperation()->walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (isa<Ops...>(op))
        found.push_back(op);
    });
    PatternApplicator applicator(patterns);
    applicator.applyDefaultCostModel();
    PatternRewriter rewriter(&getContext());
    for (Operation *op : found) {
      rewriter.setInsertionPoint(op);
      SmallVector<Value> values; // none: folded in place, if at all
      if (succeeded(rewriter.tryFold(op, values)) && !values.empty())
        rewriter.replaceOp(op, values);
      else
        (void)applicator.matchAndRewrite(op, rewriter);
    }
    return !found.empty();
  }

  FrozenRewritePatternSet patterns;
};

} // namespace
} // namespace tessera::lower
