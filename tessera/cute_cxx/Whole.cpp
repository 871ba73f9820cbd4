// Integers by C++'s rules.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cute_cxx/Whole.h"

#include <algorithm>

using namespace tessera;

namespace tessera::cute {

static constexpr int intBits = 32, mostBits = 64;

bool isUnsigned(Format whole) { return number::kindOf(whole) == number::Kind::Unsigned; }
Format promoted(Format whole) { return number::storedBits(whole) < intBits ? Format::s32 : whole; }
Format commonType(Format x, Format y) {
  x = promoted(x), y = promoted(y);
  if (isUnsigned(x) == isUnsigned(y))
    return number::storedBits(x) > number::storedBits(y) ? x : y;
  if (isUnsigned(y))
    std::swap(x, y);
  // A type with a sign wins if it has more bits than the one without.
  return number::storedBits(y) > number::storedBits(x) ? y : x;
}

Static wrapped(uint64_t bits, Format type) {
  auto n = int64_t(bits);
  switch (type) {
  case Format::b1: return {bits != 0, type};
  case Format::s2: return {int(int2_t(int(bits))), type};
  case Format::u2: return {int(uint2_t(int(bits))), type};
  case Format::s4: return {int(int4_t(int(bits))), type};
  case Format::u4: return {int(uint4_t(int(bits))), type};
  case Format::s8: return {int8_t(bits), type};
  case Format::u8: return {uint8_t(bits), type};
  case Format::s16: return {int16_t(bits), type};
  case Format::u16: return {uint16_t(bits), type};
  case Format::u32: return {uint32_t(bits), type};
  case Format::s32: return {n, layout::fitsI32(n) ? Format::s32 : Format::s64};
  default: return {n, type};
  }
}

Format wholeType(const Num &n) {
  if (const Static *known = staticOf(n))
    return known->type;
  dsl::Num given = held<dsl::Num>(n);
  std::optional<dsl::Element> element = given.ir() ? dsl::element_of(given) : std::nullopt;
  return element && !element->isFloat() ? element->format() : Format::none;
}

dsl::Num typed(const Num &n, Place at) {
  if (const Static *known = staticOf(n))
    return dsl::Element(known->type)(known->number, at);
  return ofDevice(n, at);
}
dsl::Num typed(const Num &n, Format type, Place at) {
  const Static *known = staticOf(n);
  if (known && (known->type != Format::u64 || !dsl::Element(type).isFloat()))
    return dsl::Element(type)(wrapped(uint64_t(known->number), type).number, at);
  return dsl::convert(typed(n, at), dsl::Element(type), at);
}

Num detail::assigned(const Num &variable, const Num &value, const char *call, Place at) {
  dsl::Num own = held<dsl::Num>(variable);
  std::optional<dsl::Element> element = own.ir() ? dsl::element_of(own) : std::nullopt;
  Format from = wholeType(value);
  if (!element || from == Format::none || from == element->format())
    return value;
  const Static *known = staticOf(value);
  if (element->isFloat())
    return known ? num((*element)(known->number, at)) : value;
  int bits = number::storedBits(element->format());
  bool fits = element->format() == Format::b1 ||
              (known ? bits == mostBits || (known->number >= -(int64_t(1) << (bits - 1)) &&
                                            known->number < int64_t(1) << bits)
                     : number::storedBits(from) <= std::max(intBits, bits));
  if (fits)
    return num(typed(value, element->format(), at));
  mistake(
      call,
      cat("expects a number for a variable of ", number::ourName(element->format()), ", but got ",
          known ? cat(known->number) : cat("one of ", number::ourName(from)),
          ", of which bits would be lost; declare a wider variable, such as Num x = int64_t(0), "
          "or convert the number"),
      at);
  return num(dsl::Num(mlir::Value()));
}

} // namespace tessera::cute
