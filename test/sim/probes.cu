// Products and copies of tensor memory by CuTe C++ (the headers of CUTLASS), for nvcc: see
// probes_cuda.py.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the probes of TESSERA_BLACKWELL_PROBES lack: 8-bit types, a sparse A, A in tensor memory and
// factors for pairs of blocks, every shape of tcgen05.cp, loads and stores.
#include <cute/tensor.hpp>

#include <cute/arch/cluster_sm90.hpp>
#include <cute/arch/tmem_allocator_sm100.hpp>
#include <cutlass/arch/barrier.h>
#include <cutlass/detail/sm100_blockscaled_layout.hpp>

using namespace cute;
using Major = UMMA::Major;

constexpr int columns = 512;

/// What a block has besides operands, and who takes its tensor memory.
struct Control {
  alignas(16) uint64_t done;
  alignas(16) uint32_t first;
};
template <class Allocator> __device__ void enter(Control &c) {
  if (threadIdx.x < 32)
    Allocator{}.allocate(columns, &c.first);
  if (threadIdx.x == 0) {
    initialize_barrier(c.done, 1);
    cutlass::arch::fence_barrier_init();
  }
  cutlass::arch::fence_view_async_shared();
  if constexpr (is_same_v<Allocator, TMEM::Allocator2Sm>)
    cluster_sync();
  else
    __syncthreads();
}
template <class Allocator> __device__ void leave(Control &c) {
  if constexpr (is_same_v<Allocator, TMEM::Allocator2Sm>)
    cluster_sync();
  else
    __syncthreads();
  if (threadIdx.x < 32) {
    Allocator{}.release_allocation_lock();
    Allocator{}.free(c.first, columns);
  }
}
__device__ void stored() {
  cutlass::arch::fence_view_async_tmem_store();
  asm volatile("tcgen05.fence::before_thread_sync;" ::: "memory");
}
__device__ void fetched() { asm volatile("tcgen05.fence::after_thread_sync;" ::: "memory"); }

/// Sums to rows of memory.
template <class Load, class Sums, class Out> __device__ void writeOut(Sums sums, Out out) {
  auto copying = make_tmem_copy(Load{}, sums);
  auto mine = copying.get_slice(threadIdx.x);
  Tensor to = mine.partition_D(out);
  Tensor registers = make_fragment_like(to);
  copy(copying, mine.partition_S(sums), registers);
  cutlass::arch::fence_view_async_tmem_load();
  copy(registers, to);
}
template <class T, int Rows, int K> __device__ auto matrix(T const *from) {
  return make_tensor(make_gmem_ptr(from),
                     make_layout(Shape<Int<Rows>, Int<K>>{}, Stride<Int<K>, _1>{}));
}
template <class From, class To> __device__ void stage(From from, To to) {
  for (int i = threadIdx.x; i < int(size(to)); i += 128)
    to(i) = from(i);
}
template <class Mma, class T, int M, int K>
using StagedA = decltype(UMMA::tile_to_mma_shape(
    UMMA::Layout_K_SW128_Atom<T>{}, partition_shape_A(Mma{}, Shape<Int<M>, Int<K>>{})));
template <class Mma, class T, int N, int K>
using StagedB = decltype(UMMA::tile_to_mma_shape(
    UMMA::Layout_K_SW128_Atom<T>{}, partition_shape_B(Mma{}, Shape<Int<N>, Int<K>>{})));

//===--- dense, 8 bits -----------------------------------------------------------------------===//

