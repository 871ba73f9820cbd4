// What is refused of the kernels, by the ids of the sentences.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/kernels/Blackwell.h"

#include "tessera/kernels/attention/Attention.h"
#include "tessera/kernels/attention/AttentionBackward.h"
#include "tessera/kernels/rows/Rows.h"

#include <gtest/gtest.h>

#include <tuple>

using namespace tessera;
using namespace tessera::kernels;

TEST(Refusals, OfAttentionOnBlackwell) {
  auto refusal = [](AttentionConfig c, const char *target = "sm_100a") {
    c.target = *atom::Target::parse(target);
    auto why = refused(c);
    return why ? why->text : "";
  };
  for (const char *target : {"sm_100a", "sm_103a", "sm_110a"})
    for (int headDim : {64, 96, 128, 192, 256})
      EXPECT_EQ(refusal({.headDim = headDim}, target), "");
  EXPECT_EQ(refusal({}, "sm_100"),
            "expects a target with tcgen05, sm_100a, sm_103a or sm_110a, but got sm_100");
  EXPECT_EQ(refusal({.stages = 3, .splits = 8}), ""); // by products of warps
  EXPECT_EQ(refusal({.consumers = 3}), "expects 1 or 2 groups of four warps with 128 queries each "
                                       "on targets with tensor memory, but got 3");
  for (int tileN : {16, 48, 160})
    EXPECT_EQ(refusal({.tileN = tileN}), cat("expects a step of 32, 64, 96 or 128 keys on targets "
                                             "with tensor memory, but got ",
                                             tileN));
  EXPECT_EQ(refusal({.headDim = 256, .consumers = 2, .tileN = 32, .stages = 1}),
            "2 x 128 queries and steps of 32 keys need 576 columns of tensor memory, but there are "
            "512; take --consumers 1 or fewer keys");
  EXPECT_EQ(refusal({.stages = 3}),
            "3 stages of 128 keys need 262284 bytes of shared memory, but a "
            "block needs at least one stage and has at most 232448 bytes");
}

TEST(Refusals, NameWhatTheTargetHas) {
  GemmConfig c;
  EXPECT_FALSE(refused(c));
  c.stages = 5;
  auto why = refused(c);
  ASSERT_TRUE(why);
  EXPECT_EQ(why->text,
            "5 stages of 256 columns need 278608 bytes of shared memory, but a block has "
            "at most 232448; take fewer stages or columns");
  c = {};
  c.target = *atom::Target::parse("sm_90");
  why = refused(c); // GemmTarget
  ASSERT_TRUE(why);
  EXPECT_EQ(why->text, "expects sm_90a, a target with tcgen05 such as sm_100a, or one where warps "
                       "multiply, sm_75 to sm_89 or sm_120, but got sm_90");
}

