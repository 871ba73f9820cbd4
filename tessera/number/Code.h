// Code: the number that a bit pattern stands for, and the bit pattern of a number, rounded in each
// way that PTX has.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A number of any format except s64 and u64 fits a double without rounding, so conversions between
// formats go through double. The step to a narrower format rounds once:
//
//   encode(Format::f16, 1.0 + 0x1p-11, {})                            0x3c00, the even neighbour
//   encode(Format::f16, 1.0 + 0x1p-11, {.rounding = Rounding::Up})    0x3c01
//   encode(Format::e4m3, 1e6, {})                                     0x7f, NaN: no infinity
//   encode(Format::e4m3, 1e6, {.saturates = true})                    0x7e, 448
//
// Sources: IEEE 754-2019, 4.3 (directions) and 7.4 (overflow); PTX ISA 9.0, 9.7.9.22 and 9.7.9.23
// (cvt); OCP Microscaling Formats 1.0, 5.3 and 5.4.
#pragma once

#include "tessera/number/Format.h"

#include <bit>

namespace tessera::number {

/// The neighbour that a number between two codes is rounded to.
enum class Rounding : uint8_t {
  NearestEven, // .rn: the nearer; if equally near, the one with an even code
  Zero,        // .rz
  Down,        // .rm
  Up,          // .rp
  NearestAway, // .rna: the nearer; if equally near, the one of larger magnitude
  Stochastic   // .rs: away from zero if adding random bits to the discarded ones carries
};

/// How a number is converted to a code.
struct Rules {
  Rounding rounding = Rounding::NearestEven;
  bool saturates = false; // .satfinite: numbers too large, and infinity, become the largest number
  bool dropsSign = false; // an unsigned floating-point format takes the magnitude; else NaN
  bool hostNan = false;   // the NaN of CUDA's headers rather than of instructions
  uint8_t randomBits = 0; // Stochastic adds as many bits of `random` to the highest discarded ones;
  uint32_t random = 0;    // at most 32
};

/// The code of a number.
///
/// Floating-point formats. `value` is exact, or rounded to odd (Exact.h). NaN becomes the format's
/// NaN without a sign; a Finite format has none and takes its largest number. A number beyond the
/// largest follows IEEE 754 for the direction: infinity (in a NanOnly format NaN, in a Finite one
/// the largest), or the largest number if it rounds inward or `saturates`. Infinity stays, or is
/// treated like a number beyond the largest. f64 takes the bits of the double.
///
/// Integers. Rounded to an integer as `rounding` says (Stochastic: to the nearest, ties to even),
/// then the nearest bound; 0 for NaN. b1 is 1 for everything but zero and NaN.
uint64_t encode(Format, double value, const Rules &);
/// The same for a format by its fields, narrower than f64; the code has no zeros below the
/// mantissa.
uint64_t encode(const Floating &, double value, const Rules &);

/// The number of a code. Exact, except for s64 and u64 beyond 2^53, which are rounded to nearest
/// even. NaN loses its sign and payload, except for f32 and f64. Bits beyond the stored ones, and
/// the low 13 bits of tf32, are ignored. ue8m0 has no zero: its code 0 is 2^-127.
double decode(Format, uint64_t code);
double decode(const Floating &, uint64_t code);

/// The rules of CUDA's headers on the host: to nearest even; numbers too large become infinity in
/// formats of 16 bits and more, and the largest number in narrower ones; ue8m0 takes the magnitude.
/// Sources: cuda_fp16.hpp, cuda_fp8.hpp, cuda_fp4.hpp of CUDA 13.0. Rounding ue8m0 to nearest is
/// our choice: CUDA rounds to powers of two only down and up.
constexpr Rules hostRules(Format format) {
  return {.saturates = storedBits(format) <= 8, .dropsSign = true, .hostNan = true};
}

/// The bounds of an integer format; b1 and the other formats of kind Bits are unsigned.
struct IntegerRange {
  int64_t min;
  uint64_t max;
};
constexpr IntegerRange integerRange(Format format) {
  uint64_t ones = ~uint64_t(0) >> (64 - valueBits(format));
  bool isSigned = kindOf(format) == Kind::Signed;
  return {isSigned ? -int64_t(ones >> 1) - 1 : 0, isSigned ? ones >> 1 : ones};
}
/// The code of an integer format as a number; for u64, its bits.
constexpr int64_t toInteger(Format format, uint64_t code) {
  int unused = 64 - storedBits(format);
  return kindOf(format) == Kind::Signed ? int64_t(code << unused) >> unused : int64_t(code);
}
/// The largest number of a floating-point format.
double largestFinite(Format);

/// A number rounded to an integer, whatever the floating-point environment says; Stochastic: to the
/// nearest, ties to even. Infinity and NaN stay.
double integral(Rounding, double);

/// f16 as f32 without branches: the exponent is moved by a multiplication, which is exact.
inline float halfToFloat(uint16_t code) {
  constexpr float scale = 0x1p112f;
  uint32_t magnitude = uint32_t(code & 0x7fff) << 13;
  float value = std::bit_cast<float>(magnitude) * scale;
  uint32_t bits = std::bit_cast<uint32_t>(value) | (magnitude >= 0x0f800000 ? 0x7f800000 : 0);
  return std::bit_cast<float>(bits | uint32_t(code & 0x8000) << 16);
}
inline float bfloatToFloat(uint16_t code) { return std::bit_cast<float>(uint32_t(code) << 16); }

} // namespace tessera::number
