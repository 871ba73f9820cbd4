// Access to modes and regrouping of them: get, select, group, append, slice, dice.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/layout/Algebra.h"
#include "tessera/layout/Errors.h"
#include "tessera/layout/Text.h"

#include <algorithm>

namespace tessera::layout {

namespace {
/// The path goes on where there are no modes.
Reason pathTooLong(size_t length, size_t depth) {
  const size_t extra = length - depth;
  return fail(Error::ModePathTooLong, extra, extra == 1 ? "index" : "indices", depth);
}

/// The mode at the rest of a path, whose first `depth` indices led to the tree.
Result<Tree> modeFrom(const Tree &tree, std::span<const int32_t> path, size_t depth) {
  const Tree *at = &tree;
  for (size_t i = depth; i < path.size(); ++i) {
    if (at->isLeaf())
      return pathTooLong(path.size(), i);
    if (path[i] < 0 || size_t(path[i]) >= at->rank())
      return fail(Error::PathOutOfRange, at->rank(), i, path[i]);
    at = &at->modes()[size_t(path[i])];
  }
  return *at;
}
Result<Layout> modeFrom(const Layout &l, std::span<const int32_t> path, size_t depth) {
  TESSERA_TRY(Tree shape, modeFrom(l.shape, path, depth));
  TESSERA_TRY(Tree stride, modeFrom(l.stride, path, depth));
  return Layout{std::move(shape), std::move(stride)};
}
} // namespace

Result<Tree> getMode(const Tree &tree, std::span<const int32_t> path) {
  return modeFrom(tree, path, 0);
}
Result<Layout> getMode(const Layout &l, std::span<const int32_t> path) {
  return modeFrom(l, path, 0);
}

Result<Tile> getMode(const Tile &tile, std::span<const int32_t> path) {
  const Tile *at = &tile;
  for (size_t i = 0; i < path.size(); ++i) {
    if (!at->isTuple()) {
      if (at->isAny())
        return pathTooLong(path.size(), i);
      TESSERA_TRY(Layout mode, modeFrom(at->single, path, i));
      return Tile(std::move(mode));
    }
    if (path[i] < 0 || size_t(path[i]) >= at->rank())
      return fail(Error::PathOutOfRange, at->rank(), i, path[i]);
    at = &at->modes[size_t(path[i])];
  }
  return *at;
}

namespace {
/// Each of the modes is there. One may be asked for twice, as in CuTe C++ and the public dialect.
Result<bool> checkSelected(size_t rank, std::span<const int32_t> modes) {
  std::string list;
  for (int32_t mode : modes)
    list += cat(list.empty() ? "" : ", ", mode);
  for (int32_t mode : modes)
    if (mode < 0 || size_t(mode) >= rank)
      return fail(Error::SelectRange, rank, mode, list);
  return true;
}
} // namespace

Result<Tree> select(const Tree &tree, std::span<const int32_t> modes) {
  if (auto sound = checkSelected(tree.rank(), modes); !sound)
    return std::move(sound).reason();
  Trees chosen;
  for (int32_t mode : modes)
    chosen.push_back(tree[size_t(mode)]);
  return Tree(std::move(chosen));
}

Result<Tile> select(const Tile &tile, std::span<const int32_t> modes) {
  if (auto sound = checkSelected(tile.rank(), modes); !sound)
    return std::move(sound).reason();
  std::vector<Tile> chosen;
  for (int32_t mode : modes)
    chosen.push_back(tile.isTuple() ? tile.modes[size_t(mode)] : tile);
  return Tile(std::move(chosen));
}

Result<Layout> select(const Layout &l, std::span<const int32_t> modes) {
  TESSERA_TRY(Tree shape, select(l.shape, modes));
  TESSERA_TRY(Tree stride, select(l.stride, modes));
  return Layout{std::move(shape), std::move(stride)};
}

Result<Layout> take(const Layout &l, int64_t begin, int64_t end) {
  if (begin < 0 || begin > end || end > int64_t(l.rank()))
    return fail(Error::TakeModes, l.rank(), begin, end);
  return Layout{take(l.shape, size_t(begin), size_t(end)),
                take(l.stride, size_t(begin), size_t(end))};
}

Result<Tree> groupModes(const Tree &tree, int64_t begin, int64_t end) {
  int64_t rank = int64_t(tree.rank());
  if (begin < 0)
    return fail(Error::GroupBegin, begin);
  if (begin >= end)
    return fail(Error::GroupEmpty, begin, end);
  if (end > rank)
    return fail(Error::GroupEnd, rank, end);
  Trees modes;
  for (int64_t i = 0; i < begin; ++i)
    modes.push_back(tree[size_t(i)]);
  modes.push_back(take(tree, size_t(begin), size_t(end)));
  for (int64_t i = end; i < rank; ++i)
    modes.push_back(tree[size_t(i)]);
  return Tree(std::move(modes));
}

Result<Layout> groupModes(const Layout &l, int64_t begin, int64_t end) {
  TESSERA_TRY(Tree shape, groupModes(l.shape, begin, end));
  TESSERA_TRY(Tree stride, groupModes(l.stride, begin, end));
  return Layout{std::move(shape), std::move(stride)};
}

namespace {
/// Far beyond any tensor, and little memory.
constexpr int64_t maxRank = 1024;

Result<Tree> fillToRank(const Tree &tree, int64_t rank, const Tree &element, bool after) {
  if (rank < 1)
    return fail(Error::RankNotPositive, rank);
  if (rank > maxRank)
    return fail(Error::RankTooLarge, maxRank, rank);
  if (tree.rank() == size_t(rank))
    return tree;
  if (tree.rank() > size_t(rank))
    return fail(Error::RankTooSmall, rank, str(tree));
  std::vector<Tree> modes = wrap(tree).modes();
  modes.insert(after ? modes.end() : modes.begin(), size_t(rank) - modes.size(), element);
  return Tree(std::move(modes));
}

Result<Layout> fillToRank(const Layout &l, int64_t rank, const Layout &element, bool after) {
  TESSERA_TRY(Tree shape, fillToRank(l.shape, rank, element.shape, after));
  TESSERA_TRY(Tree stride, fillToRank(l.stride, rank, element.stride, after));
  return checked(Layout{std::move(shape), std::move(stride)});
}
} // namespace

Result<Tree> appendToRank(const Tree &tree, int64_t rank, const Tree &element) {
  return fillToRank(tree, rank, element, true);
}
Result<Tree> prependToRank(const Tree &tree, int64_t rank, const Tree &element) {
  return fillToRank(tree, rank, element, false);
}
Result<Layout> appendToRank(const Layout &l, int64_t rank, const Layout &element) {
  // The `cute` dialect lets a layout of higher rank be, here only: `append_to_rank<2>` of rank 3 is
  // itself.
  if (rank >= 1 && l.rank() > size_t(rank))
    return l;
  return fillToRank(l, rank, element, true);
}
Result<Layout> prependToRank(const Layout &l, int64_t rank, const Layout &element) {
  return fillToRank(l, rank, element, false);
}

Tree append(const Tree &tree, const Tree &element) {
  Trees modes = wrap(tree).modes();
  modes.push_back(element);
  return modes;
}
Tree prepend(const Tree &tree, const Tree &element) {
  std::vector<Tree> modes = wrap(tree).modes();
  modes.insert(modes.begin(), element);
  return modes;
}
Result<Layout> append(const Layout &l, const Layout &element) {
  return checked(Layout{append(l.shape, element.shape), append(l.stride, element.stride)});
}
Result<Layout> prepend(const Layout &l, const Layout &element) {
  return checked(Layout{prepend(l.shape, element.shape), prepend(l.stride, element.stride)});
}

Result<Tree> replace(const Tree &tree, int64_t mode, const Tree &element) {
  if (tree.isLeaf() || mode < 0 || mode >= int64_t(tree.rank()))
    return fail(Error::ModeOutOfRange, tree.isLeaf() ? 0 : tree.rank(), mode);
  Tree out = tree;
  out[size_t(mode)] = element;
  return out;
}
Result<Layout> replace(const Layout &l, int64_t mode, const Layout &element) {
  TESSERA_TRY(Tree shape, replace(l.shape, mode, element.shape));
  TESSERA_TRY(Tree stride, replace(l.stride, mode, element.stride));
  return checked(Layout{std::move(shape), std::move(stride)});
}

Result<Tree> zip(const Tree &tree) {
  if (tree.isLeaf() || tree.rank() == 0)
    return tree;
  const size_t width = tree[0].rank();
  bool leaves = true, tuples = true;
  for (const Tree &mode : tree.modes()) {
    leaves &= mode.isLeaf();
    tuples &= mode.isTuple() && mode.rank() == width;
  }
  if (leaves)
    return tree;
  if (!tuples)
    return fail(Error::ZipRanks, str(tree));
  Trees modes;
  for (size_t i = 0; i < width; ++i) {
    Trees partners;
    for (const Tree &mode : tree.modes())
      partners.push_back(mode[i]);
    modes.emplace_back(std::move(partners));
  }
  return Tree(std::move(modes));
}
Result<Layout> zip(const Layout &l) {
  TESSERA_TRY(Tree shape, zip(l.shape));
  TESSERA_TRY(Tree stride, zip(l.stride));
  return Layout{std::move(shape), std::move(stride)};
}
Result<Layout> zip(const Layout &a, const Layout &b) {
  TESSERA_TRY(Layout both, concat({a, b}));
  return zip(both);
}

Layout flatten(const Layout &l) { return {flatten(l.shape), flatten(l.stride)}; }

namespace {
/// Collects what `coord` keeps (keepAny) or fixes into `out`; the nesting of `coord` is flattened.
Result<bool> pick(const Tree &tree, const Tree &coord, bool keepAny, Trees &out) {
  if (coord.isLeaf()) {
    if (coord.leaf().any == keepAny)
      out.push_back(tree);
    return true;
  }
  if (tree.isLeaf() || tree.rank() != coord.rank())
    return fail(Error::NotWeaklyCongruent, str(coord), str(tree));
  for (size_t i = 0; i < coord.rank(); ++i) {
    auto ok = pick(tree[i], coord[i], keepAny, out);
    if (!ok)
      return ok;
  }
  return true;
}

Result<Tree> picked(const Tree &tree, const Tree &coord, bool keepAny) {
  Trees out;
  auto ok = pick(tree, coord, keepAny, out);
  if (!ok)
    return std::move(ok).reason();
  if (coord.isLeaf() && out.size() == 1)
    return std::move(out[0]);
  return Tree(std::move(out));
}
} // namespace

Result<Tree> slice(const Tree &tree, const Tree &coord) { return picked(tree, coord, true); }
Result<Tree> dice(const Tree &tree, const Tree &coord) { return picked(tree, coord, false); }

Result<Layout> slice(const Layout &l, const Tree &coord) {
  TESSERA_TRY(Tree shape, slice(l.shape, coord));
  TESSERA_TRY(Tree stride, slice(l.stride, coord));
  return Layout{std::move(shape), std::move(stride)};
}
Result<Layout> dice(const Layout &l, const Tree &coord) {
  TESSERA_TRY(Tree shape, dice(l.shape, coord));
  TESSERA_TRY(Tree stride, dice(l.stride, coord));
  return Layout{std::move(shape), std::move(stride)};
}

} // namespace tessera::layout