/// Where warps multiply: PTX ISA 9.7.14.5 for the types; CUDA C++ Programming Guide, compute
/// capabilities, for shared memory (64 KiB on sm_75, 99 on sm_86, 163 on sm_80).
TEST(Refusals, OfWarps) {
  auto refusal = [](const char *target, auto change) {
    GemmConfig c;
    c.target = *atom::Target::parse(target);
    c.a = c.b = c.d = "f16";
    c.tileN = 128, c.stages = 2;
    change(c);
    std::optional<Reason> why = refused(c);
    return why ? cat(why->id, ": ", why->text) : "";
  };
  auto nothing = [](GemmConfig &) {};
  for (const char *target :
       {"sm_75", "sm_80", "sm_86", "sm_87", "sm_89", "sm_120", "sm_120a", "sm_120f", "sm_121a"})
    EXPECT_EQ(refusal(target, nothing), "") << target;
  struct {
    const char *target, *a, *b, *d, *why;
  } types[] = {
      {"sm_75", "bf16", "bf16", "f32",
       "GemmWarpType: expects sm_80 or later for A and B of bf16, but got sm_75"},
      {"sm_75", "tf32", "tf32", "f32",
       "GemmWarpType: expects sm_80 or later for A and B of tf32, but got sm_75"},
      {"sm_86", "f8E4M3FN", "f8E5M2", "f32",
       "GemmWarpType: expects sm_89 or later for A and B of f8E4M3FN, but got sm_86"},
      {"sm_70", "f16", "f16", "f16",
       "GemmWarpType: expects sm_75 or later for A and B of f16, but got sm_70"},
      {"sm_75", "u8", "i8", "i32", ""},
      {"sm_80", "tf32", "tf32", "f32", ""},
      {"sm_89", "f8E5M2", "f8E4M3FN", "bf16", ""},
      {"sm_120a", "f8E4M3FN", "f8E4M3FN", "f16", ""},
  };
  for (const auto &row : types)
    EXPECT_EQ(refusal(row.target, [&](GemmConfig &c) { c.a = row.a, c.b = row.b, c.d = row.d; }),
              row.why);
  struct {
    const char *option;
    void (*set)(GemmConfig &);
  } options[] = {
      {"swap", [](GemmConfig &c) { c.swap = true; }},
      {"schedule pingpong", [](GemmConfig &c) { c.pingpong = true; }},
      {"cluster", [](GemmConfig &c) { c.cluster = 2; }},
      {"pair", [](GemmConfig &c) { c.pair = true; }},
      {"dynamic", [](GemmConfig &c) { c.dynamic = true; }},
      {"factor", [](GemmConfig &c) { c.factor = "f32"; }},
  };
  for (const auto &row : options)
    EXPECT_EQ(refusal("sm_80", row.set),
              cat("GemmWarpOption: has no --", row.option,
                  " on sm_80, where warps multiply "
                  "(mma.sync); leave it out, or generate for sm_90a or sm_100a"));
  EXPECT_EQ(refusal("sm_89", [](GemmConfig &c) { c.a = c.b = "f8E4M3FN", c.factors = true; }), "");
  EXPECT_EQ(refusal("sm_89", [](GemmConfig &c) { c.factors = true; }),
            "GemmBlockFactorsOf: expects floats of 8 bits for block factors of f32, but got f16");
  EXPECT_EQ(refusal("sm_86", [](GemmConfig &c) { c.a = c.b = "f8E4M3FN", c.factors = true; }),
            "GemmWarpType: expects sm_89 or later for A and B of f8E4M3FN, but got sm_86");
  EXPECT_EQ(refusal("sm_89",
                    [](GemmConfig &c) {
                      c.a = c.b = "f8E4M3FN", c.factors = true, c.factor = "f8E8M0FNU";
                    }),
            "GemmBlockFactorType: expects factors of f32 on targets without tensor memory, but "
            "got f8E8M0FNU");
  EXPECT_EQ(refusal("sm_89",
                    [](GemmConfig &c) {
                      c.a = c.b = "f8E4M3FN", c.factors = true, c.tileM = 128, c.tileN = 256;
                    }),
            "GemmWarpTile: expects a tile of 32x64, 32x128, 64x64, 64x128, 128x64, 128x128 on "
            "sm_89, but got 128x256");
  EXPECT_EQ(refusal("sm_80", [](GemmConfig &c) { c.b = "f8E5M2", c.groupScales = 128; }),
            "GemmWarpType: expects sm_89 or later for A and B of f8E5M2, but got sm_80");
  EXPECT_EQ(refusal("sm_80", [](GemmConfig &c) { c.groups = "some"; }),
            "GemmGroups: expects groups of none, batches, masked or contiguous, but got some");
  EXPECT_EQ(refusal("sm_80", [](GemmConfig &c) { c.splitK = 0; }),
            "GemmSplit: expects K in at least one slice, but got 0");
  EXPECT_EQ(refusal("sm_80", [](GemmConfig &c) { c.groups = "masked", c.splitK = 2; }),
            "GemmGroupsForm: has groups for products that are not swapped, with K in one slice, "
            "without block factors, of blocks that walk over tiles by themselves");
  EXPECT_EQ(refusal("sm_80", [](GemmConfig &c) { c.groups = "contiguous", c.c = true; }),
            "GemmGroupsC: expects no C for contiguous groups");
  EXPECT_EQ(refusal("sm_80", [](GemmConfig &c) { c.groups = "contiguous", c.major = "mk"; }),
            "GemmWarpStarts: expects A contiguous in K for contiguous groups on sm_80, as a group "
            "may begin at any row, but got mk");
  EXPECT_EQ(refusal("sm_75", [](GemmConfig &c) { c.tileN = 256; }),
            "GemmWarpTile: expects a tile of 32x64, 32x128, 64x64, 64x128, 128x64, 128x128 on "
            "sm_75, but got 128x256");
  EXPECT_EQ(refusal("sm_80", [](GemmConfig &c) { c.tileM = 96; }),
            "GemmWarpTile: expects a tile of 32x64, 32x128, 64x64, 64x128, 128x64, 128x128, "
            "64x256, 256x64, 128x256, 256x128 on sm_80, but got 96x128");
  EXPECT_EQ(refusal("sm_75", [](GemmConfig &c) { c.stages = 3; }),
            "GemmWarpStages: expects 2 stages on sm_75, where loads go through registers, but got "
            "3");
  EXPECT_EQ(refusal("sm_80", [](GemmConfig &c) { c.stages = 1; }),
            "GemmStages: expects at least 2 stages, one to fill while one is read, but got 1");
  // (128 + 128) rows of 64 bytes are a stage.
  for (auto [target, most] :
       {std::pair("sm_80", 163), {"sm_86", 99}, {"sm_87", 163}, {"sm_120a", 99}}) {
    int stages = most * 1024 / (256 * 64);
    EXPECT_EQ(refusal(target, [&](GemmConfig &c) { c.stages = stages; }), "") << target;
    EXPECT_EQ(refusal(target, [&](GemmConfig &c) { c.stages = stages + 1; }),
              cat("GemmShared: ", stages + 1, " stages of 128 columns need ",
                  (stages + 1) * 256 * 64, " bytes of shared memory, but a block has at most ",
                  most * 1024, "; take fewer stages or columns"));
  }
  EXPECT_EQ(refusal("sm_80", [](GemmConfig &c) { c.a = c.b = "i8", c.d = "i32", c.major = "km"; }),
            "GemmMajorBits: expects A and B of 8 or 32 bits to be contiguous in K (kk), as wgmma "
            "and ldmatrix transpose 16-bit elements only, but got km");
}

