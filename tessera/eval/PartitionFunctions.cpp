// The functions that cut a tensor for blocks and threads.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Source: CUTLASS include/cute/tensor_impl.hpp. Each gives the layout of the part and the index
// where it begins.
#include "tessera/eval/Function.h"

#include "tessera/layout/Errors.h"
#include "tessera/layout/Text.h"

namespace tessera::eval {

using namespace layout;

namespace {
using K = Kind;

// A projection (1,X,1) comes with `_` for X.
Result<Value> tileAt(Arith &a, const Arguments &in) {
  return value(in.count() == 3 ? localTile(a, in.any(0), in.tile(1), in.tree(2))
                               : localTile(a, in.any(0), in.tile(1), in.tree(2), in.tree(3)));
}
Result<Value> shareOf(Arith &a, const Arguments &in) {
  return value(in.count() == 3
                   ? localPartition(a, in.any(0), in.layout(1), in.number(2))
                   : localPartition(a, in.any(0), in.layout(1), in.number(2), in.tree(3)));
}

/// A copy of single elements: what a thread-value layout over a tile alone decides.
Result<TiledCopy> byThreadAndValue(const Arguments &in) {
  const Layout element = {Tree::of({Tree(1), Tree(1)}), Tree::of({Tree(0), Tree(0)})};
  if (in.layout(1).rank() != 2)
    return layout::fail(layout::Error::StructureMismatch, str(in.layout(1)), "(threads,values)");
  return TiledCopy{{element, element, element}, in.layout(1), in.tile(2)};
}
Result<Value> fragmentsOf(Arith &a, const Arguments &in) {
  TESSERA_TRY(TiledCopy copy, byThreadAndValue(in));
  return value(threadFragments(a, copy, CopySide::Src, in.any(0)));
}
Result<Value> fragmentAt(Arith &a, const Arguments &in) {
  TESSERA_TRY(TiledCopy copy, byThreadAndValue(in));
  return value(partition(a, copy, CopySide::Src, in.any(0), Tree(in.number(3))));
}

const Function table[] = {
    {"local_tile",
     {K::AnyLayout, K::Tile, K::Coord, optional(K::Coord)},
     "the tile at a coordinate of the tiles",
     tileAt},
    {"local_tile_proj",
     {K::AnyLayout, K::Tile, K::Coord, K::Coord},
     "local_tile with the modes that (1,X,1) keeps",
     tileAt},
    {"local_partition",
     {K::AnyLayout, K::Layout, K::Number, optional(K::Coord)},
     "what a thread of the thread layout owns",
     shareOf},
    {"local_partition_proj",
     {K::AnyLayout, K::Layout, K::Number, K::Coord},
     "local_partition with the modes that (1,X,1) keeps",
     shareOf},
    {"tv_fragments",
     {K::AnyLayout, K::Layout, K::Tile},
     "(thread,value,rest): all of a tensor, by a layout of (thread,value) in each tile",
     fragmentsOf},
    {"tv_partition",
     {K::AnyLayout, K::Layout, K::Tile, K::Number},
     "what one thread owns by a layout of (thread,value) in each tile: (value,rest)",
     fragmentAt},
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
