// Ops that relate coordinates, indices and sizes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/layout/Index.h"
#include "tessera/cute/Cute.h"
#include "tessera/cute/Diagnostics.h"
#include "tessera/cute/ops/Far.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cute;
using layout::TreeKind;

static std::span<const int32_t> spanOf(ArrayRef<int32_t> list) {
  return {list.data(), list.size()};
}

static layout::Tree tileShape(layout::Arith &arith, const layout::Tile &tile) {
  if (tile.isLayout())
    return layout::size(arith, tile.single);
  std::vector<layout::Tree> modes;
  for (const layout::Tile &mode : tile.modes)
    modes.push_back(tileShape(arith, mode));
  return layout::Tree(std::move(modes));
}

Result<Data> SizeOp::evaluate(Domain &d, ArrayRef<Datum> in, Adaptor op) {
  layout::Tree shape;
  if (const layout::Tile *tile = in[0].as<layout::Tile>())
    shape = tileShape(d.arith(), *tile);
  else
    shape = in[0].tree() ? *in[0].tree() : in[0].anyLayout()->shape();
  if (shape.isLeaf()) // a scalar is its own mode 0
    shape = layout::wrap(shape);
  TESSERA_TRY(layout::Tree mode, layout::getMode(shape, spanOf(op.getMode())));
  return Data{Datum(TreeKind::IntTuple, layout::Tree(layout::product(d.arith(), mode)))};
}

Result<Data> CosizeOp::evaluate(Domain &d, ArrayRef<Datum> in, Adaptor op) {
  const layout::AnyLayout &l = *in[0].anyLayout();
  if (l.composed() && !l.composed()->swizzle())
    return Reason{"CosizeAffine", sentence(Diag::CosizeAffine, op.getInput().getType())};
  TESSERA_TRY(layout::Layout mode, layout::getMode(l.outer(), spanOf(op.getMode())));
  TESSERA_TRY(layout::Int cosize, layout::cosize(d.arith(), l.withOuter(std::move(mode))));
  return Data{Datum(TreeKind::IntTuple, layout::Tree(cosize))};
}

static Result<Data> indexOf(Domain &d, const Datum &coord, const Datum &target) {
  layout::AnyLayout l =
      target.anyLayout() ? *target.anyLayout() : layout::compactMajor(d.arith(), *target.tree());
  TESSERA_TRY(layout::Tree index, layout::crd2idx(d.arith(), *coord.tree(), l));
  return Data{Datum(TreeKind::IntTuple, std::move(index))};
}

Result<Data> LayoutEvalOp::evaluate(Domain &d, ArrayRef<Datum> in, Adaptor) {
  return indexOf(d, in[0], in[1]);
}
Result<Data> Crd2IdxOp::evaluate(Domain &d, ArrayRef<Datum> in, Adaptor) {
  Result<Data> index = indexOf(d, in[0], in[1]);
  if (!index && in[1].tree())
    return Reason{"CoordOfShape", sentence(Diag::CoordOfShape, StringRef(index.reason().text))};
  return index;
}

Result<Data> Idx2CrdOp::evaluate(Domain &d, ArrayRef<Datum> in, Adaptor op) {
  Result<layout::Tree> coord = layout::idx2crd(d.arith(), *in[0].tree(), *in[1].tree());
  if (!coord)
    return Reason{"Idx2Crd", sentence(Diag::Idx2Crd, op.getIndex().getType(),
                                      op.getShape().getType(), StringRef(coord.reason().text))};
  return Data{Datum(TreeKind::Coord, *std::move(coord))};
}

Result<Data> IncrementCoordOp::evaluate(Domain &d, ArrayRef<Datum> in, Adaptor op) {
  if (in[0].tree()->hasUnderscore())
    return Reason{"CoordUnderscores", sentence(Diag::CoordUnderscores, op.getCoord().getType())};
  if (!layout::congruent(*in[0].tree(), *in[1].tree()))
    return Reason{"CoordCongruent",
                  sentence(Diag::CoordCongruent, op.getCoord().getType(), op.getShape().getType())};
  TESSERA_TRY(layout::Tree next, layout::incrementCoord(d.arith(), *in[0].tree(), *in[1].tree()));
  return Data{Datum(TreeKind::Coord, std::move(next))};
}

//===--- get_hier_coord, get_flat_coord -------------------------------------------------------===//

static Result<layout::Int> scalar(const Datum &datum) {
  if (datum.as<layout::Int>())
    return *datum.as<layout::Int>();
  if (datum.tree()->isTuple())
    return Reason{"ScalarIndex", sentence(Diag::ScalarIndex, *datum.tree())};
  return datum.tree()->leaf().value;
}

