// Attention in CuTe C++ with the tile of sm80/: what nvcc makes of it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// 128 queries, steps of 64 keys and a head of HEAD for four warps; of whole tiles, without a mask.
// It is compiled only; its instruction counts are in docs/kernels/attention.md.
#include <cute/tensor.hpp>
#include <cutlass/numeric_conversion.h>
#include <cutlass/numeric_types.h>

using namespace cute;
using Element = cutlass::bfloat16_t;

#ifndef HEAD
#define HEAD 128
#endif
constexpr int M = 128, N = 64, D = HEAD, warps = 4;

using Atom = decltype(composition(Swizzle<3, 3, 3>{}, Layout<Shape<_8, _64>, Stride<_64, _1>>{}));
using LayoutQ = decltype(tile_to_shape(Atom{}, Shape<Int<M>, Int<D>>{}));
using LayoutK = decltype(tile_to_shape(Atom{}, Shape<Int<N>, Int<D>>{}));
using LayoutVt =
    decltype(composition(LayoutK{}, Layout<Shape<Int<D>, Int<N>>, Stride<Int<N>, _1>>{}));
using LayoutVtPlain = decltype(get_nonswizzle_portion(LayoutVt{}));
using Mma = TiledMMA<MMA_Atom<SM80_16x8x16_F32BF16BF16F32_TN>, Layout<Shape<Int<warps>, _1, _1>>,
                     Tile<Int<16 * warps>, _16, _16>>;
using Load =
    decltype(make_tiled_copy(Copy_Atom<SM80_CP_ASYNC_CACHEGLOBAL<uint128_t>, Element>{},
                             Layout<Shape<_16, _8>, Stride<_8, _1>>{}, Layout<Shape<_1, _8>>{}));
using Store =
    decltype(make_tiled_copy(Copy_Atom<AutoVectorizingCopyWithAssumedAlignment<128>, Element>{},
                             Layout<Shape<_16, _8>, Stride<_8, _1>>{}, Layout<Shape<_1, _8>>{}));

template <class From> __device__ auto narrowed(From const &from) {
  constexpr int count = decltype(size(from))::value;
  cutlass::NumericArrayConverter<Element, float, count> convert;
  auto made = convert(*reinterpret_cast<const cutlass::Array<float, count> *>(from.data()));
  auto to = make_tensor<Element>(from.layout());
  *reinterpret_cast<decltype(made) *>(to.data()) = made;
  return to;
}
/// (V,M,N) of sums as (rows, columns).
template <class L> __device__ auto byRows(L l) {
  auto d = logical_divide(l, Shape<_2>{});
  return make_layout(make_layout(get<0, 1>(d), get<1>(d)), make_layout(get<0, 0>(d), get<2>(d)));
}
/// The same as first operand of a product of depth 16.
template <class L> __device__ auto asOperand(L l) {
  auto d = logical_divide(l, Shape<Underscore, Underscore, _2>{});
  return make_layout(make_layout(get<0>(d), get<2, 0>(d)), get<1>(d), get<2, 1>(d));
}

