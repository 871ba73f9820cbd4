// What SM100 adds, on the simulator: products into tensor memory, of one block and of a pair, and
// copies of it. examples/cute_cpp/blackwell_gemm.cpp has tensor copies.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cute.h"

#include <gtest/gtest.h>

using namespace tessera::cute;
using tessera::tile::Array;
using tessera::tile::view;

namespace {
constexpr auto K = UMMA::Major::K, MN = UMMA::Major::MN;

/// An atom, its operands, how it is copied to registers, and the atom of shared memory.
template <class I, class A, class L, class S> struct Product {
  using In = I;
  using Atom = A;
  using Load = L;
  using Shared = S;
};

/// C = A B^T, whose operands all threads copy to shared memory (CUTLASS's tutorial 01_mma_sm100).
template <class P> void gemm_device(Tensor mA, Tensor mB, Tensor mC) {
  using In = typename P::In;
  TiledMMA mma = make_tiled_mma(typename P::Atom{});
  auto tile = make_shape(tile_size<0>(mma), tile_size<1>(mma), tile_size<2>(mma) * 4);
  auto coord = make_coord(blockIdx.x, blockIdx.y, _);
  auto shared = [&](const IntTuple &shape) {
    return make_smem_tensor<In>(UMMA::tile_to_mma_shape(typename P::Shared{}, shape));
  };
  Tensor sA = shared(partition_shape_A(mma, select<0, 2>(tile))),
         sB = shared(partition_shape_B(mma, select<1, 2>(tile)));
  Pointer slot = allocate_smem<uint32_t>(1);
  BarrierArray done = make_barriers(1);
  ThrMMA thr = mma.get_slice(0);
  Tensor gA = thr.partition_A(local_tile(mA, tile, coord, Step<_1, X, _1>{})),
         gB = thr.partition_B(local_tile(mB, tile, coord, Step<X, _1, _1>{})),
         gC = thr.partition_C(local_tile(mC, tile, coord, Step<_1, _1, X>{}));
  Tensor fA = thr.make_fragment_A(sA), fB = thr.make_fragment_B(sB), sum = thr.make_fragment_C(gC);
  Num first = canonical_warp_idx_sync() == 0;
  TMEM::Allocator1Sm tmem;
  If(first, [&] { tmem.allocate(512, slot); });
  If(threadIdx.x == 0, [&] { initialize_barrier(done[0], 1); });
  fence_barrier_init();
  __syncthreads();
  sum = make_tensor(make_tmem_ptr<float>(slot), sum.layout());
  For(size<3>(gA), [&](Num k) {
    cooperative_copy<128>(threadIdx.x, gA(_, _, _, k), sA);
    cooperative_copy<128>(threadIdx.x, gB(_, _, _, k), sB);
    fence_view_async_shared();
    __syncthreads();
    If(first, [&] {
      for (int block = 0; block < size<2>(fA); ++block)
        gemm(mma.accumulate((k > 0) | (block > 0)), fA(_, _, block), fB(_, _, block), sum);
      umma_arrive(done[0]);
    });
    wait_barrier(done[0], k % 2);
  });
  TiledCopy load = make_tmem_copy(typename P::Load{}, sum);
  ThrCopy of = load.get_slice(threadIdx.x);
  Tensor out = of.partition_D(gC), held = make_tensor<float>(shape(out));
  copy(load, of.partition_S(sum), held);
  copy(held, out);
  __syncthreads();
  If(first, [&] {
    tmem.release_allocation_lock();
    tmem.free(slot, 512);
  });
}
template <class P> void gemm_host(Tensor A, Tensor B, Tensor C) {
  TiledMMA mma = make_tiled_mma(typename P::Atom{});
  launch(
      gemm_device<P>,
      {.grid = {ceil_div(size<0>(A), tile_size<0>(mma)), ceil_div(size<0>(B), tile_size<1>(mma))},
       .block = 128},
      A, B, C);
}
/// `columns`: whether M is contiguous in A and N in B.
template <class In>
void check(void (*host)(Tensor, Tensor, Tensor), int m, int n, int k, bool columns = false) {
  Array<In, 2> A(columns ? k : m, columns ? m : k), B(columns ? k : n, columns ? n : k);
  Array<float, 2> C(m, n);
  A.fill([](int64_t i) { return double(i * 7 % 5) - 2; });
  B.fill([](int64_t i) { return double(i * 5 % 7) - 3; });
  auto as = [&](Array<In, 2> &x, int rows) {
    return columns ? view(x.data(), {rows, k}, {1, rows}) : view(x.data(), {rows, k}, {k, 1});
  };
  Outcome done = kernel(host, "product", "sm_100a")(simulator(), as(A, m), as(B, n), C);
  ASSERT_TRUE(done) << done.text();
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j) {
      float sum = 0;
      for (int l = 0; l < k; ++l)
        sum += float(columns ? A(l, i) : A(i, l)) * float(columns ? B(l, j) : B(j, l));
      ASSERT_EQ(C(i, j), sum) << i << ", " << j;
    }
}