TEST(Refusals, OfBlackwell) {
  auto id = [](const GemmConfig &c) {
    std::optional<Reason> why = refused(c);
    return why ? std::string(why->id) : "";
  };
  EXPECT_EQ(id(blackwell()), "");
  EXPECT_EQ(id(blackwell("sm_103a")), "");
  EXPECT_EQ(id(blackwell("sm_110a")), "");
  EXPECT_EQ(id(blackwell("sm_100")), "TensorTarget");
  GemmConfig c;
  c.pair = true;
  EXPECT_EQ(id(c), "GemmBlackwell");
  c.pair = false, c.dynamic = true;
  EXPECT_EQ(id(c), "GemmBlackwell");
  for (auto change : {+[](GemmConfig &c) { c.swap = true; }, +[](GemmConfig &c) { c.splitK = 2; },
                      +[](GemmConfig &c) { c.cluster = 2; }}) {
    c = blackwell();
    change(c);
    EXPECT_EQ(id(c), "GemmHopperOnly");
  }
  c = blackwell("sm_103a");
  c.a = c.b = "i8", c.d = "i32";
  EXPECT_EQ(id(c), "GemmTensorInteger");
  c.target = *atom::Target::parse("sm_110a");
  EXPECT_EQ(id(c), "");
  c = blackwell();
  c.a = c.b = "tf32", c.major = "mk";
  EXPECT_EQ(id(c), "GemmMajorWide");
  c.a = c.b = "f8E4M3FN"; // which tcgen05 takes, and wgmma does not
  EXPECT_EQ(id(c), "");
  c.target = *atom::Target::parse("sm_90a");
  EXPECT_EQ(id(c), "GemmMajorBits");
  c = blackwell();
  c.factors = true, c.tileN = 128;
  EXPECT_EQ(id(c), "GemmFactorsOf"); // of bf16
  c.a = c.b = "f8E5M2";
  EXPECT_EQ(id(c), "");
  c.pair = true;
  EXPECT_EQ(id(c), "");
  c.tileN = 64;
  EXPECT_EQ(id(c), "GemmFactorsOf");
  c.tileN = 128, c.factor = "f8E4M3FN"; // which 8-bit types do not take
  EXPECT_EQ(id(c), "GemmFactorType");
  c.a = c.b = "f4E2M1FN";
  EXPECT_EQ(id(c), "");
  c.factor = "f8E5M2";
  EXPECT_EQ(id(c), "GemmFactorType");
  c.factor = "f8E8M0FNU";
  EXPECT_EQ(id(c), "");
  c.major = "km";
  EXPECT_EQ(id(c), "GemmMajorWide");
  c.major = "kk", c.factors = false;
  EXPECT_EQ(id(c), "GemmFloat4");
  c.factors = true, c.target = *atom::Target::parse("sm_90a");
  EXPECT_EQ(id(c), "GemmFloat4");
  c = blackwell();
  c.pair = true, c.sms = 1;
  EXPECT_EQ(id(c), "GemmGrid");
  // B along N: rows of 128 bytes are whole.
  for (auto [type, tileN, pair, why] : {std::tuple("bf16", 64, false, ""),
                                        {"bf16", 64, true, "GemmMajorColumns"},
                                        {"bf16", 128, true, ""},
                                        {"bf16", 192, true, "GemmMajorColumns"},
                                        {"bf16", 192, false, ""},
                                        {"f8E4M3FN", 64, false, "GemmMajorColumns"},
                                        {"f8E4M3FN", 128, false, ""},
                                        {"f8E4M3FN", 128, true, "GemmMajorColumns"},
                                        {"f8E4M3FN", 256, true, ""}}) {
    c = blackwell();
    c.a = c.b = type, c.tileN = tileN, c.pair = pair, c.major = "km";
    EXPECT_EQ(id(c), why) << type << " " << tileN << " " << pair;
  }
}

