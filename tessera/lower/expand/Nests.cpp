// Loops of several dimensions as nests: a thread runs their iterations one after the other.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/lower/expand/Steps.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Transforms/Transforms.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;

namespace tessera::lower {

/// The ops of a block but its terminator, cloned.
static void cloneBody(OpBuilder &b, Block &block, IRMapping &map) {
  for (Operation &op : block.without_terminator())
    b.clone(op, map);
}

/// A reduction combines what the loops carry with what an iteration gives.
static void nest(IRRewriter &b, scf::ParallelOp op) {
  b.setInsertionPoint(op);
  scf::LoopNest loops = scf::buildLoopNest(
      b, op.getLoc(), op.getLowerBound(), op.getUpperBound(), op.getStep(), op.getInitVals(),
      [&](OpBuilder &inside, Location, ValueRange counters, ValueRange carried) {
        IRMapping map;
        map.map(op.getInductionVars(), counters);
        cloneBody(inside, *op.getBody(), map);
        auto reduce = cast<scf::ReduceOp>(op.getBody()->getTerminator());
        scf::ValueVector yielded;
        for (auto [i, given] : llvm::enumerate(reduce.getOperands())) {
          Block &combine = reduce.getReductions()[i].front();
          map.map(combine.getArgument(0), carried[i]);
          map.map(combine.getArgument(1), map.lookupOrDefault(given));
          cloneBody(inside, combine, map);
          yielded.push_back(map.lookupOrDefault(combine.getTerminator()->getOperand(0)));
        }
        return yielded;
      });
  b.replaceOp(op, loops.results);
}

Changed nestLoops(FunctionOpInterface function) {
  SmallVector<Operation *> loops; // inner ones first
  function->walk([&](Operation *op) {
    if (isa<scf::ParallelOp, scf::ForallOp>(op))
      loops.push_back(op);
  });
  for (Operation *op : loops) {
    IRRewriter b(op);
    if (auto parallel = dyn_cast<scf::ParallelOp>(op))
      nest(b, parallel);
    else if (auto forall = cast<scf::ForallOp>(op);
             forall.getNumResults() != 0 || failed(scf::forallToForLoop(b, forall)))
      return op->emitOpError("expects no shared tensors: write to memory in the loop");
  }
  return !loops.empty();
}

} // namespace tessera::lower
