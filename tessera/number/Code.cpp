// Encodes and decodes numbers bit by bit.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/number/Code.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tessera::number {

namespace {

constexpr int doubleMantissa = 52, doubleBias = 1023;
constexpr uint64_t doubleSign = uint64_t(1) << 63;

uint64_t lowMask(int bits) { return bits >= 64 ? ~uint64_t(0) : (uint64_t(1) << bits) - 1; }

/// Whether significand * 2^-shift is rounded to the upper of the two integers around it.
/// significand < 2^53 and shift > 0; `odd`: the code of the lower one is odd.
bool roundsUp(const Rules &rules, bool negative, bool odd, uint64_t significand, int shift) {
  // From 64 on all bits are discarded, and the highest of them is zero.
  bool far = shift > 63;
  uint64_t rest = far ? significand : significand & lowMask(shift);
  uint64_t half = far ? doubleSign : uint64_t(1) << (shift - 1);
  switch (rules.rounding) {
  case Rounding::NearestEven: return rest > half || (rest == half && odd);
  case Rounding::NearestAway: return rest >= half;
  case Rounding::Zero: return false;
  case Rounding::Down: return negative && rest;
  case Rounding::Up: return !negative && rest;
  case Rounding::Stochastic: {
    int below = shift - rules.randomBits; // discarded bits to which nothing is added
    uint64_t highest = below > 63 ? 0 : below >= 0 ? rest >> below : rest << -below;
    return (highest + rules.random) >> rules.randomBits;
  }
  }
  return false;
}

/// The code of what lies beyond the largest number.
uint64_t beyond(const Floating &format, const Rules &rules, bool negative) {
  Rounding r = rules.rounding;
  bool inward =
      r == Rounding::Zero || (r == Rounding::Down && !negative) || (r == Rounding::Up && negative);
  if (inward || rules.saturates || format.top == Floating::Finite)
    return format.largest();
  return format.top == Floating::Ieee ? format.infinity() : format.nan();
}

uint64_t encodeInteger(Format format, double value, const Rules &rules) {
  if (std::isnan(value))
    return 0;
  if (format == Format::b1)
    return value != 0;
  auto [min, max] = integerRange(format);
  double rounded = integral(rules.rounding, value);
  uint64_t mask = lowMask(storedBits(format));
  if (rounded <= double(min))
    return uint64_t(min) & mask;
  if (rounded >= double(max)) // double(max) may be max + 1: then it is out of range too
    return max;
  return (rounded < 0 ? uint64_t(int64_t(rounded)) : uint64_t(rounded)) & mask;
}

} // namespace

uint64_t encode(const Floating &format, double value, const Rules &rules) {
  if (rules.dropsSign && !format.isSigned)
    value = std::fabs(value);
  if (std::isnan(value) || (!format.isSigned && value < 0))
    return format.nan();
  bool negative = std::signbit(value);
  uint64_t sign = negative ? format.signBit() : 0;
  if (std::isinf(value)) // of no direction
    return sign | beyond(format, {.saturates = rules.saturates}, negative);
  uint64_t code = std::bit_cast<uint64_t>(value) & ~doubleSign;
  if (code == 0)
    return sign;
  int exponent = int(code >> doubleMantissa) - doubleBias;
  uint64_t significand = code & lowMask(doubleMantissa);
  if (exponent == -doubleBias)
    ++exponent; // a subnormal double
  else
    significand |= uint64_t(1) << doubleMantissa;

  int64_t result;
  if (!format.mantissa) {
    // Powers of two alone: the significand is the way to the next one, and the least is code 0.
    result = exponent + format.bias;
    if (result >= 0)
      result += roundsUp(rules, negative, result & 1, significand, doubleMantissa);
    result = std::max<int64_t>(result, 0);
  } else {
    // Numbering codes from zero upwards makes the carry out of the mantissa step to the next
    // exponent, and the step into subnormal numbers, right by itself.
    int binade = std::max(exponent, 1 - format.bias);
    int shift = doubleMantissa - format.mantissa + binade - exponent;
    uint64_t kept = shift > 63 ? 0 : significand >> shift;
    kept += roundsUp(rules, negative, kept & 1, significand, shift);
    result = int64_t(kept) + (int64_t(binade + format.bias - 1) << format.mantissa);
  }
  return sign |
         (uint64_t(result) > format.largest() ? beyond(format, rules, negative) : uint64_t(result));
}

double decode(const Floating &format, uint64_t code) {
  bool negative = code & format.signBit();
  uint64_t magnitude = code & format.magnitudeMask();
  if (magnitude > format.largest()) {
    if (format.top != Floating::Ieee || magnitude != format.infinity())
      return std::numeric_limits<double>::quiet_NaN();
    double infinity = std::numeric_limits<double>::infinity();
    return negative ? -infinity : infinity;
  }
  int exponent = int(magnitude >> format.mantissa);
  uint64_t mantissa = magnitude & format.mantissaMask();
  bool normal = exponent > 0 || !format.mantissa;
  double value = std::ldexp(double(mantissa | (uint64_t(normal) << format.mantissa)),
                            (normal ? exponent : 1) - format.bias - format.mantissa);
  return negative ? -value : value;
}

uint64_t encode(Format format, double value, const Rules &rules) {
  if (kindOf(format) != Kind::Float)
    return encodeInteger(format, value, rules);
  if (format == Format::f64)
    return std::bit_cast<uint64_t>(value);
  if (rules.hostNan && std::isnan(value))
    return row(format).hostNan;
  return encode(floating(format), value, rules) << row(format).lowZeros;
}

double decode(Format format, uint64_t code) {
  if (format == Format::f64)
    return std::bit_cast<double>(code);
  if (format == Format::f32)
    return double(std::bit_cast<float>(uint32_t(code)));
  if (kindOf(format) == Kind::Float)
    return decode(floating(format), code >> row(format).lowZeros);
  if (kindOf(format) == Kind::Signed)
    return double(toInteger(format, code));
  return double(code & lowMask(std::max(storedBits(format), bufferBits(format))));
}

double largestFinite(Format format) {
  return decode(format, floating(format).largest() << row(format).lowZeros);
}

double integral(Rounding rounding, double value) {
  switch (rounding) {
  case Rounding::Zero: return std::trunc(value);
  case Rounding::Down: return std::floor(value);
  case Rounding::Up: return std::ceil(value);
  case Rounding::NearestAway: return std::round(value);
  case Rounding::NearestEven:
  case Rounding::Stochastic: break;
  }
  if (!std::isfinite(value))
    return value;
  double below = std::floor(value), rest = value - below;
  double nearest = below + (rest > 0.5 || (rest == 0.5 && std::fmod(below, 2) != 0));
  return std::copysign(nearest, value); // -0.3 becomes -0
}

} // namespace tessera::number
