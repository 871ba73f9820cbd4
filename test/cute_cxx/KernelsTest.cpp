// Kernels as authors of CuTe C++ write them, beside what the host computes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cute.h"

#include <gtest/gtest.h>

using namespace tessera::cute;
using tessera::tile::Array;
using tessera::tile::view;

namespace {

//===--- products without an atom -------------------------------------------------------------===//

/// CUTLASS's sgemm_1: gemm of partitions of shared memory; of batches, with other formats than C.
template <class E> void batched_device(Tensor A, Tensor B, Tensor C) {
  Num batch = blockIdx.z;
  Tensor gA = local_tile(A(_, _, batch), make_tile(_16{}, _8{}), make_coord(blockIdx.x, _)),
         gB = local_tile(B(_, _, batch), make_tile(_16{}, _8{}), make_coord(blockIdx.y, _)),
         gC = local_tile(C(_, _, batch), make_tile(_16{}, _16{}),
                         make_coord(blockIdx.x, blockIdx.y));
  auto padded = make_layout(make_shape(_16{}, _8{}), make_stride(_1{}, 18_c));
  Tensor sA = make_smem_tensor<E>(padded), sB = make_smem_tensor<E>(padded);
  auto threads = make_layout(make_shape(_8{}, _4{}));
  Tensor tAgA = local_partition(gA, threads, threadIdx.x),
         tAsA = local_partition(sA, threads, threadIdx.x),
         tBgB = local_partition(gB, threads, threadIdx.x),
         tBsB = local_partition(sB, threads, threadIdx.x);
  Tensor tCsA = local_partition(sA, threads, threadIdx.x, Step<_1, X>{}),
         tCsB = local_partition(sB, threads, threadIdx.x, Step<X, _1>{}),
         tCgC = local_partition(gC, threads, threadIdx.x, Step<_1, _1>{});
  Tensor sums = make_tensor_like(tCgC);
  clear(sums);
  For(size<2>(gA), [&](Num k) {
    copy(tAgA(_, _, k), tAsA);
    copy(tBgB(_, _, k), tBsB);
    __syncthreads();
    gemm(tCsA, tCsB, sums);
    __syncthreads();
  });
  CUTE_UNROLL
  for (int i = 0; i < size(sums); ++i)
    tCgC[i] = sums[i] * 2.0f;
}
template <class E> void batched(Tensor A, Tensor B, Tensor C) {
  launch(batched_device<E>, {.grid = {size<0>(C) / 16, size<1>(C) / 16, size<2>(C)}, .block = 32},
         A, B, C);
}
template <class E> void checkBatched() {
  const int m = 32, n = 16, k = 24, batches = 2;
  std::vector<E> A(m * k * batches), B(n * k * batches);
  std::vector<float> C(m * n * batches);
  for (size_t i = 0; i < A.size(); ++i)
    A[i] = E(float(i * 7 % 13) - 6);
  for (size_t i = 0; i < B.size(); ++i)
    B[i] = E(float(i * 5 % 11) - 5);
  Outcome done =
      kernel(batched<E>, "batched")(simulator(), view(A.data(), {m, k, batches}, {1, m, m * k}),
                                    view(B.data(), {n, k, batches}, {k, 1, n * k}),
                                    view(C.data(), {m, n, batches}, {n, 1, m * n}));
  ASSERT_TRUE(done) << done.text();
  for (int l = 0; l < batches; ++l)
    for (int i = 0; i < m; ++i)
      for (int j = 0; j < n; ++j) {
        float sum = 0;
        for (int q = 0; q < k; ++q)
          sum += float(A[size_t(l * m * k + q * m + i)]) * float(B[size_t(l * n * k + j * k + q)]);
        ASSERT_EQ(C[size_t(l * m * n + i * n + j)], 2 * sum) << l << " " << i << " " << j;
      }
}

//===--- tensor copies by one thread ----------------------------------------------------------===//

enum class By {
  FirstThread,
  ElectedLane,
  ElectedInALoop
};
/// Two blocks share what each of them loads a half of; who copies is one thread, as in CUTLASS.
template <By by> void shared_device(TmaCopy tma, Tensor y) {
  Tensor s = make_smem_tensor<half_t>(make_layout(make_shape(_64{}, _32{}), LayoutRight{}), 128);
  BarrierArray arrived = make_barriers(1);
  Tensor g =
      local_tile(tma.get_tma_tensor(), make_shape(_64{}, _32{}), make_coord(blockIdx.x / 2, 0));
  auto [from, to] = tma_partition(tma, block_rank_in_cluster(), make_layout(_2{}),
                                  group_modes<0, 2>(s), group_modes<0, 2>(g));
  If(threadIdx.x == 0, [&] {
    arrived[0].init(1);
    fence_barrier_init();
  });
  cluster_sync();
  auto load = [&] {
    arrived[0].arrive_and_expect_tx(64 * 32 * 2);
    copy(tma.with(arrived[0], 3), from, to);
  };
  Num warp = canonical_warp_idx_sync();
  if (by == By::FirstThread)
    If(threadIdx.x == 0, load);
  else if (by == By::ElectedLane)
    If((warp == 0) & elect_one_sync(), load);
  else
    If((warp == 0) & elect_one_sync(), [&] { For(1, [&](Num) { load(); }); });
  arrived[0].wait(0);
  Tensor gY = local_tile(y, make_shape(_64{}, _32{}), make_coord(blockIdx.x, 0));
  auto threads = make_layout(make_shape(_32{}, _4{}), LayoutRight{});
  copy(local_partition(s, threads, threadIdx.x), local_partition(gY, threads, threadIdx.x));
  cluster_sync();
}
template <By by> void shared(Tensor x, Tensor y) {
  auto tma = make_tma_copy(SM90_TMA_LOAD_MULTICAST{}, x,
                           make_layout(make_shape(_64{}, _32{}), LayoutRight{}),
                           make_shape(_64{}, _32{}), 2);
  launch(shared_device<by>, {.grid = {size<0>(x) / 32}, .block = 128, .cluster_x = 2}, tma, y);
}
template <By by> void checkShared() {
  Array<half_t, 2> x(128, 32), y(256, 32);
  x.fill([](int64_t i) { return double(i % 1000); });
  auto k = kernel(shared<by>, "shared", "sm_90a");
  Outcome done = k(simulator(), x, y);
  ASSERT_TRUE(done) << done.text();
  for (int i = 0; i < 256; ++i)
    for (int j = 0; j < 32; ++j)
      ASSERT_EQ(float(y(i, j)), float(x(i / 128 * 64 + i % 64, j))) << i << " " << j;
  // The thread that copies elects nobody: an election would wait for the others.
  std::string ptx;
  k.ptx(ptx, x, y);
  size_t elections = 0;
  for (size_t at = 0; (at = ptx.find("elect.sync", at)) != std::string::npos; ++at)
    ++elections;
  EXPECT_EQ(elections, by == By::FirstThread ? 0u : 1u) << ptx;
}

//===--- alignments ---------------------------------------------------------------------------===//

template <class Vector> void rows_device(Tensor S, Tensor D) {
  constexpr int values = int(sizeof(Vector) / sizeof(float));
  auto tile = make_shape(_8{}, _32{});
  Tensor gS = local_tile(S, tile, make_coord(0, 0)), gD = local_tile(D, tile, make_coord(0, 0));
  auto tiled = make_tiled_copy(Copy_Atom<UniversalCopy<Vector>, float>{},
                               make_layout(make_shape(_1{}, Int<32 / values>{})),
                               make_layout(make_shape(_1{}, Int<values>{})));
  ThrCopy part = tiled.get_slice(threadIdx.x);
  copy(tiled, part.partition_S(gS), part.partition_D(gD));
}
template <class Vector> void rows(Tensor S, Tensor D) {
  launch(rows_device<Vector>, {.block = int(32 * sizeof(float) / sizeof(Vector))}, S, D);
}

//===--- tensors of coordinates ---------------------------------------------------------------===//

void coordinates_device(Tensor y) {
  // Columns first, every second row: E<0> counts rows.
  Tensor c =
      make_coord_tensor(make_layout(make_shape(_4{}, _3{}), make_stride(E<1>{}, E<0>{} * 2)));
  IntTuple at = c(Num(threadIdx.x) % 4, Num(threadIdx.x) / 4);
  y(threadIdx.x) = get<0>(at) * 100 + get<1>(at);
}
void coordinates(Tensor y) { launch(coordinates_device, {.block = 12}, y); }

void parts_device(Tensor x, Tensor y) {
  Tensor tile = inner_partition(x, make_tile(_4{}, _2{}), make_coord(1, 2)); // a tile
  Tensor rest = outer_partition(x, make_tile(_4{}, _2{}), make_coord(3, 1)); // one of each tile
  Num i = threadIdx.x;
  y(i) = where(i < 8, Num(tile(i % 8)), Num(rest(i % 8)));
}
void parts(Tensor x, Tensor y) { launch(parts_device, {.block = 16}, x, y); }

} // namespace