template <class Mma, class TA, class TB, class TC, class Load, int M, int N, int K>
__device__ void dense(TA const *a, TB const *b, TC *d) {
  struct Shared {
    alignas(1024) ArrayEngine<TA, cosize_v<StagedA<Mma, TA, M, K>>> a;
    alignas(1024) ArrayEngine<TB, cosize_v<StagedB<Mma, TB, N, K>>> b;
    Control c;
  };
  extern __shared__ __align__(1024) char raw[];
  Shared &s = *reinterpret_cast<Shared *>(raw);
  Mma mma;
  auto part = mma.get_slice(0);
  Tensor sA = make_tensor(make_smem_ptr(s.a.begin()), StagedA<Mma, TA, M, K>{});
  Tensor sB = make_tensor(make_smem_ptr(s.b.begin()), StagedB<Mma, TB, N, K>{});
  stage(part.partition_A(matrix<TA, M, K>(a)), sA);
  stage(part.partition_B(matrix<TB, N, K>(b)), sB);
  Tensor out = part.partition_C(
      make_tensor(make_gmem_ptr(d), make_layout(Shape<Int<M>, Int<N>>{}, Stride<Int<N>, _1>{})));
  Tensor fA = part.make_fragment_A(sA);
  Tensor fB = part.make_fragment_B(sB);
  Tensor sums = part.make_fragment_C(out);
  enter<TMEM::Allocator1Sm>(s.c);
  sums.data() = s.c.first;
  mma.accumulate_ = UMMA::ScaleOut::Zero;
  if (threadIdx.x < 32) {
    for (int k = 0; k < size<2>(fA); ++k) {
      gemm(mma, fA(_, _, k), fB(_, _, k), sums);
      mma.accumulate_ = UMMA::ScaleOut::One;
    }
    cutlass::arch::umma_arrive(&s.c.done);
  }
  wait_barrier(s.c.done, 0);
  fetched();
  writeOut<Load>(sums, out);
  leave<TMEM::Allocator1Sm>(s.c);
}
template <class TA, class TB, class TC, int M, int N>
using Narrow =
    decltype(make_tiled_mma(SM100_MMA_F8F6F4_SS<TA, TB, TC, M, N, Major::K, Major::K>{}));
extern "C" __global__ void f8_e4m3_e5m2(float_e4m3_t const *a, float_e5m2_t const *b, float *d) {
  dense<Narrow<float_e4m3_t, float_e5m2_t, float, 128, 64>, float_e4m3_t, float_e5m2_t, float,
        SM100_TMEM_LOAD_32dp32b32x, 128, 64, 128>(a, b, d);
}
extern "C" __global__ void f8_e5m2_half(float_e5m2_t const *a, float_e4m3_t const *b, half_t *d) {
  dense<Narrow<float_e5m2_t, float_e4m3_t, half_t, 64, 96>, float_e5m2_t, float_e4m3_t, half_t,
        SM100_TMEM_LOAD_16dp256b1x_16b, 64, 96, 128>(a, b, d);
}

//===--- sparse ------------------------------------------------------------------------------===//

