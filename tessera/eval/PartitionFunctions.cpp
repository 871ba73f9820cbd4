// The functions that cut a tensor for blocks and threads.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Source: CUTLASS include/cute/tensor_impl.hpp. Each gives the layout of the part and the index
// where it begins.
#include "tessera/eval/Function.h"

namespace tessera::eval {

using namespace layout;

namespace {
using K = Kind;

/// A coordinate that keeps `rank` modes. CuTe's repeat<1> makes no tuple.
Tree keepAll(size_t rank) {
  Tree keep = Leaf::underscore();
  return rank == 1 ? keep : repeat(keep, rank);
}
/// `coord`, with `_` for the modes up to `rank` that it does not name; an integer counts all modes.
Tree filled(const Tree &coord, size_t rank) {
  if (coord.isLeaf())
    return coord;
  std::vector<Tree> modes = coord.modes();
  while (modes.size() < rank)
    modes.emplace_back(Leaf::underscore());
  return Tree(std::move(modes));
}

/// The tile of `l` at a coordinate of the rest.
Result<Sliced> innerPartition(Arith &a, const AnyLayout &l, const Tile &tiler, const Tree &coord) {
  TESSERA_TRY(AnyLayout zipped, divide(a, l, tiler, Grouping::Zipped));
  return sliceAndOffset(
      a, Tree::of({keepAll(tiler.rank()), filled(coord, zipped.shape()[1].rank())}), zipped);
}
/// The rest of `l` at a coordinate of the tile.
Result<Sliced> outerPartition(Arith &a, const AnyLayout &l, const Tile &tiler, const Tree &coord) {
  TESSERA_TRY(AnyLayout zipped, divide(a, l, tiler, Grouping::Zipped));
  Tree at = filled(coord, zipped.shape()[0].rank());
  return sliceAndOffset(a, Tree::of({at, keepAll(zipped.shape()[1].rank())}), zipped);
}

/// The modes that a projection `(1,X,1)` keeps; X is read as `_`.
std::vector<int32_t> keptModes(const Tree &projection) {
  std::vector<int32_t> kept;
  for (size_t i = 0; i < projection.rank(); ++i)
    if (!projection[i].hasUnderscore())
      kept.push_back(int32_t(i));
  return kept;
}

/// One tile for each top-level mode.
Result<Tile> tileOfModes(Arith &a, const Tree &shape) {
  std::vector<Tile> modes;
  const Tree wrapped = wrap(shape);
  for (const Tree &mode : wrapped.modes()) {
    bool one = mode.isLeaf() && mode.leaf().is(1);
    modes.push_back(one ? Layout{Tree(1), Tree(0)} : compactMajor(a, mode));
  }
  return Tile(std::move(modes));
}

Result<Value> localTile(Arith &a, const Arguments &in) {
  if (in.count() == 3)
    return value(innerPartition(a, in.any(0), in.tile(1), in.tree(2)));
  std::vector<int32_t> kept = keptModes(in.tree(3));
  std::vector<Tile> modes;
  TESSERA_TRY(Tree coord, select(in.tree(2), kept));
  for (int32_t mode : kept) {
    const int32_t path[] = {mode};
    TESSERA_TRY(Tile tile, getMode(in.tile(1), path));
    modes.push_back(std::move(tile));
  }
  return value(innerPartition(a, in.any(0), Tile(std::move(modes)), coord));
}

/// A thread's share: the coordinate of the thread in the thread layout picks the element of each
/// tile.
Result<Value> localPartition(Arith &a, const Arguments &in) {
  const Layout &threads = in.layout(1);
  Tree at = idx2crd(a, in.number(2), threads.shape, threads.stride), extents = threads.shape;
  if (in.count() > 3) {
    std::vector<int32_t> kept = keptModes(in.tree(3));
    TESSERA_TRY(at, select(at, kept));
    TESSERA_TRY(extents, select(extents, kept));
  }
  TESSERA_TRY(Tile tiler, tileOfModes(a, extents));
  return value(outerPartition(a, in.any(0), tiler, at));
}

const Function table[] = {
    {"local_tile",
     {K::AnyLayout, K::Tile, K::Coord, optional(K::Coord)},
     "the tile at a coordinate of the tiles",
     localTile},
    {"local_tile_proj",
     {K::AnyLayout, K::Tile, K::Coord, K::Coord},
     "local_tile with the modes that (1,X,1) keeps",
     localTile},
    {"local_partition",
     {K::AnyLayout, K::Layout, K::Number, optional(K::Coord)},
     "what a thread of the thread layout owns",
     localPartition},
    {"local_partition_proj",
     {K::AnyLayout, K::Layout, K::Number, K::Coord},
     "local_partition with the modes that (1,X,1) keeps",
     localPartition},
    {"inner_partition",
     {K::AnyLayout, K::Tile, K::Coord},
     "the tile at a coordinate of the rest",
     [](Arith &a, const Arguments &in) {
       return value(innerPartition(a, in.any(0), in.tile(1), in.tree(2)));
     }},
    {"outer_partition",
     {K::AnyLayout, K::Tile, K::Coord},
     "the rest at a coordinate of the tile",
     [](Arith &a, const Arguments &in) {
       return value(outerPartition(a, in.any(0), in.tile(1), in.tree(2)));
     }},
};
} // namespace

std::span<const Function> partitionFunctions() { return table; }

} // namespace tessera::eval
