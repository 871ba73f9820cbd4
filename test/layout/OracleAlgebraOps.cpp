// The oracle's operations that combine layouts: composition, inverses, division, products, partitions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/layout/Oracle.h"

#include "test/layout/Sample.h"

namespace tessera::layout::test {

namespace {
template <Grouping grouping> Answer divided(Arith &a, const Inputs &in) {
  return answer(divide(a, in.any(0), in.tile(1), grouping));
}
template <Grouping grouping> Answer multiplied(Arith &a, const Inputs &in) {
  return answer(product(a, in.any(0), in.tile(1), grouping));
}

Answer composedByMode(Arith &a, const Inputs &in) {
  return answer(composition(a, in.any(0), in.tile(1, false)));
}
Answer unknown(const char *form) {
  return {Reason{notOffered, form}, {}, {}, {}};
}

/// `inner` of each layout that tiles a mode of `l`. What is refused is no step.
std::vector<Step> stepsByMode(Arith &a, const Layout &l, const Tile &tile,
                              Result<Step> (*inner)(Arith &, const Layout &, const Layout &)) {
  std::vector<Step> steps;
  if (tile.isLayout())
    if (Result<Step> step = inner(a, l, tile.single))
      steps.push_back(*step);
  for (size_t i = 0; i < tile.modes.size() && i < l.rank(); ++i)
    for (Step &step : stepsByMode(a, l[i], tile.modes[i], inner))
      steps.push_back(std::move(step));
  return steps;
}

Result<Step> composed(Arith &, const Layout &l, const Layout &tile) { return Step{l, tile}; }
Result<Step> dividing(Arith &a, const Layout &l, const Layout &tile) {
  TESSERA_TRY(Layout rest, complement(a, tile, coalesce(a, l).shape));
  return Step{l, concat({tile, rest})};
}
Result<Step> multiplying(Arith &a, const Layout &l, const Layout &tile) {
  TESSERA_TRY(Int copies, cosize(a, AnyLayout(tile)));
  TESSERA_TRY(Layout rest, complement(a, l, Tree(a.mul(size(a, l), copies))));
  return Step{rest, tile};
}

std::vector<Step> compositions(Arith &a, const Inputs &in) {
  return stepsByMode(a, in.any(0).outer(), in.tile(1, false), composed);
}
std::vector<Step> divisions(Arith &a, const Inputs &in) {
  return stepsByMode(a, in.any(0).outer(), in.tile(1), dividing);
}
std::vector<Step> multiplications(Arith &a, const Inputs &in) {
  return stepsByMode(a, in.any(0).outer(), in.tile(1), multiplying);
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

/// The order of a tile_to_shape; without one, modes from the left.
Tree orderOf(const Inputs &in) {
  if (in.count() > 2)
    return in.tree(2);
  std::vector<Tree> order;
  for (size_t i = 0; i < in.tree(1).rank(); ++i)
    order.emplace_back(int64_t(i));
  return Tree(std::move(order));
}

std::vector<Step> copies(Arith &a, const Inputs &in) {
  Tree target = in.tree(1);
  Layout one = {Tree(1), Tree(0)};
  Layout block = parsed(appendToRank(in.any(0).outer(), int64_t(target.rank()), one));
  Tree counts = parsed(ceilDiv(a, productEach(a, target), productEach(a, block.shape)));
  Layout order = parsed(orderedLayout(a, counts, orderOf(in)));
  return stepsByMode(a, block, Tile(order), multiplying);
}

const Operation table[] = {
    {"composition",
     [](Arith &a, const Inputs &in) { return answer(composition(a, in.layout(0), in.layout(1))); },
     compositions},
    {"composition_tile", composedByMode, compositions},
    {"composition_shape", composedByMode, compositions},
    {"composition_composed",
     [](Arith &a, const Inputs &in) {
       return in.isComposed(1) ? unknown("a swizzled right operand") : composedByMode(a, in);
     },
     compositions},
    {"composition_swizzle",
     [](Arith &, const Inputs &in) { return answer(compose(in.swizzle(0), Tree(0), in.layout(1))); }},
    {"complement",
     [](Arith &a, const Inputs &in) {
       return answer(in.count() == 1 ? complement(a, in.layout(0))
                                     : complement(a, in.layout(0), in.tree(1)));
     }},
    {"right_inverse",
     [](Arith &a, const Inputs &in) {
       return in.isComposed(0) ? unknown("a swizzled layout") : answer(rightInverse(a, in.layout(0)));
     }},
    {"left_inverse",
     [](Arith &a, const Inputs &in) {
       return in.isComposed(0) ? unknown("a swizzled layout") : answer(leftInverse(a, in.layout(0)));
     }},

    {"logical_divide", divided<Grouping::Logical>, divisions},
    {"zipped_divide", divided<Grouping::Zipped>, divisions},
    {"tiled_divide", divided<Grouping::Tiled>, divisions},
    {"flat_divide", divided<Grouping::Flat>, divisions},
    {"logical_product", multiplied<Grouping::Logical>, multiplications},
    {"zipped_product", multiplied<Grouping::Zipped>, multiplications},
    {"tiled_product", multiplied<Grouping::Tiled>, multiplications},
    {"flat_product", multiplied<Grouping::Flat>, multiplications},
    {"blocked_product",
     [](Arith &a, const Inputs &in) { return answer(blockedProduct(a, in.any(0), in.layout(1))); },
     multiplications},
    {"raked_product",
     [](Arith &a, const Inputs &in) { return answer(rakedProduct(a, in.any(0), in.layout(1))); },
     multiplications},
    {"tile_to_shape",
     [](Arith &a, const Inputs &in) {
       return answer(tileToShape(a, in.any(0), in.tree(1), orderOf(in)));
     },
     copies},

    {"recast_layout",
     [](Arith &a, const Inputs &in) {
       return answer(recast(a, in.any(0), in.numbers(1)[0], in.numbers(1)[1]));
     }},
    {"upcast",
     [](Arith &a, const Inputs &in) { return answer(recast(a, in.any(0), 1, in.numbers(1)[0])); }},
    {"downcast",
     [](Arith &a, const Inputs &in) { return answer(recast(a, in.any(0), in.numbers(1)[0], 1)); }},

    {"local_tile", [](Arith &a, const Inputs &in) { return localTile(a, in, false); }, divisions},
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
