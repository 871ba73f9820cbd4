// Arrays of the host whose elements have less than 8 bits, packed as in memory of the device.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   SubbyteArray<int4_t, 2> B(n, k);           // two elements a byte, the first in the low half
//   B.fill([](int64_t i) { return i % 16 - 8; });
//   k(simulator(), A, B, C);                   // a Tensor of int4_t
#pragma once

#include "tessera/cute_cxx/Values.h"
#include "tessera/tile_dsl/Host.h"

namespace tessera::cute {

/// An element that shares a byte with others.
template <class T> class SubbyteRef {
public:
  SubbyteRef(uint8_t *at, int below) : byte(at), shift(below) {}
  SubbyteRef(const SubbyteRef &) = default;
  operator T() const {
    T out;
    out.bits = uint8_t((*byte >> shift) & mask);
    return out;
  }
  const SubbyteRef &operator=(T value) const {
    *byte = uint8_t((*byte & ~(mask << shift)) | (value.bits & mask) << shift);
    return *this;
  }
  const SubbyteRef &operator=(const SubbyteRef &other) const { return *this = T(other); }
  explicit operator double() const { return double(T(*this)); }

private:
  static constexpr int mask = (1 << sizeof_bits_v<T>)-1;
  uint8_t *byte;
  int shift;
};

/// A row-major array, initially zero.
template <ElementType T, int R> class SubbyteArray {
  static_assert(sizeof_bits_v<T> == 2 || sizeof_bits_v<T> == 4,
                "a SubbyteArray has elements of 2 or 4 bits, of which bytes hold a whole number; "
                "others lie in an Array");

public:
  template <class... N>
    requires(sizeof...(N) == size_t(R))
  explicit SubbyteArray(N... extents) : shape_{int64_t(extents)...} {
    bytes.resize(size_t(((int64_t(extents) * ... * 1) * sizeof_bits_v<T> + 7) / 8));
  }
  int64_t shape(int dim) const { return shape_[size_t(dim)]; }
  int64_t size() const {
    int64_t n = 1;
    for (int64_t extent : shape_)
      n *= extent;
    return n;
  }
  /// The bytes, as the device has them.
  uint8_t *data() { return bytes.data(); }
  const uint8_t *data() const { return bytes.data(); }
  SubbyteRef<T> operator[](int64_t i) {
    constexpr int64_t inByte = 8 / sizeof_bits_v<T>;
    return {bytes.data() + i / inByte, int(i % inByte) * sizeof_bits_v<T>};
  }
  T operator[](int64_t i) const { return (*const_cast<SubbyteArray *>(this))[i]; }
  template <class... N>
    requires(sizeof...(N) == size_t(R))
  SubbyteRef<T> operator()(N... at) {
    return (*this)[place({int64_t(at)...})];
  }
  template <class... N>
    requires(sizeof...(N) == size_t(R))
  T operator()(N... at) const {
    return (*this)[place({int64_t(at)...})];
  }
  /// Assigns T(f(i)) to each element, in row-major order.
  template <class F> SubbyteArray &fill(F f) {
    for (int64_t i = 0; i < size(); ++i)
      if constexpr (FloatType<T>)
        (*this)[i] = T(double(f(i)));
      else
        (*this)[i] = T(int(f(i)));
    return *this;
  }
  /// With strides that count elements.
  tile::ArrayView<T, R> view() { return viewOf(bytes.data()); }
  tile::ArrayView<const T, R> view() const { return viewOf(bytes.data()); }

private:
  int64_t place(std::array<int64_t, size_t(R)> at) const {
    int64_t out = 0;
    for (size_t d = 0; d < size_t(R); ++d)
      out = out * shape_[d] + at[d];
    return out;
  }
  template <class Byte> auto viewOf(Byte *data) const {
    using Of = std::conditional_t<std::is_const_v<Byte>, const T, T>;
    tile::ArrayView<Of, R> out{.data = reinterpret_cast<Of *>(data), .shape = shape_};
    int64_t stride = 1;
    for (size_t d = size_t(R); d-- > 0; stride *= shape_[d])
      out.strides[d] = stride;
    return out;
  }
  std::array<int64_t, size_t(R)> shape_;
  std::vector<uint8_t> bytes;
};

} // namespace tessera::cute

template <class E, int R>
struct tessera::tile::detail::HostArray<tessera::cute::SubbyteArray<E, R>> {
  static constexpr bool isArray = true;
  static constexpr int rank = R;
  using Element = E;
  template <class A> static auto view(A &a) { return a.view(); }
};
