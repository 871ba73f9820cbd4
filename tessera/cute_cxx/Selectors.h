// Selectors: the largest product of a warpgroup that fits a tile, by CuTe C++'s names.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   make_tiled_mma(GMMA::ss_op_selector<half_t, half_t, float, Shape<_128, _192, _64>>())
#pragma once

#include "tessera/cute_cxx/Hopper.h"

namespace tessera::cute {
namespace detail {
struct GroupProduct {
  Format a, b, c;
  GMMA::Major majorA, majorB;
  bool fromRegisters; // A
};
MMAAtom group_atom(const char *call, const GroupProduct &, const IntTuple &tile, Place);
} // namespace detail
namespace GMMA {
/// The product (64,N,K) with the largest N that divides that of the tile (M,N,K). A and B are in
/// shared memory; of 8 bits and of tf32 both have K contiguous.
template <ElementType A, ElementType B, ElementType C, class Tile, Major a = Major::K,
          Major b = Major::K>
MMAAtom ss_op_selector(Place at = Place::current()) {
  return detail::group_atom("ss_op_selector",
                            {format_of<A>, format_of<B>, format_of<C>, a, b, false}, Tile{}, at);
}
/// The same with A in registers.
template <ElementType A, ElementType B, ElementType C, class Tile, Major a = Major::K,
          Major b = Major::K>
MMAAtom rs_op_selector(Place at = Place::current()) {
  static_assert(a == Major::K, "rs_op_selector takes an A with K contiguous in registers");
  return detail::group_atom("rs_op_selector",
                            {format_of<A>, format_of<B>, format_of<C>, a, b, true}, Tile{}, at);
}
} // namespace GMMA
} // namespace tessera::cute
