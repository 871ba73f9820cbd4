// Pointers, views, atomics, assumptions: what is emitted, and what it does to arrays.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Listing.h"

#include <cmath>
#include <gtest/gtest.h>
#include <numeric>

using namespace tessera::tile;
using namespace tessera::tile::test;

namespace {

std::vector<int> counting(size_t n) {
  std::vector<int> out(n);
  std::iota(out.begin(), out.end(), 0);
  return out;
}

//===--- Types

TEST(Types, TextIsBuiltOfRequiredThenOptionalParameters) {
  Array<f32, 2> x(128, 64);
  std::string plain, zero, mapped, both, tensor, fixed, scalar;
  auto k = kernel([&](Tensor<f32, dyn, dyn> x, Tensor<f32, 128, dyn> y, Tile<f32> s) {
    tensor = x.type_text();
    fixed = y.type_text();
    plain = x.partition<64, 32>(padding::None).type_text();
    zero = x.partition<64, 32>(padding::Zero, dim_map::Identity).type_text();
    mapped = x.partition<64, 32>(padding::None, dimension_map<1, 0>{}).type_text();
    both = make_partition_view(x, Shape<64, 32>{}, padding::NegInf, dimension_map<1, 0>{},
                               get_tensor_token(x))
               .type_text();
    scalar = detail::typeText(s.id());
  });
  EXPECT_RUNS(k.run(Grid{1}, x, x, 1.0f));
  EXPECT_EQ(tensor, "tensor_view<?x?xf32, strides=[?,1]>");
  EXPECT_EQ(fixed, "tensor_view<128x?xf32, strides=[?,1]>");
  // padding::None and the identity leave no trace.
  EXPECT_EQ(plain, "partition_view<tile=(64x32), tensor_view<?x?xf32, strides=[?,1]>>");
  EXPECT_EQ(zero, "partition_view<tile=(64x32), padding_value = zero, tensor_view<?x?xf32, "
                  "strides=[?,1]>>");
  EXPECT_EQ(mapped, "partition_view<tile=(64x32), tensor_view<?x?xf32, strides=[?,1]>, "
                    "dim_map=[1, 0]>");
  EXPECT_EQ(both, "partition_view<tile=(64x32), padding_value = neg_inf, tensor_view<?x?xf32, "
                  "strides=[?,1]>, dim_map=[1, 0]>");
  EXPECT_EQ(scalar, "tile<f32>");
}
TEST(Types, RanksFromZero) {
  std::vector<int> out(64);
  auto k = kernel([](Out<i32, 64> y) {
    Tile<i32> none = 1;
    Tile<i32, 2, 2, 2, 2, 2, 2> six = iota<i32, 2, 2, 2, 2, 2, 2>() + none;
    static_assert(six.rank() == 6 && none.rank() == 0 && six.extent(3) == 2);
    y.store(reshape<64>(six));
  });
  EXPECT_RUNS(k(out));
  EXPECT_EQ(out[63], 64);
}
TEST(Types, MetadataEmitsNothing) {
  Array<f32, 2> x(6, 10);
  auto with = kernel([](Tensor<f32, dyn, dyn> x) {
    for (int i = 0; i < 2; ++i)
      (void)x.shape(i), (void)x.stride(i), (void)x.base();
    (void)get_tensor_shape(x), (void)get_tensor_token(x);
  });
  auto without = kernel([](Tensor<f32, dyn, dyn>) {});
  EXPECT_EQ(traced(with, x), traced(without, x));
  std::vector<int> out(4);
  auto numbers = kernel([](Tensor<f32, dyn, dyn> x, Out<i32, 4> y) {
    y.store(x.shape(0) * 1000 + x.shape(1) * 100 + x.stride(0) + x.stride(1) + zeros<i32, 4>());
  });
  EXPECT_RUNS(numbers(x, out));
  EXPECT_EQ(out[0], 7011);
  auto asOps = kernel([](Tensor<f32, dyn, dyn> x, Out<i32, 4> y) {
    auto [rows, columns] = read_tensor_shape(x);
    set_tensor_token(x, memory_fence_alias(get_tensor_token(x)));
    y.store(rows * 100 + columns + zeros<i32, 4>());
  });
  EXPECT_RUNS(asOps(x, out));
  EXPECT_EQ(out[0], 610);
  EXPECT_LISTED(traced(asOps, x, out), "get_tensor_shape");
  EXPECT_LISTED(traced(asOps, x, out), "memory_fence_alias_tko");
}
/// A token is read before any access, after two loads and after a store, and set again: the same
/// program as without. Only an op that takes it makes one token of what it comes after.
TEST(Types, TokensEmitNothing) {
  auto with = kernel([](Tensor<f32, dyn> x) {
    set_tensor_token(x, get_tensor_token(x));
    auto view = x.partition<8>();
    auto a = view.load(0), b = view.load(1);
    set_tensor_token(x, get_partition_token_mut(view));
    view.store(a + b, 2);
    (void)x.token(), (void)view.token();
  });
  auto without = kernel([](Tensor<f32, dyn> x) {
    auto view = x.partition<8>();
    auto a = view.load(0), b = view.load(1);
    view.store(a + b, 2);
  });
  std::vector<float> x(24, 1.5f);
  EXPECT_EQ(traced(with, x), traced(without, x));
  auto used = kernel([](Tensor<f32, dyn> x) {
    auto view = x.partition<8>();
    auto a = view.load(0), b = view.load(1);
    x.set_token(memory_fence_alias(x.token()));
    view.store(a + b, 2);
  });
  EXPECT_LISTED(traced(used, x), "join_tokens");
  EXPECT_RUNS(used.run(Grid{1}, x));
  EXPECT_EQ(x[23], 3.0f);
}

/// A trait of one's own for tiles of any rank: the three forms of results that functions have.
template <class T>
concept Halvable = FloatTile<T>;
template <Halvable T> T half(const T &x) { return x * 0.5f; }             // the same shape
template <Halvable T> auto halfOfSum(const T &x) { return sum(half(x)); } // bound: a scalar
template <int... D, Halvable T> Tile<detail::ElementOf<T>, D...> halfAs(const T &x) {
  return broadcast<D...>(half(x)); // free: the caller says it
}
TEST(Types, OwnFunctionsOfAnyRank) {
  std::vector<float> out(8);
  auto k = kernel([](Out<f32, 8> y) {
    auto a = half(full<f32, 8>(4.0f));              // 2
    Tile<f32> b = halfOfSum(full<f32, 2, 2>(1.0f)); // 2
    auto c = halfAs<2, 4>(Tile<f32>(10));           // 5
    y.store(a + b + reshape<8>(c));
  });
  EXPECT_RUNS(k(out));
  EXPECT_EQ(out[0], 9.0f);
}

/// The composite of the document: shape and token of the tensor, a view, a store at index 0, the
/// token.
template <Element E, int... D>
void storeWhole(const Tensor<E, D...> &y, const Tile<E, D...> &result) {
  Shape<D...> tile = y.shape();
  Token token = get_tensor_token(y);
  PartitionMut<E, D...> whole = make_partition_view_mut(y, tile, padding::Zero, token);
  store_view_tko_mut(whole, result, std::array<int, sizeof...(D)>{}, ordering::Weak,
                     scope::TileBlock, std::nullopt, tma::Enabled);
  set_tensor_token(y, get_partition_token_mut(whole));
}
TEST(Types, StoreTileAsTheDocumentWritesIt) {
  Array<i32, 2> x(2, 4), y(2, 4);
  auto ours = kernel([](Tensor<i32, 2, 4> y) {
    store_tile(y, full<i32, 2, 4>(7));
    store_tile(y, y.load<2, 4>({0, 0}) + 1);
  });
  auto theirs = kernel([](Tensor<i32, 2, 4> y) {
    storeWhole(y, full<i32, 2, 4>(7));
    storeWhole(y, y.load<2, 4>({0, 0}) + 1);
  });
  EXPECT_RUNS(ours.run(Grid{1}, x));
  EXPECT_RUNS(theirs.run(Grid{1}, y));
  EXPECT_EQ(x(1, 3), 8);
  EXPECT_EQ(y(1, 3), 8);
  std::string text = traced(ours, x);
  EXPECT_EQ(text, traced(theirs, y));
  EXPECT_LISTED(text, "store_view_tko weak <default = <allow_tma = true>>");
  EXPECT_FALSE(contains(text, "join_tokens")) << text;
}
/// Calls of the document that have other names as methods, and the types that it says of them.
TEST(Types, CallsAsTheDocumentWritesThem) {
  Array<f32, 2> x(128, 128);
  x.fill([](int64_t i) { return double(i % 7); });
  std::string none, zero, mut;
  auto k = kernel([&](Tensor<f32, dyn, dyn> y) {
    Token token = get_tensor_token(y);
    auto a = make_partition_view(y, Shape<64, 64>{}, padding::None, dim_map::Identity, token);
    auto b = make_partition_view(y, Shape<64, 64>{}, padding::Zero, dim_map::Identity, token);
    PartitionMut<f32, 64, 64> pv =
        make_partition_view_mut(y, Shape<64, 64>{}, padding::Zero, token);
    none = a.type_text(), zero = b.type_text(), mut = pv.type_text();
    auto tile = load_view_tko(a, {0, 0}, 4, tma::Disabled);
    store_view_tko_mut(pv, sqrt(tile, rounding::NearestEven, ftz::Enabled), {0, 1}, ordering::Weak,
                       std::nullopt);
    store_view_tko_mut(pv, cos(load_view_tko(b, {0, 0})), {1, 0});
  });
  EXPECT_RUNS(k.run(Grid{1}, x));
  EXPECT_EQ(none, "partition_view<tile=(64x64), tensor_view<?x?xf32, strides=[?,1]>>");
  EXPECT_EQ(zero, "partition_view<tile=(64x64), padding_value = zero, tensor_view<?x?xf32, "
                  "strides=[?,1]>>");
  EXPECT_EQ(mut, zero);
  EXPECT_EQ(x(0, 64 + 4), 2.0f);
  EXPECT_EQ(x(64, 0), 1.0f);
  std::string text = traced(k, x);
  EXPECT_LISTED(text, "load_view_tko weak <default = <allow_tma = false, latency = 4>>");
  EXPECT_LISTED(text, "sqrt");
}
TEST(Types, FactsOfAPartitionEmitNothing) {
  std::vector<int> x(16);
  auto with = kernel([](Tensor<i32, dyn> x) {
    auto p = x.partition<8>();
    (void)p.tensor_shape(0);
    p.store(full<i32, 8>(1), 0);
  });
  auto without = kernel([](Tensor<i32, dyn> x) { x.partition<8>().store(full<i32, 8>(1), 0); });
  EXPECT_EQ(traced(with, x), traced(without, x));
}

//===--- Pointers

TEST(Pointers, GatherAndScatter) {
  std::vector<int> x = counting(32), y(32, -1);
  auto k = kernel([](Tile<i32 *> x, Tile<i32 *> y, Tile<i32> n) {
    auto i = iota<i32, 16>();
    auto inside = i * 2 < n;
    store_masked(y + (15 - i), load_masked(x + i * 2, inside, -7), inside | (i == 15));
  });
  EXPECT_RUNS(k.run(Grid{1}, x, y, 20));
  for (int i = 0; i < 16; ++i)
    EXPECT_EQ(y[size_t(15 - i)], i * 2 < 20 ? i * 2 : i == 15 ? -7 : -1) << i;
  std::string text = traced(k, x, y, 20);
  EXPECT_LISTED(text, "offset");
  EXPECT_LISTED(text, "load_ptr_tko weak");
  EXPECT_LISTED(text, "store_ptr_tko weak");
  EXPECT_LISTED(text, "tile<16xptr<i32>>");
}
TEST(Pointers, NumbersCastsAndMarkers) {
  std::vector<int> x = counting(8), y(8);
  auto k = kernel([](Tile<i32 *> x, Tile<i32 *> y) {
    auto i = iota<i32, 8>();
    auto p = int_to_ptr<i32>(ptr_to_int(x + i) + i64(0));
    auto real = load(pointer_cast<f32>(p), ordering::Relaxed, scope::TileBlock);
    store(y + i, bitcast<i32>(real), ordering::Release, hint{.latency = 3});
  });
  EXPECT_RUNS(k.run(Grid{1}, x, y));
  EXPECT_EQ(y, x);
  std::string text = traced(k, x, y);
  EXPECT_LISTED(text, "load_ptr_tko relaxed tl_blk");
  EXPECT_LISTED(text, "store_ptr_tko release device <default = <latency = 3>>");
  for (const char *op : {"int_to_ptr", "ptr_to_int", "ptr_to_ptr"})
    EXPECT_LISTED(text, op);
}
TEST(Pointers, GlobalsAndLocalMemory) {
  std::vector<int> y(4);
  auto k = kernel([](Out<i32, 4> y) {
    auto i = iota<i32, 4>();
    auto table = global_array<i32>({3, 1, 4, 1});
    auto own = alloca_array<i32>(4);
    store(own + i, load(table + (3 - i)) * 10);
    y.store(load(own + i));
  });
  EXPECT_RUNS(k(y));
  EXPECT_EQ(y, (std::vector<int>{10, 40, 10, 30}));
  EXPECT_LISTED(traced(k, y), "get_global \"global0\"");
  EXPECT_LISTED(traced(k, y), "alloca 4 4");
}

//===--- Views

TEST(Views, PaddingMapsAndStrides) {
  std::vector<float> x(10), y(16);
  std::iota(x.begin(), x.end(), 1.0f);
  auto k = kernel([](In<f32, 1> x, Out<f32, 16> y) {
    auto last = x.partition<8>(padding::NegInf).load(1, {}, {});
    auto nan = x.partition<8>(padding::Nan).load(1, {}, {});
    auto isNan = nan != nan; // NOLINT(misc-redundant-expression): true of NaN only
    y.store(cat<0>(last, select(isNan, -1.0f, nan)));
  });
  EXPECT_RUNS(k(x, y));
  EXPECT_EQ(y[1], 10.0f);
  EXPECT_EQ(y[2], -INFINITY);
  EXPECT_EQ(y[9], 10.0f);
  EXPECT_EQ(y[10], -1.0f);

  Array<int, 2> m({4, 8}, counting(32));
  std::vector<int> out(8);
  auto turned = kernel([](In<i32, 2> m, Out<i32, 8> y) {
    // Tile dimension 0 walks the columns: a tile of 2 columns and 4 rows.
    auto p = m.partition<2, 4>(padding::Zero, dimension_map<1, 0>{});
    y.store(reshape<8>(p.load(1, 0)));
  });
  EXPECT_RUNS(turned(m, out));
  EXPECT_EQ(out, (std::vector<int>{2, 10, 18, 26, 3, 11, 19, 27}));

  std::vector<int> line = counting(16);
  auto windows = kernel(
      [](Tensor<i32, dyn> x, Out<i32, 4> y) { y.store(x.strided_view<4>({2}).load(Index(3))); });
  std::vector<int> window(4);
  EXPECT_RUNS(windows(line, window));
  EXPECT_EQ(window, (std::vector<int>{6, 7, 8, 9}));
  EXPECT_LISTED(traced(windows, line, window), "make_strided_view");
}
TEST(Views, GatherAndScatterRows) {
  Array<int, 2> x({6, 4}, counting(24)), y(6, 4);
  auto k = kernel([](Tensor<i32, dyn, dyn> x, Tensor<i32, dyn, dyn> y) {
    auto rows = constant<i32, 4>({5, 0, 9, 2});
    auto from = x.gather_scatter_view<0, 4, 4>();
    y.gather_scatter_view<0, 4, 4>().store(from.load(rows, 0), constant<i32, 4>({0, 1, 2, 3}), 0);
  });
  EXPECT_RUNS(k.run(Grid{1}, x, y));
  EXPECT_EQ(y(0, 0), 20);
  EXPECT_EQ(y(1, 3), 3);
  EXPECT_EQ(y(2, 1), 0); // row 9 is outside
  EXPECT_EQ(y(3, 2), 10);
  EXPECT_LISTED(traced(k, x, y), "make_gather_scatter_view");
  // Chunks of two elements that start at the second one.
  auto chunks = kernel([](Tensor<i32, dyn, dyn> x, Tensor<i32, dyn, dyn> y) {
    auto rows = constant<i32, 2>({3, 1});
    y.gather_scatter_view<0, 2, 2>().store(x.gather_scatter_view<0, 2, 2>().load(rows, 1),
                                           constant<i32, 2>({4, 5}), 2);
  });
  EXPECT_RUNS(chunks.run(Grid{1}, x, y));
  EXPECT_EQ(y(4, 2), 13);
  EXPECT_EQ(y(4, 3), 14);
  EXPECT_EQ(y(5, 2), 5);
}
TEST(Views, CountsMarkersAndReductions) {
  std::vector<float> x(20, 1.0f), y(8, 10.0f);
  auto k = kernel([](In<f32, 1> x, Tensor<f32, dyn> y) {
    auto p = x.partition<8>();
    auto q = y.partition<8>();
    For(p.num_tiles(0), [&](Index i) {
      q.atomic_add(p.load(i, ordering::Acquire, hint{.latency = 4, .allow_tma = false}), 0);
    });
  });
  EXPECT_RUNS(k.run(Grid{1}, x, y));
  EXPECT_EQ(y[0], 13.0f);
  EXPECT_EQ(y[5], 12.0f);
  std::string text = traced(k, x, y);
  EXPECT_LISTED(text, "get_index_space_shape");
  EXPECT_LISTED(text, "load_view_tko acquire device <default = <allow_tma = false, latency = 4>>");
  EXPECT_LISTED(text, "atomic_red_view_tko relaxed device addf");
}
TEST(Views, EveryMarkerOfAnAccessAtOnce) {
  std::vector<float> x(8, 3.0f), z(8, 1.0f), y(8);
  auto k = kernel([](Tensor<f32, dyn> x, Tile<f32 *> z, Out<f32, 8> y) {
    auto i = iota<i32, 8>();
    auto a = x.partition<8>().load({0}, hint{.latency = 2}, scope::System, tma::Disabled,
                                   ordering::Acquire);
    auto b = load(z + i, scope::Device, hint{.latency = 3}, ordering::Acquire);
    store_masked(z + i, a + b, i < 4, ordering::Release, hint{.latency = 5}, scope::System);
    y.store(a + b, ordering::Release, scope::Device, tma::Enabled);
  });
  EXPECT_RUNS(k(x, z, y));
  EXPECT_EQ(y[7], 4.0f);
  EXPECT_EQ(z[3], 4.0f);
  std::string text = traced(k, x, z, y);
  EXPECT_LISTED(text, "load_view_tko acquire sys <default = <allow_tma = false, latency = 2>>");
  EXPECT_LISTED(text, "load_ptr_tko acquire device <default = <latency = 3>>");
  EXPECT_LISTED(text, "store_ptr_tko release sys <default = <latency = 5>>");
  EXPECT_LISTED(text, "store_view_tko release device <default = <allow_tma = true>>");
}
TEST(Views, TensorsOfPointers) {
  std::vector<float> x(24, 2.0f), y(8);
  auto k = kernel([](Tile<f32 *> p, Tile<i32> rows, Out<f32, 8> y) {
    auto x = make_tensor_view<f32, dyn, 8>(p, {rows, 8}, std::array<int64_t, 2>{8, 1});
    EXPECT_EQ(x.type_text(), "tensor_view<?x8xf32, strides=[8,1]>");
    auto other = make_tensor_view<f32, dyn, 8>(p, {rows, 8}, Indices<2>(rows * 0 + 8, 1));
    EXPECT_EQ(other.type_text(), "tensor_view<?x8xf32, strides=[?,?]>");
    y.store(reshape<8>(sum<0>(x.load<4, 8>({0, 0})) + sum<0>(other.load<2, 8>({0, 0}))));
  });
  EXPECT_RUNS(k(x, 3, y));
  EXPECT_EQ(y[0], 10.0f);
}

//===--- Atomics

TEST(Atomics, EachMode) {
  auto check = [](auto update, int start, int wanted, const char *line) {
    std::vector<int> x(1, start), old(1);
    auto k = kernel([update](Tile<i32 *> x, Tile<i32 *> old) {
      store(old + iota<i32, 1>(), update(x + iota<i32, 1>()));
    });
    Outcome done = k.run(Grid{1}, x, old);
    EXPECT_TRUE(done) << done.text();
    EXPECT_EQ(x[0], wanted) << line;
    EXPECT_EQ(old[0], start) << line;
    EXPECT_LISTED(traced(k, x, old), line);
  };
  check([](auto p) { return atomic_add(p, 5); }, 7, 12, "atomic_rmw_tko acq_rel device add");
  check([](auto p) { return atomic_and(p, 5); }, 7, 5, "and");
  check([](auto p) { return atomic_or(p, 8); }, 7, 15, "or");
  check([](auto p) { return atomic_xor(p, 5); }, 7, 2, "xor");
  check([](auto p) { return atomic_max(p, 9); }, 7, 9, "max");
  check([](auto p) { return atomic_min(p, 9); }, 7, 7, "min");
  check([](auto p) { return atomic_exchange(p, 9, ordering::Relaxed, scope::System); }, 7, 9,
        "atomic_rmw_tko relaxed sys xchg");
  check([](auto p) { return atomic_cas(p, 7, 1); }, 7, 1, "atomic_cas_tko acq_rel device");
  check([](auto p) { return atomic_cas(p, 6, 1); }, 7, 7, "atomic_cas_tko");
}
TEST(Atomics, ManyBlocksAndMasks) {
  std::vector<float> sums(4);
  std::vector<u32> most(1, 5);
  auto k = kernel([](Tile<f32 *> sums, Tile<u32 *> most) {
    auto i = iota<i32, 8>();
    atomic_add_masked(sums + i % 4, 1.0f, i < 6, ordering::Relaxed);
    atomic_max(most + iota<i32, 1>(), bitcast<u32>(bid().x));
  });
  EXPECT_RUNS(k.run(Grid{8}, sums, most));
  EXPECT_EQ(sums, (std::vector<float>{16, 16, 8, 8}));
  EXPECT_EQ(most[0], 7u);
  EXPECT_LISTED(traced(k, sums, most), "umax");
}

//===--- Assumptions, checks, text

TEST(Assume, EachPredicate) {
  std::vector<int> x = counting(16), y(16);
  auto k = kernel([](Tile<i32 *> x, Tile<i32> n, Out<i32, 16> y) {
    auto p = assume_aligned<4>(x);
    auto m = assume_bounded_below<0>(assume_bounded<-5, 100>(assume_bounded_above<64>(n)));
    m = assume_divisible<4>(m);
    auto i = assume_divisible_strided<16, 16, 0>(iota<i32, 16>());
    auto twos = assume_blocked<2>(iota<i32, 16>() / 2);
    y.store(load(p + i) + m + twos);
  });
  EXPECT_RUNS(k(x, 8, y));
  EXPECT_EQ(y[15], 15 + 8 + 7);
  std::string text = traced(k, x, 8, y);
  for (const char *predicate : {"div_by<4>", "bounded<-5, 100>", "bounded<?, 64>", "bounded<0, ?>",
                                "div_by<16, every 16 along 0>", "same_elements<[2]>"})
    EXPECT_LISTED(text, predicate);
  Outcome done = k(x, 6, y);
  ASSERT_FALSE(done);
  EXPECT_LISTED(done.text(), "the assumption div_by<4> does not hold: got 6");
}
TEST(Text, PrintAndCheck) {
  std::vector<int> x{1, 2, 3, 4};
  auto k = kernel([](In<i32, 1> x, Tile<i32> n) {
    auto tile = x.load<4>(0);
    print("x = %d of %d\n", tile, n);
    check(tile < 4, "less than four");
  });
  Outcome done = k.run(Grid{1}, x, 7);
  EXPECT_EQ(done.output, "x = [1, 2, 3, 4] of 7\n");
  EXPECT_LISTED(traced(k, x, 7), "print_tko \"x = %d of %d\n\"");
  ASSERT_FALSE(done);
  EXPECT_EQ(done.diagnostics[0].id, "AssertFailed");
  EXPECT_LISTED(done.text(), "element (3)");
  EXPECT_LISTED(done.text(), "less than four");
}
TEST(Text, GridAndDependents) {
  std::vector<int> y(64);
  auto k = kernel([](Tensor<i32, dyn> y) {
    wait_for_dependencies();
    auto [i, j, l] = bid();
    auto [nx, ny, nz] = num_blocks();
    y.store<1>(nx * 100 + ny * 10 + nz + zeros<i32, 1>(), (l * ny + j) * nx + i);
    launch_dependents();
  });
  EXPECT_RUNS(k.run(Grid{2, 3, 4}, y));
  EXPECT_EQ(y[23], 234);
  std::string text = traced(k, y);
  for (const char *op :
       {"get_tile_block_id", "get_num_tile_blocks", "gdc_wait_tko", "gdc_launch_dependents_tko"})
    EXPECT_LISTED(text, op);
}

} // namespace
