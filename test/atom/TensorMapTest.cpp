// Tensor maps: each limit by a map that breaks it alone, what targets lack, the maps of CuTe.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/atom/TensorMap.h"

#include "Table.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

using namespace tessera;
using namespace tessera::atom;
using namespace tessera::atom::test;

namespace {
using Kind = TensorMapKind;
using Type = TensorMapType;
using Interleave = TensorMapInterleave;
using Swizzle = TensorMapSwizzle;

Target target(std::string_view name) { return *Target::parse(name); }

/// A tile of 64 x 8 in a matrix of 256 x 128, in three modes so that it can be interleaved.
TensorMap tiled(Type type = Type::F16) {
  TensorMap map;
  map.type = type;
  map.rank = 3;
  map.address = 0x7f0000000000;
  map.dims = {256, 128, 2};
  uint64_t row = 256 * atom::row(type).bits / 8;
  map.strides = {row, row * 128};
  map.box = {64, 8, 1};
  if (atom::row(type).padded)
    map.box[0] = 128;
  return map;
}
TensorMap im2col(Kind kind = Kind::Im2col) {
  TensorMap map = tiled();
  map.kind = kind;
  map.box = {};
  map.channels = 32;
  map.pixels = 64;
  map.swizzle = Swizzle::B64;
  return map;
}

struct Case {
  std::string_view id, text;
  TensorMap map;
  std::string_view target = "sm_90a";
};
TensorMap with(TensorMap map, const std::function<void(TensorMap &)> &change) {
  change(map);
  return map;
}
using M = TensorMap;
} // namespace

TEST(TensorMap, PlainMapsKeepAllLimits) {
  for (const TensorMap &map : {tiled(), im2col()}) {
    EXPECT_FALSE(check(map, target("sm_90")));
    EXPECT_TRUE(encode(map));
  }
  for (Type type : {Type::B4x16, Type::B4x16Padded, Type::B6x16Padded}) {
    EXPECT_FALSE(check(tiled(type), target("sm_100a"))) << row(type).name;
    // For the simulator alone.
    Result<TensorMapImage> image = encode(tiled(type));
    ASSERT_TRUE(image) << image.reason().text;
    Result<TensorMap> again = decode(*image);
    ASSERT_TRUE(again) << again.reason().text;
    EXPECT_EQ(again->type, type);
  }
  EXPECT_FALSE(check(im2col(Kind::Im2colWide), target("sm_100a")));
}

