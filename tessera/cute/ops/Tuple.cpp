// Arithmetic on tuples.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cute/Cute.h"
#include "tessera/cute/Diagnostics.h"

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

namespace {
/// Sums and differences of the public dialect: leaf by leaf in equal structure, where a scalar 0
/// stands for any tuple of zeros. Modes that only one operand has are taken from it as they are, in
/// a difference too: (10,8) - (3,2,5) is (7,6,5).
class Leafwise {
public:
  Leafwise(layout::Arith &arith, bool subtract, Value lhs, Value rhs)
      : arith(arith), subtract(subtract), lhs(lhs.getType()), rhs(rhs.getType()) {}

  Result<layout::Tree> operator()(const layout::Tree &a, const layout::Tree &b) {
    return combine(a, b, std::nullopt);
  }

private:
  Result<layout::Tree> combine(const layout::Tree &a, const layout::Tree &b,
                               std::optional<size_t> element) {
    if (a.isLeaf() && b.isLeaf()) {
      const layout::Int &x = a.leaf().value, &y = b.leaf().value;
      return layout::Tree(subtract ? arith.sub(x, y) : arith.add(x, y));
    }
    if (b.isLeaf() && b.leaf().is(0))
      return a;
    if (a.isLeaf() && a.leaf().is(0) && !subtract)
      return b;
    if (a.isLeaf() || b.isLeaf())
      return unlike(a.isLeaf(), element);
    layout::Trees modes;
    for (size_t i = 0; i < std::max(a.rank(), b.rank()); ++i) {
      TESSERA_TRY(layout::Tree mode, i >= a.rank()   ? Result<layout::Tree>(b[i])
                                     : i >= b.rank() ? Result<layout::Tree>(a[i])
                                                     : combine(a[i], b[i], i));
      modes.push_back(std::move(mode));
    }
    return layout::Tree(std::move(modes));
  }

  Reason unlike(bool scalarLhs, std::optional<size_t> element) const {
    if (element)
      return {"NestingAt", sentence(Diag::NestingAt, *element, lhs, rhs)};
    StringRef scalar = scalarLhs ? "lhs" : "rhs", tuple = scalarLhs ? "rhs" : "lhs";
    return {"ScalarAndTuple", sentence(Diag::ScalarAndTuple, scalar, tuple, lhs, rhs)};
  }

  layout::Arith &arith;
  bool subtract;
  Type lhs, rhs;
};
} // namespace

static Result<Data> combined(Domain &d, ArrayRef<Datum> in, Value lhs, Value rhs, bool subtract) {
  if (lhs.getType().getTypeID() != rhs.getType().getTypeID())
    return Reason{"SameKind", sentence(Diag::SameKind, lhs.getType(), rhs.getType())};
  TESSERA_TRY(layout::Tree tree,
              Leafwise(d.arith(), subtract, lhs, rhs)(*in[0].tree(), *in[1].tree()));
  return sameKind(in[0], std::move(tree));
}
Result<Data> TupleAddOp::evaluate(Domain &d, ArrayRef<Datum> in, Adaptor op) {
  return combined(d, in, op.getLhs(), op.getRhs(), false);
}
Result<Data> TupleSubOp::evaluate(Domain &d, ArrayRef<Datum> in, Adaptor op) {
  return combined(d, in, op.getLhs(), op.getRhs(), true);
}

#define TESSERA_LEAFWISE(OP, FUNCTION)                                                             \
  Result<Data> OP::evaluate(Domain &d, ArrayRef<Datum> in, Adaptor) {                              \
    TESSERA_TRY(layout::Tree tree, FUNCTION(d.arith(), *in[0].tree(), *in[1].tree()));             \
    return sameKind(in[0], std::move(tree));                                                       \
  }
TESSERA_LEAFWISE(TupleMulOp, layout::mul)
TESSERA_LEAFWISE(TupleDivOp, layout::div)
TESSERA_LEAFWISE(TupleModOp, layout::mod)
#undef TESSERA_LEAFWISE

/// The quotient, or why there is none for these operands.
static Result<Data> quotient(const Datum &like, StringRef name, ValueRange operands,
                             Result<layout::Tree> tree) {
  if (tree)
    return sameKind(like, *std::move(tree));
  return Reason{tree.reason().id, sentence(Diag::CannotCompute, name, operands[0].getType(),
                                           operands[1].getType(), StringRef(tree.reason().text))};
}

Result<Data> ShapeDivOp::evaluate(Domain &d, ArrayRef<Datum> in, Adaptor op) {
  return quotient(in[0], "shape_div", op.getOperands(),
                  layout::shapeDiv(d.arith(), *in[0].tree(), *in[1].tree()));
}

Result<Data> CeilDivOp::evaluate(Domain &d, ArrayRef<Datum> in, Adaptor op) {
  const layout::Tree &whole = *in[0].tree();
  const layout::Tile *tile = in[1].as<layout::Tile>();
  Result<layout::Tree> tree = tile ? layout::ceilDiv(d.arith(), whole, *tile)
                                   : layout::ceilDiv(d.arith(), whole, *in[1].tree());
  const size_t rank = tile ? tile->rank() : in[1].tree()->rank();
  if (!tree && rank > whole.rank())
    tree = Reason{tree.reason().id, cat("rank(tiler)=", rank, " > rank(input)=", whole.rank(), ": ",
                                        tree.reason().text)};
  return quotient(in[0], "ceil_div", op.getOperands(), std::move(tree));
}

template <class FillTree, class FillLayout>
static Result<Data> fill(ArrayRef<Datum> in, ValueRange operands, int32_t rank, FillTree fillTree,
                         FillLayout fillLayout) {
  Type input = operands[0].getType(), element = operands[1].getType();
  if (isa<ComposedLayoutType>(input) && !isa<LayoutType>(element))
    return Reason{"ElementLayout", sentence(Diag::ElementLayout, element)};
  const bool composed = isa<ComposedLayoutType>(input);
  if (!composed && input.getTypeID() != element.getTypeID())
    return Reason{"ElementKind", sentence(Diag::ElementKind, input, element)};
  // A tuple that already has so many modes stays.
  const size_t modes = in[0].tree() ? in[0].tree()->rank() : in[0].anyLayout()->rank();
  if (rank > 0 && modes >= size_t(rank))
    return Data{in[0]};
  if (in[0].tree() && in[1].tree()) {
    TESSERA_TRY(layout::Tree tree, fillTree(*in[0].tree(), *in[1].tree()));
    return sameKind(in[0], std::move(tree));
  }
  const layout::AnyLayout &l = *in[0].anyLayout();
  TESSERA_TRY(layout::Layout outer, fillLayout(l.outer(), in[1].anyLayout()->outer()));
  return Data{Datum(l.withOuter(std::move(outer)))};
}

Result<Data> AppendToRankOp::evaluate(Domain &, ArrayRef<Datum> in, Adaptor op) {
  int32_t rank = op.getRank();
  return fill(
      in, op.getOperands(), rank,
      [&](auto &t, auto &e) { return layout::appendToRank(t, rank, e); },
      [&](auto &l, auto &e) { return layout::appendToRank(l, rank, e); });
}
Result<Data> PrependToRankOp::evaluate(Domain &, ArrayRef<Datum> in, Adaptor op) {
  int32_t rank = op.getRank();
  return fill(
      in, op.getOperands(), rank,
      [&](auto &t, auto &e) { return layout::prependToRank(t, rank, e); },
      [&](auto &l, auto &e) { return layout::prependToRank(l, rank, e); });
}

#define GET_OP_CLASSES
#include "tessera/cute/ops/Tuple.cpp.inc"
