// The list of the modes of a tuple, whose memory a thread keeps: against std::vector, and from
// thread to thread.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/layout/Random.h"

#include <gtest/gtest.h>

#include <new>
#include <thread>
#include <type_traits>

using namespace tessera;
using namespace tessera::layout;
using namespace tessera::layout::test;

namespace {

bool same(const Trees &got, const std::vector<Tree> &expected) {
  return got.size() == expected.size() &&
         std::equal(got.begin(), got.end(), expected.begin(), expected.end()) &&
         std::equal(got.rbegin(), got.rend(), expected.rbegin(), expected.rend()) &&
         std::vector<Tree>(got) == expected && got == Trees(std::vector<Tree>(expected));
}

/// What becomes a tree unless memory runs out, which it does at the `left`-th from now.
struct Scarce {
  int *left;
  operator Tree() const {
    if ((*left)-- == 0)
      throw std::bad_alloc();
    return Tree(Trees(3, Tree(7)));
  }
};

TEST(Trees, HaveWhatWasMadeBeforeMemoryRanOut) {
  for (int before = 0; before < 4; ++before) {
    int left = before;
    Trees list;
    list.reserve(4);
    EXPECT_THROW(for (int i = 0; i < 4; ++i) list.emplace_back(Scarce{&left}), std::bad_alloc);
    EXPECT_TRUE(same(list, std::vector<Tree>(size_t(before), Tree(Trees(3, Tree(7))))));
    left = before;
    Tree tuple;
    EXPECT_THROW(tuple.open(4, [&](size_t) -> Tree { return Scarce{&left}; }), std::bad_alloc);
    EXPECT_EQ(tuple.rank(), before ? size_t(before) : tuple.rank());
    left = before; // and nothing leaks, which the address sanitizer says
    const std::vector<Scarce> four(4, Scarce{&left});
    EXPECT_THROW(Trees(four.begin(), four.end()), std::bad_alloc);
  }
}

// Else memory that runs out for a copy ends the process.
static_assert(!std::is_nothrow_copy_assignable_v<Tree>);
static_assert(std::is_nothrow_move_assignable_v<Tree>);

TEST(Trees, TakeAPartOfThemselves) {
  const Tree inner(Trees(2, Tree(5)));
  for (bool moves : {false, true}) {
    Trees list(3, Tree(Trees(2, inner)));
    Tree tree(list);
    if (moves)
      tree = std::move(tree[1][0]), list = std::move(list[2].modes());
    else
      tree = tree[1][0], list = list[2].modes();
    EXPECT_EQ(tree, inner);
    EXPECT_TRUE(same(list, {inner, inner}));
  }
}

TEST(Trees, AreListsWhateverIsDoneToThem) {
  Random random(5);
  Trees lists[4];
  std::vector<Tree> expected[4];
  for (int i = 0; i < cases(); ++i) {
    const size_t a = size_t(random.below(4)), b = size_t(random.below(4));
    const Tree tree = random.shape(5, 64);
    switch (random.below(7)) {
    case 0: lists[a] = lists[b], expected[a] = std::vector<Tree>(expected[b]); break;
    case 1: lists[a] = Trees(size_t(b), tree), expected[a].assign(size_t(b), tree); break;
    case 2:
      if (expected[a].size() < 20 && !expected[a].empty()) // one of its own
        lists[a].push_back(lists[a][0]), expected[a].push_back(Tree(expected[a][0]));
      break;
    case 3:
      if (expected[a].size() < 20)
        lists[a].emplace_back(tree), expected[a].push_back(tree);
      break;
    case 4:
      if (!expected[a].empty()) // a tuple of itself
        lists[a][0] = Tree(random.chance(80) ? Trees(1, tree) : lists[a]),
        expected[a][0] = Tree(lists[a][0]);
      if (expected[a].size() > 1 && expected[a][0].depth() > 6)
        lists[a] = Trees(), expected[a].clear();
      break;
    case 5: lists[a].reserve(size_t(random.below(24))); break;
    case 6:
      Trees moved = std::move(lists[a]);
      EXPECT_TRUE(lists[a].empty());
      lists[b] = std::move(moved);
      std::vector<Tree> others = std::move(expected[a]);
      expected[a].clear();
      expected[b] = std::move(others);
      break;
    }
    ASSERT_TRUE(same(lists[a], expected[a])) << i;
    ASSERT_TRUE(same(lists[b], expected[b])) << i;
  }
}

TEST(Trees, OfNothingAreATuple) {
  const Tree empty{Trees()};
  for (const Tree &tree :
       {empty, Tree(empty), Tree(std::vector<Tree>()), Tree::of({}), Tree::of({empty})[0]}) {
    EXPECT_TRUE(tree.isTuple());
    EXPECT_EQ(tree.rank(), 0u);
    EXPECT_EQ(tree, empty);
  }
  EXPECT_NE(Tree(0), empty);
  Tree grown = empty;
  grown.modes().emplace_back(Leaf(3));
  EXPECT_EQ(grown, Tree::of({Tree(3)}));
  EXPECT_EQ(empty.rank(), 0u);
}

/// More than a thread keeps, made in one and freed in another, while both go on.
TEST(Trees, MoveBetweenThreads) {
  std::vector<Tree> made;
  std::thread maker([&] {
    for (int64_t i = 0; i < 1000; ++i)
      made.push_back(
          Tree::of({Tree(i), Tree::of({Tree(i + 1), Tree(Trees(size_t(i % 12), Tree(i)))})}));
  });
  maker.join();
  std::thread user([mine = std::move(made)]() mutable {
    for (int64_t i = 0; i < 1000; ++i) {
      Tree &tree = mine[size_t(i)];
      EXPECT_EQ(tree[1][0], Tree(i + 1));
      EXPECT_EQ(tree[1][1].rank(), size_t(i % 12));
      const Tree copy = tree;
      tree = Tree();
      EXPECT_EQ(copy[0], Tree(i));
    }
  });
  user.join();
}

} // namespace