/// A pair of blocks, each with half of the rows of A and of B (tutorial 04_mma_tma_2sm_sm100).
using Pair = SM100_MMA_F16BF16_2x1SM_SS<half_t, half_t, float, 256, 128, K, K>;
Layout<> halfOf(int rows) {
  return UMMA::tile_to_mma_shape(UMMA::Layout_K_SW128_Atom<half_t>{},
                                 make_shape(make_shape(rows, 16), 1, 4));
}
struct Loads {
  TmaCopy A, B;
  auto members() { return std::tie(A, B); }
};
void pair_device(Loads tma, Tensor mC) {
  TiledMMA mma = make_tiled_mma(Pair{});
  auto tile = make_shape(256, 128, 64);
  Num which = Num(blockIdx.x) % 2;
  auto coord = make_coord(Num(blockIdx.x) / 2, blockIdx.y, _);
  ThrMMA thr = mma.get_slice(which);
  Tensor sA = make_smem_tensor<half_t>(halfOf(128)), sB = make_smem_tensor<half_t>(halfOf(64));
  Pointer slot = allocate_smem<uint32_t>(1);
  BarrierArray loaded = make_barriers(1), done = make_barriers(1);
  auto part = [&](const TmaCopy &by, Tensor s, Tensor g) {
    return tma_partition(by, 0, make_layout(1), group_modes<0, 3>(s), group_modes<0, 3>(g));
  };
  auto [fromA, toA] =
      part(tma.A, sA,
           thr.partition_A(local_tile(tma.A.get_tma_tensor(), tile, coord, Step<_1, X, _1>{})));
  auto [fromB, toB] =
      part(tma.B, sB,
           thr.partition_B(local_tile(tma.B.get_tma_tensor(), tile, coord, Step<X, _1, _1>{})));
  Tensor gC = thr.partition_C(local_tile(mC, tile, coord, Step<_1, _1, X>{}));
  Tensor fA = thr.make_fragment_A(sA), fB = thr.make_fragment_B(sB), sum = thr.make_fragment_C(gC);
  Num first = canonical_warp_idx_sync() == 0;
  TMEM::Allocator2Sm tmem;
  If(threadIdx.x == 0, [&] { loaded[0].init(1), done[0].init(1); });
  fence_barrier_init();
  cluster_sync();
  If(first, [&] { tmem.allocate(128, slot); });
  cluster_sync();
  sum = make_tensor(make_tmem_ptr<float>(slot), sum.layout());
  For(size<1>(fromA), [&, &fromA = fromA, &toA = toA, &fromB = fromB, &toB = toB](Num k) {
    If(first, [&] {
      If((which == 0) & elect_one_sync(),
         [&] { loaded[0].arrive_and_expect_tx(2 * (128 + 64) * 64 * 2); });
      copy(tma.A.with(loaded[0]), fromA(_, k), toA);
      copy(tma.B.with(loaded[0]), fromB(_, k), toB);
      If(which == 0, [&] {
        loaded[0].wait(k % 2);
        for (int block = 0; block < size<2>(fA); ++block)
          gemm(mma.accumulate((k > 0) | (block > 0)), fA(_, _, block), fB(_, _, block), sum);
        umma_arrive_multicast_2x1SM(done[0], 0b11);
      });
    });
    done[0].wait(k % 2);
  });
  TiledCopy load = make_tmem_copy(SM100_TMEM_LOAD_32dp32b32x{}, sum);
  ThrCopy of = load.get_slice(threadIdx.x);
  Tensor out = of.partition_D(gC), held = make_tensor<float>(shape(out));
  copy(load, of.partition_S(sum), held);
  copy(held, out);
  cluster_sync();
  If(first, [&] { tmem.free(slot, 128); });
}
void pair_host(Tensor A, Tensor B, Tensor C) {
  Loads tma{make_tma_atom(SM100_TMA_2SM_LOAD{}, A, halfOf(128), make_shape(128, 64)),
            make_tma_atom(SM100_TMA_2SM_LOAD{}, B, halfOf(64), make_shape(64, 64))};
  launch(pair_device, {.grid = {size<0>(A) / 128, size<0>(B) / 128}, .block = 128, .cluster_x = 2},
         tma, C);
}

