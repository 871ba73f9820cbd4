// Values of operands, and when two results agree.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Job.h"

#include "tessera/sim/Number.h"

#include <cstring>

namespace tessera::hw {

using sim::Type;

namespace {

/// The fields of a type's numbers; none of integers, bits and f64. tf32 is read as f32.
const number::Floating *formatOf(Type type) {
  number::Format element = type == Type::tf32 ? number::Format::f32 : sim::row(type).element;
  bool isFormat = sim::isFloat(type) && element != number::Format::f64;
  return isFormat ? &number::floating(element) : nullptr;
}

/// f64 has no Format of the simulator's: its exponent and mantissa are all that is needed here.
struct Fields {
  int exponent, mantissa;
};
uint64_t realCode(std::mt19937_64 &random, Fields f) {
  uint64_t sign = uint64_t(random() & 1) << (f.exponent + f.mantissa),
           ones = (uint64_t(1) << f.exponent) - 1;
  uint64_t mantissa = random() & ((uint64_t(1) << f.mantissa) - 1), bias = ones / 2;
  switch (random() % 16) {
  case 0: return sign;                      // zero
  case 1: return sign | ones << f.mantissa; // infinity
  case 2:                                   // NaN, that of the outside of tensors too
    return sign | (f.exponent + f.mantissa == 15 && mantissa % 2 ? sim::outsideNan
                                                                 : ones << f.mantissa | mantissa);
  case 3: return sign | mantissa;                                   // subnormal
  case 4: return sign | uint64_t(1) << f.mantissa | (mantissa & 3); // barely normal
  case 5: return sign | (ones - 1) << f.mantissa | mantissa;        // next to infinity
  case 6: return sign | (bias + random() % 3) << f.mantissa;        // 1, 2, 4
  case 7:
    return sign | (bias + random() % 5) << f.mantissa |
           (mantissa & ~uint64_t(0) << (f.mantissa * 3 / 4)); // short
  case 8:
  case 9:
  case 10: return sign | mantissa | (random() & ones) << f.mantissa; // any
  default: {
    uint64_t reach = std::min<uint64_t>(70, bias - 1);
    return sign | (bias - reach / 2 + random() % (reach * 3 / 2)) << f.mantissa | mantissa;
  }
  }
}
uint64_t integerCode(std::mt19937_64 &random, int bits) {
  uint64_t any = random(), top = uint64_t(1) << (bits - 1);
  switch (random() % 8) {
  case 0: return (random() & 1 ? top : 0) + any % 3 - 1; // around 0 and the smallest
  case 1: return any % 72;
  case 2:
  case 3: return any;
  default:
    return (random() & 1 ? ~uint64_t(0) : 0) ^ (any >> (random() % 64)); // of any length and sign
  }
}

double numberOf(Type type, uint64_t code) {
  const number::Floating *format = formatOf(type);
  return type == Type::f64 ? std::bit_cast<double>(code)
         : format          ? number::decode(*format, code)
                           : double(code);
}

} // namespace

void randomValue(std::mt19937_64 &random, Type type, std::byte *to) {
  uint64_t words[2] = {random(), random()};
  int bits = sim::bits(type), parts = sim::row(type).parts;
  if (const number::Floating *format = formatOf(type); format || type == Type::f64) {
    Fields fields = format ? Fields{format->exponent, format->mantissa} : Fields{11, 52};
    words[0] = 0;
    for (int part = 0; part < parts; ++part)
      words[0] |= realCode(random, fields) << (part * bits / parts);
  } else if (bits <= 64)
    words[0] = integerCode(random, bits);
  std::memcpy(to, words, 16);
}

bool agree(const Field &field, const Bound &bound, const std::byte *a, const std::byte *b) {
  if (!std::memcmp(a, b, field.bytes))
    return true;
  if (!sim::isFloat(field.type) || (bound.isExact() && field.type != Type::f64))
    return false;
  int parts = sim::row(field.type).parts;
  size_t size = field.bytes / size_t(parts);
  for (int part = 0; part < parts; ++part) {
    uint64_t x = 0, y = 0;
    std::memcpy(&x, a + size_t(part) * size, size);
    std::memcpy(&y, b + size_t(part) * size, size);
    double p = numberOf(field.type, x), q = numberOf(field.type, y);
    bool same =
        x == y || (std::isnan(p) && std::isnan(q)); // of f64, conversions and approximations
    if (!same && !(std::isfinite(p) && std::isfinite(q) &&
                   std::fabs(p - q) <= bound.relative * std::fabs(q) + bound.absolute))
      return false;
  }
  return true;
}

uint64_t hashOf(std::span<const std::byte> bytes) {
  uint64_t hash = 0xcbf29ce484222325;
  for (std::byte byte : bytes)
    hash = (hash ^ uint64_t(byte)) * 0x100000001b3;
  return hash;
}

std::string hexOf(const std::byte *from, size_t bytes) {
  std::string out = "0x";
  for (size_t i = bytes; i--;)
    for (int shift : {4, 0})
      out += "0123456789abcdef"[unsigned(from[i]) >> shift & 15];
  return out;
}

// PTX ISA 9.0, 9.7.3 and 9.7.4: the largest error of each approximation against the exact result.
// The simulator rounds the exact result, so half a unit in the last place comes on top, and the
// smallest subnormal number where results may be that small.
Bound boundOf(const sim::Modifiers &m) {
  struct Row {
    std::string_view name, type;
    double relative, absolute;
  };
  constexpr double f32 = 0x1p-24, tiny = 0x1p-149;
  static constexpr Row rows[] = {
      {"div", "f32", 2 * 0x1p-23 + f32, 2 * tiny},
      {"rcp", "f32", 0x1p-23 + f32, tiny},
      {"rcp", "f64", 0x1p-20, 0},
      {"sqrt", "f32", 0x1p-23 + f32, tiny},
      {"rsqrt", "f32", 0x1.13p-23 + f32, tiny},
      {"rsqrt", "f64", 0x1p-20, 0},
      {"sin", "f32", f32, 0x1.7p-21},
      {"cos", "f32", f32, 0x1.7p-21},
      {"lg2", "f32", 0x1p-22 + f32, 0x1p-22},
      {"ex2", "f32", 2 * 0x1p-23 + f32, 2 * tiny},
      {"ex2", "f16", 0x1.13p-10 + 0x1p-11, 0x1p-24},
      {"ex2", "bf16", 0x1p-7 + 0x1p-9, 0x1p-133},
      {"tanh", "f32", 0x1p-11 + f32, 0},
      {"tanh", "f16", 0x1p-11, 0x1.03p-11},
      {"tanh", "bf16", 0x1p-9, 0x1p-8},
  };
  if (m.words[0] ==
      "cvt") // an H100 keeps payloads of f64, bf16 and tf32, and sets their quiet bit or not
    return {.anyNan = true};
  if (!m.has("approx") && !m.has("full"))
    return {};
  for (const Row &row : rows)
    if (row.name == m.words[0] && sim::name(m.type()).starts_with(row.type))
      return {row.relative, row.absolute, true};
  return {};
}

} // namespace tessera::hw