TEST(Refusals, OfTiles) {
  auto id = [](auto change) {
    GemmConfig c;
    c.tileN = 128;
    change(c);
    std::optional<Reason> why = refused(c);
    return why ? std::string(why->id) : "";
  };
  for (auto [pingpong, rows, why] : {std::tuple(false, 128, ""),
                                     {false, 256, "GemmTileRows"},
                                     {false, 64, "GemmTileRows"},
                                     {false, 192, "GemmTileRows"},
                                     {true, 64, ""},
                                     {true, 128, ""},
                                     {true, 256, "GemmTileRows"}})
    EXPECT_EQ(id([&](GemmConfig &c) { c.pingpong = pingpong, c.tileM = rows, c.stages = 2; }), why)
        << pingpong << " " << rows;
  for (auto [columns, why] : {std::pair(0, "GemmTileColumns"),
                              {8, "GemmTileColumns"},
                              {16, ""},
                              {120, "GemmTileColumns"},
                              {176, ""},
                              {256, ""},
                              {272, "GemmTileColumns"},
                              {-16, "GemmTileColumns"}})
    EXPECT_EQ(id([&](GemmConfig &c) { c.tileN = columns, c.stages = 2; }), why) << columns;
  // What a part of B, a row of B along N, and a box of C is.
  EXPECT_EQ(id([](GemmConfig &c) { c.tileN = 48, c.cluster = 4; }), "GemmTileColumns");
  EXPECT_EQ(id([](GemmConfig &c) { c.tileN = 96, c.cluster = 4; }), "");
  EXPECT_EQ(id([](GemmConfig &c) { c.tileN = 96, c.major = "km"; }), "GemmTileColumns");
  EXPECT_EQ(id([](GemmConfig &c) { c.tileN = 96, c.major = "mk"; }), "");
  EXPECT_EQ(id([](GemmConfig &c) { c.tileN = 96, c.c = true; }), "GemmTileColumns");
  EXPECT_EQ(id([](GemmConfig &c) { c.tileN = 96, c.c = true, c.d = "f32"; }), "");
  // Sums in registers: 160 of a thread alone, 128 beside what makes D of them.
  auto wide = [&](int columns, auto change) {
    return id([&](GemmConfig &c) {
      c.pingpong = true, c.stages = 3, c.tileN = columns;
      change(c);
    });
  };
  EXPECT_EQ(wide(160, [](GemmConfig &) {}), "");
  EXPECT_EQ(wide(176, [](GemmConfig &) {}), "GemmTileSums");
  EXPECT_EQ(wide(160, [](GemmConfig &c) { c.activation = "silu"; }), "GemmTileSums");
  EXPECT_EQ(wide(128, [](GemmConfig &c) { c.activation = "silu"; }), "");
  EXPECT_EQ(wide(128, [](GemmConfig &c) { c.groups = "contiguous"; }), "GemmTileSums");
  EXPECT_EQ(wide(112, [](GemmConfig &c) { c.groups = "contiguous"; }), "");
  // What takes its tiles from the cooperative form.
  EXPECT_EQ(wide(128, [](GemmConfig &c) { c.splitK = 2; }), "GemmPingpongSums");
  EXPECT_EQ(wide(128, [](GemmConfig &c) { c.a = c.b = "f8E4M3FN", c.factors = true; }),
            "GemmPingpongSums");
  EXPECT_EQ(id([](GemmConfig &c) { c.a = c.b = "f8E4M3FN", c.factors = true, c.tileN = 96; }),
            "GemmBlockFactorsColumns");
  EXPECT_EQ(id([](GemmConfig &c) { c.tileM = 64, c.swap = c.pingpong = true; }),
            "GemmPingpongSwap");
  GemmConfig c = blackwell();
  c.pingpong = true;
  EXPECT_EQ(refused(c)->id, "GemmHopperOnly");
  c.pingpong = false, c.tileM = 256;
  EXPECT_EQ(refused(c)->id, "GemmRows");
  c.tileM = 128, c.tileN = 96;
  EXPECT_EQ(refused(c)->id, "GemmTile");
}

