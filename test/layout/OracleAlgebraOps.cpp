// The oracle's operations that combine layouts: composition, inverses, division, products, partitions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/layout/Oracle.h"

#include "test/layout/Sample.h"

#include <algorithm>

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
  if (in.isComposed(1)) // the swizzle stands between
    return {};
  return stepsByMode(a, in.any(0).outer(), in.tile(1, false), composed);
}
std::vector<Step> divisions(Arith &a, const Inputs &in) {
  return stepsByMode(a, in.any(0).outer(), in.tile(1), dividing);
}
std::vector<Step> multiplications(Arith &a, const Inputs &in) {
  return stepsByMode(a, in.any(0).outer(), in.tile(1), multiplying);
}

/// A projection `(1,X,1)` as a tree with `_` for X.
Tree projection(const Inputs &in, size_t i) {
  std::string text = in.text(i);
  std::replace(text.begin(), text.end(), 'X', '_');
  return tree(text);
}

Answer localTiled(Arith &a, const Inputs &in, bool projected) {
  return answer(projected ? localTile(a, in.any(0), in.tile(1), in.tree(2), projection(in, 3))
                          : localTile(a, in.any(0), in.tile(1), in.tree(2)));
}
Answer localPartitioned(Arith &a, const Inputs &in, bool projected) {
  Int thread = in.tree(2).leaf().value;
  return answer(projected ? localPartition(a, in.any(0), in.layout(1), thread, projection(in, 3))
                          : localPartition(a, in.any(0), in.layout(1), thread));
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
       return in.isComposed(1) ? answer(composition(a, in.any(0), *in.any(1).composed()))
                               : composedByMode(a, in);
     },
     compositions},
    {"composition_swizzle",
     [](Arith &, const Inputs &in) { return answer(compose(in.swizzle(0), Tree(0), in.layout(1))); }},
    {"composition_layout_swizzle",
     [](Arith &a, const Inputs &in) { return answer(composition(a, in.layout(0), in.swizzle(1))); }},
    {"composition_layout_composed",
     [](Arith &a, const Inputs &in) {
       AnyLayout b = in.any(1);
       return b.affine() ? composedByMode(a, in) : answer(composition(a, in.any(0), *b.composed()));
     }},
    {"composition_swizzle_swizzle",
     [](Arith &, const Inputs &in) { return answer(composition(in.swizzle(0), in.swizzle(1))); }},
    {"complement",
     [](Arith &a, const Inputs &in) {
       return answer(in.count() == 1 ? complement(a, in.layout(0))
                                     : complement(a, in.layout(0), in.tree(1)));
     }},
    {"right_inverse",
     [](Arith &a, const Inputs &in) { return answer(rightInverse(a, in.any(0))); }},
    {"left_inverse",
     [](Arith &a, const Inputs &in) { return answer(leftInverse(a, in.any(0))); }},
    {"nullspace", [](Arith &a, const Inputs &in) { return answer(nullspace(a, in.layout(0))); }},
    {"max_common_layout",
     [](Arith &a, const Inputs &in) { return answer(maxCommonLayout(a, in.layout(0), in.layout(1))); }},
    {"max_common_vector",
     [](Arith &a, const Inputs &in) { return answer(maxCommonVector(a, in.layout(0), in.layout(1))); }},
    {"max_alignment",
     [](Arith &a, const Inputs &in) { return answer(maxAlignment(a, in.layout(0))); }},
    {"domain_distribute",
     [](Arith &a, const Inputs &in) {
       return answer(domainDistribute(a, in.tree(0), in.tree(1).leaf().value));
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

    {"local_tile", [](Arith &a, const Inputs &in) { return localTiled(a, in, false); }, divisions},
    {"local_tile_proj", [](Arith &a, const Inputs &in) { return localTiled(a, in, true); }},
    {"local_partition", [](Arith &a, const Inputs &in) { return localPartitioned(a, in, false); }},
    {"local_partition_proj", [](Arith &a, const Inputs &in) { return localPartitioned(a, in, true); }},
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
