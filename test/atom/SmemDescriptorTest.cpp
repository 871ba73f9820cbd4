// Matrix descriptors: against CuTe C++ ($TESSERA_ORACLE, descriptors.tsv), and every refusal.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/atom/SmemDescriptor.h"

#include "tessera/layout/Text.h"

#include "Evaluate.h"
#include "Table.h"

#include <gtest/gtest.h>

using namespace tessera;
using namespace tessera::atom;
using namespace tessera::atom::test;

namespace {
layout::Layout parse(const std::string &text) { return *layout::parseLayout(text); }

/// The mode of one instruction: the whole tile, or mode 0 of a partition.
layout::Layout instructionTile(const Record &row) {
  layout::Layout tile = parse(row.at("tile_layout"));
  return row.at("kind") == "smem_desc_mma" ? tile[0] : tile;
}

int64_t bitsOf(const std::string &type) {
  static const std::map<std::string, Element> names = {{"f16", Element::f16},
                                                       {"bf16", Element::bf16},
                                                       {"tf32", Element::tf32},
                                                       {"e4m3", Element::e4m3},
                                                       {"s8", Element::s8}};
  // Shared memory of e2m1 is that of 8-bit containers unless all operands are 4-bit.
  return type == "e2m1" ? 4 : type == "tf32" ? 32 : bits(names.at(type));
}

/// A descriptor that is read puts each element where the layout and the swizzle do.
void expectLies(const SmemMatrix &matrix, const layout::Layout &tile,
                const layout::Swizzle &swizzle, int64_t bits, Major major,
                const std::string &what) {
  std::vector<int64_t> indices = values(tile);
  for (int64_t i = 0, k = valuesOf(tile); i < int64_t(indices.size()); ++i) {
    int64_t byte = swizzle(indices[size_t(i)] * bits / 8), row = i / k, along = i % k;
    if (major == Major::MN)
      std::swap(row, along);
    ASSERT_EQ(matrix.address(row, along * bits / 128) + along * bits / 8 % 16, byte)
        << what << " at " << i;
  }
}

TEST(SmemDescriptor, EqualsCuteCpp) {
  std::vector<Record> rows = readTable("descriptors.tsv");
  if (rows.empty())
    GTEST_SKIP() << "set TESSERA_ORACLE to the folder that holds descriptors.tsv";
  int compared = 0;
  for (const Record &row : rows) {
    std::string text = row.at("smem_layout");
    layout::Swizzle swizzle;
    ASSERT_EQ(
        std::sscanf(text.c_str(), "S<%d,%d,%d>", &swizzle.bits, &swizzle.base, &swizzle.shift), 3)
        << text;
    auto kind = row.at("arch") == "sm90" ? DescriptorKind::Wgmma : DescriptorKind::Tcgen05;
    auto major = row.at("major") == "K" ? Major::K : Major::MN;
    Result<uint64_t> word =
        smemDescriptor(kind, instructionTile(row), swizzle, bitsOf(row.at("dtype")), major);
    ASSERT_TRUE(word) << row.at("id") << ": " << word.reason().text;
    EXPECT_EQ(*word, std::stoull(row.at("hex64"), nullptr, 16)) << row.at("id") << ": " << text;
    expectLies(*smemMatrix(kind, *word, major), instructionTile(row), swizzle,
               bitsOf(row.at("dtype")), major, text);
    ++compared;
  }
  std::printf("  descriptors.tsv: %d rows compared\n", compared);
  EXPECT_EQ(compared, int(rows.size()));
}

TEST(SmemDescriptor, WordsThatAreNoneAreRefused) {
  EXPECT_TRUE(smemMatrix(DescriptorKind::Wgmma, uint64_t(3) << 62, Major::K));
  EXPECT_EQ(smemMatrix(DescriptorKind::Wgmma, uint64_t(1) << 49, Major::K).reason().id,
            "DescriptorWord");
  EXPECT_EQ(smemMatrix(DescriptorKind::Tcgen05, uint64_t(7) << 61, Major::K).reason().id,
            "DescriptorWord");
  // Of tcgen05 all that PTX ISA 9.7.16.4.1, table 40, reserves or fixes; of wgmma no bit is fixed.
  constexpr uint64_t right = uint64_t(1) << 46;
  EXPECT_TRUE(smemMatrix(DescriptorKind::Tcgen05, right, Major::K));
  for (int bit : {14, 15, 30, 31, 46, 47, 48, 52, 53, 54, 55, 56, 57, 58, 59, 60}) {
    uint64_t wrong = right ^ uint64_t(1) << bit;
    Result<SmemMatrix> matrix = smemMatrix(DescriptorKind::Tcgen05, wrong, Major::K);
    ASSERT_FALSE(matrix) << bit;
    EXPECT_EQ(matrix.reason().id, "DescriptorFixed");
    EXPECT_NE(matrix.reason().text.find("bit " + std::to_string(bit) + " is " +
                                        std::to_string(wrong >> bit & 1)),
              std::string::npos)
        << matrix.reason().text;
    EXPECT_TRUE(smemMatrix(DescriptorKind::Wgmma, uint64_t(1) << bit, Major::K)) << bit;
  }
}

/// By hand, from the figures of PTX ISA 9.7.15.5.1: 64x16 f16, K-major, 128-byte swizzle: eight
/// rows of 128 bytes are one atom of 1024 bytes, so that the next eight rows lie 64 units further;
/// the leading offset is not used (1).
TEST(SmemDescriptor, KMajorWithWideSwizzle) {
  Result<uint64_t> word =
      smemDescriptor(DescriptorKind::Wgmma, parse("(64,16):(64,1)"), {3, 4, 3}, 16, Major::K);
  ASSERT_TRUE(word) << word.reason().text;
  EXPECT_EQ(*word, uint64_t(1) << 62 | uint64_t(64) << 32 | uint64_t(1) << 16);
}

/// 96 numbers of 4 bits of K in rows of 64 bytes: CuTe C++ divides ((8,16),(3,1)):((4,32),(1,0)),
/// which is what they are in units, to ((8,16),(2,2)):((4,32),(1,2)), as it does without the 1.
TEST(SmemDescriptor, ModesThatEndInOne) {
  for (const char *tile : {"((8,16),96):((128,1024),1)", "((8,16),(96,1)):((128,1024),(1,0))",
                           "((8,16),(1,96,1)):((128,1024),(0,1,0))"}) {
    Result<uint64_t> word =
        smemDescriptor(DescriptorKind::Tcgen05, parse(tile), {2, 4, 3}, 4, Major::K);
    ASSERT_TRUE(word) << tile << ": " << word.reason().text;
    EXPECT_EQ(*word, uint64_t(4) << 61 | uint64_t(1) << 46 | uint64_t(32) << 32 | uint64_t(1) << 16)
        << tile;
  }
}

/// tcgen05.cp reads 16 bytes of a row; one unit has a stride, which has to be 1.
TEST(SmemDescriptor, OneUnitOfK) {
  for (const char *tile : {"(64,16):(32,1)", "((8,8),16):((32,256),1)"}) {
    Result<uint64_t> word =
        smemDescriptor(DescriptorKind::Tcgen05, parse(tile), {1, 4, 3}, 8, Major::K);
    ASSERT_TRUE(word) << tile << ": " << word.reason().text;
    EXPECT_EQ(*word, uint64_t(6) << 61 | uint64_t(1) << 46 | uint64_t(16) << 32 | uint64_t(1) << 16)
        << tile;
  }
}

struct Refused {
  std::string id;
  DescriptorKind kind;
  std::string tile;
  layout::Swizzle swizzle;
  int64_t bits;
  Major major;
};
class SmemDescriptorRefuses : public testing::TestWithParam<Refused> {};
TEST_P(SmemDescriptorRefuses, WithAReason) {
  const Refused &c = GetParam();
  Result<uint64_t> word = smemDescriptor(c.kind, parse(c.tile), c.swizzle, c.bits, c.major);
  ASSERT_FALSE(word) << std::hex << *word;
  EXPECT_EQ(word.reason().id, c.id) << word.reason().text;
}
constexpr auto gmma = DescriptorKind::Wgmma, umma = DescriptorKind::Tcgen05;
INSTANTIATE_TEST_SUITE_P(
    All, SmemDescriptorRefuses,
    testing::Values(
        Refused{"DescriptorSwizzle", gmma, "(64,16):(64,1)", {2, 5, 2}, 16, Major::MN},
        // tcgen05.mma: the seven sentences of the closed compiler, in its order.
        Refused{"UmmaSwizzle", umma, "(64,16):(64,1)", {2, 5, 2}, 16, Major::K},
        Refused{"UmmaSwizzle", umma, "(64,16):(1,64)", {3, 4, 4}, 16, Major::MN},
        Refused{"UmmaSizeOfK", umma, "(64,8):(1,64)", {3, 4, 3}, 16, Major::MN},
        Refused{
            "UmmaProfile", umma, "((8,2,2,2),16):((1,64,4096,16384),8)", {0, 4, 3}, 16, Major::MN},
        Refused{"DescriptorStride", umma, "(64,16):(1,128)", {3, 4, 3}, 16, Major::MN},
        Refused{"DescriptorRows", umma, "(4,16):(64,1)", {3, 4, 3}, 16, Major::K},
        Refused{"UmmaProfile", umma, "((8,2,4),16):((64,1024,4096),1)", {3, 4, 3}, 16, Major::K},
        Refused{"DescriptorStride", umma, "(64,16):(128,1)", {3, 4, 3}, 16, Major::K},
        Refused{"DescriptorTile", gmma, "(64,16,2):(64,1,8)", {3, 4, 3}, 16, Major::K},
        // The other mode is the contiguous one.
        Refused{"DescriptorSizeOfK", gmma, "(64,16):(1,64)", {0, 4, 3}, 16, Major::K},
        Refused{"DescriptorSizeOfK", umma, "(128,16):(1,128)", {0, 4, 3}, 16, Major::K},
        Refused{"DescriptorSizeOfK", umma, "(128,8):(1,128)", {0, 4, 3}, 32, Major::K},
        Refused{"DescriptorSizeOfK", umma, "(128,32):(1,128)", {0, 4, 3}, 8, Major::K},
        // Four instructions' K.
        Refused{
            "DescriptorSizeOfK", gmma, "((8,8),(8,8)):((1,64),(8,512))", {0, 4, 3}, 16, Major::MN},
        Refused{"DescriptorUnits", gmma, "(64,16):(63,3)", {3, 4, 3}, 16, Major::K},
        Refused{"DescriptorRows", gmma, "(4,16):(64,1)", {3, 4, 3}, 16, Major::K},
        Refused{"DescriptorStride", gmma, "(64,16):(128,1)", {3, 4, 3}, 16, Major::K},
        Refused{"DescriptorStride", gmma, "(64,(8,2)):(64,(1,16))", {3, 4, 3}, 16, Major::K},
        // 64 bytes of K, as a sparse A asks of B, in two panels of 32: the fields have one step
        // along K.
        Refused{"DescriptorStride",
                gmma,
                "((8,8),(16,2)):((16,128),(1,1024))",
                {1, 4, 3},
                16,
                Major::K},
        Refused{"DescriptorStride", gmma, "(64,16):(1,128)", {3, 4, 3}, 16, Major::MN},
        Refused{
            "DescriptorProfile", gmma, "((8,2,4),16):((64,1024,4096),1)", {3, 4, 3}, 16, Major::K},
        Refused{"DescriptorOffset", gmma, "((8,8),16):((64,4194304),1)", {3, 4, 3}, 16, Major::K}));
} // namespace