TEST(TensorMap, EachLimitHasItsSentence) {
  const Case cases[] = {
      {"TensorMapRank",
       "a tiled tensor map expects 1 to 5 modes, but got 6; group modes, or add modes of extent 1",
       with(tiled(), [](M &m) { m.rank = 6; })},
      {"TensorMapRank",
       "an interleaved tensor map expects 3 to 5 modes, but got 2; group modes, or add modes of "
       "extent 1",
       with(tiled(), [](M &m) { m.rank = 2, m.interleave = Interleave::B16; })},
      {"TensorMapRank",
       "an im2col tensor map expects 3 to 5 modes, but got 2; group modes, or add modes of extent "
       "1",
       with(im2col(), [](M &m) { m.rank = 2; })},
      {"TargetLacks", "a tensor map needs sm_90 or later, but the target is sm_89", tiled(),
       "sm_89"},
      {"TargetLacks",
       "a tensor map of 16U4_ALIGN8B needs sm_100 or later, but the target is sm_90a",
       tiled(Type::B4x16)},
      {"TargetLacks",
       "a tensor map with swizzle 128B_ATOM_32B needs sm_100 or later, but the target is sm_90a",
       with(tiled(), [](M &m) { m.swizzle = Swizzle::B128Atom32; })},
      {"TargetLacks", "an im2col::w tensor map needs sm_100 or later, but the target is sm_90a",
       im2col(Kind::Im2colWide)},
      {"TensorMapAddress",
       "a tensor map expects its address to be a multiple of 16 bytes, but got 24; align the "
       "allocation, or begin at an "
       "earlier element",
       with(tiled(), [](M &m) { m.address = 24; })},
      {"TensorMapAddress",
       "a tensor map expects its address to be a multiple of 32 bytes (interleave 32B), but got "
       "48; align the allocation, or "
       "begin at an earlier element",
       with(
           tiled(),
           [](M &m) { m.address = 48, m.interleave = Interleave::B32, m.swizzle = Swizzle::B32; })},
      {"TensorMapAddressLimit",
       "a tensor map expects its address to be below 2^57, but got 144115188075855872; pass the "
       "address of global memory",
       with(tiled(), [](M &m) { m.address = uint64_t(1) << 57; })},
      {"TensorMapExtent",
       "a tensor map expects extents of 1 to 2^32 elements, but mode 1 has 0; split the tensor, or "
       "leave the copy out",
       with(tiled(), [](M &m) { m.dims[1] = 0; })},
      {"TensorMapExtentOfType",
       "a tensor map of 16U6_ALIGN16B expects the extent of mode 0 to be a multiple of 128, but "
       "got 192; pad the tensor",
       with(tiled(Type::B6x16Padded), [](M &m) { m.dims[0] = 192; }), "sm_100a"},
      {"TensorMapStride",
       "a tensor map expects strides that are multiples of 16 bytes, but that of mode 1 is 520 "
       "bytes; pad the modes before it",
       with(tiled(), [](M &m) { m.strides[0] = 520; })},
      {"TensorMapStride",
       "a tensor map expects strides that are multiples of 32 bytes (type 16U4_ALIGN16B), but that "
       "of mode 2 is 48 bytes; pad "
       "the modes before it",
       with(tiled(Type::B4x16Padded), [](M &m) { m.strides[1] = 48; }), "sm_100a"},
      {"TensorMapStrideLimit",
       "a tensor map expects strides below 2^40 bytes, but that of mode 2 is 1099511627776 bytes; "
       "use one map for each part of "
       "the tensor",
       with(tiled(), [](M &m) { m.strides[1] = uint64_t(1) << 40; })},
      {"TensorMapStep",
       "a tensor map expects element strides of 1 to 8, but mode 2 has 9; put larger ones into the "
       "tensor's strides",
       with(tiled(), [](M &m) { m.steps[2] = 9; })},
      {"TensorMapBox",
       "a tensor map expects boxes of 1 to 256 elements in each mode, but mode 1 has 257; copy it "
       "in several boxes",
       with(tiled(), [](M &m) { m.box[1] = 257; })},
      {"TensorMapChannels",
       "an im2col tensor map expects 1 to 256 channels per copy, but got 264; copy them in parts",
       with(im2col(), [](M &m) { m.channels = 264; })},
      {"TensorMapPixels",
       "an im2col tensor map expects 1 to 1024 pixels per copy, but got 0; copy them in parts",
       with(im2col(), [](M &m) { m.pixels = 0; })},
      {"TensorMapInnerOfType",
       "a tensor map of 16U6_ALIGN16B expects box[0] to be 128 elements, but got 64; choose a tile "
       "with 128 in mode 0",
       with(tiled(Type::B6x16Padded), [](M &m) { m.box[0] = 64; }), "sm_100a"},
      {"TensorMapInnerBytes",
       "a tensor map expects channels to take a multiple of 16 bytes, but got 20 elements of "
       "FLOAT16; choose another tile in "
       "mode 0",
       with(im2col(), [](M &m) { m.channels = 20; })},
      {"TensorMapInnerSpan",
       "a tensor map with swizzle 64B expects box[0] to take at most 64 bytes, but got 128; choose "
       "a narrower tile in mode 0, "
       "or a wider swizzle",
       with(tiled(), [](M &m) { m.swizzle = Swizzle::B64; })},
      {"TensorMapBytes",
       "a tensor map expects a copy to fit the 233472 bytes of shared memory of sm_90a, but its "
       "box takes 262144; choose a "
       "smaller tile",
       with(tiled(), [](M &m) { m.box[1] = 256, m.box[2] = 8; })},
      {"TensorMapInterleaveSwizzle",
       "a tensor map with interleave 32B expects swizzle 32B, but got 128B; change either",
       with(tiled(), [](M &m) { m.interleave = Interleave::B32, m.swizzle = Swizzle::B128; })},
      {"TensorMapInterleaveType",
       "a tensor map of 16U6_ALIGN16B expects no interleave, but got one; leave it out",
       with(tiled(Type::B6x16Padded), [](M &m) { m.interleave = Interleave::B16; }), "sm_100a"},
      {"TensorMapSwizzleType",
       "a tensor map of 16U4_ALIGN16B expects swizzle NONE, 128B or 128B_ATOM_32B, but got "
       "128B_ATOM_64B; choose one of these",
       with(tiled(Type::B4x16Padded), [](M &m) { m.swizzle = Swizzle::B128Atom64; }), "sm_100a"},
      {"TensorMapSwizzleWide",
       "an im2col::w tensor map expects swizzle 64B, 128B or 128B_ATOM_32B, but got NONE; choose "
       "one of these",
       with(im2col(Kind::Im2colWide), [](M &m) { m.swizzle = Swizzle::None; }), "sm_100a"},
      {"TensorMapFillType",
       "a tensor map that fills with NaN expects elements of a float type, but got UINT16; fill "
       "with zeros",
       with(tiled(Type::U16), [](M &m) { m.fill = TensorMapFill::NaN; })},
      {"TensorMapCorner",
       "an im2col tensor map of rank 5 expects corners of -16 to 15, but upper[2] is 16; use fewer "
       "modes or a smaller filter",
       with(im2col(), [](M &m) { m.rank = 5, m.dims[3] = m.dims[4] = 64, m.upper[2] = 16; })},
      {"TensorMapBoxEmpty",
       "an im2col tensor map expects corners that leave pixels, but mode 1 of extent 128 has -2 "
       "left; move them apart, and keep "
       "extents below 2^31",
       with(im2col(), [](M &m) { m.lower[0] = 130; })},
  };
  for (const Case &broken : cases) {
    std::optional<Reason> reason = check(broken.map, target(broken.target));
    ASSERT_TRUE(reason) << broken.text;
    EXPECT_EQ(reason->id, broken.id);
    EXPECT_EQ(reason->text, broken.text);
    if (broken.target == "sm_90a" && check(broken.map, target("sm_100")))
      EXPECT_FALSE(encode(broken.map)) << broken.text;
  }
}

