// Reductions, scans and matrix products of tiles.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// As in CUDA Tile C++, the reduced dimension stays with extent 1, so that the result combines with
// the reduced tile: x - reduce_max<1>(x). Without a dimension all elements become one scalar. The
// order in which elements are combined is unspecified.
#pragma once

#include "tessera/tile_dsl/Shapes.h"

#include <limits>

namespace tessera::tile {

namespace detail {

/// The shape without a dimension, and with extent 1 there. If it lacks that dimension: the shape
/// itself.
template <class S, int dim> struct Without {
  using Dropped = S;
  using One = S;
};
template <class S, int dim>
  requires(dim >= 0 && dim < S::rank)
struct Without<S, dim> {
  static constexpr auto dropped = [] {
    std::array<int64_t, size_t(S::rank - 1)> out{};
    for (size_t d = 0, to = 0; d < size_t(S::rank); ++d)
      if (int(d) != dim)
        out[to++] = S::extents[d];
    return out;
  }();
  static constexpr auto one = [] {
    auto out = S::extents;
    out[size_t(dim)] = 1;
    return out;
  }();
  using Dropped = ShapeOfExtents<dropped>;
  using One = ShapeOfExtents<one>;
};

template <class... Ts> std::vector<Id> idsOfTiles(const std::tuple<Ts...> &tiles) {
  return std::apply([](const auto &...tile) { return std::vector<Id>{tile.id()...}; }, tiles);
}
/// A tuple of tiles with consecutive ids.
template <class... Ts, size_t... i>
std::tuple<Ts...> tilesFrom(const std::vector<Id> &ids, std::index_sequence<i...>) {
  return {Ts(i < ids.size() ? ids[i] : Id())...};
}

/// Combines N tiles of one shape: f(a..., b...) returns a scalar, or a tuple of N scalars.
template <Op op, int dim, bool isReverse, class... Ts, class F>
auto combine(const std::tuple<Ts...> &tiles, const std::array<uint64_t, sizeof...(Ts)> &identities,
             F &&f, const Where &where) {
  using First = std::tuple_element_t<0, std::tuple<Ts...>>;
  using S = ShapeOf<First>;
  static_assert((std::is_same_v<ShapeOf<Ts>, S> && ...), "the tiles have one shape");
  static_assert(dim >= 0 && dim < S::rank,
                "the dimension is one of the tile, counted from 0: 0 of a tile of one dimension");
  CombineFrame frame(idsOfTiles(tiles), where);
  auto indices = std::index_sequence_for<Ts...>{};
  auto yielded =
      std::apply(f, std::tuple_cat(tilesFrom<Tile<ElementOf<Ts>>...>(frame.accumulated, indices),
                                   tilesFrom<Tile<ElementOf<Ts>>...>(frame.current, indices)));
  using Yielded = decltype(yielded);
  constexpr bool agree = std::is_same_v<Yielded, std::tuple<Tile<ElementOf<Ts>>...>> ||
                         (sizeof...(Ts) == 1 && std::is_same_v<Yielded, Tile<ElementOf<First>>>);
  static_assert(agree,
                "the function of reduce and scan returns a scalar of the tile's elements; of "
                "several tiles a tuple of as many, each of its tile's elements");
  std::vector<Id> ids;
  if constexpr (AnyTile<Yielded>)
    ids = {yielded.id()};
  else if constexpr (agree)
    ids = idsOfTiles(yielded);
  using R = std::conditional_t<op == Op::Reduce, typename Without<S, dim>::Dropped, S>;
  const TypeIndex results[] = {typeOf(tileType<ElementOf<Ts>, R>())...};
  return frame.finish(ids, op, uint32_t(dim), isReverse, identities, results);
}

/// The codes of one identity for each tile.
template <class... Ts, class... Vs>
std::array<uint64_t, sizeof...(Ts)> codesOf(const std::tuple<Vs...> &identities) {
  if constexpr (sizeof...(Ts) == sizeof...(Vs))
    return std::apply(
        [](auto... v) { return std::array<uint64_t, sizeof...(Ts)>{codeOf<ElementOf<Ts>>(v)...}; },
        identities);
  else
    return {}; // callers have refused it
}

template <class E> E lowest() {
  if constexpr (AnyFloat<E>)
    return E(-std::numeric_limits<double>::infinity());
  else
    return std::numeric_limits<E>::min();
}
template <class E> E highest() {
  if constexpr (AnyFloat<E>)
    return E(std::numeric_limits<double>::infinity());
  else
    return std::numeric_limits<E>::max();
}
} // namespace detail

namespace detail {
/// A reduction as in the dialect: the result lacks the dimension.
template <int dim, AnyTile T, class V, class F>
auto reduceAway(const T &tile, V identity, F &&f, const Where &where) {
  using E = ElementOf<T>;
  return TileOf<E, typename Without<ShapeOf<T>, dim>::Dropped>(combine<Op::Reduce, dim, false>(
      std::tuple<T>(tile), {codeOf<E>(identity)}, std::forward<F>(f), where));
}
} // namespace detail

/// Combines the elements along a dimension with f(a, b), a function of scalars without effects: of
/// what was combined so far, and the next element.
/// `identity` is its neutral element.
template <int dim, AnyTile T, class V, class F>
auto reduce(const T &tile, V identity, F &&f, detail::Where where = detail::Where::current()) {
  using One = typename detail::Without<detail::ShapeOf<T>, dim>::One;
  using Out = detail::TileOf<detail::ElementOf<T>, One>;
  auto dropped = detail::reduceAway<dim>(tile, identity, std::forward<F>(f), where);
  return Out(detail::reshaped(dropped.id(), Out::type(), where));
}
/// Several tiles at once: reduce<0>(std::tuple(values, places), std::tuple(-inf, 0), f) with f(a0,
/// a1, b0, b1), which returns a tuple. Argmax and the like can be written with it.
template <int dim, AnyTile... Ts, class... Vs, class F>
auto reduce(const std::tuple<Ts...> &tiles, const std::tuple<Vs...> &identities, F &&f,
            detail::Where where = detail::Where::current()) {
  static_assert(sizeof...(Ts) == sizeof...(Vs), "reduce takes one identity for each tile");
  using First = std::tuple_element_t<0, std::tuple<Ts...>>;
  using One = typename detail::Without<detail::ShapeOf<First>, dim>::One;
  detail::Id id = detail::combine<detail::Op::Reduce, dim, false>(
      tiles, detail::codesOf<Ts...>(identities), std::forward<F>(f), where);
  size_t next = 0;
  auto shaped = [&]<class T>(std::type_identity<T>) {
    using Out = detail::TileOf<detail::ElementOf<T>, One>;
    return Out(detail::reshaped(id.next(next++), Out::type(), where));
  };
  return std::tuple{shaped(std::type_identity<Ts>{})...};
}
/// The same for scans. The result has the shape of the tile: element i combines the elements up to
/// i, or with reverse::Enabled those from i on.
template <int dim, AnyTile T, class V, class F, class M = detail::NoMarker>
T scan(const T &tile, V identity, F &&f, M = {}, detail::Where where = detail::Where::current()) {
  static_assert(detail::Allowed<Direction>::template fits<M>, "scan takes reverse::");
  constexpr bool isReverse = detail::markerOr<M>(Direction::Forward) == Direction::Reverse;
  return T(detail::combine<detail::Op::Scan, dim, isReverse>(
      std::tuple<T>(tile), {detail::codeOf<detail::ElementOf<T>>(identity)}, std::forward<F>(f),
      where));
}
/// Several tiles at once: scan<0>(std::tuple(a, b), std::tuple(1, 0), f) with f(a0, b0, a1, b1),
/// where a0 and b0 are the results so far. Recurrences and sums of segments can be written with it.
template <int dim, AnyTile... Ts, class... Vs, class F, class M = detail::NoMarker>
std::tuple<Ts...> scan(const std::tuple<Ts...> &tiles, const std::tuple<Vs...> &identities, F &&f,
                       M = {}, detail::Where where = detail::Where::current()) {
  static_assert(detail::Allowed<Direction>::template fits<M>, "scan takes reverse::");
  static_assert(sizeof...(Ts) == sizeof...(Vs), "scan takes one identity for each tile");
  constexpr bool isReverse = detail::markerOr<M>(Direction::Forward) == Direction::Reverse;
  detail::Id id = detail::combine<detail::Op::Scan, dim, isReverse>(
      tiles, detail::codesOf<Ts...>(identities), std::forward<F>(f), where);
  size_t next = 0;
  return std::tuple<Ts...>{Ts(id.next(next++))...};
}

namespace detail {
struct Sum {
  auto operator()(const auto &a, const auto &b) const { return a + b; }
};
struct Product {
  auto operator()(const auto &a, const auto &b) const { return a * b; }
};
struct Larger {
  auto operator()(const auto &a, const auto &b) const { return max(a, b); }
};
struct Smaller {
  auto operator()(const auto &a, const auto &b) const { return min(a, b); }
};
struct And {
  auto operator()(const auto &a, const auto &b) const { return a & b; }
};
struct Or {
  auto operator()(const auto &a, const auto &b) const { return a | b; }
};
/// All elements as one row.
template <AnyTile T> auto flat(const T &tile, const Where &where) {
  return reshape<int(T::shape_type::size)>(tile, {}, where);
}
} // namespace detail

/// name<dim>(x) reduces along a dimension, name(x) all elements.
#define TESSERA_TILE_REDUCTION(name, combiner, identity, concept)                                  \
  template <int dim, AnyTile T>                                                                    \
  auto name(const T &tile, detail::Where where = detail::Where::current()) {                       \
    using E = detail::ElementOf<T>;                                                                \
    static_assert(concept<E>, #name " takes a tile of " #                                          \
                  concept " elements: convert it with element_cast<E>(x)");                        \
    return reduce<dim>(tile, identity, combiner{}, where);                                         \
  }                                                                                                \
  template <AnyTile T> auto name(const T &tile, detail::Where where = detail::Where::current()) {  \
    using E = detail::ElementOf<T>;                                                                \
    static_assert(concept<E>, #name " takes a tile of " #                                          \
                  concept " elements: convert it with element_cast<E>(x)");                        \
    return detail::reduceAway<0>(detail::flat(tile, where), identity, combiner{}, where);          \
  }
TESSERA_TILE_REDUCTION(sum, detail::Sum, E(0), Arithmetic)
TESSERA_TILE_REDUCTION(prod, detail::Product, E(1), Arithmetic)
TESSERA_TILE_REDUCTION(reduce_max, detail::Larger, detail::lowest<E>(), Arithmetic)
TESSERA_TILE_REDUCTION(reduce_min, detail::Smaller, detail::highest<E>(), Arithmetic)
TESSERA_TILE_REDUCTION(all_of, detail::And, true, Boolean)
TESSERA_TILE_REDUCTION(any_of, detail::Or, false, Boolean)
#undef TESSERA_TILE_REDUCTION

/// Inclusive prefix sums and products.
template <int dim, ArithmeticTile T, class M = detail::NoMarker>
T partial_sum(const T &tile, M reverse = {}, detail::Where where = detail::Where::current()) {
  return scan<dim>(tile, 0, detail::Sum{}, reverse, where);
}
template <int dim, ArithmeticTile T, class M = detail::NoMarker>
T partial_prod(const T &tile, M reverse = {}, detail::Where where = detail::Where::current()) {
  return scan<dim>(tile, 1, detail::Product{}, reverse, where);
}
/// The index of the first largest, and of the first smallest, element along a dimension.
#define TESSERA_TILE_PLACE(name, before, start)                                                    \
  template <int dim, ArithmeticTile T>                                                             \
  auto name(const T &tile, detail::Where where = detail::Where::current()) {                       \
    using E = detail::ElementOf<T>;                                                                \
    using S = detail::ShapeOf<T>;                                                                  \
    constexpr auto alone = [] {                                                                    \
      std::array<int64_t, size_t(S::rank)> out{};                                                  \
      for (auto &n : out)                                                                          \
        n = 1;                                                                                     \
      out[size_t(dim)] = S::extents[size_t(dim)];                                                  \
      return out;                                                                                  \
    }();                                                                                           \
    using Places = detail::TileOf<i32, S>;                                                         \
    Places places(detail::broadcastTo<Places>(                                                     \
        iota<detail::TileOf<i32, detail::ShapeOfExtents<alone>>>(where), where));                  \
    auto found = reduce<dim>(                                                                      \
        std::tuple<T, Places>(tile, places),                                                       \
        std::tuple(detail::start<E>(), std::numeric_limits<i32>::max()),                           \
        [](auto a, auto i, auto b, auto j) {                                                       \
          auto isFirst = (a before b) | ((a == b) & (i < j));                                      \
          return std::tuple(select(isFirst, a, b), select(isFirst, i, j));                         \
        },                                                                                         \
        where);                                                                                    \
    return std::get<1>(found);                                                                     \
  }
TESSERA_TILE_PLACE(argmax, >, lowest)
TESSERA_TILE_PLACE(argmin, <, highest)
#undef TESSERA_TILE_PLACE

//===--- Products

namespace detail {
template <class A, class C> constexpr bool productHas() {
  constexpr TypeKind a = kindOf<A>, c = kindOf<C>;
  switch (a) {
  case TypeKind::F16:
  case TypeKind::F8E4M3FN:
  case TypeKind::F8E5M2: return c == TypeKind::F16 || c == TypeKind::F32;
  case TypeKind::BF16:
  case TypeKind::TF32:
  case TypeKind::F32: return c == TypeKind::F32;
  case TypeKind::F64: return c == TypeKind::F64;
  case TypeKind::I8: return c == TypeKind::I32;
  default: return false;
  }
}
template <class A, class B, class C> constexpr bool productShapesFit() {
  if constexpr (A::rank() != C::rank() || B::rank() != C::rank() ||
                (C::rank() != 2 && C::rank() != 3))
    return false;
  else {
    constexpr int m = C::rank() - 2, n = m + 1;
    return A::extent(m) == C::extent(m) && B::extent(n) == C::extent(n) &&
           A::extent(n) == B::extent(m) &&
           (m == 0 || (A::extent(0) == C::extent(0) && B::extent(0) == C::extent(0)));
  }
}
} // namespace detail

/// a * b + acc of matrices (M x K, K x N, M x N), or of a batch of them along a first dimension. f8
/// may take fast_acc::Enabled.
template <AnyTile A, AnyTile B, AnyTile C, class M = detail::NoMarker>
C mma(const A &a, const B &b, const C &acc, M = {},
      detail::Where where = detail::Where::current()) {
  using EA = detail::ElementOf<A>;
  using EB = detail::ElementOf<B>;
  static_assert(
      detail::productShapesFit<A, B, C>(),
      "mma takes tiles of M x K, K x N and M x N, each with the same number of matrices in "
      "front or none");
  static_assert(kindOf<EA> == kindOf<EB>,
                "mma takes two factors of one element type: convert one with element_cast<E>(x)");
  static_assert(
      detail::productHas<EA, detail::ElementOf<C>>(),
      "mma adds f16 and f8 up in f16 or f32; bf16, tf32 and f32 in f32; f64 in f64; i8 and "
      "u8 in i32");
  if constexpr (Integer<EA>) {
    static_assert(std::is_same_v<M, detail::NoMarker>, "mma of integers takes no marker");
    return C(detail::Emit(detail::Op::MmaI, where)
                 .out(C::type())
                 .with(detail::signedness<EA>)
                 .with(detail::signedness<EB>)
                 .in(a.id())
                 .in(b.id())
                 .in(acc.id())
                 .done());
  } else {
    static_assert(detail::Allowed<FastAccumulation>::template fits<M>, "mma takes fast_acc::");
    return C(detail::Emit(detail::Op::MmaF, where)
                 .out(C::type())
                 .unit(detail::markerOr<M>(FastAccumulation::Disabled) == FastAccumulation::Enabled)
                 .in(a.id())
                 .in(b.id())
                 .in(acc.id())
                 .done());
  }
}
/// a * b, accumulated in f32 (i32 for integers, f64 for f64).
template <AnyTile A, AnyTile B>
auto matmul(const A &a, const B &b, detail::Where where = detail::Where::current()) {
  using E = detail::ElementOf<A>;
  using Sum = std::conditional_t<std::is_same_v<E, double>, double,
                                 std::conditional_t<Integer<E>, i32, f32>>;
  static_assert(A::rank() == B::rank() && (A::rank() == 2 || A::rank() == 3),
                "matmul takes two matrices, or as many as a first dimension says");
  if constexpr (A::rank() == 2)
    return mma(a, b, zeros<Sum, A::extent(0), B::extent(1)>(where), {}, where);
  else
    return mma(a, b, zeros<Sum, A::extent(0), A::extent(1), B::extent(2)>(where), {}, where);
}
/// mma of f8 and f4 with a scale for each block along K. It multiplies a * a_scale and b * b_scale.
template <AnyTile A, AnyTile SA, AnyTile B, AnyTile SB, AnyTile C>
C mma_scaled(const A &a, const SA &a_scale, const B &b, const SB &b_scale, const C &acc,
             detail::Where where = detail::Where::current()) {
  static_assert(detail::productShapesFit<A, B, C>(),
                "mma_scaled takes tiles of M x K, K x N and M x N");
  return C(detail::Emit(detail::Op::MmaFScaled, where)
               .out(C::type())
               .in(a.id())
               .in(b.id())
               .in(acc.id())
               .in(a_scale.id())
               .in(b_scale.id())
               .done());
}

} // namespace tessera::tile
