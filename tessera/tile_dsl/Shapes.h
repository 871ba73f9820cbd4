// Making tiles and moving their elements: constants, iota, reshape, permute, cat, extract.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/tile_dsl/Conversions.h"
#include "tessera/tile_dsl/Functions.h"

namespace tessera::tile {

/// A tile with equal elements: full<f32, 8, 4>(0.5f), full<Tile<f32, 8, 4>>(x) of a scalar tile x.
template <class E, int... D, class V>
  requires(Operand<V>)
auto full(const V &value, detail::Where where = detail::Where::current()) {
  using T = detail::Named<E, D...>;
  if constexpr (AnyTile<V>)
    return T(detail::broadcastTo<T>(value, where));
  else
    return T(value, where);
}
template <class E, int... D> auto zeros(detail::Where where = detail::Where::current()) {
  using T = detail::Named<E, D...>;
  return T(detail::constant(T::type(), 0, where));
}
template <class E, int... D> auto ones(detail::Where where = detail::Where::current()) {
  using T = detail::Named<E, D...>;
  return T(detail::constant(T::type(), detail::codeOf<detail::ElementOf<T>>(1), where));
}
/// The tile 0, 1, ..., in row-major order if it has several dimensions.
template <class E, int... D> auto iota(detail::Where where = detail::Where::current()) {
  using T = detail::Named<E, D...>;
  static_assert(Integer<detail::ElementOf<T>>, "iota counts in integers");
  static_assert(T::rank() > 0, "iota makes a tile of at least one dimension");
  constexpr std::array<int64_t, 1> flat{detail::ShapeOf<T>::size};
  detail::Id id =
      detail::Emit(detail::Op::Iota, where).out({kindOf<detail::ElementOf<T>>, false, flat}).done();
  if constexpr (T::rank() != 1)
    id = detail::reshaped(id, T::type(), where);
  return T(id);
}
/// A tile of numbers of the host, in row-major order.
template <Element E, int... D>
Tile<E, D...> constant(const std::array<E, size_t(Shape<D...>::size)> &values,
                       detail::Where where = detail::Where::current()) {
  std::vector<uint64_t> codes;
  for (const E &value : values)
    codes.push_back(detail::codeOf<E>(value));
  return Tile<E, D...>(detail::constants(Tile<E, D...>::type(), codes, where));
}

/// The same elements, in row-major order, with another shape.
template <int... D, AnyTile T>
auto reshape(const T &a, Shape<D...> = {}, detail::Where where = detail::Where::current()) {
  using Out = Tile<detail::ElementOf<T>, D...>;
  static_assert(Shape<D...>::size == T::shape_type::size, "reshape keeps the number of elements");
  if constexpr (std::is_same_v<Out, T>)
    return a;
  else
    return Out(detail::reshaped(a.id(), Out::type(), where));
}
/// Repeats the tile along missing leading dimensions and along dimensions of extent 1.
template <int... D, AnyTile T>
auto broadcast(const T &a, Shape<D...> = {}, detail::Where where = detail::Where::current()) {
  using Out = Tile<detail::ElementOf<T>, D...>;
  return Out(detail::broadcastTo<Out>(a, where));
}
/// Dimension i of the result is dimension dims[i] of the source.
template <AnyTile T, int... dims>
auto permute(const T &a, dimension_map<dims...>, detail::Where where = detail::Where::current()) {
  static_assert(
      sizeof...(dims) == T::rank() &&
          [] {
            bool seen[sizeof...(dims) + 1] = {};
            bool isPermutation = true;
            ((isPermutation = isPermutation && dims >= 0 && dims < int(sizeof...(dims)) &&
                              !seen[dims < 0 || dims >= int(sizeof...(dims)) ? 0 : dims],
              seen[dims < 0 || dims >= int(sizeof...(dims)) ? 0 : dims] = true),
             ...);
            return isPermutation;
          }(),
      "permute takes a dimension_map that names each dimension of the tile once");
  using Out = Tile<detail::ElementOf<T>, T::extent(dims)...>;
  constexpr std::array<int64_t, sizeof...(dims)> numbers{dims...};
  return Out(
      detail::Emit(detail::Op::Permute, where).out(Out::type()).numbers(numbers).in(a.id()).done());
}
/// The last two dimensions exchanged.
template <AnyTile T> auto transpose(const T &a, detail::Where where = detail::Where::current()) {
  static_assert(T::rank() == 2 || T::rank() == 3, "transpose takes a tile of rank 2 or 3");
  if constexpr (T::rank() == 2)
    return permute(a, dimension_map<1, 0>{}, where);
  else
    return permute(a, dimension_map<0, 2, 1>{}, where);
}
/// Concatenates two tiles along a dimension.
template <int dim, AnyTile A, AnyTile B>
auto cat(const A &a, const B &b, detail::Where where = detail::Where::current()) {
  using S = detail::ShapeOf<A>;
  static_assert(std::is_same_v<detail::ElementOf<A>, detail::ElementOf<B>> && dim >= 0 &&
                    dim < A::rank() && A::rank() == B::rank(),
                "cat takes two tiles of one element type and rank, and a dimension of them");
  static_assert(
      [] {
        for (int d = 0; d < A::rank(); ++d)
          if (d != dim && A::extent(d) != B::extent(d))
            return false;
        return true;
      }(),
      "cat takes tiles whose other extents are equal");
  constexpr auto extents = [] {
    auto out = S::extents;
    out[dim] += B::extent(dim);
    return out;
  }();
  using Out = detail::TileOf<detail::ElementOf<A>, detail::ShapeOfExtents<extents>>;
  return Out(detail::Emit(detail::Op::Cat, where)
                 .out(Out::type())
                 .with(uint64_t(dim))
                 .in(a.id())
                 .in(b.id())
                 .done());
}
namespace detail {
template <class T> std::vector<Id> idsOf(const T &indices) {
  std::vector<Id> ids;
  for (const auto &index : indices)
    ids.push_back(index.id());
  return ids;
}
} // namespace detail
/// The slice of shape D at an index that counts slices along each dimension.
template <int... D, AnyTile T>
auto extract(const T &a, const std::array<Index, sizeof...(D)> &at, Shape<D...> = {},
             detail::Where where = detail::Where::current()) {
  static_assert(sizeof...(D) == T::rank(), "extract keeps the rank");
  using Out = Tile<detail::ElementOf<T>, D...>;
  return Out(detail::Emit(detail::Op::Extract, where)
                 .out(Out::type())
                 .in(a.id())
                 .in(detail::idsOf(at))
                 .done());
}
/// `a` with the slice at an index replaced. Needs bytecode 13.4.
template <AnyTile T, AnyTile S>
T insert(const T &a, const S &slice, const std::array<Index, size_t(T::rank())> &at,
         detail::Where where = detail::Where::current()) {
  static_assert(S::rank() == T::rank(), "insert takes a slice of the rank of the tile");
  return T(detail::Emit(detail::Op::Insert, where)
               .out(T::type())
               .in(slice.id())
               .in(a.id())
               .in(detail::idsOf(at))
               .done());
}

} // namespace tessera::tile
