// CuteDesugar: sugar becomes primitive cute, scf and arith ops, in three ordered phases.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shapes first, since layouts are built on them; then strides; then layouts, views, comparisons,
// atoms and prints. The table at the end has them all. The pass never looks at a target. Loops over
// atom calls are in AtomLoops.cpp.
#include "tessera/lower/AtomLoops.h"
#include "tessera/lower/Functions.h"
#include "tessera/lower/LoopAnnotation.h"
#include "tessera/lower/Passes.h"
#include "tessera/lower/Printing.h"

#include "tessera/cute/Build.h"
#include "tessera/cute/Narrowed.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/InterleavedRange.h"

#include <array>

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

//===--- phases 1 and 2: tuples ---------------------------------------------------------------===//

/// A tuple of `type` as a primitive: `make_int_tuple` (its type keeps the kind), or `static`
/// without operands.
Value makeTuple(IRRewriter &b, Location loc, Type type, ValueRange operands) {
  if (isStatic(type))
    return StaticOp::create(b, loc, type);
  SmallVector<Value> leaves;
  NamedAttrList dynamic;
  dynamic.set("only_dynamic", b.getUnitAttr());
  for (Value operand : operands) {
    Datum datum = datumOf(operand.getType());
    if (operand.getType().isIndex()) {
      auto narrow = arith::IndexCastOp::create(b, loc, b.getI32Type(), operand);
      narrow->setDiscardableAttr(narrowedAttrName, b.getUnitAttr());
      leaves.push_back(narrow);
    } else if (datum.tree() && datum.tree()->isTuple()) // of which every leaf has a number
      llvm::append_range(leaves, build<GetScalarsOp>(b, loc, operand, dynamic)->getScalars());
    else
      leaves.push_back(operand);
  }
  return MakeIntTupleOp::create(b, loc, type, leaves);
}

LogicalResult rewriteTuple(IRRewriter &b, Operation *op) {
  b.replaceOp(op, makeTuple(b, op->getLoc(), op->getResult(0).getType(), op->getOperands()));
  return success();
}

//===--- phase 3: layouts ---------------------------------------------------------------------===//

LogicalResult rewriteMakeLayout(IRRewriter &b, MakeLayoutOp op) {
  if (isStatic(op.getType())) {
    b.replaceOpWithNewOp<StaticOp>(op, op.getType());
    return success();
  }
  FailureOr<MakeLayoutRawOp> raw = build<MakeLayoutRawOp>(b, op.getLoc(), op->getOperands());
  if (failed(raw))
    return failure();
  raw->getResult().setType(op.getType()); // which may leave more open
  b.replaceOp(op, *raw);
  return success();
}

/// A layout from its leaves, `make_layout(shape = ..., stride = ...)`: shape, stride and
/// make_layout_raw.
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
  FailureOr<MakeComposedLayoutRawOp> raw =
      build<MakeComposedLayoutRawOp>(b, op.getLoc(), {op.getOuter(), inner, op.getOffset()});
  if (failed(raw))
    return failure();
  raw->getResult().setType(op.getType()); // which may leave more open
  b.replaceOp(op, *raw);
  return success();
}

//===--- phase 3: views -----------------------------------------------------------------------===//

/// A tensor form: get_iter, get_layout and make_view.
LogicalResult rewriteMakeTensor(IRRewriter &b, MakeTensorOp op) {
  Value iterator = op.getSource(), l = op.getLayout();
  if (isa<ViewType>(iterator.getType())) {
    FailureOr<GetIterOp> start = build<GetIterOp>(b, op.getLoc(), op.getSource());
    FailureOr<GetLayoutOp> own =
        l ? FailureOr<GetLayoutOp>() : build<GetLayoutOp>(b, op.getLoc(), op.getSource());
    if (failed(start) || (!l && failed(own)))
      return failure();
    iterator = *start;
    l = l ? l : Value(*own);
  }
  b.replaceOpWithNewOp<MakeViewOp>(op, op.getType(), iterator, l);
  return success();
}

/// An op that maps the layout of a view and keeps its iterator: get_iter, get_layout, the op,
/// make_view.
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

/// local_tile: zipped_divide by the projected tiler, then a slice of the rests at the projected
/// coordinate.
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
      scalarTypes.push_back(b.getIntegerType(layout::bitsOf(x.width)));
    });
    auto scalars = GetScalarsOp::create(b, loc, scalarTypes, coord, /*only_dynamic=*/true);
    sliceCoord = MakeIntTupleOp::create(b, loc, sliceType, scalars.getScalars());
  }
  FailureOr<SliceOp> sliced = build<SliceOp>(b, loc, {*tiled, sliceCoord});
  if (failed(sliced))
    return failure();
  sliced->getResult().setType(op.getType()); // which may leave more open
  b.replaceOp(op, *sliced);
  return success();
}

