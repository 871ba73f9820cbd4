// SM100: tensor memory, and products into it (tcgen05).
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A product belongs to one thread: the "threads" of a tiled product are blocks, so that get_slice
// takes the block of a pair, and 0 without one. Its accumulator is in tensor memory:
//
//   Tensor tCtAcc = thr.make_fragment_C(tCgC);                 // says the layout
//   tCtAcc = make_tensor(make_tmem_ptr<float>(slot), tCtAcc.layout());
#pragma once

#include "tessera/cute_cxx/Hopper.h"

namespace tessera::cute {

//===--- products -----------------------------------------------------------------------------===//

namespace UMMA {
using GMMA::Layout_INTER_Atom;
using GMMA::Layout_K_INTER_Atom;
using GMMA::Layout_K_SW128_Atom;
using GMMA::Layout_K_SW32_Atom;
using GMMA::Layout_K_SW64_Atom;
using GMMA::Layout_MN_INTER_Atom;
using GMMA::Layout_MN_SW128_Atom;
using GMMA::Layout_MN_SW32_Atom;
using GMMA::Layout_MN_SW64_Atom;
using GMMA::Layout_SW128_Atom;
using GMMA::Layout_SW32_Atom;
using GMMA::Layout_SW64_Atom;
using GMMA::Major;
using GMMA::ScaleIn;
using GMMA::ScaleOut;
/// Shared memory for what partition_shape_A or _B says, ((M,K),Ms,Ks,...): the atom of a layout
/// repeated to cover it.
Layout<> tile_to_mma_shape(const Layout<> &atom, const IntTuple &shape, Place = Place::current());
} // namespace UMMA

namespace detail {
struct TensorProduct {
  Format a, b, c;
  int m, n, blocks;
  GMMA::Major majorA, majorB;
  bool aInTmem = false;
  std::optional<Format> factor = {}; // of scale factors
  int vector = 0;                    // elements of a row that share one
};
MMAAtom tensor_atom(const TensorProduct &, Place);
template <class A, class B, class C, int M, int N, GMMA::Major a, GMMA::Major b, int Blocks,
          bool aInTmem = false>
struct TensorAtom : MMAAtom {
  explicit TensorAtom(Place at = Place::current())
      : MMAAtom(tensor_atom({format_of<A>, format_of<B>, format_of<C>, M, N, Blocks, a, b, aInTmem},
                            at)) {}
};
} // namespace detail
// D (M,N) += A (M,K) B (N,K), where K is 32 bytes of A, with A and B in shared memory. TS: with A
// in tensor memory. 2x1SM: a pair of blocks, each with half of the rows of A and of B.
#define TESSERA_TENSOR_ATOMS(KIND)                                                                 \
  template <class A, class B, class C, int M, int N, UMMA::Major a, UMMA::Major b,                 \
            UMMA::ScaleIn = UMMA::ScaleIn::One, UMMA::ScaleIn = UMMA::ScaleIn::One>                \
  using KIND##_SS = detail::TensorAtom<A, B, C, M, N, a, b, 1>;                                    \
  template <class A, class B, class C, int M, int N, UMMA::Major a, UMMA::Major b,                 \
            UMMA::ScaleIn = UMMA::ScaleIn::One, UMMA::ScaleIn = UMMA::ScaleIn::One>                \
  using KIND##_2x1SM_SS = detail::TensorAtom<A, B, C, M, N, a, b, 2>;                              \
  template <class A, class B, class C, int M, int N, UMMA::Major a, UMMA::Major b,                 \
            UMMA::ScaleIn = UMMA::ScaleIn::One, UMMA::ScaleIn = UMMA::ScaleIn::One>                \
  using KIND##_TS = detail::TensorAtom<A, B, C, M, N, a, b, 1, true>;                              \
  template <class A, class B, class C, int M, int N, UMMA::Major a, UMMA::Major b,                 \
            UMMA::ScaleIn = UMMA::ScaleIn::One, UMMA::ScaleIn = UMMA::ScaleIn::One>                \
  using KIND##_2x1SM_TS = detail::TensorAtom<A, B, C, M, N, a, b, 2, true>;
TESSERA_TENSOR_ATOMS(SM100_MMA_F16BF16)
TESSERA_TENSOR_ATOMS(SM100_MMA_TF32)
TESSERA_TENSOR_ATOMS(SM100_MMA_S8)
TESSERA_TENSOR_ATOMS(SM100_MMA_F8F6F4)
#undef TESSERA_TENSOR_ATOMS
template <std::derived_from<MMAAtom> Op> struct MMA_Atom<Op> : Op {
  explicit MMA_Atom(Place at = Place::current()) : Op(at) {}
};

/// The barrier gets an arrival when all earlier products of this warp are done. Called by one warp.
void umma_arrive(const Barrier &, Place = Place::current());
/// The same at the barriers of the blocks of the cluster whose bits are set.
void umma_arrive_multicast(const Barrier &, const Num &blocks, Place = Place::current());
/// The same for products of a pair of blocks.
void umma_arrive_2x1SM(const Barrier &, Place = Place::current());
/// The same for a pair of blocks, at the barriers of the blocks of the cluster whose bits are set.
void umma_arrive_multicast_2x1SM(const Barrier &, const Num &blocks, Place = Place::current());

//===--- tensor copies ------------------------------------------------------------------------===//

namespace detail {
TmaCopy tma_of_product(TmaKind, bool ofA, const Tensor &, const Layout<> &smem,
                       const IntTuple &tiler, const TiledMMA &, const Layout<> &cluster, Place);
} // namespace detail
// Copies of A (M,K) and B (N,K) for a product (M,N,K) of a block or a pair: boxes are the block's
// part of a tile. `cluster` is (V,M,N,K), V the blocks of a pair. What multicasts A reaches the
// blocks along N, and what multicasts B those along M.
template <detail::TmaOp Op>
TmaCopy make_tma_atom_A_sm100(Op, const Tensor &t, const Layout<> &smem, const IntTuple &tiler,
                              const TiledMMA &mma, const Layout<> &cluster,
                              Place at = Place::current()) {
  return detail::tma_of_product(*detail::tma_kind<Op>, true, t, smem, tiler, mma, cluster, at);
}
template <detail::TmaOp Op>
TmaCopy make_tma_atom_B_sm100(Op, const Tensor &t, const Layout<> &smem, const IntTuple &tiler,
                              const TiledMMA &mma, const Layout<> &cluster,
                              Place at = Place::current()) {
  return detail::tma_of_product(*detail::tma_kind<Op>, false, t, smem, tiler, mma, cluster, at);
}

//===--- tensor memory ------------------------------------------------------------------------===//

namespace TMEM {
/// Columns of tensor memory for a block, or with two blocks for a pair. One warp calls all its
/// functions. `slot` is a word of shared memory, allocate_smem<uint32_t>(1), that keeps the
/// address.
template <int Blocks> class Allocator {
public:
  static constexpr int Sm100TmemCapacityColumns = 512, ColumnsPerAllocationSlice = 32;
  /// Allocates 32, 64, ... 512 columns, and lets other blocks allocate. A barrier of the block
  /// follows.
  void allocate(int columns, const Pointer &slot, Place = Place::current()) const;
  void free(const Pointer &slot, int columns, Place = Place::current()) const;
  /// Does nothing: `allocate` did it.
  void release_allocation_lock() const {}
};
using Allocator1Sm = Allocator<1>;
using Allocator2Sm = Allocator<2>;
} // namespace TMEM
namespace detail {
void allocate_tensor_memory(int columns, const Pointer &slot, int blocks, Place);
void free_tensor_memory(int columns, const Pointer &slot, int blocks, Place);
Pointer tensor_memory(Format, const Pointer &slot, Place);
} // namespace detail
template <int Blocks>
void TMEM::Allocator<Blocks>::allocate(int columns, const Pointer &slot, Place at) const {
  detail::allocate_tensor_memory(columns, slot, Blocks, at);
}
template <int Blocks>
void TMEM::Allocator<Blocks>::free(const Pointer &slot, int columns, Place at) const {
  detail::free_tensor_memory(columns, slot, Blocks, at);
}
/// The first column whose address is in the slot, as a pointer to elements.
template <ElementType T> Pointer make_tmem_ptr(const Pointer &slot, Place at = Place::current()) {
  return detail::tensor_memory(format_of<T>, slot, at);
}

namespace detail {
/// Lanes, bits and repetitions of a copy between tensor memory and registers; Packed: two columns
/// of 16 bits are one register.
template <int Lanes, int Bits, int Repetitions, bool Load, bool Packed = false> struct TensorCopy {
  static constexpr int lanes = Lanes, bits = Bits, repetitions = Repetitions;
  static constexpr bool loads = Load, packed = Packed;
};
template <class T>
concept TensorCopyOp =
    requires { []<int L, int B, int R, bool D, bool P>(TensorCopy<L, B, R, D, P>) {}(T{}); };
TiledCopy tensor_copy(int lanes, int bits, int repetitions, bool loads, bool packed, const Tensor &,
                      Place);
} // namespace detail
#define TESSERA_TENSOR_COPY(LANES, BITS, N)                                                        \
  using SM100_TMEM_LOAD_##LANES##dp##BITS##b##N##x = detail::TensorCopy<LANES, BITS, N, true>;     \
  using SM100_TMEM_STORE_##LANES##dp##BITS##b##N##x = detail::TensorCopy<LANES, BITS, N, false>;   \
  using SM100_TMEM_LOAD_##LANES##dp##BITS##b##N##x_16b =                                           \
      detail::TensorCopy<LANES, BITS, N, true, true>;                                              \
  using SM100_TMEM_STORE_##LANES##dp##BITS##b##N##x_16b =                                          \
      detail::TensorCopy<LANES, BITS, N, false, true>;
#define TESSERA_TENSOR_COPIES(LANES, BITS)                                                         \
  TESSERA_TENSOR_COPY(LANES, BITS, 1)                                                              \
  TESSERA_TENSOR_COPY(LANES, BITS, 2)                                                              \
  TESSERA_TENSOR_COPY(LANES, BITS, 4)                                                              \
  TESSERA_TENSOR_COPY(LANES, BITS, 8)                                                              \
  TESSERA_TENSOR_COPY(LANES, BITS, 16)                                                             \
  TESSERA_TENSOR_COPY(LANES, BITS, 32)
TESSERA_TENSOR_COPIES(32, 32)
TESSERA_TENSOR_COPY(32, 32, 64)
TESSERA_TENSOR_COPY(32, 32, 128)
TESSERA_TENSOR_COPIES(16, 64)
TESSERA_TENSOR_COPY(16, 64, 64)
TESSERA_TENSOR_COPY(16, 64, 128)
TESSERA_TENSOR_COPIES(16, 128)
TESSERA_TENSOR_COPY(16, 128, 64)
TESSERA_TENSOR_COPIES(16, 256)
TESSERA_TENSOR_COPIES(16, 32)
TESSERA_TENSOR_COPY(16, 32, 64)
TESSERA_TENSOR_COPY(16, 32, 128)
#undef TESSERA_TENSOR_COPIES
#undef TESSERA_TENSOR_COPY
/// The copy of this tensor of tensor memory by the registers of four warps. What it loads is there
/// when `copy` returns.
template <detail::TensorCopyOp Op>
TiledCopy make_tmem_copy(Op, const Tensor &t, Place at = Place::current()) {
  return detail::tensor_copy(Op::lanes, Op::bits, Op::repetitions, Op::loads, Op::packed, t, at);
}

} // namespace tessera::cute
