// Elements of 2 and 4 bits: packed arrays, registers, shared memory with and without swizzle, and
// products with weights of 4 bits. What is expected is packed and computed here.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cute.h"

#include <gtest/gtest.h>

#include <cmath>

using namespace tessera::cute;
using tessera::tile::Array;

namespace {
/// Single elements, vectors of them, and conversions.
template <class T> void converted_device(Tensor x, Tensor y, Tensor z) {
  Num row = threadIdx.x;
  y(row, 0) = convert<float>(Num(x(row, 0)));
  Tensor from = local_tile(x, make_shape(1, 8), make_coord(row, 1)),
         held = make_fragment_like(from);
  copy(from, held);
  local_tile(y, make_shape(1, 8), make_coord(row, 1)).store(convert<float>(held.load()));
  Tensor back = make_tensor<T>(make_shape(1, 8));
  for (int i = 0; i < 8; ++i)
    back(i) = Num(held(7 - i));
  copy(back, local_tile(z, make_shape(1, 8), make_coord(row, 1)));
}
template <class T> void converted(Tensor x, Tensor y, Tensor z) {
  launch(converted_device<T>, {.block = 4}, x, y, z);
}
template <class T> void checkConverted(std::vector<double> numbers) {
  SubbyteArray<T, 2> x(4, 32), z(4, 32);
  Array<float, 2> y(4, 32);
  auto of = [&](int64_t i) { return numbers[size_t(i * 7 % int64_t(numbers.size()))]; };
  x.fill(of);
  Outcome done = kernel(converted<T>, "converted")(simulator(), x, y, z);
  ASSERT_TRUE(done) << done.text();
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(y(i, 0), float(of(i * 32)));
    for (int j = 0; j < 8; ++j) {
      EXPECT_EQ(y(i, 8 + j), float(of(i * 32 + 8 + j))) << i << " " << j;
      EXPECT_EQ(double(T(z(i, 8 + j))), of(i * 32 + 15 - j)) << i << " " << j;
    }
    EXPECT_EQ(double(T(z(i, 0))), 0);
  }
}

/// A tensor of 4 bits with a swizzle of bytes, and its bytes.
template <int Bits> void swizzled_device(Tensor x, Tensor bytes) {
  Tensor s = make_smem_tensor<int4_t>(GMMA::Layout_K_SW128_Atom<int4_t>{});
  Tensor raw = make_tensor(recast_ptr<uint8_t>(raw_pointer_cast(s.data())), make_layout(1024));
  if (Bits) {
    cooperative_copy<32, Bits>(threadIdx.x, make_tensor(x.data(), s.layout()), s);
  } else {
    Num row = Num(threadIdx.x) / 4, first = Num(threadIdx.x) % 4 * 64; // nobody shares a byte
    For(64, [&](Num i) { s(row, first + i) = Num(x(row, first + i)); });
  }
  __syncthreads();
  For(32, [&](Num i) { bytes(i * 32 + threadIdx.x) = raw(i * 32 + threadIdx.x); });
}
template <int Bits> void swizzled(Tensor x, Tensor bytes) {
  launch(swizzled_device<Bits>, {.block = 32}, x, bytes);
}
template <int Bits> void checkSwizzled() {
  SubbyteArray<int4_t, 2> x(8, 256);
  Array<uint8_t, 1> bytes(1024);
  x.fill([](int64_t i) { return int(uint64_t(i) * 2654435761u >> 11 & 15); });
  Outcome done = kernel(swizzled<Bits>, "swizzled", "sm_90a")(simulator(), x, bytes);
  ASSERT_TRUE(done) << done.text();
  for (int row = 0; row < 8; ++row)
    for (int i = 0; i < 128; ++i)
      EXPECT_EQ(bytes[(row * 128 + i) ^ row << 4], x.data()[row * 128 + i]) << row << " " << i;
}

//===--- weights of 4 bits --------------------------------------------------------------------===//

