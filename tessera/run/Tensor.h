// Tensor: a host buffer with an element type, a shape and strides in elements, of any order.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The element at coordinate (i, j, ...) lies i*stride0 + j*stride1 + ... elements after the first
// one. The *flat index* of a coordinate counts coordinates with the last mode fastest, as numpy's C
// order does, whatever the strides are: it names an element independently of its place in memory.
#pragma once

#include "tessera/run/Bytes.h"
#include "tessera/run/Dtype.h"

#include <optional>
#include <vector>

namespace tessera::run {

struct NpyArray;

using Coord = std::vector<int64_t>;

/// Strides in elements of the compact layout with the last mode fastest (row-major, numpy's C
/// order). The extents' product must fit int64.
std::vector<int64_t> rowMajor(std::span<const int64_t> shape);
/// The same with the first mode fastest (column-major, CuTe's default).
std::vector<int64_t> columnMajor(std::span<const int64_t> shape);

/// Move-only, because a copy may fail: see clone().
class Tensor {
public:
  /// A tensor of zero bytes. Without strides the layout is compact, last mode fastest. Reasons:
  /// extents or strides below zero, strides of another rank, sizes beyond int64, no memory. Extents
  /// of 0 and rank 0 are allowed; so is stride 0 (a broadcast mode: its elements share one place).
  static Result<Tensor> make(Dtype, std::vector<int64_t> shape,
                             std::optional<std::vector<int64_t>> strides = std::nullopt);
  Result<Tensor> clone() const;

  Dtype dtype() const { return type; }
  const std::vector<int64_t> &shape() const { return extents; }
  const std::vector<int64_t> &strides() const { return steps; }
  /// Number of coordinates.
  int64_t size() const { return count; }
  /// Number of elements from the first to the last in memory, including gaps; 0 if there is no
  /// coordinate.
  int64_t cosize() const { return reach; }
  /// The bytes copied to and from a device: cosize() elements of storageBits, rounded up to bytes.
  std::span<std::byte> bytes() { return memory.span(); }
  std::span<const std::byte> bytes() const { return memory.span(); }

  /// Offset in elements of a coordinate, which must be within the shape.
  int64_t offset(const Coord &) const;
  double at(const Coord &c) const {
    return toDouble(type, loadCode(type, memory.data(), offset(c)));
  }
  void set(const Coord &c, double v) {
    storeCode(type, memory.data(), offset(c), fromDouble(type, v));
  }
  uint64_t codeAt(const Coord &c) const { return loadCode(type, memory.data(), offset(c)); }
  void setCode(const Coord &c, uint64_t code) { storeCode(type, memory.data(), offset(c), code); }

  /// "f16 (4096, 64):(64, 1)".
  std::string str() const;

private:
  Tensor() = default;

  Dtype type = Dtype::f32;
  std::vector<int64_t> extents, steps;
  int64_t count = 0, reach = 0;
  Bytes memory;
};

/// The coordinate with a flat index in [0, size of shape).
Coord coordinate(std::span<const int64_t> shape, int64_t flat);

/// Calls `f(offsetA, offsetB)` for every coordinate of `shape` in the order of their flat indices.
template <class F>
void walk(std::span<const int64_t> shape, std::span<const int64_t> stridesA,
          std::span<const int64_t> stridesB, F &&f) {
  for (int64_t extent : shape)
    if (extent == 0)
      return;
  Coord coord(shape.size());
  int64_t a = 0, b = 0;
  while (true) {
    f(a, b);
    size_t mode = shape.size();
    for (; mode-- > 0;) {
      a += stridesA[mode];
      b += stridesB[mode];
      if (++coord[mode] < shape[mode])
        break;
      a -= shape[mode] * stridesA[mode];
      b -= shape[mode] * stridesB[mode];
      coord[mode] = 0;
    }
    if (mode == size_t(-1))
      return;
  }
}

//===------------------------------------------------------------------------------------------===//
// Filling
//===------------------------------------------------------------------------------------------===//

/// Output number `index` (from 0) of the generator SplitMix64 seeded with `seed`:
///   z = seed + (index + 1) * 0x9E3779B97F4A7C15
///   z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9;  z = (z ^ z >> 27) * 0x94D049BB133111EB;  z ^ z >> 31
/// Source: Steele, Lea, Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014; the
/// constants are those of Vigna's splitmix64.c.
uint64_t splitMix64(uint64_t seed, uint64_t index);

/// The code of the random value with a flat index; with r = splitMix64(seed, flat):
///   floating point   (r >> 11) * 2^-52 - 1, uniform in [-1, 1), rounded to the type
///   f8E8M0FNU        2^((r >> 61) - 4): 2^-4 ... 2^3, as it is a type of scales
///   i1 u1 i2 u2      the highest bits of r
///   signed           (r >> 60) - 8: -8 ... 7        unsigned: r >> 60: 0 ... 15
/// It depends on nothing else: not on the shape's strides, nor on the machine.
uint64_t randomCode(Dtype, uint64_t seed, uint64_t flat);

void fillRandom(Tensor &, uint64_t seed);
/// All bytes 0xFF, including gaps: NaN in f64 f32 tf32 f16 bf16 and the 8-bit types, -6 in
/// f4E2M1FN, -1 or the maximum in integers. This shows elements that a kernel forgot to write.
void fillPoison(Tensor &);

//===------------------------------------------------------------------------------------------===//
// .npy
//===------------------------------------------------------------------------------------------===//

/// A tensor with the array's values: array[i, j, ...] becomes the element at coordinate (i, j,
/// ...), laid out with `strides` (compact, last mode fastest, if none are given), whatever order
/// the file has.
///
/// Without a type, the array's own: f2 f4 f8 -> f16 f32 f64, i1.. -> i8.., u1.. -> u8.., b1 -> i1;
/// V1 and V2 have none. With a type that .npy has no name for (bf16, tf32, floats of 8, 6 and 4
/// bits), arrays of integers and raw bytes of its size are its bits (of 6 and 4 bits: one code per
/// byte); arrays of f2 f4 f8 are converted, rounding to nearest even. i4, i2, u4, u2 and u1 take
/// integers, or one code per byte of V1. Any other type converts numbers: to floating point
/// rounding, to integers only where every value is representable.
Result<Tensor> fromNpy(const NpyArray &, std::optional<Dtype> = std::nullopt,
                       std::optional<std::vector<int64_t>> strides = std::nullopt);

/// An array in C order with the tensor's values: tf32 as f4, i4 and i2 as i1, u4 and u2 as u1, i1
/// and u1 as b1, bf16 as V2 and the 8-bit floats as V1 (as ml_dtypes does), floats of 6 and 4 bits
/// as V1 with one code per byte.
Result<NpyArray> toNpy(const Tensor &);

} // namespace tessera::run
