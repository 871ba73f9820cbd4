// Batched Ampere GEMM, C = A B^T of f16 for each of a batch, with K split over blocks that add.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Example.h"

constexpr int M = 64, N = 64, K = 32, splits = 3;

void gemm_device(Tensor mA, Tensor mB, Tensor mC) {
  auto tile = make_shape(M, N, K);
  auto coord = make_coord(blockIdx.x, blockIdx.y, _);
  Num batch = Num(blockIdx.z) / splits, part = Num(blockIdx.z) % splits;
  Tensor gA = local_tile(mA(_, _, batch), tile, coord, Step<_1, X, _1>{}),
         gB = local_tile(mB(_, _, batch), tile, coord, Step<X, _1, _1>{}),
         gC = local_tile(mC(_, _, batch), tile, coord, Step<_1, _1, X>{});
  Layout atom = composition(Swizzle<2, 3, 3>{}, Layout<Shape<_8, _32>, Stride<_32, _1>>{});
  Layout shared = tile_to_shape(atom, make_shape(M, K));
  Tensor sA = make_smem_tensor<half_t>(shared), sB = make_smem_tensor<half_t>(shared);
  TiledCopy load =
      make_tiled_copy(Copy_Atom<SM80_CP_ASYNC_CACHEGLOBAL<uint128_t>, half_t>{},
                      Layout<Shape<_32, _4>, Stride<_4, _1>>{}, Layout<Shape<_1, _8>>{});
  ThrCopy thr = load.get_slice(threadIdx.x);
  Tensor tAgA = thr.partition_S(gA), tAsA = thr.partition_D(sA), tBgB = thr.partition_S(gB),
         tBsB = thr.partition_D(sB);
  TiledMMA mma = make_tiled_mma(SM80_16x8x16_F32F16F16F32_TN{}, Layout<Shape<_2, _2>>{},
                                Tile<_32, _32, _16>{});
  ThrMMA thr_mma = mma.get_slice(threadIdx.x);
  Tensor tCrA = thr_mma.partition_fragment_A(sA), tCrB = thr_mma.partition_fragment_B(sB),
         tCgC = thr_mma.partition_C(gC), tCrC = thr_mma.make_fragment_C(tCgC);
  Copy_Atom<SM75_U32x4_LDSM_N, half_t> matrices;
  TiledCopy loadA = make_tiled_copy_A(matrices, mma), loadB = make_tiled_copy_B(matrices, mma);
  ThrCopy thrA = loadA.get_slice(threadIdx.x), thrB = loadB.get_slice(threadIdx.x);
  clear(tCrC);
  Num tiles = size<3>(tAgA), each = ceil_div(tiles, splits); // of this block: each, or fewer
  For(Range(part * each, min((part + 1) * each, tiles)), tCrC, [&](Num k, Tensor &tCrC) {
    copy(load, tAgA(_, _, _, k), tAsA);
    copy(load, tBgB(_, _, _, k), tBsB);
    cp_async_fence();
    cp_async_wait<0>();
    __syncthreads();
    copy(loadA, thrA.partition_S(sA), thrA.retile_D(tCrA));
    copy(loadB, thrB.partition_S(sB), thrB.retile_D(tCrB));
    gemm(mma, tCrA, tCrB, tCrC);
    __syncthreads();
  });
  for (int i = 0; i < size(tCrC); ++i)
    atomicAdd(tCgC(i), tCrC(i));
}
void split_k_gemm(Tensor A, Tensor B, Tensor C) {
  launch(gemm_device, {.grid = {size<0>(A) / M, size<0>(B) / N, size<2>(A) * splits}, .block = 128},
         A, B, C);
}

int main() {
  const int m = 128, n = 64, k = 160, batches = 2;
  Array<half_t, 2> A(batches * m, k), B(batches * n, k);
  Array<float, 2> C(batches * m, n); // zeros, to which blocks add
  A.fill([](int64_t i) { return double(i * 7 % 13) - 6; });
  B.fill([](int64_t i) { return double(i * 5 % 11) - 5; });
  Outcome done = kernel(split_k_gemm,
                        "split_k_gemm")(simulator(), view(A.data(), {m, k, batches}, {k, 1, m * k}),
                                        view(B.data(), {n, k, batches}, {k, 1, n * k}),
                                        view(C.data(), {m, n, batches}, {n, 1, m * n}));
  return check(done, C, [&](int64_t i, int64_t j) {
    double sum = 0;
    for (int l = 0; l < k; ++l)
      sum += double(A(i, l)) * double(B(i / m * n + j, l));
    return sum;
  });
}
