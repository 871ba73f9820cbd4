// Matrix products of small whole numbers, which every type holds and every order of the sum keeps
// exact; expected elements are sums of integers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Kernel.h"

#include <gtest/gtest.h>

using namespace tessera;
using namespace tessera::tile_eval;
using namespace tessera::tile_eval::test;

namespace {

/// Codes of 0, 1, 2, -1 in each type, from its definition.
struct Numbers {
  const char *type;
  uint64_t zero, one, two, minusOne;
  uint64_t of(int n) const { return n == 0 ? zero : n == 1 ? one : n == 2 ? two : minusOne; }
};
const Numbers types[] = {
    {"f16", 0, 0x3c00, 0x4000, 0xbc00},
    {"bf16", 0, 0x3f80, 0x4000, 0xbf80},
    {"f32", 0, 0x3f800000, 0x40000000, 0xbf800000},
    {"tf32", 0, 0x3f800000, 0x40000000, 0xbf800000},
    {"f64", 0, 0x3ff0000000000000, 0x4000000000000000, 0xbff0000000000000},
    {"f8E4M3FN", 0, 0x38, 0x40, 0xb8},
    {"f8E5M2", 0, 0x3c, 0x40, 0xbc},
    {"f4E2M1FN", 0, 2, 4, 10},
};
const Numbers &typeOf(std::string_view name) {
  for (const Numbers &numbers : types)
    if (numbers.type == name)
      return numbers;
  return types[0];
}
int a(size_t b, size_t m, size_t k) { return int((b + 3 * m + k * k) % 4) - 1; }
int b(size_t b, size_t k, size_t n) { return int((2 * b + k + 5 * n) % 4) - 1; }
/// The code of a whole number in f16, f32 or f64.
uint64_t codeOf(std::string_view type, int n) {
  if (type == "f64")
    return std::bit_cast<uint64_t>(double(n));
  uint32_t bits = std::bit_cast<uint32_t>(float(n));
  if (type == "f32")
    return bits;
  // f16 of a whole number below 2048: the exponent's bias is 15 instead of 127.
  return n == 0
             ? 0
             : (bits >> 16 & 0x8000) | (((bits >> 23 & 0xff) - 112) << 10) | (bits >> 13 & 0x3ff);
}

void multiply(const char *in, const char *out, size_t batch, size_t m, size_t n, size_t k) {
  Codes x, y, z, expected;
  const Numbers &numbers = typeOf(in);
  for (size_t i = 0; i < batch; ++i)
    for (size_t row = 0; row < m; ++row)
      for (size_t column = 0; column < k; ++column)
        x.push_back(numbers.of(a(i, row, column)));
  for (size_t i = 0; i < batch; ++i)
    for (size_t row = 0; row < k; ++row)
      for (size_t column = 0; column < n; ++column)
        y.push_back(numbers.of(b(i, row, column)));
  for (size_t i = 0; i < batch; ++i)
    for (size_t row = 0; row < m; ++row)
      for (size_t column = 0; column < n; ++column) {
        int sum = int(row) - int(column);
        z.push_back(codeOf(out, sum));
        for (size_t q = 0; q < k; ++q)
          sum += a(i, row, q) * b(i, q, column);
        expected.push_back(codeOf(out, sum));
      }
  auto shape = [&](size_t rows, size_t columns, const char *type) {
    return cat(batch > 1 ? cat(batch, "x") : "", rows, "x", columns, "x", type);
  };
  auto result =
      One().run(Op::MmaF, {shape(m, n, out)}, {std::nullopt},
                {{{shape(m, k, in), x}}, {{shape(k, n, in), y}}, {{shape(m, n, out), z}}});
  ASSERT_TRUE(result) << in << ": " << result.reason().text;
  EXPECT_EQ((*result)[0], expected) << in << " to " << out;
}

} // namespace

