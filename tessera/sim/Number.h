// Number formats: what a code stands for, and which code stands for a number, rounded in every way
// that PTX has.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sums, products and fused products of formats up to f32 are computed in double precision and
// rounded to odd there; rounding that again gives what one rounding of the exact result would, in
// every mode, as a double has more than twice and two more bits than they have. Source: Boldo and
// Melquiond, "Emulation of a FMA and correctly rounded sums: proved algorithms using rounding to
// odd", IEEE Transactions on Computers 57, 2008.
#pragma once

#include "tessera/sim/Instruction.h"

#include <bit>
#include <cmath>

namespace tessera::sim {

/// The NaN with which boxes of tensors are filled, in each half of any type, and which fma.oob
/// looks for. No document says which one; an H100 was asked.
inline constexpr uint16_t outsideNan = 0x7ff7;

/// A binary format with `exponent` and `mantissa` bits. Top: what its largest exponent holds.
struct Format {
  int exponent, mantissa, bias;
  enum Top : uint8_t {
    Ieee,
    NanOnly,
    Finite
  } top = Ieee; // NanOnly: all ones is NaN, there is no infinity
  bool isSigned = true;

  constexpr int bits() const { return exponent + mantissa + isSigned; }
  constexpr uint64_t signBit() const { return isSigned ? uint64_t(1) << (exponent + mantissa) : 0; }
  constexpr uint64_t magnitudeMask() const { return (uint64_t(1) << (exponent + mantissa)) - 1; }
  constexpr uint64_t infinity() const { return magnitudeMask() ^ ((uint64_t(1) << mantissa) - 1); }
  constexpr uint64_t largest() const {
    return top == Ieee ? infinity() - 1 : top == NanOnly ? magnitudeMask() - 1 : magnitudeMask();
  }
  /// The NaN that instructions produce: all ones without a sign. PTX ISA 9.7.3, 9.7.4.
  constexpr uint64_t nan() const { return magnitudeMask(); }
};

namespace formats {
inline constexpr Format f32{8, 23, 127}, tf32{8, 10, 127}, f16{5, 10, 15}, bf16{8, 7, 127},
    e5m2{5, 2, 15}, e4m3{4, 3, 7, Format::NanOnly}, e2m3{2, 3, 1, Format::Finite},
    e3m2{3, 2, 3, Format::Finite}, e2m1{2, 1, 1, Format::Finite},
    ue8m0{8, 0, 127, Format::NanOnly, false}, ue4m3{4, 3, 7, Format::NanOnly, false};
}

/// The code of a number. `value` is exact or rounded to odd. Beyond the largest number comes
/// infinity, or, with satfinite or without infinities, the largest number.
uint64_t encode(const Format &, double value, const Modes &);
double decode(const Format &, uint64_t code);

/// x, moved to the neighbour with an odd last bit if it differs from the exact x + error.
inline double toOdd(double x, double error) {
  uint64_t code = std::bit_cast<uint64_t>(x);
  if (error == 0 || !std::isfinite(x) || !std::isfinite(error) || (code & 1))
    return x;
  return std::bit_cast<double>((error > 0) == !std::signbit(x) ? code + 1 : code - 1);
}

/// a + b rounded to odd. Knuth's TwoSum gives the error exactly.
inline double addToOdd(double a, double b) {
  double sum = a + b, back = sum - a;
  return toOdd(sum, (a - (sum - back)) + (b - back));
}

/// The sign of an exact zero that is the sum of a and b depends on the mode. IEEE 754, 6.3.
inline double signedZero(double sum, double a, double b, Rounding mode) {
  return sum == 0 && std::signbit(a) != std::signbit(b) ? (mode == Rounding::Down ? -0.0 : 0.0)
                                                        : sum;
}

/// a * b + c of formats with at most 24 bits of precision, whose product a double holds exactly.
inline double fusedToOdd(double a, double b, double c, Rounding mode) {
  double product = a * b;
  return signedZero(addToOdd(product, c), product, c, mode);
}

/// f16 as f32 without branches: the exponent is moved by a multiplication, which is exact.
inline float halfToFloat(uint16_t code) {
  constexpr float scale = 0x1p112f;
  uint32_t magnitude = uint32_t(code & 0x7fff) << 13;
  float value = std::bit_cast<float>(magnitude) * scale;
  uint32_t bits = std::bit_cast<uint32_t>(value) | (magnitude >= 0x0f800000 ? 0x7f800000 : 0);
  return std::bit_cast<float>(bits | uint32_t(code & 0x8000) << 16);
}
inline float bfloatToFloat(uint16_t code) { return std::bit_cast<float>(uint32_t(code) << 16); }

} // namespace tessera::sim