TEST(TensorMap, TheDriverCountsBytesInWholeSteps) {
  TensorMap map = tiled();
  EXPECT_EQ(countedBytes(map), 64 * 8 * 2);
  map.steps = {1, 3, 1};
  EXPECT_EQ(countedBytes(map), 64 * 2 * 2); // a copy moves 3 rows
  EXPECT_EQ(countedBytes(im2col()), 32 * 64 * 2);
}

TEST(TensorMap, CornersShareTheirBits) {
  for (auto [rank, bits] : {std::pair(3u, 16), {4u, 8}, {5u, 5}}) {
    TensorMap map = im2col();
    map.rank = rank;
    map.dims = {256, 128, 128, 128, 128};
    for (uint32_t i = 0; i < rank - 2; ++i)
      map.lower[i] = -1 - int32_t(i);
    uint64_t word = encode(map)->words[7];
    for (uint32_t i = 0; i < rank - 2; ++i)
      EXPECT_EQ(word >> i * bits & ((1 << bits) - 1), uint64_t((1 << bits) - 1 - i)) << rank;
  }
}

// What CuTe passes to the driver for its copies ($TESSERA_ORACLE: tma.tsv).
TEST(TensorMap, WhatCuteAsksForKeepsTheLimits) {
  std::vector<Record> rows = readTable("tma.tsv");
  if (rows.empty())
    GTEST_SKIP() << "set TESSERA_ORACLE to the folder that holds tma.tsv";
  auto named = [](const auto &table, const std::string &name) {
    auto row = std::ranges::find(table, name, [](const auto &row) { return row.name; });
    EXPECT_TRUE(row != table.end()) << name;
    return *row;
  };
  auto take = [](const std::string &tuple, auto &out) { // "(512,1024)"
    size_t count = 0;
    for (const std::string &part : split(tuple.substr(1, tuple.size() - 2), ","))
      if (!part.empty())
        out.at(count++) = std::stoull(part);
    return count;
  };
  for (const Record &row : rows) {
    TensorMap map;
    map.type = named(tensorMapTypes(), row.at("tensormap_dtype")).type;
    map.swizzle = named(tensorMapSwizzles(), row.at("swizzle")).swizzle;
    map.rank = uint32_t(take(row.at("globalDim"), map.dims));
    EXPECT_EQ(std::to_string(map.rank), row.at("rank"));
    EXPECT_EQ(take(row.at("globalStrides_bytes"), map.strides), map.rank - 1);
    EXPECT_EQ(take(row.at("boxDim"), map.box), map.rank);
    map.address = 0x7f0000000000;
    bool onHopper = atom::row(map.swizzle).needs.metBy(target("sm_90a"));
    std::optional<Reason> broken = check(map, target(onHopper ? "sm_90a" : "sm_100a"));
    EXPECT_FALSE(broken) << row.at("id") << ": " << broken->text;
  }
}

