// Persistent Hopper GEMM, C = A B^T of f16: clusters of two blocks, which share what they load of
// B, take tile after tile; one warp loads while a warpgroup multiplies.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Example.h"

constexpr int M = 64, N = 64, K = 64, stages = 3, warps = 4; // that multiply
using Mma = SM90_64x64x16_F32F16F16_SS<GMMA::Major::K, GMMA::Major::K>;
static Layout<> smem_layout(const IntTuple &shape) {
  return tile_to_shape(GMMA::Layout_K_SW128_Atom<half_t>{}, shape);
}

void gemm_device(TmaCopy tma_a, TmaCopy tma_b, Tensor mC) {
  Tensor sA = make_smem_tensor<half_t>(smem_layout(make_shape(M, K, stages))),
         sB = make_smem_tensor<half_t>(smem_layout(make_shape(N, K, stages)));
  Num rank = block_rank_in_cluster(), lane = Num(threadIdx.x) % 32;
  PipelineTmaAsync ring(stages, 2 * warps, (M + N) * K * 2); // the warps of both blocks empty it
  cluster_sync();
  auto whole = make_coord(_, _);
  Tensor gA = local_tile(tma_a.get_tma_tensor(), make_tile(M, K), whole),
         gB = local_tile(tma_b.get_tma_tensor(), make_tile(N, K), whole);
  auto [tAgA, tAsA] =
      tma_partition(tma_a, 0, make_layout(1), group_modes<0, 2>(sA), group_modes<0, 2>(gA));
  auto [tBgB, tBsB] =
      tma_partition(tma_b, rank, make_layout(2), group_modes<0, 2>(sB), group_modes<0, 2>(gB));
  Num rows = size<0>(mC) / (2 * M), pairs = rows * (size<1>(mC) / N), k_tiles = size<2>(tAgA);
  Range mine(Num(blockIdx.x) / 2, pairs, Num(gridDim.x) / 2);
  auto tile_of = [&](Num pair) { return make_coord(pair % rows * 2 + rank, pair / rows); };
  If(canonical_warp_idx_sync() == warps, [&] {
    PipelineState at = ring.make_producer_start_state();
    For(mine, at, [&](Num pair, PipelineState &at) {
      auto tile = tile_of(pair);
      For(k_tiles, at, [&](Num k, PipelineState &at) {
        ring.producer_acquire(at);
        Barrier loaded = ring.producer_get_barrier(at);
        copy(tma_a.with(loaded), tAgA(_, get<0>(tile), k), tAsA(_, at.index));
        copy(tma_b.with(loaded, 0b11), tBgB(_, get<1>(tile), k), tBsB(_, at.index));
        ++at;
      });
    });
  });
  If(canonical_warp_idx_sync() < warps, [&] {
    TiledMMA mma = make_tiled_mma(Mma{});
    ThrMMA thr = mma.get_slice(threadIdx.x);
    Tensor tCrA = thr.partition_fragment_A(sA), tCrB = thr.partition_fragment_B(sB);
    PipelineState at = ring.make_consumer_start_state();
    For(mine, at, [&](Num pair, PipelineState &at) {
      Tensor tCrC = partition_fragment_C(mma, make_shape(M, N));
      For(k_tiles, at, tCrC, [&](Num k, PipelineState &at, Tensor &tCrC) {
        ring.consumer_wait(at);
        warpgroup_arrive();
        for (int b = 0; b < size<2>(tCrA); ++b)
          gemm(mma.accumulate((k > 0) | (b > 0)), tCrA(_, _, b, at.index), tCrB(_, _, b, at.index),
               tCrC);
        warpgroup_commit_batch();
        warpgroup_wait<0>();
        If(lane < 2, [&] { ring.consumer_release(at, lane); }); // at both blocks
        ++at;
      });
      copy(tCrC, thr.partition_C(local_tile(mC, make_tile(M, N), tile_of(pair))));
    });
  });
  cluster_sync(); // nobody leaves while the other block arrives at its barriers
}
void persistent_gemm(Tensor A, Tensor B, Tensor C) {
  auto tile = make_shape(64, K);
  launch(gemm_device, {.grid = 4, .block = 32 * (warps + 1), .cluster_x = 2},
         make_tma_copy(SM90_TMA_LOAD{}, A, smem_layout(tile), tile, 1),
         make_tma_copy(SM90_TMA_LOAD_MULTICAST{}, B, smem_layout(tile), tile, 2), C);
}

int main() {
  auto k = kernel(persistent_gemm, "persistent_gemm", "sm_90a");
  return run_gemm<half_t, float>(k, 256, 192, 128);
}
