// CuteDesugar: sugar becomes primitive cute, scf and arith ops, in three ordered phases.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shapes first, since layouts are built on them; then strides; then layouts, views, comparisons, atoms and
// prints. The pass never looks at a target. Loops over atom calls are in AtomLoops.cpp.
#include "tessera/lower/AtomLoops.h"
#include "tessera/lower/LoopAnnotation.h"
#include "tessera/lower/Passes.h"
#include "tessera/lower/Printing.h"

#include "tessera/cute/Build.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cute;

namespace tessera::lower {
#define GEN_PASS_DEF_CUTEDESUGAR
#include "tessera/lower/Passes.h.inc"

namespace {

bool isStatic(Type type) {
  auto maybe = dyn_cast<MaybeStaticType>(type);
  return maybe && maybe.isStatic();
}

//===--- phases 1 and 2: tuples -------------------------------------------------------------------------------===//

/// A tuple of `type` as a primitive: `make_int_tuple` (its type keeps the kind), or `static` without operands.
Value makeTuple(IRRewriter &b, Location loc, Type type, ValueRange operands) {
  if (isStatic(type))
    return StaticOp::create(b, loc, type);
  SmallVector<Value> leaves;
  for (Value operand : operands)
    leaves.push_back(operand.getType().isIndex() ? Value(arith::IndexCastOp::create(b, loc, b.getI32Type(), operand)) : operand);
  return MakeIntTupleOp::create(b, loc, type, leaves);
}

LogicalResult rewriteTuple(IRRewriter &b, Operation *op) {
  b.replaceOp(op, makeTuple(b, op->getLoc(), op->getResult(0).getType(), op->getOperands()));
  return success();
}

//===--- phase 3: layouts ---------------------------------------------------------------------------------------===//

LogicalResult rewriteMakeLayout(IRRewriter &b, MakeLayoutOp op) {
  if (isStatic(op.getType())) {
    b.replaceOpWithNewOp<StaticOp>(op, op.getType());
    return success();
  }
  FailureOr<MakeLayoutRawOp> raw = build<MakeLayoutRawOp>(b, op.getLoc(), op->getOperands());
  if (failed(raw))
    return failure();
  b.replaceOp(op, *raw);
  return success();
}

/// A layout from its leaves, `make_layout(shape = ..., stride = ...)`: shape, stride and make_layout_raw.
LogicalResult rewriteMakeTuple(IRRewriter &b, MakeTupleOp op) {
  auto type = dyn_cast<LayoutType>(op.getType());
  if (!type)
    return success();
  auto shape = ShapeType::get(b.getContext(), type.getValue().shape);
  auto stride = StrideType::get(b.getContext(), type.getValue().stride);
  size_t extents = 0;
  datumOf(shape).forEachDynamicLeaf([&](layout::Int &) { ++extents; });
  Value s = makeTuple(b, op.getLoc(), shape, op.getLeaves().take_front(extents));
  Value d = makeTuple(b, op.getLoc(), stride, op.getLeaves().drop_front(extents));
  b.replaceOpWithNewOp<MakeLayoutRawOp>(op, type, s, d);
  return success();
}

LogicalResult rewriteMakeComposedLayout(IRRewriter &b, MakeComposedLayoutOp op) {
  if (isStatic(op.getType())) {
    b.replaceOpWithNewOp<StaticOp>(op, op.getType());
    return success();
  }
  Value inner = op.getInner();
  if (isa<SwizzleType>(inner.getType()))
    inner = MakeSwizzleOp::create(b, op.getLoc(), inner.getType());
  FailureOr<MakeComposedLayoutRawOp> raw = build<MakeComposedLayoutRawOp>(
      b, op.getLoc(), {op.getOuter(), inner, op.getOffset()});
  if (failed(raw))
    return failure();
  b.replaceOp(op, *raw);
  return success();
}

//===--- phase 3: views -----------------------------------------------------------------------------------------===//

/// A tensor form: get_iter, get_layout and make_view.
LogicalResult rewriteMakeTensor(IRRewriter &b, MakeTensorOp op) {
  Value iterator = op.getSource(), l = op.getLayout();
  if (isa<ViewType>(iterator.getType())) {
    FailureOr<GetIterOp> start = build<GetIterOp>(b, op.getLoc(), op.getSource());
    FailureOr<GetLayoutOp> own = l ? FailureOr<GetLayoutOp>() : build<GetLayoutOp>(b, op.getLoc(), op.getSource());
    if (failed(start) || (!l && failed(own)))
      return failure();
    iterator = *start;
    l = l ? l : Value(*own);
  }
  b.replaceOpWithNewOp<MakeViewOp>(op, op.getType(), iterator, l);
  return success();
}

/// An op that maps the layout of a view and keeps its iterator: get_iter, get_layout, the op, make_view.
LogicalResult rewriteOnLayout(IRRewriter &b, Operation *op) {
  Value view = op->getOperand(0);
  Location loc = op->getLoc();
  FailureOr<GetIterOp> iterator = build<GetIterOp>(b, loc, view);
  FailureOr<GetLayoutOp> layout = build<GetLayoutOp>(b, loc, view);
  if (failed(iterator) || failed(layout))
    return failure();
  Operation *mapped = b.clone(*op);
  mapped->setOperand(0, *layout);
  Datum result = datumOf(op->getResult(0).getType());
  mapped->getResult(0).setType(typeOf(b.getContext(), result.as<View>()->layout));
  b.replaceOpWithNewOp<MakeViewOp>(op, op->getResult(0).getType(), *iterator, mapped->getResult(0));
  return success();
}

/// local_tile: zipped_divide by the projected tiler, then a slice of the rests at the projected coordinate.
LogicalResult rewriteLocalTile(IRRewriter &b, LocalTileOp op) {
  Location loc = op.getLoc();
  Value tiler = op.getTiler(), coord = op.getCoord();
  layout::Tree at = cast<CoordType>(coord.getType()).getValue();
  if (op.getProj()) {
    layout::Tree proj = layout::wrap(op.getProj()->getValue());
    while (at.isTuple() && proj.rank() < at.rank())
      proj.modes().emplace_back(layout::Leaf(1));
    auto diced = [&](Value value) -> Value {
      NamedAttrList attrs;
      attrs.set("coord", CoordAttr::get(b.getContext(), proj));
      FailureOr<DiceOp> op = build<DiceOp>(b, loc, value, attrs);
      return failed(op) ? Value() : Value(*op);
    };
    tiler = diced(tiler);
    coord = tiler ? diced(coord) : Value();
    if (!coord)
      return failure();
    at = cast<CoordType>(coord.getType()).getValue();
  }
  FailureOr<ZippedDivideOp> tiled = build<ZippedDivideOp>(b, loc, {op.getInput(), tiler});
  if (failed(tiled))
    return failure();
  layout::AnyLayout l = cast<ViewType>(tiled->getType()).getViewLayout();
  layout::Tree keepTile = layout::repeat(layout::Leaf::underscore(), l.shape()[0].rank());
  layout::Tree rest = at;
  if (l.shape()[1].isTuple()) {
    rest = layout::wrap(at);
    while (rest.rank() < l.shape()[1].rank())
      rest.modes().emplace_back(layout::Leaf::underscore());
  }
  auto sliceType = CoordType::get(b.getContext(), layout::Tree::of({keepTile, rest}));
  Value sliceCoord;
  if (sliceType.isStatic()) {
    sliceCoord = StaticOp::create(b, loc, sliceType);
  } else {
    SmallVector<Type> scalarTypes;
    Datum(layout::TreeKind::Coord, at).forEachDynamicLeaf([&](layout::Int &x) {
      scalarTypes.push_back(b.getIntegerType(x.width == layout::Width::I64 ? 64 : 32));
    });
    auto scalars = GetScalarsOp::create(b, loc, scalarTypes, coord, /*only_dynamic=*/true);
    sliceCoord = MakeIntTupleOp::create(b, loc, sliceType, scalars.getScalars());
  }
  FailureOr<SliceOp> sliced = build<SliceOp>(b, loc, {*tiled, sliceCoord});
  if (failed(sliced))
    return failure();
  b.replaceOp(op, *sliced);
  return success();
}

/// Views and layouts are equal if shapes and strides are.
LogicalResult rewriteEqual(IRRewriter &b, EqualOp op) {
  Datum left = datumOf(op.getLhs().getType()), right = datumOf(op.getRhs().getType());
  Location loc = op.getLoc();
  if (left.tree() && right.tree()) {
    FailureOr<TupleEqOp> same = build<TupleEqOp>(b, loc, {op.getLhs(), op.getRhs()});
    if (failed(same))
      return failure();
    b.replaceOp(op, *same);
    return success();
  }
  const layout::AnyLayout *l = left.anyLayout(), *r = right.anyLayout();
  if (!l || !r || !l->affine() || !r->affine())
    return success(); // composed layouts are compared part by part when they are evaluated
  auto part = [&](auto tag) -> Value {
    using Get = typename decltype(tag)::type;
    FailureOr<Get> x = build<Get>(b, loc, op.getLhs()), y = build<Get>(b, loc, op.getRhs());
    if (failed(x) || failed(y))
      return {};
    FailureOr<TupleEqOp> same = build<TupleEqOp>(b, loc, {*x, *y});
    return failed(same) ? Value() : Value(*same);
  };
  Value shapes = part(std::type_identity<GetShapeOp>());
  Value strides = part(std::type_identity<GetStrideOp>());
  if (!shapes || !strides)
    return failure();
  b.replaceOpWithNewOp<arith::AndIOp>(op, shapes, strides);
  return success();
}

/// An atom without run-time fields is the value that its type states.
LogicalResult rewriteAtomBuilder(IRRewriter &b, Operation *op) {
  Type type = op->getResult(0).getType();
  if (isStatic(type))
    b.replaceOpWithNewOp<StaticOp>(op, type);
  return success();
}

/// CuTe DSL writes the attribute without the dialect that scf-to-cf looks for.
void renameLoopAnnotation(Operation *op) {
  if (Attribute annotation = op->removeDiscardableAttr("loop_annotation"))
    op->setDiscardableAttr(loopAnnotationName, annotation);
}

//===--- phases -------------------------------------------------------------------------------------------------===//

LogicalResult shapes(IRRewriter &b, Operation *op) {
  return isa<MakeShapeOp, MakeCoordOp, MakeTileOp>(op) ? rewriteTuple(b, op) : success();
}
LogicalResult strides(IRRewriter &b, Operation *op) {
  return isa<MakeStrideOp>(op) ? rewriteTuple(b, op) : success();
}
LogicalResult layoutsViewsAtoms(IRRewriter &b, Operation *op) {
  return TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](MakeLayoutOp op) { return rewriteMakeLayout(b, op); })
      .Case([&](MakeTupleOp op) { return rewriteMakeTuple(b, op); })
      .Case([&](MakeTensorOp op) { return rewriteMakeTensor(b, op); })
      .Case([&](MakeComposedLayoutOp op) { return rewriteMakeComposedLayout(b, op); })
      .Case<CompositionOp, CoalesceOp, FilterZerosOp, GroupModesOp, SelectOp, LogicalDivideOp,
            ZippedDivideOp, TiledDivideOp, FlatDivideOp, OuterDivideOp>([&](Operation *op) {
        return isa<ViewType>(op->getResult(0).getType()) ? rewriteOnLayout(b, op) : success();
      })
      .Case([&](LocalTileOp op) { return rewriteLocalTile(b, op); })
      .Case([&](EqualOp op) { return rewriteEqual(b, op); })
      .Case<MakeAtomOp, MakeTiledCopyOp, MakeTiledMmaOp>(
          [&](Operation *op) { return rewriteAtomBuilder(b, op); })
      .Case([&](CopyOp op) { return rewriteCopy(b, op); })
      .Case([&](PrefetchOp op) { return rewritePrefetch(b, op); })
      .Case([&](GemmOp op) { return rewriteGemm(b, op); })
      .Case([&](PrintViewOp op) { return rewritePrintView(b, op); })
      .Case([&](scf::ForOp op) { return renameLoopAnnotation(op), success(); })
      .Default(success());
}

struct CuteDesugarPass : impl::CuteDesugarBase<CuteDesugarPass> {
  void runOnOperation() override {
    using Phase = LogicalResult (*)(IRRewriter &, Operation *);
    for (Phase phase : {Phase(shapes), Phase(strides), Phase(layoutsViewsAtoms)}) {
      // Ops that a rewrite adds are primitive but for views, which come before the op that is replaced.
      SmallVector<Operation *> ops;
      getOperation()->walk([&](Operation *op) { ops.push_back(op); });
      IRRewriter b(&getContext());
      for (Operation *op : ops) {
        b.setInsertionPoint(op);
        if (failed(phase(b, op)))
          return signalPassFailure();
      }
    }
  }
};

} // namespace
} // namespace tessera::lower
