// Exact: sums and products of numbers, rounded once in any format.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sums, products and fused products of formats up to f32 are computed in double precision and
// rounded to odd there; rounding that again (Code.h) gives what one rounding of the exact result
// would, in every direction, as a double has more than twice and two more bits than they have.
// Source: Boldo and Melquiond, "Emulation of a FMA and correctly rounded sums: proved algorithms
// using rounding to odd", IEEE Transactions on Computers 57, 2008.
//
// A file that includes this must be compiled with -ffp-contract=off, and the floating-point
// environment must round to nearest.
#pragma once

#include "tessera/number/Code.h"

#include <cmath>

namespace tessera::number {

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

/// The sign of an exact zero that is the sum of a and b depends on the direction. IEEE 754, 6.3.
inline double signedZero(double sum, double a, double b, Rounding rounding) {
  return sum == 0 && std::signbit(a) != std::signbit(b) ? (rounding == Rounding::Down ? -0.0 : 0.0)
                                                        : sum;
}

/// a * b + c of formats with at most 24 bits of precision, whose product a double holds exactly.
inline double fusedToOdd(double a, double b, double c, Rounding rounding) {
  double product = a * b;
  return signedZero(addToOdd(product, c), product, c, rounding);
}

/// Whether .ftz replaces a number, which is exact or rounded to odd, by zero: whether it is below
/// the smallest normal number after rounding to the format's precision with unbounded exponent
/// (IEEE 754-2019, 7.5, "after rounding"). So 2^-126 (1 - 2^-24), which is 2^-126 as f32, is
/// flushed. An H200 does this in add, mul, fma, div, rcp and cvt of f32 and f16, in each direction
/// (test/sim/cases/h200.txt).
inline bool isFlushed(const Floating &format, double value, Rounding rounding) {
  const double smallest = std::ldexp(1.0, 1 - format.bias);
  const double step = std::ldexp(smallest, -format.mantissa - 1); // to the number before it
  const double size = std::fabs(value);
  if (!(size < smallest))
    return false;
  switch (rounding) {
  case Rounding::Down: return value > 0 || size <= smallest - step;
  case Rounding::Up: return value < 0 || size <= smallest - step;
  case Rounding::NearestEven:
  case Rounding::NearestAway: return size < smallest - step / 2;
  default: return true;
  }
}

} // namespace tessera::number
