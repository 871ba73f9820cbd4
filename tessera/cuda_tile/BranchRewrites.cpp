// Canonicalisation of `if`.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A block of an `if` falls through if it ends in `yield`; else it leaves the `if` for good, and
// what comes after in that case is not reached.
#include "tessera/cuda_tile/CudaTile.h"

#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace tessera::cuda_tile;

namespace {

YieldOp yieldOf(Block *block) {
  return block ? dyn_cast<YieldOp>(block->getTerminator()) : YieldOp();
}
bool leaves(Block *block) { return block && !yieldOf(block); }
bool isEmpty(Block *block) { return yieldOf(block) && llvm::hasSingleElement(*block); }

std::optional<bool> knownCondition(IfOp op) {
  DenseElementsAttr elements;
  if (!matchPattern(op.getCondition(), m_Constant(&elements)))
    return std::nullopt;
  return elements.getSplatValue<bool>();
}
void eraseAfter(Operation *op, PatternRewriter &rewriter) {
  while (op->getNextNode())
    rewriter.eraseOp(&op->getBlock()->back());
}
/// A new `if` with other results and the old one's blocks.
IfOp withResults(IfOp op, TypeRange results, PatternRewriter &rewriter) {
  auto made = IfOp::create(rewriter, op.getLoc(), results, op.getCondition());
  made->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  rewriter.inlineRegionBefore(op.getThenRegion(), made.getThenRegion(), made.getThenRegion().end());
  rewriter.inlineRegionBefore(op.getElseRegion(), made.getElseRegion(), made.getElseRegion().end());
  return made;
}

/// A condition that is known leaves one block, which takes the place of the `if`.
struct KnownCondition : OpRewritePattern<IfOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(IfOp op, PatternRewriter &rewriter) const override {
    std::optional<bool> known = knownCondition(op);
    if (!known)
      return failure();
    Block *block = *known ? op.getThenBlock() : op.getElseBlock();
    if (!block) {
      rewriter.eraseOp(op);
      return success();
    }
    if (YieldOp yield = yieldOf(block)) {
      SmallVector<Value> values(yield.getOperands());
      rewriter.eraseOp(yield);
      rewriter.inlineBlockBefore(block, op);
      rewriter.replaceOp(op, values);
      return success();
    }
    eraseAfter(op, rewriter);
    rewriter.inlineBlockBefore(block, op);
    rewriter.eraseOp(op);
    return success();
  }
};

/// `if not c` is `if c` with its blocks exchanged.
struct NegatedCondition : OpRewritePattern<IfOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(IfOp op, PatternRewriter &rewriter) const override {
    auto exclusive = op.getCondition().getDefiningOp<XOrIOp>();
    DenseElementsAttr ones;
    if (!op.getElseBlock() || !exclusive || !matchPattern(exclusive.getRhs(), m_Constant(&ones)) ||
        !ones.getSplatValue<bool>())
      return failure();
    auto made = IfOp::create(rewriter, op.getLoc(), op.getResultTypes(), exclusive.getLhs());
    made->setDiscardableAttrs(op->getDiscardableAttrDictionary());
    rewriter.inlineRegionBefore(op.getElseRegion(), made.getThenRegion(),
                                made.getThenRegion().end());
    rewriter.inlineRegionBefore(op.getThenRegion(), made.getElseRegion(),
                                made.getElseRegion().end());
    rewriter.replaceOp(op, made.getResults());
    return success();
  }
};

/// Whether the value is defined outside the `if`.
bool isOutside(Value value, IfOp op) {
  return !op->isAncestor(value.getParentBlock()->getParentOp());
}
/// Whether `select` takes the type.
bool isSelectable(Type type) {
  auto tile = dyn_cast<TileType>(type);
  return tile && !isa<Float4E2M1FNType>(tile.getElementType()) &&
         !tile.getElementType().isInteger(4);
}
/// The condition as a tile of a shape.
Value conditionAs(Value condition, ArrayRef<int64_t> shape, Location loc,
                  PatternRewriter &rewriter) {
  if (shape.empty())
    return condition;
  Type i1 = rewriter.getI1Type();
  SmallVector<int64_t> ones(shape.size(), 1);
  Value one = ReshapeOp::create(rewriter, loc, TileType::get(ones, i1), condition);
  if (ArrayRef<int64_t>(ones) == shape)
    return one;
  return BroadcastOp::create(rewriter, loc, TileType::get(shape, i1), one);
}

/// If both values of a result are defined outside the `if`, a select replaces it. If only one block
/// falls through, that block's value replaces it.
struct OutsideValues : OpRewritePattern<IfOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(IfOp op, PatternRewriter &rewriter) const override {
    YieldOp whenTrue = yieldOf(op.getThenBlock()), whenFalse = yieldOf(op.getElseBlock());
    if (!whenTrue && !whenFalse)
      return failure();
    bool changed = false;
    for (OpResult result : op.getResults()) {
      if (result.use_empty())
        continue;
      unsigned i = result.getResultNumber();
      Value yes = whenTrue ? whenTrue.getOperand(i) : whenFalse.getOperand(i);
      Value no = whenFalse ? whenFalse.getOperand(i) : yes;
      if (!isOutside(yes, op) || !isOutside(no, op))
        continue;
      Value chosen = yes;
      if (yes != no) {
        if (!isSelectable(result.getType()))
          continue;
        Value condition =
            conditionAs(op.getCondition(), shapeOf(result.getType()), op.getLoc(), rewriter);
        chosen = SelectOp::create(rewriter, op.getLoc(), result.getType(), condition, yes, no);
      }
      rewriter.replaceAllUsesWith(result, chosen);
      changed = true;
    }
    return success(changed);
  }
};

