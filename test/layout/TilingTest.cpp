// Parts of layouts at a coordinate: all tiles, or the shares of all threads, are the whole, each
// element once.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/layout/Random.h"
#include "test/layout/Reference.h"
#include "test/layout/Sample.h"

#include <algorithm>

using namespace tessera;
using namespace tessera::layout;
using namespace tessera::layout::test;

namespace {

/// Two modes that are multiples of a tile, the tile, and how many tiles there are.
struct Tiled {
  AnyLayout layout;
  int64_t tile[2], tiles[2];
};
Tiled tiled(Random &random) {
  Tiled t;
  std::vector<Tree> extents;
  for (int i = 0; i < 2; ++i) {
    t.tile[i] = 1 + random.below(4);
    t.tiles[i] = 1 + random.below(4);
    extents.emplace_back(t.tile[i] * t.tiles[i]);
  }
  Layout l = {Tree(extents), random.strides(Tree(extents), Strides(random.below(2)))};
  t.layout =
      random.chance(30) ? AnyLayout(Composed{random.swizzle(), Tree(random.below(32)), l}) : l;
  return t;
}

void add(const Interp &values, const Sliced &part, std::vector<int64_t> &all) {
  Reference ref(values);
  for (int64_t index : ref.numbers(part.layout))
    all.push_back(index + ref.size(part.offset)); // the "size" of a number is the number
}

/// The same for a static layout and one with dynamic leaves.
template <class F> void forBoth(const Tiled &t, Random &random, F &&check) {
  Interp values;
  check(values, t.layout);
  if (t.layout.affine())
    check(values, random.loosened(*t.layout.affine(), values, 40));
}

TEST(Tiling, TilesAreTheWhole) {
  Random random(41);
  for (int i = 0; i < cases(10) && !testing::Test::HasFailure(); ++i) {
    Tiled t = tiled(random);
    forBoth(t, random, [&](Interp &values, const AnyLayout &l) {
      Tile tiler(
          std::vector<Tile>{Layout{Tree(t.tile[0]), Tree(1)}, Layout{Tree(t.tile[1]), Tree(1)}});
      std::vector<int64_t> all, expected = Reference(values).numbers(l);
      for (int64_t x = 0; x < t.tiles[0]; ++x)
        for (int64_t y = 0; y < t.tiles[1]; ++y)
          add(values, parsed(localTile(values, l, tiler, Tree::of({Tree(x), Tree(y)}))), all);
      std::sort(all.begin(), all.end());
      std::sort(expected.begin(), expected.end());
      EXPECT_EQ(all, expected) << str(l) << " in " << str(tiler);
      // With a projection, the tiler may have a mode more.
      Tile wider(std::vector<Tile>{tiler.modes[0], Layout{Tree(7), Tree(1)}, tiler.modes[1]});
      EXPECT_EQ(show(localTile(values, l, wider, tree("(0,5,0)"), tree("(1,_,1)"))),
                show(localTile(values, l, tiler, tree("(0,0)"))));
    });
  }
}

TEST(Tiling, SharesOfThreadsAreTheWhole) {
  Random random(42);
  for (int i = 0; i < cases(10) && !testing::Test::HasFailure(); ++i) {
    Tiled t = tiled(random);
    Tree shape = Tree::of({Tree(t.tile[0]), Tree(t.tile[1])});
    Layout threads = {shape, random.strides(shape, Strides::Compact)};
    forBoth(t, random, [&](Interp &values, const AnyLayout &l) {
      std::vector<int64_t> all, expected = Reference(values).numbers(l);
      for (int64_t thread = 0; thread < t.tile[0] * t.tile[1]; ++thread)
        add(values, parsed(localPartition(values, l, threads, thread)), all);
      std::sort(all.begin(), all.end());
      std::sort(expected.begin(), expected.end());
      EXPECT_EQ(all, expected) << str(l) << " by " << str(threads);
    });
  }
}

TEST(Tiling, AnOffsetDomainStartsAtItsCoordinate) {
  Random random(43);
  for (int i = 0; i < cases() && !testing::Test::HasFailure(); ++i) {
    Interp values;
    AnyLayout l = random.chance(50) ? random.swizzled() : AnyLayout(random.layout());
    int64_t at = random.below(Reference(values).size(l));
    Sliced moved = parsed(domainOffset(values, Tree(at), l));
    EXPECT_EQ(Reference(values).number(moved.layout, 0) + Reference(values).size(moved.offset),
              Reference(values).number(l, at))
        << str(l) << " from " << at;
  }
}

TEST(Tiling, Refuses) {
  Const arith;
  const Layout l = lay("(8,8):(8,1)");
  EXPECT_EQ(refusal(localTile(arith, l, tile("[4:1;4:1;2:1]"), tree("(0,0,0)"))), "TilerRank");
  EXPECT_EQ(refusal(localTile(arith, l, tile("[4:1;4:1]"), tree("(0,0)"), tree("(1,_,1)"))),
            "StructureMismatch");
  EXPECT_EQ(show(outerPartition(arith, l, tile("[4:1;4:1]"), tree("(1,2)"))), "(2,2):(32,4) + 10");
}

/// A zipped division has the elements of the logical one, the windows of all modes first.
TEST(StencilDivide, GroupingsHaveTheSameElements) {
  Random random(44);
  for (int i = 0; i < cases(4) && !testing::Test::HasFailure(); ++i) {
    Interp values;
    Layout l = random.layout(Strides::Compact, 3, 64);
    if (l.shape.isLeaf())
      continue;
    std::vector<Tree> window;
    for (size_t m = 0; m < l.rank(); ++m)
      window.push_back(m > 0 && random.chance(40) ? Tree(Leaf::underscore())
                                                  : Tree(1 + random.below(3)));
    Stencil s = {Tree(window), Tree(1 + random.below(2)), Tree(1), Tree(0), Tree(random.below(2))};
    Result<Sliced> logical = stencilDivide(values, l, s);
    if (!logical)
      continue;
    std::vector<int64_t> expected = Reference(values).numbers(logical->layout);
    std::sort(expected.begin(), expected.end());
    for (Grouping grouping : {Grouping::Zipped, Grouping::Tiled, Grouping::Flat}) {
      Sliced other = parsed(stencilDivide(values, l, s, grouping));
      std::vector<int64_t> all = Reference(values).numbers(other.layout);
      std::sort(all.begin(), all.end());
      EXPECT_EQ(all, expected) << str(l) << " by " << str(s.window);
    }
  }
}

} // namespace