__global__ void __launch_bounds__(32 * warps)
    attention(const Element *q, const Element *k, const Element *v, Element *o, int64_t rowQ,
              int64_t rowK, int64_t rowV, int64_t rowO, int64_t headQ, int64_t headK, int64_t headV,
              int64_t headO, int64_t batchQ, int64_t batchK, int64_t batchV, int64_t batchO,
              int queries, int keys, int sharing, float scale) {
  extern __shared__ __align__(128) Element memory[];
  int thread = threadIdx.x;
  auto of = [&](auto *p, int64_t row, int64_t head, int64_t batch, int rows, int which) {
    return make_tensor(make_gmem_ptr(p + which * head + blockIdx.z * batch),
                       make_shape(rows, Int<D>{}), make_stride(row, _1{}));
  };
  int shared = blockIdx.y / sharing;
  Tensor gQ = local_tile(of(q, rowQ, headQ, batchQ, queries, blockIdx.y), Shape<Int<M>, Int<D>>{},
                         make_coord(blockIdx.x, 0));
  Tensor gO = local_tile(of(o, rowO, headO, batchO, queries, blockIdx.y), Shape<Int<M>, Int<D>>{},
                         make_coord(blockIdx.x, 0));
  Tensor gK = local_tile(of(k, rowK, headK, batchK, keys, shared), Shape<Int<N>, Int<D>>{},
                         make_coord(_, 0));
  Tensor gV = local_tile(of(v, rowV, headV, batchV, keys, shared), Shape<Int<N>, Int<D>>{},
                         make_coord(_, 0));
  Tensor sQ = make_tensor(make_smem_ptr(memory), LayoutQ{});
  Tensor sK = make_tensor(sQ.data() + size(sQ), LayoutK{});
  Tensor sV = make_tensor(sK.data() + size(sK), LayoutK{});
  Tensor sVt = make_tensor(sV.data(), LayoutVt{});
  Tensor sVtPlain = make_tensor(sV.data().get(), LayoutVtPlain{});

  auto load = Load{}.get_slice(thread);
  auto fromQ = load.partition_S(gQ);
  auto toQ = load.partition_D(sQ);
  auto fromK = load.partition_S(gK);
  auto toK = load.partition_D(sK);
  auto fromV = load.partition_S(gV);
  auto toV = load.partition_D(sV);
  Mma mma;
  auto ofThread = mma.get_slice(thread);
  auto rQ = ofThread.partition_fragment_A(sQ);
  auto rK = ofThread.partition_fragment_B(sK);
  auto rV = ofThread.partition_fragment_B(sVtPlain);
  Tensor out = partition_fragment_C(mma, Shape<Int<M>, Int<D>>{});
  auto readQ = make_tiled_copy_A(Copy_Atom<SM75_U32x4_LDSM_N, Element>{}, mma);
  auto readK = make_tiled_copy_B(Copy_Atom<SM75_U32x4_LDSM_N, Element>{}, mma);
  auto readV = make_tiled_copy_B(Copy_Atom<SM75_U16x8_LDSM_T, Element>{}, mma);
  auto sliceQ = readQ.get_slice(thread);
  auto sliceK = readK.get_slice(thread);
  auto sliceV = readV.get_slice(thread);
  auto sQr = sliceQ.partition_S(sQ);
  auto sKr = sliceK.partition_S(sK);
  auto sVr = sliceV.partition_S(sVt);
  auto rQr = sliceQ.retile_D(rQ);
  auto rKr = sliceK.retile_D(rK);
  auto rVr = sliceV.retile_D(rV);

  int tile = keys / N - 1;
  copy(Load{}, fromQ, toQ);
  copy(Load{}, fromK(_, _, _, tile), toK);
  cp_async_fence();
  clear(out);
  constexpr int rows = 2 * (M / (16 * warps));
  float most[rows], sum[rows];
  for (int r = 0; r < rows; ++r)
    most[r] = -INFINITY, sum[r] = 0;
#pragma unroll 1
  for (; tile >= 0; --tile) {
    cp_async_wait<0>();
    __syncthreads();
    copy(Load{}, fromV(_, _, _, tile), toV);
    cp_async_fence();
    Tensor s = partition_fragment_C(mma, Shape<Int<M>, Int<N>>{});
    clear(s);
    copy(readQ, sQr(_, _, 0), rQr(_, _, 0));
    copy(readK, sKr(_, _, 0), rKr(_, _, 0));
    CUTE_UNROLL
    for (int i = 0; i < size<2>(rQ); ++i) {
      if (i + 1 < size<2>(rQ)) {
        copy(readQ, sQr(_, _, i + 1), rQr(_, _, i + 1));
        copy(readK, sKr(_, _, i + 1), rKr(_, _, i + 1));
      }
      gemm(mma, rQ(_, _, i), rK(_, _, i), s);
    }
    cp_async_wait<0>();
    __syncthreads();
    if (tile > 0)
      copy(Load{}, fromK(_, _, _, tile - 1), toK);
    cp_async_fence();
    auto sRows = make_tensor(s.data(), byRows(s.layout()));
    auto oRows = make_tensor(out.data(), byRows(out.layout()));
    CUTE_UNROLL
    for (int r = 0; r < rows; ++r) {
      float now = most[r];
      CUTE_UNROLL
      for (int c = 0; c < size<1>(sRows); ++c)
        now = fmaxf(now, sRows(r, c));
      now = fmaxf(now, __shfl_xor_sync(~0u, now, 1));
      now = fmaxf(now, __shfl_xor_sync(~0u, now, 2));
      float base = now == -INFINITY ? 0 : now * scale, shrink = exp2f(most[r] * scale - base),
            added = 0;
      most[r] = now;
      CUTE_UNROLL
      for (int c = 0; c < size<1>(sRows); ++c)
        added += sRows(r, c) = exp2f(sRows(r, c) * scale - base);
      sum[r] = sum[r] * shrink + added;
      CUTE_UNROLL
      for (int c = 0; c < size<1>(oRows); ++c)
        oRows(r, c) *= shrink;
    }
    Tensor p = narrowed(s);
    Tensor rP = make_tensor(p.data(), asOperand(p.layout()));
    copy(readV, sVr(_, _, 0), rVr(_, _, 0));
    CUTE_UNROLL
    for (int i = 0; i < size<2>(rP); ++i) {
      if (i + 1 < size<2>(rP))
        copy(readV, sVr(_, _, i + 1), rVr(_, _, i + 1));
      gemm(mma, rP(_, _, i), rV(_, _, i), out);
    }
  }
  Tensor oRows = make_tensor(out.data(), byRows(out.layout()));
  CUTE_UNROLL
  for (int r = 0; r < rows; ++r) {
    float all = sum[r] + __shfl_xor_sync(~0u, sum[r], 1);
    all += __shfl_xor_sync(~0u, all, 2);
    float factor = all == 0 ? 1 : __fdividef(1, all);
    CUTE_UNROLL
    for (int c = 0; c < size<1>(oRows); ++c)
      oRows(r, c) *= factor;
  }
  Tensor narrow = narrowed(out);
  auto write =
      make_tiled_copy_C(Copy_Atom<AutoVectorizingCopyWithAssumedAlignment<128>, Element>{}, mma);
  auto sliceO = write.get_slice(thread);
  Tensor sO = make_tensor(sQ.data(), LayoutQ{});
  copy(write, sliceO.retile_S(narrow), sliceO.partition_D(sO));
  __syncthreads();
  auto put = Store{}.get_slice(thread);
  auto fromO = put.partition_S(sO);
  auto toO = put.partition_D(gO);
  Tensor held = make_tensor<Element>(shape(toO));
  copy(Store{}, fromO, held);
  copy(Store{}, held, toO);
}
