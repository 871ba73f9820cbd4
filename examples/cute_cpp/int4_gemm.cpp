// Ampere GEMM with weights of 4 bits, C = A (B S)^T: 64 weights along K share a factor of S.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Example.h"

constexpr int M = 64, N = 64, K = 64, shared_by = 64;

void gemm_device(Tensor mA, Tensor mB, Tensor mS, Tensor mC) {
  auto tile = make_shape(M, N, K);
  auto coord = make_coord(blockIdx.x, blockIdx.y, _);
  // The factor of each weight: the stride is 0 within a group.
  IntTuple rows = make_shape(size<0>(mB), make_shape(shared_by, size<1>(mS)));
  Tensor factors =
      make_tensor(mS.data(), rows, make_stride(stride<0>(mS), make_stride(_0{}, _1{})));
  Tensor gA = local_tile(mA, tile, coord, Step<_1, X, _1>{}),
         gB = local_tile(mB, tile, coord, Step<X, _1, _1>{}),
         gS = local_tile(factors, tile, coord, Step<X, _1, _1>{}),
         gC = local_tile(mC, tile, coord, Step<_1, _1, X>{});
  Layout atom = composition(Swizzle<3, 3, 3>{}, Layout<Shape<_8, _64>, Stride<_64, _1>>{});
  Tensor sA = make_smem_tensor<half_t>(tile_to_shape(atom, make_shape(M, K))),
         sB = make_smem_tensor<int4_t>(make_layout(make_shape(N, K), LayoutRight{}));
  using Async = SM80_CP_ASYNC_CACHEGLOBAL<uint128_t>;
  TiledCopy copyA =
                make_tiled_copy(Copy_Atom<Async, half_t>{},
                                Layout<Shape<_16, _8>, Stride<_8, _1>>{}, Layout<Shape<_1, _8>>{}),
            copyB =
                make_tiled_copy(Copy_Atom<Async, int4_t>{},
                                Layout<Shape<_64, _2>, Stride<_2, _1>>{}, Layout<Shape<_1, _32>>{});
  ThrCopy thrA = copyA.get_slice(threadIdx.x), thrB = copyB.get_slice(threadIdx.x);
  Tensor tAgA = thrA.partition_S(gA), tAsA = thrA.partition_D(sA), tBgB = thrB.partition_S(gB),
         tBsB = thrB.partition_D(sB);
  TiledMMA mma = make_tiled_mma(SM80_16x8x16_F32F16F16F32_TN{}, Layout<Shape<_2, _2>>{},
                                Tile<_32, _32, _16>{});
  ThrMMA thr = mma.get_slice(threadIdx.x);
  Tensor tCrA = thr.partition_fragment_A(sA), tCsB = thr.partition_B(sB),
         tCgS = thr.partition_B(gS), tCgC = thr.partition_C(gC);
  Tensor tCrQ = make_fragment_like(tCsB), tCrB = make_fragment_like<half_t>(tCsB),
         tCrC = thr.make_fragment_C(tCgC);
  TiledCopy loadA = make_tiled_copy_A(Copy_Atom<SM75_U32x4_LDSM_N, half_t>{}, mma);
  ThrCopy thr_load = loadA.get_slice(threadIdx.x);
  Tensor tXsA = thr_load.partition_S(sA), tXrA = thr_load.retile_D(tCrA);
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
      transform(tCrQ(_, _, b), tCgS(_, _, b, k), tCrB(_, _, b),
                [](Num weight, Num factor) { return convert<half_t>(weight) * factor; });
      gemm(mma, tCrA(_, _, b), tCrB(_, _, b), tCrC);
    }
    __syncthreads();
  });
  copy(tCrC, tCgC);
}
void int4_gemm(Tensor A, Tensor B, Tensor S, Tensor C) {
  launch(gemm_device, {.grid = {size<0>(A) / M, size<0>(B) / N}, .block = 128}, A, B, S, C);
}

int main() {
  const int m = 128, n = 64, k = 256;
  Array<half_t, 2> A(m, k), S(n, k / shared_by);
  SubbyteArray<int4_t, 2> B(n, k);
  Array<float, 2> C(m, n);
  A.fill([](int64_t i) { return double(i * 7 % 13) - 6; });
  B.fill([](int64_t i) { return i * 5 % 16 - 8; });
  S.fill([](int64_t i) { return 0.25 * double(i % 5 + 1); });
  Outcome done = kernel(int4_gemm, "int4_gemm")(simulator(), A, B, S, C);
  return check(done, C, [&](int64_t i, int64_t j) {
    double sum = 0;
    for (int l = 0; l < k; ++l)
      sum += double(A(i, l)) * int(int4_t(B(j, l))) * double(S(j, l / shared_by));
    return sum;
  });
}
