// The table of element types and the conversions that read it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/run/Dtype.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

namespace tessera::run {

static_assert(std::endian::native == std::endian::little,
              "buffers are little-endian, as the GPU's are");

namespace {

enum class Kind : uint8_t {
  Float,
  Scale,
  Signed,
  Unsigned
};

/// `noCode` where a format has no such value.
constexpr uint64_t noCode = ~uint64_t(0);

struct Row {
  std::string_view name, aliases; // aliases in lower case, separated by blanks
  Kind kind;
  int storage;                  // bits in memory
  int exponent, mantissa, bias; // of floating-point types, without the hidden bit
  int padding;                  // zero bits below the mantissa
  uint64_t largest;             // codes without sign, before padding
  uint64_t infinity, nan;
};

// Largest, infinity and NaN codes: IEEE 754-2019 table 3.5 for f64 f32 f16; OCP FP8 1.0 table 1 and
// 2; OCP MX 1.0 section 5.3.3 (E2M1) and 5.4.1 (E8M0). NaN of f16, bf16 as CUDART_NAN_FP16/_BF16,
// of f8E5M2 as in cuda_fp8.hpp. Saturating formats have no `infinity` here: f8E5M2 has one (0x7C),
// which is read, never made.
// clang-format off
constexpr Row rows[] = {
    {"f64", "double float64 fp64", Kind::Float, 64, 11, 52, 1023, 0,
     0x7FEFFFFFFFFFFFFF, 0x7FF0000000000000, 0x7FF8000000000000},
    {"f32", "float float32 fp32 single", Kind::Float, 32, 8, 23, 127, 0,
     0x7F7FFFFF, 0x7F800000, 0x7FC00000},
    {"tf32", "tfloat32", Kind::Float, 32, 8, 10, 127, 13, 0x3FBFF, 0x3FC00, 0x3FFFF},
    {"f16", "half float16 fp16", Kind::Float, 16, 5, 10, 15, 0, 0x7BFF, 0x7C00, 0x7FFF},
    {"bf16", "bfloat16 bfloat", Kind::Float, 16, 8, 7, 127, 0, 0x7F7F, 0x7F80, 0x7FFF},
    {"f8E4M3FN", "e4m3 e4m3fn f8e4m3 float8_e4m3fn float8e4m3fn fp8_e4m3", Kind::Float,
     8, 4, 3, 7, 0, 0x7E, noCode, 0x7F},
    {"f8E5M2", "e5m2 float8_e5m2 float8e5m2 fp8_e5m2", Kind::Float,
     8, 5, 2, 15, 0, 0x7B, noCode, 0x7E},
    {"f8E8M0FNU", "e8m0 ue8m0 f8e8m0 float8_e8m0fnu float8e8m0fnu", Kind::Scale, 8, 8, 0, 127, 0,
     0xFE, noCode, 0xFF},
    {"f4E2M1FN", "e2m1 e2m1fn f4e2m1 float4_e2m1fn float4e2m1fn fp4 fp4_e2m1", Kind::Float,
     4, 2, 1, 1, 0, 0x7, noCode, noCode},
    {"i1", "bool boolean pred", Kind::Unsigned, 8, 0, 0, 0, 0, 1, 0, 0},
    {"i4", "int4 s4 si4", Kind::Signed, 4, 0, 0, 0, 0, 0x7, 0, 0},
    {"i8", "int8 s8 si8", Kind::Signed, 8, 0, 0, 0, 0, 0x7F, 0, 0},
    {"i16", "int16 s16 si16", Kind::Signed, 16, 0, 0, 0, 0, 0x7FFF, 0, 0},
    {"i32", "int32 s32 si32 int", Kind::Signed, 32, 0, 0, 0, 0, 0x7FFFFFFF, 0, 0},
    {"i64", "int64 s64 si64", Kind::Signed, 64, 0, 0, 0, 0, 0x7FFFFFFFFFFFFFFF, 0, 0},
    {"u8", "uint8 ui8", Kind::Unsigned, 8, 0, 0, 0, 0, 0xFF, 0, 0},
    {"u16", "uint16 ui16", Kind::Unsigned, 16, 0, 0, 0, 0, 0xFFFF, 0, 0},
    {"u32", "uint32 ui32", Kind::Unsigned, 32, 0, 0, 0, 0, 0xFFFFFFFF, 0, 0},
    {"u64", "uint64 ui64", Kind::Unsigned, 64, 0, 0, 0, 0, 0xFFFFFFFFFFFFFFFF, 0, 0},
};
// clang-format on
static_assert(std::size(rows) == dtypeCount);

const Row &row(Dtype type) { return rows[size_t(type)]; }

std::string lower(std::string_view text) {
  std::string out(text);
  for (char &c : out)
    c = c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : c;
  return out;
}

bool hasWord(std::string_view words, std::string_view word) {
  return cat(" ", words, " ").find(cat(" ", word, " ")) != std::string::npos;
}

uint64_t lowMask(int bits) { return bits >= 64 ? ~uint64_t(0) : (uint64_t(1) << bits) - 1; }

/// value >> shift, to nearest, ties to even, for value < 2^53 and shift > 0.
uint64_t shiftRounded(uint64_t value, int shift) {
  if (shift > 63)
    return 0; // below half of the last place
  uint64_t kept = value >> shift, rest = value & lowMask(shift), half = uint64_t(1) << (shift - 1);
  return kept + (rest > half || (rest == half && (kept & 1)));
}

constexpr int doubleMantissa = 52, doubleBias = 1023;

/// A finite double as significand * 2^exponent, exactly.
struct Parts {
  uint64_t significand;
  int exponent;
};
Parts partsOf(double magnitude) {
  uint64_t bits = std::bit_cast<uint64_t>(magnitude);
  int field = int(bits >> doubleMantissa);
  uint64_t fraction = bits & lowMask(doubleMantissa);
  bool normal = field != 0;
  return {fraction | uint64_t(normal) << doubleMantissa,
          (normal ? field : 1) - doubleBias - doubleMantissa};
}

/// Rounds a finite magnitude to a format narrower than double. Numbering codes from zero upwards
/// makes the carry out of the mantissa step to the next binade, and the step into subnormals, right
/// by itself.
uint64_t roundToFormat(const Row &r, double magnitude) {
  auto [significand, exponent] = partsOf(magnitude);
  int binade = std::max(exponent + doubleMantissa, 1 - r.bias);
  uint64_t digits = shiftRounded(significand, binade - r.mantissa - exponent);
  return digits + (uint64_t(binade + r.bias - 1) << r.mantissa);
}

uint64_t encodeFloat(const Row &r, double value) {
  uint64_t sign = uint64_t(std::signbit(value)) << (r.exponent + r.mantissa);
  if (std::isnan(value))
    return (r.nan == noCode ? r.largest : r.nan) << r.padding;
  uint64_t beyond = r.infinity == noCode ? r.largest : r.infinity;
  uint64_t code = std::isinf(value) ? beyond : roundToFormat(r, std::fabs(value));
  return (sign | (code > r.largest ? beyond : code)) << r.padding;
}

/// Powers of two only: the nearer neighbour by value, a tie to the even code.
uint64_t encodeScale(const Row &r, double value) {
  if (std::isnan(value))
    return r.nan;
  if (std::isinf(value))
    return r.largest;
  int exponent;
  double fraction = std::frexp(std::fabs(value), &exponent); // [0.5, 1), or 0
  if (fraction == 0)
    return 0;
  int code = exponent - 1 + r.bias;
  code += fraction > 0.75 || (fraction == 0.75 && (code & 1));
  return uint64_t(std::clamp(code, 0, int(r.largest)));
}

double decodeFloat(const Row &r, uint64_t code) {
  code >>= r.padding;
  double sign = (code >> (r.exponent + r.mantissa)) & 1 ? -1.0 : 1.0;
  uint64_t magnitude = code & lowMask(r.exponent + r.mantissa);
  if (magnitude > r.largest) {
    // The first code after the largest is infinity where the exponent field is all ones and the
    // mantissa zero.
    bool infinite = magnitude == lowMask(r.exponent) << r.mantissa;
    return infinite ? sign * std::numeric_limits<double>::infinity()
                    : std::copysign(std::numeric_limits<double>::quiet_NaN(), sign);
  }
  int field = int(magnitude >> r.mantissa);
  uint64_t digits = magnitude & lowMask(r.mantissa);
  if (field != 0)
    digits |= uint64_t(1) << r.mantissa;
  // 2^exponent, which is a normal double for every format.
  int exponent = std::max(field, 1) - r.bias - r.mantissa;
  return sign * double(digits) *
         std::bit_cast<double>(uint64_t(exponent + doubleBias) << doubleMantissa);
}

double decodeScale(const Row &r, uint64_t code) {
  return code == r.nan ? std::numeric_limits<double>::quiet_NaN()
                       : std::ldexp(1.0, int(code) - r.bias);
}

/// To the nearest integer, ties to even, whatever the floating-point environment says.
double roundHalfEven(double value) {
  double below = std::floor(value), rest = value - below;
  return below + (rest > 0.5 || (rest == 0.5 && std::fmod(below, 2) != 0));
}

uint64_t encodeInteger(Dtype type, double value) {
  if (type == Dtype::I1)
    return value != 0 && !std::isnan(value);
  if (std::isnan(value))
    return 0;
  auto [min, max] = integerRange(type);
  double rounded = roundHalfEven(value);
  uint64_t mask = lowMask(row(type).storage);
  if (rounded <= double(min))
    return uint64_t(min) & mask;
  if (rounded >= double(max)) // double(max) may be max + 1: then it is out of range too
    return max;
  return (rounded < 0 ? uint64_t(int64_t(rounded)) : uint64_t(rounded)) & mask;
}

/// Calls `f` with an unsigned integer of so many bits: a memcpy of known size is one instruction.
template <class F> uint64_t withStorage(int bits, F &&f) {
  switch (bits) {
  case 8: return f(uint8_t(0));
  case 16: return f(uint16_t(0));
  case 32: return f(uint32_t(0));
  default: return f(uint64_t(0));
  }
}

} // namespace

std::string_view name(Dtype type) { return row(type).name; }

std::string dtypeNames() {
  std::string out;
  for (const Row &r : rows)
    out += cat(out.empty() ? "" : " ", r.name);
  return out;
}

Result<Dtype> parseDtype(std::string_view text) {
  std::string word = lower(text);
  bool isWord = !word.empty() && word.find(' ') == std::string::npos;
  for (size_t i = 0; isWord && i < dtypeCount; ++i)
    if (lower(rows[i].name) == word || hasWord(rows[i].aliases, word))
      return Dtype(i);
  return fail(Error::DtypeUnknown, text, dtypeNames());
}

int valueBits(Dtype type) { return type == Dtype::I1 ? 1 : row(type).storage - row(type).padding; }
int storageBits(Dtype type) { return row(type).storage; }

Result<int64_t> storageBytes(Dtype type, int64_t count) {
  int64_t bits;
  if (__builtin_mul_overflow(count, int64_t(storageBits(type)), &bits) ||
      __builtin_add_overflow(bits, int64_t(7), &bits))
    return fail(Error::TensorTooLarge, count, name(type));
  return bits / 8;
}

bool isFloat(Dtype type) { return row(type).kind == Kind::Float || row(type).kind == Kind::Scale; }
bool isInteger(Dtype type) { return !isFloat(type); }

IntegerRange integerRange(Dtype type) {
  const Row &r = row(type);
  return {r.kind == Kind::Signed ? -int64_t(r.largest) - 1 : 0, r.largest};
}

double largestFinite(Dtype type) { return toDouble(type, row(type).largest << row(type).padding); }

double toDouble(Dtype type, uint64_t code) {
  switch (row(type).kind) {
  case Kind::Float:
    if (type == Dtype::F64)
      return std::bit_cast<double>(code);
    if (type == Dtype::F32)
      return std::bit_cast<float>(uint32_t(code));
    return decodeFloat(row(type), code);
  case Kind::Scale: return decodeScale(row(type), code);
  case Kind::Signed: return double(toInteger(type, code));
  case Kind::Unsigned: return double(code);
  }
  return 0;
}

uint64_t fromDouble(Dtype type, double value) {
  switch (row(type).kind) {
  case Kind::Float:
    return type == Dtype::F64 ? std::bit_cast<uint64_t>(value) : encodeFloat(row(type), value);
  case Kind::Scale: return encodeScale(row(type), value);
  case Kind::Signed:
  case Kind::Unsigned: return encodeInteger(type, value);
  }
  return 0;
}

int64_t toInteger(Dtype type, uint64_t code) {
  int unused = 64 - row(type).storage;
  return row(type).kind == Kind::Signed ? int64_t(code << unused) >> unused : int64_t(code);
}

uint64_t loadCode(Dtype type, const std::byte *buffer, int64_t index) {
  int bits = row(type).storage;
  if (bits == 4)
    return (uint64_t(buffer[index / 2]) >> (index % 2 * 4)) & 0xF;
  return withStorage(bits, [&](auto code) {
    std::memcpy(&code, buffer + index * int64_t(sizeof(code)), sizeof(code));
    return uint64_t(code);
  });
}

void storeCode(Dtype type, std::byte *buffer, int64_t index, uint64_t code) {
  int bits = row(type).storage;
  if (bits == 4) {
    int shift = int(index % 2) * 4;
    std::byte &pair = buffer[index / 2];
    pair = (pair & ~(std::byte(0xF) << shift)) | std::byte((code & 0xF) << shift);
    return;
  }
  withStorage(bits, [&](auto stored) {
    stored = decltype(stored)(code);
    std::memcpy(buffer + index * int64_t(sizeof(stored)), &stored, sizeof(stored));
    return code;
  });
}

} // namespace tessera::run
