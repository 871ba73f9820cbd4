// parse(print(x)) is x, for every kind of value, static and dynamic.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/layout/Random.h"
#include "test/layout/Sample.h"

using namespace tessera;
using namespace tessera::layout;
using namespace tessera::layout::test;

namespace {

/// A layout as a type states it, some leaves dynamic; now and then with basis strides.
Layout typed(Random &random) {
  Interp values;
  if (random.chance(25)) {
    Layout l = identityLayout(random.shape(4, 200));
    return asType(
        Layout{random.loosened(l.shape, values, 30), random.loosened(l.stride, values, 30)});
  }
  return asType(
      random.loosened(random.layout(Strides(random.below(4)), 5), values, int(random.below(60))));
}
Tile tiled(Random &random, int depth) {
  if (depth == 0 || random.chance(40))
    return random.chance(20) ? Tile() : Tile(typed(random));
  std::vector<Tile> modes;
  for (int64_t i = 0, n = random.below(4); i < n; ++i)
    modes.push_back(tiled(random, depth - 1));
  return Tile(std::move(modes));
}

TEST(TextLaws, WhatIsPrintedIsRead) {
  Random random(21);
  for (int i = 0; i < cases() && !testing::Test::HasFailure(); ++i) {
    Layout l = typed(random);
    EXPECT_EQ(parsed(parseLayout(str(l))), l);
    EXPECT_EQ(str(parsed(parseLayout(str(l)))),
              str(l)); // spelled the same, which equal facts need not be
    Tile t = tiled(random, 3);
    EXPECT_EQ(parsed(parseTile(str(t))), t) << str(t);
    Swizzle s = random.swizzle();
    EXPECT_EQ(parsed(parseSwizzle(str(s))), s);
    AnyLayout composed = random.swizzled();
    EXPECT_EQ(parsed(parseAnyLayout(str(composed))), composed) << str(composed);
    AnyLayout affine = Composed{random.layout(), Tree(random.below(9)), random.layout()};
    EXPECT_EQ(parsed(parseAnyLayout(str(affine))), affine) << str(affine);
    Tree coord = random.coord(random.shape(4, 100), 30);
    EXPECT_EQ(parsed(parseTree(str(coord), TreeKind::Coord)), coord) << str(coord);
  }
}

} // namespace