TEST(Refusals, OfFactorsOfBlocks) {
  auto id = [](auto change) {
    GemmConfig c;
    c.a = c.b = "f8E4M3FN", c.factors = true, c.tileN = 128;
    change(c);
    std::optional<Reason> why = refused(c);
    return why ? std::string(why->id) : "";
  };
  EXPECT_EQ(id([](GemmConfig &) {}), "");
  EXPECT_EQ(id([](GemmConfig &c) { c.factor = "f32"; }), "");
  EXPECT_EQ(id([](GemmConfig &c) { c.factor = "f8E8M0FNU"; }), "GemmBlockFactorType");
  EXPECT_EQ(id([](GemmConfig &c) { c.factors = false, c.factor = "f8E8M0FNU"; }),
            "GemmBlockFactorType");
  EXPECT_EQ(id([](GemmConfig &c) { c.a = c.b = "bf16"; }), "GemmBlockFactorsOf");
  EXPECT_EQ(id([](GemmConfig &c) { c.tileN = 192; }), "GemmBlockFactorsTile");
  EXPECT_EQ(id([](GemmConfig &c) { c.splitK = 2; }), "GemmBlockFactorsSplit");
  auto swapped = [](GemmConfig &c) { c.swap = true, c.tileM = 128, c.tileN = 64, c.splitK = 2; };
  EXPECT_EQ(id(swapped), "");
  EXPECT_EQ(id([&](GemmConfig &c) { swapped(c), c.tileM = 256, c.splitK = 1; }),
            "GemmBlockFactorsTile");
}

TEST(Refusals, OfWeights) {
  auto id = [](auto change) {
    GemmConfig c;
    c.a = "f16", c.b = "i4", c.groupScales = 128, c.swap = true, c.tileM = 16, c.tileN = 128;
    change(c);
    std::optional<Reason> why = refused(c);
    return why ? std::string(why->id) : "";
  };
  EXPECT_EQ(id([](GemmConfig &) {}), "");
  EXPECT_EQ(id([](GemmConfig &c) { c.a = "bf16", c.b = "f8E5M2", c.splitK = 8; }), "");
  EXPECT_EQ(id([](GemmConfig &c) { c.a = "f8E4M3FN"; }), "GemmWeights");
  EXPECT_EQ(id([](GemmConfig &c) { c.a = "i4"; }), "GemmWeights");
  EXPECT_EQ(id([](GemmConfig &c) { c.b = "i8"; }), "GemmWeights");
  EXPECT_EQ(id([](GemmConfig &c) { c.b = "f16"; }), "GemmWeights");
  EXPECT_EQ(id([](GemmConfig &c) { c.groupScales = 0; }), "GemmWeightsInteger");
  for (int group : {-1, 16, 96, 256})
    EXPECT_EQ(id([&](GemmConfig &c) { c.groupScales = group; }), "GemmWeightsGroup") << group;
  EXPECT_EQ(id([](GemmConfig &c) { c.swap = false, c.tileM = 128; }), "GemmWeightsSwap");
  EXPECT_EQ(id([](GemmConfig &c) { c.tileM = 136; }), "GemmWeightsRows");
  EXPECT_EQ(id([](GemmConfig &c) { c.scales = true; }), "GemmWeightsScales");
  EXPECT_EQ(id([](GemmConfig &c) { c.b = "f8E4M3FN", c.factors = true; }), "GemmBlockFactorsOf");
  EXPECT_EQ(id([](GemmConfig &c) { c.major = "km"; }), "GemmWeightsMajor");
  EXPECT_EQ(id([](GemmConfig &c) {
              c.target = *atom::Target::parse("sm_100a"), c.swap = false, c.tileM = 128;
              c.tileN = 64;
            }),
            ""); // by products of warps
}