TEST(CuteKernels, ProductsOfSharedMemoryWithoutAnAtom) {
  checkBatched<float>();
  checkBatched<half_t>();
}
TEST(CuteKernels, OneThreadCopiesATensor) {
  checkShared<By::FirstThread>();
  checkShared<By::ElectedLane>();
  checkShared<By::ElectedInALoop>();
}
/// Rows that begin at multiples of 8 bytes are copied by 8 bytes, and no more.
TEST(CuteKernels, VectorsAsWideAsRowsAllow) {
  for (int columns : {32, 33, 34, 36}) {
    Array<float, 2> S(8, columns), D(8, columns);
    S.fill([](int64_t i) { return double(i); });
    Outcome by8 = kernel(rows<uint64_t>, "by8")(simulator(), S, D);
    EXPECT_EQ(bool(by8), columns % 2 == 0) << columns << "\n" << by8.text();
    for (int i = 0; by8 && i < 8; ++i)
      for (int j = 0; j < 32; ++j)
        ASSERT_EQ(D(i, j), S(i, j));
    Outcome by16 = kernel(rows<uint128_t>, "by16")(simulator(), S, D);
    EXPECT_EQ(bool(by16), columns % 4 == 0) << columns << "\n" << by16.text();
    for (const Outcome &refused : {by8, by16})
      for (const auto &d : refused.diagnostics)
        EXPECT_TRUE(d.file.ends_with("KernelsTest.cpp") && d.line) << d.str();
  }
}
TEST(CuteKernels, CoordinatesOfBases) {
  std::vector<int> y(12);
  Outcome done = kernel(coordinates, "coordinates")(simulator(), y);
  ASSERT_TRUE(done) << done.text();
  for (int i = 0; i < 12; ++i)
    EXPECT_EQ(y[size_t(i)], i / 4 * 2 * 100 + i % 4) << i;
}
TEST(CuteKernels, PartsOfTiles) {
  Array<float, 2> x(8, 8);
  x.fill([](int64_t i) { return double(i); });
  std::vector<float> y(16);
  Outcome done = kernel(parts, "parts")(simulator(), x, y);
  ASSERT_TRUE(done) << done.text();
  for (int i = 0; i < 8; ++i) {
    EXPECT_EQ(y[size_t(i)], x(4 + i % 4, 4 + i / 4)) << i;
    EXPECT_EQ(y[size_t(8 + i)], x(i % 2 * 4 + 3, i / 2 * 2 + 1)) << i;
  }
}

