// Operations with the numbers of plain layouts give what they give with those of all layouts, which
// are the definition.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/layout/Random.h"

#include "tessera/layout/Composition.h"
#include "tessera/layout/Text.h"

#include <gtest/gtest.h>

using namespace tessera;
using namespace tessera::layout;
using namespace tessera::layout::test;

namespace {

using All = Numbers<LeafNumber>;
struct Operation {
  const char *name;
  Result<Layout> (*run)(Arith &, const Layout &, const Layout &);
  Result<Layout> (*define)(All &, const Listed<LeafNumber> &, const Listed<LeafNumber> &);
};

const Operation operations[] = {
    {"coalesce",
     [](Arith &arith, const Layout &a, const Layout &) {
       return Result<Layout>(coalesce(arith, a));
     },
     [](All &n, const Listed<LeafNumber> &a, const Listed<LeafNumber> &) {
       return Result<Layout>(n.layout(coalesced(n, a.modes)));
     }},
    {"composition",
     [](Arith &arith, const Layout &a, const Layout &b) { return composition(arith, a, b); },
     [](All &n, const Listed<LeafNumber> &a, const Listed<LeafNumber> &b) {
       return composition(n, a, b);
     }},
    {"complement",
     [](Arith &arith, const Layout &a, const Layout &b) { return complement(arith, a, b.shape); },
     [](All &n, const Listed<LeafNumber> &a, const Listed<LeafNumber> &b) -> Result<Layout> {
       Nums<LeafNumber> cotarget = n.listOf(b.layout.shape);
       Modes<LeafNumber> out;
       TESSERA_TRY(bool made, complementModes(n, a, cotarget, out, OpenRest::Joined));
       EXPECT_TRUE(made);
       return n.layout(out);
     }},
    {"logical_divide",
     [](Arith &arith, const Layout &a, const Layout &b) -> Result<Layout> {
       TESSERA_TRY(AnyLayout divided, divide(arith, AnyLayout(a), b, Grouping::Logical));
       return *divided.affine();
     },
     [](All &n, const Listed<LeafNumber> &a, const Listed<LeafNumber> &b) {
       return logicalDivide(n, a, b, OpenRest::Joined);
     }},
};

/// Some numbers become others, extents that no layout may have and products beyond 64 bits among
/// them.
Layout damaged(Random &random, Layout l) {
  static const int64_t others[] = {0,
                                   1,
                                   1,
                                   2,
                                   3,
                                   8,
                                   -1,
                                   -2,
                                   -8,
                                   int64_t(1) << 31,
                                   int64_t(1) << 40,
                                   int64_t(1) << 62,
                                   std::numeric_limits<int64_t>::max(),
                                   std::numeric_limits<int64_t>::min()};
  auto damage = [&](Leaf &leaf) {
    if (random.chance(25))
      leaf = Leaf(others[random.below(std::size(others))]);
  };
  forEachLeaf(l, damage);
  return l;
}

std::string text(const Result<Layout> &r) {
  return r ? str(*r) : cat(r.reason().id, ": ", r.reason().text);
}

TEST(Numbers, OfPlainLayoutsGiveWhatAllNumbersGive) {
  for (const Operation &operation : operations) {
    Random random(11);
    int values = 0, refusals = 0, overflows = 0;
    for (int i = 0; i < cases() && !testing::Test::HasFailure(); ++i) {
      Layout a = random.layout(Strides(random.below(4)), 12, 4096);
      Layout b =
          random.chance(70) ? random.walkOf(a) : random.layout(Strides(random.below(4)), 10, 256);
      if (random.chance(30))
        (random.chance(50) ? a : b) = damaged(random, random.chance(50) ? a : b);
      Const plain, all;
      Numbers<LeafNumber> n(all);
      const Modes<LeafNumber> modesOfA = n.listOf(a), modesOfB = n.listOf(b);
      const Result<Layout> expected = operation.define(n, {a, modesOfA}, {b, modesOfB}),
                           got = operation.run(plain, a, b);
      EXPECT_EQ(text(got), text(expected))
          << operation.name << " of " << str(a) << " and " << str(b);
      EXPECT_TRUE(!expected || !got || *got == *expected)
          << operation.name << " of " << str(a) << " and " << str(b);
      EXPECT_EQ(plain.overflowed(), all.overflowed())
          << operation.name << " of " << str(a) << " and " << str(b);
      ++(expected ? values : refusals);
      overflows += all.overflowed();
    }
    EXPECT_GT(values, cases() / 10) << operation.name;
    EXPECT_GT(overflows, cases() / 1000) << operation.name;
    EXPECT_TRUE(refusals > cases() / 100 || operation.name == std::string_view("coalesce"))
        << operation.name;
  }
}

/// A leaf that is dynamic or a basis needs the other numbers; what the short ones would have made
/// of it is void.
TEST(Numbers, DoNotFitOtherLeaves) {
  Const arith;
  const Layout plain = {Tree::of({Tree(4), Tree::of({Tree(2)})}),
                        Tree::of({Tree(1), Tree::of({Tree(-8)})})};
  Path path;
  path.push(0);
  for (size_t i = 0; i < 3; ++i) {
    Layout l = plain;
    if (i == 1)
      l.shape[1][0] = Tree(Int::dynamic(7));
    if (i == 2)
      l.stride[0] = Tree(Leaf(1, path));
    Numbers<PlainNumber> n(arith);
    n.listOf(l);
    EXPECT_EQ(n.fit(), i == 0) << str(l);
  }
}

} // namespace
