// The table of formats: names, sizes, masks.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/number/Format.h"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <sstream>

namespace tessera::number {

namespace {

std::vector<std::string> words(std::string_view text) {
  std::istringstream stream{std::string(text)};
  return {std::istream_iterator<std::string>(stream), {}};
}

TEST(Formats, StandInTheOrderOfTheEnum) {
  for (size_t i = 0; i < std::size(rows); ++i)
    EXPECT_EQ(rows[i].format, Format(i));
  EXPECT_EQ(formats().front().format, Format::f64);
}

TEST(Formats, AreFoundByEachOfTheirNames) {
  for (const Row &row : formats()) {
    EXPECT_EQ(findPtx(row.ptx), row.format) << row.ptx;
    EXPECT_EQ(findName(row.name), row.format) << row.name;
    for (const std::string &alias : words(row.aliases))
      EXPECT_EQ(findName(alias), row.format) << alias;
    for (const std::string &type : words(row.mlir))
      EXPECT_EQ(findMlir(type), row.format) << type;
  }
}

TEST(Formats, AreReadInAnyLetterCase) {
  EXPECT_EQ(findName("F8E4M3FN"), Format::e4m3);
  EXPECT_EQ(findName("f8e4m3fn"), Format::e4m3);
  EXPECT_EQ(findName("Half"), Format::f16);
  EXPECT_EQ(findName("BFloat16"), Format::bf16);
  EXPECT_EQ(findName("BOOL"), Format::b1);
}

TEST(Formats, HaveNamesOfPtxMlirNumpyAndCute) {
  struct Names {
    Format format;
    std::string_view ptx, mlir, numpy, cute;
  };
  const Names names[] = {{Format::f64, "f64", "f64", "float64", "F64"},
                         {Format::f32, "f32", "f32", "float32", "F32"},
                         {Format::f16, "f16", "f16", "float16", "F16"},
                         {Format::bf16, "bf16", "bf16", "bfloat16", "BF16"},
                         {Format::e4m3, "e4m3", "f8E4M3FN", "float8_e4m3fn", "E4M3"},
                         {Format::e5m2, "e5m2", "f8E5M2", "float8_e5m2", "E5M2"},
                         {Format::e2m3, "e2m3", "f6E2M3FN", "float6_e2m3fn", "E2M3"},
                         {Format::e3m2, "e3m2", "f6E3M2FN", "float6_e3m2fn", "E3M2"},
                         {Format::e2m1, "e2m1", "f4E2M1FN", "float4_e2m1fn", "E2M1"},
                         {Format::ue8m0, "ue8m0", "f8E8M0FNU", "float8_e8m0fnu", "UE8M0"},
                         {Format::b1, "b1", "i1", "bool", "U1"},
                         {Format::s4, "s4", "i4", "int4", "S4"},
                         {Format::s8, "s8", "i8", "int8", "S8"},
                         {Format::u8, "u8", "ui8", "uint8", "U8"},
                         {Format::s64, "s64", "i64", "int64", ""},
                         {Format::u16, "u16", "ui16", "uint16", ""}};
  for (const Names &n : names) {
    EXPECT_EQ(ptxName(n.format), n.ptx);
    EXPECT_EQ(mlirName(n.format), n.mlir);
    EXPECT_EQ(findName(n.numpy), n.format) << n.numpy;
    EXPECT_EQ(cuteName(n.format), n.cute);
  }
  EXPECT_EQ(findMlir("si8"), Format::s8);
  EXPECT_EQ(ourName(Format::u8), "u8");
  EXPECT_EQ(ourName(Format::s8), "i8");
}

TEST(Formats, AreNotFoundByOtherText) {
  for (const char *text : {"", " ", "f", "f8", "f4", "f2", "half float16", "f16 ", "i7", "none"}) {
    EXPECT_FALSE(findName(text)) << text;
    EXPECT_FALSE(findPtx(text)) << text;
    EXPECT_FALSE(findMlir(text)) << text;
  }
  EXPECT_FALSE(findPtx("F16"));
  EXPECT_FALSE(findPtx("i8"));
  EXPECT_FALSE(findMlir("u8"));
  EXPECT_FALSE(findMlir("index"));
}

TEST(Formats, HaveTheSizesOfTheirStandards) {
  const std::tuple<Format, int, int, int> sizes[] = {
      // value, stored, in buffers
      {Format::f64, 64, 64, 64}, {Format::tf32, 19, 32, 32}, {Format::bf16, 16, 16, 16},
      {Format::ue8m0, 8, 8, 8},  {Format::ue4m3, 7, 8, 0},   {Format::e2m3, 6, 6, 6},
      {Format::e3m2, 6, 6, 6},   {Format::e2m1, 4, 4, 4},    {Format::b1, 1, 1, 8},
      {Format::s4, 4, 4, 4},     {Format::u4, 4, 4, 4},      {Format::u64, 64, 64, 64}};
  for (auto [format, value, stored, buffer] : sizes) {
    EXPECT_EQ(valueBits(format), value) << ptxName(format);
    EXPECT_EQ(storedBits(format), stored) << ptxName(format);
    EXPECT_EQ(bufferBits(format), buffer) << ptxName(format);
  }
  for (const Row &row : formats()) // a sum and a shift, so that no column is forgotten
    EXPECT_LE(row.valueBits + row.lowZeros, row.storedBits) << row.ptx;
}

// Infinity, the largest number and NaN as codes: OCP FP8 1.0 table 1, IEEE 754 table 3.5.
TEST(Formats, HaveTheirMasks) {
  EXPECT_EQ(floating(Format::f32).infinity(), 0x7F800000u);
  EXPECT_EQ(floating(Format::f32).largest(), 0x7F7FFFFFu);
  EXPECT_EQ(floating(Format::f32).signBit(), 0x80000000u);
  EXPECT_EQ(floating(Format::f64).infinity(), 0x7FF0000000000000u);
  EXPECT_EQ(floating(Format::e4m3).largest(), 0x7Eu);
  EXPECT_EQ(floating(Format::e5m2).largest(), 0x7Bu);
  EXPECT_EQ(floating(Format::ue8m0).largest(), 0xFEu);
  EXPECT_EQ(floating(Format::e2m1).largest(), 0x7u);
  EXPECT_EQ(floating(Format::ue4m3).signBit(), 0u);
}

} // namespace

} // namespace tessera::number
