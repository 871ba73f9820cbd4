// Strides that are ratios, 1/2@0: as texts, and operations on layouts that have them, by brute
// force over their coordinates.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/layout/Algebra.h"
#include "tessera/layout/Domains.h"
#include "tessera/layout/Text.h"

#include <gtest/gtest.h>

#include <map>

using namespace tessera;
using namespace tessera::layout;

namespace {

Layout read(const std::string &text) { return *parseLayout(text, Ratios::Read); }

/// What a layout of static numbers gives for index `i` of its domain: a number for each basis, in
/// 1/840 of it.
std::map<std::string, int64_t> at(const Layout &l, int64_t i) {
  constexpr int64_t unit = 840;
  std::vector<Leaf> extents = l.shape.leaves(), steps = l.stride.leaves();
  std::map<std::string, int64_t> sums;
  for (size_t mode = 0; mode < extents.size(); ++mode) {
    const int64_t extent = extents[mode].value.value, x = i % extent;
    i /= extent;
    const Leaf &step = steps[mode];
    EXPECT_EQ(unit % step.value.over, 0);
    std::string path;
    for (size_t k = 0; k < step.basis.size(); ++k)
      path += "@" + std::to_string(step.basis[k]);
    if (int64_t sum = x * step.value.value * (unit / step.value.over))
      sums[path] += sum;
  }
  return sums;
}
int64_t sizeOf(const Layout &l) {
  int64_t size = 1;
  l.shape.forEachLeaf([&](const Leaf &leaf) { size *= leaf.value.value; });
  return size;
}

TEST(Ratios, Texts) {
  for (const char *text : {"((512,1),1):((1/2@0,0),0)", "(8,4):(3/4@1@0,1@1)", "4:-1/2@0"})
    EXPECT_EQ(str(read(text)), text);
  EXPECT_EQ(str(read("(8,4):(2/4@0,4/2@1)")), "(8,4):(1/2@0,2@1)"); // in lowest terms
  for (const char *text : {"4:1/2", "4:1/0@0", "4:1/-2@0", "4:?/2@0", "4:1/40000@0", "4:1/2/2@0"})
    EXPECT_FALSE(parseLayout(text, Ratios::Read)) << text;
  EXPECT_EQ(parseLayout("(8,4):(1/2@0,1@1)").reason().text,
            "failed to parse layout from \"(8,4):(1/2@0,1@1)\": expects scaled-basis strides to "
            "have integer values, not ratios, but got \"(1/2@0,1@1)\"");
  EXPECT_FALSE(read("4:1/2@0") == read("4:1@0"));
  EXPECT_FALSE(read("4:1/2@0") == read("4:1/4@0"));
}

TEST(Ratios, CoalesceWhereTheyGoOn) {
  Const arith;
  for (const char *text :
       {"(4,4,32):(1/2@0,2@0,8@0)", "(2,2,3):(1/2@0,1@0,2@0)", "(3,5):(2/3@1,2@1)",
        "(2,4):(1/2@0,2@0)", "(4,2):(1/4@0,1@1)", "((32,4),(1,4)):((8@0,2@0),(0,1/2@0))"}) {
    SCOPED_TRACE(text);
    Layout l = read(text), short_ = coalesce(arith, l);
    ASSERT_EQ(sizeOf(short_), sizeOf(l));
    for (int64_t i = 0; i < sizeOf(l); ++i)
      EXPECT_EQ(at(short_, i), at(l, i)) << str(short_) << " at " << i;
  }
  EXPECT_EQ(str(coalesce(arith, read("(4,4,32):(1/2@0,2@0,8@0)"))), "512:1/2@0");
  EXPECT_FALSE(arith.overflowed());
}

TEST(Ratios, ComposeAndDivide) {
  Const arith;
  for (const char *text : {"(64,16):(1@1,1/2@0)", "((32,4),(4,8)):((8@0,2@0),(1/2@0,1@1))"})
    for (const char *rhs : {"(8,4):(1,16)", "4:2", "(2,2,4):(64,1,2)"}) {
      SCOPED_TRACE(std::string(text) + " o " + rhs);
      Layout l = read(text), r = read(rhs);
      Result<Layout> made = composition(arith, l, r);
      ASSERT_TRUE(made) << made.reason().text;
      for (int64_t i = 0; i < sizeOf(r); ++i) {
        int64_t index = 0, left = i;
        std::vector<Leaf> extents = r.shape.leaves(), steps = r.stride.leaves();
        for (size_t mode = 0; mode < extents.size(); ++mode) {
          index += left % extents[mode].value.value * steps[mode].value.value;
          left /= extents[mode].value.value;
        }
        EXPECT_EQ(at(*made, i), at(l, index)) << str(*made) << " at " << i;
      }
    }
  Result<AnyLayout> tiles = divide(arith, AnyLayout(read("(64,64):(1@1,1/2@0)")),
                                   *parseTile("[8:1;16:1]"), Grouping::Zipped);
  ASSERT_TRUE(tiles);
  EXPECT_EQ(str(*tiles), "((8,16),(8,4)):((1@1,1/2@0),(8@1,8@0))");
}

// A run-time number times n/d is n times the number, divided by d as C++ does it.
TEST(Ratios, OfRunTimeNumbers) {
  Int half = 1, threeQuarters = 3;
  half.over = 2;
  threeQuarters.over = 4;
  for (int64_t x : {-64, -7, 0, 1, 5, 64, 1000}) {
    Interp arith;
    Int open = arith.input(x);
    EXPECT_EQ(arith.valueOf(arith.mul(half, open)), x / 2) << x;
    EXPECT_EQ(arith.valueOf(arith.mul(open, threeQuarters)), 3 * x / 4) << x;
    EXPECT_FALSE(arith.violated());
  }
  // Where it is a multiple of the divisor, the quotient keeps what is left of that.
  Symbolic types;
  EXPECT_EQ(str(types.mul(half, Int::dynamic(1, Width::I32, 64))), "?{div=32}");
  EXPECT_EQ(str(types.mul(threeQuarters, Int::dynamic(1, Width::I64, 8))), "?{i64 div=6}");
  EXPECT_EQ(str(types.mul(half, Int::dynamic(1))), "?");
  EXPECT_EQ(str(types.mul(half, 512)), "256");
  EXPECT_EQ(str(types.mul(half, threeQuarters)), "3/8");
  EXPECT_FALSE(types.overflowed());
}

// Coordinates are whole: what is not has no place in a tensor map.
TEST(Ratios, RefuseSumsThatAreNotWhole) {
  Int half = 1;
  half.over = 2;
  auto refused = [](auto &&compute) {
    Symbolic arith;
    compute(arith);
    return arith.overflowed();
  };
  EXPECT_TRUE(refused([&](Symbolic &a) { a.add(0, half); }));
  EXPECT_TRUE(refused([&](Symbolic &a) { a.add(half, Int::dynamic(1)); }));
  EXPECT_TRUE(refused([&](Symbolic &a) { a.mod(half, 2); }));
  EXPECT_TRUE(refused([&](Symbolic &a) { a.bitAnd(half, 1); }));
  EXPECT_FALSE(refused([&](Symbolic &a) { EXPECT_EQ(str(a.add(half, half)), "1"); }));
  EXPECT_FALSE(refused([&](Symbolic &a) { EXPECT_EQ(str(a.sub(half, half)), "0"); }));
  EXPECT_FALSE(refused([&](Symbolic &a) {
    EXPECT_EQ(str(a.min(half, 1)), "1/2");
    EXPECT_EQ(str(a.max(half, 1)), "1");
    EXPECT_EQ(str(a.less(half, 1)), "1");
    EXPECT_EQ(str(a.equal(half, 1)), "0");
  }));
}

} // namespace
