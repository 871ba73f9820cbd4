// Functions of integers and of their bits, with CuTe C++'s names.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// CuTe C++'s functions of bits take unsigned numbers. Here a signed number, such as threadIdx.x or
// Int<8>, stands for its bits too. Where C++ knows the number, it knows the result.
#pragma once

#include "tessera/cute_cxx/Tuples.h"

namespace tessera::cute {

/// -1, 0 or 1.
Num signum(const Operand &);
/// x / y of numbers of which y divides x. Where C++ knows both it is checked.
Num safe_div(const Operand &x, const Operand &y);
inline ScaledBasis safe_div(const ScaledBasis &basis, const Operand &by) {
  return detail::with_value(basis, safe_div(Operand(basis_value(basis, by.at), by.at), by), by.at);
}
/// Whether it is a power of two.
Num has_single_bit(const Operand &);
/// The number of bits that it takes: 0 of 0, 4 of 8.
Num bit_width(const Operand &);
/// The largest k with 2^k <= x.
Num log_2(const Operand &);
// The smallest power of two that is not less, and the largest that is not greater; 0 for 0.
Num bit_ceil(const Operand &);
Num bit_floor(const Operand &);
// Zeros or ones from the most (l) or least (r) significant bit on; and all ones.
Num countl_zero(const Operand &);
Num countl_one(const Operand &);
Num countr_zero(const Operand &);
Num countr_one(const Operand &);
Num popcount(const Operand &);
// Rotated by a number of bits that C++ knows, in the other direction if it is negative.
Num rotl(const Operand &, int bits);
Num rotr(const Operand &, int bits);
// x << bits and x >> bits, in the other direction if C++ knows that `bits` is negative.
Num shiftl(const Operand &x, int bits);
Num shiftr(const Operand &x, int bits);

namespace detail {
void wrong_rank(const char *call, const IntTuple &, Place);
/// f(values...), of the number of values for which it is callable; results become those of the
/// smallest such number.
template <size_t N = 1, class T, class F>
auto apply_values(const std::vector<T> &values, F &&f, const IntTuple &of, Place at) {
  constexpr size_t most = 10;
  auto call = [&]<size_t... i>(std::index_sequence<i...>) -> decltype(auto) {
    return f(values[i]...);
  };
  constexpr bool fits = []<size_t... i>(std::index_sequence<i...>) {
    return std::invocable<F &, std::conditional_t<i + 1 != 0, const T &, T>...>;
  }(std::make_index_sequence<N>{});
  if constexpr (!fits) {
    static_assert(N < most, "apply takes a function of one argument for each mode, at most 10");
    return apply_values<N + 1>(values, f, of, at);
  } else {
    using R = std::decay_t<decltype(call(std::make_index_sequence<N>{}))>;
    auto tried = [&]<size_t M>(auto &self, std::integral_constant<size_t, M>) -> R {
      constexpr bool isOne = []<size_t... i>(std::index_sequence<i...>) {
        return std::invocable<F &, std::conditional_t<i + 1 != 0, const T &, T>...>;
      }(std::make_index_sequence<M>{});
      if constexpr (isOne)
        if (values.size() == M)
          return R(call(std::make_index_sequence<M>{}));
      if constexpr (M < most)
        return self(self, std::integral_constant<size_t, M + 1>{});
      else {
        wrong_rank("apply", of, at);
        return R();
      }
    };
    return tried(tried, std::integral_constant<size_t, N>{});
  }
}
} // namespace detail

/// f(mode 0, mode 1, ...).
template <class F> auto apply(const IntTuple &t, F &&f, Place at = Place::current()) {
  std::vector<IntTuple> modes;
  for_each(t, [&](const IntTuple &mode) { modes.push_back(mode); });
  return detail::apply_values(modes, f, t, at);
}
/// g(f(mode 0), f(mode 1), ...). f may give layouts and the like.
template <class F, class G>
  requires std::invocable<F &, IntTuple>
auto transform_apply(const IntTuple &t, F &&f, G &&g, Place at = Place::current()) {
  std::vector<std::decay_t<decltype(f(t))>> results;
  for_each(t, [&](const IntTuple &mode) { results.push_back(f(mode)); });
  return detail::apply_values(results, g, t, at);
}
template <class F, class G>
  requires std::invocable<F &, IntTuple, IntTuple>
auto transform_apply(const IntTuple &a, const IntTuple &b, F &&f, G &&g,
                     Place at = Place::current()) {
  std::vector<std::decay_t<decltype(f(a, b))>> results;
  for_each(zip(a, b), [&](const IntTuple &t) { results.push_back(f(t.mode(0), t.mode(1))); });
  return detail::apply_values(results, g, a, at);
}

} // namespace tessera::cute
