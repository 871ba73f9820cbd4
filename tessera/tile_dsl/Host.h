// Arrays of the host as arguments of kernels.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/tile_dsl/Launch.h"

#include <array>
#include <span>
#include <utility>

namespace tessera::tile {

/// Elements in memory: address, extents, and strides in elements.
template <class E, int R> struct ArrayView {
  E *data = nullptr;
  std::array<int64_t, size_t(R)> shape{}, strides{};
};
/// A view of row-major elements that the caller owns.
template <class E, size_t R> ArrayView<E, int(R)> view(E *data, const int64_t (&shape)[R]) {
  ArrayView<E, int(R)> out{.data = data};
  int64_t stride = 1;
  for (size_t d = R; d-- > 0; stride *= shape[d])
    out.shape[d] = shape[d], out.strides[d] = stride;
  return out;
}
template <class E, size_t R>
ArrayView<E, int(R)> view(E *data, const int64_t (&shape)[R], const int64_t (&strides)[R]) {
  ArrayView<E, int(R)> out{.data = data};
  for (size_t d = 0; d < R; ++d)
    out.shape[d] = shape[d], out.strides[d] = strides[d];
  return out;
}

/// A row-major array, initially zero.
template <Element E, int R> class Array {
  static_assert(
      sizeof(E) * 8 == rowOf(kindOf<E>).memoryBits,
      "two elements of 4 bits lie in a byte: keep an Array<i8, R>, and unpack in the kernel");

  /// A bool with an address: std::vector<bool> packs bits, which have none.
  struct Truth {
    bool value = false;
  };
  using Cell = std::conditional_t<std::is_same_v<E, bool>, Truth, E>;

public:
  template <class... N>
    requires(sizeof...(N) == size_t(R))
  explicit Array(N... extents) : shape_{int64_t(extents)...} {
    elements.resize(size_t((int64_t(extents) * ... * 1)));
  }
  /// An array of these elements in row-major order; zeros if there are fewer.
  Array(std::array<int64_t, size_t(R)> shape, std::vector<E> values) : shape_(shape) {
    if constexpr (std::is_same_v<E, bool>)
      for (bool value : values)
        elements.push_back({value});
    else
      elements = std::move(values);
    int64_t size = 1;
    for (int64_t n : shape)
      size *= n;
    elements.resize(size_t(size));
  }

  int64_t shape(int dim) const { return shape_[size_t(dim)]; }
  int64_t size() const { return int64_t(elements.size()); }
  E *data() { return const_cast<E *>(std::as_const(*this).data()); }
  const E *data() const {
    if constexpr (std::is_same_v<E, bool>)
      return elements.empty() ? nullptr : &elements.data()->value;
    else
      return elements.data();
  }
  E *begin() { return data(); }
  E *end() { return data() + size(); }
  const E *begin() const { return data(); }
  const E *end() const { return data() + size(); }
  E &operator[](int64_t i) { return data()[i]; }
  const E &operator[](int64_t i) const { return data()[i]; }
  template <class... N>
    requires(sizeof...(N) == size_t(R))
  E &operator()(N... at) {
    return data()[place({int64_t(at)...})];
  }
  template <class... N>
    requires(sizeof...(N) == size_t(R))
  const E &operator()(N... at) const {
    return data()[place({int64_t(at)...})];
  }
  /// Assigns f(i) to each element, in row-major order.
  template <class F> Array &fill(F f) {
    for (int64_t i = 0; i < size(); ++i)
      data()[i] = E(f(i));
    return *this;
  }

  ArrayView<E, R> view() { return viewOf(data()); }
  ArrayView<const E, R> view() const { return viewOf(data()); }

private:
  size_t place(std::array<int64_t, size_t(R)> at) const {
    int64_t out = 0;
    for (size_t d = 0; d < size_t(R); ++d)
      out = out * shape_[d] + at[d];
    return size_t(out);
  }
  template <class T> ArrayView<T, R> viewOf(T *data) const {
    ArrayView<T, R> out{.data = data, .shape = shape_};
    int64_t stride = 1;
    for (size_t d = size_t(R); d-- > 0; stride *= shape_[d])
      out.strides[d] = stride;
    return out;
  }
  std::array<int64_t, size_t(R)> shape_;
  std::vector<Cell> elements;
};

/// An output and the shape of its tiles, from which the grid follows.
template <class A, size_t R> struct Partitioned {
  A &array;
  std::array<int64_t, R> tile;
};
template <class A, size_t R> Partitioned<A, R> partition(A &array, const int (&tile)[R]) {
  Partitioned<A, R> out{array, {}};
  for (size_t d = 0; d < R; ++d)
    out.tile[d] = tile[d];
  return out;
}

namespace detail {

/// Turns types of the host into arrays: `view` makes an ArrayView.
template <class T> struct HostArray {
  static constexpr bool isArray = false;
  static constexpr int rank = 0;
};
template <class E, int R> struct HostArray<ArrayView<E, R>> {
  static constexpr bool isArray = true;
  static constexpr int rank = R;
  using Element = E;
  static ArrayView<E, R> view(ArrayView<E, R> a) { return a; }
};
template <class E, int R> struct HostArray<Array<E, R>> {
  static constexpr bool isArray = true;
  static constexpr int rank = R;
  using Element = E;
  template <class A> static auto view(A &a) { return a.view(); }
};
template <class E> struct HostArray<std::vector<E>> {
  static constexpr bool isArray = true;
  static constexpr int rank = 1;
  using Element = E;
  template <class A> static auto view(A &a) { return tile::view(a.data(), {int64_t(a.size())}); }
};
/// Not an array, as its elements have no addresses; Kernel.h reports that.
template <> struct HostArray<std::vector<bool>> {
  static constexpr bool isArray = false;
  static constexpr int rank = 1;
};
template <class E, size_t n> struct HostArray<std::array<E, n>> {
  static constexpr bool isArray = true;
  static constexpr int rank = 1;
  using Element = E;
  template <class A> static auto view(A &a) { return tile::view(a.data(), {int64_t(n)}); }
};
template <class E> struct HostArray<std::span<E>> {
  static constexpr bool isArray = true;
  static constexpr int rank = 1;
  using Element = E;
  static auto view(std::span<E> a) { return tile::view(a.data(), {int64_t(a.size())}); }
};
template <class A, size_t R> struct HostArray<Partitioned<A, R>> {
  static constexpr bool isArray = true;
  static constexpr int rank = HostArray<std::remove_const_t<A>>::rank;
  using Element = typename HostArray<std::remove_const_t<A>>::Element;
  static auto view(const Partitioned<A, R> &p) {
    return HostArray<std::remove_const_t<A>>::view(p.array);
  }
};

template <class E, int R> Argument argumentOf(const ArrayView<E, R> &view) {
  Argument out;
  out.data = const_cast<std::remove_const_t<E> *>(view.data);
  out.isConst = std::is_const_v<E>;
  out.shape.assign(view.shape.begin(), view.shape.end());
  out.strides.assign(view.strides.begin(), view.strides.end());
  int64_t last = 0;
  bool isEmpty = false;
  for (size_t d = 0; d < size_t(R); ++d) {
    isEmpty = isEmpty || view.shape[d] <= 0;
    last += (view.shape[d] - 1) * view.strides[d];
  }
  out.bytes = isEmpty ? 0 : size_t(last + 1) * sizeof(E);
  return out;
}

} // namespace detail
} // namespace tessera::tile
