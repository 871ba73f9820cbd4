// SIMT GEMM, C = A B^T of f32: fma by every thread, tiles in shared memory (CUTLASS's sgemm_2).
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Example.h"

template <bool Ragged> void gemm_device(Tensor mA, Tensor mB, Tensor mC) {
  auto mma = make_tiled_mma(UniversalFMA<float>{}, Layout<Shape<_16, _16, _1>>{});
  auto tile = make_shape(_128{}, _128{}, _8{});
  auto coord = make_coord(blockIdx.x, blockIdx.y, _);
  auto copy4 = make_tiled_copy(Copy_Atom<UniversalCopy<uint128_t>, float>{},
                               Layout<Shape<_32, _8>>{}, Layout<Shape<_4, _1>>{});
  ThrCopy thr = copy4.get_slice(threadIdx.x);
  ThrMMA thr_mma = mma.get_slice(threadIdx.x);
  auto layout = make_layout(make_shape(_128{}, _8{}));
  Tensor sA = make_smem_tensor<float>(layout), sB = make_smem_tensor<float>(layout);
  Tensor gA =
      thr.partition_S(local_tile(mA, tile, coord, Step<_1, X, _1>{})); // (CPY,CPY_M,CPY_K,k)
  Tensor gB = thr.partition_S(local_tile(mB, tile, coord, Step<X, _1, _1>{}));
  Tensor cA =
      thr.partition_S(local_tile(make_identity_tensor(shape(mA)), tile, coord, Step<_1, X, _1>{}));
  Tensor cB =
      thr.partition_S(local_tile(make_identity_tensor(shape(mB)), tile, coord, Step<X, _1, _1>{}));
  Tensor rA = make_fragment_like(gA(_, _, _, 0)), rB = make_fragment_like(gB(_, _, _, 0));
  auto fetch = [&](const Num &k) {
    auto load = [&](Tensor from, Tensor coords, Tensor whole, Tensor to) {
      if (Ragged)
        clear(to), copy_if(copy4, in_bounds(coords, shape(whole)), from, to);
      else
        copy(copy4, from, to);
    };
    load(gA(_, _, _, k), cA(_, _, _, k), mA, rA), load(gB(_, _, _, k), cB(_, _, _, k), mB, rB);
  };
  Tensor tCsA = thr_mma.partition_A(sA), tCsB = thr_mma.partition_B(sB);
  Tensor tCgC = thr_mma.partition_C(local_tile(mC, tile, coord, Step<_1, _1, X>{}));
  Tensor tCcC = thr_mma.partition_C(
      local_tile(make_identity_tensor(shape(mC)), tile, coord, Step<_1, _1, X>{}));
  Tensor tCrC = thr_mma.make_fragment_C(tCgC);
  clear(tCrC);
  fetch(0);
  Num tiles = size<3>(gA);
  For(tiles, [&](Num k) {
    __syncthreads();
    copy(copy4, rA, thr.partition_D(sA)), copy(copy4, rB, thr.partition_D(sB));
    __syncthreads();
    fetch(where(k + 1 < tiles, k + 1, k));
    gemm(mma, tCsA, tCsB, tCrC);
  });
  if (Ragged)
    copy_if(in_bounds(tCcC, shape(mC)), tCrC, tCgC);
  else
    copy(tCrC, tCgC);
}
template <bool Ragged> void gemm(Tensor A, Tensor B, Tensor C) {
  launch(gemm_device<Ragged>,
         {.grid = {ceil_div(size<0>(C), 128), ceil_div(size<1>(C), 128)}, .block = 256}, A, B, C);
}

int main() {
  auto whole = kernel(gemm<false>, "sgemm"), ragged = kernel(gemm<true>, "sgemm_ragged");
  return run_gemm<float, float, true>(whole, 256, 128, 24) +
         run_gemm<float, float, true>(ragged, 132, 140, 13);
}