/// Whether two values agree in all their fields; nothing if an op cannot be built. Views agree if
/// their layouts do, layouts if shape and stride do, composed ones if all three parts do; what is
/// of different kinds does not.
Value agree(IRRewriter &b, Location loc, Value x, Value y) {
  auto constant = [&](bool same) -> Value {
    return arith::ConstantOp::create(b, loc, b.getBoolAttr(same));
  };
  /// The conjunction over parts, each of which an op takes out.
  auto parts = [&]<class... Get>(std::type_identity<Get>...) {
    Value all;
    bool good = true;
    auto conjoin = [&](auto tag) {
      using Op = typename decltype(tag)::type;
      FailureOr<Op> a = build<Op>(b, loc, x), c = build<Op>(b, loc, y);
      Value same = failed(a) || failed(c) ? Value() : agree(b, loc, *a, *c);
      good = good && same;
      if (good)
        all = all ? Value(arith::AndIOp::create(b, loc, all, same)) : same;
    };
    (conjoin(std::type_identity<Get>()), ...);
    return good ? all : Value();
  };
  Datum left = datumOf(x.getType()), right = datumOf(y.getType());
  if (left.tree() && right.tree()) {
    FailureOr<TupleEqOp> same = build<TupleEqOp>(b, loc, {x, y});
    return failed(same) ? Value() : Value(*same);
  }
  if (left.as<View>() && right.as<View>())
    return parts(std::type_identity<GetLayoutOp>());
  if (isa<SwizzleType>(x.getType()) && isa<SwizzleType>(y.getType()))
    return constant(x.getType() == y.getType());
  const layout::AnyLayout *l = left.anyLayout(), *r = right.anyLayout();
  if (!l || !r || !l->affine() != !r->affine())
    return constant(false);
  if (l->affine())
    return parts(std::type_identity<GetShapeOp>(), std::type_identity<GetStrideOp>());
  return parts(std::type_identity<ComposedGetOuterOp>(), std::type_identity<ComposedGetOffsetOp>(),
               std::type_identity<ComposedGetInnerOp>());
}
LogicalResult rewriteEqual(IRRewriter &b, EqualOp op) {
  Value same = agree(b, op.getLoc(), op.getLhs(), op.getRhs());
  if (!same)
    return failure();
  b.replaceOp(op, same);
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

//===--- phases -------------------------------------------------------------------------------===//

template <class Op, LogicalResult (*rewrite)(IRRewriter &, Op)>
LogicalResult as(IRRewriter &b, Operation *op) {
  return rewrite(b, cast<Op>(op));
}
LogicalResult rewriteIfView(IRRewriter &b, Operation *op) {
  return isa<ViewType>(op->getResult(0).getType()) ? rewriteOnLayout(b, op) : success();
}
LogicalResult rewriteLoop(IRRewriter &, Operation *op) {
  return renameLoopAnnotation(op), success();
}

/// The ops that a phase rewrites; `all` if none is left after it.
struct RewriteRow {
  StringLiteral op;
  int phase;
  LogicalResult (*apply)(IRRewriter &, Operation *);
  bool all = true;
};
template <class Op>
constexpr RewriteRow row(int phase, LogicalResult (*apply)(IRRewriter &, Operation *),
                         bool all = true) {
  return {Op::getOperationName(), phase, apply, all};
}
constexpr int phases = 3;
constexpr RewriteRow rewrites[] = {
    row<MakeShapeOp>(1, rewriteTuple),
    row<MakeCoordOp>(1, rewriteTuple),
    row<MakeTileOp>(1, rewriteTuple),
    row<MakeStrideOp>(2, rewriteTuple),
    row<MakeLayoutOp>(3, as<MakeLayoutOp, rewriteMakeLayout>),
    row<MakeTupleOp>(3, as<MakeTupleOp, rewriteMakeTuple>, false),
    row<MakeTensorOp>(3, as<MakeTensorOp, rewriteMakeTensor>),
    row<MakeComposedLayoutOp>(3, as<MakeComposedLayoutOp, rewriteMakeComposedLayout>),
    row<CompositionOp>(3, rewriteIfView, false),
    row<CoalesceOp>(3, rewriteIfView, false),
    row<FilterZerosOp>(3, rewriteIfView, false),
    row<GroupModesOp>(3, rewriteIfView, false),
    row<SelectOp>(3, rewriteIfView, false),
    row<LogicalDivideOp>(3, rewriteIfView, false),
    row<ZippedDivideOp>(3, rewriteIfView, false),
    row<TiledDivideOp>(3, rewriteIfView, false),
    row<FlatDivideOp>(3, rewriteIfView, false),
    row<OuterDivideOp>(3, rewriteIfView, false),
    row<LocalTileOp>(3, as<LocalTileOp, rewriteLocalTile>),
    row<EqualOp>(3, as<EqualOp, rewriteEqual>),
    row<MakeAtomOp>(3, rewriteAtomBuilder, false),
    row<MakeTiledCopyOp>(3, rewriteAtomBuilder, false),
    row<MakeTiledMmaOp>(3, rewriteAtomBuilder, false),
    row<CopyOp>(3, as<CopyOp, rewriteCopy>),
    row<CopyAtomCallOp>(3, as<CopyAtomCallOp, rewriteCopyCall>, false),
    row<PrefetchOp>(3, as<PrefetchOp, rewritePrefetch>),
    row<GemmOp>(3, as<GemmOp, rewriteGemm>),
    row<PrintViewOp>(3, as<PrintViewOp, rewritePrintView>),
    row<scf::ForOp>(3, rewriteLoop, false),
};

/// Whether an op is gone.
struct Watch : RewriterBase::Listener {
  Operation *op = nullptr;
  bool gone = false;
  void notifyOperationErased(Operation *erased) override { gone |= erased == op; }
};

struct CuteDesugarPass : impl::CuteDesugarBase<CuteDesugarPass> {
  using CuteDesugarBase::CuteDesugarBase;

  bool canScheduleOn(RegisteredOperationName name) const override {
    return isModuleOrFunction(name);
  }
  void runOnOperation() override {
    SmallVector<int64_t> chosen(wanted.begin(), wanted.end());
    if (chosen.empty())
      chosen = {1, 2, 3};
    counts.fill(0);
    for (auto [i, phase] : llvm::enumerate(chosen))
      if (phase < 1 || phase > phases || (i && phase <= chosen[i - 1])) {
        emitError(getOperation()->getLoc())
            << "cute-desugar: expects phases of 1 to " << phases << " in ascending order, but got "
            << llvm::interleaved(chosen);
        return signalPassFailure();
      }
    for (int64_t phase : chosen)
      if (failed(expectNone(1, int(phase) - 1)) || failed(run(int(phase))) ||
          failed(expectNone(int(phase), int(phase))))
        return signalPassFailure();
    for (auto [row, count] : llvm::zip(rewrites, counts))
      if (statistics && count)
        llvm::errs() << getArgument() << ": " << count << " " << row.op << "\n";
  }

private:
  std::array<size_t, std::size(rewrites)> counts = {}; // how many ops of each row are gone

  LogicalResult run(int phase) {
    llvm::StringMap<size_t> rows;
    for (auto [i, row] : llvm::enumerate(rewrites))
      if (row.phase == phase)
        rows[row.op] = i;
    // Ops that a rewrite adds are primitive except for views, which come before the op that is
    // replaced.
    SmallVector<std::pair<Operation *, size_t>> ops;
    getOperation()->walk([&](Operation *op) {
      if (auto found = rows.find(op->getName().getStringRef()); found != rows.end())
        ops.emplace_back(op, found->second);
    });
    Watch watch;
    IRRewriter b(&getContext(), &watch);
    for (auto [op, row] : ops) {
      watch.op = op;
      watch.gone = false;
      b.setInsertionPoint(op);
      if (failed(rewrites[row].apply(b, op)))
        return failure();
      counts[row] += watch.gone;
    }
    return success();
  }

  /// Ops that phase 3 reads must be primitive after phases 1 and 2; ops that a phase rewrites must
  /// be gone after it.
  LogicalResult expectNone(int first, int last) {
    llvm::StringMap<int> phaseOf;
    for (const RewriteRow &row : rewrites)
      if (row.all && row.phase >= first && row.phase <= last)
        phaseOf[row.op] = row.phase;
    WalkResult found = getOperation()->walk([&](Operation *op) {
      auto it = phaseOf.find(op->getName().getStringRef());
      if (it == phaseOf.end())
        return WalkResult::advance();
      op->emitOpError() << "expects phase " << it->second
                        << " of --cute-desugar to have rewritten it by now";
      return WalkResult::interrupt();
    });
    return failure(found.wasInterrupted());
  }
};

} // namespace
} // namespace tessera::lower
