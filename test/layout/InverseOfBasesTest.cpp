// Inverses and complements of layouts with bases as strides: laws by brute force, on random boxes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/layout/Random.h"
#include "test/layout/Sample.h"

#include <map>

using namespace tessera;
using namespace tessera::layout;
using namespace tessera::layout::test;

namespace {

/// A layout of up to four modes that step through modes 0 to 2 of a codomain, some of them nested,
/// and some nowhere.
Layout randomBases(Random &random) {
  Trees shape, stride;
  const size_t count = size_t(1 + random.below(4));
  for (size_t i = 0; i < count; ++i) {
    Path path;
    const int64_t mode = random.below(3);
    path.push(mode);
    if (mode == 2) // mode 2 has modes itself
      path.push(random.below(2));
    shape.emplace_back(int64_t(2 + random.below(3)));
    stride.emplace_back(random.chance(15) ? Leaf(0) : Leaf(int64_t(1) << random.below(4), path));
  }
  if (count == 1)
    return {shape[0], stride[0]};
  return {Tree(std::move(shape)), Tree(std::move(stride))};
}

std::string at(const Layout &l, int64_t i) {
  Const arith;
  Result<Tree> index = crd2idx(arith, Tree(i), l);
  // `0`, `(0)` and `(0,0)` are one place.
  Tree whole = addIndices(arith, *index, shape("(0,0,(0,0))"));
  return str(whole);
}
int64_t count(const Layout &l) {
  Const arith;
  return size(arith, l).value;
}
/// All coordinates of a box.
void forEachCoord(const Tree &box, const std::function<void(const Tree &)> &f) {
  Const arith;
  const int64_t all = product(arith, box).value;
  for (int64_t i = 0; i < all; ++i)
    f(*idx2crd(arith, Tree(i), box));
}

TEST(InverseOfBases, RightInverseLeadsBack) {
  Random random(11);
  Const arith;
  for (int i = 0; i < cases(); ++i) {
    const Layout l = randomBases(random);
    if (!l.stride.hasBasis())
      continue;
    const Layout r = rightInverse(arith, l);
    // L(R(c)) is the coordinate c of the box that R has as its domain, mode by mode.
    const Tree box = r.shape.isLeaf() ? wrap(r.shape) : r.shape;
    const Tree flat = productEach(arith, box);
    for (int64_t n = 0; n < count(r); ++n) {
      const int64_t back = crd2idx(arith, Tree(n), r)->leaf().value.value;
      ASSERT_LT(back, count(l)) << str(l) << " and " << str(r);
      // The n-th coordinate of R's domain; a mode below a mode of R is counted in its order.
      Trees coord;
      Result<Tree> ofModes = idx2crd(arith, Tree(n), flat);
      for (size_t m = 0; m < box.rank(); ++m) {
        const bool nested = m == 2 && box[m].isTuple() && l.stride.leafCount() > 0;
        coord.push_back(nested ? *idx2crd(arith, (*ofModes)[m], productEach(arith, box[m]))
                               : (*ofModes)[m]);
      }
      Tree expected = addIndices(arith, Tree(std::move(coord)), shape("(0,0,(0,0))"));
      ASSERT_EQ(at(l, back), str(expected)) << str(l) << " and " << str(r) << " at " << n;
    }
  }
}

TEST(InverseOfBases, LeftInverseLeadsBackWhereThereIsOne) {
  Random random(12);
  Const arith;
  int made = 0;
  for (int i = 0; i < cases(); ++i) {
    const Layout l = randomBases(random);
    if (!l.stride.hasBasis())
      continue;
    Result<Layout> r = leftInverse(arith, l);
    if (!r)
      continue;
    ++made;
    for (int64_t n = 0; n < count(l); ++n) {
      Result<Tree> place = crd2idx(arith, Tree(n), l);
      Tree coord = place->isLeaf() && r->shape.isTuple() ? repeat(Tree(0), r->rank()) : *place;
      if (coord.isTuple()) // modes of the codomain that this layout does not reach
        while (coord.rank() < r->rank())
          coord.modes().push_back(Tree(0));
      Result<Tree> back = crd2idx(arith, coord, *r);
      ASSERT_TRUE(back) << str(l) << " and " << str(*r) << ": " << back.reason().text;
      // L(R(L(n))) = L(n)
      ASSERT_EQ(at(l, back->leaf().value.value), at(l, n)) << str(l) << " and " << str(*r);
    }
  }
  EXPECT_GT(made, cases() / 10);
}

TEST(ComplementOfBases, FillsTheBox) {
  Const arith;
  const std::pair<const char *, const char *> rows[] = {{"2:8@0", "(16,6)"},
                                                        {"(2,2):(1@0,1@1)", "(4,4)"},
                                                        {"(2,3):(2@0,1@1)", "(8,3)"},
                                                        {"4:1@1", "(3,8)"},
                                                        {"2:1@0@1", "(2,(4,3))"}};
  for (const auto &[text, boxText] : rows) {
    const Layout l = lay(text);
    const Tree box = shape(boxText);
    Result<Layout> rest = complement(arith, l, box);
    ASSERT_TRUE(rest) << text;
    // Each coordinate of the box is hit by exactly one pair.
    std::map<std::string, int> hits;
    const Tree zero = repeatLike(box, Leaf(0));
    for (int64_t i = 0; i < count(l); ++i)
      for (int64_t j = 0; j < count(*rest); ++j) {
        Tree sum = addIndices(arith, zero, *crd2idx(arith, Tree(i), l));
        ++hits[str(addIndices(arith, sum, *crd2idx(arith, Tree(j), *rest)))];
      }
    int coords = 0;
    forEachCoord(box, [&](const Tree &coord) {
      ++coords;
      EXPECT_EQ(hits[str(coord)], 1) << text << " and " << str(*rest) << " at " << str(coord);
    });
    EXPECT_EQ(hits.size(), size_t(coords)) << text;
  }
  EXPECT_EQ(refusal(complement(arith, lay("2:1@0@1"), shape("(2,4)"))), "StructureMismatch");
  EXPECT_EQ(refusal(complement(arith, lay("2:1@2"), shape("(2,4)"))), "StructureMismatch");
}

TEST(ComplementOfBases, GoesOnInTheLastMode) {
  Const arith;
  EXPECT_EQ(show(complement(arith, lay("(4,3):(1@0,1@1)"), Tree(120))), "10:3@1");
  EXPECT_EQ(show(complement(arith, lay("(2,3):(2@0,1@1)"), Tree(48))), "(2,4):(1@0,3@1)");
}

} // namespace
