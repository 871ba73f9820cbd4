// Layouts, tilers and swizzles, and the algebra on them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is static is computed by tessera/layout while the kernel is traced; the laws are there
// (layout/Algebra.h).
#pragma once

#include "tessera/cute_cxx/Tuples.h"

#include <algorithm>
#include <bit>
#include <cstdio>
#include <tuple>

namespace tessera::cute {

/// `Layout<>`, or just `Layout` for a variable, is any layout. Layout<Shape<_8, _4>, Stride<_4,
/// _1>>{} is a layout given by C++ types.
template <class... Parts> class Layout;
template <> class Layout<> : public Value {
public:
  Layout() = default;
  using Value::Value;
  /// "(8,4):(4,1)", as `print` writes it.
  Layout(const char *text, Place = Place::current());

  IntTuple shape(Place = Place::current()) const;
  IntTuple stride(Place = Place::current()) const;
  template <int I, int... Js> IntTuple shape(Place at = Place::current()) const {
    return get<I, Js...>(shape(at), at);
  }
  template <int I, int... Js> IntTuple stride(Place at = Place::current()) const {
    return get<I, Js...>(stride(at), at);
  }
  /// The index of a coordinate.
  template <class... Rest>
    requires(!(detail::is_slice<Rest> || ...))
  Num operator()(detail::Fixed first, const Rest &...rest) const {
    return at(detail::coord(first, rest...), first.at);
  }
  /// With `_`: the layout of the kept modes, with the others fixed.
  template <class... Rest>
    requires(detail::is_slice<Rest> || ...)
  Layout operator()(detail::Fixed first, const Rest &...rest) const {
    return sliced(detail::coord(first, rest...), first.at);
  }
  template <class... Rest> Layout operator()(detail::Free first, const Rest &...rest) const {
    return sliced(detail::coord(first, rest...), first.at);
  }
  Layout sliced(const IntTuple &coord, Place = Place::current()) const;
  Num at(const IntTuple &coord, Place = Place::current()) const;
  Layout mode(int, Place = Place::current()) const;
  /// Composition with a tiler: the part of the layout that it names. Several arguments are the
  /// modes of one tiler.
  Layout compose(const class Tiler &, Place = Place::current()) const;
  template <class T, class U, class... Ts>
    requires(!std::same_as<U, Place>)
  Layout compose(const T &, const U &, const Ts &...tilers) const;
  /// The same as tiled_divide: ((tile), rest...). Several arguments are the modes of one tiler.
  template <class... Ts> Layout tile(const Ts &...tilers) const;
  /// The same indices for coordinates of a shape of the same size: a composition with its compact
  /// layout. Several arguments are the modes of the shape.
  Layout with_shape(const IntTuple &, Place = Place::current()) const;
  template <class... Ts>
    requires(sizeof...(Ts) > 1)
  Layout with_shape(const Ts &...shape) const {
    return with_shape(make_tuple(shape...));
  }
  // The coordinate that the layout maps to an index: with the nesting of the shape, flat, and as
  // one integer.
  IntTuple get_hier_coord(const Num &index, Place = Place::current()) const;
  IntTuple get_flat_coord(const Num &index, Place = Place::current()) const;
  Num get_1d_coord(const Num &index, Place = Place::current()) const;
  int rank() const;
  bool is_static() const; // whether C++ knows it
  Layout layout() const { return *this; }
  // Of a composition a(offset + b(coordinate)), as of a swizzle; of another layout 0, and itself.
  IntTuple offset(Place = Place::current()) const;
  Layout layout_b(Place = Place::current()) const;
  std::string str() const;
};
Layout(const char *, Place = Place::current()) -> Layout<>;

namespace detail {
/// A layout, and the author's line that states it.
struct LayoutAt {
  LayoutAt(const Layout<> &l, Place where = Place::current()) : layout(l), at(where) {}
  Layout<> layout;
  Place at;
};
Layout<> joined(std::initializer_list<Layout<>>, Place);
} // namespace detail
/// Whether shapes and strides are equal, of layouts that C++ knows.
bool operator==(const detail::LayoutAt &, const detail::LayoutAt &);

Layout<> make_layout(const IntTuple &shape, Place = Place::current());
Layout<> make_layout(const IntTuple &shape, const IntTuple &stride, Place = Place::current());
/// A layout with these layouts as modes.
Layout<> make_layout(const Layout<> &, const Layout<> &, Place = Place::current());
Layout<> make_layout(const Layout<> &, const Layout<> &, const Layout<> &,
                     Place = Place::current());
Layout<> make_layout(const Layout<> &, const Layout<> &, const Layout<> &, const Layout<> &,
                     Place = Place::current());
Layout<> make_layout(const Layout<> &, Place = Place::current());
template <std::convertible_to<Layout<>>... Ls>
Layout<> make_layout(const detail::LayoutAt &a, const Layout<> &b, const Layout<> &c,
                     const Layout<> &d, const Layout<> &e, const Ls &...more) {
  return detail::joined({a.layout, b, c, d, e, more...}, a.at);
}
Layout<> make_layout(const IntTuple &shape, LayoutLeft, Place = Place::current());
Layout<> make_layout(const IntTuple &shape, LayoutRight, Place = Place::current());
Layout<> make_ordered_layout(const IntTuple &shape, const IntTuple &order,
                             Place = Place::current());
Layout<> make_identity_layout(const IntTuple &shape, Place = Place::current());

template <class S> class Layout<S> : public Layout<> {
public:
  Layout() : Layout<>(make_layout(S{})) {}
};
template <class S, class D> class Layout<S, D> : public Layout<> {
public:
  Layout() : Layout<>(make(D{})) {}

private:
  static Layout<> make(const IntTuple &stride) { return make_layout(S{}, stride); }
  static Layout<> make(LayoutLeft) { return make_layout(S{}, LayoutLeft{}); }
  static Layout<> make(LayoutRight) { return make_layout(S{}, LayoutRight{}); }
};

/// The composition of a swizzle or layout, an offset and a layout, given by C++ types.
template <class A, class Offset, class B> class ComposedLayout : public Layout<> {
public:
  ComposedLayout() : Layout<>(make_composed_layout(A{}, Offset{}, B{})) {}
};

template <int B, int M, int S = M> struct Swizzle {
  static constexpr int bits = B, base = M, shift = S;
  static constexpr int num_bits = B, num_base = M, num_shft = S;
  /// The index with its bits exchanged.
  Num operator()(const Num &index, Place at = Place::current()) const;
  static Num apply(const Num &index, Place at = Place::current()) { return Swizzle()(index, at); }
};
/// A swizzle whose numbers C++ computes while it traces, as get_swizzle_portion does.
struct AnySwizzle {
  int num_bits, num_base, num_shft;
  AnySwizzle(int bits, int base, int shift) : num_bits(bits), num_base(base), num_shft(shift) {}
  template <int B, int M, int S> AnySwizzle(Swizzle<B, M, S>) : AnySwizzle(B, M, S) {}
  Num operator()(const Num &index, Place = Place::current()) const;
  Num apply(const Num &index, Place at = Place::current()) const { return (*this)(index, at); }
  bool operator==(const AnySwizzle &) const = default;
};
template <int B, int M, int S> Num Swizzle<B, M, S>::operator()(const Num &index, Place at) const {
  return AnySwizzle(*this)(index, at);
}
/// The swizzle of bits in two masks: make_swizzle<0b1000, 0b0100>() is Swizzle<1, 2, 1>.
template <uint32_t Y, uint32_t Z> constexpr auto make_swizzle() {
  constexpr int y = std::countr_zero(Y), z = std::countr_zero(Z), bits = std::popcount(Y);
  constexpr uint32_t run = bits < 32 ? (uint32_t(1) << bits) - 1 : ~uint32_t(0);
  static_assert(Y == (Y ? run << y : 0) && Z == (Z ? run << z : 0),
                "make_swizzle takes two masks of equally many adjacent bits");
  return Swizzle<bits, (y < z ? y : z) % 32, y - z>();
}
template <int B0, int M0, int S0, int B1, int M1, int S1>
constexpr auto composition(Swizzle<B0, M0, S0>, Swizzle<B1, M1, S1>) {
  static_assert(S0 == S1, "composition of swizzles takes two of one shift");
  auto mask = [](int bits, int base) { return ((uint32_t(1) << bits) - 1) << base; };
  return make_swizzle<(mask(B0, M0 + (S0 > 0 ? S0 : 0)) ^ mask(B1, M1 + (S0 > 0 ? S0 : 0))),
                      (mask(B0, M0 + (S0 < 0 ? -S0 : 0)) ^ mask(B1, M1 + (S0 < 0 ? -S0 : 0)))>();
}

/// Whether the type alone says the value, as those of Int<8>, Shape<_8, _4> and Swizzle<3, 3, 3>.
template <class T> struct is_static;
template <class T> inline constexpr bool is_static_v = is_static<T>::value;
namespace detail {
template <class T> constexpr bool says_value() {
  static_assert(!std::is_base_of_v<Value, T>,
                "is_static<T>: this type holds what C++ knows as well as what the device knows; "
                "ask the value, x.is_static(), as in CUTE_STATIC_ASSERT_V(shape(x).is_static())");
  return std::is_empty_v<T>;
}
template <class T> inline constexpr bool static_type = says_value<T>();
template <class... Ts> inline constexpr bool static_type<Shape<Ts...>> = (is_static_v<Ts> && ...);
template <class... Ts> inline constexpr bool static_type<Stride<Ts...>> = (is_static_v<Ts> && ...);
template <class... Ts> inline constexpr bool static_type<Step<Ts...>> = (is_static_v<Ts> && ...);
template <class... Ts> inline constexpr bool static_type<Coord<Ts...>> = (is_static_v<Ts> && ...);
template <class S> inline constexpr bool static_type<Layout<S>> = is_static_v<S>;
template <class S, class D>
inline constexpr bool static_type<Layout<S, D>> = is_static_v<S> && is_static_v<D>;
} // namespace detail
template <class T> struct is_static : bool_constant<detail::static_type<std::remove_cvref_t<T>>> {};

namespace detail {
/// What a type of a tuple or layout says: rank, depth, size, and of a layout cosize.
template <class T> struct TypeFacts {
  static_assert(sizeof(T) == 0,
                "rank_v, depth_v, size_v and cosize_v take types that say the value, as Shape<_8, "
                "_4> and Layout<Shape<_8, _4>>; ask the value: rank(x), size(x), cosize(x)");
};
template <int64_t N> struct TypeFacts<Int<N>> {
  static constexpr int rank = 1, depth = 0;
  static constexpr int64_t size = N;
};
template <class... Ts> struct TupleFacts {
  static constexpr int rank = int(sizeof...(Ts)),
                       depth = 1 + std::max({0, TypeFacts<Ts>::depth...});
  static constexpr int64_t size = (TypeFacts<Ts>::size * ... * 1);
};
template <class... Ts> struct TypeFacts<Shape<Ts...>> : TupleFacts<Ts...> {};
template <class... Ts> struct TypeFacts<Stride<Ts...>> : TupleFacts<Ts...> {};
template <class... Ts> struct TypeFacts<Step<Ts...>> : TupleFacts<Ts...> {};
template <class... Ts> struct TypeFacts<Coord<Ts...>> : TupleFacts<Ts...> {};
/// How far the indices of a shape with these strides reach.
template <class S, class D> consteval int64_t notCongruent() {
  static_assert(sizeof(S) == 0,
                "a layout expects a stride for each extent, in the same nesting, as "
                "Layout<Shape<_8, Shape<_2, _4>>, Stride<_8, Stride<_1, _2>>>");
  return 0;
}
template <class S, class D> inline constexpr int64_t reach = notCongruent<S, D>();
template <int64_t S, int64_t D>
inline constexpr int64_t reach<Int<S>, Int<D>> = (S - 1) * (D < 0 ? -D : D);
template <class... Ss, class... Ds>
  requires(sizeof...(Ss) == sizeof...(Ds))
inline constexpr int64_t reach<Shape<Ss...>, Stride<Ds...>> = (reach<Ss, Ds> + ... + 0);
template <class S> struct TypeFacts<Layout<S>> : TypeFacts<S> {
  static constexpr int64_t cosize = TypeFacts<S>::size;
};
template <class S, class D> struct TypeFacts<Layout<S, D>> : TypeFacts<S> {
  static constexpr int64_t cosize = 1 + reach<S, D>;
};
template <class S> struct TypeFacts<Layout<S, LayoutLeft>> : TypeFacts<Layout<S>> {};
template <class S> struct TypeFacts<Layout<S, LayoutRight>> : TypeFacts<Layout<S>> {};
} // namespace detail
// Of a type that says the value; others are asked by rank(x), depth(x), size(x) and cosize(x).
template <class T> inline constexpr int rank_v = detail::TypeFacts<T>::rank;
template <class T> inline constexpr int depth_v = detail::TypeFacts<T>::depth;
template <class T> inline constexpr int64_t size_v = detail::TypeFacts<T>::size;
template <class T> inline constexpr int64_t cosize_v = detail::TypeFacts<T>::cosize;

/// For each mode an extent, a layout, or `_`.
class Tiler : public Value {
public:
  Tiler() = default;
  using Value::Value;
  Tiler(const IntTuple &extents, Place = Place::current());
  Tiler(const Layout<> &whole, Place = Place::current());
  template <int64_t N> Tiler(Int<N> n, Place at = Place::current()) : Tiler(IntTuple(n), at) {}
  template <std::integral T> Tiler(T n, Place at = Place::current()) : Tiler(IntTuple(n), at) {}
  Tiler(Underscore);
  int rank() const;
  Tiler mode(int, Place = Place::current()) const;
  /// The number of elements of each mode.
  IntTuple shape(Place = Place::current()) const;
  static Tiler of(std::initializer_list<Tiler> modes, Place = Place::current());
  std::string str() const;
};
template <class... Ts> Tiler make_tile(const Ts &...modes) { return Tiler::of({Tiler(modes)...}); }
template <class... Ts> struct Tile : Tiler {
  Tile() : Tiler(make_tile(Ts{}...)) {}
};

// Templates, as extents and layouts would be tilers too.
template <int I, std::derived_from<Tiler> T> Tiler get(const T &t, Place at = Place::current()) {
  return t.mode(I, at);
}
template <std::derived_from<Tiler> T> int rank(const T &t) { return t.rank(); }
template <std::derived_from<Tiler> T> IntTuple shape(const T &t, Place at = Place::current()) {
  return t.shape(at);
}
template <std::derived_from<Tiler> T> Num size(const T &t, Place at = Place::current()) {
  return size(t.shape(at), at);
}
template <int I, std::derived_from<Tiler> T> Num size(const T &t, Place at = Place::current()) {
  return size(t.mode(I, at).shape(at), at);
}
template <class T, class U, class... Ts>
  requires(!std::same_as<U, Place>)
Layout<> Layout<>::compose(const T &first, const U &second, const Ts &...tilers) const {
  return compose(make_tile(first, second, tilers...));
}

namespace detail {
bool evenly_divides(const IntTuple &shape, const Tiler &, Place);
}
/// Whether the tiles leave no remainder in a shape, mode by mode.
template <std::derived_from<Tiler> T>
bool evenly_divides(const IntTuple &shape, const T &t, Place at = Place::current()) {
  return detail::evenly_divides(shape, t, at);
}
template <std::derived_from<Layout<>> T>
bool evenly_divides(const IntTuple &shape, const T &t, Place at = Place::current()) {
  return detail::evenly_divides(shape, Tiler(t, at), at);
}

/// c -> a(b(c)).
Layout<> composition(const Layout<> &a, const Layout<> &b, Place = Place::current());
/// Composition mode by mode.
Layout<> composition(const Layout<> &a, const Tiler &b, Place = Place::current());
/// The composition of a swizzle with a layout; the swizzle is applied last.
Layout<> composition(const AnySwizzle &, const Layout<> &, Place = Place::current());

Layout<> coalesce(const Layout<> &, Place = Place::current());
/// Coalesces mode by mode of a profile: Step<_1, _1> keeps two modes.
Layout<> coalesce(const Layout<> &, const IntTuple &profile, Place = Place::current());
Layout<> flatten(const Layout<> &, Place = Place::current());
Layout<> complement(const Layout<> &, const IntTuple &cotarget, Place = Place::current());
Layout<> complement(const Layout<> &, Place = Place::current());
Layout<> right_inverse(const Layout<> &, Place = Place::current());
Layout<> left_inverse(const Layout<> &, Place = Place::current());
/// The layout of the coordinates with index 0.
Layout<> nullspace(const Layout<> &, Place = Place::current());
/// The longest run of elements that is contiguous in both layouts in the same order: as a layout,
/// and its number of elements.
Layout<> max_common_layout(const Layout<> &, const Layout<> &, Place = Place::current());
int max_common_vector(const Layout<> &, const Layout<> &, Place = Place::current());
Layout<> filter(const Layout<> &, Place = Place::current());
Layout<> filter_zeros(const Layout<> &, Place = Place::current());
// Results: ((tile, rest) of each mode), ((tiles), (rests)), ((tiles), rests...), (tiles...,
// rests...).
Layout<> logical_divide(const Layout<> &, const Tiler &, Place = Place::current());
Layout<> zipped_divide(const Layout<> &, const Tiler &, Place = Place::current());
Layout<> tiled_divide(const Layout<> &, const Tiler &, Place = Place::current());
Layout<> flat_divide(const Layout<> &, const Tiler &, Place = Place::current());
Layout<> logical_product(const Layout<> &, const Tiler &, Place = Place::current());
Layout<> zipped_product(const Layout<> &, const Tiler &, Place = Place::current());
Layout<> tiled_product(const Layout<> &, const Tiler &, Place = Place::current());
Layout<> flat_product(const Layout<> &, const Tiler &, Place = Place::current());
Layout<> blocked_product(const Layout<> &, const Layout<> &, Place = Place::current());
Layout<> raked_product(const Layout<> &, const Layout<> &, Place = Place::current());
/// The block repeated to cover a shape, along the first mode first unless `order` says otherwise.
Layout<> tile_to_shape(const Layout<> &block, const IntTuple &shape, Place = Place::current());
Layout<> tile_to_shape(const Layout<> &block, const IntTuple &shape, const IntTuple &order,
                       Place = Place::current());
inline Layout<> tile_to_shape(const Layout<> &block, const IntTuple &shape, LayoutLeft,
                              Place at = Place::current()) {
  return tile_to_shape(block, shape, at);
}
Layout<> tile_to_shape(const Layout<> &block, const IntTuple &shape, LayoutRight,
                       Place = Place::current());
template <class... Ts> Layout<> Layout<>::tile(const Ts &...tilers) const {
  if constexpr (sizeof...(Ts) == 1)
    return tiled_divide(*this, Tiler(tilers...));
  else
    return tiled_divide(*this, make_tile(tilers...));
}
Layout<> append(const Layout<> &, const Layout<> &mode, Place = Place::current());
/// The layout with the modes f(mode 0), f(mode 1), ...
template <class F>
  requires std::invocable<F &, Layout<>>
Layout<> transform_layout(const Layout<> &l, F &&f, Place at = Place::current());
Layout<> prepend(const Layout<> &, const Layout<> &mode, Place = Place::current());

//===--- parts --------------------------------------------------------------------------------===//

// slice keeps the modes where the coordinate has `_`, dice keeps the others.
Layout<> slice(const IntTuple &coord, const Layout<> &, Place = Place::current());
Layout<> dice(const IntTuple &coord, const Layout<> &, Place = Place::current());
/// The modes that slice keeps, and the index of the fixed coordinates.
std::tuple<Layout<>, IntTuple> slice_and_offset(const IntTuple &coord, const Layout<> &,
                                                Place = Place::current());
/// Mode i is (mode i of a, mode i of b). The second function zips the modes of one layout.
Layout<> zip(const Layout<> &a, const Layout<> &b, Place = Place::current());
Layout<> zip(const Layout<> &, Place = Place::current());
/// The modes of a flat layout in the nesting of a profile.
Layout<> unflatten(const Layout<> &flat, const IntTuple &profile, Place = Place::current());
/// The layout of registers for a partition: mode 0 compact, the rest in the order of the strides.
Layout<> make_fragment_like(const Layout<> &, Place = Place::current());
inline Layout<> make_fragment_like(const IntTuple &shape, Place at = Place::current()) {
  return make_layout(shape, at);
}
/// A compact layout whose strides are in the order of the given layout's.
Layout<> make_layout_like(const Layout<> &, Place = Place::current());
IntTuple compact_order(const IntTuple &shape, const IntTuple &order, Place = Place::current());
/// c -> a(offset + b(c)).
Layout<> make_composed_layout(const Layout<> &a, const IntTuple &offset, const Layout<> &b,
                              Place = Place::current());
namespace detail {
Layout<> filled(const Layout<> &, int rank, const Layout<> &x, bool behind, Place);
} // namespace detail
Layout<> make_composed_layout(const AnySwizzle &, const IntTuple &offset, const Layout<> &b,
                              Place = Place::current());
inline Layout<> composition(const AnySwizzle &a, const IntTuple &offset, const Layout<> &b,
                            Place at = Place::current()) {
  return make_composed_layout(a, offset, b, at);
}
/// The swizzle of a layout, Swizzle<0, 4, 3> if there is none, and the layout without it.
AnySwizzle get_swizzle_portion(const Layout<> &, Place = Place::current());
Layout<> get_nonswizzle_portion(const Layout<> &, Place = Place::current());
/// The largest number of elements that vector accesses to this layout can have.
Num max_alignment(const Layout<> &, Place = Place::current());
// These apply below each leaf of a profile.
Layout<> filter(const Layout<> &, const IntTuple &profile, Place = Place::current());
Layout<> filter_zeros(const Layout<> &, const IntTuple &profile, Place = Place::current());
/// A layout that distributes at most `count` elements over a shape, adjacent ones first.
Layout<> domain_distribute(const IntTuple &shape, const Num &count, Place = Place::current());
/// The nesting of the codomain: 0, or a tuple of zeros where strides are bases.
IntTuple coprofile(const Layout<> &, Place = Place::current());
// Adds copies of `x` as modes until there are N.
template <int N>
Layout<> append(const Layout<> &l, const Layout<> &x = make_layout(1, 0),
                Place at = Place::current()) {
  return detail::filled(l, N, x, true, at);
}
template <int N>
Layout<> prepend(const Layout<> &l, const Layout<> &x = make_layout(1, 0),
                 Place at = Place::current()) {
  return detail::filled(l, N, x, false, at);
}

namespace detail {
Layout<> select(const Layout<> &, std::vector<int> modes, Place);
Layout<> group(const Layout<> &, int begin, int end, Place);
Layout<> take(const Layout<> &, int begin, int end, Place);
Layout<> replace(const Layout<> &, int mode, const Layout<> &, Place);
Layout<> recast(const char *call, const Layout<> &, int old_bits, int new_bits, Place);
Layout<> cast(const char *call, const Layout<> &, int factor, bool up, Place);
} // namespace detail
/// Modes B to E, E excluded.
template <int B, int E> Layout<> take(const Layout<> &l, Place at = Place::current()) {
  return detail::take(l, B, E, at);
}
/// Replaces mode I by another layout.
template <int I>
Layout<> replace(const Layout<> &l, const Layout<> &mode, Place at = Place::current()) {
  return detail::replace(l, I, mode, at);
}
// The layout in units of elements N times as large (upcast) or N times as small (downcast), and
// recast for other elements of the same memory.
template <int N> Layout<> upcast(const Layout<> &l, Place at = Place::current()) {
  return detail::cast("upcast", l, N, true, at);
}
template <int N> Layout<> downcast(const Layout<> &l, Place at = Place::current()) {
  return detail::cast("downcast", l, N, false, at);
}
template <class Old, class New>
Layout<> recast_layout(const Layout<> &l, Place at = Place::current()) {
  return detail::recast("recast_layout", l, sizeof_bits_v<Old>, sizeof_bits_v<New>, at);
}
template <int... Is> Layout<> select(const Layout<> &l, Place at = Place::current()) {
  return detail::select(l, {Is...}, at);
}
template <int B, int E> Layout<> group_modes(const Layout<> &l, Place at = Place::current()) {
  return detail::group(l, B, E, at);
}
template <int B, int E> Layout<> group(const Layout<> &l, Place at = Place::current()) {
  return detail::group(l, B, E, at);
}
/// Mode I, mode J of that, ...
template <int I, int... Js> Layout<> layout(const Layout<> &l, Place at = Place::current()) {
  if constexpr (sizeof...(Js) == 0)
    return l.mode(I, at);
  else
    return layout<Js...>(l.mode(I, at), at);
}
template <int I, int... Js> Layout<> get(const Layout<> &l, Place at = Place::current()) {
  return layout<I, Js...>(l, at);
}
inline int rank(const Layout<> &l) { return l.rank(); }
template <int I, int... Js> int rank(const Layout<> &l) { return layout<I, Js...>(l).rank(); }
int depth(const Layout<> &);
template <int I, int... Js> int depth(const Layout<> &l) { return depth(layout<I, Js...>(l)); }
inline IntTuple shape(const Layout<> &l, Place at = Place::current()) { return l.shape(at); }
template <int I, int... Js> IntTuple shape(const Layout<> &l, Place at = Place::current()) {
  return get<I, Js...>(l.shape(at), at);
}
inline IntTuple stride(const Layout<> &l, Place at = Place::current()) { return l.stride(at); }
namespace detail {
template <class T> IntTuple shape_of(const T &x, Place at) {
  if constexpr (std::is_base_of_v<Layout<>, T>)
    return x.shape(at);
  else
    return IntTuple(x);
}
template <class A, class B>
concept HasLayout = std::is_base_of_v<Layout<>, A> || std::is_base_of_v<Layout<>, B>;
} // namespace detail
// Of layouts, these compare the shapes.
#define TESSERA_OF_SHAPES(COMPARE)                                                                 \
  template <class A, class B>                                                                      \
    requires detail::HasLayout<A, B>                                                               \
  bool COMPARE(const A &a, const B &b, Place at = Place::current()) {                              \
    return COMPARE(detail::shape_of(a, at), detail::shape_of(b, at), at);                          \
  }
TESSERA_OF_SHAPES(congruent)
TESSERA_OF_SHAPES(weakly_congruent)
TESSERA_OF_SHAPES(compatible)
TESSERA_OF_SHAPES(weakly_compatible)
#undef TESSERA_OF_SHAPES
/// Whether a type is one of layouts, or of tuples of more than one leaf.
template <class T>
struct is_layout : bool_constant<std::is_base_of_v<Layout<>, std::remove_cvref_t<T>>> {};
template <int I, int... Js> IntTuple stride(const Layout<> &l, Place at = Place::current()) {
  return get<I, Js...>(l.stride(at), at);
}
Num size(const Layout<> &, Place = Place::current());
template <int I, int... Js> Num size(const Layout<> &l, Place at = Place::current()) {
  return size(get<I, Js...>(l.shape(at), at), at);
}
/// One more than the largest index.
Num cosize(const Layout<> &, Place = Place::current());
template <int I, int... Js> Num cosize(const Layout<> &l, Place at = Place::current()) {
  return cosize(layout<I, Js...>(l, at), at);
}
Num crd2idx(const IntTuple &coord, const Layout<> &, Place = Place::current());
inline Num crd2idx(const IntTuple &coord, const IntTuple &shape, const IntTuple &stride,
                   Place at = Place::current()) {
  return crd2idx(coord, make_layout(shape, stride, at), at);
}
inline Num crd2idx(const IntTuple &coord, const IntTuple &shape, Place at = Place::current()) {
  return crd2idx(coord, make_layout(shape, at), at);
}
/// The coordinate of an integer, first mode fastest; of a tuple mode by mode.
IntTuple idx2crd(const IntTuple &index, const IntTuple &shape, Place = Place::current());
IntTuple idx2crd(const Num &index, const IntTuple &shape, const IntTuple &stride,
                 Place = Place::current());
/// The coordinate in shape `to` with the same integer.
IntTuple crd2crd(const IntTuple &coord, const IntTuple &from, const IntTuple &to,
                 Place = Place::current());
/// For each mode of the codomain, one more than the largest index.
IntTuple coshape(const Layout<> &, Place = Place::current());
// Compact strides with the first, or the last, mode fastest; the fastest one is `first`.
inline IntTuple compact_col_major(const IntTuple &shape, Place at = Place::current()) {
  return make_layout(shape, at).stride(at);
}
inline IntTuple compact_row_major(const IntTuple &shape, Place at = Place::current()) {
  return make_layout(shape, LayoutRight{}, at).stride(at);
}
IntTuple compact_col_major(const IntTuple &shape, const Num &first, Place = Place::current());
IntTuple compact_row_major(const IntTuple &shape, const Num &first, Place = Place::current());
template <class Major>
IntTuple compact_major(const IntTuple &shape, const Num &first = 1, Place at = Place::current()) {
  if constexpr (std::is_same_v<Major, LayoutLeft>)
    return compact_col_major(shape, first, at);
  else
    return compact_row_major(shape, first, at);
}
inline IntTuple compact_order(const IntTuple &shape, LayoutLeft, Place at = Place::current()) {
  return compact_col_major(shape, at);
}
inline IntTuple compact_order(const IntTuple &shape, LayoutRight, Place at = Place::current()) {
  return compact_row_major(shape, at);
}

template <class F>
  requires std::invocable<F &, Layout<>>
Layout<> transform_layout(const Layout<> &l, F &&f, Place at) {
  std::vector<IntTuple> shapes, strides;
  for (int i = 0, n = l.rank(); i < n; ++i) {
    Layout<> mode = f(l.mode(i, at));
    shapes.push_back(mode.shape(at)), strides.push_back(mode.stride(at));
  }
  return make_layout(IntTuple::of(shapes, at), IntTuple::of(strides, at), at);
}

//===--- pictures -----------------------------------------------------------------------------===//

// Printed while tracing to standard output, in CuTe C++'s notation: `_8` for a number that C++
// knows, like Int<8> there, and `?` for a number of the device.
void print(const IntTuple &);
void print(const Layout<> &);
void print(const Tiler &);
template <int64_t N> void print(Int<N> n) { print(IntTuple(n)); }
inline void print(const Num &n) { print(IntTuple(n)); }
void print(const AnySwizzle &);
template <int B, int M, int S> void print(Swizzle<B, M, S> s) { print(AnySwizzle(s)); }
template <std::integral T> void print(T n) { std::printf("%lld", static_cast<long long>(n)); }
void print(double);
inline void print(const char *text) { std::printf("%s", text); }
template <class... Ts>
  requires(sizeof...(Ts) > 0)
void print(const char *format, const Ts &...numbers) {
  detail::print_format(format, numbers...);
}
/// print_layout prints the layout, and a table of the indices if it has two modes (otherwise the
/// picture of `tessera layout --draw`). print_latex prints a TikZ document for pdflatex.
void print_layout(const Layout<> &, Place = Place::current());
void print_latex(const Layout<> &, Place = Place::current());

} // namespace tessera::cute
