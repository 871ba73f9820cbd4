// Verifiers and rewrites of elementwise arithmetic.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cuda_tile/Assembly.h"

#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace tessera::cuda_tile;

#define GET_OP_CLASSES
#include "tessera/cuda_tile/ops/Arithmetic.cpp.inc"

//===-- Modifiers --===//

static LogicalResult verifyFlush(Operation *op, bool flush) {
  Type element = elementOf(op->getResult(0).getType());
  if (flush && !element.isF32())
    return refuse(op, Diag::FlushF32, element);
  return success();
}
static LogicalResult verifyRounding(Operation *op, RoundingMode mode, ArrayRef<RoundingMode> modes,
                                    bool flush = false) {
  if (!llvm::is_contained(modes, mode)) {
    std::string known;
    for (RoundingMode each : modes)
      known += (known.empty() ? "" : ", ") + stringifyRoundingMode(each).str();
    return refuse(op, Diag::RoundingInvalid, known);
  }
  if (failed(verifyFlush(op, flush)))
    return failure();
  // The accurate forms are the default of exp and tanh, whatever the type.
  Type element = elementOf(op->getResult(0).getType());
  bool isAccurate = modes.data() == rounding::full;
  bool narrow = mode == RoundingMode::Approx || (mode == RoundingMode::Full && !isAccurate);
  if (narrow && !element.isF32())
    return refuse(op, Diag::ModeF32, stringifyRoundingMode(mode), element);
  return success();
}

LogicalResult AddFOp::verify() {
  return verifyRounding(*this, getRoundingMode(), rounding::ieee, getFlushToZero());
}
LogicalResult SubFOp::verify() {
  return verifyRounding(*this, getRoundingMode(), rounding::ieee, getFlushToZero());
}
LogicalResult MulFOp::verify() {
  return verifyRounding(*this, getRoundingMode(), rounding::ieee, getFlushToZero());
}
LogicalResult DivFOp::verify() {
  return verifyRounding(*this, getRoundingMode(), rounding::divF, getFlushToZero());
}
LogicalResult FmaOp::verify() {
  return verifyRounding(*this, getRoundingMode(), rounding::ieee, getFlushToZero());
}
LogicalResult SqrtOp::verify() {
  return verifyRounding(*this, getRoundingMode(), rounding::squareRoot, getFlushToZero());
}
LogicalResult ExpOp::verify() { return verifyRounding(*this, getRoundingMode(), rounding::full); }
LogicalResult TanHOp::verify() { return verifyRounding(*this, getRoundingMode(), rounding::full); }
LogicalResult RsqrtOp::verify() { return verifyFlush(*this, getFlushToZero()); }
LogicalResult Exp2Op::verify() { return verifyFlush(*this, getFlushToZero()); }
LogicalResult MaxFOp::verify() { return verifyFlush(*this, getFlushToZero()); }
LogicalResult MinFOp::verify() { return verifyFlush(*this, getFlushToZero()); }

LogicalResult DivIOp::verify() {
  if (failed(verifyRounding(*this, getRounding(), rounding::divI)))
    return failure();
  if (getSignedness() == Signedness::Unsigned && getRounding() == RoundingMode::NegativeInf)
    return refuse(*this, Diag::DivUnsigned, stringifyRoundingMode(getRounding()));
  return success();
}
LogicalResult NegIOp::verify() {
  if (getOverflow() != IntegerOverflow::None && getOverflow() != IntegerOverflow::NoSignedWrap)
    return refuse(*this, Diag::NegOverflow, stringifyIntegerOverflow(getOverflow()));
  return success();
}
LogicalResult SelectOp::verify() {
  if (isa<Float4E2M1FNType>(elementOf(getType())))
    return refuse(*this, Diag::SubByte);
  return success();
}

//===-- Rewrites --===//

namespace {
/// A product goes to the left of a sum, so that fuse-fma has one place to look.
struct ProductFirst : OpRewritePattern<AddFOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(AddFOp op, PatternRewriter &rewriter) const override {
    if (op.getLhs().getDefiningOp<MulFOp>() || !op.getRhs().getDefiningOp<MulFOp>())
      return failure();
    rewriter.modifyOpInPlace(op, [&] {
      Value lhs = op.getLhs();
      op.getLhsMutable().assign(op.getRhs());
      op.getRhsMutable().assign(lhs);
    });
    return success();
  }
};
} // namespace
void AddFOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<ProductFirst>(context);
}

/// Whether the value is a constant of i1 that is the same everywhere.
static std::optional<bool> knownBool(Value value) {
  DenseElementsAttr elements;
  if (!matchPattern(value, m_Constant(&elements)) || !elements.isSplat() ||
      !elements.getElementType().isInteger(1))
    return std::nullopt;
  return elements.getSplatValue<bool>();
}
/// The value of which `value` is the negation, an exclusive or with true.
static Value negated(Value value) {
  auto exclusive = value.getDefiningOp<XOrIOp>();
  if (!exclusive || !elementOf(value.getType()).isInteger(1))
    return {};
  if (knownBool(exclusive.getRhs()) == true)
    return exclusive.getLhs();
  if (knownBool(exclusive.getLhs()) == true)
    return exclusive.getRhs();
  return {};
}

