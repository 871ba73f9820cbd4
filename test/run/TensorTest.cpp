// Tensors: layouts, element access, fills.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/run/Tensor.h"

#include "test/run/Check.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

using namespace tessera;
using namespace tessera::run;

namespace {

using Numbers = std::vector<int64_t>;

Tensor make(Dtype type, Numbers shape, std::optional<Numbers> strides = std::nullopt) {
  return must(Tensor::make(type, std::move(shape), std::move(strides)));
}

/// A random shape of small extents, and strides that map its coordinates to different places: a
/// compact layout in a random order of the modes, with random gaps.
std::pair<Numbers, Numbers> randomLayout(std::mt19937_64 &random) {
  size_t rank = random() % 5;
  Numbers shape, strides(rank);
  for (size_t i = 0; i < rank; ++i)
    shape.push_back(int64_t(random() % 5) + 1);
  std::vector<size_t> order(rank);
  std::iota(order.begin(), order.end(), 0);
  std::shuffle(order.begin(), order.end(), random);
  int64_t step = 1;
  for (size_t mode : order) {
    strides[mode] = step;
    step = step * shape[mode] + int64_t(random() % 3);
  }
  return {shape, strides};
}

std::vector<Coord> allCoordinates(const Numbers &shape) {
  std::vector<Coord> out = {{}};
  for (int64_t extent : shape) {
    std::vector<Coord> longer;
    for (const Coord &coord : out)
      for (int64_t i = 0; i < extent; ++i) {
        longer.push_back(coord);
        longer.back().push_back(i);
      }
    out = longer;
  }
  return out;
}

} // namespace

TEST(Tensor, CompactStrides) {
  EXPECT_EQ(rowMajor(Numbers{2, 3, 4}), (Numbers{12, 4, 1}));
  EXPECT_EQ(columnMajor(Numbers{2, 3, 4}), (Numbers{1, 2, 6}));
  EXPECT_EQ(rowMajor(Numbers{}), Numbers{});
  EXPECT_EQ(rowMajor(Numbers{2, 0, 4}), (Numbers{4, 4, 1}));
}

TEST(Tensor, SizesAndBytes) {
  Tensor rows = make(Dtype::f16, {4, 8});
  EXPECT_EQ(rows.size(), 32);
  EXPECT_EQ(rows.cosize(), 32);
  EXPECT_EQ(rows.bytes().size(), 64u);
  EXPECT_EQ(rows.str(), "f16 (4, 8):(8, 1)");
  Tensor padded = make(Dtype::f32, {4, 8}, Numbers{16, 1});
  EXPECT_EQ(padded.cosize(), 3 * 16 + 8);
  EXPECT_EQ(padded.bytes().size(), 56u * 4);
  EXPECT_EQ(make(Dtype::s4, {3, 3}).bytes().size(), 5u); // 9 halves of a byte
  EXPECT_EQ(make(Dtype::f64, {}).bytes().size(), 8u);    // one element
  EXPECT_EQ(make(Dtype::f64, {3, 0}).bytes().size(), 0u);
  EXPECT_EQ(make(Dtype::f32, {1000, 8}, Numbers{0, 1}).cosize(), 8); // broadcast
}

TEST(Tensor, BadShapesAreRefused) {
  auto refused = [](Numbers shape, std::optional<Numbers> strides = std::nullopt) {
    return refusal(Tensor::make(Dtype::f32, std::move(shape), std::move(strides)));
  };
  const int64_t big = int64_t(1) << 62;
  EXPECT_EQ(refused({2, -1}), "expects extents of 0 or more, but got the shape (2, -1)");
  EXPECT_EQ(refused({big, 4}),
            "the shape (4611686018427387904, 4) has more than 2^63 - 1 elements or bytes");
  EXPECT_EQ(refused({0, big, 4}),
            "the shape (0, 4611686018427387904, 4) has more than 2^63 - 1 elements or bytes");
  EXPECT_EQ(refused({big}),
            "4611686018427387904 elements of type f32 take more than 2^63 - 1 bits");
  EXPECT_EQ(refused({2, 3}, Numbers{1}),
            "expects one stride for each mode, but got the shape (2, 3) and the strides (1)");
  EXPECT_EQ(refused({2, 3}, Numbers{3, -1}),
            "expects strides of 0 or more elements, but got (3, -1)");
  EXPECT_EQ(refused({3, 3}, Numbers{big, 1}), "the last element of the shape (3, 3) with strides "
                                              "(4611686018427387904, 1) lies beyond 2^63 - 1 "
                                              "elements");
  EXPECT_EQ(refused({2}, Numbers{std::numeric_limits<int64_t>::max()}),
            "the last element of the shape (2) with strides (9223372036854775807) lies beyond 2^63 "
            "- 1 elements");
  EXPECT_EQ(refused({int64_t(1) << 56}), "cannot allocate 288230376151711744 bytes of host memory");
}

