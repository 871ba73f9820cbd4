// Markers of defaults, masked atomics, and names of tiles that stand beside others.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Listing.h"

#include <cmath>
#include <gtest/gtest.h>
#include <numeric>

using namespace tessera::tile;
using namespace tessera::tile::test;

namespace {

// clang-format off: the static assertions read as a table
static_assert(std::is_same_v<i1, bool> && std::is_same_v<i16, int16_t> && std::is_same_v<u16, uint16_t>);
static_assert(std::is_same_v<Tile<f32, 8, 4>::element_type, f32> && std::is_same_v<Tile<f32, 8, 4>::shape_type, Shape<8, 4>>);
static_assert(std::is_same_v<Tensor<i16, dyn>::element_type, i16>);
static_assert(std::is_same_v<Partition<f16, 8, 4>::tile_type, Tile<f16, 8, 4>>);
static_assert(std::is_same_v<round_ties_to_even_t, std::remove_cvref_t<decltype(rounding::NearestEven)>>);
static_assert(Grid{2, 3} == Grid{2, 3, 1} && Grid{2, 3} != Grid{2, 3, 2});
// clang-format on

/// What a kernel of one tile lists.
template <class E, class F> std::string lists(F f) {
  std::vector<E> x(8);
  auto k = kernel([f](Tensor<E, 8> x) { f(x, x.template partition<8>().load(0)); });
  return traced(k, x);
}

//===--- Markers

/// With the marker as without; and with another one otherwise, so that the listing shows it.
template <class E = f32, class Plain, class Same, class Other>
void expectDefault(Plain plain, Same same, Other other) {
  EXPECT_EQ(lists<E>(plain), lists<E>(same));
  EXPECT_NE(lists<E>(plain), lists<E>(other));
}
TEST(Markers, OfDefaults) {
#define WITH(...) [](auto x, auto t) { (void)x, (void)t, (void)(__VA_ARGS__); }
  expectDefault(WITH(add(t, 1.0f)), WITH(add(t, 1.0f, rounding::NearestEven)),
                WITH(add(t, 1.0f, rounding::Zero)));
  expectDefault(WITH(add(t, 1.0f)), WITH(add(t, 1.0f, ftz::Disabled)),
                WITH(add(t, 1.0f, ftz::Enabled)));
  expectDefault(WITH(max(t, 1.0f)), WITH(max(t, 1.0f, nan::Ignored)),
                WITH(max(t, 1.0f, nan::Propagated)));
  expectDefault<i32>(WITH(add(t, 1)), WITH(add(t, 1, overflow::None)),
                     WITH(add(t, 1, overflow::NoWrap)));
  expectDefault(WITH(lt(t, 1.0f)), WITH(lt(t, 1.0f, cmp_ordering::Ordered)),
                WITH(lt(t, 1.0f, cmp_ordering::Unordered)));
  expectDefault(WITH(load(x.base())), WITH(load(x.base(), ordering::Weak)),
                WITH(load(x.base(), ordering::Acquire)));
  expectDefault<i32>(WITH(atomic_add(x.base(), 1)),
                     WITH(atomic_add(x.base(), 1, ordering::AcqRel, scope::Device)),
                     WITH(atomic_add(x.base(), 1, ordering::Relaxed, scope::System)));
  expectDefault(WITH(element_cast<i8>(t)), WITH(element_cast<i8>(t, saturating::Disabled)),
                WITH(element_cast<i8>(t, saturating::Enabled)));
  expectDefault(WITH(partial_sum<0>(t)), WITH(partial_sum<0>(t, reverse::Disabled)),
                WITH(partial_sum<0>(t, reverse::Enabled)));
  auto product = [](auto... fast) {
    return [=](auto, auto t) {
      auto half = reshape<2, 2, 2>(element_cast<f8e4m3fn>(t));
      (void)mma(half, half, zeros<f32, 2, 2, 2>(), fast...);
    };
  };
  expectDefault(product(), product(fast_acc::Disabled), product(fast_acc::Enabled));
#undef WITH
}
TEST(Markers, PaddingOfReals) {
  std::vector<float> x{1, 2, 3}, y(16);
  auto k = kernel([](In<f32, 1> x, Out<f32, 16> y) {
    auto above = x.partition<8>(padding::PosInf).load(0, {}, {});
    auto below = x.partition<8>(padding::NegZero).load(0, {}, {});
    y.store(cat<0>(above, below));
  });
  EXPECT_RUNS(k(x, y));
  for (size_t i = 0; i < 16; ++i) {
    bool isInside = i % 8 < 3;
    EXPECT_EQ(y[i], isInside ? x[i % 8] : i < 8 ? INFINITY : 0.0f) << i;
    EXPECT_EQ(std::signbit(y[i]), !isInside && i >= 8) << i;
  }
}

//===--- Atomics

/// Elements 0 to 7 are 12; those with an even number are updated with 10, and the old ones come
/// back. An access without the mask would change the odd ones.
template <class E, class F> void expectUpdate(F update, E want) {
  std::vector<E> x(8, E(12)), old(8);
  auto k = kernel([update](Tile<E *> x, Out<E, 8> y) {
    auto i = iota<i32, 8>();
    auto before = update(x + i, E(10), i % 2 == 0);
    y.store(select(i % 2 == 0, before, E(0)));
  });
  EXPECT_RUNS(k.run(Grid{1}, x, old));
  for (size_t i = 0; i < 8; ++i) {
    EXPECT_EQ(x[i], i % 2 ? E(12) : want) << i;
    EXPECT_EQ(old[i], i % 2 ? E(0) : E(12)) << i;
  }
}
TEST(Atomics, OfAMask) {
#define BY(name) [](auto p, auto v, auto mask) { return name##_masked(p, v, mask); }
  expectUpdate<i32>(BY(atomic_add), 12 + 10);
  expectUpdate<i32>(BY(atomic_and), 12 & 10);
  expectUpdate<i32>(BY(atomic_or), 12 | 10);
  expectUpdate<i32>(BY(atomic_xor), 12 ^ 10);
  expectUpdate<i32>(BY(atomic_max), 12);
  expectUpdate<i32>(BY(atomic_min), 10);
  expectUpdate<u32>(BY(atomic_max), 12u);
  expectUpdate<i64>(BY(atomic_exchange), int64_t(10));
  // Without a sign -1 is the largest: 12 is less.
  std::vector<u32> x(8, ~0u);
  auto k = kernel([](Tile<u32 *> x) {
    auto i = iota<i32, 8>();
    atomic_min_masked(x + i, u32(12), i < 4);
    atomic_max_masked(x + i, u32(12), i >= 4);
  });
  EXPECT_RUNS(k.run(Grid{1}, x));
  for (size_t i = 0; i < 8; ++i)
    EXPECT_EQ(x[i], i < 4 ? 12u : ~0u);
#undef BY
}

//===--- Functions beside operators

TEST(Functions, Remainders) {
  std::vector<int> n{7, -7, 100, -100, 3, -3, 0, 1}, m(8);
  std::vector<float> x{7.5f, -7.5f, 100, -100, 0.3f, -0.3f, 0, 1}, y(8);
  auto whole = kernel([](In<i32, 1> x, Out<i32, 8> y) { y.store(rem(x.load<8>(0), 4)); });
  auto real = kernel([](In<f32, 1> x, Out<f32, 8> y) { y.store(rem(x.load<8>(0), 4.0f)); });
  EXPECT_RUNS(whole(n, m));
  EXPECT_RUNS(real(x, y));
  for (size_t i = 0; i < 8; ++i) {
    EXPECT_EQ(m[i], n[i] % 4) << i;
    EXPECT_EQ(y[i], std::fmod(x[i], 4.0f)) << i;
  }
}
TEST(Functions, TilesOfOutputs) {
  std::vector<float> x(16), y(16), z(16);
  std::iota(x.begin(), x.end(), 0.0f);
  auto k = kernel([](Tensor<f32, dyn> x, Tensor<f32, dyn> y, Out<f32, 16> z) {
    store_tile(y, load_tile(x, Shape<8>{}, 1) * 2.0f, 0);
    store_tile(z, load_tile(x, Shape<16>{}, 0) + 1.0f);
  });
  EXPECT_RUNS(k(x, y, z));
  for (size_t i = 0; i < 16; ++i) {
    EXPECT_EQ(y[i], i < 8 ? 2 * x[i + 8] : 0) << i;
    EXPECT_EQ(z[i], x[i] + 1) << i;
  }
}
/// The token orders: what is read after it has what was written before.
TEST(Functions, TokensOfATensor) {
  std::vector<int> x(8, 1), y(8);
  auto k = kernel([](Tensor<i32, dyn> x, Out<i32, 8> y) {
    auto part = x.partition<8>();
    part.store(part.load(0) + 5, 0);
    x.set_token(join_tokens({x.token(), make_token()}));
    y.store(part.load(0));
  });
  EXPECT_RUNS(k(x, y));
  EXPECT_EQ(y, std::vector<int>(8, 6));
  EXPECT_LISTED(traced(k, x, y), "join_tokens");
}

//===--- Host

TEST(Host, ArraysAndGrids) {
  EXPECT_EQ((Grid{3, 2, 5}.str()), "3x2x5");
  Array<i16, 2> x(2, 3);
  std::iota(x.begin(), x.end(), i16(1));
  const Array<i16, 2> &same = x;
  EXPECT_EQ(std::accumulate(same.begin(), same.end(), 0), 21);
  EXPECT_EQ(same.data(), x.data());
  EXPECT_EQ(same[4], 5);
  EXPECT_EQ(same(1, 2), 6);
  EXPECT_EQ(same.view().data, x.view().data);
  EXPECT_EQ(x.view().strides[0], 3);
}

} // namespace
