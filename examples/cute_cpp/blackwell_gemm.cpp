// Blackwell GEMM, C = A B^T of f16: one warp loads by TMA, one multiplies into tensor memory.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Example.h"

using Mma = SM100_MMA_F16BF16_SS<half_t, half_t, float, 128, 256, UMMA::Major::K, UMMA::Major::K>;
constexpr int columns = 256, stages = 3; // of tensor memory, of shared memory
static IntTuple tile() { return make_shape(_128{}, _256{}, _64{}); }
/// ((M,K),Ms,Ks,stages) with the swizzle that tcgen05.mma reads.
static Layout<> smem_layout(int rows) {
  return UMMA::tile_to_mma_shape(UMMA::Layout_K_SW128_Atom<half_t>{},
                                 make_shape(make_shape(rows, _16{}), _1{}, _4{}, stages));
}

void gemm_device(TmaCopy tma_a, TmaCopy tma_b, Tensor mC) {
  TiledMMA mma = make_tiled_mma(Mma{});
  ThrMMA cta = mma.get_slice(0);
  auto coord = make_coord(blockIdx.x, blockIdx.y, _);
  Tensor mA = tma_a.get_tma_tensor(), mB = tma_b.get_tma_tensor(), sA, sB;
  sA = make_smem_tensor<half_t>(smem_layout(128)), sB = make_smem_tensor<half_t>(smem_layout(256));
  Tensor tCgA = cta.partition_A(local_tile(mA, tile(), coord, Step<_1, X, _1>{})),
         tCgB = cta.partition_B(local_tile(mB, tile(), coord, Step<X, _1, _1>{})),
         tCgC = cta.partition_C(local_tile(mC, tile(), coord, Step<_1, _1, X>{}));
  Tensor cC = make_identity_tensor(shape(mC));
  Tensor tCcC = cta.partition_C(local_tile(cC, tile(), coord, Step<_1, _1, X>{}));
  auto [tAgA, tAsA] =
      tma_partition(tma_a, 0, make_layout(1), group_modes<0, 3>(sA), group_modes<0, 3>(tCgA));
  auto [tBgB, tBsB] =
      tma_partition(tma_b, 0, make_layout(1), group_modes<0, 3>(sB), group_modes<0, 3>(tCgB));
  Tensor tCrA = cta.make_fragment_A(sA), tCrB = cta.make_fragment_B(sB), tCtAcc;
  Pointer tmem_base = allocate_smem<uint32_t>(1);
  PipelineTmaUmmaAsync loads(stages, (128 + 256) * 64 * 2); // bytes of a stage
  PipelineUmmaAsync sums(1, 128);
  Num warp = canonical_warp_idx_sync(), k_tiles = size<1>(tAgA);
  TMEM::Allocator1Sm tmem;
  If(warp == 0, [&] { tmem.allocate(columns, tmem_base); });
  __syncthreads();
  tCtAcc = make_tensor(make_tmem_ptr<float>(tmem_base), cta.make_fragment_C(tCgC).layout());
  If(warp == 0, [&] {
    PipelineState at = loads.make_producer_start_state();
    For(k_tiles, at, [&](Num k, PipelineState &at) {
      loads.producer_acquire(at);
      copy(tma_a.with(loads.producer_get_barrier(at)), tAgA(_, k), tAsA(_, at.index));
      copy(tma_b.with(loads.producer_get_barrier(at)), tBgB(_, k), tBsB(_, at.index));
      ++at;
    });
  });
  If(warp == 1, [&] {
    PipelineState at = loads.make_consumer_start_state();
    For(k_tiles, at, [&](Num k, PipelineState &at) {
      loads.consumer_wait(at);
      for (int b = 0; b < size<2>(tCrA); ++b) // the first one overwrites
        gemm(mma.accumulate((k > 0) | (b > 0)), tCrA(_, _, b, at.index), tCrB(_, _, b, at.index),
             tCtAcc);
      loads.consumer_release(at);
      ++at;
    });
    sums.producer_commit(sums.make_producer_start_state());
  });
  sums.consumer_wait(sums.make_consumer_start_state());
  TiledCopy load = make_tmem_copy(SM100_TMEM_LOAD_32dp32b16x{}, tCtAcc);
  ThrCopy thr = load.get_slice(threadIdx.x);
  Tensor tDgC = thr.partition_D(tCgC), tDrC = make_tensor<float>(shape(tDgC));
  copy(load, thr.partition_S(tCtAcc), tDrC);
  copy_if(in_bounds(thr.partition_D(tCcC), shape(mC)), tDrC, tDgC);
  __syncthreads();
  If(warp == 0, [&] { tmem.free(tmem_base, columns); });
}
void blackwell_gemm(Tensor A, Tensor B, Tensor C) {
  TmaCopy a = make_tma_atom(SM90_TMA_LOAD{}, A, smem_layout(128), select<0, 2>(tile())),
          b = make_tma_atom(SM90_TMA_LOAD{}, B, smem_layout(256), select<1, 2>(tile()));
  launch(gemm_device,
         {.grid = {ceil_div(size<0>(C), 128), ceil_div(size<1>(C), 256)}, .block = 128}, a, b, C);
}

int main() {
  auto k = kernel(blackwell_gemm, "blackwell_gemm", "sm_100a");
  return run_gemm<half_t, float>(k, 128, 256, 192) + run_gemm<half_t, float>(k, 200, 300, 72);
}
