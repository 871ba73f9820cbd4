// Control flow on values of the device, and the order of memory through it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The interpreter reports accesses that no token orders, so a launch that is right has the tokens
// that it needs.
#include "Listing.h"

#include <gtest/gtest.h>
#include <numeric>

using namespace tessera::tile;
using namespace tessera::tile::test;

namespace {

TEST(Control, ForByReferenceAndByValue) {
  std::vector<int> out(8);
  auto byReference = kernel([](Tile<i32> n, Out<i32, 8> y) {
    Tile<i32, 8> sum = 0;
    For(n, sum, [&](Index i, auto &sum) { sum += i * i; });
    y.store(sum);
  });
  EXPECT_RUNS(byReference(10, out));
  EXPECT_EQ(out[7], 285);
  EXPECT_LISTED(traced(byReference, 10, out), "for");
  auto byValue = kernel([](Tile<i32> n, Out<i32, 8> y) {
    auto [a, b] = For(irange(2, n, 3), Index(0), Index(1),
                      [](Index i, auto a, auto b) { return std::tuple(a + i, b * 2); });
    y.store(a * 100 + b + zeros<i32, 8>());
  });
  EXPECT_RUNS(byValue(12, out)); // 2, 5, 8, 11
  EXPECT_EQ(out[0], 2616);
  EXPECT_RUNS(byValue(2, out)); // no turn
  EXPECT_EQ(out[0], 1);
  auto constants = kernel([](Out<i32, 8> y) {
    auto last = For(4, 7, [](Index i, Index last) { return last + i; });
    y.store(last + zeros<i32, 8>());
  });
  EXPECT_RUNS(constants(out));
  EXPECT_EQ(out[0], 13);
}

TEST(Control, LoopsInLoops) {
  std::vector<int> out(8);
  auto k = kernel([](Out<i32, 8> y) {
    Index sum = 0;
    For(5, sum,
        [&](Index i, auto &sum) { For(i, sum, [&](Index j, auto &sum) { sum += i * 10 + j; }); });
    y.store(sum + zeros<i32, 8>());
  });
  EXPECT_RUNS(k(out));
  int wanted = 0;
  for (int i = 0; i < 5; ++i)
    for (int j = 0; j < i; ++j)
      wanted += i * 10 + j;
  EXPECT_EQ(out[0], wanted);
}

TEST(Control, While) {
  // How many steps until 1: halve, or 3 n + 1.
  std::vector<int> out(1);
  auto k = kernel([](Tile<i32> start, Out<i32, 1> y) {
    auto [n, steps] = While(
        start, Index(0), [](Index n, Index) { return n != 1; },
        [](Index n, Index steps) {
          auto next = If(n % 2 == 0, [&] { return n / 2; }, [&] { return 3 * n + 1; });
          return std::tuple(next, steps + 1);
        });
    y.store(steps + n * 0 + zeros<i32, 1>());
  });
  auto steps = [](int n) {
    int count = 0;
    for (; n != 1; ++count)
      n = n % 2 ? 3 * n + 1 : n / 2;
    return count;
  };
  for (int n : {1, 2, 7, 27}) {
    EXPECT_RUNS(k(n, out));
    EXPECT_EQ(out[0], steps(n)) << n;
  }
  std::string text = traced(k, 7, out);
  for (const char *op : {"loop", "if", "break", "continue", "yield"})
    EXPECT_LISTED(text, op);
  auto byReference = kernel([](Tile<i32> start, Out<i32, 1> y) {
    Index n = start;
    While(n, [](auto n) { return n > 10; }, [](auto &n) { n = n - 7; });
    y.store(n + zeros<i32, 1>());
  });
  EXPECT_RUNS(byReference(30, out));
  EXPECT_EQ(out[0], 9);
}

TEST(Control, IfWithBindingsAndReturn) {
  std::vector<float> out(4, -1.0f);
  auto k = kernel([](Tile<i32> n, Tensor<f32, dyn> y) {
    auto [a, b] = If(
        n > 2, [&] { return std::tuple(Tile<f32>(1), Tile<f32>(2)); },
        [&] { return std::tuple(Tile<f32>(3), Tile<f32>(4)); });
    If(n == 0, [&] { Return(); });
    y.store<4>(a * 10.0f + b + zeros<f32, 4>(), 0);
  });
  EXPECT_RUNS(k.run(Grid{1}, 0, out));
  EXPECT_EQ(out[0], -1.0f);
  EXPECT_RUNS(k.run(Grid{1}, 1, out));
  EXPECT_EQ(out[0], 34.0f);
  EXPECT_RUNS(k.run(Grid{1}, 3, out));
  EXPECT_EQ(out[3], 12.0f);
}

TEST(Control, HostControlFlowIsPlain) {
  std::vector<int> out(8);
  auto k = kernel([](Out<i32, 8> y) {
    std::vector<Tile<i32, 8>> rows;
    for (int i = 0; i < 3; ++i)
      rows.push_back(iota<i32, 8>() * i);
    Tile<i32, 8> sum = 0;
    for (auto &row : rows)
      sum += row;
    y.store(sum);
  });
  EXPECT_RUNS(k(out));
  EXPECT_EQ(out[5], 15);
}

//===--- Order of memory

TEST(Order, ReadAfterWriteInTheSameArray) {
  std::vector<int> x(16);
  auto k = kernel([](Tensor<i32, dyn> x) {
    auto p = x.partition<8>();
    p.store(iota<i32, 8>(), 0);
    p.store(p.load(0) + 1, 0);
    p.store(p.load(0) * 2 + p.load(1), 1);
  });
  EXPECT_RUNS(k.run(Grid{1}, x));
  EXPECT_EQ(x[7], 8);
  EXPECT_EQ(x[15], 16);
}
TEST(Order, ReadsWaitForNoReads) {
  std::vector<int> x(8, 5), y(8);
  auto k = kernel([](In<i32, 1> x, Out<i32, 8> y) { y.store(x.load<8>(0) + x.load<8>(0)); });
  std::string text = traced(k, x, y);
  // No token is made or joined: nothing has to wait.
  EXPECT_FALSE(contains(text, "token(")) << text;
  EXPECT_FALSE(contains(text, "make_token")) << text;
  EXPECT_FALSE(contains(text, "join_tokens")) << text;
}
TEST(Order, LoopsCarryTokens) {
  // Each turn reads what the turn before wrote; after the loop it is read again.
  std::vector<int> x(8, 1), y(8);
  auto k = kernel([](Tile<i32> n, Tensor<i32, dyn> x, Out<i32, 8> y) {
    auto p = x.partition<8>();
    For(n, [&](Index) { p.store(p.load(0) * 2, 0); });
    y.store(p.load(0));
  });
  EXPECT_RUNS(k(6, x, y));
  EXPECT_EQ(y[0], 64);
  std::string text = traced(k, 6, x, y);
  EXPECT_LISTED(text, "make_token");
}
TEST(Order, ReadsInALoopAreBeforeAWriteAfterIt) {
  std::vector<int> x(32), y(8);
  std::iota(x.begin(), x.end(), 0);
  auto k = kernel([](Tensor<i32, dyn> x, Out<i32, 8> y) {
    auto p = x.partition<8>();
    Tile<i32, 8> sum = 0;
    For(4, sum, [&](Index i, auto &sum) { sum += p.load(i); });
    For(4, [&](Index i) { p.store(sum, i); });
    y.store(sum);
  });
  EXPECT_RUNS(k(x, y));
  EXPECT_EQ(y[0], 0 + 8 + 16 + 24);
  EXPECT_EQ(x[31], 7 + 15 + 23 + 31);
}
TEST(Order, BranchesAndLoopsInLoops) {
  std::vector<int> x(8, 3), y(8);
  auto k = kernel([](Tile<i32> n, Tensor<i32, dyn> x, Out<i32, 8> y) {
    auto p = x.partition<8>();
    For(n, [&](Index i) {
      If(
          i % 2 == 0, [&] { p.store(p.load(0) + 1, 0); },
          [&] { For(2, [&](Index) { p.store(p.load(0) * 2, 0); }); });
      If(i == 3, [&] { y.store(p.load(0)); });
    });
    p.store(p.load(0) + y.load(), 0);
  });
  EXPECT_RUNS(k(5, x, y));
  int wanted = 3, seen = 0;
  for (int i = 0; i < 5; ++i) {
    wanted = i % 2 ? wanted * 4 : wanted + 1;
    if (i == 3)
      seen = wanted;
  }
  EXPECT_EQ(y[0], seen);
  EXPECT_EQ(x[0], wanted + seen);
}
TEST(Order, WhileThatReadsItsCondition) {
  std::vector<int> x(1, 5), y(1);
  auto k = kernel([](Tensor<i32, dyn> x, Out<i32, 1> y) {
    auto p = x.partition<1>();
    auto turns = While(
        Index(0), [&](Index) { return reshape<>(p.load(0)) > 0; },
        [&](Index i) {
          p.store(p.load(0) - 1, 0);
          return i + 1;
        });
    y.store(turns + zeros<i32, 1>());
    p.store(p.load(0) + 7, 0);
  });
  EXPECT_RUNS(k(x, y));
  EXPECT_EQ(y[0], 5);
  EXPECT_EQ(x[0], 7);
}
TEST(Order, WhileThatOnlyReads) {
  std::vector<int> x{1, 1, 1, 0, 1}, y(1);
  auto k = kernel([](Tensor<i32, dyn> x, Out<i32, 1> y) {
    auto p = x.partition<1>();
    auto first = While(
        Index(0), [&](Index i) { return reshape<>(p.load(i)) == 1; },
        [&](Index i) { return i + 1; });
    p.store(zeros<i32, 1>(), 0);
    y.store(first + zeros<i32, 1>());
  });
  EXPECT_RUNS(k(x, y));
  EXPECT_EQ(y[0], 3);
  EXPECT_EQ(x[0], 0);
}
TEST(Order, EarlyReturnKeepsTheOtherBranchesOrder) {
  std::vector<int> x(8, 1);
  auto k = kernel([](Tile<i32> n, Tensor<i32, dyn> x) {
    auto p = x.partition<8>();
    p.store(full<i32, 8>(2), 0);
    If(n > 0, [&] {
      p.store(full<i32, 8>(3), 0);
      Return();
    });
    p.store(p.load(0) * 5, 0);
  });
  EXPECT_RUNS(k.run(Grid{1}, 1, x));
  EXPECT_EQ(x[0], 3);
  EXPECT_RUNS(k.run(Grid{1}, 0, x));
  EXPECT_EQ(x[0], 10);
}
TEST(Order, ArraysThatOverlapShareASet) {
  // The same memory by two arguments: the second write has to wait for the first.
  std::vector<int> x(8, 1);
  auto k = kernel([](Tensor<i32, dyn> a, Tensor<i32, dyn> b) {
    a.store<8>(full<i32, 8>(2), 0);
    b.store<8>(b.load<8>(0) + 1, 0);
  });
  EXPECT_RUNS(k.run(Grid{1}, x, x));
  EXPECT_EQ(x[0], 3);
  std::vector<int> y(8, 1);
  EXPECT_RUNS(k.run(Grid{1}, x, y));
  EXPECT_EQ(k.traces(), 2u); // what is known of the arguments differs
}
TEST(Order, TokensByName) {
  std::vector<int> x(8, 1);
  auto k = kernel([](Tensor<i32, dyn> x) {
    Token before = get_tensor_token(x);
    auto p =
        make_partition_view_mut(x, Shape<8>{}, padding::Zero, join_tokens({before, make_token()}));
    p.store(p.load(0) + 1, 0);
    set_tensor_token(x, get_tensor_token(x));
    store_tile(x, load_tile(x, Shape<8>{}, 0) * 2, 0);
  });
  EXPECT_RUNS(k.run(Grid{1}, x));
  EXPECT_EQ(x[0], 4);
  EXPECT_LISTED(traced(k, x), "join_tokens");
}

} // namespace
