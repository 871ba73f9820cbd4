// Functions that divide, combine and compare tuples; bases.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/cute_cxx/Numbers.h"

namespace tessera::cute {

//===--- bases --------------------------------------------------------------------------------===//

// A multiple of a unit vector, as a stride: E<1>{} * 3 is 3@1, whose index is a coordinate with 3
// in mode 1.
template <int... Is> IntTuple operator*(E<Is...>, const Operand &n) {
  return scaled_basis(n.number, std::span(E<Is...>::path, sizeof...(Is)), n.at);
}
template <int... Is> IntTuple operator*(const Operand &n, E<Is...> basis) { return basis * n; }
/// The factor of a scaled basis; a number itself.
Num basis_value(const IntTuple &, Place = Place::current());
/// The part of a tuple at the path of a basis.
IntTuple basis_get(const IntTuple &basis, const IntTuple &, Place = Place::current());
/// A unit vector for each leaf: the strides of an identity layout.
IntTuple make_basis_like(const IntTuple &shape, Place = Place::current());

//===--- taken apart, put together ------------------------------------------------------------===//

IntTuple flatten(const IntTuple &, Place = Place::current());
/// The leaves of a flat tuple with the nesting of a profile.
IntTuple unflatten(const IntTuple &flat, const IntTuple &profile, Place = Place::current());
// A leaf as a tuple of one mode; a tuple of one mode as that mode, repeatedly.
IntTuple wrap(const IntTuple &, Place = Place::current());
IntTuple unwrap(const IntTuple &, Place = Place::current());
IntTuple reverse(const IntTuple &, Place = Place::current());
inline IntTuple front(const IntTuple &t, Place at = Place::current()) { return t.mode(0, at); }
inline IntTuple back(const IntTuple &t, Place at = Place::current()) {
  return t.mode(t.rank() - 1, at);
}
/// The modes of the first tuple followed by those of the second.
IntTuple tuple_cat(const IntTuple &, const IntTuple &, Place = Place::current());
/// The modes in pairs: ((a0,b0),(a1,b1),...). The second function zips the modes of one tuple.
IntTuple zip(const IntTuple &, const IntTuple &, Place = Place::current());
IntTuple zip(const IntTuple &, Place = Place::current());
// slice keeps the modes where the coordinate has `_`, dice keeps the others.
IntTuple slice(const IntTuple &coord, const IntTuple &, Place = Place::current());
IntTuple dice(const IntTuple &coord, const IntTuple &, Place = Place::current());
/// A tuple of the profile with `x` in place of each leaf.
IntTuple repeat_like(const IntTuple &profile, const IntTuple &x, Place = Place::current());
namespace detail {
/// The tuple filled up with `x` to `rank` modes; -1: by one mode.
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
/// Adds copies of x until there are N modes.
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
/// Groups the modes B to E, E excluded, into one.
template <int B, int E> IntTuple group(const IntTuple &t, Place at = Place::current()) {
  return detail::together(t, B, E, at);
}
int depth(const IntTuple &);

// Apply a function mode by mode, and leaf by leaf.
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
/// The product of the part of a tuple at each leaf of the guide.
IntTuple product_like(const IntTuple &, const IntTuple &guide, Place = Place::current());
/// The sum of the products of corresponding leaves.
Num inner_product(const IntTuple &, const IntTuple &, Place = Place::current());
// Over all leaves.
Num sum(const IntTuple &, Place = Place::current());
Num max(const IntTuple &, Place = Place::current());
Num min(const IntTuple &, Place = Place::current());
// For numbers that C++ knows.
Num gcd(const IntTuple &, Place = Place::current());
Num gcd(const Num &, const Num &, Place = Place::current());
Num lcm(const Num &, const Num &, Place = Place::current());

//===--- comparisons --------------------------------------------------------------------------===//

// Compare leaf by leaf; leq means not greater, geq not less.
Num elem_leq(const IntTuple &, const IntTuple &, Place = Place::current());
Num elem_gtr(const IntTuple &, const IntTuple &, Place = Place::current());
Num elem_geq(const IntTuple &, const IntTuple &, Place = Place::current());
// Orders in which the first, or the last, mode counts most. For tuples that C++ knows.
bool lex_less(const IntTuple &, const IntTuple &, Place = Place::current());
bool colex_less(const IntTuple &, const IntTuple &, Place = Place::current());
/// Whether `a` is a multiple of `b`, mode by mode. For tuples that C++ knows.
bool evenly_divides(const IntTuple &a, const IntTuple &b, Place = Place::current());
/// Whether `a` is nested at most as deep as `b`.
bool weakly_congruent(const IntTuple &a, const IntTuple &b, Place = Place::current());

} // namespace tessera::cute
