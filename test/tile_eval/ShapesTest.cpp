// Ops that make, move and rearrange elements; expected elements are counted by hand or by closed
// forms of coordinates.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Kernel.h"

#include <gtest/gtest.h>

#include <numeric>

using namespace tessera;
using namespace tessera::tile_eval;
using namespace tessera::tile_eval::test;

namespace {

Codes counted(size_t count, uint64_t from = 0) {
  Codes out(count);
  std::iota(out.begin(), out.end(), from);
  return out;
}
Codes one(Op op, const std::string &result, const Attributes &attributes,
          const std::vector<std::vector<Tile>> &operands) {
  auto out = One().run(op, {result}, attributes, operands);
  EXPECT_TRUE(out) << out.reason().text;
  return out ? (*out)[0] : Codes();
}

} // namespace

TEST(Shapes, IotaCounts) {
  EXPECT_EQ(one(Op::Iota, "8xi32", {}, {}), counted(8));
  EXPECT_EQ(one(Op::Iota, "256xi8", {}, {}), counted(256)); // unsigned
  EXPECT_EQ(one(Op::Iota, "2xi1", {}, {}), (Codes{0, 1}));
  EXPECT_EQ(One().outcome(Op::Iota, {"512xi8"}, {}, {}), "Unverified: iota: expects 512 numbers to "
                                                         "fit i8");
  EXPECT_EQ(One().outcome(Op::Iota, {"2x2xi8"}, {}, {}),
            "Unverified: iota: expects a tile of rank 1");
}

TEST(Shapes, ConstantsHaveTheirElements) {
  Kernel kernel({"ptr<i16>"});
  kernel.store(kernel.pointers("i16", 0, 4), kernel.constant("4xi16", {7, 0xffff, 0, 9}));
  Launcher run(kernel.finish());
  std::vector<uint16_t> data(4);
  EXPECT_EQ(run.launch({run.array(data)}), "ok");
  EXPECT_EQ(data, (std::vector<uint16_t>{7, 0xffff, 0, 9}));
}

TEST(Shapes, ReshapeKeepsTheOrder) {
  EXPECT_EQ(one(Op::Reshape, "2x4xi32", {}, {{{"8xi32", counted(8)}}}), counted(8));
  EXPECT_EQ(one(Op::Reshape, "i32", {}, {{{"1x1xi32", {5}}}}), Codes{5});
  EXPECT_EQ(One().outcome(Op::Reshape, {"4xi32"}, {}, {{{"8xi32", {0}}}}),
            "Unverified: reshape: expects 8 elements, but got 4");
}

TEST(Shapes, BroadcastRepeatsExtentsOfOne) {
  EXPECT_EQ(one(Op::Broadcast, "2x4xi32", {}, {{{"1x4xi32", {1, 2, 3, 4}}}}),
            (Codes{1, 2, 3, 4, 1, 2, 3, 4}));
  EXPECT_EQ(one(Op::Broadcast, "2x4xi32", {}, {{{"2x1xi32", {1, 2}}}}),
            (Codes{1, 1, 1, 1, 2, 2, 2, 2}));
  EXPECT_EQ(One().outcome(Op::Broadcast, {"4xi32"}, {}, {{{"2xi32", {0}}}}),
            "Unverified: broadcast: expects extent 1 or 4 in dimension 0, but got 2");
  EXPECT_EQ(One().outcome(Op::Broadcast, {"4x4xi32"}, {}, {{{"4xi32", {0}}}}),
            "Unverified: broadcast: expects tiles of the same rank");
}

TEST(Shapes, PermuteMovesDimensions) {
  One op;
  uint64_t p = op.kernel.attribute({.kind = Attribute::I32s, .numbers = {2, 0, 1}});
  auto out = op.run(Op::Permute, {"4x2x8xi32"}, {p}, {{{"2x8x4xi32", counted(64)}}});
  ASSERT_TRUE(out) << out.reason().text;
  // Result dimension i is the source's dimension p[i]: out(a, b, c) = in(b, c, a).
  for (size_t a = 0; a < 4; ++a)
    for (size_t b = 0; b < 2; ++b)
      for (size_t c = 0; c < 8; ++c)
        EXPECT_EQ((*out)[0][(a * 2 + b) * 8 + c], (b * 8 + c) * 4 + a);
  for (const std::vector<int64_t> &wrong : {std::vector<int64_t>{0, 0, 1}, {0, 1, 3}, {0, -1, 1}}) {
    One other;
    uint64_t q = other.kernel.attribute({.kind = Attribute::I32s, .numbers = wrong});
    EXPECT_EQ(other.outcome(Op::Permute, {"2x8x4xi32"}, {q}, {{{"2x8x4xi32", {0}}}}),
              "Unverified: permute: expects a permutation");
  }
  One shorter;
  uint64_t q = shorter.kernel.attribute({.kind = Attribute::I32s, .numbers = {1, 0}});
  EXPECT_EQ(shorter.outcome(Op::Permute, {"2x8x4xi32"}, {q}, {{{"2x8x4xi32", {0}}}}),
            "Unverified: permute: expects a permutation of 3 dimensions");
  EXPECT_EQ(shorter.outcome(Op::Permute, {"2x8xi32"}, {q}, {{{"2x8xi32", {0}}}}),
            "Unverified: permute: expects extent 8 in dimension 0, but got 2");
}

