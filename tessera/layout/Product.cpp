// Products of layouts: many copies of a block, in the order of another layout.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/layout/Algebra.h"
#include "tessera/layout/Errors.h"
#include "tessera/layout/Text.h"
#include "tessera/layout/Zip.h"

#include <algorithm>

namespace tessera::layout {

namespace {
Result<Layout> logicalProduct(Arith &arith, const Layout &a, const Layout &b) {
  if (b.stride.hasBasis()) // a step in one mode of the complement would run into the next one
    return fail(Error::StridesNotNumbers, "product", str(b));
  TESSERA_TRY(Int copies, cosize(arith, AnyLayout(b)));
  Int reach = arith.mul(size(arith, a), copies);
  TESSERA_TRY(Layout rest, complement(arith, a, Tree(reach)));
  TESSERA_TRY(Layout placed, composition(arith, rest, b));
  return concat({a, placed});
}

/// Mode by mode; `_` and modes beyond the tile keep theirs.
Result<Layout> logicalProduct(Arith &arith, const Layout &a, const Tile &tiler) {
  if (tiler.isAny())
    return a;
  if (tiler.isLayout())
    return logicalProduct(arith, a, tiler.single);
  if (tiler.rank() > a.rank())
    return fail(Error::TilerRank, tiler.rank(), a.rank());
  std::vector<Layout> modes;
  for (size_t i = 0; i < a.rank(); ++i) {
    TESSERA_TRY(Layout mode, i < tiler.rank() ? logicalProduct(arith, a[i], tiler.modes[i])
                                              : Result<Layout>(a[i]));
    modes.push_back(std::move(mode));
  }
  return concat(modes); // stride 0 of bases has a complement in numbers
}

/// The modes of both operands in pairs (first, second), after padding to equal rank.
Result<AnyLayout> pairedProduct(Arith &arith, const AnyLayout &a, const Layout &b,
                                bool blockFirst) {
  int64_t rank = int64_t(std::max(a.rank(), b.rank()));
  const Layout one = {Tree(1), Tree(0)};
  TESSERA_TRY(Layout block, appendToRank(a.outer(), rank, one));
  TESSERA_TRY(Layout tiler, appendToRank(b, rank, one));
  TESSERA_TRY(Layout both, logicalProduct(arith, block, tiler));
  Layout first = both[blockFirst ? 0 : 1], second = both[blockFirst ? 1 : 0];
  std::vector<Layout> modes;
  if (block.shape.isLeaf() ||
      tiler.shape.isLeaf()) // rank 1, though the copies may have become more modes
    modes.push_back(sideBySide({first, second}));
  else
    for (size_t i = 0; i < size_t(rank); ++i)
      modes.push_back(sideBySide({first[i], second[i]}));
  return a.withOuter(sideBySide(modes));
}
} // namespace

Result<AnyLayout> product(Arith &arith, const AnyLayout &a, const Tile &tiler, Grouping grouping) {
  TESSERA_TRY(Layout pairs, logicalProduct(arith, a.outer(), tiler));
  TESSERA_TRY(Layout grouped, regrouped(pairs, tiler, grouping));
  return a.withOuter(std::move(grouped));
}

Result<AnyLayout> product(Arith &arith, const AnyLayout &a, const Layout &b, Grouping grouping) {
  return product(arith, a, Tile(b), grouping);
}

Result<AnyLayout> blockedProduct(Arith &arith, const AnyLayout &a, const Layout &b) {
  return pairedProduct(arith, a, b, true);
}
Result<AnyLayout> rakedProduct(Arith &arith, const AnyLayout &a, const Layout &b) {
  return pairedProduct(arith, a, b, false);
}

Result<AnyLayout> tileToShape(Arith &arith, const AnyLayout &block, const Tree &target,
                              const Tree &order) {
  if (block.rank() > target.rank())
    return fail(Error::TilerRank, block.rank(), target.rank());
  const Layout one = {Tree(1), Tree(0)};
  TESSERA_TRY(Layout padded, appendToRank(block.outer(), int64_t(target.rank()), one));
  TESSERA_TRY(Tree copies,
              ceilDiv(arith, productEach(arith, target), productEach(arith, padded.shape)));
  TESSERA_TRY(Layout placed, orderedLayout(arith, copies, order));
  return blockedProduct(arith, block.withOuter(std::move(padded)), placed);
}

} // namespace tessera::layout