/// Pairs in a cluster of 4 x 2 blocks, which share what they load (04_mma_tma_2sm_sm100): what a
/// pair loads of A reaches the pair beside it, and of B the pair below.
Layout<> pairsOf(const TiledMMA &mma) {
  return tiled_divide(make_layout(make_shape(4, 2, 1)), make_tile(mma.AtomThrID()));
}
Layout<> sharedOf(const IntTuple &part) {
  return UMMA::tile_to_mma_shape(UMMA::Layout_K_SW128_Atom<half_t>{}, part);
}
void pairs_device(Loads tma, Tensor mC) {
  TiledMMA mma = make_tiled_mma(Pair{});
  Layout pairs = pairsOf(mma);
  auto tile = make_shape(256, 128, 64);
  auto coord = make_coord(Num(blockIdx.x) / 2, blockIdx.y, _);
  ThrMMA thr = mma.get_slice(Num(blockIdx.x) % 2);
  IntTuple own = pairs.get_flat_coord(block_rank_in_cluster());
  Num leads = Num(get<0>(own)) == 0, first = canonical_warp_idx_sync() == 0;
  Tensor sA = make_smem_tensor<half_t>(sharedOf(partition_shape_A(mma, select<0, 2>(tile)))),
         sB = make_smem_tensor<half_t>(sharedOf(partition_shape_B(mma, select<1, 2>(tile))));
  Pointer slot = allocate_smem<uint32_t>(1);
  BarrierArray loaded = make_barriers(1), done = make_barriers(1);
  Tensor mA = tma.A.get_tma_tensor(), mB = tma.B.get_tma_tensor();
  auto [fromA, toA] = tma_partition(
      tma.A, Num(get<2>(own)), make_layout(size<2>(pairs)), group_modes<0, 3>(sA),
      group_modes<0, 3>(thr.partition_A(local_tile(mA, tile, coord, Step<_1, X, _1>{}))));
  auto [fromB, toB] = tma_partition(
      tma.B, Num(get<1>(own)), make_layout(size<1>(pairs)), group_modes<0, 3>(sB),
      group_modes<0, 3>(thr.partition_B(local_tile(mB, tile, coord, Step<X, _1, _1>{}))));
  Num alongN = create_tma_multicast_mask<2>(pairs, own),
      alongM = create_tma_multicast_mask<1>(pairs, own),
      both =
          create_tma_multicast_mask<0, 1>(pairs, own) | create_tma_multicast_mask<0, 2>(pairs, own);
  Tensor gC = thr.partition_C(local_tile(mC, tile, coord, Step<_1, _1, X>{}));
  Tensor fA = thr.make_fragment_A(sA), fB = thr.make_fragment_B(sB), sum = thr.make_fragment_C(gC);
  TMEM::Allocator2Sm tmem;
  If(first, [&] { tmem.allocate(512, slot); });
  If(threadIdx.x == 0, [&] {
    initialize_barrier(loaded[0]);
    initialize_barrier(done[0], size<1>(pairs) + size<2>(pairs) - 1);
  });
  fence_barrier_init();
  cluster_sync();
  sum = make_tensor(make_tmem_ptr<float>(slot), sum.layout());
  For(size<1>(fromA), [&, &fromA = fromA, &toA = toA, &fromB = fromB, &toB = toB](Num k) {
    If(first, [&] {
      If(leads & elect_one_sync(),
         [&] { set_barrier_transaction_bytes(loaded[0], 2 * (128 + 64) * 64 * 2); });
      copy(tma.A.with(loaded[0], alongN), fromA(_, k), toA);
      copy(tma.B.with(loaded[0], alongM), fromB(_, k), toB);
    });
    If(leads, [&] {
      wait_barrier(loaded[0], k % 2);
      If(first, [&] {
        for (int block = 0; block < size<2>(fA); ++block)
          gemm(mma.accumulate((k > 0) | (block > 0)), fA(_, _, block), fB(_, _, block), sum);
        umma_arrive_multicast_2x1SM(done[0], both);
      });
    });
    wait_barrier(done[0], k % 2);
  });
  TiledCopy load = make_tmem_copy(SM100_TMEM_LOAD_32dp32b32x{}, sum);
  ThrCopy of = load.get_slice(threadIdx.x);
  Tensor out = of.partition_D(gC), held = make_tensor<float>(shape(out));
  copy(load, of.partition_S(sum), held);
  copy(held, out);
  cluster_sync();
  If(first, [&] { tmem.free(slot, 512); });
}
void pairs_host(Tensor A, Tensor B, Tensor C) {
  TiledMMA mma = make_tiled_mma(Pair{});
  auto tile = make_shape(256, 128, 64);
  Layout sA = sharedOf(partition_shape_A(mma, select<0, 2>(tile))),
         sB = sharedOf(partition_shape_B(mma, select<1, 2>(tile)));
  Loads tma{make_tma_atom_A_sm100(SM100_TMA_2SM_LOAD_MULTICAST{}, A, sA, tile, mma, pairsOf(mma)),
            make_tma_atom_B_sm100(SM100_TMA_2SM_LOAD_MULTICAST{}, B, sB, tile, mma, pairsOf(mma))};
  launch(
      pairs_device,
      {.grid = {size<0>(A) / 128, size<0>(B) / 128}, .block = 128, .cluster_x = 4, .cluster_y = 2},
      tma, C);
}
void wrong_pairs(Tensor A, Tensor, Tensor) {
  TiledMMA mma = make_tiled_mma(Pair{});
  Layout sA = sharedOf(partition_shape_A(mma, make_shape(256, 64)));
  make_tma_atom_A_sm100(SM100_TMA_2SM_LOAD_MULTICAST{}, A, sA, make_shape(128, 128, 64), mma,
                        pairsOf(mma));
  make_tma_atom_A_sm100(SM100_TMA_2SM_LOAD_MULTICAST{}, A, sA, make_shape(256, 64), mma,
                        pairsOf(mma));
  make_tma_atom_A_sm100(SM100_TMA_2SM_LOAD_MULTICAST{}, A, sA, make_shape(256, 128, 64), mma,
                        make_layout(make_shape(4, 2)));
}

