// Numbers as text, and back.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/number/Text.h"

#include "tessera/number/Code.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace tessera::number {

namespace {

std::string reasonOf(Format format, std::string_view text) {
  Result<uint64_t> code = parse(format, text);
  return code ? "" : code.reason().text;
}

/// What is printed is read back as the same code.
void roundTrip(Format format, uint64_t code) {
  std::string text = print(format, code);
  Result<uint64_t> read = parse(format, text);
  ASSERT_TRUE(read) << read.reason().text;
  bool isNan = kindOf(format) == Kind::Float && std::isnan(decode(format, code));
  ASSERT_EQ(*read, isNan ? encode(format, NAN, hostRules(format)) : code)
      << ptxName(format) << " " << text;
}

// Infinity is not read where the host saturates: of e5m2.
TEST(Text, OfEverySmallCodeIsReadBack) {
  for (const Row &row : formats())
    for (uint64_t code = 0; row.valueBits <= 16 && code < uint64_t(1) << row.valueBits; ++code)
      if (row.format != Format::e5m2 || (code & 0x7f) != 0x7c)
        roundTrip(row.format, code);
}

TEST(Text, OfWideCodesIsReadBack) {
  std::mt19937_64 random(8);
  for (const Row &row : formats())
    for (int i = 0; row.valueBits > 16 && i < 3000; ++i)
      roundTrip(row.format, random() >> (64 - row.valueBits) << row.lowZeros);
}

TEST(Text, OfNumbersIsShort) {
  EXPECT_EQ(decimal(0.1), "0.1");
  EXPECT_EQ(decimal(100000), "100000");
  EXPECT_EQ(decimal(-0.0), "-0");
  EXPECT_EQ(decimal(1e300), "1e+300");
  EXPECT_EQ(print(Format::e4m3, 0x7e), "448");
  EXPECT_EQ(print(Format::e4m3, 0xff), "nan");
  EXPECT_EQ(print(Format::s4, 0xf), "-1");
  EXPECT_EQ(print(Format::u64, ~uint64_t(0)), "18446744073709551615");
}

TEST(Text, IsReadInAllSpellings) {
  const std::tuple<Format, const char *, uint64_t> numbers[] = {
      {Format::f16, "+1.5", 0x3e00},
      {Format::f16, "1e-3", 0x1419},
      {Format::f32, "-inf", 0xff800000},
      {Format::f32, "nan", 0x7fc00000},
      {Format::s8, "-0x80", 0x80},
      {Format::u8, "0Xff", 0xff},
      {Format::b1, "true", 1},
      {Format::b1, "0", 0},
      {Format::s64, "-9223372036854775808", uint64_t(1) << 63}};
  for (auto [format, text, code] : numbers) {
    Result<uint64_t> read = parse(format, text);
    ASSERT_TRUE(read) << text;
    EXPECT_EQ(*read, code) << text;
  }
}

TEST(Text, ThatIsNoNumberIsRefused) {
  EXPECT_EQ(reasonOf(Format::s8, "128"), "expects an integer from -128 to 127, but got \"128\"");
  EXPECT_EQ(reasonOf(Format::u4, "-1"), "expects an integer from 0 to 15, but got \"-1\"");
  EXPECT_EQ(reasonOf(Format::f16, "x"), "expects a number of type f16, but got \"x\"");
  EXPECT_EQ(reasonOf(Format::e4m3, "449"),
            "expects a number of type f8E4M3FN, up to 448, but got \"449\"");
  for (const char *text : {"", "+", "-", "+-1", "1 ", " 1", "1.0.0", "0x", "1f"})
    for (Format format : {Format::f32, Format::s32})
      EXPECT_FALSE(parse(format, text)) << text;
  EXPECT_FALSE(parse(Format::s32, "1.5"));
  EXPECT_FALSE(parse(Format::u8, "true"));
}

// Rounding is what a format is for; becoming another kind of number is not.
TEST(Text, OfAnotherKindOfNumberIsRefused) {
  EXPECT_FALSE(parse(Format::f16, "65520")); // infinity
  EXPECT_TRUE(parse(Format::f16, "65519"));  // 65504
  EXPECT_FALSE(parse(Format::e5m2, "inf"));
  EXPECT_FALSE(parse(Format::ue8m0, "0"));
  EXPECT_FALSE(parse(Format::ue8m0, "-1"));
  EXPECT_FALSE(parse(Format::e2m1, "nan"));
  EXPECT_FALSE(parse(Format::f64, "1e400"));
}

} // namespace

} // namespace tessera::number
