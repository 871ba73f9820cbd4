// Division into tiles.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cute/Cute.h"
#include "tessera/cute/Diagnostics.h"
#include "tessera/cute/ops/Far.h"
#include "tessera/cute/ops/Regrouped.h"
#include "tessera/layout/Index.h"

#include "llvm/Support/InterleavedRange.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cute;
using layout::AnyLayout;
using layout::Grouping;

/// A shape tiles mode by mode, all the way down.
static layout::Tile tileOf(const layout::Tree &shape) {
  if (shape.isLeaf())
    return layout::Tile(
        layout::Layout{shape, shape.leaf().is(1) ? layout::Tree(0) : layout::Tree(1)});
  std::vector<layout::Tile> modes;
  for (const layout::Tree &mode : shape.modes())
    modes.push_back(tileOf(mode));
  return layout::Tile(std::move(modes));
}

/// A tiler operand as a tile: a layout tiles the whole domain, a shape mode by mode.
static layout::Tile tilerOf(const Datum &tiler) {
  if (const layout::Tile *tile = tiler.as<layout::Tile>())
    return *tile;
  if (const AnyLayout *l = tiler.anyLayout())
    return layout::Tile(l->outer());
  return tileOf(*tiler.tree());
}

static std::string shownPath(ArrayRef<size_t> path) {
  std::string out;
  llvm::raw_string_ostream stream(out);
  if (!path.empty())
    stream << " at mode path [" << llvm::interleaved(path) << "]";
  return out;
}

/// Tilers that are refused: with unknown strides, whose order decides what is left out; in a tile
/// also with bases, as a mode has no modes to step through.
static std::optional<Reason> unfitTiler(const layout::Tile &tiler, bool inTile,
                                        SmallVectorImpl<size_t> &path) {
  if (tiler.isLayout()) {
    const layout::Layout &l = tiler.single;
    if (inTile && l.stride.hasBasis())
      return Reason{"TilerBases",
                    sentence(Diag::TilerBases, AnyLayout(l), StringRef(shownPath(path)))};
    if (!l.stride.isStatic() && l.rank() > 1)
      return Reason{"TilerStrides",
                    sentence(Diag::TilerStrides, AnyLayout(l), StringRef(shownPath(path)))};
  }
  for (auto [i, mode] : llvm::enumerate(tiler.modes)) {
    path.push_back(i);
    if (std::optional<Reason> reason = unfitTiler(mode, true, path))
      return reason;
    path.pop_back();
  }
  return std::nullopt;
}

static Result<Data> divided(Domain &d, ArrayRef<Datum> in, ValueRange operands, Grouping grouping) {
  layout::Tile tiler = tilerOf(in[1]);
  if (tiler.isTuple() && tiler.rank() > in[0].anyLayout()->rank())
    return Reason{"TilerRank",
                  cat("expects rank(tiler) <= rank(input), but got rank ", tiler.rank(),
                      " tiler and rank ", in[0].anyLayout()->rank(), " input")};
  SmallVector<size_t> path;
  if (std::optional<Reason> reason = unfitTiler(tiler, false, path))
    return *std::move(reason);
  return mapLayout(in[0], [&](const AnyLayout &l) -> Result<AnyLayout> {
    Result<AnyLayout> result =
        layout::divide(d.arith(), l, tiler, groupedFirst(grouping), layout::OpenRest::ByMode);
    if (result)
      return regrouped(*result, grouping);
    return Reason{result.reason().id,
                  sentence(Diag::CannotCompute, StringRef("divide"), operands[0].getType(),
                           operands[1].getType(), StringRef(result.reason().text))};
  });
}

/// The extents of a tile; `_` where it takes a mode as it is.
static layout::Tree shapeOf(const layout::Tile &tile) {
  if (tile.isLayout())
    return tile.single.shape;
  if (!tile.isTuple())
    return layout::Leaf::underscore();
  std::vector<layout::Tree> modes;
  for (const layout::Tile &mode : tile.modes)
    modes.push_back(shapeOf(mode));
  return layout::Tree(std::move(modes));
}

/// A static tile must divide the mode that it tiles, the shared rule of the partition verifier, or
/// be a whole multiple of it: then it has the rest 1, as public CuTe has it. What is not known is
/// assumed, so that --check-layout-assumptions finds a remainder.
static std::optional<Reason> indivisible(layout::Arith &arith, const AnyLayout &l,
                                         const layout::Tile &tiler) {
  std::vector<layout::Tile> tiles =
      tiler.isTuple() ? tiler.modes : std::vector<layout::Tile>{tiler};
  for (size_t i = 0; i < tiles.size(); ++i) {
    layout::Int have = layout::product(arith, tiler.isTuple() ? l.shape()[i] : l.shape());
    layout::Int part =
        tiles[i].isLayout() ? layout::product(arith, tiles[i].single.shape) : layout::Int(1);
    if (!divides(part, have) && !divides(have, part))
      return Reason{"SameSizeInRank", sentence(Diag::SameSizeInRank, i, l.shape(), shapeOf(tiler))};
    if ((!part.isStatic() || !have.isStatic()) && !part.is(1))
      arith.assume(layout::Pre::DividesOrSmaller, have, part);
  }
  return std::nullopt;
}

