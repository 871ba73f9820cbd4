// Division of layouts into tiles, in the four groupings.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/layout/Algebra.h"
#include "tessera/layout/Errors.h"
#include "tessera/layout/Text.h"

namespace tessera::layout {

namespace {
Result<Layout> logicalDivide(Arith &arith, const Layout &a, const Layout &tiler) {
  TESSERA_TRY(Layout rest, complement(arith, tiler, coalesce(arith, a).shape));
  return composition(arith, a, concat({tiler, rest}));
}

Result<Layout> logicalDivide(Arith &arith, const Layout &a, const Tile &tiler) {
  if (tiler.isAny())
    return a;
  if (tiler.isLayout())
    return logicalDivide(arith, a, tiler.single);
  if (tiler.rank() > a.rank())
    return fail(Error::TilerRank, tiler.rank(), a.rank());
  std::vector<Layout> modes;
  for (size_t i = 0; i < a.rank(); ++i) {
    TESSERA_TRY(Layout mode, i < tiler.rank() ? logicalDivide(arith, a[i], tiler.modes[i])
                                              : Result<Layout>(a[i]));
    modes.push_back(std::move(mode));
  }
  return concat(modes);
}

/// ((tiles), (rests)) of what a logical divide by `tiler` made; what the tiler does not reach is rest.
/// Under a layout or `_` stands a pair already.
Result<std::pair<Tree, Tree>> unzip(const Tree &divided, const Tile &tiler) {
  if (!tiler.isTuple()) {
    if (divided.isLeaf() || divided.rank() != 2)
      return fail(Error::StructureMismatch, str(divided), "(tile,rest)");
    return std::pair(divided[0], divided[1]);
  }
  std::vector<Tree> tiles, rests;
  for (size_t i = 0; i < tiler.rank(); ++i) {
    TESSERA_TRY(auto pair, unzip(divided[i], tiler.modes[i]));
    tiles.push_back(std::move(pair.first));
    rests.push_back(std::move(pair.second));
  }
  for (size_t i = tiler.rank(); i < divided.rank(); ++i)
    rests.push_back(divided[i]);
  return std::pair(Tree(std::move(tiles)), Tree(std::move(rests)));
}

/// The modes of a group side by side; a group of one mode stays a group.
void spread(const Tree &group, std::vector<Tree> &out) {
  if (group.isTuple() && group.rank() != 1)
    out.insert(out.end(), group.modes().begin(), group.modes().end());
  else
    out.push_back(group);
}

Tree regroup(const std::pair<Tree, Tree> &parts, Grouping grouping) {
  if (grouping == Grouping::Zipped)
    return Tree::of({parts.first, parts.second});
  std::vector<Tree> modes;
  if (grouping == Grouping::Flat)
    spread(parts.first, modes);
  else
    modes.push_back(parts.first);
  spread(parts.second, modes);
  return modes;
}
} // namespace

Result<AnyLayout> divide(Arith &arith, const AnyLayout &a, const Tile &tiler, Grouping grouping) {
  TESSERA_TRY(Layout divided, logicalDivide(arith, a.outer(), tiler));
  if (grouping == Grouping::Logical)
    return a.withOuter(std::move(divided));
  TESSERA_TRY(auto shape, unzip(divided.shape, tiler));
  TESSERA_TRY(auto stride, unzip(divided.stride, tiler));
  return a.withOuter({regroup(shape, grouping), regroup(stride, grouping)});
}

Result<AnyLayout> divide(Arith &arith, const AnyLayout &a, const Layout &tiler, Grouping grouping) {
  return divide(arith, a, Tile(tiler), grouping);
}

} // namespace tessera::layout
