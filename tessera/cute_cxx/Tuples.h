// Functions that divide, combine and compare tuples; bases.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/cute_cxx/Numbers.h"

namespace tessera::cute {

//===--- bases --------------------------------------------------------------------------------===//

// A multiple of a unit vector, as a stride: E<1>{} * 3 is 3@1, whose index is a coordinate with 3
// in mode 1.
struct ScaledBasis : IntTuple {
  ScaledBasis() = default;
  explicit ScaledBasis(IntTuple t) : IntTuple(std::move(t)) {}
};
template <int... Is> ScaledBasis operator*(E<Is...>, const Operand &n) {
  return ScaledBasis(scaled_basis(n.number, std::span(E<Is...>::path, sizeof...(Is)), n.at));
}
template <int... Is> ScaledBasis operator*(const Operand &n, E<Is...> basis) { return basis * n; }
namespace detail {
/// The basis with another factor.
ScaledBasis with_value(const ScaledBasis &, const Num &, Place);
} // namespace detail
/// The factor of a scaled basis; a number itself.
Num basis_value(const IntTuple &, Place = Place::current());
/// A coordinate that is added mode by mode. Modes that it lacks are 0, also those of a basis:
/// E<0>{} + E<1>{} * 3 is (1,3).
struct ArithmeticTuple : IntTuple {
  ArithmeticTuple() = default;
  explicit ArithmeticTuple(IntTuple t) : IntTuple(std::move(t)) {}
};
ArithmeticTuple as_arithmetic_tuple(const IntTuple &, Place = Place::current());
template <class... Ts> ArithmeticTuple make_arithmetic_tuple(const Ts &...modes) {
  return ArithmeticTuple(make_tuple(modes...));
}
namespace detail {
template <class T> inline constexpr bool is_summand = std::is_base_of_v<ArithmeticTuple, T>;
template <int... Is> inline constexpr bool is_summand<E<Is...>> = true;
template <> inline constexpr bool is_summand<ScaledBasis> = true;
template <class A, class B>
concept Summands = (is_summand<A> && std::constructible_from<IntTuple, const B &>) ||
                   (is_summand<B> && std::constructible_from<IntTuple, const A &>);
IntTuple added(const IntTuple &, const IntTuple &, bool minus, Place);
} // namespace detail
template <class A, class B>
  requires detail::Summands<A, B>
ArithmeticTuple operator+(const A &a, const B &b) {
  return ArithmeticTuple(detail::added(IntTuple(a), IntTuple(b), false, Place::current()));
}
template <class A, class B>
  requires detail::Summands<A, B>
ArithmeticTuple operator-(const A &a, const B &b) {
  return ArithmeticTuple(detail::added(IntTuple(a), IntTuple(b), true, Place::current()));
}
// Functions that change only the factor.
inline ScaledBasis operator*(const ScaledBasis &basis, const Operand &n) {
  return detail::with_value(basis, Operand(basis_value(basis, n.at), n.at) * n, n.at);
}
inline ScaledBasis operator*(const Operand &n, const ScaledBasis &basis) { return basis * n; }
inline ScaledBasis ceil_div(const ScaledBasis &basis, const IntTuple &by,
                            Place at = Place::current()) {
  return detail::with_value(basis, ceil_div(IntTuple(basis_value(basis, at), at), by, at), at);
}
inline ScaledBasis abs(const ScaledBasis &basis, Place at = Place::current()) {
  return detail::with_value(basis, abs(Operand(basis_value(basis, at), at)), at);
}
/// The part of a tuple at the path of a basis.
IntTuple basis_get(const IntTuple &basis, const IntTuple &, Place = Place::current());
/// A unit vector for each leaf: the strides of an identity layout.
IntTuple make_basis_like(const IntTuple &shape, Place = Place::current());

//===--- taken apart, put together ------------------------------------------------------------===//

IntTuple flatten(const IntTuple &, Place = Place::current());
/// The same, where a leaf becomes a tuple of one mode.
inline IntTuple flatten_to_tuple(const IntTuple &t, Place at = Place::current()) {
  return flatten(t.rank() == 1 ? IntTuple::of({t}, at) : t, at);
}
/// The leaves of a flat tuple with the nesting of a profile.
IntTuple unflatten(const IntTuple &flat, const IntTuple &profile, Place = Place::current());
// A leaf as a tuple of one mode; a tuple of one mode as that mode, repeatedly.
IntTuple wrap(const IntTuple &, Place = Place::current());
IntTuple unwrap(const IntTuple &, Place = Place::current());
IntTuple reverse(const IntTuple &, Place = Place::current());
// The first leaf, and the last.
IntTuple front(const IntTuple &, Place = Place::current());
IntTuple back(const IntTuple &, Place = Place::current());
/// The modes of all tuples, one after the other.
IntTuple tuple_cat(const IntTuple &, const IntTuple &, Place = Place::current());
inline IntTuple tuple_cat(const IntTuple &a, const IntTuple &b, const IntTuple &c,
                          Place at = Place::current()) {
  return tuple_cat(tuple_cat(a, b, at), c, at);
}
template <std::convertible_to<IntTuple> T, std::convertible_to<IntTuple>... Ts>
IntTuple tuple_cat(const IntTuple &a, const IntTuple &b, const IntTuple &c, const T &d,
                   const Ts &...more) {
  return tuple_cat(tuple_cat(a, b), c, d, more...);
}
/// The modes of one tuple of tuples of one rank, ((a0,a1),(b0,b1)), in turn: ((a0,b0),(a1,b1)).
IntTuple zip(const IntTuple &, Place = Place::current());
IntTuple zip(const IntTuple &, const IntTuple &, Place = Place::current());
inline IntTuple zip(const IntTuple &a, const IntTuple &b, const IntTuple &c,
                    Place at = Place::current()) {
  return zip(IntTuple::of({a, b, c}, at), at);
}
/// ((A,a),(B,b),...,c) as ((A,B,...),(a,b,...,c)): the pairs are where the guide has its leaves.
IntTuple zip2_by(const IntTuple &, const IntTuple &guide, Place = Place::current());
// slice keeps the modes where the coordinate has `_`, dice keeps the others.
IntTuple slice(const IntTuple &coord, const IntTuple &, Place = Place::current());
IntTuple dice(const IntTuple &coord, const IntTuple &, Place = Place::current());
/// A tuple of the profile with `x` in place of each leaf.
IntTuple repeat_like(const IntTuple &profile, const IntTuple &x, Place = Place::current());
namespace detail {
/// Whether it is not a leaf.
bool is_tuple(const IntTuple &);
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
// The first template argument keeps f from being tried with a tuple where it is for tensors.
template <std::convertible_to<IntTuple> T, class F>
  requires std::invocable<F &, IntTuple>
void for_each(const T &tuple, F &&f) {
  const IntTuple &t = tuple;
  for (int i = 0; i < t.rank(); ++i)
    f(t.mode(i));
}
template <std::convertible_to<IntTuple> T, class F>
  requires std::invocable<F &, IntTuple>
IntTuple transform(const T &t, F &&f) {
  std::vector<IntTuple> modes;
  for_each(t, [&](const IntTuple &mode) { modes.push_back(IntTuple(f(mode))); });
  return IntTuple::of(modes);
}
template <std::convertible_to<IntTuple> T, class F>
  requires std::invocable<F &, IntTuple, IntTuple>
IntTuple transform(const T &a, const IntTuple &b, F &&f) {
  return transform(zip(a, b), [&](const IntTuple &t) { return IntTuple(f(t.mode(0), t.mode(1))); });
}
template <std::convertible_to<IntTuple> T, class F>
  requires std::invocable<F &, IntTuple, IntTuple, IntTuple>
IntTuple transform(const T &a, const IntTuple &b, const IntTuple &c, F &&f) {
  return transform(zip(a, b, c),
                   [&](const IntTuple &t) { return IntTuple(f(t.mode(0), t.mode(1), t.mode(2))); });
}
template <class F>
  requires std::invocable<F &, IntTuple>
void for_each_leaf(const IntTuple &t, F &&f) {
  for_each(flatten_to_tuple(t), f);
}
template <class F>
  requires std::invocable<F &, IntTuple>
IntTuple transform_leaf(const IntTuple &t, F &&f) {
  if (!detail::is_tuple(t))
    return IntTuple(f(t));
  return transform(t, [&](const IntTuple &mode) { return transform_leaf(mode, f); });
}
template <class F>
  requires std::invocable<F &, IntTuple, IntTuple>
IntTuple transform_leaf(const IntTuple &a, const IntTuple &b, F &&f) {
  if (!detail::is_tuple(a) || !detail::is_tuple(b))
    return IntTuple(f(a, b));
  return transform(a, b,
                   [&](const IntTuple &x, const IntTuple &y) { return transform_leaf(x, y, f); });
}
/// The modes of the tuples that f makes of each mode.
template <class F>
  requires std::invocable<F &, IntTuple>
IntTuple filter_tuple(const IntTuple &t, F &&f) {
  std::vector<IntTuple> modes;
  for_each(t, [&](const IntTuple &mode) {
    IntTuple more(f(mode));
    for_each(more, [&](const IntTuple &each) { modes.push_back(each); });
  });
  return IntTuple::of(modes);
}
/// f(... f(f(start, mode 0), mode 1) ..., last mode).
template <class T, class F> auto fold(const IntTuple &t, const T &start, F &&f) {
  std::decay_t<decltype(f(start, t))> sum(start);
  for_each(t, [&](const IntTuple &mode) { sum = f(sum, mode); });
  return sum;
}
/// The same, where mode 0 is the start.
template <class F> auto fold_first(const IntTuple &t, F &&f) {
  std::decay_t<decltype(f(t, t))> sum(t.mode(0));
  for (int i = 1; i < t.rank(); ++i)
    sum = f(sum, t.mode(i));
  return sum;
}
// The values of such a fold before each mode (escan), and after it (iscan).
template <class T, class F> IntTuple iscan(const IntTuple &t, const T &start, F &&f) {
  IntTuple sum(start);
  return transform(t, [&](const IntTuple &mode) { return sum = IntTuple(f(sum, mode)); });
}
template <class T, class F> IntTuple escan(const IntTuple &t, const T &start, F &&f) {
  IntTuple sum(start), before;
  return transform(t, [&](const IntTuple &mode) {
    before = sum;
    sum = IntTuple(f(sum, mode));
    return before;
  });
}
/// The first mode for which f holds, as C++ knows it; their number if there is none.
template <class F> int find_if(const IntTuple &t, F &&f) {
  int i = 0;
  while (i < t.rank() && !bool(Num(f(t.mode(i)))))
    ++i;
  return i;
}
inline int find(const IntTuple &t, const IntTuple &x) {
  return find_if(t, [&](const IntTuple &mode) { return Operand(mode) == Operand(x); });
}
template <class F> Num any_of(const IntTuple &t, F &&f) {
  return fold(t, Num(false), [&](const Num &any, const IntTuple &m) { return any | Num(f(m)); });
}
template <class F> Num all_of(const IntTuple &t, F &&f) {
  return fold(t, Num(true), [&](const Num &all, const IntTuple &m) { return all & Num(f(m)); });
}
template <class F> Num none_of(const IntTuple &t, F &&f) { return any_of(t, f) == Num(false); }
// Functions for folds and reductions.
struct plus {
  Num operator()(const Operand &x, const Operand &y) const { return x + y; }
};
struct minus {
  Num operator()(const Operand &x, const Operand &y) const { return x - y; }
};
struct multiplies {
  Num operator()(const Operand &x, const Operand &y) const { return x * y; }
};
struct divides {
  Num operator()(const Operand &x, const Operand &y) const { return x / y; }
};
struct modulus {
  Num operator()(const Operand &x, const Operand &y) const { return x % y; }
};
struct negate {
  Num operator()(const Operand &x) const { return -x; }
};
struct abs_fn {
  Num operator()(const Operand &x) const { return abs(x); }
};
/// Numbers here are real.
struct conjugate {
  template <class T> T operator()(const T &x) const { return x; }
};
struct bit_and {
  Num operator()(const Operand &x, const Operand &y) const { return x & y; }
};
struct bit_or {
  Num operator()(const Operand &x, const Operand &y) const { return x | y; }
};
struct bit_xor {
  Num operator()(const Operand &x, const Operand &y) const { return x ^ y; }
};
struct bit_not {
  Num operator()(const Operand &x) const { return ~x; }
};
struct equal_to {
  Num operator()(const Operand &x, const Operand &y) const { return x == y; }
};
struct not_equal_to {
  Num operator()(const Operand &x, const Operand &y) const { return x != y; }
};
struct less {
  Num operator()(const Operand &x, const Operand &y) const { return x < y; }
};
struct less_equal {
  Num operator()(const Operand &x, const Operand &y) const { return x <= y; }
};
struct greater {
  Num operator()(const Operand &x, const Operand &y) const { return x > y; }
};
struct greater_equal {
  Num operator()(const Operand &x, const Operand &y) const { return x >= y; }
};
struct identity {
  template <class T> T operator()(const T &x) const { return x; }
};
struct max_fn {
  Num operator()(const Operand &x, const Operand &y) const { return max(x, y); }
};
struct min_fn {
  Num operator()(const Operand &x, const Operand &y) const { return min(x, y); }
};

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
#define TESSERA_ORDER(ORDER)                                                                       \
  inline bool ORDER##_leq(const IntTuple &a, const IntTuple &b, Place at = Place::current()) {     \
    return !ORDER##_less(b, a, at);                                                                \
  }                                                                                                \
  inline bool ORDER##_gtr(const IntTuple &a, const IntTuple &b, Place at = Place::current()) {     \
    return ORDER##_less(b, a, at);                                                                 \
  }                                                                                                \
  inline bool ORDER##_geq(const IntTuple &a, const IntTuple &b, Place at = Place::current()) {     \
    return !ORDER##_less(a, b, at);                                                                \
  }
TESSERA_ORDER(lex)
TESSERA_ORDER(colex)
#undef TESSERA_ORDER
/// Whether `a` is a multiple of `b`, mode by mode. For tuples that C++ knows.
bool evenly_divides(const IntTuple &a, const IntTuple &b, Place = Place::current());
/// Whether `a` is nested at most as deep as `b`.
bool weakly_congruent(const IntTuple &a, const IntTuple &b, Place = Place::current());

} // namespace tessera::cute