/// A has half of its K; `codes` has 4 bits of metadata in each byte, for `group` elements of a row.
/// The dense atom of the same type makes the descriptors: 32 bytes of A, and 64 of B from every
/// other one on.
template <class Mma, class Sparse, class T, class TC, int M, int N, int K, int group, int unit>
__device__ void sparse(T const *a, T const *b, uint8_t const *codes, TC *d) {
  constexpr int ofMma = 64 / sizeof(T), steps = K / ofMma;
  struct Shared {
    alignas(1024) ArrayEngine<T, cosize_v<StagedA<Mma, T, M, K / 2>>> a;
    alignas(1024) ArrayEngine<T, cosize_v<StagedB<Mma, T, N, K>>> b;
    uint32_t metadata[M][8];
    Control c;
  };
  extern __shared__ __align__(1024) char raw[];
  Shared &s = *reinterpret_cast<Shared *>(raw);
  Mma mma;
  auto part = mma.get_slice(0);
  Tensor sA = make_tensor(make_smem_ptr(s.a.begin()), StagedA<Mma, T, M, K / 2>{});
  Tensor sB = make_tensor(make_smem_ptr(s.b.begin()), StagedB<Mma, T, N, K>{});
  stage(part.partition_A(matrix<T, M, K / 2>(a)), sA);
  stage(part.partition_B(matrix<T, N, K>(b)), sB);
  for (int i = 0; i < 8; ++i)
    s.metadata[threadIdx.x][i] = 0;
  Tensor out = part.partition_C(
      make_tensor(make_gmem_ptr(d), make_layout(Shape<Int<M>, Int<N>>{}, Stride<Int<N>, _1>{})));
  Tensor fA = part.make_fragment_A(sA);
  Tensor fB = part.make_fragment_B(sB);
  Tensor sums = part.make_fragment_C(out);
  Tensor e = make_tensor<UMMA::tmem_e_frg<T>>(Shape<Shape<Int<M>, Int<ofMma>>, _1, Int<steps>>{});
  enter<TMEM::Allocator1Sm>(s.c);
  sums.data() = s.c.first;
  e.data() = s.c.first + 256;
  // Where the layout has the first element of each group, in units of `unit` bits.
  for (int k = 0; k < K; k += group) {
    uint32_t at = uint32_t(e.layout()(make_coord(int(threadIdx.x), k % ofMma), 0, k / ofMma));
    constexpr uint32_t ofLane = (1u << 21) / unit;
    uint32_t bit = at % ofLane * unit;
    atomicOr(&s.metadata[at / ofLane][bit / 32],
             uint32_t(codes[threadIdx.x * (K / group) + k / group]) << bit % 32);
  }
  __syncthreads();
  uint32_t *words = s.metadata[threadIdx.x];
  SM100_TMEM_STORE_32dp32b8x::copy(words[0], words[1], words[2], words[3], words[4], words[5],
                                   words[6], words[7], s.c.first + 256 + (threadIdx.x / 32 << 21));
  stored();
  __syncthreads();
  fetched();
  if (threadIdx.x < 32) {
    auto word = UMMA::make_instr_desc<T, T, TC, M, N, Major::K, Major::K, UMMA::ScaleIn::One,
                                      UMMA::ScaleIn::One, UMMA::Saturate::False, true>();
    for (int k = 0; k < steps; ++k) { // fma elects the thread
      uint32_t at = raw_pointer_cast(e(_, _, k).data());
      // As MMA_Traits of the sparse atoms have it.
      uint16_t id = sizeof(T) > 1 ? at & 1 : 0;
      at &= ~uint32_t(id);
      uint64_t from = fA(_, _, k)(0), other = fB(_, _, 2 * k)(0);
      Sparse::fma(from, other, s.c.first, uint32_t(k != 0),
                  UMMA::make_runtime_instr_desc<true>(word, id, at), at);
    }
    cutlass::arch::umma_arrive(&s.c.done);
  }
  wait_barrier(s.c.done, 0);
  fetched();
  writeOut<SM100_TMEM_LOAD_32dp32b32x>(sums, out);
  leave<TMEM::Allocator1Sm>(s.c);
}
extern "C" __global__ void sparse_f16(half_t const *a, half_t const *b, uint8_t const *codes,
                                      float *d) {
  using Mma = decltype(make_tiled_mma(
      SM100_MMA_F16BF16_SS<half_t, half_t, float, 128, 64, Major::K, Major::K>{}));
  using Sparse = SM100_MMA_F16BF16_SS_SPARSE<half_t, half_t, float, 128, 64, Major::K, Major::K>;
  sparse<Mma, Sparse, half_t, float, 128, 64, 128, 4, 1>(a, b, codes, d);
}
extern "C" __global__ void sparse_tf32(tfloat32_t const *a, tfloat32_t const *b,
                                       uint8_t const *codes, float *d) {
  using Mma = decltype(make_tiled_mma(
      SM100_MMA_TF32_SS<tfloat32_t, tfloat32_t, float, 128, 64, Major::K, Major::K>{}));
  using Sparse =
      SM100_MMA_TF32_SS_SPARSE<tfloat32_t, tfloat32_t, float, 128, 64, Major::K, Major::K>;
  sparse<Mma, Sparse, tfloat32_t, float, 128, 64, 64, 2, 2>(a, b, codes, d);
}
extern "C" __global__ void sparse_i8(int8_t const *a, int8_t const *b, uint8_t const *codes,
                                     int32_t *d) {
  using Mma = decltype(make_tiled_mma(
      SM100_MMA_S8_SS<int8_t, int8_t, int32_t, 128, 64, Major::K, Major::K>{}));
  using Sparse = SM100_MMA_S8_SS_SPARSE<int8_t, int8_t, int32_t, 128, 64, Major::K, Major::K>;
  sparse<Mma, Sparse, int8_t, int32_t, 128, 64, 256, 4, 1>(a, b, codes, d);
}

//===--- pairs -------------------------------------------------------------------------------===//

