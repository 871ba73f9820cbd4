// The properties of the operations on parts: swizzles after layouts, windows, tiles, vectors,
// kernels.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/layout/Property.h"

#include "tessera/layout/Text.h"

#include <algorithm>
#include <set>

namespace tessera::layout::test {

namespace {
Result<Sliced> whole(Layout l) { return Sliced{AnyLayout(std::move(l)), Tree(0)}; }
template <class L> Result<Sliced> whole(Result<L> l) {
  if (!l)
    return std::move(l).reason();
  return Sliced{AnyLayout(*std::move(l)), Tree(0)};
}

Values one(Random &r) { return {{r.layout()}, {}, {}, {}}; }
/// A compact layout of powers of two.
Layout bitLayout(Random &r) {
  std::vector<Tree> extents;
  for (int64_t i = 0, n = 1 + r.below(4); i < n; ++i)
    extents.emplace_back(int64_t(1) << r.below(3));
  Tree shape = r.chance(20) ? extents[0] : Tree(extents);
  return {shape, r.strides(shape, Strides::Compact)};
}
Values afterLayout(Random &r) {
  Layout a = r.chance(80) ? bitLayout(r) : r.layout();
  Layout b = r.chance(50) ? Layout{Tree(32), Tree(1)} : r.walkOf(a);
  Composed right = {r.swizzle(), Tree(r.chance(70) ? 0 : r.below(16)), b};
  return {{r.chance(90) ? AnyLayout(a) : Composed{r.swizzle(), Tree(0), a}, right}, {}, {}, {}};
}
Values swizzledBits(Random &r) {
  Layout l = r.chance(80) ? bitLayout(r) : r.layout();
  return {{Composed{r.swizzle(), Tree(0), l}}, {}, {}, {}};
}
/// The same, sometimes after an offset: small, or a power of two that may lie beyond all bits.
Values swizzledAfter(Random &r) {
  Values in = swizzledBits(r);
  Composed c = *in.layouts[0].composed();
  if (r.chance(50))
    c.offset = Tree(r.chance(50) ? 1 + r.below(300) : int64_t(1) << r.below(14));
  return {{c}, {}, {}, {}};
}
Values alike(Random &r) {
  Layout a = r.layout(Strides(r.below(2)), 4, 64);
  Layout b = {a.shape, r.chance(40) ? a.stride : r.strides(a.shape, Strides(r.below(3)))};
  return {{a, b}, {}, {}, {}};
}
Values bounded(Random &r) {
  return {{r.layout(Strides(r.below(4)))}, {}, {}, {int64_t(1) + r.below(16)}};
}
Values profiled(Random &r) {
  Layout l = r.layout();
  size_t modes = size_t(1 + r.below(int64_t(l.rank())));
  return {{l}, {}, {r.chance(30) || l.shape.isLeaf() ? Tree(1) : repeat(Tree(1), modes)}, {}};
}
Values distributed(Random &r) { return {{}, {r.shape(4, 200)}, {}, {1 + r.below(64)}}; }
/// A layout, a number for each of its last modes, and the count of these.
Values lastTiled(Random &r) {
  Layout a = r.layout(Strides(r.below(3)), 5, 256);
  Values in = {{a}, {}, {}, {}};
  for (int64_t i = 0, n = 1 + r.below(int64_t(a.rank())); i < n; ++i)
    in.layouts.emplace_back(Layout{Tree(1 + r.below(4)), Tree(1)});
  return in;
}
Values tiledAt(Random &r) {
  Layout a = r.layout(Strides(r.below(3)), 4, 128);
  Values in = {{a}, {}, {}, {}};
  std::vector<Tree> at;
  for (size_t i = 0; i < a.rank(); ++i) {
    in.layouts.emplace_back(Layout{Tree(1 + r.below(4)), Tree(1)});
    at.emplace_back(0);
  }
  in.trees.emplace_back(at);
  return in;
}

Tile tilerOf(const Values &in) {
  std::vector<Tile> modes;
  for (size_t i = 1; i < in.layouts.size(); ++i)
    modes.emplace_back(in.outer(i));
  return Tile(std::move(modes));
}

//===--- Windows ------------------------------------------------------------------------------===//

enum StencilTree {
  Window_,
  Stride_,
  Dilation_,
  Before_,
  After_
};

Values windowed(Random &r) {
  Layout l = r.layout(Strides(r.below(3)), 3, 96);
  std::vector<Tree> operands[5];
  for (size_t i = 0; i < l.rank(); ++i) {
    const Tree mode = l.shape[i];
    bool alone = r.chance(25), padded = mode.isLeaf() && r.chance(50);
    operands[Window_].push_back(alone ? Tree(Leaf::underscore()) : Tree(1 + r.below(3)));
    operands[Stride_].emplace_back(1 + r.below(3));
    operands[Dilation_].emplace_back(1 + r.below(2));
    operands[Before_].emplace_back(padded ? r.below(3) : 0);
    operands[After_].emplace_back(padded ? r.below(3) : 0);
  }
  Values in = {
      {r.chance(20) ? AnyLayout(Composed{r.swizzle(), Tree(r.below(8)), l}) : l}, {}, {}, {}};
  for (std::vector<Tree> &operand : operands)
    in.trees.push_back(l.shape.isLeaf() ? operand[0] : Tree(operand));
  if (r.chance(30))
    in.trees[Stride_] = Tree(1 + r.below(3)); // one number for all modes
  return in;
}
Stencil stencilOf(const Values &in) {
  return {in.trees[Window_], in.trees[Stride_], in.trees[Dilation_], in.trees[Before_],
          in.trees[After_]};
}

/// The position in its mode of each window element, window first, by walking the padded mode.
std::vector<int64_t> positions(int64_t n, int64_t window, int64_t stride, int64_t dilation,
                               int64_t before, int64_t after) {
  std::vector<int64_t> all;
  for (int64_t start = -before; start + (window - 1) * dilation < n + after; start += stride)
    for (int64_t w = 0; w < window; ++w)
      all.push_back(start + w * dilation);
  return all;
}

std::string stencilLaw(const Laws &, const Reference &ref, const Values &in, const Sliced &out) {
  const Layout &l = in.outer(0);
  const bool isLeaf = l.shape.isLeaf();
  const size_t rank = isLeaf ? 1 : l.rank();
  auto part = [&](StencilTree which, size_t i) {
    const Tree &t = in.trees[which];
    return ref.size(t.isLeaf() ? t : t[i]);
  };
  // The index at each coordinate of each mode, the mode for itself.
  std::vector<std::vector<int64_t>> parts(rank);
  for (size_t i = 0; i < rank; ++i) {
    const Layout mode = isLeaf ? l : l[i];
    const Tree &window = isLeaf ? in.trees[Window_] : in.trees[Window_][i];
    int64_t n = ref.size(mode.shape);
    std::vector<int64_t> at(static_cast<size_t>(n));
    for (int64_t x = 0; x < n; ++x)
      at[size_t(x)] = x;
    if (!window.hasUnderscore())
      at = positions(n, ref.size(window), part(Stride_, i), part(Dilation_, i), part(Before_, i),
                     part(After_, i));
    for (int64_t x : at)
      parts[i].push_back(mode.shape.isLeaf() ? x * ref.size(mode.stride) : ref.number(mode, x));
  }
  int64_t size = 1;
  for (const std::vector<int64_t> &p : parts)
    size *= int64_t(p.size());
  if (ref.size(out.layout) != size)
    return cat("size ", ref.size(out.layout), ", expected ", size);
  const Composed *c = in.layouts[0].composed();
  for (int64_t i = 0; i < size; ++i) {
    int64_t expected = c ? ref.size(c->offset) : 0, rest = i;
    for (const std::vector<int64_t> &p : parts) {
      expected += p[size_t(rest % int64_t(p.size()))];
      rest /= int64_t(p.size());
    }
    if (c)
      expected = swizzled(*c->swizzle(), expected);
    if (int64_t got = ref.number(out.layout, i) + ref.size(out.offset); got != expected)
      return cat("at ", i, ": ", got, ", expected ", expected);
  }
  return "";
}

//===--- Laws ---------------------------------------------------------------------------------===//

std::string boundedLaw(const Laws &laws, const Reference &ref, const Values &in,
                       const Sliced &out) {
  for (const Leaf &extent : out.layout.shape().leaves()) {
    bool old = false;
    for (const Leaf &before : in.outer(0).shape.leaves())
      old |= ref.size(Tree(before)) == ref.size(Tree(extent));
    if (!old && ref.size(Tree(extent)) > in.numbers[0])
      return cat("a mode of ", ref.size(Tree(extent)));
  }
  return laws.same(in.layouts[0], out.layout);
}

/// As filter does, below each leaf of the profile.
std::string filteredLaw(const Laws &laws, const Reference &, const Values &in, const Sliced &out) {
  const Layout &l = in.outer(0), &r = out.layout.outer();
  if (in.fixed[0].isLeaf())
    return laws.same(filterZeros(l), r);
  for (size_t i = 0; i < l.rank(); ++i) {
    const bool filtered = i < in.fixed[0].rank();
    if (std::string wrong = laws.same(filtered ? filterZeros(l[i]) : l[i], r[i]); !wrong.empty())
      return cat("mode ", i, " ", wrong);
  }
  return "";
}

/// Every coordinate that a static stride 0 sends to 0, once.
std::string nullspaceLaw(const Laws &laws, const Reference &ref, const Values &in,
                         const Sliced &out) {
  const Layout &l = in.outer(0);
  int64_t size = 1;
  std::vector<Leaf> shape = l.shape.leaves(), stride = l.stride.leaves();
  for (size_t i = 0; i < shape.size(); ++i)
    size *= stride[i].is(0) ? ref.size(Tree(shape[i])) : 1;
  if (ref.size(out.layout) != size || !laws.injective(out.layout))
    return cat("expected ", size, " coordinates");
  for (int64_t coord : ref.numbers(out.layout))
    if (coord >= ref.size(l) || ref.number(l, coord) != 0)
      return cat(coord, " goes to ", ref.number(l, coord));
  return "";
}

std::string commonLaw(const Laws &laws, const Reference &ref, const Values &in, const Sliced &out) {
  const Layout &a = in.outer(0), &b = in.outer(1);
  bool bijection = laws.injective(a) && ref.numbers(a) == ref.numbers(b);
  for (int64_t index : ref.numbers(a))
    bijection &= index < ref.size(a);
  if (bijection && a.isStatic() && b.isStatic() && ref.size(out.layout) != ref.size(a))
    return "equal layouts have everything in common";
  return laws.common(a, b, out.layout.outer());
}

std::string distributedLaw(const Laws &laws, const Reference &ref, const Values &in,
                           const Sliced &out) {
  int64_t size = ref.size(out.layout), domain = ref.size(in.trees[0]);
  for (int64_t coord : ref.numbers(out.layout))
    if (coord >= domain)
      return cat(coord, " is outside");
  return in.numbers[0] % size == 0 && laws.injective(out.layout) ? "" : "repeats or leaves a rest";
}

/// The rest modes first, and in each pair the division of that mode alone; the tiler has the last
/// modes.
std::string outerLaw(const Laws &laws, const Reference &, const Values &in, const Sliced &out) {
  const Layout &a = in.outer(0), &r = out.layout.outer();
  const size_t tiles = in.layouts.size() - 1, first = a.rank() - tiles;
  if (r.rank() != 2 || r[0].rank() != a.rank() || r[1].rank() != tiles)
    return "another profile";
  for (size_t i = 0; i < a.rank(); ++i) {
    bool tiled = i >= first;
    std::string wrong =
        tiled ? laws.divide(a[i], in.outer(i - first + 1), *concat({r[1][i - first], r[0][i]}))
              : laws.same(a[i], r[0][i]);
    if (!wrong.empty())
      return cat("mode ", i, " ", wrong);
  }
  return "";
}

/// Element c of the tile at (0,0,...) is A at the coordinate c.
std::string firstTileLaw(const Laws &laws, const Reference &ref, const Values &in,
                         const Sliced &out) {
  const Layout &a = in.outer(0), &tile = out.layout.outer();
  if (ref.size(out.offset) != 0)
    return "the first tile has an offset";
  if (a.rank() == 1) // one mode is kept without a tuple
    return laws.composition(a[0], in.outer(1),
                            tile.shape.isTuple() && tile.rank() == 1 ? tile[0] : tile);
  for (size_t i = 0; i < a.rank(); ++i)
    if (std::string wrong = laws.composition(a[i], in.outer(i + 1), tile[i]); !wrong.empty())
      return cat("mode ", i, " ", wrong);
  return "";
}

template <Grouping grouping> Result<Sliced> regroupedDivide(Arith &a, const Values &in) {
  return whole(divide(a, in.layouts[0], tilerOf(in), grouping));
}
/// Regrouping keeps the order of the elements: tiles before rests.
std::string regroupedLaw(const Laws &laws, const Reference &, const Values &in, const Sliced &out) {
  Interp arith; // the leaves of a static layout need no values
  for (const AnyLayout &l : in.layouts)
    if (!l.isStatic())
      return "";
  Result<AnyLayout> zipped = divide(arith, in.layouts[0], tilerOf(in), Grouping::Zipped);
  return zipped ? laws.same(*zipped, out.layout) : "zipped_divide refuses";
}

std::string rightLaw(const Laws &, const Reference &ref, const Values &, const Sliced &out) {
  const Layout &l = out.layout.outer();
  // The last leaf is fastest: the mirrored layout counts 0, 1, 2...
  std::vector<Leaf> shape = l.shape.leaves(), stride = l.stride.leaves();
  std::vector<Tree> s(shape.rbegin(), shape.rend()), d(stride.rbegin(), stride.rend());
  Layout mirrored = {Tree(s), Tree(d)};
  for (int64_t i = 0; i < ref.size(l); ++i)
    if (ref.number(mirrored, i) != i)
      return cat("not compact at ", i);
  return "";
}

const Property table[] = {
    {"CoalesceBounded", bounded,
     [](Arith &a, const Values &in) {
       return whole(coalesceBounded(a, in.outer(0), in.numbers[0]));
     },
     boundedLaw, 100, true},
    {"FilterByProfile", profiled,
     [](Arith &a, const Values &in) { return whole(filter(a, in.outer(0), in.fixed[0])); },
     filteredLaw, 100, false},
    {"CompactRight", one,
     [](Arith &a, const Values &in) { return whole(compactRight(a, in.outer(0).shape)); }, rightLaw,
     100, true},
    {"CompositionWithSwizzle", afterLayout,
     [](Arith &a, const Values &in) {
       return whole(composition(a, in.layouts[0], *in.layouts[1].composed()));
     },
     [](const Laws &laws, const Reference &, const Values &in, const Sliced &out) {
       return laws.compositionOfNumbers(in.layouts[0], in.layouts[1], out.layout);
     },
     20, false},
    {"RightInverseOfSwizzled", swizzledBits,
     [](Arith &a, const Values &in) { return whole(rightInverse(a, in.layouts[0])); },
     [](const Laws &laws, const Reference &, const Values &in, const Sliced &out) {
       return laws.rightInverse(in.layouts[0], out.layout);
     },
     20, false},
    {"LeftInverseOfSwizzled", swizzledAfter,
     [](Arith &a, const Values &in) { return whole(leftInverse(a, in.layouts[0])); },
     [](const Laws &laws, const Reference &, const Values &in, const Sliced &out) {
       return laws.leftInverse(in.layouts[0], out.layout);
     },
     20, false},
    {"Nullspace", one, [](Arith &a, const Values &in) { return whole(nullspace(a, in.outer(0))); },
     nullspaceLaw, 100, false},
    {"MaxCommonLayout", alike,
     [](Arith &a, const Values &in) { return whole(maxCommonLayout(a, in.outer(0), in.outer(1))); },
     commonLaw, 100, false},
    {"DomainDistribute", distributed,
     [](Arith &a, const Values &in) {
       return whole(domainDistribute(a, in.trees[0], in.numbers[0]));
     },
     distributedLaw, 100, false},
    {"OuterDivide", lastTiled,
     [](Arith &a, const Values &in) {
       return whole(outerDivide(a, in.layouts[0], tilerOf(in), Grouping::Zipped));
     },
     outerLaw, 30, false},
    {"TiledDivide", lastTiled, regroupedDivide<Grouping::Tiled>, regroupedLaw, 30, false},
    {"FlatDivide", lastTiled, regroupedDivide<Grouping::Flat>, regroupedLaw, 30, false},
    {"LocalTile", tiledAt,
     [](Arith &a, const Values &in) {
       return localTile(a, in.layouts[0], tilerOf(in), in.trees[0]);
     },
     firstTileLaw, 30, false},
    {"StencilDivide", windowed,
     [](Arith &a, const Values &in) { return stencilDivide(a, in.layouts[0], stencilOf(in)); },
     stencilLaw, 40, false},
};
} // namespace

std::span<const Property> propertiesOfParts() { return table; }

} // namespace tessera::layout::test
