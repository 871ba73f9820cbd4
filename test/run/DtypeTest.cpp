// Element types: names, sizes, and conversions against the formats' formulas and brute force.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/run/Dtype.h"

#include "test/run/Check.h"

#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <vector>

using namespace tessera;
using namespace tessera::run;

namespace {

constexpr double inf = std::numeric_limits<double>::infinity();
constexpr double quietNan = std::numeric_limits<double>::quiet_NaN();

/// Types whose codes can be enumerated.
const Dtype smallFloats[] = {Dtype::f16,   Dtype::bf16, Dtype::e4m3, Dtype::e5m2,
                             Dtype::ue8m0, Dtype::e2m3, Dtype::e3m2, Dtype::e2m1};

/// Non-negative finite values by code, which grow with the code.
std::vector<double> positiveValues(Dtype type) {
  std::vector<double> values;
  uint64_t codes = type == Dtype::ue8m0 ? 256 : uint64_t(1) << (storageBits(type) - 1);
  for (uint64_t code = 0; code < codes && std::isfinite(toDouble(type, code)); ++code)
    values.push_back(toDouble(type, code));
  return values;
}

bool same(double a, double b) {
  return (std::isnan(a) && std::isnan(b)) || (a == b && std::signbit(a) == std::signbit(b));
}

} // namespace

TEST(Dtype, NamesAndAliases) {
  const std::pair<const char *, Dtype> names[] = {
      {"f64", Dtype::f64},          {"double", Dtype::f64}, {"float32", Dtype::f32},
      {"float", Dtype::f32},        {"fp32", Dtype::f32},   {"tf32", Dtype::tf32},
      {"fp16", Dtype::f16},         {"half", Dtype::f16},   {"F16", Dtype::f16},
      {"bfloat16", Dtype::bf16},    {"e4m3", Dtype::e4m3},  {"f8E4M3FN", Dtype::e4m3},
      {"float8_e5m2", Dtype::e5m2}, {"e5m2", Dtype::e5m2},  {"ue8m0", Dtype::ue8m0},
      {"e2m1", Dtype::e2m1},        {"bool", Dtype::b1},    {"i4", Dtype::s4},
      {"int8", Dtype::s8},          {"s32", Dtype::s32},    {"si64", Dtype::s64},
      {"ui8", Dtype::u8},           {"uint64", Dtype::u64}};
  for (auto [text, type] : names)
    EXPECT_EQ(must(parseDtype(text)), type) << text;
  for (Dtype type : allTypes())
    EXPECT_EQ(must(parseDtype(name(type))), type) << name(type);
}

TEST(Dtype, UnknownNamesAreRefused) {
  EXPECT_EQ(refusal(parseDtype("bf61")),
            "unknown element type \"bf61\": expects one of f64 f32 tf32 f16 bf16 f8E4M3FN f8E5M2 "
            "f8E8M0FNU f6E2M3FN f6E3M2FN f4E2M1FN i1 i2 i4 i8 i16 i32 i64 u1 u2 u4 u8 u16 u32 u64");
  for (const char *text : {"", " ", "f", "f8", "f4", "f2", "half float16", "f16 ", "i7"})
    EXPECT_FALSE(parseDtype(text)) << text;
}

TEST(Dtype, Sizes) {
  const std::tuple<Dtype, int, int> sizes[] = {
      {Dtype::f64, 64, 64},  {Dtype::f32, 32, 32}, {Dtype::tf32, 19, 32}, {Dtype::f16, 16, 16},
      {Dtype::bf16, 16, 16}, {Dtype::e4m3, 8, 8},  {Dtype::e2m1, 4, 4},   {Dtype::b1, 1, 8},
      {Dtype::s4, 4, 4},     {Dtype::s64, 64, 64}, {Dtype::u16, 16, 16},  {Dtype::e2m3, 6, 6},
      {Dtype::e3m2, 6, 6},   {Dtype::s2, 2, 2},    {Dtype::u1, 1, 1}};
  for (auto [type, value, storage] : sizes) {
    EXPECT_EQ(valueBits(type), value) << name(type);
    EXPECT_EQ(storageBits(type), storage) << name(type);
  }
  EXPECT_EQ(must(storageBytes(Dtype::s4, 5)), 3);
  EXPECT_EQ(must(storageBytes(Dtype::b1, 5)), 5);
  EXPECT_EQ(must(storageBytes(Dtype::e2m3, 4)), 3);
  EXPECT_EQ(must(storageBytes(Dtype::e3m2, 5)), 4);
  EXPECT_EQ(must(storageBytes(Dtype::u1, 9)), 2);
  EXPECT_EQ(must(storageBytes(Dtype::f64, 0)), 0);
  EXPECT_EQ(refusal(storageBytes(Dtype::f64, int64_t(1) << 60)),
            "1152921504606846976 elements of type f64 take more than 2^63 - 1 bits");
}

