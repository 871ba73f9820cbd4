// Encodes and decodes numbers bit by bit.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/sim/Number.h"

#include <algorithm>

namespace tessera::sim {

namespace {

/// Whether a magnitude `kept` with a rest of `rest` out of 2^size goes up.
bool roundsUp(const Modes &modes, bool negative, bool odd, uint64_t rest, int size) {
  uint64_t half = uint64_t(1) << (size - 1);
  switch (modes.rounding) {
  case Rounding::NearestEven: return rest > half || (rest == half && odd);
  case Rounding::NearestAway: return rest >= half;
  case Rounding::Zero: return false;
  case Rounding::Down: return negative && rest;
  case Rounding::Up: return !negative && rest;
  case Rounding::Stochastic:
    return ((rest >> (size - modes.randomBits)) + modes.random) >> modes.randomBits;
  }
  return false;
}

uint64_t overflow(const Format &format, const Modes &modes, bool negative) {
  Rounding r = modes.rounding;
  bool inward =
      r == Rounding::Zero || (r == Rounding::Down && !negative) || (r == Rounding::Up && negative);
  if (format.top == Format::Ieee && !inward && !modes.satfinite)
    return format.infinity();
  return format.top == Format::NanOnly && !modes.satfinite && !inward ? format.nan()
                                                                      : format.largest();
}

} // namespace

uint64_t encode(const Format &format, double value, const Modes &modes) {
  if (std::isnan(value) || (!format.isSigned && value < 0))
    return format.top == Format::Finite ? format.largest() : format.nan();
  bool negative = std::signbit(value);
  uint64_t sign = negative ? format.signBit() : 0;
  if (std::isinf(value)) {
    bool keeps = format.top == Format::Ieee && !modes.satfinite;
    return sign |
           (keeps ? format.infinity() : overflow(format, {.satfinite = modes.satfinite}, negative));
  }
  uint64_t code = std::bit_cast<uint64_t>(value) & ~(uint64_t(1) << 63);
  if (code == 0)
    return sign;
  int exponent = int(code >> 52) - 1023;
  uint64_t mantissa = code & ((uint64_t(1) << 52) - 1);
  if (exponent == -1023) { // a subnormal double is below half of everything here
    exponent = -1022;
  } else
    mantissa |= uint64_t(1) << 52;
  // A format without a mantissa has no subnormal numbers: the code 0 is a power of two.
  int least = format.mantissa ? 1 - format.bias : -format.bias;
  int shift = std::min(52 - format.mantissa + std::max(0, least - exponent), 63);
  uint64_t kept = mantissa >> shift, rest = mantissa & ((uint64_t(1) << shift) - 1);
  kept += roundsUp(modes, negative, kept & 1, rest, shift);
  int64_t result = int64_t(kept);
  if (format.mantissa)
    result +=
        int64_t(std::max(exponent, least) + format.bias - 1) * (int64_t(1) << format.mantissa);
  else
    result = exponent + format.bias + (exponent < least ? 0 : int64_t(kept) - 1);
  if (!format.mantissa)
    result = std::max<int64_t>(result, 0);
  return sign | (uint64_t(result) > format.largest() ? overflow(format, modes, negative)
                                                     : uint64_t(result));
}

double decode(const Format &format, uint64_t code) {
  bool negative = code & format.signBit();
  uint64_t magnitude = code & format.magnitudeMask();
  if (magnitude > format.largest())
    return format.top == Format::Ieee && magnitude == format.infinity()
               ? (negative ? -INFINITY : INFINITY)
               : NAN;
  int exponent = int(magnitude >> format.mantissa);
  uint64_t mantissa = magnitude & ((uint64_t(1) << format.mantissa) - 1);
  bool normal = exponent > 0 || !format.mantissa;
  double value = std::ldexp(double(mantissa | (uint64_t(normal) << format.mantissa)),
                            (normal ? exponent : 1) - format.bias - format.mantissa);
  return negative ? -value : value;
}

} // namespace tessera::sim
