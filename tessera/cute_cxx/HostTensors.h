// Tensors in memory of the host: make_tensor(pointer, layout), read and written by C++ at once.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   std::vector<float> data(m * n);
//   HostTensor A = make_tensor(data.data(), make_layout(make_shape(m, n), make_stride(n, 1)));
//   A(i, j) = 1.0f;
//   k(simulator(), A, ...);     // an argument of a kernel: a Tensor of rank 2
#pragma once

#include "tessera/cute_cxx/Tensors.h"
#include "tessera/tile_dsl/Host.h"

namespace tessera::cute {

namespace detail {
/// One of the extents that a mode is made of, with its stride.
struct HostExtent {
  int64_t extent, stride;
};
/// The modes of a layout without a swizzle; none of one with a swizzle. The extents have to be
/// known: otherwise that is a mistake, and there are no elements.
std::vector<std::vector<HostExtent>> host_extents(const Layout<> &, int64_t &size, Place);
/// All of them, for an argument of a kernel; a layout with a swizzle, which strides do not say, is
/// a mistake.
std::vector<HostExtent> host_argument(const Layout<> &, Place);
/// The index of a coordinate; 0 after a mistake.
int64_t host_index(const Layout<> &, const IntTuple &coord, Place);
/// A coordinate with `_`: the layout of the modes that are left, and where it begins.
Layout<> host_slice(const Layout<> &, const IntTuple &coord, int64_t &offset, Place);
std::string host_text(const void *address, int bits, const Layout<> &);
/// An element as CuTe C++ prints it in a table.
void print_element(Format, double);
} // namespace detail

template <class T> class HostTensor {
public:
  HostTensor(T *data, const Layout<> &l, Place at = Place::current())
      : first(data), whole(l), modes(detail::host_extents(l, elements, at)) {}

  Layout<> layout() const { return whole; }
  IntTuple shape() const { return whole.shape(); }
  IntTuple stride() const { return whole.stride(); }
  T *data() const { return first; }
  int64_t size() const { return elements; }
  int rank() const { return whole.rank(); }

  /// The element at a coordinate, given by one integer, by one for each mode, or by tuples.
  template <class... Cs>
    requires(sizeof...(Cs) > 0 && !(detail::is_slice<Cs> || ...))
  T &operator()(const Cs &...coord) const {
    if (elements == 0)
      return nothing();
    if constexpr ((std::is_integral_v<Cs> && ...))
      if (!modes.empty() && (sizeof...(Cs) == modes.size() || sizeof...(Cs) == 1))
        return first[place({int64_t(coord)...})];
    return first[detail::host_index(whole, joined(coord...), Place::current())];
  }
  /// With `_`: the tensor of the modes that it leaves open.
  template <class... Cs>
    requires((detail::is_slice<Cs> || ...))
  HostTensor operator()(const Cs &...coord) const {
    int64_t offset = 0;
    Layout<> rest = detail::host_slice(whole, joined(coord...), offset, Place::current());
    return HostTensor(first + offset, rest);
  }
  T &operator[](int64_t i) const { return (*this)(i); }
  /// The part that a tiler names, from the same start.
  template <class... Ts> HostTensor compose(const Ts &...tilers) const {
    return HostTensor(first, whole.compose(tilers...));
  }

private:
  static T &nothing() { // what a tensor without elements gives after a mistake
    static thread_local std::remove_const_t<T> none{};
    return none;
  }
  template <class... Cs> static IntTuple joined(const Cs &...coord) {
    if constexpr (sizeof...(Cs) == 1)
      return (IntTuple(coord), ...);
    else
      return IntTuple::of({IntTuple(coord)...});
  }
  int64_t place(std::initializer_list<int64_t> coord) const {
    int64_t out = 0, rest = *coord.begin();
    const int64_t *next = coord.begin();
    for (const auto &mode : modes) {
      if (coord.size() > 1)
        rest = *next++;
      for (size_t i = 0; i < mode.size(); ++i) {
        bool isLast = i + 1 == mode.size() && (coord.size() > 1 || &mode == &modes.back());
        out += (isLast ? rest : rest % mode[i].extent) * mode[i].stride;
        rest /= mode[i].extent;
      }
    }
    return out;
  }

  T *first;
  Layout<> whole;
  int64_t elements = 0;
  std::vector<std::vector<detail::HostExtent>> modes;
};

namespace detail {
template <class T>
concept HostElement = ElementType<std::remove_const_t<T>>;
} // namespace detail
template <detail::HostElement T>
HostTensor<T> make_tensor(T *data, const Layout<> &l, Place at = Place::current()) {
  return HostTensor<T>(data, l, at);
}
template <detail::HostElement T>
HostTensor<T> make_tensor(T *data, const IntTuple &shape, Place at = Place::current()) {
  return HostTensor<T>(data, make_layout(shape, at), at);
}
template <detail::HostElement T>
HostTensor<T> make_tensor(T *data, const IntTuple &shape, const IntTuple &stride,
                          Place at = Place::current()) {
  return HostTensor<T>(data, make_layout(shape, stride, at), at);
}
template <detail::HostElement T, class Order>
  requires(std::is_same_v<Order, LayoutLeft> || std::is_same_v<Order, LayoutRight>)
HostTensor<T> make_tensor(T *data, const IntTuple &shape, Order order,
                          Place at = Place::current()) {
  return HostTensor<T>(data, make_layout(shape, order, at), at);
}

template <class T> Layout<> layout(const HostTensor<T> &t) { return t.layout(); }
template <class T> IntTuple shape(const HostTensor<T> &t) { return t.shape(); }
template <int I, int... Js, class T> IntTuple shape(const HostTensor<T> &t) {
  return get<I, Js...>(t.shape());
}
template <class T> IntTuple stride(const HostTensor<T> &t) { return t.stride(); }
template <class T> int rank(const HostTensor<T> &t) { return t.rank(); }
template <class T> int64_t size(const HostTensor<T> &t) { return t.size(); }
template <int I, int... Js, class T> int64_t size(const HostTensor<T> &t) {
  return int64_t(size<I, Js...>(t.layout()));
}
template <class T> HostTensor<T> zipped_divide(const HostTensor<T> &t, const Tiler &tiler) {
  return HostTensor<T>(t.data(), zipped_divide(t.layout(), tiler));
}
/// The tile at a coordinate of the tiles; `_` keeps a mode that counts tiles.
template <class T>
HostTensor<T> local_tile(const HostTensor<T> &t, const Tiler &tiler, const IntTuple &coord) {
  Layout<> tiles = zipped_divide(t.layout(), tiler);
  IntTuple whole = repeat_like(get<0>(tiles.shape()), _);
  int64_t offset = 0;
  Layout<> rest = detail::host_slice(tiles, IntTuple::of({whole, coord}), offset, Place::current());
  return HostTensor<T>(t.data() + offset, rest);
}
template <class T> void fill(const HostTensor<T> &t, const T &value) {
  for (int64_t i = 0; i < t.size(); ++i)
    t(i) = value;
}
template <class T> void clear(const HostTensor<T> &t) { fill(t, T{}); }
template <class T, class U> void copy(const HostTensor<T> &from, const HostTensor<U> &to) {
  for (int64_t i = 0, n = std::min(from.size(), to.size()); i < n; ++i)
    to(i) = U(from(i));
}
template <class T, class F> void for_each(const HostTensor<T> &t, F &&f) {
  for (int64_t i = 0; i < t.size(); ++i)
    f(t(i));
}
template <class T, class U, class F>
void transform(const HostTensor<T> &from, const HostTensor<U> &to, F &&f) {
  for (int64_t i = 0, n = std::min(from.size(), to.size()); i < n; ++i)
    to(i) = f(from(i));
}
template <class T> void print(const HostTensor<T> &t) {
  print(detail::host_text(t.data(), sizeof_bits_v<T>, t.layout()).c_str());
}
/// A table of the elements, as CuTe C++ prints it, for up to two modes.
template <class T> void print_tensor(const HostTensor<T> &t) {
  print(t);
  print(":\n");
  bool isMatrix = t.rank() == 2;
  int64_t columns = isMatrix ? size<1>(t) : 1;
  for (int64_t i = 0, rows = columns ? t.size() / columns : 0; i < rows; ++i) {
    for (int64_t j = 0; j < columns; ++j)
      detail::print_element(format_of<std::remove_const_t<T>>, double(t(i + j * rows)));
    print("\n");
  }
}

} // namespace tessera::cute

/// As an argument of a kernel: nested modes are modes of their own.
template <class T> struct tessera::tile::detail::HostArray<tessera::cute::HostTensor<T>> {
  static constexpr bool isArray = true;
  using Element = T;
  struct View {
    T *data;
    std::vector<int64_t> shape, strides;
  };
  static View view(const tessera::cute::HostTensor<T> &t) {
    View out{t.data(), {}, {}};
    for (const auto &part :
         tessera::cute::detail::host_argument(t.layout(), tessera::cute::Place::current())) {
      out.shape.push_back(part.extent);
      out.strides.push_back(part.stride);
    }
    return out;
  }
};