TEST(Tensor, ElementsLieWhereTheStridesSay) {
  std::mt19937_64 random = generator();
  for (int round = 0; round < 300; ++round) {
    auto [shape, strides] = randomLayout(random);
    Dtype type = allTypes()[random() % allTypes().size()];
    Tensor tensor = make(type, shape, strides);
    // Every element gets another code as far as the type has codes; all must be there at the end.
    std::vector<uint64_t> codes;
    for (const Coord &coord : allCoordinates(shape)) {
      codes.push_back(random() & (~uint64_t(0) >> (64 - storageBits(type))));
      tensor.setCode(coord, codes.back());
    }
    Tensor copy = must(tensor.clone());
    size_t next = 0;
    for (const Coord &coord : allCoordinates(shape)) {
      int64_t offset = 0;
      for (size_t mode = 0; mode < coord.size(); ++mode)
        offset += coord[mode] * strides[mode];
      EXPECT_EQ(tensor.offset(coord), offset);
      EXPECT_EQ(copy.codeAt(coord), codes[next++]);
    }
  }
}

TEST(Tensor, WalkVisitsInFlatOrder) {
  std::mt19937_64 random = generator();
  for (int round = 0; round < 300; ++round) {
    auto [shape, strides] = randomLayout(random);
    Numbers other = columnMajor(shape);
    std::vector<Coord> coordinates = allCoordinates(shape);
    size_t flat = 0;
    walk(shape, strides, other, [&](int64_t a, int64_t b) {
      const Coord &coord = coordinates.at(flat);
      EXPECT_EQ(coordinate(shape, int64_t(flat)), coord);
      EXPECT_EQ(a, std::inner_product(coord.begin(), coord.end(), strides.begin(), int64_t(0)));
      EXPECT_EQ(b, std::inner_product(coord.begin(), coord.end(), other.begin(), int64_t(0)));
      ++flat;
    });
    EXPECT_EQ(flat, coordinates.size());
  }
  walk(Numbers{3, 0}, Numbers{1, 1}, Numbers{1, 1}, [](int64_t, int64_t) { FAIL(); });
}

TEST(Tensor, ReadsAndWritesDoubles) {
  Tensor tensor = make(Dtype::bf16, {2, 2}, Numbers{1, 2});
  tensor.set({1, 0}, 1.00390625); // half of the last place: to even
  tensor.set({0, 1}, -2);
  EXPECT_EQ(tensor.at({1, 0}), 1);
  EXPECT_EQ(tensor.at({0, 1}), -2);
  EXPECT_EQ(tensor.codeAt({0, 1}), 0xC000u);
  EXPECT_EQ(tensor.bytes()[5], std::byte(0xC0)); // offset 2 elements, high byte
}

//===------------------------------------------------------------------------------------------===//
// Filling
//===------------------------------------------------------------------------------------------===//

// The first outputs for the seed 1234567, as published with other implementations of SplitMix64
// (for example Rosetta Code, "Pseudo-random numbers/Splitmix64").
TEST(Random, IsSplitMix64) {
  const uint64_t outputs[] = {6457827717110365317u, 3203168211198807973u, 9817491932198370423u,
                              4593380528125082431u, 16408922859458223821u};
  for (uint64_t i = 0; i < 5; ++i)
    EXPECT_EQ(splitMix64(1234567, i), outputs[i]);
}

