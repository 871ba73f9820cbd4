// Counting and walking through coordinates, and tensors that go together element by element.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/cute_cxx/Tensors.h"

#include <array>

namespace tessera::cute {

//===--- counting -----------------------------------------------------------------------------===//

/// Where a tensor begins whose elements are n + their index:
/// make_tensor(counting_iterator<int>(42), layout).
template <class T = int> struct counting_iterator : Pointer {
  using value_type = T;
  explicit counting_iterator(const IntTuple &n = 0, Place at = Place::current())
      : Pointer(make_inttuple_iter(n, at)) {}
};
/// A tensor whose elements are the indices of the layout.
inline Tensor make_counting_tensor(const Layout<> &l, Place at = Place::current()) {
  return make_tensor(make_inttuple_iter(coprofile(l, at), at), l, at);
}

//===--- walking ------------------------------------------------------------------------------===//

struct ForwardCoordIteratorSentinel {};
/// Goes from a coordinate to the end of a shape, as in
///   for (auto it = make_coord_iterator(shape); it != ForwardCoordIteratorSentinel{}; ++it)
/// All numbers are known to C++. Made by make_coord_iterator.
class ForwardCoordIterator {
public:
  ForwardCoordIterator(const IntTuple &coord, const IntTuple &shape, const IntTuple &order, Place);
  const IntTuple &operator*() const { return coord; }
  ForwardCoordIterator &operator++();
  bool operator==(ForwardCoordIteratorSentinel) const;
  bool operator==(const ForwardCoordIterator &other) const { return leaves == other.leaves; }

private:
  IntTuple coord, profile;
  std::vector<int64_t> leaves, extents; // of the coordinate and the shape, depth first
  std::vector<size_t> order;            // which leaf grows first, second, ...
};
// From 0 or from a coordinate on. The first leaf grows fastest, unless the type Order says for each
// leaf its place in the order, as Step<_1, _0> does.
inline ForwardCoordIterator make_coord_iterator(const IntTuple &shape,
                                                Place at = Place::current()) {
  return {repeat_like(shape, 0, at), shape, {}, at};
}
inline ForwardCoordIterator make_coord_iterator(const IntTuple &coord, const IntTuple &shape,
                                                Place at = Place::current()) {
  return {coord, shape, {}, at};
}
template <class Order>
ForwardCoordIterator make_coord_iterator(const IntTuple &shape, Place at = Place::current()) {
  return {repeat_like(shape, 0, at), shape, Order{}, at};
}
template <class Order>
ForwardCoordIterator make_coord_iterator(const IntTuple &coord, const IntTuple &shape,
                                         Place at = Place::current()) {
  return {coord, shape, Order{}, at};
}

//===--- zipped -------------------------------------------------------------------------------===//

/// Tensors of one rank under one coordinate: zt(i, j) holds their elements, get<0>(zt(i, j)) that
/// of the first. Made by make_zip_tensor.
template <size_t N> class ZipTensor {
public:
  std::array<Tensor, N> tensors;

  template <class... Coords>
    requires(!(detail::is_slice<Coords> || ...))
  auto operator()(const Coords &...coords) const {
    return std::apply([&](const auto &...t) { return std::array<ElementRef, N>{t(coords...)...}; },
                      tensors);
  }
  template <class... Coords>
    requires(detail::is_slice<Coords> || ...)
  ZipTensor operator()(const Coords &...coords) const {
    return each([&](const Tensor &t) { return t(coords...); });
  }
  /// The zipped results of a function of each tensor.
  template <class F> ZipTensor each(F f) const {
    return std::apply([&](const auto &...t) { return ZipTensor{{f(t)...}}; }, tensors);
  }
};
template <std::same_as<Tensor>... Ts> ZipTensor<sizeof...(Ts)> make_zip_tensor(const Ts &...ts) {
  return {{ts...}};
}
/// The tensors: auto [a, b] = unzip_tensor(zt).
template <size_t N> std::array<Tensor, N> unzip_tensor(const ZipTensor<N> &t) { return t.tensors; }
template <int I, int... Is, size_t N> Num size(const ZipTensor<N> &t, Place at = Place::current()) {
  return size<I, Is...>(t.tensors[0].layout(at), at);
}
template <size_t N> Num size(const ZipTensor<N> &t, Place at = Place::current()) {
  return size(t.tensors[0], at);
}
template <size_t N> IntTuple shape(const ZipTensor<N> &t, Place at = Place::current()) {
  return t.tensors[0].shape(at);
}
template <size_t N> int rank(const ZipTensor<N> &t) { return t.tensors[0].rank(); }
#define TESSERA_OF_EACH(NAME)                                                                      \
  template <size_t N>                                                                              \
  ZipTensor<N> NAME(const ZipTensor<N> &z, const Tiler &tiler, Place at = Place::current()) {      \
    return z.each([&](const Tensor &t) { return NAME(t, tiler, at); });                            \
  }
TESSERA_OF_EACH(logical_divide)
TESSERA_OF_EACH(zipped_divide)
TESSERA_OF_EACH(tiled_divide)
TESSERA_OF_EACH(flat_divide)
#undef TESSERA_OF_EACH
template <size_t N>
ZipTensor<N> local_tile(const ZipTensor<N> &z, const Tiler &tile, const IntTuple &coord,
                        Place at = Place::current()) {
  return z.each([&](const Tensor &t) { return local_tile(t, tile, coord, at); });
}
template <size_t N>
ZipTensor<N> local_partition(const ZipTensor<N> &z, const Layout<> &threads, const Num &thread,
                             Place at = Place::current()) {
  return z.each([&](const Tensor &t) { return local_partition(t, threads, thread, at); });
}

} // namespace tessera::cute