TEST(TensorMap, BytesThatAreNoMapAreRefused) {
  TensorMapImage image = *encode(tiled());
  image.words[1] = (image.words[1] & ~(15ull << 7)) | 11ull << 7; // a type that there is not
  EXPECT_EQ(decode(image).reason().id, "TensorMapImage");
  image.words[1] |= 7 << 4; // rank 8
  EXPECT_EQ(decode(image).reason().id, "TensorMapImage");
  EXPECT_EQ(decode({}).reason().id, "TensorMapInnerBytes"); // a box of one byte
}

// PTX ISA 9.7.9.27: what a map becomes when its fields are replaced is what the driver makes of the
// new values.
TEST(TensorMap, FieldsAreReplaced) {
  TensorMap wanted = tiled();
  TensorMapImage image = *encode(wanted);
  struct {
    const char *name;
    uint32_t ord;
    uint64_t value;
    std::function<void(TensorMap &)> change;
  } const changes[] = {
      {"global_address", 0, 0x123450, [](M &m) { m.address = 0x123450; }},
      {"rank", 0, 1, [](M &m) { m.rank = 2, m.dims[2] = 0, m.strides[1] = 0, m.box[2] = 0; }},
      {"box_dim", 1, 16, [](M &m) { m.box[1] = 16; }},
      {"global_dim", 0, 64, [](M &m) { m.dims[0] = 64; }},
      {"global_stride", 0, (uint64_t(1) << 36) + 128,
       [](M &m) { m.strides[0] = (uint64_t(1) << 36) + 128; }},
      {"element_stride", 1, 2, [](M &m) { m.steps[1] = 2; }},
      {"elemtype", 0, 10, [](M &m) { m.type = Type::BF16; }},
      {"swizzle_mode", 0, 3, [](M &m) { m.swizzle = Swizzle::B128; }},
      {"fill_mode", 0, 1, [](M &m) { m.fill = TensorMapFill::NaN; }},
      {"elemtype", 0, 11, [](M &m) { m.type = Type::TF32; }},
      {"box_dim", 0, 32, [](M &m) { m.box[0] = 32; }},
      {"elemtype", 0, 9, [](M &m) { m.type = Type::F64; }},
      {"elemtype", 0, 12, [](M &m) { m.type = Type::TF32Ftz; }},
  };
  for (const auto &change : changes) {
    change.change(wanted);
    EXPECT_FALSE(replace(image, *findTensorMapField(change.name), change.ord, change.value));
    if (change.value == 11 || change.value == 9)
      continue; // not yet, or not in this box
    Result<TensorMap> got = decode(image);
    ASSERT_TRUE(got) << change.name << ": " << got.reason().text;
    EXPECT_EQ(*got, wanted) << change.name;
  }
  EXPECT_FALSE(findTensorMapField("box"));
  EXPECT_EQ(replace(image, TensorMapField::BoxDim, 5, 1)->id, "TensorMapReplace");
  EXPECT_EQ(replace(image, TensorMapField::SwizzleMode, 0, 4)->id, "TensorMapReplace");
}
