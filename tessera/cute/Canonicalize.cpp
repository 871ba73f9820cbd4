// Patterns of canonicalisation: parts at hand, a slice of a slice, conversions of conversions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cute/Trace.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cute;
using layout::Int;

namespace {

/// `to_coord(to_shape(t))` is `to_coord(t)`: conversions keep the leaves.
bool isConversion(Operation *op) { return isa<ToIntTupleOp, ToShapeOp, ToStrideOp, ToCoordOp>(op); }

/// Whether a conversion takes a type: shapes and strides are made of an int_tuple only, coordinates
/// of a shape too.
bool converts(Operation *op, Type type) {
  return isa<ToIntTupleOp>(op) || isa<IntTupleType>(type) ||
         (isa<ToCoordOp>(op) && isa<ShapeType>(type));
}

/// An op whose results are known one by one gives way to what they are: a constant, a value that is
/// there, or a tuple of scalars that are there (`get` of a `make_shape`). Layouts and views are
/// not taken apart: they read better as they were made.
struct ReplaceByParts final : OpInterfaceRewritePattern<AlgebraOpInterface> {
  using OpInterfaceRewritePattern::OpInterfaceRewritePattern;

  LogicalResult matchAndRewrite(AlgebraOpInterface op, PatternRewriter &rewriter) const override {
    if (!isPure(op) ||
        isa<MakeIntTupleOp, MakeTupleOp, MakeShapeOp, MakeStrideOp, MakeCoordOp, MakeTileOp>(
            op.getOperation()))
      return failure();
    // Otherwise the folder has done what can be done.
    if (op->getNumResults() == 1 && !isTuple(op->getResult(0).getType()))
      return failure();
    Trace trace;
    std::optional<Data> data = trace.resultsOf(op);
    if (!data)
      return failure();
    bool changed = false;
    for (auto [datum, result] : llvm::zip(*data, op->getResults()))
      if (Value part = result.use_empty() ? Value() : made(trace, datum, result, rewriter)) {
        rewriter.replaceAllUsesWith(result, part);
        changed = true;
      }
    return success(changed);
  }

  static bool isTuple(Type type) {
    return isa<IntTupleType, ShapeType, StrideType, CoordType>(type);
  }

  /// Null, and nothing made, where a leaf takes arithmetic.
  static Value made(const Trace &trace, const Datum &datum, OpResult result,
                    PatternRewriter &rewriter) {
    Type type = result.getType();
    Location loc = result.getOwner()->getLoc();
    OpFoldResult value = folded(trace, datum, result);
    if (auto attribute = dyn_cast_if_present<Attribute>(value)) {
      auto *dialect = rewriter.getContext()->getLoadedDialect<CuteDialect>();
      return dialect->materializeConstant(rewriter, attribute, type, loc)->getResult(0);
    }
    if (auto found = dyn_cast_if_present<Value>(value))
      return found;
    if (!datum.as<TreeDatum>() || !isTuple(type))
      return {};
    SmallVector<Int> leaves;
    Datum copy = datum;
    copy.forEachDynamicLeaf([&](Int &leaf) { leaves.push_back(leaf); });
    if (llvm::any_of(leaves,
                     [&](Int leaf) { return !trace.number(leaf) && !trace.scalarFor(leaf); }))
      return {};
    SmallVector<Value> operands;
    for (Int leaf : leaves)
      operands.push_back(scalar(trace, leaf, loc, rewriter));
    return MakeIntTupleOp::create(rewriter, loc, type, operands);
  }

  static Value scalar(const Trace &trace, Int leaf, Location loc, PatternRewriter &rewriter) {
    if (Value value = trace.scalarFor(leaf))
      return value;
    return arith::ConstantIntOp::create(
        rewriter, loc, rewriter.getIntegerType(layout::bitsOf(leaf.width)), *trace.number(leaf));
  }
};

struct ConversionOfConversion final : OpInterfaceRewritePattern<AlgebraOpInterface> {
  using OpInterfaceRewritePattern::OpInterfaceRewritePattern;

  LogicalResult matchAndRewrite(AlgebraOpInterface op, PatternRewriter &rewriter) const override {
    Operation *inner = isConversion(op) ? op->getOperand(0).getDefiningOp() : nullptr;
    if (!inner || !isConversion(inner) || !converts(op, inner->getOperand(0).getType()))
      return failure();
    rewriter.modifyOpInPlace(op, [&] { op->setOperand(0, inner->getOperand(0)); });
    return success();
  }
};

struct GetOfGet final : OpRewritePattern<GetOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(GetOp op, PatternRewriter &rewriter) const override {
    auto inner = op.getInput().getDefiningOp<GetOp>();
    if (!inner || inner.getMode().empty() || op.getMode().empty())
      return failure();
    SmallVector<int32_t> path(inner.getMode());
    llvm::append_range(path, op.getMode());
    rewriter.replaceOpWithNewOp<GetOp>(op, op.getType(), inner.getInput(), path);
    return success();
  }
};