TEST(Products, AreSumsOfProducts) {
  for (const char *in : {"f16", "bf16", "f32", "tf32", "f8E4M3FN", "f8E5M2"})
    multiply(in, "f32", 1, 4, 8, 16);
  for (const char *in : {"f16", "f8E4M3FN", "f8E5M2"})
    multiply(in, "f16", 1, 8, 2, 4);
  multiply("f64", "f64", 1, 2, 4, 8);
  multiply("f16", "f32", 4, 2, 4, 8);
  multiply("bf16", "f32", 1, 1, 1, 1);
}

// 1 + 2^-24 is a tie of f32: an accumulator that is rounded after each product stays 1, and with
// one rounding at the end 1 + 4 * 2^-24 is there.
TEST(Products, RoundOnce) {
  Codes small(4, 0x33800000), ones(4, 0x3f800000); // 2^-24, 1
  auto out = One().run(Op::MmaF, {"1x1xf32"}, {std::nullopt},
                       {{{"1x4xf32", small}}, {{"4x1xf32", ones}}, {{"1x1xf32", {0x3f800000}}}});
  ASSERT_TRUE(out) << out.reason().text;
  EXPECT_EQ((*out)[0], Codes{0x3f800002}); // 1 + 2^-22
}

TEST(Products, OfIntegersWrap) {
  // 200 is 200 or -56; 3 is 3.
  auto run = [](uint64_t signedLhs, uint64_t signedRhs, uint64_t acc) {
    auto out = One().run(Op::MmaI, {"1x1xi32"}, {signedLhs, signedRhs},
                         {{{"1x2xi8", {200, 3}}}, {{"2x1xi8", {200, 3}}}, {{"1x1xi32", {acc}}}});
    return out ? (*out)[0][0] : 0;
  };
  EXPECT_EQ(run(0, 0, 0), 40009u);
  EXPECT_EQ(run(1, 1, 0), 3145u);
  EXPECT_EQ(run(1, 0, 0), uint32_t(-11191));
  EXPECT_EQ(run(0, 1, 0), uint32_t(-11191));
  EXPECT_EQ(run(0, 0, 0xffffffff), 40008u);
}

// Each block of K has a scale: OCP Microscaling Formats 1.0, 6.2.
TEST(Products, AreScaledInBlocks) {
  struct Case {
    const char *in, *scale;
    size_t v;
    uint64_t ones, twos; // codes of the scales 1 and 2
  };
  for (auto [in, scale, v, ones, twos] :
       {Case{"f8E4M3FN", "f8E8M0FNU", 32, 127, 128}, Case{"f8E5M2", "f8E8M0FNU", 32, 127, 128},
        Case{"f4E2M1FN", "f8E8M0FNU", 32, 127, 128}, Case{"f4E2M1FN", "f8E8M0FNU", 16, 127, 128},
        Case{"f4E2M1FN", "f8E4M3FN", 16, 0x38, 0x40},
        Case{"f4E2M1FN", "f8E5M3FNU", 16, 0x78, 0x80}}) {
    const Numbers &numbers = typeOf(in);
    size_t k = 64, blocks = k / v;
    Codes x, y, scaleX, scaleY, expected;
    for (size_t m = 0; m < 2; ++m)
      for (size_t q = 0; q < k; ++q)
        x.push_back(numbers.of(a(0, m, q)));
    for (size_t q = 0; q < k; ++q)
      for (size_t n = 0; n < 2; ++n)
        y.push_back(numbers.of(b(0, q, n)));
    auto scaleOfX = [&](size_t m, size_t block) { return (m + block) % 2 ? 2 : 1; };
    auto scaleOfY = [&](size_t block, size_t n) { return (block / 2 + n) % 2 ? 2 : 1; };
    for (size_t m = 0; m < 2; ++m)
      for (size_t block = 0; block < blocks; ++block)
        scaleX.push_back(scaleOfX(m, block) == 2 ? twos : ones);
    for (size_t block = 0; block < blocks; ++block)
      for (size_t n = 0; n < 2; ++n)
        scaleY.push_back(scaleOfY(block, n) == 2 ? twos : ones);
    for (size_t m = 0; m < 2; ++m)
      for (size_t n = 0; n < 2; ++n) {
        int sum = 5;
        for (size_t q = 0; q < k; ++q)
          sum += a(0, m, q) * b(0, q, n) * scaleOfX(m, q / v) * scaleOfY(q / v, n);
        expected.push_back(codeOf("f32", sum));
      }
    auto out = One().run(Op::MmaFScaled, {"2x2xf32"}, {},
                         {{{cat("2x64x", in), x}},
                          {{cat("64x2x", in), y}},
                          {{"2x2xf32", {0x40a00000}}},
                          {{cat("2x", blocks, "x", scale), scaleX}},
                          {{cat(blocks, "x2x", scale), scaleY}}});
    ASSERT_TRUE(out) << in << ": " << out.reason().text;
    EXPECT_EQ((*out)[0], expected) << in << " " << scale << " " << v;
  }
}

