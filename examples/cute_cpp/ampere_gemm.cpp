// Ampere GEMM, C = A B^T of f16: cp.async in three stages, ldmatrix, mma.sync.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Example.h"

template <bool Ragged> void gemm_device(Tensor mA, Tensor mB, Tensor mC) {
  auto mma = make_tiled_mma(SM80_16x8x16_F32F16F16F32_TN{}, Layout<Shape<_2, _2>>{},
                            Tile<_32, _32, _16>{});
  auto tile = make_shape(_128{}, _128{}, _64{});
  auto coord = make_coord(blockIdx.x, blockIdx.y, _);
  Tensor gA = local_tile(mA, tile, coord, Step<_1, X, _1>{}); // (BLK_M,BLK_K,k)
  Tensor gB = local_tile(mB, tile, coord, Step<X, _1, _1>{}); // (BLK_N,BLK_K,k)
  Tensor gC = local_tile(mC, tile, coord, Step<_1, _1, X>{}); // (BLK_M,BLK_N)
  auto atom = composition(Swizzle<3, 3, 3>{}, Layout<Shape<_8, _64>, Stride<_64, _1>>{});
  Tensor sA = make_smem_tensor<half_t>(tile_to_shape(atom, make_shape(_128{}, _64{}, _3{})));
  Tensor sB = make_smem_tensor<half_t>(tile_to_shape(atom, make_shape(_128{}, _64{}, _3{})));

  auto g2s = make_tiled_copy(Copy_Atom<SM80_CP_ASYNC_CACHEALWAYS<uint128_t>, half_t>{},
                             Layout<Shape<_16, _8>, Stride<_8, _1>>{}, Layout<Shape<_1, _8>>{});
  ThrCopy thr = g2s.get_slice(threadIdx.x);
  Tensor tAgA = thr.partition_S(gA), tAsA = thr.partition_D(sA);
  Tensor tBgB = thr.partition_S(gB), tBsB = thr.partition_D(sB);

  Tensor cA =
      thr.partition_S(local_tile(make_identity_tensor(shape(mA)), tile, coord, Step<_1, X, _1>{}));
  Tensor cB =
      thr.partition_S(local_tile(make_identity_tensor(shape(mB)), tile, coord, Step<X, _1, _1>{}));
  auto load = [&](Tensor from, Tensor coords, Tensor whole, Tensor to) {
    Ragged ? copy_if(g2s, in_bounds(coords, shape(whole)), from, to) : copy(g2s, from, to);
  };

  ThrMMA thr_mma = mma.get_slice(threadIdx.x);
  Tensor tCrA = thr_mma.partition_fragment_A(sA(_, _, 0)),
         tCrB = thr_mma.partition_fragment_B(sB(_, _, 0));
  Tensor tCgC = thr_mma.partition_C(gC), tCrC = thr_mma.make_fragment_C(tCgC);
  clear(tCrC);
  Copy_Atom<SM75_U32x4_LDSM_N, half_t> s2r;
  ThrCopy s2r_a = make_tiled_copy_A(s2r, mma).get_slice(threadIdx.x),
          s2r_b = make_tiled_copy_B(s2r, mma).get_slice(threadIdx.x);
  Tensor tXsA = s2r_a.partition_S(sA), tXrA = s2r_a.retile_D(tCrA);
  Tensor tXsB = s2r_b.partition_S(sB), tXrB = s2r_b.retile_D(tCrB);

  Num tiles = size<3>(tAgA), stage = 0;
  auto fetch = [&](const Num &tile,
                   const Num &to) { // past the last tile the last one again, which nobody uses
    Num k = min(tile, tiles - 1);
    load(tAgA(_, _, _, k), cA(_, _, _, k), mA, tAsA(_, _, _, to));
    load(tBgB(_, _, _, k), cB(_, _, _, k), mB, tBsB(_, _, _, to));
    cp_async_fence();
  };
  auto arrive = [&](const Num &from) { // the next tile, and the first of its blocks
    cp_async_wait<1>();
    __syncthreads();
    copy(s2r, tXsA(_, _, 0, from), tXrA(_, _, 0)), copy(s2r, tXsB(_, _, 0, from), tXrB(_, _, 0));
  };
  fetch(0, 0), fetch(1, 1), arrive(0);
  For(tiles, stage, [&](Num k, Num &stage) {
    Num following = where(stage == 2, 0, stage + 1);
    for (int block = 0; block < size<2>(tCrA); ++block) {
      if (block == size<2>(tCrA) - 1)
        arrive(following);
      else
        copy(s2r, tXsA(_, _, block + 1, stage), tXrA(_, _, block + 1)),
            copy(s2r, tXsB(_, _, block + 1, stage), tXrB(_, _, block + 1));
      if (block == 0)
        fetch(k + 2, where(stage == 0, 2, stage - 1));
      gemm(mma, tCrA(_, _, block), tCrB(_, _, block), tCrC);
    }
    stage = following;
  });
  Tensor out = make_fragment_like<half_t>(tCgC),
         cC = local_tile(make_identity_tensor(shape(mC)), tile, coord, Step<_1, _1, X>{});
  axpby(1.0f, tCrC, 0.0f, out);
  Ragged ? copy_if(in_bounds(thr_mma.partition_C(cC), shape(mC)), out, tCgC) : copy(out, tCgC);
}
template <bool Ragged> void gemm(Tensor A, Tensor B, Tensor C) {
  launch(gemm_device<Ragged>,
         {.grid = {ceil_div(size<0>(C), 128), ceil_div(size<1>(C), 128)}, .block = 128}, A, B, C);
}

int main() {
  auto whole = kernel(gemm<false>, "gemm"), ragged = kernel(gemm<true>, "gemm_ragged");
  return run_gemm<half_t, half_t>(whole, 256, 128, 192) +
         run_gemm<half_t, half_t>(ragged, 200, 136, 72);
}
