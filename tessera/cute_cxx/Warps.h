// Sparse products of warps and warpgroups, and those of SM120 with floats of 4 to 8 bits.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A sparse A holds half of its elements. Its layout has them for coordinates (M,K) of all, where
// both elements of a pair have one index: (M,(2,K/2)):(K/2,(0,1)). A register of each lane says
// which elements are kept, as PTX packs it:
//
//   gemm(with_metadata(mma, e), tCrA(_, m, k), tCrB(_, n, k), tCrC(_, m, n));
#pragma once

#include "tessera/cute_cxx/Blackwell.h"

namespace tessera::cute {

namespace detail {
struct WarpProduct {
  const char *name; // before its elements
  Format a, b, c, factor = Format::none;
  int vector = 0;
};
MMAAtom warp_atom(const WarpProduct &, Place);
} // namespace detail

// SM80: CuTe C++ has no names for them; these are those of the rows. _ORDERED: with ordered
// metadata.
#define TESSERA_SPARSE_ATOM(SHAPE)                                                                 \
  struct SM80_SPARSE_##SHAPE##_TN {                                                                \
    static constexpr const char *name = "SM80_SPARSE_" #SHAPE "_TN";                               \
  };                                                                                               \
  struct SM80_SPARSE_##SHAPE##_TN_ORDERED {                                                        \
    static constexpr const char *name = "SM80_SPARSE_" #SHAPE "_TN_ORDERED";                       \
  };
