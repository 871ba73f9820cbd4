// Kernels through the compiler in this process, on the simulator beside the interpreter.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/driver/TileCompile.h"
#include "tessera/run/SimDevice.h"
#include "tessera/tile_run/Runners.h"

#include <cmath>
#include <gtest/gtest.h>
#include <thread>

namespace tile = tessera::tile;
using tile::bid, tile::In, tile::Index, tile::Out, tile::run, tile::run_on;

namespace {

template <int N> void mix(In<float, 2> x, In<int, 1> shift, Out<float, 2, N> y) {
  auto [i, j, _] = bid();
  auto a = x.load<2, N>({i, j});
  auto row = element_cast<float>(shift.load<2>(i));
  auto total = For(tile::irange(1, 4), a, [&](Index k, auto sum) {
    return sum * 0.5f + element_cast<float>(k) * tile::reshape<2, 1>(row);
  });
  y.store(select(a > 0.25f, total + reduce_max<1>(a), partial_sum<1>(a)));
}

TEST(Compile, EightThreads) {
  tile::Array<float, 2> x(7, 50), expected(7, 50);
  tile::Array<int, 1> shift(7);
  x.fill([](int64_t i) { return double(i * 37 % 101) / 64 - 0.5; });
  shift.fill([](int64_t i) { return int(i) - 3; });
  ASSERT_TRUE(run(mix<16>, x, shift, expected));
  auto k = tile::kernel(mix<16>, "mix"); // shared by all threads
  std::vector<std::string> said(8);
  std::vector<std::thread> threads;
  for (size_t t = 0; t < said.size(); ++t)
    threads.emplace_back([&, t] {
      tile::Array<float, 2> y(7, 50);
      tile::DeviceRunner target(std::make_unique<tessera::run::SimDevice>(), "sm_80",
                                tessera::driver::compileTiles);
      tile::Outcome done = k.on(target, std::nullopt, x, shift, y);
      said[t] = done.text();
      for (int64_t i = 0; i < y.size(); ++i)
        if (std::fabs(y[i] - expected[i]) > 1e-5f)
          said[t] += "element " + std::to_string(i) + " differs\n";
    });
  for (std::thread &thread : threads)
    thread.join();
  for (const std::string &text : said)
    EXPECT_EQ(text, "");
  EXPECT_EQ(k.traces(), 1u);
}
template <int M, int N, int K>
void multiply(In<tile::f16, 2> a, In<tile::f16, 2> b, Out<float, M, N> c) {
  auto [i, j, _] = bid();
  auto sum = tile::zeros<float, M, N>();
  For(tile::ceil_div(a.shape(1), K), sum, [&](Index k, auto &sum) {
    sum = tile::mma(a.load<M, K>({i, k}), b.load<K, N>({k, j}), sum);
  });
  c.store(sum);
}

/// Blocks have as many threads as the compiler gives them: 128, 256 and some that load.
TEST(Compile, ProductsOfManyThreads) {
  tile::Array<tile::f16, 2> a(130, 200), b(200, 136);
  tile::Array<float, 2> expected(130, 136), c(130, 136);
  a.fill([](int64_t i) { return double(i * 7 % 5) - 2; });
  b.fill([](int64_t i) { return double(i * 11 % 7) - 3; });
  for (const char *arch : {"sm_80", "sm_90a"}) {
    tile::DeviceRunner target(std::make_unique<tessera::run::SimDevice>(), arch,
                              tessera::driver::compileTiles);
    auto check = [&](auto kernel) {
      ASSERT_TRUE(run(kernel, a, b, expected));
      tile::Outcome done = run_on(target, kernel, a, b, c);
      EXPECT_TRUE(done) << arch << ": " << done.text();
      for (int64_t i = 0; i < c.size(); ++i)
        ASSERT_EQ(c[i], expected[i]) << arch << ", element " << i;
    };
    check(multiply<64, 64, 32>);
    check(multiply<128, 128, 64>);
  }
}
TEST(Compile, WhatIsNotCompiledSaysSo) {
  constexpr int64_t tooLarge = 262144; // elements; the compiler takes half of them
  std::vector<float> x(tooLarge, 2), y(tooLarge);
  tile::DeviceRunner target(std::make_unique<tessera::run::SimDevice>(), "sm_80",
                            tessera::driver::compileTiles);
  // A tile that the interpreter takes.
  auto copy = [](In<float, 1> x, Out<float, tooLarge> y) { y.store(x.load<tooLarge>(0)); };
  EXPECT_TRUE(run(copy, x, y));
  tile::Outcome done = run_on(target, copy, x, y);
  ASSERT_FALSE(done);
  EXPECT_EQ(done.diagnostics[0].id, "TileCompile");
  EXPECT_NE(done.text().find("262144 elements"), std::string::npos) << done.text();
  EXPECT_FALSE(tessera::driver::compileTiles("no program", "sm_80"));
}

} // namespace