// OCP 8-bit Floating Point Specification 1.0, table 1: bias 7; S.1111.111 is NaN; no infinities.
TEST(Dtype, E4M3CodesByFormula) {
  for (int code = 0; code < 256; ++code) {
    int sign = code >> 7, exponent = code >> 3 & 15, mantissa = code & 7;
    double value =
        exponent ? std::ldexp(1 + mantissa / 8.0, exponent - 7) : std::ldexp(mantissa / 8.0, -6);
    value = exponent == 15 && mantissa == 7 ? quietNan : sign ? -value : value;
    EXPECT_TRUE(same(toDouble(Dtype::e4m3, uint64_t(code)), value)) << code;
  }
  EXPECT_EQ(largestFinite(Dtype::e4m3), 448);
}

// The same, table 1: bias 15; S.11111.00 is infinity and S.11111.{01,10,11} NaN.
TEST(Dtype, E5M2CodesByFormula) {
  for (int code = 0; code < 256; ++code) {
    int sign = code >> 7, exponent = code >> 2 & 31, mantissa = code & 3;
    double value =
        exponent ? std::ldexp(1 + mantissa / 4.0, exponent - 15) : std::ldexp(mantissa / 4.0, -14);
    value = exponent < 31 ? value : mantissa ? quietNan : inf;
    EXPECT_TRUE(same(toDouble(Dtype::e5m2, uint64_t(code)), sign ? -value : value)) << code;
  }
  EXPECT_EQ(largestFinite(Dtype::e5m2), 57344);
}

// OCP Microscaling Formats 1.0, sections 5.3.3 and 5.4.1.
TEST(Dtype, MicroscalingCodesByTable) {
  const double e2m1[] = {0, 0.5, 1, 1.5, 2, 3, 4, 6};
  for (int code = 0; code < 8; ++code) {
    EXPECT_TRUE(same(toDouble(Dtype::e2m1, uint64_t(code)), e2m1[code])) << code;
    EXPECT_TRUE(same(toDouble(Dtype::e2m1, uint64_t(code + 8)), -e2m1[code])) << code;
  }
  for (int code = 0; code < 255; ++code)
    EXPECT_EQ(toDouble(Dtype::ue8m0, uint64_t(code)), std::ldexp(1, code - 127)) << code;
  EXPECT_TRUE(std::isnan(toDouble(Dtype::ue8m0, 255)));
}

// IEEE 754 binary16, and its 16-bit sibling with binary32's exponents.
TEST(Dtype, HalfCodesByFormula) {
  const std::tuple<Dtype, int, int> formats[] = {{Dtype::f16, 5, 10}, {Dtype::bf16, 8, 7}};
  for (auto [type, exponentBits, mantissaBits] : formats)
    for (int code = 0; code < 65536; ++code) {
      int exponent = code >> mantissaBits & ((1 << exponentBits) - 1);
      int bias = (1 << (exponentBits - 1)) - 1;
      double fraction = std::ldexp(code & ((1 << mantissaBits) - 1), -mantissaBits);
      double value =
          exponent ? std::ldexp(1 + fraction, exponent - bias) : std::ldexp(fraction, 1 - bias);
      if (exponent == (1 << exponentBits) - 1)
        value = fraction ? quietNan : inf;
      value = code >> 15 ? -value : value;
      ASSERT_TRUE(same(toDouble(type, uint64_t(code)), value)) << name(type) << " " << code;
    }
}

TEST(Dtype, EveryCodeSurvivesTheRoundTrip) {
  for (Dtype type : smallFloats)
    for (uint64_t code = 0; code < uint64_t(1) << storageBits(type); ++code) {
      double value = toDouble(type, code);
      if (std::isfinite(value)) {
        ASSERT_EQ(fromDouble(type, value), code) << name(type) << " " << code;
      }
    }
  for (Dtype type : {Dtype::s4, Dtype::s8, Dtype::u8, Dtype::s16, Dtype::u16})
    for (uint64_t code = 0; code < uint64_t(1) << storageBits(type); ++code)
      ASSERT_EQ(fromDouble(type, toDouble(type, code)), code) << name(type) << " " << code;
}