/// Numbers to tensor memory and back, by copies of two shapes.
void stored_device(Tensor y) {
  Pointer slot = allocate_smem<uint32_t>(1);
  TMEM::Allocator1Sm tmem;
  Num first = canonical_warp_idx_sync() == 0;
  If(first, [&] { tmem.allocate(32, slot); });
  __syncthreads();
  Tensor t = make_tensor(
      make_tmem_ptr<float>(slot),
      make_layout(make_shape(make_shape(128, 32), 1, 1), make_stride(make_stride(65536, 1), 0, 0)));
  Tensor out = make_tensor(y.data(), make_layout(make_shape(make_shape(128, 32), 1, 1),
                                                 make_stride(make_stride(32, 1), 0, 0)));
  TiledCopy store = make_tmem_copy(SM100_TMEM_STORE_32dp32b8x{}, t);
  ThrCopy to = store.get_slice(threadIdx.x);
  Tensor values = make_tensor<float>(shape(to.partition_S(out)));
  for (int i = 0; i < size(values); ++i)
    values(i) = convert<float>(Num(threadIdx.x) * 32 + i);
  copy(store, values, to.partition_D(t));
  __syncthreads();
  TiledCopy load = make_tmem_copy(SM100_TMEM_LOAD_32dp32b32x{}, t);
  ThrCopy of = load.get_slice(threadIdx.x);
  Tensor held = make_tensor<float>(shape(of.partition_D(out)));
  copy(load, of.partition_S(t), held);
  copy(held, of.partition_D(out));
  __syncthreads();
  If(first, [&] { tmem.free(slot, 32); });
}
void stored(Tensor y) { launch(stored_device, {.block = 128}, y); }

void mistakes_device(Tensor x) {
  Pointer slot = allocate_smem<uint32_t>(1);
  TMEM::Allocator1Sm().allocate(48, slot);
  TMEM::Allocator1Sm().allocate(64, x.data());
  make_tmem_copy(SM100_TMEM_LOAD_32dp32b32x{}, make_tensor<float>(make_shape(32)));
  UMMA::tile_to_mma_shape(UMMA::Layout_K_SW128_Atom<half_t>{}, make_shape(128, 64));
  make_tiled_mma(SM100_MMA_F16BF16_SS<half_t, half_t, float, 96, 256, K, K>{});
}
void mistakes(Tensor x) { launch(mistakes_device, {.block = 128}, x); }
} // namespace