struct SelectOfSelect final : OpRewritePattern<SelectOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(SelectOp op, PatternRewriter &rewriter) const override {
    auto inner = op.getInput().getDefiningOp<SelectOp>();
    if (!inner)
      return failure();
    SmallVector<int32_t> modes;
    for (int32_t mode : op.getMode()) {
      if (mode < 0 || size_t(mode) >= inner.getMode().size())
        return failure();
      modes.push_back(inner.getMode()[mode]);
    }
    rewriter.replaceOpWithNewOp<SelectOp>(op, op.getType(), inner.getInput(), modes);
    return success();
  }
};

/// slice(slice(x, (_,1,_)), (3,_)) is slice(x, (3,1,_)). Not of a composed layout in a view, whose
/// iterator and layout may share an offset in more ways than one.
struct SliceOfSlice final : OpRewritePattern<SliceOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(SliceOp op, PatternRewriter &rewriter) const override {
    auto inner = op.getInput().getDefiningOp<SliceOp>();
    if (!inner || !inner->hasOneUse())
      return failure();
    if (auto view = dyn_cast<ViewType>(inner.getInput().getType());
        view && view.getViewLayout().composed())
      return failure();
    // The leaves of both coordinates by number: first those of the inner one, then of the outer.
    Datum first = datumOf(inner.getCoord().getType()), second = datumOf(op.getCoord().getType());
    uint32_t next = 0;
    for (Datum *coord : {&first, &second})
      coord->forEachDynamicLeaf([&](Int &leaf) { leaf.id = ++next; });
    std::optional<layout::Tree> both = merged(*first.tree(), *second.tree());
    if (!both)
      return failure();
    SmallVector<uint32_t> order;
    Datum coord(layout::TreeKind::Coord, *both);
    coord.forEachDynamicLeaf([&](Int &leaf) {
      order.push_back(leaf.id - 1);
      leaf.id = layout::Symbolic::anonymous;
    });
    TypeDomain domain;
    Result<Data> sliced = SliceOp::evaluate(domain, {datumOf(inner.getInput().getType()), coord},
                                            {op->getOperands()});
    if (!sliced || domain.arith().overflowed() ||
        typeOf(op.getContext(), sliced->front()) != op.getType())
      return failure();
    Location loc = op.getLoc();
    SmallVector<Value> leaves;
    for (Value from : {inner.getCoord(), op.getCoord()}) {
      SmallVector<Type> types;
      datumOf(from.getType()).forEachDynamicLeaf([&](Int &leaf) {
        types.push_back(rewriter.getIntegerType(layout::bitsOf(leaf.width)));
      });
      if (!types.empty())
        llvm::append_range(
            leaves,
            GetScalarsOp::create(rewriter, loc, types, from, /*only_dynamic=*/true).getResults());
    }
    Type type = typeOf(rewriter.getContext(), coord);
    Value at;
    if (order.empty()) {
      at = StaticOp::create(rewriter, loc, type);
    } else {
      SmallVector<Value> operands;
      for (uint32_t i : order)
        operands.push_back(leaves[i]);
      at = MakeIntTupleOp::create(rewriter, loc, type, operands);
    }
    rewriter.replaceOpWithNewOp<SliceOp>(op, op.getType(), inner.getInput(), at);
    return success();
  }

  /// `first` with its i-th `_` replaced by mode i of `second`. Nothing where `second` counts the
  /// coordinates of several modes by one number.
  static std::optional<layout::Tree> merged(const layout::Tree &first, const layout::Tree &second) {
    if (first.isLeaf())
      return first.leaf().any ? std::optional(second) : std::nullopt;
    if (second.isLeaf())
      return second.leaf().any ? std::optional(first) : std::nullopt;
    size_t next = 0;
    std::optional<layout::Tree> both = fill(first, second, next);
    return next == second.rank() ? both : std::nullopt;
  }
  static std::optional<layout::Tree> fill(const layout::Tree &first, const layout::Tree &second,
                                          size_t &next) {
    if (first.isLeaf()) {
      if (!first.leaf().any)
        return first;
      if (next == second.rank())
        return std::nullopt;
      return second[next++];
    }
    std::vector<layout::Tree> modes;
    for (const layout::Tree &mode : first.modes()) {
      std::optional<layout::Tree> filled = fill(mode, second, next);
      if (!filled)
        return std::nullopt;
      modes.push_back(std::move(*filled));
    }
    return layout::Tree(std::move(modes));
  }
};

} // namespace

void CuteDialect::getCanonicalizationPatterns(RewritePatternSet &patterns) const {
  patterns.add<ReplaceByParts, ConversionOfConversion>(patterns.getContext());
  patterns.add<GetOfGet, SelectOfSelect, SliceOfSlice>(patterns.getContext());
}