constexpr int M = 64, N = 64, K = 64, ofGroup = 64; // elements along K that share a factor
/// The factor of each weight: that of its group.
Tensor factorsOf(const Tensor &weights, const Tensor &S) {
  return make_tensor(S.data(),
                     make_layout(make_shape(size<0>(weights), make_shape(ofGroup, size<1>(S))),
                                 make_stride(stride<0>(S), make_stride(0, 1))));
}
Num scaled(const Num &weight, const Num &factor) { return convert<half_t>(weight) * factor; }

/// C (M,N) = A (M,K) (B (N,K) S)^T by mma.sync.
void warps_device(Tensor mA, Tensor mB, Tensor mS, Tensor mC) {
  auto tile = make_shape(M, N, K);
  auto coord = make_coord(blockIdx.x, blockIdx.y, _);
  Tensor gA = local_tile(mA, tile, coord, Step<_1, X, _1>{}),
         gB = local_tile(mB, tile, coord, Step<X, _1, _1>{}),
         gS = local_tile(factorsOf(mB, mS), tile, coord, Step<X, _1, _1>{}),
         gC = local_tile(mC, tile, coord, Step<_1, _1, X>{});
  Layout atom = composition(Swizzle<3, 3, 3>{}, Layout<Shape<_8, _64>, Stride<_64, _1>>{});
  Tensor sA = make_smem_tensor<half_t>(tile_to_shape(atom, make_shape(M, K))),
         sB = make_smem_tensor<int4_t>(make_layout(make_shape(N, K), LayoutRight{}));
  TiledCopy copyA =
      make_tiled_copy(Copy_Atom<SM80_CP_ASYNC_CACHEGLOBAL<uint128_t>, half_t>{},
                      Layout<Shape<_16, _8>, Stride<_8, _1>>{}, Layout<Shape<_1, _8>>{});
  TiledCopy copyB =
      make_tiled_copy(Copy_Atom<SM80_CP_ASYNC_CACHEGLOBAL<uint128_t>, int4_t>{},
                      Layout<Shape<_64, _2>, Stride<_2, _1>>{}, Layout<Shape<_1, _32>>{});
  ThrCopy thrA = copyA.get_slice(threadIdx.x), thrB = copyB.get_slice(threadIdx.x);
  Tensor tAgA = thrA.partition_S(gA), tAsA = thrA.partition_D(sA), tBgB = thrB.partition_S(gB),
         tBsB = thrB.partition_D(sB);
  TiledMMA mma = make_tiled_mma(SM80_16x8x16_F32F16F16F32_TN{}, Layout<Shape<_2, _2>>{},
                                Tile<_32, _32, _16>{});
  ThrMMA thr = mma.get_slice(threadIdx.x);
  Tensor tCrA = thr.partition_fragment_A(sA), tCsB = thr.partition_B(sB),
         tCgS = thr.partition_B(gS);
  Tensor tCrQ = make_fragment_like(tCsB), tCrB = make_fragment_like<half_t>(tCsB);
  Tensor tCgC = thr.partition_C(gC), tCrC = thr.make_fragment_C(tCgC);
  TiledCopy loadA = make_tiled_copy_A(Copy_Atom<SM75_U32x4_LDSM_N, half_t>{}, mma);
  ThrCopy thrLoad = loadA.get_slice(threadIdx.x);
  Tensor tXsA = thrLoad.partition_S(sA), tXrA = thrLoad.retile_D(tCrA);
  clear(tCrC);
  For(size<3>(tAgA), tCrC, [&](Num k, Tensor &tCrC) {
    copy(copyA, tAgA(_, _, _, k), tAsA);
    copy(copyB, tBgB(_, _, _, k), tBsB);
    cp_async_fence();
    cp_async_wait<0>();
    __syncthreads();
    for (int b = 0; b < size<2>(tCrA); ++b) {
      copy(loadA, tXsA(_, _, b), tXrA(_, _, b));
      copy(tCsB(_, _, b), tCrQ(_, _, b));
      transform(tCrQ(_, _, b), tCgS(_, _, b, k), tCrB(_, _, b), scaled);
      gemm(mma, tCrA(_, _, b), tCrB(_, _, b), tCrC);
    }
    __syncthreads();
  });
  copy(tCrC, tCgC);
}
void warps(Tensor A, Tensor B, Tensor S, Tensor C) {
  launch(warps_device, {.grid = {size<0>(A) / M, size<0>(B) / N}, .block = 128}, A, B, S, C);
}