TEST(CuteBlackwell, ProductsOfHalves) {
  using Atom = SM100_MMA_F16BF16_SS<half_t, half_t, float, 128, 256, K, K>;
  check<half_t>(
      gemm_host<
          Product<half_t, Atom, SM100_TMEM_LOAD_32dp32b16x, UMMA::Layout_K_SW128_Atom<half_t>>>,
      128, 256, 128);
}
TEST(CuteBlackwell, ProductsOf64Rows) {
  using Atom = MMA_Atom<SM100_MMA_F16BF16_SS<bfloat16_t, bfloat16_t, float, 64, 64, K, K>>;
  check<bfloat16_t>(gemm_host<Product<bfloat16_t, Atom, SM100_TMEM_LOAD_16dp256b8x,
                                      UMMA::Layout_K_SW64_Atom<bfloat16_t>>>,
                    64, 128, 128);
}
TEST(CuteBlackwell, ProductsOfEightBits) {
  using Atom = SM100_MMA_F8F6F4_SS<float_e4m3_t, float_e4m3_t, float, 128, 128, K, K>;
  check<float_e4m3_t>(gemm_host<Product<float_e4m3_t, Atom, SM100_TMEM_LOAD_32dp32b128x,
                                        UMMA::Layout_K_SW128_Atom<float_e4m3_t>>>,
                      128, 128, 128);
}
TEST(CuteBlackwell, ProductsOfColumns) {
  using Atom = SM100_MMA_F16BF16_SS<half_t, half_t, float, 128, 64, MN, MN>;
  check<half_t>(
      gemm_host<
          Product<half_t, Atom, SM100_TMEM_LOAD_32dp32b32x, UMMA::Layout_MN_SW128_Atom<half_t>>>,
      128, 64, 128, true);
}
TEST(CuteBlackwell, ProductsOfAPair) { check<half_t>(pair_host, 256, 128, 128); }

TEST(CuteBlackwell, PairsThatShare) { check<half_t>(pairs_host, 512, 256, 128); }
TEST(CuteBlackwell, WrongPairs) {
  Array<half_t, 2> A(256, 64), B(128, 64);
  Array<float, 2> C(256, 128);
  std::string ptx;
  Outcome done = kernel(wrong_pairs, "wrong", "sm_100a").ptx(ptx, A, B, C);
  ASSERT_EQ(done.diagnostics.size(), 3u) << done.text();
  const char *texts[] = {"expects a tile of a multiple of the 256 rows of the product, but got 128",
                         "expects a tile (M,N,K) and the blocks of a cluster as (V,M,N,K)",
                         "and (4,2):(1,4)"};
  for (size_t i = 0; i < 3; ++i)
    EXPECT_NE(done.diagnostics[i].text.find(texts[i]), std::string::npos)
        << done.diagnostics[i].str();
}

TEST(CuteBlackwell, ThereAndBack) {
  Array<float, 2> y(128, 32);
  Outcome done = kernel(stored, "stored", "sm_100a")(simulator(), y);
  ASSERT_TRUE(done) << done.text();
  for (int i = 0; i < 128 * 32; ++i)
    ASSERT_EQ(y[i], float(i)) << i;
}

TEST(CuteBlackwell, Mistakes) {
  std::vector<float> x(128);
  std::string ptx;
  Outcome done = kernel(mistakes, "mistakes", "sm_100a").ptx(ptx, x);
  ASSERT_EQ(done.diagnostics.size(), 5u) << done.text();
  const char *texts[] = {"allocate: expects 32, 64, 128, 256 or 512 columns, but got 48",
                         "allocate: expects a pointer to smem, but got one to gmem",
                         "make_tmem_copy: expects a tensor of tensor memory",
                         "tile_to_mma_shape: expects the shape that partition_shape_A gives",
                         "make_atom: "};
  for (size_t i = 0; i < 5; ++i) {
    EXPECT_TRUE(done.diagnostics[i].text.starts_with(texts[i])) << done.diagnostics[i].str();
    EXPECT_TRUE(done.diagnostics[i].file.ends_with("BlackwellTest.cpp"));
  }
  std::vector<float> y(128 * 32);
  Outcome older = kernel(stored, "stored", "sm_90a").ptx(ptx, y);
  EXPECT_FALSE(older);
}
