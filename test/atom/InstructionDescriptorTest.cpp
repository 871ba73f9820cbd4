// Instruction descriptors: against CuTe C++ ($TESSERA_ORACLE, instr_descriptors.tsv), there and
// back, and every refusal.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/atom/InstructionDescriptor.h"

#include "Table.h"

#include <gtest/gtest.h>

using namespace tessera;
using namespace tessera::atom;
using namespace tessera::atom::test;

namespace {

Element elementOf(const std::string &text) {
  std::string bare = text.substr(0, text.find('('));
  return number::findPtx(bare).value_or(Element::none);
}
/// The kind that has these types; e2m1 with e2m1 is packed unless it says "unpacksmem".
MmaKind kindOf(const Record &row) {
  bool scaled = row.at("kind").starts_with("idesc_bs");
  const std::string &a = row.at("a");
  if (a == "f16" || a == "bf16")
    return MmaKind::F16;
  if (a == "tf32")
    return MmaKind::Tf32;
  if (a == "s8" || a == "u8")
    return MmaKind::I8;
  if (scaled)
    return a == "e2m1" ? MmaKind::Mxf4nvf4 : MmaKind::Mxf8f6f4;
  return MmaKind::F8f6f4;
}

TEST(InstructionDescriptor, EqualsCuteCpp) {
  std::vector<Record> rows = readTable("instr_descriptors.tsv");
  if (rows.empty())
    GTEST_SKIP() << "set TESSERA_ORACLE to the folder that holds instr_descriptors.tsv";
  int compared = 0;
  for (const Record &row : rows) {
    if (row.at("kind") == "idesc_bs_rt") // 64 bits, made at run time from addresses
      continue;
    // The plain kinds of e2m3 and e3m2 without "unpacksmem" have codes of CuTe's own that no PTX
    // kind has.
    auto field = [&](const char *name) {
      std::string text = " " + row.at("fields"), key = std::string(" ") + name + "=";
      size_t at = text.find(key);
      return at == text.npos ? 0 : std::stoi(text.substr(at + key.size()));
    };
    MmaKind kind = kindOf(row);
    InstructionDescriptor d;
    d.a = elementOf(row.at("a"));
    d.b = elementOf(row.at("b"));
    d.c = elementOf(row.at("c"));
    d.m = std::stoi(row.at("M"));
    d.n = std::stoi(row.at("N"));
    d.aMajor = row.at("a_major") == "K" ? Major::K : Major::MN;
    d.bMajor = row.at("b_major") == "K" ? Major::K : Major::MN;
    d.negatesA = row.at("a_neg") == "Neg";
    d.negatesB = row.at("b_neg") == "Neg";
    d.saturates = row.at("saturate") == "True";
    d.isSparse = row.at("sparse") == "true";
    d.shift = field("max_shift");
    d.scale = elementOf(row.at("sf"));
    auto hex = uint32_t(std::stoull(row.at("hex"), nullptr, 16));
    Result<uint32_t> word = encode(kind, d);
    ASSERT_TRUE(word) << row.at("id") << ": " << word.reason().text;
    EXPECT_EQ(*word, hex) << row.at("id");
    Result<InstructionDescriptor> back = decode(kind, hex);
    ++compared;
    // CuTe C++ also makes words that the ISA does not have: tables 42, 44 and 49.
    bool turns = d.aMajor == Major::MN || d.bMajor == Major::MN;
    if (kind == MmaKind::I8         ? d.negatesA || d.negatesB
        : kind == MmaKind::Mxf4nvf4 ? turns
                                    : d.saturates) {
      ASSERT_FALSE(back) << row.at("id");
      EXPECT_EQ(back.reason().id, "InstructionZero") << row.at("id");
      continue;
    }
    ASSERT_TRUE(back) << row.at("id") << ": " << back.reason().text;
    EXPECT_EQ(*back, d) << row.at("id");
  }
  std::printf("  instr_descriptors.tsv: %d rows compared\n", compared);
  EXPECT_EQ(compared, 364);
}

TEST(InstructionDescriptor, IsWhatThePtxIsaSays) {
  // 9.7.16.4.2: D of f32 is 1 in bits 4 to 5, bf16 is 1 in bits 7 to 9 and 10 to 12, N >> 3 from
  // bit 17, M >> 4 from bit 24.
  InstructionDescriptor d{
      .a = Element::bf16, .b = Element::bf16, .m = 64, .n = 24, .bMajor = Major::MN};
  EXPECT_EQ(*encode(MmaKind::F16, d),
            1u << 4 | 1u << 7 | 1u << 10 | 1u << 16 | 3u << 17 | 4u << 24);
  InstructionDescriptor s{.a = Element::e2m1,
                          .b = Element::e2m1,
                          .m = 256,
                          .n = 16,
                          .scale = Element::ue8m0,
                          .scaleIdA = 2,
                          .scaleIdB = 1};
  EXPECT_EQ(*encode(MmaKind::Mxf4, s),
            1u << 4 | 1u << 7 | 1u << 10 | 2u << 17 | 1u << 23 | 16u << 24 | 2u << 29);
}

TEST(InstructionDescriptor, RefusesWhatKindsDoNotHave) {
  InstructionDescriptor d{.a = Element::f16, .b = Element::e4m3};
  EXPECT_EQ(encode(MmaKind::F16, d).reason().id, "InstructionTypes");
  EXPECT_EQ(encode(MmaKind::Mxf8f6f4, {.a = Element::e4m3, .b = Element::e4m3}).reason().id,
            "InstructionTypes");
  EXPECT_EQ(encode(MmaKind::F16, {.a = Element::f16, .b = Element::f16, .m = 72}).reason().id,
            "InstructionExtent");
  EXPECT_EQ(decode(MmaKind::F16, 7u << 7).reason().id, "InstructionWord");
  EXPECT_EQ(decode(MmaKind::F16, 3u << 4).reason().id, "InstructionWord");
}

TEST(InstructionDescriptor, RefusesBitsThatHaveToBeZero) {
  // Tables 42 to 44 of PTX ISA 9.7.16.4.2: reserved bits, and those whose only value is 0.
  struct {
    MmaKind kind;
    uint32_t right; // the codes of the types, D of f32 or s32
    std::vector<int> zero;
  } const tables[] = {
      {MmaKind::F16, 1u << 4, {3, 6, 23, 29}},
      {MmaKind::Tf32, 1u << 4 | 2u << 7 | 2u << 10, {3, 6, 23, 29}},
      {MmaKind::F8f6f4, 1u << 4, {3, 6, 23, 29}},
      {MmaKind::I8, 2u << 4, {6, 13, 14, 23, 29}},
      {MmaKind::Mxf8f6f4, 1u << 23, {0, 1, 3, 6, 24, 25, 26, 31}},
      {MmaKind::Mxf4, 1u << 7 | 1u << 10, {0, 1, 3, 6, 12, 15, 16, 24, 25, 26}},
      {MmaKind::Mxf4nvf4, 1u << 7 | 1u << 10, {0, 1, 3, 6, 12, 15, 16, 24, 25, 26}},
  };
  for (const auto &table : tables) {
    EXPECT_TRUE(decode(table.kind, table.right)) << name(table.kind);
    for (int bit = 0; bit < 32; ++bit) {
      Result<InstructionDescriptor> d = decode(table.kind, table.right | 1u << bit);
      bool isZero = std::count(table.zero.begin(), table.zero.end(), bit);
      bool isRefused = !d && d.reason().id == "InstructionZero";
      EXPECT_EQ(isRefused, isZero) << name(table.kind) << ", bit " << bit;
      if (isRefused) {
        EXPECT_EQ(d.reason().text.find("bit " + std::to_string(bit) + " of "), 0u)
            << d.reason().text;
      }
    }
  }
}

} // namespace
