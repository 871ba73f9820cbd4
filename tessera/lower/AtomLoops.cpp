// Copies, prefetches and matrix multiplications as loops over calls of their atom.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/lower/AtomLoops.h"
#include "tessera/lower/CallWidth.h"
#include "tessera/lower/LoopAnnotation.h"

#include "tessera/cute/Build.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cute;
using namespace tessera::lower;

namespace {

layout::AnyLayout layoutOf(Value view) { return cast<ViewType>(view.getType()).getViewLayout(); }

Value intConstant(OpBuilder &b, Location loc, int64_t value) {
  return arith::ConstantIntOp::create(b, loc, b.getI32Type(), value);
}

/// A loop that is to be unrolled where its bounds are known.
scf::ForOp unrolledLoop(OpBuilder &b, Location loc, Value begin, Value end) {
  auto loop = scf::ForOp::create(b, loc, begin, end, intConstant(b, loc, 1));
  loop->setDiscardableAttr(loopAnnotationName, fullUnroll(b.getContext()));
  return loop;
}

/// `i` of a loop to `count` counted forwards or, for odd `outer`, backwards: the last B of one row
/// of calls is the first of the next, so that it stays in the operand's register cache. Attention
/// at length 8192, which is limited by power, gains 2 % on an H100, GEMM 1 % (docs/benchmarks.md).
Value serpentine(OpBuilder &b, Location loc, Value i, Value count, Value outer) {
  Value odd = arith::AndIOp::create(b, loc, outer, intConstant(b, loc, 1));
  Value last = arith::SubIOp::create(b, loc, count, intConstant(b, loc, 1));
  Value twice = arith::MulIOp::create(b, loc, i, intConstant(b, loc, 2));
  Value mirror = arith::SubIOp::create(b, loc, last, twice); // from i to last - i
  return arith::AddIOp::create(b, loc, i, arith::MulIOp::create(b, loc, odd, mirror));
}

/// The number of elements of one mode of a view, as an i32.
FailureOr<Value> extentOf(OpBuilder &b, Location loc, Value view, int32_t mode) {
  NamedAttrList attrs;
  attrs.set("mode", b.getDenseI32ArrayAttr({mode}));
  FailureOr<SizeOp> size = build<SizeOp>(b, loc, view, attrs);
  if (failed(size))
    return failure();
  const layout::Int extent = cast<IntTupleType>(size->getType()).getValue().leaf().value;
  if (extent.isStatic())
    return intConstant(b, loc, extent.value);
  const unsigned bits = layout::bitsOf(extent.width);
  Value scalar = GetScalarsOp::create(b, loc, b.getIntegerType(bits), *size, /*only_dynamic=*/false)
                     .getResult(0);
  if (bits > 32)
    scalar = arith::TruncIOp::create(b, loc, b.getI32Type(), scalar);
  else if (bits < 32)
    scalar = arith::ExtSIOp::create(b, loc, b.getI32Type(), scalar);
  return scalar;
}

/// `view` at the coordinate with `_` in the first mode and `indices` in the others.
FailureOr<Value> at(OpBuilder &b, Location loc, Value view, ValueRange indices) {
  std::vector<layout::Tree> modes = {layout::Leaf::underscore()};
  for (size_t i = 0; i < indices.size(); ++i)
    modes.emplace_back(layout::Int::dynamic(layout::Symbolic::anonymous));
  auto type = CoordType::get(b.getContext(), layout::Tree(std::move(modes)));
  Value coord = MakeIntTupleOp::create(b, loc, type, indices);
  FailureOr<SliceOp> slice = build<SliceOp>(b, loc, {view, coord});
  if (failed(slice))
    return failure();
  return slice->getResult();
}

/// `view` with another layout, computed by `change` from its own.
FailureOr<Value> withLayout(OpBuilder &b, Location loc, Value view,
                            function_ref<FailureOr<Value>(Value)> change) {
  FailureOr<GetLayoutOp> layout = build<GetLayoutOp>(b, loc, view);
  FailureOr<GetIterOp> iterator = build<GetIterOp>(b, loc, view);
  if (failed(layout) || failed(iterator))
    return failure();
  FailureOr<Value> changed = change(*layout);
  if (failed(changed))
    return failure();
  FailureOr<MakeViewOp> result = build<MakeViewOp>(b, loc, {*iterator, *changed});
  if (failed(result))
    return failure();
  return result->getResult();
}

template <class Op>
FailureOr<Value> mapped(OpBuilder &b, Location loc, ValueRange operands, NamedAttrList attrs = {}) {
  FailureOr<Op> op = build<Op>(b, loc, operands, attrs);
  if (failed(op))
    return failure();
  return op->getOperation()->getResult(0);
}

Value unitLayout(OpBuilder &b, Location loc) {
  return StaticOp::create(b, loc, LayoutType::get(b.getContext(), layout::Layout{1, 0}));
}

/// Modes after the first one become one mode; a view without any gets one of extent 1.
FailureOr<Value> groupRest(OpBuilder &b, Location loc, Value layout) {
  size_t rank = datumOf(layout.getType()).anyLayout()->rank();
  NamedAttrList attrs;
  if (rank == 1) {
    attrs.set("rank", b.getI32IntegerAttr(2));
    return mapped<AppendToRankOp>(b, loc, {layout, unitLayout(b, loc)}, attrs);
  }
  attrs.set("begin", b.getI32IntegerAttr(1));
  attrs.set("end", b.getI32IntegerAttr(int32_t(rank)));
  return rank == 2 ? FailureOr<Value>(layout) : mapped<GroupModesOp>(b, loc, layout, attrs);
}

/// (V, rest...) as (values of one call, (calls, rest...)); `values` is 0 where V is one call.
FailureOr<Value> byCall(OpBuilder &b, Location loc, Value view, int64_t values) {
  return withLayout(b, loc, view, [&](Value layout) -> FailureOr<Value> {
    if (values) {
      layout::Layout call{values, values == 1 ? 0 : 1};
      Value tile =
          StaticOp::create(b, loc, TileType::get(b.getContext(), std::vector<layout::Tile>{call}));
      FailureOr<Value> divided = mapped<TiledDivideOp>(b, loc, {layout, tile});
      if (failed(divided))
        return failure();
      layout = *divided;
    }
    return groupRest(b, loc, layout);
  });
}

/// The same for calls of a tile, in the first mode or in all modes as one.
FailureOr<Value> byWideCall(OpBuilder &b, Location loc, Value view, const WideCall &call) {
  return withLayout(b, loc, view, [&](Value layout) -> FailureOr<Value> {
    if (call.whole) {
      NamedAttrList attrs;
      attrs.set("begin", b.getI32IntegerAttr(0));
      attrs.set("end", b.getI32IntegerAttr(int32_t(datumOf(layout.getType()).anyLayout()->rank())));
      FailureOr<Value> one = mapped<GroupModesOp>(b, loc, layout, attrs);
      if (failed(one))
        return failure();
      layout = *one;
    }
    auto type = TileType::get(b.getContext(), std::vector<layout::Tile>{call.tile});
    FailureOr<Value> divided =
        mapped<TiledDivideOp>(b, loc, {layout, StaticOp::create(b, loc, type)});
    return failed(divided) ? divided : groupRest(b, loc, *divided);
  });
}

/// (calls, rest...) of a predicate as (1, (calls, rest...)).
FailureOr<Value> predicateByCall(OpBuilder &b, Location loc, Value view) {
  return withLayout(b, loc, view, [&](Value layout) -> FailureOr<Value> {
    size_t rank = datumOf(layout.getType()).anyLayout()->rank();
    NamedAttrList attrs;
    attrs.set("rank", b.getI32IntegerAttr(int32_t(rank) + 1));
    FailureOr<Value> widened = mapped<PrependToRankOp>(b, loc, {layout, unitLayout(b, loc)}, attrs);
    return failed(widened) ? widened : groupRest(b, loc, *widened);
  });
}

/// How many values of a view one call takes, or 0 where the whole first mode is one call, as it is
/// of descriptors.
int64_t valuesPerCall(const layout::Layout &atomValues, Value view) {
  if (!isa<CuteMemRefType, CoordTensorType>(view.getType()))
    return 0;
  layout::Symbolic arith;
  int64_t values = layout::size(arith, atomValues).value;
  layout::Int have = layout::product(arith, layoutOf(view).shape()[0]);
  return have.is(values) || !have.isStatic() ? 0 : values;
}

/// Whether one call takes all of a view: its first mode, and the others have extent 1.
bool isOneCall(const layout::Layout &atomValues, Value view) {
  layout::Symbolic arith;
  layout::AnyLayout layout = layoutOf(view);
  for (size_t i = 1; i < layout.rank(); ++i)
    if (!layout::product(arith, layout.shape()[i]).is(1))
      return false;
  return valuesPerCall(atomValues, view) == 0;
}

/// Each element of a copy under predicates may have one of its own.
template <class Op> std::optional<WideCall> wideCallOf(Op op) {
  if (op.getPred())
    return std::nullopt;
  return wideCall(op.getAtom().getType(), op.getSrc().getType(), op.getDst().getType());
}

/// A copy, or what was written as one call of its atom and is several, as a loop over calls.
template <class Op> LogicalResult loopOverCalls(IRRewriter &b, Op op) {
  Location loc = op.getLoc();
  layout::CopyAtomLayouts atom = cast<CopyAtomType>(untiled(op.getAtom().getType())).getLayouts();
  std::optional<WideCall> wide = wideCallOf(op);
  auto divided = [&](Value view, const layout::Layout &values) {
    return wide ? byWideCall(b, loc, view, *wide)
                : byCall(b, loc, view, valuesPerCall(values, view));
  };
  FailureOr<Value> src = divided(op.getSrc(), atom.src[1]);
  FailureOr<Value> dst = divided(op.getDst(), atom.dst[1]);
  FailureOr<Value> pred = op.getPred() ? predicateByCall(b, loc, op.getPred()) : Value();
  if (failed(src) || failed(dst) || failed(pred))
    return failure();
  FailureOr<Value> count = extentOf(b, loc, *src, 1);
  if (failed(count))
    return failure();
  scf::ForOp loop = unrolledLoop(b, loc, intConstant(b, loc, 0), *count);
  b.setInsertionPointToStart(loop.getBody());
  Value i = loop.getInductionVar();
  FailureOr<Value> from = at(b, loc, *src, i), to = at(b, loc, *dst, i);
  FailureOr<Value> mask = *pred ? at(b, loc, *pred, i) : Value();
  if (failed(from) || failed(to) || failed(mask))
    return failure();
  CopyAtomCallOp::create(b, loc, op.getAtom(), *from, *to, *mask);
  b.eraseOp(op);
  return success();
}
} // namespace

