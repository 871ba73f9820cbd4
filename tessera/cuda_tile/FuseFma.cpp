// The pass fuse-fma: products and sums become fused multiply-adds.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cuda_tile/CudaTile.h"
#include "tessera/cuda_tile/Passes.h"

#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace tessera::cuda_tile {
#define GEN_PASS_DEF_FUSEFMA
#include "tessera/cuda_tile/Passes.h.inc"
} // namespace tessera::cuda_tile

using namespace mlir;
using namespace tessera::cuda_tile;

namespace {

/// The product that a value is, if only one op uses it and it is rounded as `like`. A fused one
/// rounds once, so that both have to agree.
template <class Op> MulFOp fusable(Value value, Op like) {
  auto product = value.getDefiningOp<MulFOp>();
  bool agrees = product && product->hasOneUse() &&
                product.getRoundingMode() == like.getRoundingMode() &&
                product.getFlushToZero() == like.getFlushToZero();
  return agrees ? product : MulFOp();
}
/// a * b + c. The canonical form of c + a * b is this too; of a sum of two products NVIDIA's pass,
/// whose results programs are compared with, looks at the first only.
struct FuseSum : OpRewritePattern<AddFOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(AddFOp op, PatternRewriter &rewriter) const override {
    MulFOp product = fusable(op.getLhs(), op);
    if (!product)
      return failure();
    rewriter.replaceOpWithNewOp<FmaOp>(op, op.getType(), product.getLhs(), product.getRhs(),
                                       op.getRhs(), op.getRoundingModeAttr(),
                                       op.getFlushToZeroAttr());
    return success();
  }
};
/// a * b - c is a * b + -c.
struct FuseDifference : OpRewritePattern<SubFOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(SubFOp op, PatternRewriter &rewriter) const override {
    MulFOp product = fusable(op.getLhs(), op);
    if (!product)
      return failure();
    Value addend = NegFOp::create(rewriter, op.getLoc(), op.getType(), op.getRhs());
    rewriter.replaceOpWithNewOp<FmaOp>(op, op.getType(), product.getLhs(), product.getRhs(), addend,
                                       op.getRoundingModeAttr(), op.getFlushToZeroAttr());
    return success();
  }
};

struct FuseFma : tessera::cuda_tile::impl::FuseFmaBase<FuseFma> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    AddFOp::getCanonicalizationPatterns(patterns, &getContext());
    patterns.add<FuseSum, FuseDifference>(&getContext());
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace
