// The layout algebra.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cute/Cute.h"
#include "tessera/cute/Diagnostics.h"
#include "tessera/layout/Errors.h"
#include "tessera/layout/Zip.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cute;
using layout::AnyLayout;

/// A shape as a tile: mode by mode, all the way down.
static layout::Tile byMode(const layout::Tree &shape) {
  layout::Const arith;
  if (shape.isLeaf())
    return layout::Tile(
        layout::Layout{shape, shape.leaf().is(1) ? layout::Tree(0) : layout::Tree(1)});
  std::vector<layout::Tile> modes;
  for (const layout::Tree &mode : shape.modes())
    modes.push_back(byMode(mode));
  return layout::Tile(std::move(modes));
}

static Result<AnyLayout> composed(layout::Arith &arith, const AnyLayout &l, const Datum &right) {
  if (const layout::Tile *tile = right.as<layout::Tile>())
    return layout::composition(arith, l, *tile);
  if (const layout::Tree *shape = right.tree())
    return layout::composition(arith, l, byMode(*shape));
  if (!right.anyLayout()->affine())
    return unexpected("rhs to be a layout, tile or shape", right);
  return layout::composition(arith, l, *right.anyLayout()->affine());
}

Result<Data> CompositionOp::evaluate(Domain &d, ArrayRef<Datum> in, Adaptor) {
  return mapLayout(in[0], [&](const AnyLayout &l) -> Result<AnyLayout> {
    Result<AnyLayout> result = composed(d.arith(), l, in[1]);
    if (result)
      return result;
    return Reason{result.reason().id, sentence(Diag::Composition, StringRef(result.reason().text))};
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

/// The layouts and `_` of a tile, depth first.
static void collectSlots(const layout::Tile &tile, std::vector<layout::Tile> &slots) {
  if (!tile.isTuple())
    slots.push_back(tile);
  for (const layout::Tile &mode : tile.modes)
    collectSlots(mode, slots);
}

static layout::Tile flattened(const layout::Tile &tile) {
  std::vector<layout::Tile> slots;
  collectSlots(tile, slots);
  return tile.isTuple() ? layout::Tile(std::move(slots)) : tile;
}

Result<Data> FlattenOp::evaluate(Domain &, ArrayRef<Datum> in, Adaptor) {
  if (const TreeDatum *t = in[0].as<TreeDatum>())
    return Data{Datum(t->kind, layout::flatten(t->tree))};
  if (const layout::Tile *t = in[0].as<layout::Tile>())
    return Data{Datum(flattened(*t))};
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

/// `tessera/layout` also has complements of bases within a target; the public dialect's op refuses
/// them.
static std::optional<Reason> uncomplemented(const layout::Layout &l, Type type, bool within) {
  if (l.stride.hasBasis() && within)
    return Reason{"ComplementBases", sentence(Diag::ComplementBases, type)};
  size_t modes = l.shape.leafCount();
  if (modes < 2 || l.stride.isStatic())
    return std::nullopt;
  layout::Symbolic arith; // modes without steps, and such as are one, do not count
  if (layout::filter(arith, l).shape.leafCount() < 2)
    return std::nullopt;
  return Reason{
      "ComplementStrides",
      sentence(Diag::ComplementStrides, type, l.rank(),
               StringRef(layout::fail(layout::Error::ComplementDynamic, layout::str(l)).text))};
}

/// What `l` leaves out, and the mode after it, of one element: without a target nothing asks for
/// more.
static Result<layout::Layout> gapsOf(layout::Arith &arith, const layout::Layout &l) {
  TESSERA_TRY(layout::Layout gaps, layout::complement(arith, l, layout::Tree(layout::Trees())));
  const layout::Int between = layout::size(arith, gaps);
  const layout::Layout after = {
      layout::Tree(1),
      layout::Tree(arith.mul(layout::size(arith, layout::filterZeros(l)), between))};
  return between.is(1) ? after : layout::append(gaps, after);
}

namespace {
/// A mode whose stride is a basis, `rest` of whose path is still to be followed.
struct BasisStep {
  layout::Leaf extent;
  layout::Int step;
  layout::Path rest;
};
} // namespace

/// A mode for each mode of the coordinates that the steps reach, nested as these are: the gaps of
/// what steps there. That of 3:1@0 is (1):(3@0).
static Result<layout::Layout> gapsOfBases(layout::Arith &arith, ArrayRef<BasisStep> steps,
                                          const layout::Path &path) {
  if (llvm::all_of(steps, [](const BasisStep &step) { return step.rest.empty(); })) {
    layout::Trees shape, stride;
    for (const BasisStep &step : steps) {
      shape.emplace_back(step.extent);
      stride.emplace_back(step.step);
    }
    layout::Layout here = {layout::Tree(1), layout::Tree(0)}; // where nothing steps
    if (!steps.empty())
      here = {layout::Tree(std::move(shape)), layout::Tree(std::move(stride))};
    TESSERA_TRY(layout::Layout gaps, gapsOf(arith, here));
    gaps.stride =
        gaps.stride.map([&](const layout::Leaf &step) { return layout::Leaf(step.value, path); });
    return gaps;
  }
  std::vector<layout::Layout> modes;
  for (size_t left = steps.size(); left != 0;) {
    const int index = int(modes.size());
    layout::Path inner = path;
    inner.push(index);
    SmallVector<BasisStep> within;
    for (const BasisStep &step : steps)
      if (step.rest[0] == index)
        within.push_back({step.extent, step.step, step.rest.tail()});
    left -= within.size();
    TESSERA_TRY(layout::Layout mode, gapsOfBases(arith, within, inner));
    modes.push_back(std::move(mode));
  }
  return layout::sideBySide(modes);
}

static Result<layout::Layout> gapsOfBases(layout::Arith &arith, const layout::Layout &l) {
  SmallVector<BasisStep> steps;
  const std::vector<layout::Leaf> shape = l.shape.leaves(), stride = l.stride.leaves();
  for (auto [extent, step] : llvm::zip_equal(shape, stride))
    if (step.isBasis())
      steps.push_back({extent, step.value, step.basis});
  return gapsOfBases(arith, steps, {});
}

/// Of a layout as the target the shape alone counts; each dynamic extent of it is a mode, as in a
/// division, where those of a shape are joined.
static Result<layout::Layout> complementOf(layout::Arith &arith, const layout::Layout &l,
                                           const Datum *target) {
  if (!target)
    return l.stride.hasBasis() ? gapsOfBases(arith, l) : gapsOf(arith, l);
  if (target->tree())
    return layout::complement(arith, l, *target->tree());
  return layout::complement(arith, l, target->anyLayout()->shape(), layout::OpenRest::ByMode);
}

Result<Data> ComplementOp::evaluate(Domain &d, ArrayRef<Datum> in, Adaptor op) {
  const layout::Layout &l = *in[0].anyLayout()->affine();
  if (std::optional<Reason> reason = uncomplemented(l, op.getInput().getType(), in.size() == 2))
    return *std::move(reason);
  TESSERA_TRY(layout::Layout rest, complementOf(d.arith(), l, in.size() == 1 ? nullptr : &in[1]));
  return Data{Datum(std::move(rest))};
}

Result<Data> GroupModesOp::evaluate(Domain &, ArrayRef<Datum> in, Adaptor op) {
  return mapLayout(in[0], [&](const AnyLayout &l) {
    return mapOuter(l, [&](const layout::Layout &outer) {
      return layout::groupModes(outer, op.getBegin(), op.getEnd());
    });
  });
}

Result<Data> RecastLayoutOp::evaluate(Domain &d, ArrayRef<Datum> in, Adaptor op) {
  const AnyLayout &l = *in[0].anyLayout();
  const layout::Composed *c = l.composed();
  const auto *inner = c ? std::get_if<layout::Layout>(&c->inner) : nullptr;
  if (l.outer().stride.hasBasis() || (inner && inner->stride.hasBasis()))
    return Reason{"RecastBases", sentence(Diag::RecastBases, op.getInput().getType())};
  TESSERA_TRY(AnyLayout recast,
              layout::recast(d.arith(), l, op.getOldTypeBits(), op.getNewTypeBits()));
  return Data{Datum(std::move(recast))};
}

Result<Data> RightInverseOp::evaluate(Domain &d, ArrayRef<Datum> in, Adaptor op) {
  const layout::Layout &l = *in[0].anyLayout()->affine();
  if (!l.shape.isStatic())
    return Reason{"InverseShape", sentence(Diag::InverseShape, op.getInput().getType())};
  return Data{Datum(layout::rightInverse(d.arith(), l))};
}
Result<Data> LeftInverseOp::evaluate(Domain &d, ArrayRef<Datum> in, Adaptor op) {
  const layout::Layout &l = *in[0].anyLayout()->affine();
  Type type = op.getInput().getType();
  if (!l.shape.isStatic())
    return Reason{"InverseShape", sentence(Diag::InverseShape, type)};
  Result<layout::Layout> inverse =
      layout::leftInverse(d.arith(), l, layout::Overlap::LastModeGoesOn);
  if (!inverse) {
    Diag diag = l.stride.isStatic() ? Diag::LeftInverse : Diag::InverseStride;
    return Reason{inverse.reason().id, sentence(diag, type, StringRef(inverse.reason().text))};
  }
  // What steps nowhere has one element as far as its inverse is concerned.
  if (inverse->stride.isLeaf() && inverse->stride.leaf().is(0))
    return Data{Datum(layout::Layout{layout::Tree(1), layout::Tree(0)})};
  return Data{Datum(*std::move(inverse))};
}

/// The order of the copies: static ranks, one for each mode, none twice.
static std::optional<Reason> unordered(const layout::Tree &order, size_t rank, Type type) {
  if (!order.isStatic())
    return Reason{
        "OrderStatic",
        sentence(Diag::OrderStatic, order, type,
                 StringRef(layout::fail(layout::Error::OrderDynamic, layout::str(order)).text))};
  if (order.rank() != rank)
    return Reason{"OrderRank", sentence(Diag::OrderRank, order.rank(), rank)};
  std::vector<layout::Leaf> ranks = order.leaves();
  for (auto [i, leaf] : llvm::enumerate(ranks))
    if (leaf.value.value < 0 || leaf.value.value >= int64_t(rank))
      return Reason{"OrderRange", sentence(Diag::OrderRange, rank, leaf.value.value, i)};
  for (size_t i = 0; i < ranks.size(); ++i)
    for (size_t j = 0; j < i; ++j)
      if (ranks[i] == ranks[j])
        return Reason{"OrderTwice", sentence(Diag::OrderTwice, rank, ranks[i].value.value)};
  return std::nullopt;
}

Result<Data> TileToShapeOp::evaluate(Domain &d, ArrayRef<Datum> in, Adaptor op) {
  const layout::Tree &target = *in[1].tree();
  if (in[0].anyLayout()->rank() > target.rank())
    return Reason{"BlockRank", sentence(Diag::BlockRank, in[0].anyLayout()->rank(), target.rank())};
  if (in.size() == 3)
    if (std::optional<Reason> reason =
            unordered(*in[2].tree(), target.rank(), op.getOrder().getType()))
      return *std::move(reason);
  std::vector<layout::Tree> leftToRight;
  for (size_t i = 0; i < target.rank(); ++i)
    leftToRight.emplace_back(int64_t(i));
  layout::Tree order = in.size() == 3 ? *in[2].tree() : layout::Tree(std::move(leftToRight));
  Result<AnyLayout> l = layout::tileToShape(d.arith(), *in[0].anyLayout(), target, order);
  if (!l)
    return Reason{l.reason().id,
                  sentence(Diag::CannotCompute, StringRef("tile_to_shape"), op.getBlock().getType(),
                           op.getTarget().getType(), StringRef(l.reason().text))};
  return Data{Datum(*std::move(l))};
}

#define GET_OP_CLASSES
#include "tessera/cute/ops/Algebra.cpp.inc"