bool tessera::lower::isOneCall(CopyAtomCallOp op) {
  if (std::optional<WideCall> wide = wideCallOf(op)) {
    layout::Symbolic arith;
    return layout::size(arith, layoutOf(op.getSrc()).outer()) == layout::size(arith, wide->tile);
  }
  layout::CopyAtomLayouts atom = cast<CopyAtomType>(untiled(op.getAtom().getType())).getLayouts();
  return ::isOneCall(atom.src[1], op.getSrc()) && ::isOneCall(atom.dst[1], op.getDst());
}
LogicalResult tessera::lower::rewriteCopy(IRRewriter &b, CopyOp op) { return loopOverCalls(b, op); }
LogicalResult tessera::lower::rewriteCopyCall(IRRewriter &b, CopyAtomCallOp op) {
  return lower::isOneCall(op) ? success() : loopOverCalls(b, op);
}

LogicalResult tessera::lower::rewritePrefetch(IRRewriter &b, PrefetchOp op) {
  Location loc = op.getLoc();
  layout::Layout atom = cast<PrefetchAtomType>(untiled(op.getAtom().getType())).getPrefetchLayout();
  FailureOr<Value> src = byCall(b, loc, op.getSrc(), valuesPerCall(atom[1], op.getSrc()));
  if (failed(src))
    return failure();
  FailureOr<Value> count = extentOf(b, loc, *src, 1);
  if (failed(count))
    return failure();
  scf::ForOp loop = unrolledLoop(b, loc, intConstant(b, loc, 0), *count);
  b.setInsertionPointToStart(loop.getBody());
  FailureOr<Value> from = at(b, loc, *src, loop.getInductionVar());
  if (failed(from))
    return failure();
  PrefetchAtomCallOp::create(b, loc, op.getAtom(), *from);
  b.eraseOp(op);
  return success();
}