TEST(Products, RefuseOtherTypesAndShapes) {
  auto mma = [](const char *lhs, const char *rhs, const char *acc) {
    return One().outcome(Op::MmaF, {acc}, {std::nullopt},
                         {{{lhs, {0}}}, {{rhs, {0}}}, {{acc, {0}}}});
  };
  const char *extents = "Unverified: mmaf: expects matrices of MxK, KxN and MxN";
  EXPECT_EQ(mma("2x4xf16", "2x4xf16", "2x4xf16"), extents);
  EXPECT_EQ(mma("2x2x4xf16", "1x4x2xf16", "2x2x2xf16"), extents);
  EXPECT_EQ(mma("4xf16", "4xf16", "4xf16"),
            "Unverified: mmaf: expects three matrices, or three batches of them");
  EXPECT_EQ(mma("2x2xbf16", "2x2xbf16", "2x2xf16"),
            "Unverified: mmaf: expects types of operands and accumulator that go together, but got "
            "bf16 and f16");
  EXPECT_EQ(mma("2x2xf4E2M1FN", "2x2xf4E2M1FN", "2x2xf32"),
            "Unverified: mmaf: expects types of operands and accumulator that go together, but got "
            "f4E2M1FN and f32");
  EXPECT_TRUE(
      mma("2x2xf16", "2x2xbf16", "2x2xf32").starts_with("Unverified: mmaf: expects a tile"));

  auto scaled = [](const char *in, const char *acc, const char *x, const char *y) {
    return One().outcome(Op::MmaFScaled, {cat("2x2x", acc)}, {},
                         {{{cat("2x64x", in), {0}}},
                          {{cat("64x2x", in), {0}}},
                          {{cat("2x2x", acc), {0}}},
                          {{x, {0}}},
                          {{y, {0}}}});
  };
  EXPECT_EQ(scaled("f8E5M2", "f32", "2x2xf8E8M0FNU", "2x2xf8E8M0FNU"), "ok");
  EXPECT_EQ(scaled("f8E5M2", "f16", "2x2xf8E8M0FNU", "2x2xf8E8M0FNU"),
            "Unverified: mmaf_scaled: expects an accumulator of f32");
  EXPECT_EQ(scaled("f16", "f32", "2x2xf8E8M0FNU", "2x2xf8E8M0FNU"),
            "Unverified: mmaf_scaled: expects f8 or f4 operands, but got f16");
  EXPECT_EQ(scaled("f8E5M2", "f32", "4x2xf8E8M0FNU", "2x4xf8E8M0FNU"),
            "Unverified: mmaf_scaled: expects scales of M x K/v and K/v x N");
  EXPECT_EQ(scaled("f8E5M2", "f32", "2x4xf8E8M0FNU", "4x2xf8E8M0FNU"),
            "Unverified: mmaf_scaled: expects blocks of 32, or of 16 for f4, with scales of "
            "f8E8M0FNU (f8E4M3FN and f8E5M3FNU: f4 with 16), but got 16 with f8E8M0FNU");
  EXPECT_NE(scaled("f8E5M2", "f32", "2x2xf8E4M3FN", "2x2xf8E4M3FN").find("32 with f8E4M3FN"),
            std::string::npos);
}
