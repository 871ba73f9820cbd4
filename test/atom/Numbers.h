// Small integers in every number format, as bits, and back.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/atom/Element.h"

#include <bit>
#include <vector>

namespace tessera::atom::test {

/// Bits of the exponent and of the mantissa of a floating-point format of at most 32 bits.
struct FloatBits {
  Element element;
  int exponent, mantissa;
};
constexpr FloatBits floatBits[] = {
    {Element::f16, 5, 10},  {Element::bf16, 8, 7}, {Element::f32, 8, 23},
    {Element::tf32, 8, 10}, {Element::e4m3, 4, 3}, {Element::e5m2, 5, 2},
    {Element::e2m3, 2, 3},  {Element::e3m2, 3, 2}, {Element::e2m1, 2, 1}};

/// The bits of `value` in {-2, -1, 0, 1, 2} (0, 1 of b1; unsigned formats take the magnitude), and
/// of any integer in the accumulator formats f64, f32 and s32.
inline uint64_t encode(Element element, int value) {
  for (const FloatBits &format : floatBits)
    if (format.element == element && bits(element) <= 16) {
      int magnitude = value < 0 ? -value : value;
      int bias = (1 << (format.exponent - 1)) - 1;
      int exponent = magnitude == 0 ? 0 : 31 - std::countl_zero(unsigned(magnitude));
      uint64_t fraction = magnitude == 0 ? 0
                                         : (uint64_t(magnitude) << format.mantissa >> exponent) &
                                               ((1u << format.mantissa) - 1);
      uint64_t biased = magnitude == 0 ? 0 : uint64_t(exponent + bias);
      uint64_t sign = uint64_t(value < 0) << (format.exponent + format.mantissa);
      return sign | biased << format.mantissa | fraction;
    }
  if (element == Element::f64)
    return std::bit_cast<uint64_t>(double(value));
  if (element == Element::f32 || element == Element::tf32)
    return std::bit_cast<uint32_t>(float(value));
  uint64_t mask = (uint64_t(1) << bits(element)) - 1;
  bool isSigned = kindOf(element) == NumberKind::Signed;
  return uint64_t(int64_t(isSigned || value >= 0 ? value : -value)) & mask;
}

/// The value of an accumulator.
inline double decodeAccumulator(Element element, uint64_t code) {
  if (element == Element::f64)
    return std::bit_cast<double>(code);
  if (element == Element::f32)
    return std::bit_cast<float>(uint32_t(code));
  if (element == Element::s32)
    return int32_t(uint32_t(code));
  // f16, normal numbers and zero
  int exponent = int(code >> 10 & 31), fraction = int(code & 1023);
  double magnitude =
      exponent == 0 ? fraction / 16777216.0
                    : (1.0 + fraction / 1024.0) * (exponent >= 15 ? double(1 << (exponent - 15))
                                                                  : 1.0 / (1 << (15 - exponent)));
  return code >> 15 ? -magnitude : magnitude;
}

/// Codes of `width` bits each, low bits first, as 32-bit words.
inline std::vector<uint32_t> pack(const std::vector<uint64_t> &codes, int width) {
  std::vector<uint32_t> words((codes.size() * size_t(width) + 31) / 32);
  for (size_t i = 0; i < codes.size(); ++i)
    for (int bit = 0; bit < width; ++bit)
      words[(i * size_t(width) + size_t(bit)) / 32] |= uint32_t(codes[i] >> bit & 1)
                                                       << ((i * size_t(width) + size_t(bit)) % 32);
  return words;
}

/// The inverse, for `count` codes.
inline std::vector<uint64_t> unpack(const uint32_t *words, size_t count, int width) {
  std::vector<uint64_t> codes(count);
  for (size_t i = 0; i < count; ++i)
    for (int bit = 0; bit < width; ++bit) {
      size_t at = i * size_t(width) + size_t(bit);
      codes[i] |= uint64_t(words[at / 32] >> (at % 32) & 1) << bit;
    }
  return codes;
}

} // namespace tessera::atom::test
