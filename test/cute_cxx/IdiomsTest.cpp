// Idioms of kernels in CuTe C++, written as there, on the simulator beside what the host computes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cute.h"

#include <gtest/gtest.h>

#include <cmath>

using namespace tessera::cute;
using tessera::tile::Array;
using tessera::tile::view;

namespace {

/// Whole numbers of which sums are exact.
template <class T> std::vector<T> small(int n, int seed) {
  std::vector<T> x;
  for (int i = 0; i < n; ++i)
    x.push_back(T(float(i * seed % 11 - 5)));
  return x;
}

//===--- CUTLASS's tutorial sgemm_sm70 --------------------------------------------------------===//

/// Tiles go through registers to shared memory, and from there in waves: each wave is loaded while
/// the product of the one before it is computed.
void waves_device(Tensor mA, Tensor mB, Tensor mC, Num alpha, Num beta) {
  auto bM = _32{}, bN = _32{};
  auto bK = _8{};
  auto cta_tiler = make_shape(bM, bN, bK);
  auto sA_layout = make_layout(make_shape(bM, bK)), sB_layout = make_layout(make_shape(bN, bK));
  TiledCopy copy_a = make_tiled_copy(Copy_Atom<UniversalCopy<uint128_t>, float>{},
                                     Layout<Shape<_8, _8>>{}, Layout<Shape<_4, _1>>{});
  TiledCopy copy_b = make_tiled_copy(Copy_Atom<UniversalCopy<uint128_t>, float>{},
                                     Layout<Shape<_8, _8>>{}, Layout<Shape<_4, _1>>{});
  TiledMMA mma = make_tiled_mma(UniversalFMA<float, float, float>{}, Layout<Shape<_8, _8, _1>>{});
  CUTE_STATIC_ASSERT_V(size(copy_a) == size(mma));

  auto cta_coord = make_coord(blockIdx.x, blockIdx.y, _);
  Tensor gA = local_tile(mA, cta_tiler, cta_coord, Step<_1, X, _1>{});
  Tensor gB = local_tile(mB, cta_tiler, cta_coord, Step<X, _1, _1>{});
  Tensor gC = local_tile(mC, cta_tiler, cta_coord, Step<_1, _1, X>{});
  Tensor sA = make_tensor(make_smem_ptr(allocate_smem<float>(cosize(sA_layout))), sA_layout);
  Tensor sB = make_tensor(make_smem_ptr(allocate_smem<float>(cosize(sB_layout))), sB_layout);

  ThrCopy thr_copy_a = copy_a.get_slice(threadIdx.x);
  Tensor tAgA = thr_copy_a.partition_S(gA), tAsA = thr_copy_a.partition_D(sA);
  Tensor tArA = make_fragment_like(tAsA);
  ThrCopy thr_copy_b = copy_b.get_slice(threadIdx.x);
  Tensor tBgB = thr_copy_b.partition_S(gB), tBsB = thr_copy_b.partition_D(sB);
  Tensor tBrB = make_fragment_like(tBsB);
  CUTE_STATIC_ASSERT_V(size<1>(tAgA) == size<1>(tAsA));
  copy(copy_a, tAgA(_, _, _, 0), tArA);
  copy(copy_b, tBgB(_, _, _, 0), tBrB);

  ThrMMA thr_mma = mma.get_slice(threadIdx.x);
  Tensor tCsA = thr_mma.partition_A(sA), tCsB = thr_mma.partition_B(sB);
  Tensor tCgC = thr_mma.partition_C(gC);
  Tensor tCrA = thr_mma.make_fragment_A(tCsA), tCrB = thr_mma.make_fragment_B(tCsB);
  Tensor tCrC = thr_mma.make_fragment_C(tCgC);
  CUTE_STATIC_ASSERT_V(shape(tCrA) == shape(tCsA));
  CUTE_STATIC_ASSERT_V(shape(tCrC) == shape(tCgC));
  clear(tCrC);

  copy(tArA, tAsA);
  copy(tBrB, tBsB);
  __syncthreads();
  copy(tCsA(_, _, 0), tCrA(_, _, 0));
  copy(tCsB(_, _, 0), tCrB(_, _, 0));
  auto K_TILE_MAX = size<3>(tAgA);
  auto K_BLOCK_MAX = size<2>(tCrA);
  For(K_TILE_MAX, [&](Num k_tile) {
    CUTE_UNROLL
    for (int k_block = 0; k_block < K_BLOCK_MAX; ++k_block) {
      if (bool(k_block == K_BLOCK_MAX - 1)) {
        __syncthreads();
        copy(tArA, tAsA);
        copy(tBrB, tBsB);
        __syncthreads();
      }
      int k_block_next = int((k_block + 1) % K_BLOCK_MAX);
      copy(tCsA(_, _, k_block_next), tCrA(_, _, k_block_next));
      copy(tCsB(_, _, k_block_next), tCrB(_, _, k_block_next));
      if (k_block == 0) {
        Num k_tile_next = where(k_tile + 1 < K_TILE_MAX, k_tile + 1, k_tile);
        copy(copy_a, tAgA(_, _, _, k_tile_next), tArA);
        copy(copy_b, tBgB(_, _, _, k_tile_next), tBrB);
      }
      gemm(mma, tCrA(_, _, k_block), tCrB(_, _, k_block), tCrC);
    }
  });
  axpby(alpha, tCrC, beta, tCgC);
}
void waves(Tensor A, Tensor B, Tensor C, Num alpha, Num beta) {
  launch(waves_device, {.grid = {size<0>(A) / 32, size<0>(B) / 32}, .block = 64}, A, B, C, alpha,
         beta);
}

//===--- CUTLASS's tutorial wgmma_sm90 --------------------------------------------------------===//

/// A ring that cp.async fills and wgmma reads.
template <class SmemAtom, GMMA::Major major> void ring_device(Tensor mA, Tensor mB, Tensor mC) {
  auto bM = _64{}, bN = _64{}, bK = _64{};
  auto bP = _3{};
  auto cta_tiler = make_shape(bM, bN, bK);
  auto sA_layout = tile_to_shape(SmemAtom{}, make_shape(bM, bK, bP));
  auto sB_layout = tile_to_shape(SmemAtom{}, make_shape(bN, bK, bP));
  auto copies = [&] {
    if (major == GMMA::Major::MN)
      return make_tiled_copy(Copy_Atom<SM80_CP_ASYNC_CACHEALWAYS<uint128_t>, half_t>{},
                             Layout<Shape<_8, _16>>{}, Layout<Shape<_8, _1>>{});
    return make_tiled_copy(Copy_Atom<SM80_CP_ASYNC_CACHEALWAYS<uint128_t>, half_t>{},
                           Layout<Shape<_16, _8>, Stride<_8, _1>>{}, Layout<Shape<_1, _8>>{});
  };
  TiledCopy copy_a = copies(), copy_b = copies();
  TiledMMA mma = make_tiled_mma(SM90_64x64x16_F32F16F16_SS<major, major>{});

  auto cta_coord = make_coord(blockIdx.x, blockIdx.y, _);
  Tensor gA = local_tile(mA, cta_tiler, cta_coord, Step<_1, X, _1>{});
  Tensor gB = local_tile(mB, cta_tiler, cta_coord, Step<X, _1, _1>{});
  Tensor gC = local_tile(mC, cta_tiler, cta_coord, Step<_1, _1, X>{});
  Tensor sA = make_smem_tensor<half_t>(sA_layout), sB = make_smem_tensor<half_t>(sB_layout);
  ThrCopy thr_copy_a = copy_a.get_slice(threadIdx.x);
  Tensor tAgA = thr_copy_a.partition_S(gA);
  Tensor tAsA = thr_copy_a.partition_D(as_position_independent_swizzle_tensor(sA));
  ThrCopy thr_copy_b = copy_b.get_slice(threadIdx.x);
  Tensor tBgB = thr_copy_b.partition_S(gB);
  Tensor tBsB = thr_copy_b.partition_D(as_position_independent_swizzle_tensor(sB));

  ThrMMA thr_mma = mma.get_slice(threadIdx.x);
  Tensor tCsA = thr_mma.partition_A(sA), tCsB = thr_mma.partition_B(sB);
  Tensor tCgC = thr_mma.partition_C(gC);
  Tensor tCrA = thr_mma.make_fragment_A(tCsA), tCrB = thr_mma.make_fragment_B(tCsB);
  Tensor tCrC = thr_mma.make_fragment_C(tCgC);
  CUTE_STATIC_ASSERT_V((size<2>(tCsA) == size<2>(tCsB)));
  clear(tCrC);

  auto K_TILE_MAX = size<3>(tAgA);
  auto K_PIPE_MAX = size<3>(tAsA);
  CUTE_UNROLL
  for (int k = 0; k < K_PIPE_MAX - 1; ++k) {
    Num tile = min(Num(k), K_TILE_MAX - 1);
    copy(copy_a, tAgA(_, _, _, tile), tAsA(_, _, _, k));
    copy(copy_b, tBgB(_, _, _, tile), tBsB(_, _, _, k));
    cp_async_fence();
  }
  Num k_pipe_read = 0, k_pipe_write = K_PIPE_MAX - 1;
  For(K_TILE_MAX, k_pipe_read, k_pipe_write, [&](Num k_tile, Num &k_pipe_read, Num &k_pipe_write) {
    Num k_tile_next = min(k_tile + (K_PIPE_MAX - 1), K_TILE_MAX - 1);
    copy(copy_a, tAgA(_, _, _, k_tile_next), tAsA(_, _, _, k_pipe_write));
    copy(copy_b, tBgB(_, _, _, k_tile_next), tBsB(_, _, _, k_pipe_write));
    cp_async_fence();
    ++k_pipe_write;
    k_pipe_write = where(k_pipe_write == K_PIPE_MAX, 0, k_pipe_write);
    // The tutorial reads what other threads have copied without a barrier and a fence.
    cp_async_wait<0>();
    fence_view_async_shared();
    __syncthreads();
    warpgroup_fence_operand(tCrC);
    warpgroup_arrive();
    gemm(mma, tCrA(_, _, _, k_pipe_read), tCrB(_, _, _, k_pipe_read), tCrC);
    warpgroup_commit_batch();
    warpgroup_wait<0>();
    warpgroup_fence_operand(tCrC);
    __syncthreads();
    ++k_pipe_read;
    k_pipe_read = where(k_pipe_read == K_PIPE_MAX, 0, k_pipe_read);
  });
  axpby(1.0f, tCrC, 0.0f, tCgC);
}
template <class SmemAtom, GMMA::Major major> void ring(Tensor A, Tensor B, Tensor C) {
  launch(ring_device<SmemAtom, major>, {.grid = {size<0>(A) / 64, size<0>(B) / 64}, .block = 128},
         A, B, C);
}

//===--- attention as FlashAttention 2 writes it ----------------------------------------------===//

/// The accumulators of a product as ((rows of a thread), (columns of a thread)).
Layout<> acc_rowcol(const Layout<> &acc) {
  Layout l = logical_divide(acc, make_tile(_2{}, _, _)); // ((2, MMA / 2), MMA_M, MMA_N)
  return make_layout(make_layout(get<0, 1>(l), get<1>(l)), make_layout(get<0, 0>(l), get<2>(l)));
}
/// The accumulators of S = Q K^T as the operand A of P V.
Layout<> acc_Aregs(const Layout<> &acc) {
  Layout l = logical_divide(acc, make_tile(_, _, _2{})); // (4, MMA_M, (2, MMA_N / 2))
  return make_layout(make_layout(get<0>(l), get<2, 0>(l)), get<1>(l), get<2, 1>(l));
}
/// Over the four lanes that share a row.
template <class F> Num quad(Num x, F f) {
  x = f(x, __shfl_xor_sync(uint32_t(-1), x, 2));
  return f(x, __shfl_xor_sync(uint32_t(-1), x, 1));
}

constexpr int kBlockM = 32, kBlockN = 32, kHeadDim = 32;
/// One tile of queries against all keys, with the maximum and the sum of the rows so far.
void attention_device(Tensor mQ, Tensor mK, Tensor mV, Tensor mO, Num scale_log2) {
  auto tileQ = make_shape(Int<kBlockM>{}, Int<kHeadDim>{}),
       tileK = make_shape(Int<kBlockN>{}, Int<kHeadDim>{});
  auto atom = composition(Swizzle<2, 3, 3>{}, Layout<Shape<_8, _32>, Stride<_32, _1>>{});
  Tensor sQ = make_smem_tensor<half_t>(tile_to_shape(atom, tileQ)),
         sK = make_smem_tensor<half_t>(tile_to_shape(atom, tileK)),
         sV = make_smem_tensor<half_t>(tile_to_shape(atom, tileK));
  // V transposed: the same memory as (d, n).
  Tensor sVt = make_tensor(
      sV.data(),
      composition(sV.layout(), make_layout(Shape<Int<kHeadDim>, Int<kBlockN>>{}, LayoutRight{})));
  TiledMMA tiled_mma = make_tiled_mma(SM80_16x8x16_F32F16F16F32_TN{}, Layout<Shape<_2, _1, _1>>{},
                                      Tile<_32, _16, _16>{});
  ThrMMA thr_mma = tiled_mma.get_thread_slice(threadIdx.x);
  TiledCopy load =
      make_tiled_copy(Copy_Atom<SM80_CP_ASYNC_CACHEGLOBAL<uint128_t>, half_t>{},
                      Layout<Shape<_16, _4>, Stride<_4, _1>>{}, Layout<Shape<_1, _8>>{});
  ThrCopy thr_load = load.get_thread_slice(threadIdx.x);
  TiledCopy copy_Q = make_tiled_copy_A(Copy_Atom<SM75_U32x4_LDSM_N, half_t>{}, tiled_mma),
            copy_K = make_tiled_copy_B(Copy_Atom<SM75_U32x4_LDSM_N, half_t>{}, tiled_mma),
            copy_V = make_tiled_copy_B(Copy_Atom<SM75_U16x8_LDSM_T, half_t>{}, tiled_mma);
  Tensor gQ = local_tile(mQ, tileQ, make_coord(blockIdx.x, 0)),
         gK = local_tile(mK, tileK, make_coord(_, 0)), gV = local_tile(mV, tileK, make_coord(_, 0)),
         gO = local_tile(mO, tileQ, make_coord(blockIdx.x, 0));

  copy(load, thr_load.partition_S(gQ), thr_load.partition_D(sQ));
  cp_async_fence();
  cp_async_wait<0>();
  __syncthreads();
  Tensor tSrQ = thr_mma.partition_fragment_A(sQ);
  ThrCopy thr_Q = copy_Q.get_thread_slice(threadIdx.x);
  copy(copy_Q, thr_Q.partition_S(sQ), thr_Q.retile_D(tSrQ));

  Tensor acc_o = partition_fragment_C(tiled_mma, tileQ);
  clear(acc_o);
  Tensor o = make_tensor(acc_o.data(), acc_rowcol(acc_o.layout()));
  Tensor row_max = make_tensor<float>(Shape<Int<2 * kBlockM / 32>>{}),
         row_sum = make_tensor_like(row_max);
  fill(row_max, -INFINITY), clear(row_sum);
  For(size<2>(gK), [&](Num n_block) {
    __syncthreads();
    copy(load, thr_load.partition_S(gK(_, _, n_block)), thr_load.partition_D(sK));
    copy(load, thr_load.partition_S(gV(_, _, n_block)), thr_load.partition_D(sV));
    cp_async_fence();
    cp_async_wait<0>();
    __syncthreads();
    Tensor tSrK = thr_mma.partition_fragment_B(sK);
    ThrCopy thr_K = copy_K.get_thread_slice(threadIdx.x);
    copy(copy_K, thr_K.partition_S(sK), thr_K.retile_D(tSrK));
    Tensor acc_s = partition_fragment_C(tiled_mma, Shape<Int<kBlockM>, Int<kBlockN>>{});
    clear(acc_s);
    gemm(tiled_mma, tSrQ, tSrK, acc_s);

    Tensor scores = make_tensor(acc_s.data(), acc_rowcol(acc_s.layout()));
    for (int mi = 0; mi < size<0>(scores); ++mi) {
      Num before = row_max(mi);
      Num most = max(before, quad(reduce(scores(mi, _), -INFINITY, max_fn{}), max_fn{}));
      Num shrink = exp2((before - most) * scale_log2);
      for (int ni = 0; ni < size<1>(scores); ++ni)
        scores(mi, ni) = exp2((scores(mi, ni) - most) * scale_log2);
      row_sum(mi) = row_sum(mi) * shrink + reduce(scores(mi, _), 0.0f);
      row_max(mi) = most;
      for (int ni = 0; ni < size<1>(o); ++ni)
        o(mi, ni) *= shrink;
    }
    Tensor rP = make_fragment_like<half_t>(acc_s);
    transform(acc_s, rP, [](Num x) { return convert<half_t>(x); });
    Tensor tOrP = make_tensor(rP.data(), acc_Aregs(rP.layout()));
    Tensor tOrVt = thr_mma.partition_fragment_B(sVt);
    ThrCopy thr_V = copy_V.get_thread_slice(threadIdx.x);
    copy(copy_V, thr_V.partition_S(sVt), thr_V.retile_D(tOrVt));
    gemm(tiled_mma, tOrP, tOrVt, acc_o);
  });
  for (int mi = 0; mi < size<0>(o); ++mi) {
    Num sum = quad(Num(row_sum(mi)), plus{});
    for (int ni = 0; ni < size<1>(o); ++ni)
      o(mi, ni) *= 1.0f / sum;
  }
  copy(acc_o, thr_mma.partition_C(gO));
}
void attention(Tensor Q, Tensor K, Tensor V, Tensor O, Num scale) {
  launch(attention_device, {.grid = {size<0>(Q) / kBlockM}, .block = 64}, Q, K, V, O,
         scale * float(M_LOG2E));
}

//===--- a convolution as a product -----------------------------------------------------------===//

/// Activations (h, w, c) as (((p, q)), (r, s, c)): one row for each place of the filter, by strides
/// alone. As in CUTLASS's example 59.
void convolution_device(Tensor act, Tensor filter, Tensor out) {
  const int R = 3, S = 3;
  Num H = size<0>(act), W = size<1>(act), C = size<2>(act), P = H - (R - 1), Q = W - (S - 1);
  Layout xformed = make_layout(make_shape(make_shape(P, Q), make_shape(R, S, C)),
                               make_stride(make_stride(W * C, C), make_stride(W * C, C, 1)));
  Tensor mA = make_tensor(make_gmem_ptr(act.data()), xformed); // (PQ, RSC)
  Tensor mB = make_tensor(make_gmem_ptr(filter.data()),
                          make_layout(make_shape(size<0>(filter), make_shape(R, S, C)),
                                      make_stride(R * S * C, make_stride(S * C, C, 1))));
  // A thread an output: (p, q) is the coordinate of a number, and k the column.
  Num i = Num(blockIdx.x) * 32 + Num(threadIdx.x);
  If(i < P * Q, [&] {
    For(size<0>(mB), [&](Num k) {
      Num sum = 0.0f;
      For(R * S * C, sum, [&](Num rsc, Num &sum) { sum += mA(i, rsc) * mB(k, rsc); });
      IntTuple pq = idx2crd(i, make_shape(P, Q));
      out(get<0>(pq), get<1>(pq), k) = sum;
    });
  });
}
void convolution(Tensor act, Tensor filter, Tensor out) {
  launch(convolution_device, {.grid = {ceil_div(size<0>(out) * size<1>(out), 32)}, .block = 32},
         act, filter, out);
}

//===--- a cluster that shares what it loads --------------------------------------------------===//

/// CUTLASS's loads for clusters: a block loads a part of its tile of A for the blocks of its row,
/// and of B for those of its column.
void multicast_device(TmaCopy tma_a, TmaCopy tma_b, Tensor mC) {
  auto tileA = make_shape(_64{}, _64{});
  Tensor sA = make_smem_tensor<half_t>(tile_to_shape(GMMA::Layout_K_SW128_Atom<half_t>{}, tileA)),
         sB = make_smem_tensor<half_t>(tile_to_shape(GMMA::Layout_K_SW128_Atom<half_t>{}, tileA));
  BarrierArray full = make_barriers(1);
  Layout cluster_layout = make_layout(Shape<_2, _2>{});
  auto coord = make_coord(block_id_in_cluster().x, block_id_in_cluster().y);
  Tensor gA = local_tile(tma_a.get_tma_tensor(), tileA, make_coord(blockIdx.x, _)),
         gB = local_tile(tma_b.get_tma_tensor(), tileA, make_coord(blockIdx.y, _));
  // Blocks (m, 0) and (m, 1) share A; blocks (0, n) and (1, n) share B.
  auto [tAgA, tAsA] = tma_partition(tma_a, get<1>(coord), make_layout(_2{}), group_modes<0, 2>(sA),
                                    group_modes<0, 2>(gA));
  auto [tBgB, tBsB] = tma_partition(tma_b, get<0>(coord), make_layout(_2{}), group_modes<0, 2>(sB),
                                    group_modes<0, 2>(gB));
  Num maskA = create_tma_multicast_mask<1>(cluster_layout, coord);
  Num maskB = create_tma_multicast_mask<0>(cluster_layout, coord);
  If(threadIdx.x == 0, [&] {
    initialize_barrier(full[0], 1);
    fence_barrier_init();
  });
  cluster_arrive();
  cluster_wait();
  TiledMMA mma = make_tiled_mma(SM90_64x64x16_F32F16F16_SS<GMMA::Major::K, GMMA::Major::K>{});
  ThrMMA thr_mma = mma.get_slice(threadIdx.x);
  Tensor gC = local_tile(mC, tileA, make_coord(blockIdx.x, blockIdx.y));
  Tensor tCrA = thr_mma.partition_fragment_A(sA), tCrB = thr_mma.partition_fragment_B(sB);
  Tensor tCrC = partition_fragment_C(mma, tileA);
  clear(tCrC);
  For(size<1>(tAgA), [&](Num k) {
    If((canonical_warp_idx_sync() == 0) & elect_one_sync(), [&] {
      set_barrier_transaction_bytes(full[0], 2 * 64 * 64 * 2);
      copy(tma_a.with(full[0], maskA), tAgA(_, k), tAsA);
      copy(tma_b.with(full[0], maskB), tBgB(_, k), tBsB);
    });
    wait_barrier(full[0], k % 2);
    warpgroup_arrive();
    gemm(mma, tCrA, tCrB, tCrC);
    warpgroup_commit_batch();
    warpgroup_wait<0>();
    cluster_sync(); // nobody loads while another block reads
  });
  copy(tCrC, thr_mma.partition_C(gC));
}
void multicast(Tensor A, Tensor B, Tensor C) {
  auto tile = make_shape(_64{}, _64{}, _64{});
  auto cluster = make_shape(_2{}, _2{});
  auto layout =
      tile_to_shape(GMMA::Layout_SW128_Atom<half_t, GMMA::Major::K>{}, select<0, 2>(tile));
  auto tma_a = make_tma_copy_A_sm90(SM90_TMA_LOAD_MULTICAST{}, A, layout, tile, cluster);
  auto tma_b = make_tma_copy_B_sm90(SM90_TMA_LOAD_MULTICAST{}, B, layout, tile, cluster);
  launch(multicast_device,
         {.grid = {size<0>(C) / 64, size<1>(C) / 64}, .block = 128, .cluster_x = 2, .cluster_y = 2},
         tma_a, tma_b, C);
}

//===--- predicates by hand -------------------------------------------------------------------===//

/// As CUTLASS's mainloops for sm80 do it: rows have a predicate, columns are kept apart by a stride
/// of 0, and the tile that K does not fill comes first.
void ragged_device(Tensor mA, Tensor sums) {
  auto bM = _32{};
  auto bK = _16{};
  Num M = size<0>(mA), K = size<1>(mA), k_tiles = ceil_div(K, 16), residue_k = K - k_tiles * 16;
  // Moved so that the first tile is the one that sticks out.
  Tensor cA = domain_offset(make_coord(0, residue_k), make_identity_tensor(shape(mA)));
  Tensor gA = local_tile(domain_offset(make_coord(0, residue_k), mA), make_shape(bM, bK),
                         make_coord(blockIdx.x, _));
  Tensor cgA = local_tile(cA, make_shape(bM, bK), make_coord(blockIdx.x, _));
  Tensor sA = make_smem_tensor<float>(make_layout(make_shape(bM, bK), LayoutRight{}));
  TiledCopy load =
      make_tiled_copy(Copy_Atom<SM80_CP_ASYNC_CACHEALWAYS<uint_bit_t<32>>, float>{},
                      Layout<Shape<_8, _4>, Stride<_4, _1>>{}, Layout<Shape<_1, _1>>{});
  ThrCopy thr = load.get_slice(threadIdx.x);
  Tensor tAgA = thr.partition_S(gA), tAsA = thr.partition_D(sA), tAcA = thr.partition_S(cgA);
  Tensor tApA = make_tensor<bool>(make_shape(size<1>(tAsA), size<2>(tAsA)), Stride<_1, _0>{});
  for_each(make_int_sequence<4>{},
           [&](auto m) { tApA(m, 0) = get<0>(IntTuple(tAcA(0, m, 0, 0))) < M; });
  clear(tAsA);
  __syncthreads();
  for_each(make_seq<4>{}, [&](auto k) {
    If(get<1>(IntTuple(tAcA(0, 0, k, 0))) >= 0,
       [&] { copy_if(load, tApA(_, k), tAgA(_, _, k, 0), tAsA(_, _, k)); });
  });
  cp_async_fence();
  Num sum = 0.0f;
  For(k_tiles, sum, [&](Num k_tile, Num &sum) {
    cp_async_wait<0>();
    __syncthreads();
    for (int k = 0; k < size<1>(sA); ++k)
      sum += sA(threadIdx.x, k);
    __syncthreads();
    If(k_tile + 1 < k_tiles, [&] {
      copy_if(load, tApA, tAgA(_, _, _, k_tile + 1), tAsA);
      cp_async_fence();
    });
  });
  Num row = Num(blockIdx.x) * 32 + Num(threadIdx.x);
  If(row < M, [&] { sums(row) = sum; });
}
void ragged(Tensor A, Tensor sums) {
  launch(ragged_device, {.grid = {ceil_div(size<0>(A), 32)}, .block = 32}, A, sums);
}

/// C (m,n) by columns, beside the product of A (m,k) and B (n,k) given by their strides.
template <class T>
void expectProduct(const std::vector<T> &A, int am, int ak, const std::vector<T> &B, int bn, int bk,
                   const std::vector<float> &C, int m, int n, int k, float alpha = 1,
                   const std::vector<float> &old = {}, float beta = 0) {
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j) {
      float sum = 0;
      for (int l = 0; l < k; ++l)
        sum += float(A[size_t(i * am + l * ak)]) * float(B[size_t(j * bn + l * bk)]);
      float want = alpha * sum + (beta != 0 ? beta * old[size_t(i + j * m)] : 0);
      ASSERT_EQ(C[size_t(i + j * m)], want) << i << " " << j;
    }
}
} // namespace