/// A in tensor memory: of 64 rows of a block each half of the lanes has a copy
/// (TmemAllocMode::Duplicated).
template <class Mma, int M, int N, int K, class Load>
__device__ void fromTensor(half_t const *a, half_t const *b, float *d) {
  struct Shared {
    alignas(1024) ArrayEngine<half_t, cosize_v<StagedB<Mma, half_t, N, K>>> b;
    Control c;
  };
  extern __shared__ __align__(1024) char raw[];
  Shared &s = *reinterpret_cast<Shared *>(raw);
  int rank = block_rank_in_cluster();
  Mma mma;
  auto part = mma.get_slice(rank);
  Tensor sB = make_tensor(make_smem_ptr(s.b.begin()), StagedB<Mma, half_t, N, K>{});
  stage(part.partition_B(matrix<half_t, N, K>(b)), sB);
  Tensor gA = part.partition_A(matrix<half_t, M, K>(a));
  Tensor out = part.partition_C(
      make_tensor(make_gmem_ptr(d), make_layout(Shape<Int<M>, Int<N>>{}, Stride<Int<N>, _1>{})));
  Tensor tA = part.make_fragment_A(shape(gA));
  Tensor fB = part.make_fragment_B(sB);
  Tensor sums = part.make_fragment_C(out);
  enter<TMEM::Allocator2Sm>(s.c);
  sums.data() = s.c.first;
  tA.data() = s.c.first + 256;
  auto words = reinterpret_cast<uint32_t const *>(a + (rank * (M / 2) + threadIdx.x % (M / 2)) * K);
  for (int i = 0; i < K / 2; i += 4)
    SM100_TMEM_STORE_32dp32b4x::copy(words[i], words[i + 1], words[i + 2], words[i + 3],
                                     s.c.first + 256 + i + (threadIdx.x / 32 << 21));
  stored();
  cluster_sync();
  fetched();
  mma.accumulate_ = UMMA::ScaleOut::Zero;
  if (threadIdx.x < 32 && rank == 0) {
    for (int k = 0; k < size<2>(tA); ++k) {
      gemm(mma, tA(_, _, k), fB(_, _, k), sums);
      mma.accumulate_ = UMMA::ScaleOut::One;
    }
    cutlass::arch::umma_arrive_multicast_2x1SM(&s.c.done, 3);
  }
  wait_barrier(s.c.done, 0);
  fetched();
  writeOut<Load>(sums, out);
  leave<TMEM::Allocator2Sm>(s.c);
}
extern "C" __global__ void __cluster_dims__(2, 1, 1)
    pair_ts128(half_t const *a, half_t const *b, float *d) {
  using Mma = decltype(make_tiled_mma(
      SM100_MMA_F16BF16_2x1SM_TS<half_t, half_t, float, 128, 64, Major::K, Major::K>{}));
  fromTensor<Mma, 128, 64, 64, SM100_TMEM_LOAD_32dp32b16x>(a, b, d);
}
extern "C" __global__ void __cluster_dims__(2, 1, 1)
    pair_ts256(half_t const *a, half_t const *b, float *d) {
  using Mma = decltype(make_tiled_mma(
      SM100_MMA_F16BF16_2x1SM_TS<half_t, half_t, float, 256, 64, Major::K, Major::K>{}));
  fromTensor<Mma, 256, 64, 64, SM100_TMEM_LOAD_32dp32b16x>(a, b, d);
}