/// Removes results that nobody uses.
struct UnusedResults : OpRewritePattern<IfOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(IfOp op, PatternRewriter &rewriter) const override {
    SmallVector<Type> types;
    SmallVector<OpResult> kept;
    for (OpResult result : op.getResults())
      if (!result.use_empty()) {
        types.push_back(result.getType());
        kept.push_back(result);
      }
    if (kept.size() == op.getNumResults())
      return failure();
    for (Block *block : {op.getThenBlock(), op.getElseBlock()})
      if (YieldOp yield = yieldOf(block)) {
        SmallVector<Value> values;
        for (OpResult result : kept)
          values.push_back(yield.getOperand(result.getResultNumber()));
        rewriter.modifyOpInPlace(yield, [&] { yield.getOperandsMutable().assign(values); });
      }
    IfOp made = withResults(op, types, rewriter);
    for (auto [before, now] : llvm::zip(kept, made.getResults()))
      rewriter.replaceAllUsesWith(before, now);
    rewriter.eraseOp(op);
    return success();
  }
};

/// Removes an empty `else`, and an `if` without any ops.
struct EmptyBlocks : OpRewritePattern<IfOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(IfOp op, PatternRewriter &rewriter) const override {
    if (op.getNumResults())
      return failure();
    if (isEmpty(op.getElseBlock())) {
      rewriter.eraseBlock(op.getElseBlock());
      return success();
    }
    if (!op.getElseBlock() && isEmpty(op.getThenBlock())) {
      rewriter.eraseOp(op);
      return success();
    }
    return failure();
  }
};

/// If both blocks leave, what follows the `if` is never reached: the `else` block takes its place.
struct BothLeave : OpRewritePattern<IfOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(IfOp op, PatternRewriter &rewriter) const override {
    if (!leaves(op.getThenBlock()) || !leaves(op.getElseBlock()))
      return failure();
    eraseAfter(op, rewriter);
    IfOp made = withResults(op, {}, rewriter);
    Block *unreached = made->getBlock();
    rewriter.eraseOp(op);
    rewriter.inlineBlockBefore(made.getElseBlock(), unreached, unreached->end());
    return success();
  }
};

/// `if a { if b {...} }` is `if a and b {...}`.
struct Nested : OpRewritePattern<IfOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(IfOp op, PatternRewriter &rewriter) const override {
    Block *block = op.getThenBlock();
    auto inner = dyn_cast<IfOp>(block->front());
    if (op.getNumResults() || op.getElseBlock() || !yieldOf(block) || !inner ||
        inner->getNextNode() != block->getTerminator() || inner.getNumResults() ||
        inner.getElseBlock() || !isOutside(inner.getCondition(), op))
      return failure();
    Value both = AndIOp::create(rewriter, op.getLoc(), op.getCondition().getType(),
                                op.getCondition(), inner.getCondition());
    auto made = IfOp::create(rewriter, op.getLoc(), TypeRange(), both);
    rewriter.inlineRegionBefore(inner.getThenRegion(), made.getThenRegion(),
                                made.getThenRegion().end());
    rewriter.replaceOp(op, made);
    return success();
  }
};

/// Two `if`s in a row with the same condition become one.
struct SameCondition : OpRewritePattern<IfOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(IfOp second, PatternRewriter &rewriter) const override {
    auto first = dyn_cast_or_null<IfOp>(second->getPrevNode());
    if (!first || first.getCondition() != second.getCondition())
      return failure();
    if (leaves(first.getThenBlock()) && leaves(first.getElseBlock()))
      return failure();
    SmallVector<Type> types(first.getResultTypes());
    llvm::append_range(types, second.getResultTypes());
    auto made = IfOp::create(rewriter, first.getLoc(), types, first.getCondition());
    made->setDiscardableAttrs(first->getDiscardableAttrDictionary());
    merge(first, first.getThenBlock(), second.getThenBlock(), made.getThenRegion(), rewriter);
    if (first.getElseBlock() || second.getElseBlock())
      merge(first, first.getElseBlock(), second.getElseBlock(), made.getElseRegion(), rewriter);
    rewriter.replaceOp(second, made.getResults().drop_front(first.getNumResults()));
    rewriter.replaceOp(first, made.getResults().take_front(first.getNumResults()));
    return success();
  }

private:
  /// The ops of both blocks; `next` sees what `block` yields instead of the results of the first
  /// `if`.
  static void merge(IfOp first, Block *block, Block *next, Region &into,
                    PatternRewriter &rewriter) {
    Block *merged = rewriter.createBlock(&into);
    if (leaves(block)) {
      rewriter.inlineBlockBefore(block, merged, merged->end());
      return;
    }
    SmallVector<Value> values;
    if (YieldOp yield = yieldOf(block)) {
      llvm::append_range(values, yield.getOperands());
      rewriter.eraseOp(yield);
      rewriter.inlineBlockBefore(block, merged, merged->end());
    }
    if (next) {
      for (auto [result, value] : llvm::zip(first.getResults(), values))
        rewriter.replaceUsesWithIf(result, value, [&](OpOperand &use) {
          return next->getParent()->isAncestor(use.getOwner()->getParentRegion());
        });
      YieldOp yield = yieldOf(next);
      if (yield) {
        llvm::append_range(values, yield.getOperands());
        rewriter.eraseOp(yield);
      }
      rewriter.inlineBlockBefore(next, merged, merged->end());
      if (!yield)
        return;
    }
    rewriter.setInsertionPointToEnd(merged);
    YieldOp::create(rewriter, first.getLoc(), values);
  }
};

} // namespace

void IfOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<KnownCondition, NegatedCondition, OutsideValues, UnusedResults, EmptyBlocks,
               BothLeave, Nested, SameCondition>(context);
}
