// Scale factors in tensor memory as operations of the program.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cute_cxx/Scaled.h"

#include "tessera/cute_cxx/Node.h"

using namespace tessera;

namespace tessera::cute {

/// A factor of a row is a byte; those of four groups of K are a word of each of 4 columns, 32 rows
/// in each. CUTLASS include/cute/atom/mma_traits_sm100_frag.hpp, tmem_sf_frg.
constexpr int groupsOfWord = 4, columnsOfWord = 4, bytesOfColumn = 4;

Tensor detail::factor_tensor(Format format, const Pointer &slot, int column, int groups, Place at) {
  constexpr int last = 511;
  Tensor refused = tensorFrom(dsl::Tensor(mlir::Value()));
  if (!isWithin("make_factor_tensor", "a column", column, 0, last, at) ||
      !isWithin("make_factor_tensor", "a number of groups", groups, 1, last, at))
    return refused;
  Pointer first = tensor_memory(format, slot, at);
  if (first.is_poisoned())
    return refused;
  int inWord = std::min(groups, groupsOfWord);
  int words = (groups + groupsOfWord - 1) / groupsOfWord;
  if (groups % inWord) {
    mistake("make_factor_tensor",
            cat("expects up to 4 groups, or a multiple of 4, but got ", groups), at);
    return refused;
  }
  dsl::Pointer from =
      dsl::offset(held<dsl::Pointer>(first), dsl::Coord(column * bytesOfColumn), at);
  return make_tensor(made<Pointer>(from),
                     make_layout(make_shape(1, make_shape(inWord, words)),
                                 make_stride(0, make_stride(1, columnsOfWord * bytesOfColumn)), at),
                     at);
}
void detail::copy_factors(int blocks, const Tensor &from, const Tensor &to, Place at) {
  constexpr int64_t ofWord = 512;
  constexpr const char *call = "copy";
  if (from.is_poisoned() || to.is_poisoned())
    return;
  dsl::Tensor source = tensorOf(from), target = tensorOf(to);
  if (dsl::start_of(source).space != "smem" || dsl::start_of(target).space != "tmem")
    return mistake(call, "expects factors of shared memory, and a tensor of make_factor_tensor",
                   at);
  Num held = cosize(from, at);
  int64_t words = std::max<int64_t>(1, int64_t(size<1>(to, at)) / groupsOfWord);
  if (!held.is_static() || int64_t(held) != words * ofWord)
    return mistake(call,
                   cat("expects the ", words * ofWord, " factors of 128 rows and ", words,
                       " times 4 groups of K, but got ", from.shape(at).str()),
                   at);
  dsl::Pointer bytes = dsl::get_iter(source, at), columns = dsl::get_iter(target, at);
  for (int64_t word = 0; word < words; ++word)
    dsl::copy_factors(dsl::offset(bytes, dsl::Coord(word * ofWord), at),
                      dsl::offset(columns, dsl::Coord(word * columnsOfWord * bytesOfColumn), at),
                      dsl::Element(from.format()), blocks, at);
}

} // namespace tessera::cute
