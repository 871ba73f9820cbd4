// The order of what values state: its laws, by brute force over small types and their instances.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/layout/Sample.h"

#include "tessera/layout/Refine.h"

#include <limits>

using namespace tessera;
using namespace tessera::layout;
using namespace tessera::layout::test;

namespace {

const char *const leaves[] = {
    "0",           "1",        "2",        "4",      "-4",           "?",
    "?{div=2}",    "?{div=4}", "?{div=3}", "?{i64}", "?{i64 div=2}", "4294967296",
    "?{i64 div=4}"};

/// The numbers that leaves are tried with: small ones, and one that takes 64 bits.
const int64_t numbers[] = {
    -4, -3, 0, 1, 2, 3, 4, 6, 8, 12, int64_t(1) << 32, (int64_t(1) << 32) + 2};

/// What `leaf` stands for, from its definition.
bool isInstance(int64_t number, const Leaf &leaf) {
  if (leaf.value.isStatic())
    return number == leaf.value.value;
  const bool narrow = number >= std::numeric_limits<int32_t>::min() &&
                      number <= std::numeric_limits<int32_t>::max();
  return number % leaf.value.div == 0 && (narrow || leaf.value.width == Width::I64);
}
bool isInstance(const Tree &numbers, const Tree &tree) {
  if (tree.isLeaf())
    return numbers.isLeaf() && numbers.leaf().basis == tree.leaf().basis &&
           numbers.leaf().any == tree.leaf().any &&
           (tree.leaf().any || isInstance(numbers.leaf().value.value, tree.leaf()));
  if (numbers.isLeaf() || numbers.rank() != tree.rank())
    return false;
  for (size_t i = 0; i < tree.rank(); ++i)
    if (!isInstance(numbers[i], tree[i]))
      return false;
  return true;
}

/// All trees of numbers that are instances of `tree`.
std::vector<Tree> instances(const Tree &tree) {
  if (tree.isLeaf()) {
    std::vector<Tree> all;
    if (tree.leaf().any)
      return {tree};
    for (int64_t number : numbers)
      if (isInstance(number, tree.leaf()))
        all.emplace_back(Leaf(number, tree.leaf().basis));
    return all;
  }
  std::vector<Trees> rows = {Trees(0, Tree())};
  for (const Tree &mode : tree.modes()) {
    std::vector<Trees> longer;
    for (const Trees &row : rows)
      for (const Tree &leaf : instances(mode)) {
        longer.push_back(row);
        longer.back().push_back(leaf);
      }
    rows = std::move(longer);
  }
  std::vector<Tree> all;
  for (Trees &row : rows)
    all.emplace_back(std::move(row));
  return all;
}

/// Layouts that are one function: what stands as stride of an extent of 1 does not matter.
Tree withoutIdleStrides(const Tree &shape, const Tree &stride) {
  if (shape.isLeaf())
    return shape.leaf().is(1) ? Tree(0) : stride;
  Trees modes;
  for (size_t i = 0; i < shape.rank(); ++i)
    modes.push_back(withoutIdleStrides(shape[i], stride[i]));
  return modes;
}
bool isInstance(const Layout &numbers, const Layout &l) {
  if (!isInstance(numbers.shape, l.shape))
    return false;
  for (const Tree &stride : instances(l.stride))
    if (congruent(stride, numbers.stride) && withoutIdleStrides(numbers.shape, numbers.stride) ==
                                                 withoutIdleStrides(numbers.shape, stride))
      return true;
  return false;
}

template <class T> void expectOrder(const std::vector<T> &all) {
  for (const T &a : all) {
    EXPECT_TRUE(refines(a, a)) << str(a);
    for (const T &b : all)
      for (const T &c : all)
        if (refines(a, b) && refines(b, c))
          EXPECT_TRUE(refines(a, c)) << str(a) << ", " << str(b) << ", " << str(c);
  }
}

TEST(Refine, OrdersLeavesAsTheirInstances) {
  std::vector<Tree> all;
  for (const char *text : leaves)
    all.push_back(tree(text));
  expectOrder(all);
  for (const Tree &a : all)
    for (const Tree &b : all) {
      bool included = true;
      for (int64_t number : numbers)
        included &= !isInstance(number, a.leaf()) || isInstance(number, b.leaf());
      if (refines(a, b))
        EXPECT_TRUE(included) << str(a) << " in " << str(b);
      if (a.isStatic()) // then the numbers tried tell all
        EXPECT_EQ(refines(a, b), included) << str(a) << " in " << str(b);
      if (refines(a, b) && refines(b, a))
        EXPECT_EQ(a, b);
    }
}

TEST(Refine, OrdersTreesOfOneProfile) {
  std::vector<Tree> all;
  for (const char *text :
       {"(1,2)", "(?,2)", "(?,?)", "(?{div=2},?)", "(2,(1,?))", "(?,(?,?{div=4}))", "((1,2),3)",
        "(_,2)", "(_,?)", "(_,_)", "()", "?", "(?)", "(2)", "2"})
    all.push_back(tree(text));
  expectOrder(all);
  for (const Tree &a : all)
    for (const Tree &b : all) {
      bool included = true;
      for (const Tree &instance : instances(a))
        included &= isInstance(instance, b);
      EXPECT_EQ(refines(a, b), included) << str(a) << " in " << str(b);
    }
}

TEST(Refine, OrdersLayoutsButForStridesOfExtentOne) {
  std::vector<Layout> all;
  for (const char *text : {"1:0",
                           "1:4",
                           "1:?",
                           "?:0",
                           "?:4",
                           "?:?",
                           "4:1",
                           "4:?",
                           "4:?{div=4}",
                           "2:4",
                           "?{div=2}:4",
                           "(1,2):(0,1)",
                           "(1,2):(6,1)",
                           "(?,2):(6,1)",
                           "(?,2):(?,1)",
                           "(1,?):(?,1)",
                           "(?,?):(?,?)",
                           "(2,1):(1@0,0)",
                           "(2,1):(1@0,3@1)",
                           "(2,?):(1@0,3@1)",
                           "(2,1):(?@0,1@1)",
                           "(2,?):(?@0,?@1)",
                           "((1,2)):((0,1))",
                           "((?,2)):((0,1))"})
    all.push_back(lay(text));
  expectOrder(all);
  for (const Layout &a : all)
    for (const Layout &b : all) {
      bool included = true;
      for (const Tree &shape : instances(a.shape))
        for (const Tree &stride : instances(a.stride)) {
          bool positive = true; // as extents are
          shape.forEachLeaf([&](const Leaf &leaf) { positive &= leaf.value.value > 0; });
          if (positive && congruent(shape, stride))
            included &= isInstance(Layout{shape, stride}, b);
        }
      if (refines(a, b))
        EXPECT_TRUE(included) << str(a) << " in " << str(b);
      if (a.isStatic())
        EXPECT_EQ(refines(a, b), included) << str(a) << " in " << str(b);
      if (refines(a, b) && refines(b, a)) {
        EXPECT_EQ(a.shape, b.shape);
        EXPECT_EQ(withoutIdleStrides(a.shape, a.stride), withoutIdleStrides(b.shape, b.stride));
      }
    }
}

TEST(Refine, LooksIntoCompositionsAndTiles) {
  auto composed = [](std::string_view text) { return any(text); };
  EXPECT_TRUE(
      refines(composed("S<3,4,3> o 0 o (8,1):(1,0)"), composed("S<3,4,3> o ? o (?,1):(1,8)")));
  EXPECT_FALSE(refines(composed("S<3,4,3> o ? o 8:1"), composed("S<3,4,3> o 0 o 8:1")));
  EXPECT_FALSE(refines(composed("S<2,4,3> o 0 o 8:1"), composed("S<3,4,3> o 0 o 8:1")));
  EXPECT_FALSE(refines(composed("S<3,4,3> o 0 o 8:1"), composed("8:1")));
  EXPECT_TRUE(refines(composed("(4,1):(1,9) o 2 o 8:1"), composed("(?,1):(1,4) o ? o 8:1")));
  EXPECT_FALSE(refines(composed("(4,1):(1,9) o 2 o 8:1"), composed("S<1,0,1> o 2 o 8:1")));
  EXPECT_TRUE(refines(tile("[4:1;_;[2:1;1:0]]"), tile("[?:1;_;[2:?;1:3]]")));
  EXPECT_FALSE(refines(tile("[4:1;_]"), tile("[4:1;4:1]")));
  EXPECT_FALSE(refines(tile("[4:1]"), tile("4:1")));
  EXPECT_FALSE(refines(tile("[4:1;2:1]"), tile("[4:1]")));
}

} // namespace
