// Division of layouts into tiles, in the four groupings.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/layout/Composition.h"
#include "tessera/layout/Errors.h"
#include "tessera/layout/Text.h"
#include "tessera/layout/Zip.h"

namespace tessera::layout {

namespace {
/// The extents of the coalesced `all`, of which `left` is coalescedLeft: that one keeps a last
/// extent of 1.
template <class Number>
Nums<Number> extentsOf(Numbers<Number> &n, const Modes<Number> &all, const Modes<Number> &left) {
  Nums<Number> extents;
  auto take = [&](const Modes<Number> &modes) {
    for (const auto &mode : modes)
      extents.push_back(mode.extent);
  };
  if (all.empty() || all.back().extent.is(1))
    take(coalesced(n, all));
  else
    take(left);
  return extents;
}
} // namespace

template <class Number>
Result<Layout> logicalDivide(Numbers<Number> &n, const Listed<Number> &a,
                             const Listed<Number> &tiler, OpenRest open) {
  if (tiler.layout.stride.hasBasis()) { // steps through the modes of `a`, as they stand
    TESSERA_TRY(Layout rest, complement(n.arith, tiler.layout, a.layout.shape));
    return composition(n.arith, a.layout, sideBySide({tiler.layout, rest}));
  }
  const Modes<Number> left = coalescedLeft(n, a.modes);
  Nums<Number> extents = extentsOf(n, a.modes, left);
  Modes<Number> rest;
  if (auto made = complementModes(n, tiler, extents, rest, open); !made)
    return std::move(made).reason();
  return composition(n, a.layout, left, tiler, rest);
}
template Result<Layout> logicalDivide(Numbers<LeafNumber> &, const Listed<LeafNumber> &,
                                      const Listed<LeafNumber> &, OpenRest);

namespace {
Result<Layout> logicalDivide(Arith &arith, const Layout &a, const Layout &tiler, OpenRest open) {
  return withNumbers(
      arith,
      [&](auto &n, const auto &modes, const auto &tile) {
        return layout::logicalDivide(n, {a, modes}, {tiler, tile}, open);
      },
      a, tiler);
}

Result<Layout> logicalDivide(Arith &arith, const Layout &a, const Tile &tiler, OpenRest open) {
  if (tiler.isAny())
    return a;
  if (tiler.isLayout())
    return logicalDivide(arith, a, tiler.single, open);
  if (tiler.rank() > a.rank())
    return fail(Error::TilerRank, tiler.rank(), a.rank());
  std::vector<Layout> modes;
  for (size_t i = 0; i < a.rank(); ++i) {
    TESSERA_TRY(Layout mode, i < tiler.rank() ? logicalDivide(arith, a[i], tiler.modes[i], open)
                                              : Result<Layout>(a[i]));
    modes.push_back(std::move(mode));
  }
  return sideBySide(modes);
}
} // namespace

namespace {
Result<AnyLayout> withOuter(const AnyLayout &a, Result<Layout> &&outer) {
  if (!outer)
    return std::move(outer).reason();
  return a.withOuter(*std::move(outer));
}
} // namespace

Result<AnyLayout> divide(Arith &arith, const AnyLayout &a, const Tile &tiler, Grouping grouping,
                         OpenRest open) {
  Result<Layout> divided = logicalDivide(arith, a.outer(), tiler, open);
  if (divided && grouping != Grouping::Logical)
    divided = regrouped(*divided, tiler, grouping);
  return withOuter(a, std::move(divided));
}

namespace {
Tree reversed(const Tree &t) {
  if (t.isLeaf())
    return t;
  return Trees(t.modes().rbegin(), t.modes().rend());
}
Layout reversed(const Layout &l) { return {reversed(l.shape), reversed(l.stride)}; }

/// The tile modes and the rest modes of `pairs`, whose last ones the tiler divided.
std::pair<Tree, Tree> tilesAndRests(const Tree &pairs, size_t tiled) {
  Trees tiles, rests;
  for (size_t i = 0; i < pairs.rank(); ++i) {
    bool whole = i + tiled < pairs.rank();
    rests.push_back(whole ? pairs[i] : pairs[i][1]);
    if (!whole)
      tiles.push_back(pairs[i][0]);
  }
  return {Tree(std::move(tiles)), Tree(std::move(rests))};
}
} // namespace

Result<AnyLayout> outerDivide(Arith &arith, const AnyLayout &a, const Tile &tiler,
                              Grouping grouping) {
  if (!tiler.isTuple()) {
    Tile own = tiler.isLayout() ? Tile(reversed(tiler.single)) : tiler;
    TESSERA_TRY(Layout pair, logicalDivide(arith, reversed(a.outer()), own, OpenRest::Joined));
    if (tiler.isAny())
      return a.withOuter(reversed(pair));
    if (grouping == Grouping::Logical)
      return a.withOuter(std::move(pair));
    return a.withOuter({regrouped(std::pair(pair.shape[0], pair.shape[1]), grouping, true),
                        regrouped(std::pair(pair.stride[0], pair.stride[1]), grouping, true)});
  }
  if (tiler.rank() > a.rank())
    return fail(Error::TilerRank, tiler.rank(), a.rank());
  std::vector<Tile> aligned(a.rank() - tiler.rank());
  aligned.insert(aligned.end(), tiler.modes.begin(), tiler.modes.end());
  TESSERA_TRY(Layout pairs,
              logicalDivide(arith, a.outer(), Tile(std::move(aligned)), OpenRest::Joined));
  if (grouping == Grouping::Logical)
    return a.withOuter(std::move(pairs));
  for (size_t i = 0; i < tiler.rank(); ++i)
    if (!tiler.modes[i].isLayout())
      return fail(Error::StructureMismatch, str(tiler), "a layout for each mode");
  return a.withOuter({regrouped(tilesAndRests(pairs.shape, tiler.rank()), grouping, true),
                      regrouped(tilesAndRests(pairs.stride, tiler.rank()), grouping, true)});
}

Result<AnyLayout> divide(Arith &arith, const AnyLayout &a, const Layout &tiler, Grouping grouping,
                         OpenRest open) {
  if (grouping != Grouping::Logical)
    return divide(arith, a, Tile(tiler), grouping, open);
  return withOuter(a, logicalDivide(arith, a.outer(), tiler, open));
}

} // namespace tessera::layout
