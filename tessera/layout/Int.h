// Int: one leaf of a tuple, a static number or a dynamic one that is known only by facts.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <initializer_list>
#include <limits>

namespace tessera::layout {

/// The width of a dynamic leaf, in ascending order. `?` is I32, `?{i64}` is I64; I1 is the result
/// of a comparison, 0 or 1; all others are signed. Arithmetic takes place in 32 or 64 bits.
enum class Width : uint8_t {
  I1,
  I8,
  I16,
  I32,
  I64
};

constexpr unsigned bitsOf(Width width) {
  switch (width) {
  case Width::I1: return 1;
  case Width::I8: return 8;
  case Width::I16: return 16;
  case Width::I32: return 32;
  case Width::I64: break;
  }
  return 64;
}
/// The width of an integer with this many bits; I32 if no leaf has that width.
constexpr Width widthOfBits(unsigned bits) {
  for (Width width : {Width::I1, Width::I8, Width::I16, Width::I64})
    if (bitsOf(width) == bits)
      return width;
  return Width::I32;
}

/// A leaf value. Static: `value` holds it. Dynamic: `id` is a handle that only the `Arith` that
/// made it understands, and the facts tell what is known without the value.
struct Int {
  int64_t value = 0;
  uint32_t id = 0; // 0: static
  Width width = Width::I32;
  uint16_t over = 1; // static: the number is value / over, in lowest terms; see isRatio
  int64_t div = 1;   // dynamic: the value is a multiple of `div` (>= 1); printed as {div=N}
  uint64_t mask =
      ~uint64_t(0);  // dynamic: bits that may be one; never printed (CuTe C++: MixedBits)
  uint64_t ones = 0; // dynamic: bits that are one, some of `mask`; never printed

  constexpr Int() = default;
  constexpr Int(int64_t v) : value(v) {}

  /// A dynamic leaf named `id` (not 0).
  static constexpr Int dynamic(uint32_t id, Width width = Width::I32, int64_t div = 1) {
    Int leaf;
    leaf.id = id;
    leaf.width = width;
    leaf.div = div;
    return leaf;
  }

  constexpr bool isStatic() const { return id == 0; }
  /// Whether it is a static number that is not whole. Only strides of coordinates are, where an
  /// element is a part of what the coordinate counts: 1/2@0 for bytes that TMA takes in pairs.
  constexpr bool isRatio() const { return over != 1; }
  constexpr bool is(int64_t v) const { return isStatic() && value == v && over == 1; }

  /// Equality of printed types: same static value, or dynamic with the same width and divisor.
  friend constexpr bool operator==(const Int &a, const Int &b) {
    if (a.isStatic() != b.isStatic())
      return false;
    return a.isStatic() ? a.value == b.value && a.over == b.over
                        : a.width == b.width && a.div == b.div;
  }
};

inline constexpr bool fits(int64_t v, Width width) {
  if (width == Width::I1)
    return v == 0 || v == 1;
  const int64_t most = std::numeric_limits<int64_t>::max() >> (64 - bitsOf(width));
  return v >= -most - 1 && v <= most;
}
inline constexpr bool fitsI32(int64_t v) { return fits(v, Width::I32); }

} // namespace tessera::layout