Result<Data> GetHierCoordOp::evaluate(Domain &d, ArrayRef<Datum> in, Adaptor) {
  const layout::Layout &l = in[1].anyLayout()->outer();
  TESSERA_TRY(layout::Int index, scalar(in[0]));
  return Data{Datum(TreeKind::Coord, layout::idx2crd(d.arith(), index, l.shape, l.stride))};
}

Result<Data> GetFlatCoordOp::evaluate(Domain &d, ArrayRef<Datum> in, Adaptor) {
  const layout::Layout &l = in[1].anyLayout()->outer();
  TESSERA_TRY(layout::Int index, scalar(in[0]));
  layout::Tree coord = layout::idx2crd(d.arith(), index, l.shape, l.stride);
  std::vector<layout::Tree> modes;
  for (size_t i = 0; i < l.rank(); ++i) {
    TESSERA_TRY(layout::Tree mode,
                layout::crd2idx(d.arith(), coord[i], layout::compactMajor(d.arith(), l.shape[i])));
    modes.push_back(std::move(mode));
  }
  return Data{Datum(TreeKind::Coord, l.shape.isLeaf() ? modes[0] : layout::Tree(std::move(modes)))};
}

//===--- slice, dice --------------------------------------------------------------------------===//

/// Slices as far as the public dialect has them: what a swizzle takes the place of must be known.
static std::optional<Reason> unsliceable(const layout::AnyLayout &l, const layout::Tree &coord,
                                         Type input, Type at) {
  if (!l.composed() || !l.composed()->swizzle())
    return std::nullopt;
  if (!coord.hasUnderscore())
    return Reason{"SliceUnderscore", sentence(Diag::SliceUnderscore, at)};
  if (!l.outer().isStatic())
    return Reason{"SliceOuter", sentence(Diag::SliceOuter, input)};
  return std::nullopt;
}

/// `reason`, and the types that a coordinate did not fit.
static Reason misfit(Type input, Type coord, const Reason &reason) {
  return {"CoordWeaklyCongruent",
          sentence(Diag::CoordWeaklyCongruent, input, coord, StringRef(reason.text))};
}

Result<Data> SliceOp::evaluate(Domain &d, ArrayRef<Datum> in, Adaptor op) {
  const layout::Tree &coord = *in[1].tree();
  Type input = op.getInput().getType(), at = op.getCoord().getType();
  if (const TreeDatum *t = in[0].as<TreeDatum>()) {
    Result<layout::Tree> kept = layout::slice(t->tree, coord);
    if (!kept)
      return misfit(input, at, kept.reason());
    return Data{Datum(t->kind, *std::move(kept))};
  }
  if (const View *view = in[0].as<View>()) {
    TESSERA_TRY(layout::Sliced sliced,
                layout::sliceTensor(d.arith(), coord, view->layout, isFar(view->iterator.type)));
    TESSERA_TRY(Iterator iterator, d.advance(view->iterator, sliced.offset));
    return Data{Datum(View{std::move(iterator), std::move(sliced.layout)})};
  }
  const layout::AnyLayout &l = *in[0].anyLayout();
  Result<layout::Layout> outer = layout::slice(l.outer(), coord);
  if (!outer)
    return misfit(input, at, outer.reason());
  if (std::optional<Reason> reason = unsliceable(l, coord, input, at))
    return *std::move(reason);
  if (l.affine())
    return Data{Datum(*std::move(outer))};
  // Of a composition the fixed coordinates go into the offset, unless they are 0: it does not add
  // up from what they contribute and what is kept.
  TESSERA_TRY(layout::Tree fixed, layout::crd2idx(d.arith(), coord, l.outer()));
  if (llvm::all_of(fixed.leaves(), [](const layout::Leaf &x) { return x.is(0); }))
    return Data{Datum(l.withOuter(*std::move(outer)))};
  TESSERA_TRY(layout::Sliced sliced, layout::sliceAndOffset(d.arith(), coord, l));
  return Data{Datum(std::move(sliced.layout))};
}

static layout::Tile diceTile(const layout::Tile &tile, const layout::Tree &coord) {
  std::vector<layout::Tile> kept;
  for (size_t i = 0; i < coord.rank() && i < tile.rank(); ++i)
    if (coord[i].isTuple() || !coord[i].leaf().any)
      kept.push_back(tile.isTuple() ? tile.modes[i] : tile);
  return layout::Tile(std::move(kept));
}

