// What cute.print_view prints, of generated layouts: every element, in the order of the domain.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Expected: the sum of coordinate times stride over all coordinates, the leftmost one fastest.
#include "test/lower/OneBlock.h"

#include <gtest/gtest.h>

#include <bit>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <random>

namespace tessera::lower::test {
namespace {

struct Mode {
  int64_t extent, stride;
};
/// A layout by its leaves, and how they are written.
struct Generated {
  std::vector<Mode> leaves;
  std::string shape, stride;
};

/// `depth` says how deep it nests; the text of a leaf may be `?` for the run-time extent.
void generate(std::mt19937 &random, int depth, Generated &out, int64_t &next) {
  auto below = [&](int n) { return int(random() % unsigned(n)); };
  int modes = depth == 0 ? 0 : below(4);
  if (modes == 0) {
    int64_t extent = 1 + below(5);
    int64_t stride = below(5) == 0 ? 0 : next * (1 + below(2));
    if (stride)
      next = stride * extent;
    out.leaves.push_back({extent, stride});
    out.shape += std::to_string(extent);
    out.stride += std::to_string(stride);
    return;
  }
  out.shape += "(", out.stride += "(";
  for (int m = 0; m < modes; ++m) {
    if (m)
      out.shape += ",", out.stride += ",";
    generate(random, depth - 1, out, next);
  }
  out.shape += ")", out.stride += ")";
}

std::vector<int64_t> enumerated(const std::vector<Mode> &leaves) {
  int64_t size = 1;
  for (const Mode &mode : leaves)
    size *= mode.extent;
  std::vector<int64_t> places;
  for (int64_t i = 0; i < size; ++i) {
    int64_t rest = i, place = 0;
    for (const Mode &mode : leaves) {
      place += rest % mode.extent * mode.stride;
      rest /= mode.extent;
    }
    places.push_back(place);
  }
  return places;
}

/// The numbers between the brackets of the data.
std::vector<double> numbersOf(const std::string &printed) {
  std::vector<double> numbers;
  size_t at = printed.find("data=");
  at = at == std::string::npos ? at : printed.find('[', at);
  if (at == std::string::npos)
    return numbers;
  std::string text = printed.substr(at + 1, printed.rfind(']') - at - 1);
  for (char &c : text)
    c = c == ',' || c == '\n' ? ' ' : c;
  const char *rest = text.c_str();
  for (char *end = nullptr;; rest = end) {
    double number = std::strtod(rest, &end);
    if (end == rest)
      return numbers;
    numbers.push_back(number);
  }
}

std::string kernel(const std::string &element, const std::string &layout, bool isSigned,
                   const std::string &made) {
  std::string view = "!cute.memref<" + element + ", gmem, align<16>, \"" + layout + "\">";
  std::string pointer = "!cute.ptr<" + element + ", gmem, align<16>>";
  return "gpu.module @m {\ncuda.kernel @k(%in: " + pointer + ", %out: !cute.ptr<i32, gmem>" +
         ", %n: i32) attributes {cute.kernel} {\n" + made +
         "%view = cute.make_view(%in, %layout) : (" + pointer + ", !cute.layout<\"" + layout +
         "\">) -> " + view +
         "\ncute.print_view(%view) {is_signed = " + (isSigned ? "true" : "false") +
         ", verbose = false} : " + view + "\nreturn\n}\n}\n";
}

std::vector<uint8_t> counting() {
  std::vector<int32_t> data(8192);
  std::iota(data.begin(), data.end(), 0);
  std::vector<uint8_t> bytes(data.size() * 4);
  std::memcpy(bytes.data(), data.data(), bytes.size());
  return bytes;
}

void expectPlaces(const std::string &text, const std::vector<Mode> &leaves, int32_t n = 0) {
  Outcome outcome = runBlock(text, counting(), std::vector<uint8_t>(4), {.n = n});
  ASSERT_TRUE(outcome.ran) << text << outcome.errors;
  std::vector<int64_t> places = enumerated(leaves);
  std::vector<double> expected(places.begin(), places.end());
  EXPECT_EQ(numbersOf(outcome.printed), expected) << text << outcome.printed;
}

TEST(Print, StaticLayouts) {
  std::mt19937 random(9);
  for (int round = 0; round < 40; ++round) {
    Generated g;
    int64_t next = 1;
    do {
      g = {}, next = 1;
      generate(random, round % 4, g, next);
    } while (next > 8192);
    std::string layout = g.shape + ":" + g.stride;
    SCOPED_TRACE(layout);
    expectPlaces(
        kernel("i32", layout, true, "%layout = cute.static : !cute.layout<\"" + layout + "\">\n"),
        g.leaves);
  }
}

TEST(Print, ExtentsAtRunTime) {
  const std::string made = "%shape = cute.make_shape(%n) : (i32) -> !cute.shape<\"(?,3)\">\n"
                           "%layout = cute.make_layout(%shape) : (!cute.shape<\"(?,3)\">) -> "
                           "!cute.layout<\"(?,3):(1,?)\">\n";
  for (int32_t n : {1, 2, 7})
    expectPlaces(kernel("i32", "(?,3):(1,?)", true, made), {{n, 1}, {3, n}}, n);
  const std::string wide = "%n64 = arith.extsi %n : i32 to i64\n"
                           "%shape = cute.make_shape(%n64) : (i64) -> !cute.shape<\"(2,?{i64})\">\n"
                           "%stride = cute.static : !cute.stride<\"(1,4)\">\n"
                           "%layout = cute.make_layout(%shape, %stride) : "
                           "(!cute.shape<\"(2,?{i64})\">, !cute.stride<\"(1,4)\">) -> "
                           "!cute.layout<\"(2,?{i64}):(1,4)\">\n";
  for (int32_t n : {1, 5})
    expectPlaces(kernel("i32", "(2,?{i64}):(1,4)", true, wide), {{2, 1}, {n, 4}}, n);
}

/// An extent of 64 bits is not cut: the loop of 2^32 + 1 elements has begun with all of them.
TEST(Print, AnExtentOf64BitsIsNotCut) {
  const std::string layout = "4294967297:0";
  std::string text =
      kernel("i32", layout, true, "%layout = cute.static : !cute.layout<\"" + layout + "\">\n");
  Outcome outcome = runBlock(text, counting(), std::vector<uint8_t>(4), {.instructions = 20000});
  EXPECT_FALSE(outcome.ran);
  EXPECT_NE(outcome.errors.find("limit"), std::string::npos) << outcome.errors;
}

/// Bytes 0 to 255 as numbers of every format that prints.
TEST(Print, ElementsAreNumbersOfTheirType) {
  std::vector<uint8_t> bytes(1024);
  for (size_t i = 0; i < bytes.size(); ++i)
    bytes[i] = uint8_t(i * 37 + (i >> 8));
  const std::string layout = "8:3";
  const std::string made = "%layout = cute.static : !cute.layout<\"8:3\">\n";
  auto expected = [&](auto zero, auto read) {
    std::vector<double> numbers;
    for (size_t i = 0; i < 8; ++i) {
      decltype(zero) number;
      std::memcpy(&number, bytes.data() + i * 3 * sizeof number, sizeof number);
      numbers.push_back(read(number));
    }
    return numbers;
  };
  auto same = [](auto x) { return double(x); };
  struct Case {
    const char *type;
    bool isSigned;
    std::vector<double> numbers;
  };
  const Case cases[] = {
      {"i8", true, expected(int8_t(), same)},
      {"i8", false, expected(uint8_t(), same)},
      {"ui8", true, expected(uint8_t(), same)},
      {"si8", false, expected(int8_t(), same)},
      {"i16", false, expected(uint16_t(), same)},
      {"i32", true, expected(int32_t(), same)},
      {"i32", false, expected(uint32_t(), same)},
      {"i64", true, expected(int64_t(), same)},
      {"i64", false, expected(uint64_t(), same)},
      {"bf16", true,
       expected(uint16_t(),
                [](uint16_t x) { return double(std::bit_cast<float>(uint32_t(x) << 16)); })},
      {"f16", true,
       expected(uint16_t(), [](uint16_t x) { return double(std::bit_cast<_Float16>(x)); })},
  };
  for (const Case &row : cases) {
    SCOPED_TRACE(std::string(row.type) + (row.isSigned ? "" : " unsigned"));
    Outcome outcome =
        runBlock(kernel(row.type, layout, row.isSigned, made), bytes, std::vector<uint8_t>(4));
    ASSERT_TRUE(outcome.ran) << outcome.errors;
    std::vector<double> got = numbersOf(outcome.printed);
    ASSERT_EQ(got.size(), row.numbers.size()) << outcome.printed;
    for (size_t i = 0; i < got.size(); ++i) // %f has 6 digits after the point
      EXPECT_NEAR(got[i], row.numbers[i], 1e-6 + std::abs(row.numbers[i]) * 1e-15)
          << outcome.printed;
  }
}

/// A vector is printed in row-major order, up to 31 of its elements.
TEST(Print, VectorsAreTheirElements) {
  const std::string text = R"mlir(gpu.module @m {
cuda.kernel @k(%in: !cute.ptr<i32, gmem>, %out: !cute.ptr<i32, gmem>, %n: i32) attributes {cute.kernel} {
  %f = arith.constant dense<[1.0, 2.0, 3.0, -4.5]> : vector<4xf32>
  %h = arith.truncf %f : vector<4xf32> to vector<4xf16>
  %m = arith.constant dense<[[1, 2], [3, 4], [5, 6]]> : vector<3x2xi8>
  %s = vector.broadcast %n : i32 to vector<32xi32>
  cute.print("{} of {}%\n", %h, %n) : vector<4xf16>, i32
  cute.print("{}\n", %m) : vector<3x2xi8>
  cute.print(%s) : vector<32xi32>
  return
}
})mlir";
  Outcome outcome = runBlock(text, counting(), std::vector<uint8_t>(4), {.n = 7});
  ASSERT_TRUE(outcome.ran) << outcome.errors;
  std::string sevens = "( 7";
  for (int i = 1; i < 31; ++i)
    sevens += ", 7";
  EXPECT_EQ(outcome.printed, "( 1.000000, 2.000000, 3.000000, -4.500000 ) of 7%\n"
                             "( 1, 2, 3, 4, 5, 6 )\n" +
                                 sevens + ", [...] )\n");
}

} // namespace
} // namespace tessera::lower::test