TEST(Shapes, CatJoinsAlongADimension) {
  EXPECT_EQ(one(Op::Cat, "4xi32", {0}, {{{"2xi32", {1, 2}}}, {{"2xi32", {3, 4}}}}),
            (Codes{1, 2, 3, 4}));
  EXPECT_EQ(
      one(Op::Cat, "2x4xi32", {1}, {{{"2x2xi32", {1, 2, 3, 4}}}, {{"2x2xi32", {5, 6, 7, 8}}}}),
      (Codes{1, 2, 5, 6, 3, 4, 7, 8}));
  EXPECT_EQ(One().outcome(Op::Cat, {"4xi32"}, {1}, {{{"2xi32", {0}}}, {{"2xi32", {0}}}}),
            "Unverified: cat: expects tiles of one rank and a dimension below it");
  EXPECT_EQ(One().outcome(Op::Cat, {"8xi32"}, {0}, {{{"2xi32", {0}}}, {{"2xi32", {0}}}}),
            "Unverified: cat: expects an extent of 4 in dimension 0, but got 8");
}

TEST(Shapes, ExtractTakesTheSliceThatIndicesCount) {
  auto slice = [](uint64_t row, uint64_t column) {
    return one(Op::Extract, "2x2xi32", {},
               {{{"4x8xi32", counted(32)}}, {{"i32", {row}}, {"i32", {column}}}});
  };
  EXPECT_EQ(slice(0, 0), (Codes{0, 1, 8, 9}));
  EXPECT_EQ(slice(1, 3), (Codes{22, 23, 30, 31}));
  std::string outside = One().outcome(Op::Extract, {"2x2xi32"}, {},
                                      {{{"4x8xi32", {0}}}, {{"i32", {1}}, {"i32", {4}}}});
  EXPECT_EQ(outside, "SliceIndex: extract of kernel 'k' in tile block (0, 0, 0): expects index 1 "
                     "below 4, the number of slices, but got 4");
  EXPECT_EQ(One().outcome(Op::Extract, {"8xi32"}, {}, {{{"4xi32", {0}}}, {{"i32", {0}}}}),
            "Unverified: extract: expects an extent that divides 4 in dimension 0, but got 8");
  EXPECT_EQ(One().outcome(Op::Extract, {"2xi32"}, {}, {{{"4xi32", {0}}}, {}}),
            "Unverified: extract: expects tiles of one rank and as many indices, but got 0");
}

TEST(Shapes, InsertPutsASliceIntoACopy) {
  auto out = one(Op::Insert, "4x4xi32", {},
                 {{{"2x2xi32", {100, 101, 102, 103}}},
                  {{"4x4xi32", counted(16)}},
                  {{"i32", {1}}, {"i32", {0}}}});
  EXPECT_EQ(out, (Codes{0, 1, 2, 3, 4, 5, 6, 7, 100, 101, 10, 11, 102, 103, 14, 15}));
  std::string outside = One().outcome(Op::Insert, {"4xi32"}, {},
                                      {{{"2xi32", {0}}}, {{"4xi32", {0}}}, {{"i32", {2}}}});
  EXPECT_TRUE(outside.starts_with("SliceIndex: insert")) << outside;
}

// Little-endian: element 0 has the lowest bits of the bytes.
TEST(Shapes, PackAndUnpackSeeTheSameBytes) {
  EXPECT_EQ(one(Op::Pack, "4xi8", {}, {{{"8xf4E2M1FN", {1, 2, 3, 4, 5, 6, 7, 15}}}}),
            (Codes{0x21, 0x43, 0x65, 0xf7}));
  // Bits of a byte, the lowest first.
  EXPECT_EQ(one(Op::Unpack, "16xi1", {}, {{{"2xi8", {0x05, 0x80}}}}),
            (Codes{1, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1}));
  EXPECT_EQ(one(Op::Pack, "1xi8", {}, {{{"8xi1", {0, 1, 1, 0, 0, 0, 0, 1}}}}), Codes{0x86});
  EXPECT_EQ(one(Op::Pack, "8xi8", {}, {{{"2xf32", {0x12345678, 0x9abcdef0}}}}),
            (Codes{0x78, 0x56, 0x34, 0x12, 0xf0, 0xde, 0xbc, 0x9a}));
  EXPECT_EQ(one(Op::Unpack, "8xi4", {}, {{{"4xi8", {0x21, 0x43, 0x65, 0xf7}}}}),
            (Codes{1, 2, 3, 4, 5, 6, 7, 15}));
  EXPECT_EQ(one(Op::Unpack, "1xi64", {}, {{{"8xi8", {1, 2, 3, 4, 5, 6, 7, 0x88}}}}),
            Codes{0x8807060504030201});
  EXPECT_EQ(One().outcome(Op::Pack, {"2xi8"}, {}, {{{"2xf32", {0}}}}),
            "Unverified: pack: expects tiles of the same size in bytes");
  EXPECT_EQ(One().outcome(Op::Pack, {"2x2xi8"}, {}, {{{"1xf32", {0}}}}),
            "Unverified: pack: expects tiles of rank 1");
}

TEST(Shapes, BitcastsKeepTheBits) {
  EXPECT_EQ(one(Op::Bitcast, "2xf32", {}, {{{"2xi32", {1, 0xffffffff}}}}), (Codes{1, 0xffffffff}));
  EXPECT_EQ(one(Op::IntToPtr, "2xptr<f32>", {}, {{{"2xi64", {16, 32}}}}), (Codes{16, 32}));
  EXPECT_EQ(one(Op::PtrToInt, "2xi64", {}, {{{"2xptr<f32>", {16, 32}}}}), (Codes{16, 32}));
  EXPECT_EQ(one(Op::PtrToPtr, "2xptr<i8>", {}, {{{"2xptr<f32>", {16, 32}}}}), (Codes{16, 32}));
  EXPECT_EQ(One().outcome(Op::Bitcast, {"2xf32"}, {}, {{{"2xi64", {0}}}}),
            "Unverified: bitcast: expects two types of the same width");
}
