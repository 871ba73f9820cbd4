// Regrouping of the pairs that divisions and products make.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/layout/Zip.h"

#include "tessera/layout/Errors.h"
#include "tessera/layout/Text.h"

namespace tessera::layout {

namespace {
/// ((tiles), (rests)); under a layout or `_` stands a pair already.
Result<std::pair<Tree, Tree>> unzipped(const Tree &pairs, const Tile &tiler) {
  if (!tiler.isTuple()) {
    if (pairs.isLeaf() || pairs.rank() != 2)
      return fail(Error::StructureMismatch, str(pairs), "(tile,rest)");
    return std::pair(pairs[0], pairs[1]);
  }
  Trees tiles, rests;
  for (size_t i = 0; i < tiler.rank(); ++i) {
    TESSERA_TRY(auto pair, unzipped(pairs[i], tiler.modes[i]));
    tiles.push_back(std::move(pair.first));
    rests.push_back(std::move(pair.second));
  }
  for (size_t i = tiler.rank(); i < pairs.rank(); ++i)
    rests.push_back(pairs[i]);
  return std::pair(Tree(std::move(tiles)), Tree(std::move(rests)));
}

/// The modes of a group side by side; a group of one mode stays a group.
void spread(const Tree &group, Trees &out) {
  if (group.isTuple() && group.rank() != 1)
    out.append(group.modes().begin(), group.modes().end());
  else
    out.push_back(group);
}

} // namespace

Tree regrouped(const std::pair<Tree, Tree> &parts, Grouping grouping, bool restFirst) {
  const auto &[tiles, rests] = parts;
  if (grouping == Grouping::Zipped)
    return restFirst ? Tree::of({rests, tiles}) : Tree::of({tiles, rests});
  Trees modes;
  if (restFirst)
    spread(rests, modes);
  if (grouping == Grouping::Flat)
    spread(tiles, modes);
  else
    modes.push_back(tiles);
  if (!restFirst)
    spread(rests, modes);
  return modes;
}

Result<Layout> regrouped(const Layout &pairs, const Tile &tiler, Grouping grouping) {
  if (grouping == Grouping::Logical)
    return pairs;
  TESSERA_TRY(auto shape, unzipped(pairs.shape, tiler));
  TESSERA_TRY(auto stride, unzipped(pairs.stride, tiler));
  return Layout{regrouped(shape, grouping), regrouped(stride, grouping)};
}

} // namespace tessera::layout