LogicalResult tessera::lower::rewriteGemm(IRRewriter &b, GemmOp op) {
  Location loc = op.getLoc();
  // (V, M, K), (V, N, K), (V, M, N): modes that are left out have extent 1.
  auto ofRank3 = [&](Value view) -> FailureOr<Value> {
    if (layoutOf(view).rank() == 3)
      return view;
    return withLayout(b, loc, view, [&](Value layout) {
      NamedAttrList attrs;
      attrs.set("rank", b.getI32IntegerAttr(3));
      return mapped<AppendToRankOp>(b, loc, {layout, unitLayout(b, loc)}, attrs);
    });
  };
  FailureOr<Value> a = ofRank3(op.getA()), bb = ofRank3(op.getB()), c = ofRank3(op.getC()),
                   d = ofRank3(op.getD());
  if (failed(a) || failed(bb) || failed(c) || failed(d))
    return failure();
  FailureOr<Value> ks = extentOf(b, loc, *a, 2), ms = extentOf(b, loc, *a, 1),
                   ns = extentOf(b, loc, *bb, 1);
  if (failed(ks) || failed(ms) || failed(ns))
    return failure();
  // The calls for K from `begin` to `end`.
  auto calls = [&](Value begin, Value end, Value sums) -> LogicalResult {
    OpBuilder::InsertionGuard guard(b);
    SmallVector<Value, 3> index;
    Value zero = intConstant(b, loc, 0);
    for (auto [from, to] : {std::pair(begin, end), std::pair(zero, *ms), std::pair(zero, *ns)}) {
      scf::ForOp loop = unrolledLoop(b, loc, from, to);
      b.setInsertionPointToStart(loop.getBody());
      index.push_back(loop.getInductionVar());
    }
    Value k = index[0], m = index[1], n = serpentine(b, loc, index[2], *ns, m);
    FailureOr<Value> atA = at(b, loc, *a, {m, k}), atB = at(b, loc, *bb, {n, k}),
                     atC = at(b, loc, sums, {m, n}), atD = at(b, loc, *d, {m, n});
    if (failed(atA) || failed(atB) || failed(atC) || failed(atD))
      return failure();
    MmaAtomCallOp::create(b, loc, op.getAtom(), *atD, *atA, *atB, *atC, op.getSelectorAttr());
    return success();
  };
  // D = A * B + C: where C is elsewhere, the first of K adds to C, and the others to D.
  Value first = intConstant(b, loc, 0);
  if (op.getC() != op.getD() && !matchPattern(*ks, m_One())) {
    Value one = intConstant(b, loc, 1), end = arith::MinSIOp::create(b, loc, one, *ks);
    if (failed(calls(first, end, *c)))
      return failure();
    first = one;
    c = d;
  }
  if (failed(calls(first, *ks, *c)))
    return failure();
  b.eraseOp(op);
  return success();
}

LogicalResult tessera::lower::expectDesugared(Operation *root, StringRef pass) {
  WalkResult found = root->walk([&](Operation *op) {
    if (!isa<CopyOp, GemmOp, PrefetchOp, PrintViewOp>(op))
      return WalkResult::advance();
    op->emitOpError() << "is sugar that --cute-desugar expands: run it before --" << pass;
    return WalkResult::interrupt();
  });
  return failure(found.wasInterrupted());
}