OpFoldResult SelectOp::fold(FoldAdaptor adaptor) {
  if (getValIfTrue() == getValIfFalse())
    return getValIfTrue();
  if (std::optional<bool> known = knownBool(getCond()))
    return *known ? getValIfTrue() : getValIfFalse();
  if (knownBool(getValIfTrue()) == true && knownBool(getValIfFalse()) == false)
    return getCond();
  // `select(a == b, a, b)` is b: where it takes a, the two are equal. Likewise for `!=`.
  if (auto compare = getCond().getDefiningOp<CmpIOp>()) {
    bool sameOperands =
        (compare.getLhs() == getValIfTrue() && compare.getRhs() == getValIfFalse()) ||
        (compare.getRhs() == getValIfTrue() && compare.getLhs() == getValIfFalse());
    if (sameOperands && compare.getComparisonPredicate() == ComparisonPredicate::Equal)
      return getValIfFalse();
    if (sameOperands && compare.getComparisonPredicate() == ComparisonPredicate::NotEqual)
      return getValIfTrue();
  }
  auto cond = dyn_cast_if_present<DenseElementsAttr>(adaptor.getCond());
  auto whenTrue = dyn_cast_if_present<DenseElementsAttr>(adaptor.getValIfTrue());
  auto whenFalse = dyn_cast_if_present<DenseElementsAttr>(adaptor.getValIfFalse());
  if (cond && whenTrue && whenFalse) {
    SmallVector<Attribute> chosen;
    for (auto [which, yes, no] : llvm::zip(cond.getValues<bool>(), whenTrue.getValues<Attribute>(),
                                           whenFalse.getValues<Attribute>()))
      chosen.push_back(which ? yes : no);
    return DenseElementsAttr::get(cast<ShapedType>(getType()), chosen);
  }
  return {};
}

namespace {
/// select(not c, a, b) is select(c, b, a).
struct SelectOfNot : OpRewritePattern<SelectOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(SelectOp op, PatternRewriter &rewriter) const override {
    Value cond = negated(op.getCond());
    if (!cond)
      return failure();
    rewriter.replaceOpWithNewOp<SelectOp>(op, op.getType(), cond, op.getValIfFalse(),
                                          op.getValIfTrue());
    return success();
  }
};
/// A select of a select with the same condition never takes one of the three values.
struct SelectOfSelect : OpRewritePattern<SelectOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(SelectOp op, PatternRewriter &rewriter) const override {
    auto first = op.getValIfTrue().getDefiningOp<SelectOp>();
    auto second = op.getValIfFalse().getDefiningOp<SelectOp>();
    Value yes = first && first.getCond() == op.getCond() ? first.getValIfTrue() : op.getValIfTrue();
    Value no =
        second && second.getCond() == op.getCond() ? second.getValIfFalse() : op.getValIfFalse();
    if (yes == op.getValIfTrue() && no == op.getValIfFalse())
      return failure();
    rewriter.replaceOpWithNewOp<SelectOp>(op, op.getType(), op.getCond(), yes, no);
    return success();
  }
};
/// 0 or 1 by a condition is the condition, or its negation, as a wider integer.
struct SelectToExt : OpRewritePattern<SelectOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(SelectOp op, PatternRewriter &rewriter) const override {
    auto element = dyn_cast<IntegerType>(elementOf(op.getType()));
    if (!element)
      return failure();
    auto known = [&](Value value) -> std::optional<APInt> {
      DenseElementsAttr elements;
      if (!matchPattern(value, m_Constant(&elements)) || !elements.isSplat())
        return std::nullopt;
      return elements.getSplatValue<APInt>();
    };
    std::optional<APInt> yes = known(op.getValIfTrue()), no = known(op.getValIfFalse());
    if (!yes || !no || !((yes->isZero() && no->isOne()) || (yes->isOne() && no->isZero())))
      return failure();
    Value cond = op.getCond();
    // `select(c, true, false)` of i1 is c, which `fold` handles.
    if (yes->isZero()) {
      auto type = cast<TileType>(cond.getType());
      Value ones = ConstantOp::create(rewriter, op.getLoc(), DenseElementsAttr::get(type, true));
      cond = XOrIOp::create(rewriter, op.getLoc(), type, cond, ones);
    } else if (element.getWidth() == 1) {
      return failure();
    }
    if (element.getWidth() == 1)
      rewriter.replaceOp(op, cond);
    else
      rewriter.replaceOpWithNewOp<ExtIOp>(op, op.getType(), cond, Signedness::Unsigned);
    return success();
  }
};
} // namespace
void SelectOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<SelectOfNot, SelectOfSelect, SelectToExt>(context);
}