namespace {
/// Each thread of a grid and of blocks of three dimensions writes its number, counted along x
/// first.
void numbered_device(Tensor x, Tensor sums) {
  Num block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x,
      thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  x(block, threadIdx.z, threadIdx.y, threadIdx.x) = thread;
  Num sum = block_sum(thread, 8 * 4 * 4);
  If(thread == 5, [&] { sums(block) = sum; });
}
void numbered(Tensor x, Tensor sums) {
  dim3 grid(size<0>(x) / 6, 2, 3), block(8, 4, 4);
  launch(numbered_device, {.grid = grid, .block = block}, x, sums);
}
void flat_device(Tensor x, Tensor) { x(threadIdx.x, threadIdx.y, 0, 0) = 1; }
void deep(Tensor x, Tensor y) { launch(flat_device, {.block = {1, 1, 65}}, x, y); }
void wide(Tensor x, Tensor y) { launch(flat_device, {.block = {64, 32}}, x, y); }
void unknown(Tensor x, Tensor y) { launch(flat_device, {.block = {8, size<1>(x)}}, x, y); }
} // namespace

TEST(CuteLaunches, BlocksAndGridsOfThreeDimensions) {
  constexpr int threads = 8 * 4 * 4, blocks = 2 * 2 * 3;
  auto x = tessera::tile::Array<int, 4>(blocks, 4, 4, 8);
  std::vector<int> sums(blocks);
  Outcome done = kernel(numbered, "numbered")(simulator(), x, sums);
  ASSERT_TRUE(done) << done.text();
  for (int block = 0; block < blocks; ++block) {
    for (int thread = 0; thread < threads; ++thread)
      EXPECT_EQ(x.data()[block * threads + thread], thread);
    EXPECT_EQ(sums[size_t(block)], threads * (threads - 1) / 2);
  }
  auto said = [&](auto &host) { return kernel(host, "k")(simulator(), x, sums).text(); };
  EXPECT_NE(
      said(deep).find("kernel: expects 1 to 1024 threads of a block, at most 64 of them along "
                      "z, but got (1,1,65)"),
      std::string::npos)
      << said(deep);
  EXPECT_NE(
      said(wide).find("kernel: expects 1 to 1024 threads of a block, at most 64 of them along "
                      "z, but got (64,32,1)"),
      std::string::npos)
      << said(wide);
  EXPECT_NE(said(unknown).find("launch: expects a block of threads that C++ knows while it traces, "
                               "but along y it is known at the launch only"),
            std::string::npos)
      << said(unknown);
}