// Between neighbours: below the middle down, above it up, in the middle to the even code.
TEST(Dtype, RoundsToNearestEven) {
  for (Dtype type : smallFloats) {
    std::vector<double> values = positiveValues(type);
    for (uint64_t code = 0; code + 1 < values.size(); ++code) {
      double middle = (values[code] + values[code + 1]) / 2; // exact: a format with one bit more
      uint64_t even = code + (code & 1);
      EXPECT_EQ(fromDouble(type, std::nextafter(middle, 0)), code) << name(type) << " " << code;
      EXPECT_EQ(fromDouble(type, middle), even) << name(type) << " " << code;
      EXPECT_EQ(fromDouble(type, std::nextafter(middle, inf)), code + 1) << name(type) << code;
      if (type == Dtype::ue8m0)
        continue;
      uint64_t sign = uint64_t(1) << (storageBits(type) - 1);
      EXPECT_EQ(fromDouble(type, -middle), sign | even) << name(type) << " " << code;
    }
  }
}

TEST(Dtype, NearestByBruteForce) {
  std::mt19937_64 random = generator();
  for (Dtype type : {Dtype::e4m3, Dtype::e5m2, Dtype::e2m1}) {
    std::vector<double> values = positiveValues(type);
    for (int i = 0; i < 3000; ++i) {
      double value = std::ldexp(double(random() >> 11) * 0x1p-53, int(random() % 44) - 22);
      size_t best = 0;
      for (size_t code = 0; code < values.size(); ++code) {
        double distance = std::fabs(values[code] - value), least = std::fabs(values[best] - value);
        if (distance < least || (distance == least && code % 2 == 0))
          best = code;
      }
      EXPECT_EQ(fromDouble(type, value), best) << name(type) << " " << value;
    }
  }
}

TEST(Dtype, WideFormats) {
  std::mt19937_64 random = generator();
  for (int i = 0; i < 100000; ++i) {
    double value = std::bit_cast<double>(random());
    if (std::isnan(value))
      continue;
    EXPECT_EQ(fromDouble(Dtype::f64, value), std::bit_cast<uint64_t>(value));
    uint32_t single = std::bit_cast<uint32_t>(float(value)); // the processor's own rounding
    ASSERT_EQ(fromDouble(Dtype::f32, value), single) << value;
    float near = std::bit_cast<float>(uint32_t(random()));
    if (std::isnan(near))
      continue;
    ASSERT_EQ(fromDouble(Dtype::f32, double(near)), std::bit_cast<uint32_t>(near));
    // tf32: add half of the last place minus one, plus one if the kept part is odd, and cut off.
    uint32_t bits = std::bit_cast<uint32_t>(near);
    uint32_t rounded = (bits + 0xFFF + (bits >> 13 & 1)) & ~uint32_t(0x1FFF);
    ASSERT_EQ(fromDouble(Dtype::tf32, double(near)), rounded) << near;
    ASSERT_EQ(toDouble(Dtype::tf32, bits), double(std::bit_cast<float>(bits & ~uint32_t(0x1FFF))));
  }
  EXPECT_EQ(fromDouble(Dtype::f32, 0x1p-149), 1u);
  EXPECT_EQ(fromDouble(Dtype::f32, 0x1p-150), 0u);
  EXPECT_EQ(fromDouble(Dtype::f32, 0x1.8p-149), 2u);
}

TEST(Dtype, BeyondTheLargest) {
  // type, code of +1e300, of +infinity, of NaN
  const std::tuple<Dtype, uint64_t, uint64_t, uint64_t> rows[] = {
      {Dtype::f32, 0x7F800000, 0x7F800000, 0x7FC00000},
      {Dtype::tf32, 0x7F800000, 0x7F800000, 0x7FFFE000},
      {Dtype::f16, 0x7C00, 0x7C00, 0x7FFF},
      {Dtype::bf16, 0x7F80, 0x7F80, 0x7FFF},
      {Dtype::e4m3, 0x7E, 0x7E, 0x7F},
      {Dtype::e5m2, 0x7B, 0x7B, 0x7E},
      {Dtype::ue8m0, 0xFE, 0xFE, 0xFF},
      {Dtype::e2m3, 0x1F, 0x1F, 0x1F},
      {Dtype::e3m2, 0x1F, 0x1F, 0x1F},
      {Dtype::e2m1, 0x7, 0x7, 0x7}};
  for (auto [type, huge, infinite, notANumber] : rows) {
    EXPECT_EQ(fromDouble(type, 1e300), huge) << name(type);
    EXPECT_EQ(fromDouble(type, inf), infinite) << name(type);
    EXPECT_EQ(fromDouble(type, quietNan), notANumber) << name(type);
    uint64_t sign = type == Dtype::ue8m0 ? 0 : uint64_t(1) << (storageBits(type) - 1);
    EXPECT_EQ(fromDouble(type, -inf), sign | infinite) << name(type);
    EXPECT_EQ(fromDouble(type, -0.0), sign) << name(type);
  }
  EXPECT_EQ(fromDouble(Dtype::f16, 65519.99), 0x7BFFu); // below the middle to 65536
  EXPECT_EQ(fromDouble(Dtype::f16, 65520), 0x7C00u);
  EXPECT_EQ(fromDouble(Dtype::ue8m0, 0), 0u);
  EXPECT_EQ(fromDouble(Dtype::ue8m0, -4), 129u);
}

