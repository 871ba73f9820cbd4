// Functions of integers and of their bits.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cute_cxx/Bits.h"

#include "tessera/cute_cxx/Whole.h"

#include <bit>

using namespace tessera;

namespace tessera::cute {

namespace {
Num poisoned() { return num(dsl::Num(mlir::Value())); }

/// The bits of an integer that C++ or only the device knows.
struct Bits {
  Num number; // unsigned
  int width = 0;
  const Static *known = nullptr; // held by `number`

  uint64_t value() const { return uint64_t(known->number); }
};
/// Those of an operand; none after a mistake.
std::optional<Bits> bitsOf(const char *call, const Operand &x) {
  bool isNumber = x.number.is_set() && !x.tuple.is_set();
  Format type = isNumber ? wholeType(x.number) : Format::none;
  if (isNumber && x.number.is_poisoned())
    return std::nullopt;
  if (type == Format::none || type == Format::b1) {
    mistake(call, "expects an integer", x.at);
    return std::nullopt;
  }
  int width = number::storedBits(type);
  constexpr int most = 64;
  Format own = width == 8    ? Format::u8
               : width == 16 ? Format::u16
               : width == 32 ? Format::u32
                             : Format::u64;
  Bits out;
  out.width = width;
  if (const Static *known = staticOf(x.number)) {
    uint64_t mask = width == most ? ~uint64_t(0) : (uint64_t(1) << width) - 1;
    out.number = made<Num>(Static{int64_t(uint64_t(known->number) & mask), own});
    out.known = staticOf(out.number);
  } else
    out.number = num(typed(x.number, own, x.at));
  return out;
}
/// A count of bits, which is an int.
template <class F> Num counted(const char *call, const Operand &x, F byCpp, dsl::BitCount how) {
  std::optional<Bits> bits = bitsOf(call, x);
  if (!bits)
    return poisoned();
  if (bits->known)
    return Num(byCpp(bits->value(), bits->width));
  return num(typed(num(dsl::count_bits(how, typed(bits->number, x.at), x.at)), Format::s32, x.at));
}
Num inverted(const Operand &x) {
  // Of the bits that it has: ~ makes an int of fewer.
  Format type = wholeType(x.number);
  Num all = ~x;
  return staticOf(all) ? all : num(typed(all, type, x.at));
}
Num rotated(const char *call, const Operand &x, int by) {
  std::optional<Bits> bits = bitsOf(call, x);
  if (!bits)
    return poisoned();
  int left = ((by % bits->width) + bits->width) % bits->width;
  if (!left)
    return x.number;
  Operand number(bits->number, x.at);
  Num moved = Operand(number << Operand(left, x.at), x.at) |
              Operand(number >> Operand(bits->width - left, x.at), x.at);
  Format type = wholeType(x.number);
  return bits->known ? made<Num>(wrapped(uint64_t(staticOf(moved)->number), type))
                     : num(typed(moved, type, x.at));
}
} // namespace

Num signum(const Operand &x) {
  Operand zero(0, x.at);
  auto one = [&](const Num &holds) {
    return Operand(where(Operand(holds, x.at), Operand(1, x.at), zero), x.at);
  };
  if (const Static *known = staticOf(x.number))
    return Num(isUnsigned(known->type) ? known->number != 0 ? 1 : 0
                                       : (known->number > 0) - (known->number < 0));
  return one(x > zero) - one(x < zero);
}
Num abs(const Operand &x) {
  bool isLiteral = !x.number.is_set() && !x.tuple.is_set();
  if (isLiteral)
    return num(dsl::apply(dsl::Function::Abs, dsl::Element(x.format)(x.literal, x.at), x.at));
  Num number = x.tuple.is_set() ? Num(x.tuple, x.at) : x.number;
  Format type = wholeType(number);
  if (type == Format::none)
    return num(dsl::apply(dsl::Function::Abs, typed(number, x.at), x.at));
  if (const Static *known = staticOf(number)) {
    bool isNegative = !isUnsigned(type) && known->number < 0;
    return made<Num>(
        wrapped(uint64_t(isNegative ? -known->number : known->number), promoted(type)));
  }
  return num(dsl::apply(dsl::Function::Abs, typed(number, promoted(type), x.at), x.at));
}
Num safe_div(const Operand &x, const Operand &y) {
  const Static *a = staticOf(x.number), *b = staticOf(y.number);
  if (a && b && b->number && a->number % b->number)
    mistake("safe_div", cat("expects a multiple of ", b->number, ", but got ", a->number), x.at);
  return x / y;
}
Num has_single_bit(const Operand &x) { return Operand(popcount(x), x.at) == Operand(1, x.at); }
Num popcount(const Operand &x) {
  return counted(
      "popcount", x, [](uint64_t n, int) { return std::popcount(n); }, dsl::BitCount::Ones);
}
Num countl_zero(const Operand &x) {
  return counted(
      "countl_zero", x, [](uint64_t n, int width) { return width - int(std::bit_width(n)); },
      dsl::BitCount::LeadingZeros);
}
Num countr_zero(const Operand &x) {
  return counted(
      "countr_zero", x, [](uint64_t n, int width) { return n ? int(std::countr_zero(n)) : width; },
      dsl::BitCount::TrailingZeros);
}
Num countl_one(const Operand &x) { return countl_zero(Operand(inverted(x), x.at)); }
Num countr_one(const Operand &x) { return countr_zero(Operand(inverted(x), x.at)); }
Num bit_width(const Operand &x) {
  std::optional<Bits> bits = bitsOf("bit_width", x);
  return bits ? Operand(bits->width, x.at) - Operand(countl_zero(x), x.at) : poisoned();
}
Num log_2(const Operand &x) { return Operand(bit_width(x), x.at) - Operand(1, x.at); }
Num bit_floor(const Operand &x) {
  std::optional<Bits> bits = bitsOf("bit_floor", x);
  if (!bits)
    return poisoned();
  Format type = wholeType(x.number);
  if (bits->known)
    return made<Num>(wrapped(std::bit_floor(bits->value()), type));
  // Only the highest bit. The width of 0 counts as 1, so that the shift is not negative.
  Operand width(max(Operand(bit_width(x), x.at), Operand(1, x.at)), x.at);
  Num one = num(typed(Num(1), wholeType(bits->number), x.at));
  Num top = Operand(one, x.at) << Operand(width - Operand(1, x.at), x.at);
  Num zero = num(typed(Num(0), wholeType(top), x.at));
  return num(typed(where(Operand(Operand(bits->number, x.at) == Operand(0, x.at), x.at),
                         Operand(zero, x.at), Operand(top, x.at)),
                   type, x.at));
}
Num bit_ceil(const Operand &x) {
  std::optional<Bits> bits = bitsOf("bit_ceil", x);
  if (!bits)
    return poisoned();
  Format type = wholeType(x.number);
  if (bits->known)
    return made<Num>(wrapped(std::bit_ceil(bits->value()), type));
  Num below = num(
      typed(max(Operand(bits->number, x.at), Operand(1u, x.at)), wholeType(bits->number), x.at));
  below = num(typed(Operand(below, x.at) - Operand(1, x.at), wholeType(bits->number), x.at));
  Num one = num(typed(Num(1), wholeType(bits->number), x.at));
  return num(
      typed(Operand(one, x.at) << Operand(bit_width(Operand(below, x.at)), x.at), type, x.at));
}
Num rotl(const Operand &x, int bits) { return rotated("rotl", x, bits); }
Num rotr(const Operand &x, int bits) { return rotated("rotr", x, -bits); }
Num shiftl(const Operand &x, int bits) {
  return bits >= 0 ? x << Operand(bits, x.at) : x >> Operand(-bits, x.at);
}
Num shiftr(const Operand &x, int bits) { return shiftl(x, -bits); }

void detail::wrong_rank(const char *call, const IntTuple &t, Place at) {
  if (!t.is_poisoned())
    mistake(call,
            cat("expects a function of as many arguments as the tuple has modes, at most 10, but "
                "got one of another number for ",
                t.str()),
            at);
}

} // namespace tessera::cute
