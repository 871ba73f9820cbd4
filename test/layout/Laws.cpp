// The laws of the algebra by brute force.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/layout/Laws.h"

#include "tessera/layout/Text.h"

#include <algorithm>
#include <set>

namespace tessera::layout::test {

namespace {
using Set = std::set<int64_t>;
Set setOf(const std::vector<int64_t> &values) { return Set(values.begin(), values.end()); }

/// Whether indices are numbers, and no inner layout takes them as coordinates.
bool isPlain(const AnyLayout &l) {
  return !l.outer().stride.hasBasis() && (l.affine() || l.composed()->swizzle());
}

/// Towards minus infinity, as addresses are grouped.
int64_t floorDiv(int64_t a, int64_t b) { return a / b - (a % b < 0); }
} // namespace

std::string Laws::same(const AnyLayout &expected, const AnyLayout &got) const {
  if (ref.size(expected) != ref.size(got))
    return cat("size ", ref.size(got), ", expected ", ref.size(expected));
  const bool plain = isPlain(expected) && isPlain(got); // many times as fast as points
  for (int64_t i = 0, n = ref.size(got); i < n; ++i)
    if (plain ? ref.number(expected, i) != ref.number(got, i)
              : ref.at(expected, i) != ref.at(got, i))
      return cat("at ", i, ": ", str(ref.at(got, i)), ", expected ", str(ref.at(expected, i)));
  return "";
}

std::string Laws::composition(const AnyLayout &a, const Layout &b, const AnyLayout &r) const {
  if (!ref.compatible(b.shape, r.shape()))
    return cat("the shape is not compatible with ", str(b.shape));
  const bool plain = isPlain(a) && isPlain(b);
  for (int64_t i = 0; i < ref.size(b); ++i) {
    if (plain && ref.number(r, i) == ref.number(a, ref.number(b, i)))
      continue;
    Point expected = ref.at(a, ref.at(b, i)), got = ref.at(r, i);
    if (got != expected)
      return cat("at ", i, ": ", str(got), ", expected ", str(expected));
  }
  return "";
}

std::string Laws::compositionOfNumbers(const AnyLayout &a, const AnyLayout &b,
                                       const AnyLayout &r) const {
  if (ref.size(b) != ref.size(r))
    return cat("size ", ref.size(r), ", expected ", ref.size(b));
  for (int64_t i = 0; i < ref.size(b); ++i)
    if (int64_t expected = ref.number(a, ref.number(b, i)); ref.number(r, i) != expected)
      return cat("at ", i, ": ", ref.number(r, i), ", expected ", expected);
  return "";
}

std::string Laws::common(const Layout &a, const Layout &b, const Layout &r) const {
  for (int64_t i = 0; i < ref.size(r); ++i) {
    int64_t at = ref.number(r, i);
    if (ref.number(a, at) != i || ref.number(b, at) != i)
      return cat("at ", i, ": ", ref.number(a, at), " and ", ref.number(b, at));
  }
  return "";
}

namespace {
/// Whether these are the indices of a layout at 0, 1, ...: some first mode of equal steps, and a
/// layout of where its rounds begin.
bool isLayout(const std::vector<Point> &indices) {
  const size_t size = indices.size();
  if (size == 1)
    return indices[0].empty();
  for (size_t extent = size; extent > 1; --extent) {
    bool steps = size % extent == 0;
    std::vector<Point> rounds;
    for (size_t i = 0; steps && i < size; ++i) {
      if (i % extent == 0)
        rounds.push_back(indices[i]);
      else
        steps = indices[i] == indices[i - 1] + indices[1];
    }
    if (steps && isLayout(rounds))
      return true;
  }
  return false;
}
} // namespace

bool Laws::composable(const AnyLayout &a, const Layout &b) const {
  std::vector<Leaf> shape = b.shape.leaves(), stride = b.stride.leaves();
  std::vector<std::vector<Point>> modes(shape.size());
  for (size_t m = 0; m < modes.size(); ++m) {
    Layout mode = {Tree(shape[m]), Tree(stride[m])};
    for (int64_t i = 0; i < ref.size(mode); ++i)
      modes[m].push_back(ref.at(a, ref.at(mode, i)));
    if (!isLayout(modes[m]))
      return false;
  }
  // A layout adds up what its modes contribute.
  for (int64_t i = 0; i < ref.size(b); ++i) {
    Point sum;
    size_t rest = size_t(i);
    for (const std::vector<Point> &mode : modes) {
      sum = sum + mode[rest % mode.size()];
      rest /= mode.size();
    }
    if (sum != ref.at(a, ref.at(b, i)))
      return false;
  }
  return true;
}

std::string Laws::compositionByMode(const Layout &a, const Tile &b, const Layout &r) const {
  if (b.isAny())
    return same(a, r);
  if (b.isLayout())
    return composition(a, b.single, r);
  if (r.rank() != b.rank())
    return "the rank is not that of the tile";
  for (size_t i = 0; i < b.rank(); ++i)
    if (std::string wrong = compositionByMode(a[i], b.modes[i], r[i]); !wrong.empty())
      return cat("mode ", i, " ", wrong);
  return "";
}

std::vector<std::pair<int64_t, int64_t>> Laws::bySize(const Layout &l) const {
  std::vector<Leaf> shape = l.shape.leaves(), stride = l.stride.leaves();
  std::vector<std::pair<int64_t, int64_t>> modes;
  for (size_t i = 0; i < shape.size(); ++i) {
    int64_t extent = ref.size(Tree(shape[i])), step = ref.size(Tree(stride[i]));
    if (step != 0 && !shape[i].is(1)) // a dynamic extent 1 counts: the algebra cannot know
      modes.emplace_back(step, extent);
  }
  std::sort(modes.begin(), modes.end());
  return modes;
}

bool Laws::dividing(const Layout &l) const {
  int64_t reach = 1;
  for (auto [step, extent] : bySize(l)) {
    if (step <= 0 || step % reach != 0)
      return false;
    reach = step * extent;
  }
  return true;
}

bool Laws::injective(const AnyLayout &l) const {
  return int64_t(setOf(ref.numbers(l)).size()) == ref.size(l);
}

std::string Laws::complement(const Layout &l, const Tree &cotarget, const Layout &r) const {
  std::vector<int64_t> rest = ref.numbers(r);
  for (size_t i = 1; i < rest.size(); ++i)
    if (rest[i] <= rest[i - 1])
      return cat("does not go upwards at ", i);
  Set hit = setOf(ref.numbers(l)), all;
  for (int64_t x : hit)
    for (int64_t y : rest)
      if (!all.insert(x + y).second)
        return cat("index ", x + y, " is hit twice");
  int64_t end = *all.rbegin() + 1;
  bool full = end == int64_t(all.size());
  if (dividing(l) && !full)
    return cat("leaves gaps below ", end);
  // A shape is divided mode by mode, rounding up; where that is not even, the end may not be
  // reached.
  auto modes = bySize(l);
  int64_t divisor = modes.empty() ? 1 : modes.back().first * modes.back().second;
  bool even = true;
  cotarget.forEachLeaf([&](const Leaf &leaf) {
    int64_t extent = ref.size(Tree(leaf));
    even &= extent % divisor == 0 || divisor % extent == 0;
    divisor = (divisor + extent - 1) / extent;
  });
  if (end < ref.size(cotarget) && (cotarget.isLeaf() || even))
    return cat("ends at ", end, ", expected ", ref.size(cotarget));
  return "";
}

std::string Laws::rightInverse(const AnyLayout &l, const AnyLayout &r) const {
  int64_t size = ref.size(r);
  for (int64_t i = 0; i < size; ++i)
    if (ref.number(l, ref.number(r, i)) != i)
      return cat("L(R(", i, ")) = ", ref.number(l, ref.number(r, i)));
  if (!l.isStatic() ||
      l.composed()) // dynamic strides are passed over; a swizzle only permutes what L hits
    return "";
  Set image = setOf(ref.numbers(l));
  bool bijection = int64_t(image.size()) == ref.size(l) && *image.rbegin() + 1 == ref.size(l);
  if (bijection && *image.begin() == 0 && size != ref.size(l))
    return cat("size ", size, " for a bijection");
  return "";
}

std::string Laws::leftInverse(const AnyLayout &l, const AnyLayout &r) const {
  const bool oneToOne = injective(l);
  for (int64_t i = 0; i < ref.size(l); ++i) {
    int64_t index = ref.number(l, i), back = ref.number(r, index);
    if (back < 0 || back >= ref.size(l))
      return cat("R(L(", i, ")) = ", back, " is outside");
    if (ref.number(l, back) != index || (oneToOne && back != i))
      return cat("R(L(", i, ")) = ", back);
  }
  return "";
}

std::string Laws::divide(const Layout &a, const Layout &t, const Layout &r) const {
  if (r.rank() != 2)
    return "the rank is not 2";
  if (std::string wrong = composition(a, t, r[0]); !wrong.empty())
    return "tile " + wrong;
  // A tiler that repeats elements, or whose strides leave gaps, keeps them out of the rest.
  if (!dividing(t) || !injective(t))
    return "";
  Set tiled = setOf(ref.numbers(r)), all = setOf(ref.numbers(a));
  if (!std::includes(tiled.begin(), tiled.end(), all.begin(), all.end()))
    return "elements got lost";
  return ref.size(r) == ref.size(a) && tiled != all ? "elements from elsewhere" : "";
}

std::string Laws::product(const Layout &a, const Layout &b, const Layout &r) const {
  if (r.rank() != 2 || !ref.compatible(b.shape, r[1].shape))
    return cat("the shape is not (", str(a.shape), ",", str(b.shape), ")");
  if (std::string wrong = same(a, r[0]); !wrong.empty())
    return "block " + wrong;
  std::vector<int64_t> order = ref.numbers(b), copies = ref.numbers(r[1]);
  for (size_t i = 1; i < order.size(); ++i)
    if ((order[i] < order[i - 1]) != (copies[i] < copies[i - 1]))
      return cat("copy ", i, " is out of order");
  if (injective(a) && injective(b) && !injective(r))
    return "copies overlap";
  return "";
}

namespace {
/// `coord` with the next of `kept` in place of each `_`.
Tree filled(const Tree &coord, const std::vector<int64_t> &kept, size_t &next) {
  if (coord.isLeaf())
    return coord.leaf().any ? Tree(kept[next++]) : coord;
  std::vector<Tree> modes;
  for (const Tree &mode : coord.modes())
    modes.push_back(filled(mode, kept, next));
  return modes;
}
} // namespace

std::string Laws::slice(const Tree &coord, const AnyLayout &l, const Sliced &s) const {
  const Tree &shape = s.layout.shape();
  const bool whole = coord.isLeaf() && coord.leaf().any;
  for (int64_t i = 0; i < ref.size(shape); ++i) {
    std::vector<int64_t> kept;
    int64_t rest = i;
    for (size_t m = 0; !whole && m < shape.rank(); ++m) {
      kept.push_back(rest % ref.size(shape[m]));
      rest /= ref.size(shape[m]);
    }
    if (whole)
      kept = {i};
    size_t next = 0;
    Point expected = ref.at(l, filled(coord, kept, next));
    Point got = ref.at(s.layout, i) + ref.point(s.offset);
    if (got != expected)
      return cat("at ", i, ": ", str(got), ", expected ", str(expected));
  }
  return "";
}

std::string Laws::recast(const AnyLayout &l, int64_t down, int64_t up, const AnyLayout &r) const {
  Set expected;
  for (int64_t index : ref.numbers(l))
    for (int64_t part = 0; part < down; ++part)
      expected.insert(floorDiv(index * down + part, up));
  Set got = setOf(ref.numbers(r));
  if (got == expected)
    return "";
  return cat("covers ", got.size(), " elements, expected ", expected.size());
}

} // namespace tessera::layout::test
