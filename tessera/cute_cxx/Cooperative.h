// Copies and products by all threads of a block, with CuTe C++'s names.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Threads do not wait for each other: before the results are read, the kernel needs a barrier and,
// for cp.async, its wait.
#pragma once

#include "tessera/cute_cxx/Atoms.h"

namespace tessera::cute {

namespace detail {
/// A copy instruction by its name; null: as wide as layouts and alignments allow.
struct CopyName {
  const char *name = nullptr;
  int bits = 0;
};
template <class Op> CopyName copy_name(const Op &) {
  if constexpr (requires { Op::is_default; })
    return {};
  else if constexpr (requires { Op::bits; })
    return {Op::name, Op::bits};
  else
    return {Op::name, 0};
}
void cooperative_copy(int threads, int vector_bits, const Num &thread, const Tensor &from,
                      const Tensor &to, CopyName, Place);
} // namespace detail

/// Threads 0 to Threads - 1 copy all elements of a tensor of global or shared memory, at most
/// MaxVecBits bits at once; 0: one element.
template <uint32_t Threads, uint32_t MaxVecBits, class Op = DefaultCopy>
void cooperative_copy(const Num &thread, const Tensor &from, const Tensor &to, const Op &op = {},
                      Place at = Place::current()) {
  detail::cooperative_copy(int(Threads), int(MaxVecBits), thread, from, to, detail::copy_name(op),
                           at);
}
template <uint32_t Threads, class Op = DefaultCopy>
void cooperative_copy(const Num &thread, const Tensor &from, const Tensor &to, const Op &op = {},
                      Place at = Place::current()) {
  detail::cooperative_copy(int(Threads), 0, thread, from, to, detail::copy_name(op), at);
}

namespace detail {
void prefetch(int threads, int fetch_bytes, const Num &thread, const Tensor &, const char *call,
              Place);
} // namespace detail
/// Threads 0 to Threads - 1 bring a tensor of global memory to the L2 cache, in pieces of at most
/// FetchBytes bytes that are contiguous.
template <uint32_t Threads, uint32_t FetchBytes = 64>
void cooperative_prefetch(const Num &thread, const Tensor &t, Place at = Place::current()) {
  detail::prefetch(int(Threads), int(FetchBytes), thread, t, "cooperative_prefetch", at);
}
/// The same by one thread.
inline void prefetch(const Tensor &t, Place at = Place::current()) {
  detail::prefetch(1, 64, 0, t, "prefetch", at);
}

/// cp.async from global to shared memory for elements of 4 and 8 bytes, else a plain copy, element
/// by element. The predicate has one element for each.
struct AutoCopyAsync {};
void copy(AutoCopyAsync, const Tensor &from, const Tensor &to, Place = Place::current());
void copy_if(AutoCopyAsync, const Tensor &pred, const Tensor &from, const Tensor &to,
             Place = Place::current());

namespace detail {
/// What is done to elements; an empty function: nothing.
using ElementFunction = std::function<Num(Num)>;
template <class F> ElementFunction element_function(const F &f) {
  if constexpr (std::is_same_v<F, identity>)
    return {};
  else
    return [f](const Num &x) { return Num(f(x)); };
}
struct GemmCopies {
  CopyName a, b, load_c = {}, store_c = {};
};
struct GemmFunctions {
  ElementFunction a, b, load_c = {}, store_c = {};
};
void cooperative_gemm(const Num &thread, const TiledMMA &, const Operand &alpha, const Tensor &a,
                      const Tensor &b, const Operand &beta, const Tensor &c, const GemmFunctions &,
                      const GemmCopies &);
void cooperative_gemm(const Num &thread, const TiledMMA &, const Tensor &a, const Tensor &b,
                      const Tensor &c, const GemmFunctions &, const GemmCopies &, Place);
} // namespace detail

/// C = store_c(alpha a(A) b(B) + beta load_c(C)) with A (M,K), B (N,K) and C (M,N) in shared
/// memory, of any extents. If beta is the literal 0, C is not read. The copies move operands to
/// registers and C to memory, where the tiles of the product cover the extents.
template <class FA = identity, class FB = identity, class FL = identity, class FS = identity,
          class CopyA = DefaultCopy, class CopyB = DefaultCopy, class CopyL = DefaultCopy,
          class CopyS = DefaultCopy>
void cooperative_gemm(const Num &thread, const TiledMMA &mma, const Operand &alpha, const Tensor &a,
                      const Tensor &b, const Operand &beta, const Tensor &c, const FA &of_a = {},
                      const FB &of_b = {}, const FL &load_c = {}, const FS &store_c = {},
                      const CopyA &copy_a = {}, const CopyB &copy_b = {},
                      const CopyL &copy_load_c = {}, const CopyS &copy_store_c = {}) {
  detail::cooperative_gemm(thread, mma, alpha, a, b, beta, c,
                           {detail::element_function(of_a), detail::element_function(of_b),
                            detail::element_function(load_c), detail::element_function(store_c)},
                           {detail::copy_name(copy_a), detail::copy_name(copy_b),
                            detail::copy_name(copy_load_c), detail::copy_name(copy_store_c)});
}
/// C += a(A) b(B), where C is the fragment of the thread.
template <class FA = identity, class FB = identity, class CopyA = DefaultCopy,
          class CopyB = DefaultCopy>
void cooperative_gemm(const Num &thread, const TiledMMA &mma, const Tensor &a, const Tensor &b,
                      const Tensor &c, const FA &of_a = {}, const FB &of_b = {},
                      const CopyA &copy_a = {}, const CopyB &copy_b = {},
                      Place at = Place::current()) {
  detail::cooperative_gemm(thread, mma, a, b, c,
                           {detail::element_function(of_a), detail::element_function(of_b)},
                           {detail::copy_name(copy_a), detail::copy_name(copy_b)}, at);
}

} // namespace tessera::cute
