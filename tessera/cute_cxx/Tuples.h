// Tuples taken apart, put together and compared, and bases.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/cute_cxx/Numbers.h"

namespace tessera::cute {

//===--- bases --------------------------------------------------------------------------------===//

// n times a unit vector, as a stride: E<1>{} * 3 is 3@1, of which the index is a coordinate with 3
// in mode 1.
template <int... Is> IntTuple operator*(E<Is...>, const Operand &n) {
  return scaled_basis(n.number, std::span(E<Is...>::path, sizeof...(Is)), n.at);
}
template <int... Is> IntTuple operator*(const Operand &n, E<Is...> basis) { return basis * n; }
/// The number of a basis, or the number itself.
Num basis_value(const IntTuple &, Place = Place::current());
/// The part of a tuple that a basis is of.
IntTuple basis_get(const IntTuple &basis, const IntTuple &, Place = Place::current());
/// A unit vector for each leaf: the strides of an identity layout.
IntTuple make_basis_like(const IntTuple &shape, Place = Place::current());

//===--- taken apart, put together ------------------------------------------------------------===//

IntTuple flatten(const IntTuple &, Place = Place::current());
/// The leaves of a flat tuple in the nesting of a profile.
IntTuple unflatten(const IntTuple &flat, const IntTuple &profile, Place = Place::current());
// A leaf as a tuple of it; a tuple of one mode as that mode, repeatedly.
IntTuple wrap(const IntTuple &, Place = Place::current());
IntTuple unwrap(const IntTuple &, Place = Place::current());
IntTuple reverse(const IntTuple &, Place = Place::current());
inline IntTuple front(const IntTuple &t, Place at = Place::current()) { return t.mode(0, at); }
inline IntTuple back(const IntTuple &t, Place at = Place::current()) {
  return t.mode(t.rank() - 1, at);
}
/// The modes of one after those of the other.
IntTuple tuple_cat(const IntTuple &, const IntTuple &, Place = Place::current());
/// Modes beside each other: ((a0,b0),(a1,b1),...); of one tuple its modes.
IntTuple zip(const IntTuple &, const IntTuple &, Place = Place::current());
IntTuple zip(const IntTuple &, Place = Place::current());
// What a coordinate keeps where it has `_`, and what it fixes.
IntTuple slice(const IntTuple &coord, const IntTuple &, Place = Place::current());
IntTuple dice(const IntTuple &coord, const IntTuple &, Place = Place::current());
/// `x` for each leaf.
IntTuple repeat_like(const IntTuple &profile, const IntTuple &x, Place = Place::current());
namespace detail {
/// Filled up to so many modes; -1: by one.
IntTuple filled(const IntTuple &, int rank, const IntTuple &x, bool behind, Place);
IntTuple exchanged(const IntTuple &, int begin, int end, const std::vector<IntTuple> &by, Place);
IntTuple together(const IntTuple &, int begin, int end, Place);
} // namespace detail
inline IntTuple append(const IntTuple &t, const IntTuple &x, Place at = Place::current()) {
  return detail::filled(t, -1, x, true, at);
}
inline IntTuple prepend(const IntTuple &t, const IntTuple &x, Place at = Place::current()) {
  return detail::filled(t, -1, x, false, at);
}
/// Copies of x until there are N modes.
template <int N>
IntTuple append(const IntTuple &t, const IntTuple &x, Place at = Place::current()) {
  return detail::filled(t, N, x, true, at);
}
template <int N>
IntTuple prepend(const IntTuple &t, const IntTuple &x, Place at = Place::current()) {
  return detail::filled(t, N, x, false, at);
}
template <int I>
IntTuple replace(const IntTuple &t, const IntTuple &x, Place at = Place::current()) {
  return detail::exchanged(t, I, I + 1, {x}, at);
}
template <int I>
IntTuple insert(const IntTuple &t, const IntTuple &x, Place at = Place::current()) {
  return detail::exchanged(t, I, I, {x}, at);
}
template <int I> IntTuple remove(const IntTuple &t, Place at = Place::current()) {
  return detail::exchanged(t, I, I + 1, {}, at);
}
inline IntTuple replace_front(const IntTuple &t, const IntTuple &x, Place at = Place::current()) {
  return detail::exchanged(t, 0, 1, {x}, at);
}
inline IntTuple replace_back(const IntTuple &t, const IntTuple &x, Place at = Place::current()) {
  return detail::exchanged(t, t.rank() - 1, t.rank(), {x}, at);
}
/// Modes B to E, E not included, as one.
template <int B, int E> IntTuple group(const IntTuple &t, Place at = Place::current()) {
  return detail::together(t, B, E, at);
}
int depth(const IntTuple &);

// Mode by mode, and leaf by leaf.
template <class F>
  requires std::invocable<F &, IntTuple>
void for_each(const IntTuple &t, F &&f) {
  for (int i = 0; i < t.rank(); ++i)
    f(t.mode(i));
}
template <class F>
  requires std::invocable<F &, IntTuple>
IntTuple transform(const IntTuple &t, F &&f) {
  std::vector<IntTuple> modes;
  for_each(t, [&](const IntTuple &mode) { modes.push_back(IntTuple(f(mode))); });
  return IntTuple::of(modes);
}
/// f(... f(f(start, mode 0), mode 1) ..., last mode).
template <class T, class F> auto fold(const IntTuple &t, const T &start, F &&f) {
  std::decay_t<decltype(f(start, t))> sum(start);
  for_each(t, [&](const IntTuple &mode) { sum = f(sum, mode); });
  return sum;
}

//===--- arithmetic ---------------------------------------------------------------------------===//

/// The product of each mode.
IntTuple product_each(const IntTuple &, Place = Place::current());
/// The product of what stands where the guide has a leaf.
IntTuple product_like(const IntTuple &, const IntTuple &guide, Place = Place::current());
/// The sum of products of partners.
Num inner_product(const IntTuple &, const IntTuple &, Place = Place::current());
// Of all leaves.
Num sum(const IntTuple &, Place = Place::current());
Num max(const IntTuple &, Place = Place::current());
Num min(const IntTuple &, Place = Place::current());
// Of numbers that C++ knows.
Num gcd(const IntTuple &, Place = Place::current());
Num gcd(const Num &, const Num &, Place = Place::current());
Num lcm(const Num &, const Num &, Place = Place::current());

//===--- comparisons --------------------------------------------------------------------------===//

// Leaf by leaf; leq is not greater, geq not less.
Num elem_leq(const IntTuple &, const IntTuple &, Place = Place::current());
Num elem_gtr(const IntTuple &, const IntTuple &, Place = Place::current());
Num elem_geq(const IntTuple &, const IntTuple &, Place = Place::current());
// In the order in which the first mode, or the last one, weighs most; of tuples that C++ knows.
bool lex_less(const IntTuple &, const IntTuple &, Place = Place::current());
bool colex_less(const IntTuple &, const IntTuple &, Place = Place::current());
/// Whether `a` is a whole number of `b`, mode by mode; of tuples that C++ knows.
bool evenly_divides(const IntTuple &a, const IntTuple &b, Place = Place::current());
/// Whether `a` is nested at most as deep as `b`.
bool weakly_congruent(const IntTuple &a, const IntTuple &b, Place = Place::current());

} // namespace tessera::cute
