// Products of SM100 with scale factors: one for each 16 or 32 elements of a row.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Factors of 128 rows and 4 groups of K lie in 512 adjacent bytes: Sm1xxBlockScaledConfig says
// where. One warp copies them to tensor memory, from where a product reads those of its K:
//
//   Tensor tSFA = make_factor_tensor<float_ue8m0_t>(tmem_base, column, groups);
//   copy(SM100_UTCCP_4x32dp128bit_1cta{}, sSFA, tSFA);
//   gemm(mma.with(adds, tSFA(_, k), tSFB(_, k)), tCrA(_, _, k), tCrB(_, _, k), tCtAcc);
#pragma once

#include "tessera/cute_cxx/Blackwell.h"

namespace tessera::cute {

/// Factors of MXF4 by 16 elements: the numbers of float_e4m3_t that are not negative, in its codes.
using float_ue4m3_t = float_e4m3_t;

namespace detail {
template <class A, class B, class C, class SF, int M, int N, int Vector, GMMA::Major a,
          GMMA::Major b, int Blocks>
struct ScaledAtom : MMAAtom {
  explicit ScaledAtom(Place at = Place::current())
      : MMAAtom(tensor_atom({format_of<A>, format_of<B>, format_of<C>, M, N, Blocks, a, b, false,
                             format_of<SF>, Vector},
                            at)) {}
};
} // namespace detail
// D (M,N) += (A SFA) (B SFB), with A and B of 4 to 8 bits in shared memory. MXF8F6F4: 32 elements
// share a factor; MXF4: VS elements of 4 bits, 16 or 32.
template <class A, class B, class C, class SF, int M, int N, UMMA::Major a, UMMA::Major b,
          UMMA::ScaleIn = UMMA::ScaleIn::One, UMMA::ScaleIn = UMMA::ScaleIn::One>
using SM100_MMA_MXF8F6F4_SS = detail::ScaledAtom<A, B, C, SF, M, N, 32, a, b, 1>;
template <class A, class B, class C, class SF, int M, int N, UMMA::Major a, UMMA::Major b,
          UMMA::ScaleIn = UMMA::ScaleIn::One, UMMA::ScaleIn = UMMA::ScaleIn::One>
using SM100_MMA_MXF8F6F4_2x1SM_SS = detail::ScaledAtom<A, B, C, SF, M, N, 32, a, b, 2>;
template <class A, class B, class C, class SF, int M, int N, int VS, UMMA::Major a, UMMA::Major b,
          UMMA::ScaleIn = UMMA::ScaleIn::One, UMMA::ScaleIn = UMMA::ScaleIn::One>
using SM100_MMA_MXF4_SS = detail::ScaledAtom<A, B, C, SF, M, N, VS, a, b, 1>;
template <class A, class B, class C, class SF, int M, int N, int VS, UMMA::Major a, UMMA::Major b,
          UMMA::ScaleIn = UMMA::ScaleIn::One, UMMA::ScaleIn = UMMA::ScaleIn::One>
using SM100_MMA_MXF4_2x1SM_SS = detail::ScaledAtom<A, B, C, SF, M, N, VS, a, b, 2>;

/// Where the factors of A (M,K) and of B (N,K) lie in memory, as CUTLASS has it: a layout of the
/// elements, of which `VS` share a factor.
template <int VS> struct Sm1xxBlockScaledConfig {
  /// The factors of 128 rows and 4 groups of K: 512.
  static Layout<> SfAtom(Place at = Place::current()) {
    return make_layout(make_shape(make_shape(32, 4), make_shape(VS, 4)),
                       make_stride(make_stride(16, 4), make_stride(0, 1)), at);
  }
  /// For a problem (M,N,K,L).
  static Layout<> tile_atom_to_shape_SFA(const IntTuple &mnkl, Place at = Place::current()) {
    return of(mnkl.mode(0, at), mnkl, at);
  }
  static Layout<> tile_atom_to_shape_SFB(const IntTuple &mnkl, Place at = Place::current()) {
    return of(mnkl.mode(1, at), mnkl, at);
  }

private:
  static Layout<> of(const IntTuple &rows, const IntTuple &mnkl, Place at) {
    return tile_to_shape(SfAtom(at), make_shape(rows, mnkl.mode(2, at), mnkl.mode(3, at)),
                         make_tuple(2, 1, 3), at);
  }
};

namespace detail {
Tensor factor_tensor(Format, const Pointer &slot, int column, int groups, Place);
void copy_factors(int blocks, const Tensor &from, const Tensor &to, Place);
} // namespace detail
/// The factors of 128 rows in tensor memory, from a column on: mode 1 are the groups of K that
/// share a factor, and a product takes the factors from its first group on. Four groups take 4
/// columns.
template <ElementType SF>
Tensor make_factor_tensor(const Pointer &slot, int column, int groups,
                          Place at = Place::current()) {
  return detail::factor_tensor(format_of<SF>, slot, column, groups, at);
}
struct SM100_UTCCP_4x32dp128bit_1cta {};
struct SM100_UTCCP_4x32dp128bit_2cta {};
/// Copies factors from shared memory, in the order of Sm1xxBlockScaledConfig, to tensor memory.
/// Called by one warp; later products of the warp read them.
inline void copy(SM100_UTCCP_4x32dp128bit_1cta, const Tensor &from, const Tensor &to,
                 Place at = Place::current()) {
  detail::copy_factors(1, from, to, at);
}
inline void copy(SM100_UTCCP_4x32dp128bit_2cta, const Tensor &from, const Tensor &to,
                 Place at = Place::current()) {
  detail::copy_factors(2, from, to, at);
}

} // namespace tessera::cute
