// Codes against the formulas of the standards, all roundings against a search over all values, and
// wide formats against the host.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Oracle.h"

#include <gtest/gtest.h>

#include <cfenv>

namespace tessera::number::test {

namespace {

bool same(double a, double b) {
  return (std::isnan(a) && std::isnan(b)) || (a == b && std::signbit(a) == std::signbit(b));
}

constexpr Rounding directed[] = {Rounding::NearestEven, Rounding::NearestAway, Rounding::Zero,
                                 Rounding::Down, Rounding::Up};

TEST(Codes, StandForWhatTheStandardsSay) {
  for (const Standard &s : standards)
    for (unsigned code = 0; code < 1u << storedBits(s.format); ++code)
      ASSERT_TRUE(same(decode(s.format, code), valueOf(s, code)))
          << ptxName(s.format) << " " << code;
}

TEST(Codes, AreWhatTheirNumbersBecome) {
  for (const Standard &s : standards)
    for (unsigned code = 0; code < 1u << valueBits(s.format); ++code) {
      double value = valueOf(s, code);
      if (std::isnan(value))
        continue;
      for (Rounding rounding : directed)
        ASSERT_EQ(encode(s.format, value, {.rounding = rounding}), code)
            << ptxName(s.format) << " " << value;
    }
}

/// Every middle between neighbours, what is just beside it and beside the neighbours, of both
/// signs, in every direction, saturated and not; and the same around the largest number.
TEST(Codes, AreRoundedAsASearchOverAllValuesDoes) {
  for (const Standard &s : standards) {
    std::vector<double> values = magnitudesOf(s);
    auto check = [&](double x) {
      for (double signedX : {x, -x})
        for (Rounding rounding : directed)
          for (bool saturates : {false, true}) {
            Rules rules{.rounding = rounding, .saturates = saturates};
            ASSERT_EQ(encode(s.format, signedX, rules), expected(s, values, signedX, rules))
                << ptxName(s.format) << " " << signedX << " rounding " << int(rounding) << " "
                << saturates;
          }
    };
    for (size_t code = 0; code < values.size(); ++code) {
      double below = values[code];
      double above = code + 1 < values.size()
                         ? values[code + 1]
                         : below + std::max(below - values[code - 1], below / 8);
      double middle = below + (above - below) / 2;
      for (double x : {below, middle, above})
        for (double beside : {std::nextafter(x, -1), x, std::nextafter(x, INFINITY)})
          if (!HasFatalFailure())
            check(std::fabs(beside));
    }
    for (double x : {0.0, 0x1p-1074, 0x1p-1022, 0x1.fffffffffffffp1023, double(INFINITY)})
      check(x);
    EXPECT_EQ(encode(s.format, NAN, {}), expected(s, values, NAN, {}));
    EXPECT_EQ(encode(s.format, -NAN, {}), expected(s, values, NAN, {}));
  }
}

TEST(Codes, OfFloatsAreThoseOfTheSearch) {
  std::mt19937_64 random(16);
  for (const Standard &s : standards) {
    std::vector<double> values = magnitudesOf(s);
    for (int i = 0; i < 40000; ++i) {
      float any = std::bit_cast<float>(uint32_t(random()));
      // Every second one near the format's numbers.
      double x = i % 2 ? double(any)
                       : std::copysign(values[random() % values.size()], double(any)) *
                             (1 + std::ldexp(double(random() % 4096), -14));
      for (Rounding rounding : directed) {
        Rules rules{.rounding = rounding, .saturates = bool(random() & 1)};
        ASSERT_EQ(encode(s.format, x, rules), expected(s, values, x, rules))
            << ptxName(s.format) << " " << x << " rounding " << int(rounding);
      }
    }
  }
}

TEST(Codes, AreRoundedAtRandomByTheBitsThatAreDiscarded) {
  std::mt19937_64 random(17);
  for (const Standard &s : standards) {
    if (s.mantissa == 0) // PTX has no .rs of powers of two
      continue;
    std::vector<double> values = magnitudesOf(s);
    for (int i = 0; i < 40000; ++i) {
      int bits = 8 + int(random() % 9);
      Rules rules{.rounding = Rounding::Stochastic,
                  .saturates = true,
                  .randomBits = uint8_t(bits),
                  .random = uint32_t(random() & ((1u << bits) - 1))};
      double x = std::ldexp(double(uint32_t(random()) | 1u << 31), int(random() % 300) - 180);
      ASSERT_EQ(encode(s.format, x, rules), expected(s, values, x, rules))
          << ptxName(s.format) << " " << x << " + " << rules.random << " of " << bits;
    }
  }
}

// A number far below the smallest has no bit that the random ones are added to: nothing carries.
TEST(Codes, OfTinyNumbersAreNotRoundedUpAtRandom) {
  for (int exponent = -149; exponent <= -40; ++exponent)
    EXPECT_EQ(encode(Format::f16, std::ldexp(1.0, exponent),
                     {.rounding = Rounding::Stochastic, .randomBits = 13, .random = 0x1fff}),
              0u)
        << exponent;
  // 2^-37 is the last of 13 bits below 2^-24.
  EXPECT_EQ(encode(Format::f16, 0x1p-37,
                   {.rounding = Rounding::Stochastic, .randomBits = 13, .random = 0x1fff}),
            1u);
}

// OCP MX 1.0, 6.3, and CUDA's __nv_cvt_double_to_e8m0: the magnitude counts.
TEST(Codes, OfUnsignedFormatsDropTheSignWhereAsked) {
  EXPECT_EQ(encode(Format::ue8m0, -4.0, {.dropsSign = true}), 129u);
  EXPECT_EQ(encode(Format::ue8m0, -4.0, {}), 255u);
  EXPECT_EQ(encode(Format::ue4m3, -1.0, {.dropsSign = true}), 0x38u);
  EXPECT_EQ(encode(Format::e4m3, -1.0, {.dropsSign = true}), 0xb8u);
}

TEST(Codes, OfNanAreThoseOfInstructionsOrOfTheHost) {
  const std::tuple<Format, uint64_t, uint64_t> nans[] = {{Format::f32, 0x7FFFFFFF, 0x7FC00000},
                                                         {Format::tf32, 0x7FFFE000, 0x7FFFE000},
                                                         {Format::f16, 0x7FFF, 0x7FFF},
                                                         {Format::bf16, 0x7FFF, 0x7FFF},
                                                         {Format::e4m3, 0x7F, 0x7F},
                                                         {Format::e5m2, 0x7F, 0x7E},
                                                         {Format::ue8m0, 0xFF, 0xFF},
                                                         {Format::e2m1, 0x7, 0x7}};
  for (auto [format, instructions, host] : nans)
    for (double nan : {std::copysign(NAN, 1.0), std::copysign(NAN, -1.0)}) {
      EXPECT_EQ(encode(format, nan, {}), instructions) << ptxName(format);
      EXPECT_EQ(encode(format, nan, {.hostNan = true}), host) << ptxName(format);
    }
}

//===--- wide formats -------------------------------------------------------------------------===//

constexpr std::pair<Rounding, int> hostModes[] = {{Rounding::NearestEven, FE_TONEAREST},
                                                  {Rounding::Zero, FE_TOWARDZERO},
                                                  {Rounding::Down, FE_DOWNWARD},
                                                  {Rounding::Up, FE_UPWARD}};

TEST(Codes, OfF32AreTheHosts) {
  std::mt19937_64 random(3);
  for (int i = 0; i < 200000; ++i) {
    uint64_t bits = random();
    if (i % 2) // in the range of f32 and a little beyond
      bits = (bits & ~(uint64_t(0x7ff) << 52)) | (uint64_t(1023 - 152 + random() % 284) << 52);
    if (i % 4 == 3) // a middle
      bits = (bits & ~uint64_t(0x1fffffff)) | 0x10000000;
    volatile double x = std::bit_cast<double>(bits);
    if (std::isnan(x))
      continue;
    for (auto [rounding, host] : hostModes) {
      std::fesetround(host);
      volatile float narrow = float(x);
      std::fesetround(FE_TONEAREST);
      ASSERT_EQ(encode(Format::f32, x, {.rounding = rounding}),
                std::bit_cast<uint32_t>(float(narrow)))
          << x << " " << host;
    }
  }
}

TEST(Codes, OfF16AreTheHosts) {
  for (uint32_t code = 0; code < 65536; ++code) {
    _Float16 half = std::bit_cast<_Float16>(uint16_t(code));
    if (half == half) {
      ASSERT_EQ(halfToFloat(uint16_t(code)), float(half)) << code;
      ASSERT_EQ(decode(Format::f16, code), double(half)) << code;
    }
    ASSERT_TRUE(same(double(bfloatToFloat(uint16_t(code))), decode(Format::bf16, code))) << code;
  }
}

// tf32 is f32 rounded to 19 bits: add half of the last place (less one, and one more if the kept
// part is odd), and cut off.
TEST(Codes, OfTf32AreCutF32) {
  std::mt19937_64 random(5);
  for (int i = 0; i < 200000; ++i) {
    auto bits = uint32_t(random());
    float x = std::bit_cast<float>(bits);
    if (!std::isfinite(x))
      continue;
    uint32_t even = (bits + 0xFFF + (bits >> 13 & 1)) & ~uint32_t(0x1FFF),
             away = (bits + 0x1000) & ~uint32_t(0x1FFF), zero = bits & ~uint32_t(0x1FFF);
    ASSERT_EQ(encode(Format::tf32, double(x), {}), even) << x;
    ASSERT_EQ(encode(Format::tf32, double(x), {.rounding = Rounding::NearestAway}), away) << x;
    ASSERT_EQ(encode(Format::tf32, double(x), {.rounding = Rounding::Zero}), zero) << x;
    ASSERT_EQ(decode(Format::tf32, bits), double(std::bit_cast<float>(zero))) << x;
  }
}

TEST(Codes, OfF64AreItsBits) {
  std::mt19937_64 random(6);
  for (int i = 0; i < 1000; ++i) {
    uint64_t bits = random();
    EXPECT_EQ(std::bit_cast<uint64_t>(decode(Format::f64, bits)), bits);
    EXPECT_EQ(encode(Format::f64, std::bit_cast<double>(bits), {}), bits);
  }
}

//===--- integers -----------------------------------------------------------------------------===//

std::vector<Row> integers() {
  std::vector<Row> out;
  for (const Row &row : formats())
    if (row.kind != Kind::Float)
      out.push_back(row);
  return out;
}

TEST(Codes, OfSmallIntegersAreTwosComplement) {
  for (const Row &row : integers())
    for (uint64_t code = 0; row.storedBits <= 16 && code < uint64_t(1) << row.storedBits; ++code) {
      int64_t value = int64_t(code);
      if (row.kind == Kind::Signed && code >= uint64_t(1) << (row.storedBits - 1))
        value -= int64_t(1) << row.storedBits;
      ASSERT_EQ(toInteger(row.format, code), value) << row.ptx;
      ASSERT_EQ(decode(row.format, code), double(value)) << row.ptx;
      ASSERT_EQ(encode(row.format, double(value), {}), code) << row.ptx;
    }
}

TEST(Codes, OfIntegersAreTheNearestInRange) {
  for (const Row &row : integers()) {
    int bits = row.storedBits;
    bool isSigned = row.kind == Kind::Signed;
    long double low = isSigned ? -std::pow(2.0L, bits - 1) : 0,
                high = std::pow(2.0L, bits - isSigned) - 1;
    auto [min, max] = integerRange(row.format);
    EXPECT_EQ((long double)(min), low) << row.ptx;
    EXPECT_EQ((long double)(max), high) << row.ptx;
    if (row.format == Format::b1)
      continue;
    std::mt19937_64 random(9);
    for (int i = 0; i < 5000; ++i) {
      double x = std::ldexp(double(int64_t(random())), int(random() % 12) - 64 - 10 + bits);
      if (i % 3 == 0)
        x = std::floor(x) + 0.5;
      const std::pair<Rounding, double> integral[] = {{Rounding::Zero, std::trunc(x)},
                                                      {Rounding::Down, std::floor(x)},
                                                      {Rounding::Up, std::ceil(x)},
                                                      {Rounding::NearestEven, std::nearbyint(x)},
                                                      {Rounding::NearestAway, std::round(x)}};
      for (auto [rounding, whole] : integral) {
        long double clamped = std::clamp((long double)whole, low, high);
        uint64_t code = clamped < 0 ? uint64_t(int64_t(clamped)) : uint64_t(clamped);
        code &= ~uint64_t(0) >> (64 - bits);
        ASSERT_EQ(encode(row.format, x, {.rounding = rounding}), code) << row.ptx << " " << x;
        ASSERT_EQ(number::integral(rounding, x), whole) << x;
      }
    }
    EXPECT_EQ(encode(row.format, NAN, {}), 0u) << row.ptx;
    EXPECT_EQ(encode(row.format, INFINITY, {}), max) << row.ptx;
    EXPECT_EQ(toInteger(row.format, encode(row.format, -INFINITY, {})), min) << row.ptx;
  }
}

TEST(Codes, OfBoolsAreOneUnlessZero) {
  for (double x : {0.25, -3.0, double(INFINITY), 1.0})
    EXPECT_EQ(encode(Format::b1, x, {}), 1u) << x;
  for (double x : {0.0, -0.0, double(NAN)})
    EXPECT_EQ(encode(Format::b1, x, {}), 0u) << x;
}

} // namespace

} // namespace tessera::number::test
