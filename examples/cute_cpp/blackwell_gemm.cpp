// Blackwell GEMM, C = A B^T of f16: TMA, tcgen05.mma, tensor memory (CUTLASS's 02_mma_tma_sm100).
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Example.h"

using Mma = SM100_MMA_F16BF16_SS<half_t, half_t, float, 128, 256, UMMA::Major::K, UMMA::Major::K>;
constexpr int columns = 256; // of tensor memory
static IntTuple mma_tiler() { return make_shape(_128{}, _256{}, _64{}); }
/// ((M,K),Ms,Ks) with the swizzle that tcgen05.mma reads.
static Layout<> smem_layout(int rows) {
  return UMMA::tile_to_mma_shape(UMMA::Layout_K_SW128_Atom<half_t>{},
                                 make_shape(make_shape(rows, _16{}), _1{}, _4{}));
}
struct Tiles {
  TmaCopy A, B;
  auto members() { return std::tie(A, B); }
};

void gemm_device(Tiles tma, Tensor mC) {
  auto tile = mma_tiler();
  auto coord = make_coord(blockIdx.x, blockIdx.y, _);
  ThrMMA mma_of_block = make_tiled_mma(Mma{}).get_slice(0);
  auto [gA, gB] = std::pair(local_tile(tma.A.get_tma_tensor(), tile, coord, Step<_1, X, _1>{}),
                            local_tile(tma.B.get_tma_tensor(), tile, coord, Step<X, _1, _1>{}));
  Tensor gC = local_tile(mC, tile, coord, Step<_1, _1, X>{});
  Tensor cC = local_tile(make_identity_tensor(shape(mC)), tile, coord, Step<_1, _1, X>{});
  Tensor sA = make_smem_tensor<half_t>(smem_layout(128)),
         sB = make_smem_tensor<half_t>(smem_layout(256));
  Pointer tmem_base = allocate_smem<uint32_t>(1);
  BarrierArray loaded = make_barriers(1), multiplied = make_barriers(1);
  auto [tAgA, tAsA] = tma_partition(tma.A, 0, make_layout(1), group_modes<0, 3>(sA),
                                    group_modes<0, 3>(mma_of_block.partition_A(gA)));
  auto [tBgB, tBsB] = tma_partition(tma.B, 0, make_layout(1), group_modes<0, 3>(sB),
                                    group_modes<0, 3>(mma_of_block.partition_B(gB)));
  Tensor tCrA = mma_of_block.make_fragment_A(sA), tCrB = mma_of_block.make_fragment_B(sB);
  Tensor tCgC = mma_of_block.partition_C(gC), tCtAcc = mma_of_block.make_fragment_C(tCgC);

  Num first_warp = canonical_warp_idx_sync() == 0;
  TMEM::Allocator1Sm tmem;
  If(first_warp, [&] { tmem.allocate(columns, tmem_base); });
  If(threadIdx.x == 0, [&] { loaded[0].init(1), multiplied[0].init(1); });
  fence_barrier_init();
  __syncthreads();
  tCtAcc = make_tensor(make_tmem_ptr<float>(tmem_base), tCtAcc.layout());

  For(size<1>(tAgA), [&](Num k) {
    If(first_warp, [&] {
      If(elect_one_sync(), [&] { loaded[0].arrive_and_expect_tx((128 + 256) * 64 * 2); });
      copy(tma.A.with(loaded[0]), tAgA(_, k), tAsA);
      copy(tma.B.with(loaded[0]), tBgB(_, k), tBsB);
      loaded[0].wait(k % 2);
      for (int block = 0; block < size<2>(tCrA); ++block) // the first one overwrites
        gemm(make_tiled_mma(Mma{}).accumulate((k > 0) | (block > 0)), tCrA(_, _, block),
             tCrB(_, _, block), tCtAcc);
      umma_arrive(multiplied[0]);
    });
    multiplied[0].wait(k % 2);
  });
  TiledCopy load = make_tmem_copy(SM100_TMEM_LOAD_32dp32b16x{}, tCtAcc);
  ThrCopy thr = load.get_slice(threadIdx.x);
  Tensor tDgC = thr.partition_D(tCgC), tDcC = thr.partition_D(mma_of_block.partition_C(cC));
  Tensor tDrC = make_tensor<float>(shape(tDgC));
  copy(load, thr.partition_S(tCtAcc), tDrC);
  copy_if(in_bounds(tDcC, shape(mC)), tDrC, tDgC);
  __syncthreads();
  If(first_warp, [&] { tmem.free(tmem_base, columns); });
}
void blackwell_gemm(Tensor A, Tensor B, Tensor C) {
  Tiles tma{
      make_tma_atom(SM90_TMA_LOAD{}, A, smem_layout(128), select<0, 2>(mma_tiler())),
      make_tma_atom(SM90_TMA_LOAD{}, B, smem_layout(256), select<1, 2>(mma_tiler())),
  };
  launch(gemm_device,
         {.grid = {ceil_div(size<0>(C), 128), ceil_div(size<1>(C), 256)}, .block = 128}, tma, C);
}

int main() {
  auto k = kernel(blackwell_gemm, "blackwell_gemm", "sm_100a");
  return run_gemm<half_t, float>(k, 128, 256, 192) + run_gemm<half_t, float>(k, 200, 300, 72);
}
