// Arithmetic on tuples.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cute/Cute.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cute;
using layout::TreeKind;

/// A result of the same kind as the first operand.
static Data sameKind(const Datum &like, layout::Tree tree) {
  TreeKind kind = like.as<TreeDatum>() ? like.as<TreeDatum>()->kind : TreeKind::IntTuple;
  return Data{Datum(kind, std::move(tree))};
}

Result<Data> TupleProductOp::evaluate(Domain &d, ArrayRef<Datum> in, Adaptor) {
  return sameKind(in[0], layout::Tree(layout::product(d.arith(), *in[0].tree())));
}
Result<Data> TupleProductEachOp::evaluate(Domain &d, ArrayRef<Datum> in, Adaptor) {
  return sameKind(in[0], layout::productEach(d.arith(), *in[0].tree()));
}

Result<Data> TupleEqOp::evaluate(Domain &d, ArrayRef<Datum> in, Adaptor) {
  layout::Int same = layout::equal(d.arith(), *in[0].tree(), *in[1].tree());
  same.width = layout::Width::I1;
  return Data{Datum(same)};
}

/// Coordinates of different rank add up as if zeros followed the shorter one (CuTe's
/// ArithmeticTuple).
static Result<layout::Tree> addPadded(layout::Arith &arith, const layout::Tree &a,
                                      const layout::Tree &b) {
  if (a.isTuple() && b.isTuple() && a.rank() != b.rank())
    return layout::addIndices(arith, a, b);
  return layout::add(arith, a, b);
}

#define TESSERA_LEAFWISE(OP, FUNCTION)                                                             \
  Result<Data> OP::evaluate(Domain &d, ArrayRef<Datum> in, Adaptor) {                              \
    TESSERA_TRY(layout::Tree tree, FUNCTION(d.arith(), *in[0].tree(), *in[1].tree()));             \
    return sameKind(in[0], std::move(tree));                                                       \
  }
TESSERA_LEAFWISE(TupleAddOp, addPadded)
TESSERA_LEAFWISE(TupleSubOp, layout::sub)
TESSERA_LEAFWISE(TupleMulOp, layout::mul)
TESSERA_LEAFWISE(TupleDivOp, layout::div)
TESSERA_LEAFWISE(TupleModOp, layout::mod)
TESSERA_LEAFWISE(ShapeDivOp, layout::shapeDiv)
#undef TESSERA_LEAFWISE

Result<Data> CeilDivOp::evaluate(Domain &d, ArrayRef<Datum> in, Adaptor) {
  if (const layout::Tile *tile = in[1].as<layout::Tile>()) {
    TESSERA_TRY(layout::Tree tree, layout::ceilDiv(d.arith(), *in[0].tree(), *tile));
    return sameKind(in[0], std::move(tree));
  }
  TESSERA_TRY(layout::Tree tree, layout::ceilDiv(d.arith(), *in[0].tree(), *in[1].tree()));
  return sameKind(in[0], std::move(tree));
}

template <class FillTree, class FillLayout>
static Result<Data> fill(ArrayRef<Datum> in, FillTree fillTree, FillLayout fillLayout) {
  if (in[0].tree() && in[1].tree()) {
    TESSERA_TRY(layout::Tree tree, fillTree(*in[0].tree(), *in[1].tree()));
    return sameKind(in[0], std::move(tree));
  }
  if (!in[0].anyLayout() || !in[1].anyLayout())
    return Reason{"ElementKind", "expects input and element to have the same kind"};
  const layout::AnyLayout &l = *in[0].anyLayout();
  TESSERA_TRY(layout::Layout outer, fillLayout(l.outer(), in[1].anyLayout()->outer()));
  return Data{Datum(l.withOuter(std::move(outer)))};
}

Result<Data> AppendToRankOp::evaluate(Domain &, ArrayRef<Datum> in, Adaptor op) {
  int32_t rank = op.getRank();
  return fill(
      in, [&](auto &t, auto &e) { return layout::appendToRank(t, rank, e); },
      [&](auto &l, auto &e) { return layout::appendToRank(l, rank, e); });
}
Result<Data> PrependToRankOp::evaluate(Domain &, ArrayRef<Datum> in, Adaptor op) {
  int32_t rank = op.getRank();
  return fill(
      in, [&](auto &t, auto &e) { return layout::prependToRank(t, rank, e); },
      [&](auto &l, auto &e) { return layout::prependToRank(l, rank, e); });
}

#define GET_OP_CLASSES
#include "tessera/cute/ops/Tuple.cpp.inc"
