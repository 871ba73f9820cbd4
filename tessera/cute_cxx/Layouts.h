// Layouts, tilers and swizzles, and the algebra on them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is static is computed by tessera/layout while the kernel is traced; the laws are there
// (layout/Algebra.h).
#pragma once

#include "tessera/cute_cxx/Numbers.h"

#include <cstdio>

namespace tessera::cute {

/// `Layout<>`, or just `Layout` for a variable, is any layout. Layout<Shape<_8, _4>, Stride<_4,
/// _1>>{} is one that C++'s types say.
template <class... Parts> class Layout;
template <> class Layout<> : public Value {
public:
  Layout() = default;
  using Value::Value;
  /// "(8,4):(4,1)", as `print` writes it.
  Layout(const char *text, Place = Place::current());

  IntTuple shape(Place = Place::current()) const;
  IntTuple stride(Place = Place::current()) const;
  /// The index of a coordinate.
  Num operator()(const IntTuple &coord, Place place = Place::current()) const {
    return at(coord, place);
  }
  template <class... Ts>
    requires(sizeof...(Ts) > 1)
  Num operator()(const Ts &...coord) const {
    return at(make_tuple(coord...));
  }
  Num at(const IntTuple &coord, Place = Place::current()) const;
  Layout mode(int, Place = Place::current()) const;
  int rank() const;
  std::string str() const;
};
Layout(const char *, Place = Place::current()) -> Layout<>;

Layout<> make_layout(const IntTuple &shape, Place = Place::current());
Layout<> make_layout(const IntTuple &shape, const IntTuple &stride, Place = Place::current());
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

template <int B, int M, int S = M> struct Swizzle {
  static constexpr int bits = B, base = M, shift = S;
};

/// By mode: so many neighbours, a layout, or `_`.
class Tiler : public Value {
public:
  Tiler() = default;
  using Value::Value;
  Tiler(const IntTuple &extents, Place = Place::current());
  Tiler(const Layout<> &whole, Place = Place::current());
  template <int64_t N> Tiler(Int<N> n, Place at = Place::current()) : Tiler(IntTuple(n), at) {}
  template <std::integral T> Tiler(T n, Place at = Place::current()) : Tiler(IntTuple(n), at) {}
  Tiler(Underscore);
  static Tiler of(std::initializer_list<Tiler> modes, Place = Place::current());
  std::string str() const;
};
template <class... Ts> Tiler make_tile(const Ts &...modes) { return Tiler::of({Tiler(modes)...}); }
template <class... Ts> struct Tile : Tiler {
  Tile() : Tiler(make_tile(Ts{}...)) {}
};

/// c -> a(b(c)).
Layout<> composition(const Layout<> &a, const Layout<> &b, Place = Place::current());
/// Mode by mode.
Layout<> composition(const Layout<> &a, const Tiler &b, Place = Place::current());
namespace detail {
Layout<> swizzled(int bits, int base, int shift, const Layout<> &, bool on_pointer, Place);
}
/// The swizzle after the layout.
template <int B, int M, int S>
Layout<> composition(Swizzle<B, M, S>, const Layout<> &l, Place at = Place::current()) {
  return detail::swizzled(B, M, S, l, false, at);
}

Layout<> coalesce(const Layout<> &, Place = Place::current());
Layout<> flatten(const Layout<> &, Place = Place::current());
Layout<> complement(const Layout<> &, const IntTuple &cotarget, Place = Place::current());
Layout<> complement(const Layout<> &, Place = Place::current());
Layout<> right_inverse(const Layout<> &, Place = Place::current());
Layout<> left_inverse(const Layout<> &, Place = Place::current());
Layout<> filter(const Layout<> &, Place = Place::current());
Layout<> filter_zeros(const Layout<> &, Place = Place::current());
// ((tile, rest) of each mode), ((tiles), (rests)), ((tiles), rests...), (tiles..., rests...).
Layout<> logical_divide(const Layout<> &, const Tiler &, Place = Place::current());
Layout<> zipped_divide(const Layout<> &, const Tiler &, Place = Place::current());
Layout<> tiled_divide(const Layout<> &, const Tiler &, Place = Place::current());
Layout<> flat_divide(const Layout<> &, const Tiler &, Place = Place::current());
Layout<> logical_product(const Layout<> &, const Tiler &, Place = Place::current());
Layout<> zipped_product(const Layout<> &, const Tiler &, Place = Place::current());
Layout<> blocked_product(const Layout<> &, const Layout<> &, Place = Place::current());
Layout<> raked_product(const Layout<> &, const Layout<> &, Place = Place::current());
/// The block repeated to cover a shape, first mode first unless an order says otherwise.
Layout<> tile_to_shape(const Layout<> &block, const IntTuple &shape, Place = Place::current());
Layout<> tile_to_shape(const Layout<> &block, const IntTuple &shape, const IntTuple &order,
                       Place = Place::current());
Layout<> append(const Layout<> &, const Layout<> &mode, Place = Place::current());
Layout<> prepend(const Layout<> &, const Layout<> &mode, Place = Place::current());

namespace detail {
Layout<> select(const Layout<> &, std::vector<int> modes, Place);
Layout<> group(const Layout<> &, int begin, int end, Place);
} // namespace detail
template <int... Is> Layout<> select(const Layout<> &l, Place at = Place::current()) {
  return detail::select(l, {Is...}, at);
}
template <int B, int E> Layout<> group_modes(const Layout<> &l, Place at = Place::current()) {
  return detail::group(l, B, E, at);
}
template <int I> Layout<> layout(const Layout<> &l, Place at = Place::current()) {
  return l.mode(I, at);
}
template <int I> Layout<> get(const Layout<> &l, Place at = Place::current()) {
  return l.mode(I, at);
}
inline int rank(const Layout<> &l) { return l.rank(); }
int depth(const Layout<> &);
inline IntTuple shape(const Layout<> &l, Place at = Place::current()) { return l.shape(at); }
template <int I> IntTuple shape(const Layout<> &l, Place at = Place::current()) {
  return l.shape(at).mode(I, at);
}
inline IntTuple stride(const Layout<> &l, Place at = Place::current()) { return l.stride(at); }
template <int I> IntTuple stride(const Layout<> &l, Place at = Place::current()) {
  return l.stride(at).mode(I, at);
}
Num size(const Layout<> &, Place = Place::current());
template <int I> Num size(const Layout<> &l, Place at = Place::current()) {
  return size(l.shape(at).mode(I, at), at);
}
/// One more than the largest index.
Num cosize(const Layout<> &, Place = Place::current());
Num crd2idx(const IntTuple &coord, const Layout<> &, Place = Place::current());
/// The coordinate of an integer, first mode fastest.
IntTuple idx2crd(const Num &index, const IntTuple &shape, Place = Place::current());

//===--- pictures -----------------------------------------------------------------------------===//

/// While tracing, to standard output: what C++ knows of a value, with `?` for the rest.
void print(const IntTuple &);
void print(const Layout<> &);
void print(const Tiler &);
inline void print(const char *text) { std::printf("%s", text); }
/// A table of indices in a terminal; a TikZ document for pdflatex.
void print_layout(const Layout<> &, Place = Place::current());
void print_latex(const Layout<> &, Place = Place::current());

} // namespace tessera::cute