TEST(Refusals, OfGradients) {
  auto id = [](const auto &c) {
    std::optional<Reason> why = refused(c);
    return why ? std::string(why->id) : "";
  };
  AttentionBackwardConfig c;
  for (int head : {64, 96, 128, 192, 256}) {
    c.headDim = head, c.stages = c.stagesThere();
    EXPECT_EQ(id(c), "") << head;
  }
  for (int head : {0, 32, 80, 512}) {
    c.headDim = head;
    EXPECT_EQ(id(c), "AttentionBackwardHead") << head;
  }
  c = AttentionBackwardConfig();
  c.element = "f32";
  EXPECT_EQ(id(c), "AttentionElement");
  c = AttentionBackwardConfig();
  for (auto [stages, why] : {std::pair(0, "AttentionBackwardStages"),
                             {1, "AttentionBackwardStages"},
                             {2, ""},
                             {20, "AttentionShared"}}) {
    c.stages = stages;
    EXPECT_EQ(id(c), why) << stages;
  }
  struct {
    const char *target, *element;
    int stages;
    const char *why;
  } byWarps[] = {
      {"sm_75", "f16", 1, ""},
      {"sm_75", "f16", 2, "AttentionBackwardTuring"},
      {"sm_75", "bf16", 1, "AttentionElement"},
      {"sm_80", "bf16", 1, "AttentionBackwardStages"},
      {"sm_80", "bf16", 2, ""},
      {"sm_86", "bf16", 9, "AttentionShared"},
      {"sm_90", "bf16", 2, ""}, // without wgmma
      {"sm_100a", "bf16", 2, ""},
      {"sm_121a", "f16", 2, ""},
  };
  for (const auto &row : byWarps) {
    c = AttentionBackwardConfig();
    c.target = *atom::Target::parse(row.target), c.element = row.element, c.stages = row.stages;
    EXPECT_EQ(id(c), row.why) << row.target << " " << row.element << " " << row.stages;
  }
  c = AttentionBackwardConfig();
  for (auto [target, head, why] :
       {std::tuple("sm_75", 192, ""), {"sm_75", 256, "AttentionShared"}, {"sm_89", 256, ""}}) {
    c.target = *atom::Target::parse(target), c.element = "f16", c.headDim = head;
    c.stages = c.stagesThere();
    EXPECT_EQ(id(c), why) << target << " " << head;
  }
  AttentionConfig few;
  few.splits = 2, few.lse = true;
  EXPECT_EQ(id(few), "AttentionFewLogs");
  few.lse = false;
  for (int teams : {-1, 0, 33}) {
    few.teams = teams;
    EXPECT_EQ(id(few), "AttentionTeams") << teams;
  }
  EXPECT_EQ(id(AttentionConfig{.teams = 2}), "AttentionTeams"); // of many queries
  EXPECT_EQ(id(AttentionConfig{.sms = 0}), "AttentionGrid");
}