Result<Data> LogicalDivideOp::evaluate(Domain &d, ArrayRef<Datum> in, Adaptor op) {
  return divided(d, in, op.getOperands(), Grouping::Logical);
}
Result<Data> ZippedDivideOp::evaluate(Domain &d, ArrayRef<Datum> in, Adaptor op) {
  return divided(d, in, op.getOperands(), Grouping::Zipped);
}
Result<Data> TiledDivideOp::evaluate(Domain &d, ArrayRef<Datum> in, Adaptor op) {
  layout::Tile tiler = tilerOf(in[1]);
  if (!tiler.isTuple() || tiler.rank() <= in[0].anyLayout()->rank())
    if (std::optional<Reason> reason = indivisible(d.arith(), *in[0].anyLayout(), tiler))
      return *std::move(reason);
  return divided(d, in, op.getOperands(), Grouping::Tiled);
}
Result<Data> FlatDivideOp::evaluate(Domain &d, ArrayRef<Datum> in, Adaptor op) {
  return divided(d, in, op.getOperands(), Grouping::Flat);
}

Result<Data> LocalTileOp::evaluate(Domain &d, ArrayRef<Datum> in, Adaptor op) {
  const View &view = *in[0].as<View>();
  layout::Tile tiler = tilerOf(in[1]);
  layout::Tree coord = *in[2].tree();
  if (op.getProj()) {
    // The projection keeps the modes of tiler and coordinate that it fixes.
    layout::Tree proj = layout::wrap(op.getProj()->getValue());
    if (!tiler.isTuple())
      tiler = layout::Tile(std::vector<layout::Tile>{tiler});
    std::vector<layout::Tile> kept;
    for (size_t i = 0; i < proj.rank() && i < tiler.rank(); ++i)
      if (!proj[i].hasUnderscore())
        kept.push_back(tiler.modes[i]);
    tiler = layout::Tile(std::move(kept));
    // Coordinates beyond the projection stay.
    while (coord.isTuple() && proj.rank() < coord.rank())
      proj.modes().emplace_back(layout::Leaf(1));
    TESSERA_TRY(coord, layout::dice(coord, proj));
  }
  TESSERA_TRY(AnyLayout tiled, layout::divide(d.arith(), view.layout, tiler, Grouping::Zipped,
                                              layout::OpenRest::ByMode));
  // A tile that is not a tuple may cover several modes, or be a mode without a tuple around it.
  layout::Tree keepTile = layout::Leaf::underscore();
  if (tiled.shape()[0].isTuple())
    keepTile = layout::repeat(keepTile, tiled.shape()[0].rank());
  // Modes that neither tiler nor coordinate name are kept whole.
  std::vector<layout::Tree> at = layout::wrap(coord).modes();
  while (at.size() < tiled.shape()[1].rank())
    at.emplace_back(layout::Leaf::underscore());
  layout::Tree rest = tiled.shape()[1].isTuple() ? layout::Tree(std::move(at)) : coord;
  // How many elements there are says the tensor; of its tiles, a run-time number may be any.
  const bool far = isFar(view.iterator.type) && layout::reachesBeyond32Bits(view.layout.outer());
  TESSERA_TRY(layout::Sliced sliced,
              layout::sliceTensor(d.arith(), layout::Tree::of({keepTile, rest}), tiled, far));
  TESSERA_TRY(Iterator iterator, d.advance(view.iterator, sliced.offset));
  return Data{Datum(View{std::move(iterator), std::move(sliced.layout)})};
}

/// The algebra's grouping for the dialect's word.
static Grouping groupingOf(DivideGrouping word) {
  switch (word) {
  case DivideGrouping::logical: return Grouping::Logical;
  case DivideGrouping::zipped: return Grouping::Zipped;
  case DivideGrouping::tiled: return Grouping::Tiled;
  case DivideGrouping::flat: return Grouping::Flat;
  }
  llvm_unreachable("no such grouping");
}

Result<Data> OuterDivideOp::evaluate(Domain &d, ArrayRef<Datum> in, Adaptor op) {
  return mapLayout(in[0], [&](const AnyLayout &l) {
    return layout::outerDivide(d.arith(), l, tilerOf(in[1]), groupingOf(op.getGrouping()));
  });
}

Result<Data> StencilDivideOp::evaluate(Domain &d, ArrayRef<Datum> in, Adaptor op) {
  if (in.size() != 4 && in.size() != 6)
    return Reason{"StencilPadding", sentence(Diag::StencilPadding, in.size() - 4)};
  layout::Stencil stencil{*in[1].tree(), *in[2].tree(), *in[3].tree()};
  if (in.size() == 6) {
    stencil.before = *in[4].tree();
    stencil.after = *in[5].tree();
  }
  TESSERA_TRY(layout::Sliced windows, layout::stencilDivide(d.arith(), *in[0].anyLayout(), stencil,
                                                            groupingOf(op.getGrouping())));
  Datum offset(layout::TreeKind::IntTuple, windows.offset);
  const View *view = in[0].as<View>();
  if (!view)
    return Data{Datum(std::move(windows.layout)), std::move(offset)};
  TESSERA_TRY(Iterator iterator, d.advance(view->iterator, windows.offset));
  return Data{Datum(View{std::move(iterator), std::move(windows.layout)}), std::move(offset)};
}

#define GET_OP_CLASSES
#include "tessera/cute/ops/Divide.cpp.inc"