/// Factors come in 512 bytes for 128 rows and four blocks of K; each block has those of its rows of
/// A, and all of B.
template <class T, int M, int N, int K>
__device__ void scaledPair(T const *a, T const *b, uint8_t const *factorsA, uint8_t const *factorsB,
                           float *d) {
  using Mma = decltype(make_tiled_mma(
      SM100_MMA_MXF8F6F4_2x1SM_SS<T, T, float, float_ue8m0_t, M, N, Major::K, Major::K>{}));
  using Config = cutlass::detail::Sm1xxBlockScaledConfig<32>;
  using LayoutA = decltype(Config::deduce_smem_layoutSFA(Mma{}, Shape<Int<M>, Int<N>, Int<K>>{}));
  using LayoutB = decltype(Config::deduce_smem_layoutSFB(Mma{}, Shape<Int<M>, Int<N>, Int<K>>{}));
  struct Shared {
    alignas(1024) ArrayEngine<T, cosize_v<StagedA<Mma, T, M, K>>> a;
    alignas(1024) ArrayEngine<T, cosize_v<StagedB<Mma, T, N, K>>> b;
    alignas(1024) uint8_t factorsA[512], factorsB[512];
    Control c;
  };
  extern __shared__ __align__(1024) char raw[];
  Shared &s = *reinterpret_cast<Shared *>(raw);
  int rank = block_rank_in_cluster();
  Mma mma;
  auto part = mma.get_slice(rank);
  Tensor sA = make_tensor(make_smem_ptr(s.a.begin()), StagedA<Mma, T, M, K>{});
  Tensor sB = make_tensor(make_smem_ptr(s.b.begin()), StagedB<Mma, T, N, K>{});
  stage(part.partition_A(matrix<T, M, K>(a)), sA);
  stage(part.partition_B(matrix<T, N, K>(b)), sB);
  for (int i = threadIdx.x; i < 512; i += 128)
    s.factorsA[i] = factorsA[512 * rank + i], s.factorsB[i] = factorsB[i];
  Tensor out = part.partition_C(
      make_tensor(make_gmem_ptr(d), make_layout(Shape<Int<M>, Int<N>>{}, Stride<Int<N>, _1>{})));
  Tensor fA = part.make_fragment_A(sA);
  Tensor fB = part.make_fragment_B(sB);
  Tensor sums = part.make_fragment_C(out);
  Tensor tA = make_tensor<typename Mma::FrgTypeSFA>(shape(LayoutA{}));
  Tensor tB = make_tensor<typename Mma::FrgTypeSFB>(shape(LayoutB{}));
  enter<TMEM::Allocator2Sm>(s.c);
  sums.data() = s.c.first;
  tA.data() = s.c.first + 256;
  tB.data() = s.c.first + 320;
  mma.accumulate_ = UMMA::ScaleOut::Zero;
  if (threadIdx.x < 32 && rank == 0) {
    if (elect_one_sync()) {
      constexpr uint64_t rows =
          uint64_t(1) << 46 | uint64_t(8) << 32 | uint64_t(1) << 16; // of 16 bytes
      SM100_UTCCP_4x32dp128bit_2cta::copy(rows | cast_smem_ptr_to_uint(s.factorsA) >> 4,
                                          s.c.first + 256);
      SM100_UTCCP_4x32dp128bit_2cta::copy(rows | cast_smem_ptr_to_uint(s.factorsB) >> 4,
                                          s.c.first + 320);
    }
    for (int k = 0; k < size<2>(fA); ++k) {
      gemm(mma.with(mma.accumulate_, tA(_, _, k), tB(_, _, k)), fA(_, _, k), fB(_, _, k), sums);
      mma.accumulate_ = UMMA::ScaleOut::One;
    }
    cutlass::arch::umma_arrive_multicast_2x1SM(&s.c.done, 3);
  }
  wait_barrier(s.c.done, 0);
  fetched();
  writeOut<SM100_TMEM_LOAD_32dp32b32x>(sums, out);
  leave<TMEM::Allocator2Sm>(s.c);
}
extern "C" __global__ void __cluster_dims__(2, 1, 1)
    pair_mx8(float_e4m3_t const *a, float_e4m3_t const *b, uint8_t const *factorsA,
             uint8_t const *factorsB, float *d) {
  scaledPair<float_e4m3_t, 256, 128, 128>(a, b, factorsA, factorsB, d);
}

//===--- copies ------------------------------------------------------------------------------===//