/// The same by a warpgroup, whose weights are the operand in registers: C^T = W X^T.
void group_device(TmaCopy tma, Tensor mW, Tensor mS, Tensor mC) {
  auto tile = make_shape(N, M, K);
  auto coord = make_coord(blockIdx.y, blockIdx.x, _);
  Tensor gW = local_tile(mW, tile, coord, Step<_1, X, _1>{}),
         gS = local_tile(factorsOf(mW, mS), tile, coord, Step<_1, X, _1>{}),
         gX = local_tile(tma.get_tma_tensor(), tile, coord, Step<X, _1, _1>{}),
         gC = local_tile(mC, tile, coord, Step<_1, _1, X>{});
  Layout atom = GMMA::Layout_K_SW128_Atom<half_t>{};
  Tensor sX = make_smem_tensor<half_t>(tile_to_shape(atom, make_shape(M, K))),
         sW = make_smem_tensor<int4_t>(make_layout(make_shape(N, K), LayoutRight{}));
  BarrierArray loaded = make_barriers(1);
  TiledMMA mma =
      make_tiled_mma(GMMA::rs_op_selector<half_t, half_t, float, Shape<Int<N>, Int<M>, Int<K>>>());
  ThrMMA thr = mma.get_slice(threadIdx.x);
  Tensor tCsW = thr.partition_A(sW), tCgS = thr.partition_A(gS), tCgC = thr.partition_C(gC);
  Tensor tCrQ = make_fragment_like(tCsW), tCrW = make_fragment_like<half_t>(tCsW),
         tCrX = thr.partition_fragment_B(sX), tCrC = thr.make_fragment_C(tCgC);
  auto [tXgX, tXsX] =
      tma_partition(tma, 0, make_layout(1), group_modes<0, 2>(sX), group_modes<0, 2>(gX));
  Num first = canonical_warp_idx_sync() == 0;
  If(threadIdx.x == 0, [&] { loaded[0].init(1); });
  fence_barrier_init();
  __syncthreads();
  For(size<1>(tXgX), tCrC, [&, &tXgX = tXgX, &tXsX = tXsX](Num k, Tensor &tCrC) {
    If(first, [&] {
      If(elect_one_sync(), [&] { loaded[0].arrive_and_expect_tx(M * K * 2); });
      copy(tma.with(loaded[0]), tXgX(_, k), tXsX);
    });
    cooperative_copy<128>(threadIdx.x, gW(_, _, k), sW);
    __syncthreads();
    copy(tCsW, tCrQ);
    transform(tCrQ, tCgS(_, _, _, k), tCrW, scaled);
    loaded[0].wait(k % 2);
    warpgroup_arrive();
    for (int b = 0; b < size<2>(tCrW); ++b)
      gemm(mma.accumulate((k > 0) | (b > 0)), tCrW(_, _, b), tCrX(_, _, b), tCrC);
    warpgroup_commit_batch();
    warpgroup_wait<0>();
    __syncthreads();
  });
  copy(tCrC, tCgC);
}
void group_host(Tensor X, Tensor W, Tensor S, Tensor C) {
  Layout shared = tile_to_shape(GMMA::Layout_K_SW128_Atom<half_t>{}, make_shape(M, K));
  Tensor transposed = make_tensor(C.data(), make_layout(make_shape(size<1>(C), size<0>(C)),
                                                        make_stride(stride<1>(C), stride<0>(C))));
  launch(group_device, {.grid = {size<0>(X) / M, size<0>(W) / N}, .block = 128},
         make_tma_copy(SM90_TMA_LOAD{}, X, shared), W, S, transposed);
}
void checkWeights(void (*host)(Tensor, Tensor, Tensor, Tensor), const char *arch) {
  const int m = 128, n = 64, k = 256;
  Array<half_t, 2> A(m, k), S(n, k / ofGroup);
  SubbyteArray<int4_t, 2> B(n, k);
  Array<float, 2> C(m, n);
  A.fill([](int64_t i) { return double(i * 7 % 13) - 6; });
  B.fill([](int64_t i) { return i * 5 % 16 - 8; });
  S.fill([](int64_t i) { return 0.25 * double(i % 5 + 1); });
  Outcome done = kernel(host, "weights", arch)(simulator(), A, B, S, C);
  ASSERT_TRUE(done) << done.text();
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j) {
      double sum = 0;
      for (int l = 0; l < k; ++l)
        sum += double(A(i, l)) * int(int4_t(B(j, l))) * double(S(j, l / ofGroup));
      ASSERT_EQ(double(C(i, j)), sum) << i << " " << j;
    }
}