/// Targets whose warps multiply.
TEST(Refusals, OfAttentionByWarps) {
  auto refusal = [](AttentionConfig c, const char *target = "sm_80") {
    c.target = *atom::Target::parse(target);
    auto why = refused(c);
    return why ? why->text : "";
  };
  for (const char *target : {"sm_75", "sm_80", "sm_86", "sm_87", "sm_89", "sm_120a", "sm_121a"})
    for (int headDim : {64, 96, 128, 192, 256})
      for (bool causal : {false, true})
        EXPECT_EQ(
            refusal({.element = "f16", .headDim = headDim, .causal = causal, .stages = 1}, target),
            "")
            << target << " " << headDim;
  EXPECT_EQ(refusal({}, "sm_90"), // AttentionTarget
            "expects sm_75 to sm_89, sm_90a, a target with tcgen05 such as sm_100a, or sm_120 and "
            "later, but got sm_90");
  EXPECT_EQ(refusal({.element = "bf16"}, "sm_75"),
            "expects Q, K and V of f16 on sm_75, but got bf16");
  EXPECT_EQ(refusal({.element = "f8E4M3FN"}), "expects Q, K and V of f16 or bf16 on sm_80, "
                                              "but got f8E4M3FN");
  for (const char *target : {"sm_89", "sm_120a"})
    for (int headDim : {64, 96, 128, 192, 256})
      EXPECT_EQ(refusal({.element = "f8E4M3FN", .headDim = headDim, .stages = 1}, target), "");
  EXPECT_EQ(
      refusal({.element = "f8E4M3FN", .tileN = 48, .stages = 1}, "sm_89"), // AttentionWarpTile
      "expects a step of a multiple of 32 keys, up to 128, for heads of 128 where warps "
      "multiply, but got 48");
  EXPECT_EQ(refusal({.headDim = 80}),
            "expects a head dimension of 64, 96, 128, 192 or 256, but got 80");
  for (const char *target : {"sm_75", "sm_80", "sm_89"}) {
    EXPECT_EQ(refusal({.element = "f16", .stages = 1, .splits = 1, .teams = 32}, target), "");
    EXPECT_NE(refusal({.element = "f16", .stages = 1, .splits = 2}, target), "");
  }
  EXPECT_EQ(refusal({.splits = 2}),
            "shares the keys by --teams on sm_80, whose blocks make no clusters: expects --splits "
            "1, but got 2");
  EXPECT_EQ(refusal({.splits = 8}, "sm_120a"), "");
  EXPECT_EQ(refusal({.consumers = 2, .splits = 1}), // AttentionFewRows
            "has one tile of 64 rows for few queries, but got 2");
  for (int consumers : {-1, 3}) // AttentionWarpRows
    EXPECT_EQ(refusal({.consumers = consumers}),
              cat("expects 1 or 2 times 64 queries for the four warps of a block where "
                  "warps multiply, but got ",
                  consumers));
  for (auto [headDim, keys, multiple] :
       {std::tuple(128, 40, 16), {96, 48, 32}, {64, 144, 16}, {64, -16, 16}}) // AttentionWarpTile
    EXPECT_EQ(refusal({.headDim = headDim, .tileN = keys}),
              cat("expects a step of a multiple of ", multiple, " keys, up to 128, for heads of ",
                  headDim, " where warps multiply, but got ", keys));
  // 2 x (128 + 96) / 2, and 2 x (256 + 32) / 2.
  EXPECT_EQ(refusal({.consumers = 2, .tileN = 96}), // AttentionWarpSums
            "has O and S in registers: 128 queries and a step of 96 keys with heads of 128 take "
            "224 of each thread, but there is room for 192; take fewer keys or --consumers 1");
  EXPECT_EQ(refusal({.headDim = 256, .consumers = 2, .tileN = 32}),
            "has O and S in registers: 128 queries and a step of 32 keys with heads of 256 take "
            "288 of each thread, but there is room for 192; take fewer keys or --consumers 1");
  EXPECT_EQ(refusal({.takesSeveral = true}), // AttentionWarpGrid
            "has a block for each tile of queries where warps multiply; "
            "leave out --persistent");
  EXPECT_EQ(refusal({.takesSeveral = false}), "");
  EXPECT_EQ(refusal({.consumers = 2, .tileN = 32, .stages = 9}, "sm_86"),
            "9 stages of 32 keys need 185104 bytes of shared memory, but a block needs at least "
            "one stage and has at most 101376 bytes");
}

TEST(Refusals, OfRows) {
  auto refusal = [](RowConfig c) {
    auto why = refused(c);
    return why ? why->text : "";
  };
  EXPECT_EQ(refusal({.kernel = "rowsum"}),
            "expects a kernel that `tessera generate --list` names, but got rowsum");
  EXPECT_EQ(refusal({.element = "f64"}),
            "expects numbers of f16, bf16 or f32 to read, but got f64");
  EXPECT_EQ(refusal({.result = "i8"}), "expects numbers of f16, bf16 or f32 to write, but got i8");
  EXPECT_EQ(refusal({.kernel = "quantize", .result = "f16"}),
            "expects codes of f8E4M3FN, f8E5M2 or i8 to write, but got f16");
  EXPECT_EQ(
      refusal({.kernel = "transpose", .result = "f32"}),
      "expects one type to read and to write where nothing is computed, but got bf16 and f32");
  EXPECT_EQ(refusal({.kernel = "act-mul", .activation = "tanh"}),
            "expects an activation of none, relu, gelu or silu, but got tanh");
  EXPECT_EQ(refusal({.columns = 0}), "expects rows of at least one column, but got 0");
  EXPECT_EQ(refusal({.kernel = "rope", .columns = 63}),
            "expects an even number of columns, as these are turned in pairs, but got 63");
  EXPECT_EQ(refusal({.vectors = 9}), "expects 1 to 8 vectors of 16 bytes for a thread, but got 9");
  EXPECT_EQ(refusal({.kernel = "quantize", .segment = 100}),
            "expects a scale for the row, or for each 32, 64, 128 or 256 columns of a kernel that "
            "quantizes, but got 100");
  EXPECT_EQ(
      refusal({.columns = 300000}),
      "a row of 300000 columns does not fit the registers of a cluster; it has room for 262144 "
      "with so many vectors for a thread, of which there may be 8");
}

