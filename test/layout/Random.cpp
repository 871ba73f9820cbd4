// Random layouts for property tests.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/layout/Random.h"

#include <algorithm>
#include <cstdlib>
#include <numeric>

namespace tessera::layout::test {

uint64_t Random::next() {
  uint64_t z = (state += 0x9e3779b97f4a7c15);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

Tree Random::nested(std::vector<Tree> leaves) {
  if (leaves.size() == 1 && chance(60))
    return leaves[0];
  std::vector<Tree> modes;
  for (size_t i = 0; i < leaves.size();) {
    size_t group = chance(70) ? 1 : 1 + size_t(below(int64_t(leaves.size() - i)));
    if (group == leaves.size())
      group = 1;
    std::vector<Tree> part(leaves.begin() + long(i), leaves.begin() + long(i + group));
    modes.push_back(group == 1 && chance(85) ? part[0] : nested(part));
    i += group;
  }
  return modes;
}

Tree Random::shape(int leaves, int64_t size) {
  static const int64_t extents[] = {1, 1, 2, 2, 2, 3, 4, 4, 5, 6, 8, 8};
  std::vector<Tree> all;
  for (int64_t i = 0, n = 1 + below(leaves); i < n; ++i) {
    int64_t extent = extents[below(std::size(extents))];
    if (extent > size)
      extent = 1;
    size /= extent;
    all.emplace_back(extent);
  }
  return nested(std::move(all));
}

Tree Random::strides(const Tree &shape, Strides kind) {
  std::vector<Leaf> extents = shape.leaves();
  std::vector<int64_t> out(extents.size());
  if (kind == Strides::Compact || kind == Strides::Gapped) {
    std::vector<size_t> order(extents.size());
    std::iota(order.begin(), order.end(), 0);
    for (size_t i = order.size(); i > 1; --i)
      std::swap(order[i - 1], order[size_t(below(int64_t(i)))]);
    int64_t next = kind == Strides::Gapped ? 1 + below(4) : 1;
    for (size_t i : order) {
      out[i] = extents[i].is(1) && chance(50) ? 0 : next;
      next *= extents[i].value.value * (kind == Strides::Gapped && chance(30) ? 1 + below(3) : 1);
    }
  } else {
    static const int64_t steps[] = {0, 1, 1, 2, 2, 3, 4, 4, 5, 6, 8, 8, 12, 16, 24, 32};
    for (int64_t &stride : out)
      stride = steps[below(std::size(steps))] * (kind == Strides::Negative && chance(40) ? -1 : 1);
  }
  size_t next = 0;
  return shape.map([&](const Leaf &) { return Leaf(out[next++]); });
}

Layout Random::layout(Strides kind, int leaves, int64_t size) {
  Tree s = shape(leaves, size);
  Tree d = strides(s, kind);
  return {std::move(s), std::move(d)};
}

Layout Random::walkOf(const Layout &a) {
  std::vector<int64_t> edges = {1}; // strides at which modes of `a` begin
  a.shape.forEachLeaf([&](const Leaf &leaf) { edges.push_back(edges.back() * leaf.value.value); });
  Tree s = shape(3, 24);
  Tree d = s.map([&](const Leaf &) {
    int64_t edge = edges[size_t(below(int64_t(edges.size())))];
    return Leaf(chance(10) ? below(8) : edge * (chance(50) ? 1 : 1 + below(4)));
  });
  return {std::move(s), std::move(d)};
}

Swizzle Random::swizzle() {
  Swizzle s;
  s.bits = int(1 + below(3));
  s.base = int(below(4));
  s.shift = int((s.bits + below(2)) * (chance(75) ? 1 : -1));
  return s;
}

AnyLayout Random::swizzled() {
  Layout outer = layout(chance(70) ? Strides::Compact : Strides(below(3)));
  Int offset = chance(50) ? 0 : chance(50) ? below(64) : int64_t(1) << below(10);
  return Composed{swizzle(), Tree(offset), std::move(outer)};
}

Tree Random::coord(const Tree &shape, int underscorePercent) {
  if (chance(underscorePercent))
    return Leaf::underscore();
  if (shape.isLeaf() || chance(25)) {
    int64_t size = 1;
    shape.forEachLeaf([&](const Leaf &leaf) { size *= leaf.value.value; });
    return below(size);
  }
  std::vector<Tree> modes;
  for (const Tree &mode : shape.modes())
    modes.push_back(coord(mode, underscorePercent));
  return modes;
}

Tree Random::loosened(const Tree &t, Interp &values, int percent) {
  return t.map([&](const Leaf &leaf) {
    if (leaf.any || !chance(percent))
      return leaf;
    int64_t value = leaf.value.value;
    static const int64_t divisors[] = {1, 1, 2, 3, 4, 8, 16};
    int64_t div = divisors[below(std::size(divisors))];
    Leaf dynamic = leaf;
    dynamic.value =
        values.input(value, chance(75) ? Width::I32 : Width::I64, value % div == 0 ? div : 1);
    return dynamic;
  });
}

Tree asType(const Tree &t) {
  return t.map([](const Leaf &leaf) {
    Leaf typed = leaf;
    if (!leaf.isStatic())
      typed.value = Int::dynamic(Symbolic::anonymous, leaf.value.width, leaf.value.div);
    return typed;
  });
}
Layout asType(const Layout &l) { return {asType(l.shape), asType(l.stride)}; }

int edgeCases(int share) {
  const char *wanted = std::getenv("TESSERA_CASES");
  int all = wanted ? std::atoi(wanted) : std::getenv("TESSERA_LONG") ? 1000000 : 20000;
  return std::max(1, all / share);
}

int cases(int share) {
#if __has_feature(address_sanitizer)
  if (!std::getenv("TESSERA_CASES"))
    share *= 8;
#endif
  return edgeCases(share);
}

} // namespace tessera::layout::test