Result<Data> DiceOp::evaluate(Domain &, ArrayRef<Datum> in, Adaptor op) {
  if (in.size() == 1 && !op.getCoord())
    return Reason{"DiceCoord", "expects a coordinate, as an operand or an attribute"};
  const layout::Tree coord = in.size() == 2 ? *in[1].tree() : op.getCoord()->getValue();
  Type input = op.getInput().getType();
  Type at = op.getAt() ? op.getAt().getType() : Type(CoordType::get(input.getContext(), coord));
  if (!coord.isStatic())
    return Reason{"CoordStatic", sentence(Diag::CoordStatic, at)};
  if (const TreeDatum *t = in[0].as<TreeDatum>()) {
    Result<layout::Tree> fixed = layout::dice(t->tree, coord);
    if (!fixed)
      return misfit(input, at, fixed.reason());
    return Data{Datum(t->kind, *std::move(fixed))};
  }
  if (const layout::Tile *tile = in[0].as<layout::Tile>())
    return Data{Datum(diceTile(*tile, coord))};
  const layout::AnyLayout &l = *in[0].anyLayout();
  Result<layout::Layout> outer = layout::dice(l.outer(), coord);
  if (!outer)
    return misfit(input, at, outer.reason());
  return Data{Datum(l.withOuter(*std::move(outer)))};
}

//===--- comparisons --------------------------------------------------------------------------===//

Result<Data> ElemLessOp::evaluate(Domain &d, ArrayRef<Datum> in, Adaptor) {
  TESSERA_TRY(layout::Int less, layout::elemLess(d.arith(), *in[0].tree(), *in[1].tree()));
  less.width = layout::Width::I1;
  return Data{Datum(less)};
}

LogicalResult ElemLessOp::verify() {
  TypeDomain domain;
  const Datum in[] = {datumOf(getLhs()), datumOf(getRhs())};
  if (std::optional<Reason> reason = unusable(in, /*anyShape=*/true))
    return emitOpError() << reason->text;
  if (Result<Data> less = evaluateWith(domain, in); !less)
    return refuse(*this, Diag::ElemLessProfiles, getLhs().getType(), getRhs().getType(),
                  StringRef(less.reason().text));
  return success();
}

LogicalResult EqualOp::verify() {
  // A tensor is compared by its layout.
  auto kindOf = [](Value value) {
    Datum datum = datumOf(value);
    const TreeDatum *tuple = datum.as<TreeDatum>();
    return tuple ? int(tuple->kind) : -1;
  };
  if (kindOf(getLhs()) != kindOf(getRhs()))
    return refuse(*this, Diag::EqualKinds, getLhs().getType(), getRhs().getType());
  return success();
}

Result<Data> EqualOp::evaluate(Domain &d, ArrayRef<Datum> in, Adaptor) {
  layout::Int same = 1;
  auto conjoin = [&](layout::Int other) {
    same = same.is(1) ? other : other.is(1) ? same : d.arith().bitAnd(same, other);
  };
  auto compareLayouts = [&](const layout::Layout &a, const layout::Layout &b) {
    conjoin(layout::equal(d.arith(), a.shape, b.shape));
    conjoin(layout::equal(d.arith(), a.stride, b.stride));
  };
  auto layoutOf = [](const Datum &datum) {
    const View *view = datum.as<View>();
    return view ? &view->layout : datum.anyLayout();
  };
  const layout::AnyLayout *left = layoutOf(in[0]), *right = layoutOf(in[1]);
  if (in[0].tree() && in[1].tree()) {
    conjoin(layout::equal(d.arith(), *in[0].tree(), *in[1].tree()));
  } else if (left && right) {
    const layout::AnyLayout &a = *left, &b = *right;
    compareLayouts(a.outer(), b.outer());
    if (!a.composed() != !b.composed())
      same = 0;
    else if (a.composed()) {
      conjoin(layout::equal(d.arith(), a.composed()->offset, b.composed()->offset));
      const layout::Swizzle *s = a.composed()->swizzle(), *t = b.composed()->swizzle();
      if (s && t)
        conjoin(*s == *t);
      else if (s || t)
        same = 0;
      else
        compareLayouts(std::get<layout::Layout>(a.composed()->inner),
                       std::get<layout::Layout>(b.composed()->inner));
    }
  } else {
    same = 0;
  }
  same.width = layout::Width::I1;
  return Data{Datum(same)};
}

#define GET_OP_CLASSES
#include "tessera/cute/ops/Index.cpp.inc"