/// All lanes of eight columns, from a matrix of rows of 16 or 32 bytes in core matrices of 8 rows:
/// the next 16 bytes of a row are `rows` times 16 bytes further.
template <class Copy, int rows>
__device__ void shared(uint32_t const *from, uint32_t const *before, uint32_t *after) {
  struct Shared {
    alignas(1024) uint32_t words[2048];
    Control c;
  };
  extern __shared__ __align__(1024) char raw[];
  Shared &s = *reinterpret_cast<Shared *>(raw);
  for (int i = threadIdx.x; i < 2048; i += 128)
    s.words[i] = from[i];
  enter<TMEM::Allocator1Sm>(s.c);
  uint32_t mine = s.c.first + (threadIdx.x / 32 << 21), w[8];
  before += threadIdx.x * 8;
  SM100_TMEM_STORE_32dp32b8x::copy(before[0], before[1], before[2], before[3], before[4], before[5],
                                   before[6], before[7], mine);
  stored();
  __syncthreads();
  fetched();
  if (threadIdx.x < 32) {
    if (elect_one_sync())
      Copy::copy(uint64_t(1) << 46 | uint64_t(8) << 32 | uint64_t(rows) << 16 |
                     cast_smem_ptr_to_uint(s.words) >> 4,
                 s.c.first);
    cutlass::arch::umma_arrive(&s.c.done);
  }
  wait_barrier(s.c.done, 0);
  fetched();
  SM100_TMEM_LOAD_32dp32b8x::copy(mine, w[0], w[1], w[2], w[3], w[4], w[5], w[6], w[7]);
  cutlass::arch::fence_view_async_tmem_load();
  for (int i = 0; i < 8; ++i)
    after[threadIdx.x * 8 + i] = w[i];
  leave<TMEM::Allocator1Sm>(s.c);
}
#define SHARED(NAME, COPY, ROWS)                                                                   \
  extern "C" __global__ void NAME(uint32_t const *from, uint32_t const *before, uint32_t *after) { \
    shared<COPY, ROWS>(from, before, after);                                                       \
  }
SHARED(cp_128x256b, SM100_UTCCP_128dp256bit_1cta, 128)
SHARED(cp_4x256b, SM100_UTCCP_4dp256bit_1cta, 8)
SHARED(cp_128x128b, SM100_UTCCP_128dp128bit_1cta, 128)
SHARED(cp_64x128b_02_13, SM100_UTCCP_2x64dp128bitlw0213_1cta, 64)
SHARED(cp_64x128b_01_23, SM100_UTCCP_2x64dp128bitlw0123_1cta, 64)
SHARED(cp_32x128b, SM100_UTCCP_4x32dp128bit_1cta, 32)

//===--- loads and stores --------------------------------------------------------------------===//

/// 128 lanes of N columns by one atom there and by another one back.
template <class Store, class Load, int N> __device__ void back(float const *from, float *to) {
  __shared__ Control c;
  enter<TMEM::Allocator1Sm>(c);
  auto rows =
      make_layout(Shape<Shape<_128, Int<N>>, _1, _1>{}, Stride<Stride<Int<N>, _1>, _0, _0>{});
  Tensor in = make_tensor(make_gmem_ptr(from), rows);
  Tensor out = make_tensor(make_gmem_ptr(to), rows);
  Tensor cells = make_tensor<UMMA::tmem_frg_1sm<float>>(Shape<Shape<_128, Int<N>>, _1, _1>{});
  cells.data() = c.first;
  auto storing = make_tmem_copy(Store{}, cells);
  auto mine = storing.get_slice(threadIdx.x);
  Tensor source = mine.partition_S(in);
  Tensor registers = make_fragment_like(source);
  copy(source, registers);
  copy(storing, registers, mine.partition_D(cells));
  stored();
  __syncthreads();
  fetched();
  writeOut<Load>(cells, out);
  leave<TMEM::Allocator1Sm>(c);
}
#define BACK(SHAPE, N)                                                                             \
  extern "C" __global__ void st_##SHAPE(float const *from, float *to) {                            \
    back<SM100_TMEM_STORE_##SHAPE, SM100_TMEM_LOAD_32dp32b8x, N>(from, to);                        \
  }                                                                                                \
  extern "C" __global__ void ld_##SHAPE(float const *from, float *to) {                            \
    back<SM100_TMEM_STORE_32dp32b8x, SM100_TMEM_LOAD_##SHAPE, N>(from, to);                        \
  }
BACK(32dp32b1x, 8)
BACK(32dp32b2x, 8)
BACK(32dp32b16x, 32)
BACK(32dp32b64x, 64)
BACK(16dp32b1x, 8)
BACK(16dp32b4x, 16)
BACK(16dp32b16x, 32)
BACK(16dp64b1x, 8)
BACK(16dp64b4x, 8)
BACK(16dp64b16x, 32)
BACK(16dp128b1x, 8)
BACK(16dp128b4x, 16)
BACK(16dp128b16x, 64)
BACK(16dp256b1x, 8)
BACK(16dp256b2x, 16)
BACK(16dp256b8x, 64)