#define TESSERA_SPARSE_INTEGERS(SHAPE, BITS)                                                       \
  TESSERA_SPARSE_ATOM(SHAPE##_S32S##BITS##S##BITS##S32)                                            \
  TESSERA_SPARSE_ATOM(SHAPE##_S32S##BITS##U##BITS##S32)                                            \
  TESSERA_SPARSE_ATOM(SHAPE##_S32U##BITS##S##BITS##S32)                                            \
  TESSERA_SPARSE_ATOM(SHAPE##_S32U##BITS##U##BITS##S32)
TESSERA_SPARSE_ATOM(16x8x16_F16F16F16F16)
TESSERA_SPARSE_ATOM(16x8x32_F16F16F16F16)
TESSERA_SPARSE_ATOM(16x8x16_F32F16F16F32)
TESSERA_SPARSE_ATOM(16x8x32_F32F16F16F32)
TESSERA_SPARSE_ATOM(16x8x16_F32BF16BF16F32)
TESSERA_SPARSE_ATOM(16x8x32_F32BF16BF16F32)
TESSERA_SPARSE_ATOM(16x8x8_F32TF32TF32F32)
TESSERA_SPARSE_ATOM(16x8x16_F32TF32TF32F32)
TESSERA_SPARSE_ATOM(16x8x64_F32E4M3E4M3F32)
TESSERA_SPARSE_ATOM(16x8x64_F32E4M3E5M2F32)
TESSERA_SPARSE_ATOM(16x8x64_F32E5M2E4M3F32)
TESSERA_SPARSE_ATOM(16x8x64_F32E5M2E5M2F32)
TESSERA_SPARSE_INTEGERS(16x8x32, 8)
TESSERA_SPARSE_INTEGERS(16x8x64, 8)
TESSERA_SPARSE_INTEGERS(16x8x64, 4)
TESSERA_SPARSE_INTEGERS(16x8x128, 4)
#undef TESSERA_SPARSE_INTEGERS
#undef TESSERA_SPARSE_ATOM

// SM90: the same of a warpgroup, with A in shared memory (SS) or in registers (RS).
#define TESSERA_SPARSE_GROUP(N, TYPES)                                                             \
  template <cute::GMMA::Major A, cute::GMMA::Major B,                                              \
            cute::GMMA::ScaleIn = cute::GMMA::ScaleIn::One,                                        \
            cute::GMMA::ScaleIn = cute::GMMA::ScaleIn::One>                                        \
  struct GMMA_64x##N##TYPES {                                                                      \
    static constexpr const char *name = "GMMA_64x" #N #TYPES;                                      \
    static constexpr cute::GMMA::Major a_major = A, b_major = B;                                   \
  };
#define TESSERA_SPARSE_GROUP_TN(N, TYPES)                                                          \
  template <cute::GMMA::ScaleIn = cute::GMMA::ScaleIn::One,                                        \
            cute::GMMA::ScaleIn = cute::GMMA::ScaleIn::One>                                        \
  struct GMMA_64x##N##TYPES##_TN {                                                                 \
    static constexpr const char *name = "GMMA_64x" #N #TYPES "_TN";                                \
  };
// clang-format off
#define TESSERA_SPARSE_GROUPS(KIND, TYPES)                                                         \
  KIND(8, TYPES##_SS) KIND(16, TYPES##_SS) KIND(32, TYPES##_SS) KIND(64, TYPES##_SS)               \
  KIND(96, TYPES##_SS) KIND(128, TYPES##_SS) KIND(192, TYPES##_SS) KIND(256, TYPES##_SS)           \
  KIND(8, TYPES##_RS) KIND(16, TYPES##_RS) KIND(32, TYPES##_RS) KIND(64, TYPES##_RS)               \
  KIND(96, TYPES##_RS) KIND(128, TYPES##_RS) KIND(192, TYPES##_RS) KIND(256, TYPES##_RS)
// clang-format on
namespace SM90::GMMA::SPARSE {
TESSERA_SPARSE_GROUPS(TESSERA_SPARSE_GROUP, x32_F16F16F16)
TESSERA_SPARSE_GROUPS(TESSERA_SPARSE_GROUP, x32_F32F16F16)
TESSERA_SPARSE_GROUPS(TESSERA_SPARSE_GROUP, x32_F32BF16BF16)
TESSERA_SPARSE_GROUPS(TESSERA_SPARSE_GROUP_TN, x16_F32TF32TF32)
TESSERA_SPARSE_GROUPS(TESSERA_SPARSE_GROUP_TN, x64_F32E4M3E4M3)
TESSERA_SPARSE_GROUPS(TESSERA_SPARSE_GROUP_TN, x64_F32E4M3E5M2)
TESSERA_SPARSE_GROUPS(TESSERA_SPARSE_GROUP_TN, x64_F32E5M2E4M3)
TESSERA_SPARSE_GROUPS(TESSERA_SPARSE_GROUP_TN, x64_F32E5M2E5M2)
TESSERA_SPARSE_GROUPS(TESSERA_SPARSE_GROUP_TN, x64_S32S8S8)
TESSERA_SPARSE_GROUPS(TESSERA_SPARSE_GROUP_TN, x64_S32U8U8)
} // namespace SM90::GMMA::SPARSE
#undef TESSERA_SPARSE_GROUPS
#undef TESSERA_SPARSE_GROUP_TN
#undef TESSERA_SPARSE_GROUP

// SM120: elements of 4 and 6 bits lie in bytes, those of 4 bits in bits 2 to 5; VS: with scale
// factors, each for so many elements along K. 16x8x64: two elements of 4 bits a byte.
#define TESSERA_WARP_ATOM(NAME)                                                                    \
  template <class A, class B, class C> struct NAME : MMAAtom {                                     \
    explicit NAME(Place at = Place::current())                                                     \
        : MMAAtom(detail::warp_atom({#NAME, format_of<A>, format_of<B>, format_of<C>}, at)) {}     \
  };
#define TESSERA_SCALED_WARP_ATOM(NAME)                                                             \
  template <class A, class B, class C, class SF, int VS> struct NAME : MMAAtom {                   \
    explicit NAME(Place at = Place::current())                                                     \
        : MMAAtom(detail::warp_atom(                                                               \
              {#NAME, format_of<A>, format_of<B>, format_of<C>, format_of<SF>, VS}, at)) {}        \
  };
TESSERA_WARP_ATOM(SM120_16x8x32_TN)
namespace SM120::BLOCKSCALED {
TESSERA_SCALED_WARP_ATOM(SM120_16x8x32_TN_VS)
TESSERA_SCALED_WARP_ATOM(SM120_16x8x64_TN_VS)
} // namespace SM120::BLOCKSCALED
namespace SM120::SPARSE {
TESSERA_WARP_ATOM(SM120_SPARSE_16x8x64_TN)
} // namespace SM120::SPARSE
#undef TESSERA_WARP_ATOM
#undef TESSERA_SCALED_WARP_ATOM

/// The product with this register of metadata.
TiledMMA with_metadata(const TiledMMA &, const Num &e, Place = Place::current());
/// The product with these registers of scale factors, a byte each: of A the first two lanes of four
/// have those of their rows, of B the first lane those of its column.
TiledMMA with_factors(const TiledMMA &, const Num &ofA, const Num &ofB, Place = Place::current());

} // namespace tessera::cute