/// Threads that write the halves of a byte.
void racing_device(Tensor y) { y(threadIdx.x) = 1; }
void racing(Tensor y) { launch(racing_device, {.block = 32}, y); }
/// Numbers of other lanes, from an element in the middle of a byte on, and rounded to 4 bits.
void odd_device(Tensor x, Tensor numbers, Tensor y, Tensor rounded) {
  Num own = x(threadIdx.x);
  y(threadIdx.x, 0) = convert<int>(shfl_xor_sync(own, 1));
  y(threadIdx.x, 1) = convert<int>(block_sum(own, 32));
  Tensor from = local_tile(domain_offset(make_coord(3), x), make_tile(4), make_coord(threadIdx.x));
  Tensor held = make_fragment_like(from);
  copy(from, held);
  y(threadIdx.x, 2) = convert<int>(Num(held(1)));
  Tensor four = local_tile(numbers, make_tile(8), make_coord(threadIdx.x)),
         in = make_fragment_like(four), out = make_tensor<float_e2m1_t>(make_shape(8));
  copy(four, in);
  out.store(convert<float_e2m1_t>(in.load()));
  copy(out, local_tile(rounded, make_tile(8), make_coord(threadIdx.x)));
}
void odd(Tensor x, Tensor numbers, Tensor y, Tensor rounded) {
  launch(odd_device, {.block = 32}, x, numbers, y, rounded);
}
void mistakes_device(Tensor x) {
  atomicAdd(x(0), 1);
  Tensor six = make_tensor<float_e3m2_t>(make_shape(4));
  Num first = six(0);
  bit_cast<int8_t>(Num(x(0)));
}
void mistakes(Tensor x) { launch(mistakes_device, {.block = 1}, x); }
/// Bytes seen as elements of 4 bits.
void recast_device(Tensor bytes, Tensor y) {
  Tensor packed = make_tensor(make_gmem_ptr<uint4_t>(bytes.data()), make_layout(make_shape(16)));
  Tensor words = recast<int4_t>(make_tensor(bytes.data(), make_layout(8)));
  y(threadIdx.x, 0) = convert<int>(Num(packed(threadIdx.x)));
  y(threadIdx.x, 1) = convert<int>(Num(words(threadIdx.x)));
}
void recasts(Tensor bytes, Tensor y) { launch(recast_device, {.block = 16}, bytes, y); }
} // namespace

