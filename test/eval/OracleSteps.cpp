// The compositions that an operation of the tables is made of.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/eval/OracleDifferences.h"
#include "test/layout/Sample.h"

namespace tessera::layout::test {

namespace {
/// `inner` of each layout that tiles a mode of `l`. What is refused is not a step.
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
  return Step{l, *concat({tile, rest})};
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

struct Composing {
  std::string_view operations; // names between spaces
  std::vector<Step> (*steps)(Arith &, const Inputs &);
};
const Composing table[] = {
    {"composition composition_tile composition_shape composition_composed", compositions},
    {"logical_divide zipped_divide tiled_divide flat_divide local_tile", divisions},
    {"logical_product zipped_product tiled_product flat_product blocked_product raked_product",
     multiplications},
    {"tile_to_shape", copies},
};
} // namespace

std::optional<std::vector<Step>> stepsOf(std::string_view operation, Arith &a, const Inputs &in) {
  for (const Composing &row : table)
    if (isOneOf(operation, row.operations))
      return row.steps(a, in);
  return std::nullopt;
}

} // namespace tessera::layout::test
