// Ops that take values apart.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cute/Cute.h"
#include "tessera/cute/Diagnostics.h"
#include "tessera/layout/Refine.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cute;
using layout::TreeKind;

static layout::Tree shapeOfTile(const layout::Tile &tile) {
  if (tile.isLayout())
    return tile.single.shape;
  std::vector<layout::Tree> modes;
  for (const layout::Tile &mode : tile.modes)
    modes.push_back(shapeOfTile(mode));
  return layout::Tree(std::move(modes));
}

static bool hasAny(const layout::Tile &tile) {
  return tile.isAny() || llvm::any_of(tile.modes, hasAny);
}

Result<Data> GetShapeOp::evaluate(Domain &, ArrayRef<Datum> in, Adaptor op) {
  if (const layout::Tile *tile = in[0].as<layout::Tile>(); tile && hasAny(*tile))
    return Reason{"TileUnderscores", sentence(Diag::TileUnderscores, op.getInput().getType())};
  if (const layout::Tile *tile = in[0].as<layout::Tile>())
    return Data{Datum(TreeKind::Shape, shapeOfTile(*tile))};
  return Data{Datum(TreeKind::Shape, in[0].anyLayout()->shape())};
}

Result<Data> GetStrideOp::evaluate(Domain &, ArrayRef<Datum> in, Adaptor) {
  const layout::AnyLayout &l = *in[0].anyLayout();
  if (!l.affine())
    return Reason{"NoStride",
                  "expects a layout without swizzle, whose strides are numbers, but got \"" +
                      layout::str(l) + "\""};
  return Data{Datum(TreeKind::Stride, l.affine()->stride)};
}

/// The operand of these ops may have become affine where a type is inferred again.
static Result<layout::Composed> composedOf(const Datum &datum) {
  const layout::AnyLayout &l = *datum.anyLayout();
  if (const layout::Composed *c = l.composed())
    return *c;
  return Reason{"NotComposed", "expects a composed layout, but got \"" + layout::str(l) + "\""};
}
Result<Data> ComposedGetInnerOp::evaluate(Domain &, ArrayRef<Datum> in, Adaptor) {
  TESSERA_TRY(layout::Composed c, composedOf(in[0]));
  if (const layout::Swizzle *s = c.swizzle())
    return Data{Datum(*s)};
  return Data{Datum(std::get<layout::Layout>(c.inner))};
}
Result<Data> ComposedGetOffsetOp::evaluate(Domain &, ArrayRef<Datum> in, Adaptor) {
  TESSERA_TRY(layout::Composed c, composedOf(in[0]));
  return Data{Datum(TreeKind::IntTuple, std::move(c.offset))};
}
Result<Data> ComposedGetOuterOp::evaluate(Domain &, ArrayRef<Datum> in, Adaptor) {
  TESSERA_TRY(layout::Composed c, composedOf(in[0]));
  return Data{Datum(std::move(c.outer))};
}

/// Depth first: layouts, and with `keepAny` also `_`.
static void collectLeaves(const layout::Tile &tile, bool keepAny, Data &out) {
  if (tile.isLayout())
    out.emplace_back(tile.single);
  else if (tile.isAny() && keepAny)
    out.emplace_back(tile);
  for (const layout::Tile &mode : tile.modes)
    collectLeaves(mode, keepAny, out);
}

Result<Data> GetLeavesOp::evaluate(Domain &, ArrayRef<Datum> in, Adaptor) {
  if (const layout::Tile *tile = in[0].as<layout::Tile>()) {
    Data parts;
    collectLeaves(*tile, /*keepAny=*/true, parts);
    return parts;
  }
  TreeKind kind = in[0].as<TreeDatum>() ? in[0].as<TreeDatum>()->kind : TreeKind::IntTuple;
  Data leaves;
  in[0].tree()->forEachLeaf([&](const layout::Leaf &leaf) { leaves.emplace_back(kind, leaf); });
  return leaves;
}

Result<Data> GetScalarsOp::evaluate(Domain &, ArrayRef<Datum> in, Adaptor op) {
  Data scalars;
  if (const layout::Swizzle *s = in[0].as<layout::Swizzle>(); s && !op.getOnlyDynamic())
    for (int number : {s->bits, s->base, s->shift})
      scalars.emplace_back(layout::Int(number));
  auto take = [&](const layout::Leaf &leaf) {
    if (!leaf.any && (!leaf.isStatic() || !op.getOnlyDynamic()))
      scalars.emplace_back(leaf.value);
  };
  Datum copy = in[0];
  copy.forEachLeaf(take);
  return scalars;
}

Result<Data> GetOp::evaluate(Domain &, ArrayRef<Datum> in, Adaptor op) {
  ArrayRef<int32_t> mode = op.getMode();
  std::span<const int32_t> path(mode.data(), mode.size());
  if (const TreeDatum *t = in[0].as<TreeDatum>()) {
    TESSERA_TRY(layout::Tree tree, layout::getMode(t->tree, path));
    return Data{Datum(t->kind, std::move(tree))};
  }
  if (const layout::Tile *t = in[0].as<layout::Tile>()) {
    TESSERA_TRY(layout::Tile tile, layout::getMode(*t, path));
    return Data{Datum(std::move(tile))};
  }
  const layout::AnyLayout &l = *in[0].anyLayout();
  TESSERA_TRY(layout::Layout outer, layout::getMode(l.outer(), path));
  return Data{Datum(l.withOuter(std::move(outer)))};
}

Result<Data> SelectOp::evaluate(Domain &, ArrayRef<Datum> in, Adaptor op) {
  ArrayRef<int32_t> mode = op.getMode();
  std::span<const int32_t> modes(mode.data(), mode.size());
  if (const TreeDatum *t = in[0].as<TreeDatum>()) {
    TESSERA_TRY(layout::Tree tree, layout::select(t->tree, modes));
    return Data{Datum(t->kind, std::move(tree))};
  }
  if (const layout::Tile *t = in[0].as<layout::Tile>()) {
    TESSERA_TRY(layout::Tile tile, layout::select(*t, modes));
    return Data{Datum(std::move(tile))};
  }
  return mapLayout(in[0], [&](const layout::AnyLayout &l) {
    return mapOuter(l, [&](const layout::Layout &outer) { return layout::select(outer, modes); });
  });
}

Result<Data> GetLayoutsFromTileOp::evaluate(Domain &, ArrayRef<Datum> in, Adaptor op) {
  Data layouts;
  collectLeaves(*in[0].as<layout::Tile>(), /*keepAny=*/false, layouts);
  if (layouts.empty())
    return Reason{"TileSlots", sentence(Diag::TileSlots, op.getTile().getType())};
  return layouts;
}

Result<Data> GetIterOp::evaluate(Domain &, ArrayRef<Datum> in, Adaptor) {
  return Data{Datum(in[0].as<View>()->iterator)};
}

bool GetIterOp::mayStand(TypeRange inferred, TypeRange stated) {
  if (refines(inferred, stated))
    return true;
  auto iterator = inferred.size() == 1 ? dyn_cast<ArithTupleIterType>(inferred[0]) : nullptr;
  auto tuple = stated.size() == 1 ? dyn_cast<IntTupleType>(stated[0]) : nullptr;
  return iterator && tuple && layout::refines(iterator.getValue(), tuple.getValue());
}

Result<Data> GetLayoutOp::evaluate(Domain &, ArrayRef<Datum> in, Adaptor) {
  return Data{Datum(in[0].as<View>()->layout)};
}

#define GET_OP_CLASSES
#include "tessera/cute/ops/Access.cpp.inc"
