// The layout algebra.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cute/Cute.h"
#include "tessera/cute/Diagnostics.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cute;
using layout::AnyLayout;
using layout::TreeKind;

Result<Data> CompositionOp::evaluate(Domain &d, ArrayRef<Datum> in, Adaptor) {
  return mapLayout(in[0], [&](const AnyLayout &l) -> Result<AnyLayout> {
    if (const layout::Tile *tile = in[1].as<layout::Tile>())
      return layout::composition(d.arith(), l, *tile);
    if (const layout::Tree *shape = in[1].tree())
      return layout::composition(d.arith(), l, layout::compactMajor(d.arith(), *shape));
    if (!in[1].anyLayout()->affine())
      return unexpected("rhs to be a layout, tile or shape", in[1]);
    return layout::composition(d.arith(), l, *in[1].anyLayout()->affine());
  });
}

Result<Data> ComposeOp::evaluate(Domain &d, ArrayRef<Datum> in, Adaptor) {
  return mapLayout(in[1], [&](const AnyLayout &second) {
    return layout::composition(d.arith(), second, *in[0].anyLayout()->affine());
  });
}

Result<Data> CoalesceOp::evaluate(Domain &d, ArrayRef<Datum> in, Adaptor) {
  return mapLayout(in[0], [&](const AnyLayout &l) {
    return mapOuter(l, [&](const layout::Layout &outer) -> Result<layout::Layout> {
      if (in.size() == 1)
        return layout::coalesce(d.arith(), outer);
      return layout::coalesce(d.arith(), outer, *in[1].tree());
    });
  });
}

Result<Data> FlattenOp::evaluate(Domain &, ArrayRef<Datum> in, Adaptor) {
  if (const TreeDatum *t = in[0].as<TreeDatum>())
    return Data{Datum(t->kind, layout::flatten(t->tree))};
  return mapLayout(in[0], [&](const AnyLayout &l) -> Result<AnyLayout> {
    return l.withOuter(layout::flatten(l.outer()));
  });
}

Result<Data> FilterOp::evaluate(Domain &d, ArrayRef<Datum> in, Adaptor) {
  return mapLayout(in[0], [&](const AnyLayout &l) -> Result<AnyLayout> {
    return l.withOuter(layout::filter(d.arith(), l.outer()));
  });
}

Result<Data> FilterZerosOp::evaluate(Domain &, ArrayRef<Datum> in, Adaptor) {
  return mapLayout(in[0], [&](const AnyLayout &l) {
    return mapOuter(l, [&](const layout::Layout &outer) -> Result<layout::Layout> {
      if (in.size() == 1)
        return layout::filterZeros(outer);
      const layout::Tree &profile = *in[1].tree();
      if (!layout::congruent(profile, outer.shape))
        return Reason{"FilterProfile", sentence(Diag::FilterProfile, outer.shape, profile)};
      return layout::filterZeros(outer, profile);
    });
  });
}

Result<Data> ComplementOp::evaluate(Domain &d, ArrayRef<Datum> in, Adaptor) {
  const layout::Layout &l = *in[0].anyLayout()->affine();
  if (in.size() == 1) {
    TESSERA_TRY(layout::Layout rest, layout::complement(d.arith(), l));
    return Data{Datum(std::move(rest))};
  }
  const layout::Tree &target = in[1].tree() ? *in[1].tree() : in[1].anyLayout()->shape();
  TESSERA_TRY(layout::Layout rest, layout::complement(d.arith(), l, target));
  return Data{Datum(std::move(rest))};
}

Result<Data> GroupModesOp::evaluate(Domain &, ArrayRef<Datum> in, Adaptor op) {
  if (const TreeDatum *t = in[0].as<TreeDatum>()) {
    TESSERA_TRY(layout::Tree tree, layout::groupModes(t->tree, op.getBegin(), op.getEnd()));
    return Data{Datum(t->kind, std::move(tree))};
  }
  return mapLayout(in[0], [&](const AnyLayout &l) {
    return mapOuter(l, [&](const layout::Layout &outer) {
      return layout::groupModes(outer, op.getBegin(), op.getEnd());
    });
  });
}

Result<Data> RecastLayoutOp::evaluate(Domain &d, ArrayRef<Datum> in, Adaptor op) {
  TESSERA_TRY(AnyLayout l, layout::recast(d.arith(), *in[0].anyLayout(), op.getOldTypeBits(),
                                          op.getNewTypeBits()));
  return Data{Datum(std::move(l))};
}

Result<Data> RightInverseOp::evaluate(Domain &d, ArrayRef<Datum> in, Adaptor) {
  return Data{Datum(layout::rightInverse(d.arith(), *in[0].anyLayout()->affine()))};
}
Result<Data> LeftInverseOp::evaluate(Domain &d, ArrayRef<Datum> in, Adaptor) {
  TESSERA_TRY(layout::Layout l, layout::leftInverse(d.arith(), *in[0].anyLayout()->affine()));
  return Data{Datum(std::move(l))};
}

Result<Data> TileToShapeOp::evaluate(Domain &d, ArrayRef<Datum> in, Adaptor) {
  const layout::Tree &target = *in[1].tree();
  std::vector<layout::Tree> leftToRight;
  for (size_t i = 0; i < target.rank(); ++i)
    leftToRight.emplace_back(int64_t(i));
  layout::Tree order = in.size() == 3 ? *in[2].tree() : layout::Tree(std::move(leftToRight));
  TESSERA_TRY(AnyLayout l, layout::tileToShape(d.arith(), *in[0].anyLayout(), target, order));
  return Data{Datum(std::move(l))};
}

#define GET_OP_CLASSES
#include "tessera/cute/ops/Algebra.cpp.inc"