TEST(Refusals, OfManyProducts) {
  auto refusal = [](auto change) {
    GemmConfig c;
    c.groups = "contiguous";
    change(c);
    auto why = refused(c);
    return why ? why->text : "";
  };
  EXPECT_EQ(refusal([](GemmConfig &) {}), "");
  EXPECT_EQ(refusal([](GemmConfig &c) { c.groups = "ragged"; }),
            "expects groups of none, batches, masked or contiguous, but got ragged");
  std::string form = "has groups for products that are not swapped, with K in one slice, without "
                     "block factors, of blocks that walk over tiles by themselves";
  EXPECT_EQ(refusal([](GemmConfig &c) { c.splitK = 2; }), form);
  EXPECT_EQ(refusal([](GemmConfig &c) { c.swap = true, c.tileM = 16, c.tileN = 128; }), form);
  auto tensor = [](GemmConfig &c) { c.target = *atom::Target::parse("sm_100a"); };
  EXPECT_EQ(refusal(tensor), "");
  EXPECT_EQ(refusal([&](GemmConfig &c) { tensor(c), c.pair = true; }), "");
  EXPECT_EQ(refusal([&](GemmConfig &c) { tensor(c), c.dynamic = true; }), form);
  EXPECT_EQ(refusal([&](GemmConfig &c) {
              tensor(c), c.a = c.b = "f8E4M3FN", c.factors = true, c.tileN = 128;
            }),
            form);
  EXPECT_EQ(refusal([](GemmConfig &c) { c.c = true, c.stages = 3; }),
            "expects no C for contiguous groups");
}

TEST(Refusals, OfAttention) {
  auto refusal = [](AttentionConfig c) {
    auto why = refused(c);
    return why ? why->text : "";
  };
  EXPECT_EQ(refusal({.element = "f32"}),
            "expects Q, K and V of f16, bf16 or f8E4M3FN, but got f32");
  EXPECT_EQ(refusal({.element = "f8E4M3FN", .stages = 3, .splits = 2}),
            "expects Q, K and V of f16 or bf16 for few queries, but got f8E4M3FN");
  EXPECT_EQ(refusal({.element = "f8E4M3FN", .target = *atom::Target::parse("sm_100a")}),
            "expects Q, K and V of f16 or bf16 on targets with tensor memory, but got f8E4M3FN");
  EXPECT_EQ(refusal({.element = "f8E4M3FN", .result = "f32"}), // AttentionResult
            "expects O of f16 or bf16, but got f32");
  EXPECT_EQ(refusal({.result = "f16"}), "expects O of bf16, but got f16");
  for (int keys : {16, 48, 224}) // AttentionNarrowTile
    EXPECT_EQ(
        refusal({.element = "f8E4M3FN", .headDim = 64, .tileN = keys}),
        "expects a step of 32, 64, 96, 128, 160 or 192 keys of 8 bits, as a product takes 32, "
        "but got " +
            std::to_string(keys));
  for (int head : {64, 96, 128, 192, 256})
    EXPECT_EQ(refusal({.element = "f8E4M3FN", .headDim = head}), "");
  EXPECT_EQ(refusal({.headDim = 80}),
            "expects a head dimension of 64, 96, 128, 192 or 256, but got 80");
  EXPECT_EQ(refusal({.headDim = 192, .valueDim = 192}),
            "expects V of 128 elements for heads of 192, but got 192");
  EXPECT_EQ(refusal({.headDim = 128, .valueDim = 64}),
            "expects V of 128 elements for heads of 128, but got 64");
  EXPECT_EQ(refusal({.headDim = 256, .stages = 3, .splits = 2}), "");
  EXPECT_EQ(refusal({.varlen = true, .stages = 3, .splits = 2}),
            "has sequences of different lengths for many queries only; leave out the parts of the "
            "keys");
  EXPECT_EQ(refusal({.lengths = true}), // AttentionFewLengths
            "has a number of keys for each batch for few queries only: generate decode");
  for (int size : {1, 12, 48}) // AttentionPageSize
    EXPECT_EQ(
        refusal({.stages = 3, .splits = 2, .pageSize = size}),
        "expects a page size that is a multiple of 8 keys, and a divisor or a multiple of the "
        "64 keys of a step, but got " +
            std::to_string(size));
  for (int size : {8, 16, 32, 64, 128, 192, 1024})
    EXPECT_EQ(refusal({.headDim = 96, .stages = 3, .splits = 2, .pageSize = size}), "");
}
