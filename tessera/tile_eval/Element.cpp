// Codes and numbers of the floating-point types of tile programs.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/tile_eval/Element.h"

#include "tessera/number/E5M3.h"

#include <array>
#include <cmath>

namespace tessera::tile_eval {

using number::Floating;

namespace {

/// The row of number/Formats.def; none of f8E5M3FNU (number/E5M3.h) and of what has no elements.
constexpr number::Format formatOf(TypeKind kind) {
  switch (kind) {
  case TypeKind::I1: return number::Format::b1;
  case TypeKind::I4: return number::Format::s4;
  case TypeKind::I8: return number::Format::s8;
  case TypeKind::I16: return number::Format::s16;
  case TypeKind::I32: return number::Format::s32;
  case TypeKind::I64: return number::Format::s64;
  case TypeKind::F16: return number::Format::f16;
  case TypeKind::BF16: return number::Format::bf16;
  case TypeKind::F32: return number::Format::f32;
  case TypeKind::TF32: return number::Format::tf32;
  case TypeKind::F64: return number::Format::f64;
  case TypeKind::F8E4M3FN: return number::Format::e4m3;
  case TypeKind::F8E5M2: return number::Format::e5m2;
  case TypeKind::F8E8M0FNU: return number::Format::ue8m0;
  case TypeKind::F4E2M1FN: return number::Format::e2m1;
  default: return number::Format::none;
  }
}
Floating fieldsOf(TypeKind kind) {
  number::Format format = formatOf(kind);
  return format == number::Format::none ? number::e5m3 : number::floating(format);
}

// tile_bytecode knows no other room, so its table has sizes of its own. They are these.
#define TYPE(...)
#define ELEMENT(id, tag, minor, text, name, kind, size, spacing)                                   \
  static_assert(TypeKind::id == TypeKind::F8E5M3FNU                                                \
                    ? size == number::e5m3.bits()                                                  \
                    : size == number::storedBits(formatOf(TypeKind::id)) &&                        \
                          spacing == number::bufferBits(formatOf(TypeKind::id)));
#include "tessera/tile_bytecode/Types.def"
#undef ELEMENT
#undef TYPE

double decodeSlowly(TypeKind kind, uint64_t code) {
  number::Format format = formatOf(kind);
  return format == number::Format::none ? number::decode(number::e5m3, code)
                                        : number::decode(format, code);
}
/// Numbers of all codes of a type of at most 8 bits.
using Small = std::array<double, 256>;
Small numbersOf(TypeKind kind) {
  Small out{};
  for (unsigned code = 0; code <= lowBits(bitsOf(kind)); ++code)
    out[code] = decodeSlowly(kind, code);
  return out;
}
const Small &smallNumbers(TypeKind kind) {
  static const Small e4m3 = numbersOf(TypeKind::F8E4M3FN), e5m2 = numbersOf(TypeKind::F8E5M2),
                     e8m0 = numbersOf(TypeKind::F8E8M0FNU), e2m1 = numbersOf(TypeKind::F4E2M1FN),
                     e5m3Numbers = numbersOf(TypeKind::F8E5M3FNU);
  switch (kind) {
  case TypeKind::F8E4M3FN: return e4m3;
  case TypeKind::F8E5M2: return e5m2;
  case TypeKind::F8E8M0FNU: return e8m0;
  case TypeKind::F4E2M1FN: return e2m1;
  default: return e5m3Numbers;
  }
}

} // namespace

double decode(TypeKind kind, uint64_t code) {
  switch (kind) {
  case TypeKind::F64: return std::bit_cast<double>(code);
  case TypeKind::F32:
  case TypeKind::TF32: return std::bit_cast<float>(uint32_t(code));
  case TypeKind::BF16: return number::bfloatToFloat(uint16_t(code));
  case TypeKind::F16: return number::halfToFloat(uint16_t(code));
  default: return smallNumbers(kind)[code & 0xff];
  }
}

std::vector<double> decodeAll(TypeKind kind, std::span<const uint64_t> codes) {
  std::vector<double> out(codes.size());
  for (size_t i = 0; i < codes.size(); ++i)
    out[i] = decode(kind, codes[i]);
  return out;
}

uint64_t encode(TypeKind kind, double value, number::Rounding rounding) {
  if (kind == TypeKind::F64)
    return std::bit_cast<uint64_t>(value);
  if (kind == TypeKind::F32 && rounding == number::Rounding::NearestEven && !std::isnan(value))
    return std::bit_cast<uint32_t>(float(value));
  // Scale factors are made of absolute values: __nv_cvt_float_to_e8m0 of the CUDA Math API.
  number::Rules rules{.rounding = rounding,
                      .saturates = bitsOf(kind) <= 8,
                      .dropsSign = kind == TypeKind::F8E8M0FNU};
  number::Format format = formatOf(kind);
  return format == number::Format::none ? number::encode(number::e5m3, value, rules)
                                        : number::encode(format, value, rules);
}

bool isNan(TypeKind kind, uint64_t code) { return std::isnan(decode(kind, code)); }
uint64_t nanOf(TypeKind kind) {
  return kind == TypeKind::F64 ? 0x7ff8000000000000
                               : encode(kind, std::numeric_limits<double>::quiet_NaN());
}
uint64_t signBitOf(TypeKind kind) {
  uint64_t bit = fieldsOf(kind).signBit();
  return kind == TypeKind::TF32 ? uint64_t(1) << 31 : bit;
}
uint64_t infinityOf(TypeKind kind, bool isNegative) {
  Floating fields = fieldsOf(kind);
  uint64_t magnitude = fields.top == Floating::Ieee      ? fields.infinity()
                       : fields.top == Floating::NanOnly ? fields.nan()
                                                         : fields.largest();
  if (kind == TypeKind::TF32)
    magnitude <<= 13;
  return magnitude | (isNegative ? signBitOf(kind) : 0);
}

} // namespace tessera::tile_eval
