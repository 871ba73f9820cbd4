// Hopper GEMM, C = A B^T of f16: a ring of tiles that TMA fills, wgmma (CUTLASS's wgmma_tma_sm90).
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Example.h"

constexpr int stages = 3;
/// (tile, 64, stages) with the swizzle that wgmma reads.
static Layout<> smem_layout(int tile) {
  return tile_to_shape(GMMA::Layout_K_SW128_Atom<half_t>{}, make_shape(tile, _64{}, stages));
}
struct Tiles {
  TmaCopy A, B;
  auto members() { return std::tie(A, B); }
};

void gemm_device(Tiles tma, Tensor mC) {
  auto tile = make_shape(_128{}, _128{}, _64{});
  auto coord = make_coord(blockIdx.x, blockIdx.y, _);
  Tensor gA = local_tile(tma.A.get_tma_tensor(), tile, coord, Step<_1, X, _1>{}); // (BLK_M,BLK_K,k)
  Tensor gB = local_tile(tma.B.get_tma_tensor(), tile, coord, Step<X, _1, _1>{});
  Tensor gC = local_tile(mC, tile, coord, Step<_1, _1, X>{});
  Tensor cC = local_tile(make_identity_tensor(shape(mC)), tile, coord, Step<_1, _1, X>{});
  Tensor sA = make_smem_tensor<half_t>(smem_layout(128)),
         sB = make_smem_tensor<half_t>(smem_layout(128));
  auto [tAgA, tAsA] =
      tma_partition(tma.A, 0, make_layout(1), group_modes<0, 2>(sA), group_modes<0, 2>(gA));
  auto [tBgB, tBsB] =
      tma_partition(tma.B, 0, make_layout(1), group_modes<0, 2>(sB), group_modes<0, 2>(gB));
  auto mma = make_tiled_mma(SM90_64x128x16_F32F16F16_SS<GMMA::Major::K, GMMA::Major::K>{});
  ThrMMA thr = mma.get_slice(threadIdx.x);
  Tensor tCrA = thr.make_fragment_A(thr.partition_A(sA)),
         tCrB = thr.make_fragment_B(thr.partition_B(sB));
  Tensor tCgC = thr.partition_C(gC), tCrC = thr.make_fragment_C(tCgC);
  clear(tCrC);

  PipelineTmaAsync ring(stages, 1, 2 * 128 * 64 * 2); // one thread says when a stage is read
  Num tiles = size<2>(gA), warp = canonical_warp_idx_sync();
  auto fetch = [&](const Num &k) {
    If((warp == 0) & (k < tiles), [&] {
      PipelineState state{k % stages, (k / stages % 2) ^ 1, stages};
      ring.producer_acquire(state);
      copy(tma.A.with(ring.producer_get_barrier(state)), tAgA(_, k), tAsA(_, state.index));
      copy(tma.B.with(ring.producer_get_barrier(state)), tBgB(_, k), tBsB(_, state.index));
    });
  };
  for (int k = 0; k < stages; ++k)
    fetch(k);
  For(tiles, [&](Num k) {
    PipelineState state{k % stages, k / stages % 2, stages};
    ring.consumer_wait(state);
    warpgroup_arrive();
    gemm(mma, tCrA(_, _, _, state.index), tCrB(_, _, _, state.index), tCrC);
    warpgroup_commit_batch();
    warpgroup_wait<0>();
    __syncthreads();
    If(threadIdx.x == 0, [&] { ring.consumer_release(state); });
    fetch(k + stages);
  });
  copy_if(in_bounds(thr.partition_C(cC), shape(mC)), tCrC, tCgC);
}
void hopper_gemm(Tensor A, Tensor B, Tensor C) {
  auto [sA, sB] = std::pair(smem_layout(128), smem_layout(128));
  Tiles tma{make_tma_copy(SM90_TMA_LOAD{}, A, sA), make_tma_copy(SM90_TMA_LOAD{}, B, sB)};
  launch(gemm_device,
         {.grid = {ceil_div(size<0>(C), 128), ceil_div(size<1>(C), 128)}, .block = 128}, tma, C);
}

int main() {
  auto k = kernel(hopper_gemm, "hopper_gemm", "sm_90a");
  return run_gemm<half_t, float>(k, 256, 128, 256) + run_gemm<half_t, float>(k, 200, 136, 72);
}
