// Oracle: every value of a small format, from the formulas of its standard and by nothing of ours,
// and what a number between two of them becomes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/number/Code.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

namespace tessera::number::test {

/// A format of at most 16 bits as its standard states it: bits of the exponent and of the mantissa,
/// bias, whether it has a sign, and what it has at its top.
struct Standard {
  Format format;
  int exponent, mantissa, bias;
  bool isSigned;
  bool hasInfinity; // and NaN in the rest of the largest exponent
  bool onesAreNan;  // and nothing else is
};
// IEEE 754-2019 table 3.5 (f16), PTX ISA 9.0 5.2.3 (bf16, ue4m3), OCP FP8 1.0 table 1, OCP MX 1.0
// 5.3.1 to 5.3.3 and 5.4.1.
inline constexpr Standard standards[] = {
    {Format::f16, 5, 10, 15, true, true, false},  {Format::bf16, 8, 7, 127, true, true, false},
    {Format::e5m2, 5, 2, 15, true, true, false},  {Format::e4m3, 4, 3, 7, true, false, true},
    {Format::ue4m3, 4, 3, 7, false, false, true}, {Format::ue8m0, 8, 0, 127, false, false, true},
    {Format::e2m3, 2, 3, 1, true, false, false},  {Format::e3m2, 3, 2, 3, true, false, false},
    {Format::e2m1, 2, 1, 1, true, false, false},
};

/// The value of a code by the formulas.
inline double valueOf(const Standard &s, unsigned code) {
  unsigned mantissa = code & ((1u << s.mantissa) - 1), all = (1u << s.exponent) - 1,
           exponent = code >> s.mantissa & all,
           sign = s.isSigned ? code >> (s.mantissa + s.exponent) & 1 : 0;
  double value = 0;
  if (s.hasInfinity && exponent == all)
    value = mantissa ? NAN : INFINITY;
  else if (s.onesAreNan && exponent == all && mantissa == (1u << s.mantissa) - 1)
    value = NAN;
  else if (s.mantissa == 0) // OCP MX 5.4.1: no zero, no subnormal numbers
    value = std::pow(2.0, double(exponent) - s.bias);
  else if (exponent == 0)
    value = mantissa / std::pow(2.0, s.mantissa) * std::pow(2.0, 1 - s.bias);
  else
    value = (1 + mantissa / std::pow(2.0, s.mantissa)) * std::pow(2.0, double(exponent) - s.bias);
  return sign ? -value : value;
}

/// The finite values that are not negative, by code: they grow with it.
inline std::vector<double> magnitudesOf(const Standard &s) {
  std::vector<double> out;
  for (unsigned code = 0; code < 1u << (s.exponent + s.mantissa); ++code)
    if (double value = valueOf(s, code); std::isfinite(value))
      out.push_back(value);
  return out;
}

/// A number of a format, or what lies beyond its largest.
struct Rounded {
  uint64_t code = 0; // of the magnitude
  bool beyond = false;
};

/// What a magnitude becomes, by search over all values. Beyond the largest there is, for the sake
/// of the search, the value that would follow it (IEEE 754, 7.4).
inline Rounded search(const std::vector<double> &values, double x, bool negative,
                      const Rules &rules) {
  size_t count = values.size();
  if (x < values[0])
    return {0}; // below the least power of two, which ue8m0 does not leave
  double following = values[count - 1] + (values[count - 1] - values[count - 2]);
  if (count > 128 && values[count - 1] == 2 * values[count - 2]) // powers of two
    following = 2 * values[count - 1];
  if (x >= following)
    return {count, true};
  size_t low = size_t(std::upper_bound(values.begin(), values.end(), x) - values.begin()) - 1;
  double below = values[low], above = low + 1 < count ? values[low + 1] : following;
  double middle = below + (above - below) / 2; // exact: it has one bit more than the format
  bool up = false;
  switch (rules.rounding) {
  case Rounding::NearestEven: up = x > middle || (x == middle && low % 2 == 1); break;
  case Rounding::NearestAway: up = x >= middle; break;
  case Rounding::Zero: break;
  case Rounding::Down: up = negative && x > below; break;
  case Rounding::Up: up = !negative && x > below; break;
  case Rounding::Stochastic: {
    // The part of the way to the next value, cut to the random bits; exact, as x - below is.
    double part = std::floor(std::ldexp((x - below) / (above - below), rules.randomBits));
    up = part + rules.random >= std::ldexp(1.0, rules.randomBits);
    break;
  }
  }
  return {low + up, low + up == count};
}

/// The code of a number, by the search.
inline uint64_t expected(const Standard &s, const std::vector<double> &values, double x,
                         const Rules &rules) {
  uint64_t ones = (uint64_t(1) << (s.exponent + s.mantissa)) - 1, largest = values.size() - 1;
  bool hasNan = s.hasInfinity || s.onesAreNan;
  bool negative = std::signbit(x);
  if (std::isnan(x))
    return hasNan ? ones : largest;
  if (negative && !s.isSigned) {
    if (x < 0 && !rules.dropsSign)
      return ones;
    negative = false;
  }
  uint64_t sign = negative ? ones + 1 : 0;
  uint64_t tooLarge = rules.saturates || !hasNan ? largest : s.hasInfinity ? largest + 1 : ones;
  if (std::isinf(x))
    return sign | tooLarge;
  Rounded rounded = search(values, std::fabs(x), negative, rules);
  bool inward = rules.rounding == Rounding::Zero ||
                (rules.rounding == Rounding::Down && !negative) ||
                (rules.rounding == Rounding::Up && negative);
  return sign | (!rounded.beyond ? rounded.code : inward ? largest : tooLarge);
}

} // namespace tessera::number::test
