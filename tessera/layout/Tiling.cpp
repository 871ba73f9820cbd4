// Parts of layouts at a coordinate: tiles, shares of threads, shifted domains.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/layout/Errors.h"
#include "tessera/layout/Index.h"
#include "tessera/layout/Text.h"

namespace tessera::layout {

Result<Sliced> domainOffset(Arith &arith, const Tree &coord, const AnyLayout &l) {
  const Tree before = l.affine() ? Tree(0) : l.composed()->offset;
  TESSERA_TRY(Tree at, crd2idxAfter(arith, before, coord, l.outer()));
  if (l.affine())
    return Sliced{l, std::move(at)};
  Composed moved = *l.composed(); // what the inner part does depends on where one starts
  moved.offset = std::move(at);
  return Sliced{AnyLayout(std::move(moved)), Tree(0)};
}

namespace {
/// A coordinate that keeps `rank` modes; one mode is kept without a tuple, as CuTe's repeat<1>
/// makes none.
Tree keepAll(size_t rank) {
  Tree keep = Leaf::underscore();
  return rank == 1 ? keep : repeat(keep, rank);
}

/// `coord`, with `_` for the modes up to `rank` that it does not name; an integer counts all modes.
Tree filled(const Tree &coord, size_t rank) {
  if (coord.isLeaf())
    return coord;
  Trees modes = coord.modes();
  while (modes.size() < rank)
    modes.emplace_back(Leaf::underscore());
  return Tree(std::move(modes));
}

/// The modes of `tile` where `projection` has no `_`.
Result<Tile> projected(const Tile &tile, const Tree &projection) {
  if (!tile.isTuple() || projection.isLeaf() || tile.rank() != projection.rank())
    return fail(Error::StructureMismatch, str(tile), str(projection));
  std::vector<Tile> kept;
  for (size_t i = 0; i < tile.rank(); ++i)
    if (!projection[i].isAllUnderscore())
      kept.push_back(tile.modes[i]);
  return Tile(std::move(kept));
}

/// Each extent as the first so many elements of its mode.
Tile tileOf(const Tree &extents) {
  std::vector<Tile> modes;
  for (const Tree &extent : extents.modes())
    modes.push_back(Layout{extent, extent.leaf().is(1) ? Tree(0) : Tree(1)});
  return Tile(std::move(modes));
}
} // namespace

Result<Sliced> innerPartition(Arith &arith, const AnyLayout &l, const Tile &tiler,
                              const Tree &coord) {
  TESSERA_TRY(AnyLayout zipped, divide(arith, l, tiler, Grouping::Zipped));
  Tree at = filled(coord, zipped.shape()[1].rank());
  return sliceAndOffset(arith, Tree::of({keepAll(zipped.shape()[0].rank()), std::move(at)}),
                        zipped);
}

Result<Sliced> outerPartition(Arith &arith, const AnyLayout &l, const Tile &tiler,
                              const Tree &coord) {
  TESSERA_TRY(AnyLayout zipped, divide(arith, l, tiler, Grouping::Zipped));
  Tree at = filled(coord, zipped.shape()[0].rank());
  return sliceAndOffset(arith, Tree::of({std::move(at), keepAll(zipped.shape()[1].rank())}),
                        zipped);
}

Result<Sliced> localTile(Arith &arith, const AnyLayout &l, const Tile &tiler, const Tree &coord) {
  return innerPartition(arith, l, tiler, coord);
}

Result<Sliced> localTile(Arith &arith, const AnyLayout &l, const Tile &tiler, const Tree &coord,
                         const Tree &projection) {
  TESSERA_TRY(Tile kept, projected(tiler, projection));
  TESSERA_TRY(Tree at, dice(coord, projection));
  return innerPartition(arith, l, kept, at);
}

Result<Sliced> localPartitionTensor(Arith &arith, const AnyLayout &l, const Layout &threads,
                                    Int thread, const std::optional<Tree> &projection, bool far) {
  Tree at = flatCoord(arith, thread, threads);
  Tile tiler = tileOf(productEach(arith, threads.shape));
  if (projection) {
    TESSERA_TRY(tiler, projected(tiler, *projection));
    TESSERA_TRY(at, dice(at, *projection));
  }
  TESSERA_TRY(AnyLayout zipped, divide(arith, l, tiler, Grouping::Zipped));
  at = filled(at, zipped.shape()[0].rank());
  return sliceTensor(arith, Tree::of({std::move(at), keepAll(zipped.shape()[1].rank())}), zipped,
                     far);
}

Result<Sliced> localPartition(Arith &arith, const AnyLayout &l, const Layout &threads, Int thread) {
  Tree at = flatCoord(arith, thread, threads);
  return outerPartition(arith, l, tileOf(productEach(arith, threads.shape)), at);
}

Result<Sliced> localPartition(Arith &arith, const AnyLayout &l, const Layout &threads, Int thread,
                              const Tree &projection) {
  TESSERA_TRY(Tile kept, projected(tileOf(productEach(arith, threads.shape)), projection));
  TESSERA_TRY(Tree at, dice(flatCoord(arith, thread, threads), projection));
  return outerPartition(arith, l, kept, at);
}

} // namespace tessera::layout