TEST(Dtype, Integers) {
  EXPECT_EQ(toDouble(Dtype::s4, 0x8), -8);
  EXPECT_EQ(toDouble(Dtype::s4, 0x7), 7);
  EXPECT_EQ(toDouble(Dtype::s64, 0x8000000000000000), -0x1p63);
  EXPECT_EQ(toDouble(Dtype::u64, 0xFFFFFFFFFFFFFFFF), 0x1p64);
  EXPECT_EQ(toInteger(Dtype::s16, 0xFFFE), -2);
  EXPECT_EQ(fromDouble(Dtype::s8, 2.5), 2u); // ties to even
  EXPECT_EQ(fromDouble(Dtype::s8, 3.5), 4u);
  EXPECT_EQ(fromDouble(Dtype::s8, -2.5), 0xFEu);
  EXPECT_EQ(fromDouble(Dtype::s8, -1000), 0x80u);
  EXPECT_EQ(fromDouble(Dtype::u8, -3), 0u);
  EXPECT_EQ(fromDouble(Dtype::u8, 255.5), 255u);
  EXPECT_EQ(fromDouble(Dtype::s32, quietNan), 0u);
  EXPECT_EQ(fromDouble(Dtype::s64, 1e300), 0x7FFFFFFFFFFFFFFFu);
  EXPECT_EQ(fromDouble(Dtype::s64, -inf), 0x8000000000000000u);
  EXPECT_EQ(fromDouble(Dtype::s64, -3), uint64_t(-3));
  EXPECT_EQ(fromDouble(Dtype::u64, 0x1p64), 0xFFFFFFFFFFFFFFFFu);
  EXPECT_EQ(fromDouble(Dtype::u64, 0x1p63), 0x8000000000000000u);
  EXPECT_EQ(fromDouble(Dtype::b1, 0.25), 1u);
  EXPECT_EQ(fromDouble(Dtype::b1, 0), 0u);
}

TEST(Dtype, PackedElementsKeepTheirNeighbours) {
  std::array<std::byte, 3> buffer{};
  for (int i = 0; i < 6; ++i)
    storeCode(Dtype::e2m1, buffer.data(), i, uint64_t(i + 9));
  // The first of a pair is in the low half, as in PTX's e2m1x2.
  EXPECT_EQ(buffer, (std::array<std::byte, 3>{std::byte(0xA9), std::byte(0xCB), std::byte(0xED)}));
  storeCode(Dtype::s4, buffer.data(), 3, 0xF5);
  EXPECT_EQ(buffer[1], std::byte(0x5B));
  EXPECT_EQ(loadCode(Dtype::s4, buffer.data(), 2), 0xBu);
  EXPECT_EQ(loadCode(Dtype::s4, buffer.data(), 3), 0x5u);
  EXPECT_EQ(loadCode(Dtype::u16, buffer.data(), 0), 0x5BA9u);
  // Codes of 6 bits follow each other from the lowest bit on: 1, 2, 3, 4 are 0x1 | 0x80 | 0x3000 |
  // 0x100000.
  for (int i = 0; i < 4; ++i)
    storeCode(Dtype::e3m2, buffer.data(), i, uint64_t(i + 1));
  EXPECT_EQ(buffer, (std::array<std::byte, 3>{std::byte(0x81), std::byte(0x30), std::byte(0x10)}));
  storeCode(Dtype::u1, buffer.data(), 9, 1);
  EXPECT_EQ(buffer[1], std::byte(0x32));
}

TEST(Dtype, NumbersInSentences) {
  const std::pair<double, const char *> numbers[] = {
      {0.1, "0.1"},      {1e-5, "1e-05"}, {100000, "100000"}, {-3, "-3"},  {-0.0, "-0"},
      {1e300, "1e+300"}, {inf, "inf"},    {quietNan, "nan"},  {0.5, "0.5"}};
  for (auto [number, text] : numbers)
    EXPECT_EQ(decimal(number), text);
  EXPECT_EQ(hex(0xDEADBEEF), "0xdeadbeef");
  EXPECT_EQ(hex(0), "0x0");
  EXPECT_EQ(tuple(std::vector<int64_t>{3, -4}), "(3, -4)");
  EXPECT_EQ(tuple({}), "()");
}
