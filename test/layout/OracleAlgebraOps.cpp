// The oracle's operations that combine layouts: composition, inverses, division, products, partitions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/layout/Oracle.h"

#include "tessera/layout/Text.h"

namespace tessera::layout::test {

namespace {
template <Grouping grouping> Answer divided(Arith &a, const Inputs &in) {
  return answer(divide(a, in.any(0), in.tile(1), grouping));
}
template <Grouping grouping> Answer multiplied(Arith &a, const Inputs &in) {
  return answer(product(a, in.any(0), in.tile(1), grouping));
}

Tile tileOfShape(const Tree &shape) {
  std::vector<Tile> modes;
  for (const Tree &mode : shape.modes())
    modes.push_back(Layout{mode, mode.leaf().is(1) ? Tree(0) : Tree(1)});
  return Tile(std::move(modes));
}

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

/// local_tile: the tile of `l` at a coordinate of the rest. Source: CUTLASS tensor_impl.hpp.
Result<Sliced> innerPartition(Arith &a, const AnyLayout &l, const Tile &tiler, const Tree &coord) {
  TESSERA_TRY(AnyLayout zipped, divide(a, l, tiler, Grouping::Zipped));
  const Tree &rest = zipped.shape()[1];
  return sliceAndOffset(
      a, Tree::of({keepAll(tiler.rank()), filled(coord, rest.rank())}), zipped);
}
/// local_partition: the rest of `l` at a coordinate of the tile.
Result<Sliced> outerPartition(Arith &a, const AnyLayout &l, const Tile &tiler, const Tree &coord) {
  TESSERA_TRY(AnyLayout zipped, divide(a, l, tiler, Grouping::Zipped));
  Tree at = filled(coord, zipped.shape()[0].rank());
  return sliceAndOffset(a, Tree::of({at, keepAll(zipped.shape()[1].rank())}), zipped);
}

/// The modes that a projection `(1,X,1)` keeps.
std::vector<int32_t> keptModes(const std::string &projection) {
  std::vector<int32_t> kept;
  std::vector<std::string> modes = split(projection.substr(1, projection.size() - 2), ",");
  for (size_t i = 0; i < modes.size(); ++i)
    if (modes[i] != "X")
      kept.push_back(int32_t(i));
  return kept;
}

Answer localTile(Arith &a, const Inputs &in, bool projected) {
  Tree coord = in.tree(2);
  Tile tiler = in.tile(1);
  if (projected) {
    std::vector<int32_t> kept = keptModes(in.text(3));
    coord = *select(coord, kept);
    tiler = tileOfShape(*select(in.tree(1), kept));
  }
  return answer(innerPartition(a, in.any(0), tiler, coord));
}

/// A thread's share: the coordinate of the thread in the thread layout picks the element of each tile.
Answer localPartition(Arith &a, const Inputs &in, bool projected) {
  Layout threads = in.layout(1);
  Tree at = idx2crd(a, in.tree(2).leaf().value, threads.shape, threads.stride);
  Tree extents = threads.shape;
  if (projected) {
    std::vector<int32_t> kept = keptModes(in.text(3));
    at = *select(at, kept);
    extents = *select(extents, kept);
  }
  return answer(outerPartition(a, in.any(0), tileOfShape(extents), at));
}

/// The order of a tile_to_shape without one: modes from the left.
Tree fromTheLeft(const Tree &target) {
  std::vector<Tree> order;
  for (size_t i = 0; i < target.rank(); ++i)
    order.emplace_back(int64_t(i));
  return Tree(std::move(order));
}

const Operation table[] = {
    {"composition",
     [](Arith &a, const Inputs &in) { return answer(composition(a, in.layout(0), in.layout(1))); }},
    {"composition_tile",
     [](Arith &a, const Inputs &in) { return answer(composition(a, in.any(0), in.tile(1, false))); }},
    {"composition_shape",
     [](Arith &a, const Inputs &in) { return answer(composition(a, in.any(0), in.tile(1, false))); }},
    {"composition_composed",
     [](Arith &a, const Inputs &in) { return answer(composition(a, in.any(0), in.tile(1, false))); }},
    {"composition_swizzle",
     [](Arith &, const Inputs &in) { return answer(compose(in.swizzle(0), Tree(0), in.layout(1))); }},
    {"complement",
     [](Arith &a, const Inputs &in) {
       return answer(in.count() == 1 ? complement(a, in.layout(0))
                                     : complement(a, in.layout(0), in.tree(1)));
     }},
    {"right_inverse", [](Arith &a, const Inputs &in) { return answer(rightInverse(a, in.layout(0))); }},
    {"left_inverse", [](Arith &a, const Inputs &in) { return answer(leftInverse(a, in.layout(0))); }},

    {"logical_divide", divided<Grouping::Logical>},
    {"zipped_divide", divided<Grouping::Zipped>},
    {"tiled_divide", divided<Grouping::Tiled>},
    {"flat_divide", divided<Grouping::Flat>},
    {"logical_product", multiplied<Grouping::Logical>},
    {"zipped_product", multiplied<Grouping::Zipped>},
    {"tiled_product", multiplied<Grouping::Tiled>},
    {"flat_product", multiplied<Grouping::Flat>},
    {"blocked_product",
     [](Arith &a, const Inputs &in) { return answer(blockedProduct(a, in.any(0), in.layout(1))); }},
    {"raked_product",
     [](Arith &a, const Inputs &in) { return answer(rakedProduct(a, in.any(0), in.layout(1))); }},
    {"tile_to_shape",
     [](Arith &a, const Inputs &in) {
       Tree order = in.count() > 2 ? in.tree(2) : fromTheLeft(in.tree(1));
       return answer(tileToShape(a, in.any(0), in.tree(1), order));
     }},

    {"recast_layout",
     [](Arith &a, const Inputs &in) {
       return answer(recast(a, in.any(0), in.numbers(1)[0], in.numbers(1)[1]));
     }},
    {"upcast",
     [](Arith &a, const Inputs &in) { return answer(recast(a, in.any(0), 1, in.numbers(1)[0])); }},
    {"downcast",
     [](Arith &a, const Inputs &in) { return answer(recast(a, in.any(0), in.numbers(1)[0], 1)); }},

    {"local_tile", [](Arith &a, const Inputs &in) { return localTile(a, in, false); }},
    {"local_tile_proj", [](Arith &a, const Inputs &in) { return localTile(a, in, true); }},
    {"local_partition", [](Arith &a, const Inputs &in) { return localPartition(a, in, false); }},
    {"local_partition_proj", [](Arith &a, const Inputs &in) { return localPartition(a, in, true); }},
    {"inner_partition",
     [](Arith &a, const Inputs &in) {
       return answer(innerPartition(a, in.any(0), in.tile(1), in.tree(2)));
     }},
    {"outer_partition",
     [](Arith &a, const Inputs &in) {
       return answer(outerPartition(a, in.any(0), in.tile(1), in.tree(2)));
     }},
};
} // namespace

std::span<const Operation> algebraOperations() { return table; }

} // namespace tessera::layout::test