// These values may never change: references computed elsewhere rely on them. They come from Python
// (its integers, numpy's f16 and f32, exact fractions for the narrow types), not from this code.
TEST(Random, ValuesOfSeedOne) {
  const std::tuple<Dtype, uint64_t, uint64_t, uint64_t> rows[] = {
      // clang-format off
      {Dtype::f64, 0x3FC10A2DEC890258, 0x3FDF75C6D0B2C774, 0x3F9AFC75876BCC00},
      {Dtype::f32, 0x3E08516F, 0x3EFBAE37, 0x3CD7E3AC},
      {Dtype::tf32, 0x3E086000, 0x3EFBA000, 0x3CD7E000},
      {Dtype::f16, 0x3043, 0x37DD, 0x26BF},
      {Dtype::bf16, 0x3E08, 0x3EFC, 0x3CD8},
      {Dtype::e4m3, 0x21, 0x30, 0xD},
      {Dtype::e5m2, 0x30, 0x38, 0x27},
      {Dtype::ue8m0, 0x7F, 0x80, 0x7F},
      {Dtype::e2m1, 0x0, 0x1, 0x0},
      {Dtype::e2m3, 0x1, 0x4, 0x0},
      {Dtype::e3m2, 0x2, 0x8, 0x0},
      {Dtype::u1, 0x1, 0x1, 0x1},
      {Dtype::s2, 0x2, 0x2, 0x2},
      {Dtype::u2, 0x2, 0x2, 0x2},
      {Dtype::u4, 0x9, 0xB, 0x8},
      {Dtype::b1, 0x1, 0x1, 0x1},
      {Dtype::s4, 0x1, 0x3, 0x0},
      {Dtype::s8, 0x1, 0x3, 0x0},
      {Dtype::s16, 0x1, 0x3, 0x0},
      {Dtype::s32, 0x1, 0x3, 0x0},
      {Dtype::s64, 0x1, 0x3, 0x0},
      {Dtype::u8, 0x9, 0xB, 0x8},
      {Dtype::u16, 0x9, 0xB, 0x8},
      {Dtype::u32, 0x9, 0xB, 0x8},
      {Dtype::u64, 0x9, 0xB, 0x8},
      // clang-format on
  };
  for (auto [type, first, second, last] : rows) {
    EXPECT_EQ(randomCode(type, 1, 0), first) << name(type);
    EXPECT_EQ(randomCode(type, 1, 1), second) << name(type);
    EXPECT_EQ(randomCode(type, 1, 4095), last) << name(type);
  }
}

TEST(Random, IsIndependentOfStrides) {
  std::mt19937_64 random = generator();
  for (int round = 0; round < 200; ++round) {
    auto [shape, strides] = randomLayout(random);
    Dtype type = allTypes()[random() % allTypes().size()];
    Tensor a = make(type, shape), b = make(type, shape, strides);
    fillRandom(a, 42);
    fillRandom(b, 42);
    uint64_t flat = 0;
    for (const Coord &coord : allCoordinates(shape)) {
      EXPECT_EQ(a.codeAt(coord), randomCode(type, 42, flat++));
      EXPECT_EQ(a.codeAt(coord), b.codeAt(coord));
    }
  }
}

TEST(Random, ValuesAreUniformInTheirRange) {
  for (Dtype type : allTypes()) {
    double least = 1e300, most = -1e300, sum = 0;
    const int count = 1 << 16;
    for (uint64_t flat = 0; flat < count; ++flat) {
      double value = toDouble(type, randomCode(type, 7, flat));
      least = std::min(least, value);
      most = std::max(most, value);
      sum += value;
    }
    bool scale = type == Dtype::ue8m0, wide = isInteger(type);
    double low = scale ? 0.0625 : wide ? (integerRange(type).min < 0 ? -8 : 0) : -1;
    double high = scale ? 8 : wide ? low + 15 : 1;
    double mean = scale ? (16 - 0.0625) / 8 : (low + high) / 2;
    if (isInteger(type) && valueBits(type) < 4) { // all numbers of the type
      low = double(integerRange(type).min), high = double(integerRange(type).max);
      mean = (low + high) / 2;
    }
    EXPECT_NEAR(least, low, 1e-3) << name(type);
    EXPECT_NEAR(most, high, 1e-3) << name(type);
    EXPECT_NEAR(sum / count, mean, (high - low) * 0.01) << name(type);
  }
}

TEST(Fill, PoisonReachesTheGaps) {
  Tensor tensor = make(Dtype::f16, {2, 2}, Numbers{4, 1});
  fillPoison(tensor);
  EXPECT_TRUE(std::ranges::all_of(tensor.bytes(), [](std::byte b) { return b == std::byte(255); }));
  EXPECT_TRUE(std::isnan(tensor.at({1, 1})));
  for (Dtype type : {Dtype::f64, Dtype::f32, Dtype::tf32, Dtype::f16, Dtype::bf16, Dtype::e4m3,
                     Dtype::e5m2, Dtype::ue8m0})
    EXPECT_TRUE(std::isnan(toDouble(type, ~uint64_t(0) >> (64 - storageBits(type))))) << name(type);
  EXPECT_EQ(toDouble(Dtype::e2m1, 0xF), -6);
}