TEST(CuteIdioms, RegistersInWaves) {
  const int m = 64, n = 32, k = 40;
  std::vector<float> A = small<float>(m * k, 7), B = small<float>(n * k, 5),
                     C = small<float>(m * n, 3), old = C;
  Outcome done = kernel(waves, "waves")(simulator(), view(A.data(), {m, k}, {1, m}),
                                        view(B.data(), {n, k}, {1, n}),
                                        view(C.data(), {m, n}, {1, m}), 2.0f, 0.5f);
  ASSERT_TRUE(done) << done.text();
  expectProduct(A, 1, m, B, 1, n, C, m, n, k, 2, old, 0.5f);
}
TEST(CuteIdioms, WarpgroupsAndAsyncCopies) {
  const int m = 128, n = 64, k = 320;
  std::vector<half_t> A = small<half_t>(m * k, 7), B = small<half_t>(n * k, 5);
  std::vector<float> C(m * n);
  auto c = view(C.data(), {m, n}, {1, m});
  Outcome done = kernel(ring<GMMA::Layout_MN_SW128_Atom<half_t>, GMMA::Major::MN>, "nt", "sm_90a")(
      simulator(), view(A.data(), {m, k}, {1, m}), view(B.data(), {n, k}, {1, n}), c);
  ASSERT_TRUE(done) << done.text();
  expectProduct(A, 1, m, B, 1, n, C, m, n, k);
  done = kernel(ring<GMMA::Layout_K_SW128_Atom<half_t>, GMMA::Major::K>, "tn",
                "sm_90a")(simulator(), view(A.data(), {m, k}), view(B.data(), {n, k}), c);
  ASSERT_TRUE(done) << done.text();
  expectProduct(A, k, 1, B, k, 1, C, m, n, k);
}
TEST(CuteIdioms, Attention) {
  const int queries = 64, keys = 96, d = kHeadDim;
  std::vector<half_t> Q = small<half_t>(queries * d, 7), K = small<half_t>(keys * d, 5),
                      V = small<half_t>(keys * d, 3);
  std::vector<float> O(queries * d);
  const float scale = 0.125f;
  Outcome done = kernel(attention, "attention")(
      simulator(), view(Q.data(), {queries, d}), view(K.data(), {keys, d}),
      view(V.data(), {keys, d}), view(O.data(), {queries, d}), scale);
  ASSERT_TRUE(done) << done.text();
  for (int i = 0; i < queries; ++i) {
    std::vector<double> p(keys);
    double sum = 0;
    for (int j = 0; j < keys; ++j) {
      double s = 0;
      for (int l = 0; l < d; ++l)
        s += double(Q[size_t(i * d + l)]) * double(K[size_t(j * d + l)]);
      sum += p[size_t(j)] = std::exp(s * scale);
    }
    for (int l = 0; l < d; ++l) {
      double want = 0;
      for (int j = 0; j < keys; ++j)
        want += p[size_t(j)] / sum * double(V[size_t(j * d + l)]);
      ASSERT_NEAR(O[size_t(i * d + l)], want, 5e-3) << i << " " << l; // P is rounded to f16
    }
  }
}
TEST(CuteIdioms, ConvolutionByStrides) {
  const int H = 9, W = 7, C = 4, K = 5, P = H - 2, Q = W - 2;
  Array<float, 3> act(H, W, C), out(P, Q, K);
  Array<float, 4> filter(K, 3, 3, C);
  act.fill([](int64_t i) { return double(i * 7 % 11 - 5); });
  filter.fill([](int64_t i) { return double(i * 5 % 7 - 3); });
  Outcome done = kernel(convolution, "convolution")(simulator(), act, filter, out);
  ASSERT_TRUE(done) << done.text();
  for (int p = 0; p < P; ++p)
    for (int q = 0; q < Q; ++q)
      for (int k = 0; k < K; ++k) {
        float sum = 0;
        for (int r = 0; r < 3; ++r)
          for (int s = 0; s < 3; ++s)
            for (int c = 0; c < C; ++c)
              sum += act(p + r, q + s, c) * filter(k, r, s, c);
        ASSERT_EQ(out(p, q, k), sum) << p << " " << q << " " << k;
      }
}
TEST(CuteIdioms, ClustersThatShareTheirLoads) {
  const int m = 128, n = 256, k = 192;
  std::vector<half_t> A = small<half_t>(m * k, 7), B = small<half_t>(n * k, 5);
  std::vector<float> C(m * n);
  Outcome done = kernel(multicast, "multicast", "sm_90a")(
      simulator(), view(A.data(), {m, k}), view(B.data(), {n, k}), view(C.data(), {m, n}, {1, m}));
  ASSERT_TRUE(done) << done.text();
  expectProduct(A, k, 1, B, k, 1, C, m, n, k);
}
TEST(CuteIdioms, PredicatesByHand) {
  for (int k : {16, 37, 5}) {
    const int m = 45;
    std::vector<float> A = small<float>(m * k, 7), sums(m);
    Outcome done = kernel(ragged, "ragged")(simulator(), view(A.data(), {m, k}), sums);
    ASSERT_TRUE(done) << done.text();
    for (int i = 0; i < m; ++i) {
      float sum = 0;
      for (int j = 0; j < k; ++j)
        sum += A[size_t(i * k + j)];
      ASSERT_EQ(sums[size_t(i)], sum) << k << " " << i;
    }
  }
}