TEST(CuteSubbyte, OnTheHost) {
  SubbyteArray<int4_t, 2> a(2, 3);
  a(0, 0) = int4_t(-8), a(0, 1) = int4_t(7), a(0, 2) = int4_t(1), a(1, 0) = int4_t(-1);
  EXPECT_EQ(a.data()[0], 0x78);
  EXPECT_EQ(a.data()[1], 0xf1);
  EXPECT_EQ(int(int4_t(9)), -7); // its low bits
  EXPECT_EQ(int(uint2_t(7)), 3);
  EXPECT_EQ(double(float_e2m1_t(5.1)), 6.0); // rounded to the nearest
  EXPECT_EQ(double(float_e3m2_t(-28)), -28.0);
  EXPECT_EQ(sizeof_bits_v<int4_t>, 4);
  EXPECT_EQ(sizeof_bits_v<float_e2m3_t>, 6);
}
TEST(CuteSubbyte, Converted) {
  std::vector<double> all;
  for (int i = -8; i < 8; ++i)
    all.push_back(i);
  checkConverted<int4_t>(all);
  checkConverted<uint4_t>({0, 15, 1, 9, 7, 8});
  checkConverted<int2_t>({-2, -1, 0, 1});
  checkConverted<uint2_t>({3, 0, 2, 1});
}
TEST(CuteSubbyte, ConvertedFloats) {
  checkConverted<float_e2m1_t>({0, 0.5, 1, 1.5, 2, 3, 4, 6, -0.5, -1, -1.5, -2, -3, -4, -6});
}
TEST(CuteSubbyte, Swizzled) {
  checkSwizzled<0>();
  checkSwizzled<32>();
  checkSwizzled<128>();
}
TEST(CuteSubbyte, WeightsByWarps) { checkWeights(warps, "sm_80"); }
TEST(CuteSubbyte, WeightsByAWarpgroup) { checkWeights(group_host, "sm_90a"); }
TEST(CuteSubbyte, ThreadsShareNoByte) {
  SubbyteArray<int4_t, 1> y(32);
  Outcome done = kernel(racing, "racing")(simulator(), y);
  ASSERT_FALSE(done);
  EXPECT_NE(done.text().find("races"), std::string::npos) << done.text();
}
TEST(CuteSubbyte, OtherLanesAndRounding) {
  SubbyteArray<int4_t, 1> x(160);
  SubbyteArray<float_e2m1_t, 1> rounded(256);
  std::vector<float> numbers(256);
  Array<int, 2> y(32, 3);
  auto of = [](int64_t i) { return int(i * 7 % 16) - 8; };
  x.fill(of);
  for (int i = 0; i < 256; ++i) // beyond 6, and halfway between neighbours
    numbers[size_t(i)] = float(i - 128) * 0.0625f * (i % 7 == 0 ? 9.0f : 1.0f);
  Outcome done = kernel(odd, "odd")(simulator(), x, numbers, y, rounded);
  ASSERT_TRUE(done) << done.text();
  int sum = 0;
  for (int i = 0; i < 32; ++i)
    sum += of(i);
  for (int i = 0; i < 32; ++i) {
    EXPECT_EQ(y(i, 0), of(i ^ 1));
    EXPECT_EQ(y(i, 1), sum);
    EXPECT_EQ(y(i, 2), of(3 + 4 * i + 1));
  }
  // OCP Microscaling Formats 1.0, 5.3.3: to nearest, ties to even, at most 6.
  const double values[] = {0, 0.5, 1, 1.5, 2, 3, 4, 6};
  for (int i = 0; i < 256; ++i) {
    double want = std::abs(double(numbers[size_t(i)])), best = 0;
    for (int code = 0; code < 8; ++code) {
      double now = std::abs(values[code] - want), before = std::abs(best - want);
      if (now < before || (now == before && code % 2 == 0))
        best = values[code];
    }
    EXPECT_EQ(std::abs(double(float_e2m1_t(rounded[i]))), best) << numbers[size_t(i)];
  }
}
TEST(CuteSubbyte, Mistakes) {
  SubbyteArray<int4_t, 1> x(32);
  std::string ptx;
  Outcome done = kernel(mistakes, "mistakes").ptx(ptx, x);
  const char *texts[] = {"atomic: expects integers of 32 or 64 bits", "load: ", "bitcast: "};
  ASSERT_EQ(done.diagnostics.size(), std::size(texts)) << done.text();
  for (size_t i = 0; i < std::size(texts); ++i) {
    EXPECT_TRUE(done.diagnostics[i].text.starts_with(texts[i])) << done.diagnostics[i].str();
    EXPECT_TRUE(done.diagnostics[i].file.ends_with("SubbyteTest.cpp"));
  }
}
TEST(CuteSubbyte, Recast) {
  std::vector<uint8_t> bytes{0x10, 0x32, 0x54, 0x76, 0x98, 0xba, 0xdc, 0xfe};
  Array<int, 2> y(16, 2);
  Outcome done = kernel(recasts, "recasts")(simulator(), bytes, y);
  ASSERT_TRUE(done) << done.text();
  for (int i = 0; i < 16; ++i) {
    EXPECT_EQ(y(i, 0), i);
    EXPECT_EQ(y(i, 1), i < 8 ? i : i - 16);
  }
}
