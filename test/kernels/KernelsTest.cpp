// The kernels: tiles, shared memory, registers, and every form as a program.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/kernels/Blackwell.h"

#include "tessera/kernels/Activation.h"
#include "tessera/kernels/attention/AttentionBackward.h"
#include "tessera/kernels/choice/GemmTable.h"
#include "tessera/kernels/rows/RowKernel.h"
#include "tessera/kernels/sm100/AttentionPlan.h"
#include "tessera/kernels/sm100/Gemm.h"
#include "tessera/kernels/sm100/GemmPlan.h"
#include "tessera/kernels/sm80/AttentionPlan.h"
#include "tessera/kernels/sm80/AttentionTiles.h"
#include "tessera/kernels/sm80/GemmPlan.h"
#include "tessera/kernels/sm90/AttentionPlan.h"
#include "tessera/kernels/sm90/GemmPlan.h"
#include "tessera/layout/Algebra.h"
#include "tessera/layout/Domains.h"

#include "mlir/IR/MLIRContext.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <tuple>

using namespace tessera;
using namespace tessera::kernels;
using namespace tessera::kernels::sm90;

/// By hand: PTX ISA 9.7.15.5.1, eight rows of 128 bytes are what the swizzle permutes.
TEST(SmemTile, IsPanelsOf128Bytes) {
  SmemTile tile(128, 128, 16);
  EXPECT_EQ(layout::str(tile.layout()), "((8,16),(64,2)):((64,512),(1,8192))");
  EXPECT_EQ(layout::str(tile.swizzled()), "S<3,4,3> o 0 o ((8,16),(64,2)):((64,512),(1,8192))");
  EXPECT_EQ(layout::str(tile.transposed().layout()), "((64,2),(8,16)):((1,8192),(64,512))");
  EXPECT_EQ(layout::str(tile.staged(4, tile.elements())),
            "((8,16),(64,2),(1,4)):((64,512),(1,8192),(0,16384))");
  EXPECT_EQ(layout::str(SmemTile(64, 32, 32).layout()), "((8,8),(32,1)):((32,256),(1,0))");
  EXPECT_EQ(layout::str(SmemTile(64, 128, 16).within(128).layout()),
            "((8,8),(64,2)):((64,512),(1,8192))");
}
TEST(SmemTile, IsABijection) {
  for (int bits : {8, 16, 32}) {
    layout::Layout tile = SmemTile(64, 2 * 1024 / bits, bits).layout();
    layout::Const arith;
    int64_t elements = layout::size(arith, tile).value;
    std::vector<bool> hit(size_t(elements), false);
    for (int64_t i = 0; i < elements; ++i) {
      Result<layout::Tree> at = layout::crd2idx(arith, i, tile);
      ASSERT_TRUE(at.ok());
      size_t index = size_t(at->leaf().value.value);
      ASSERT_LT(index, hit.size());
      EXPECT_FALSE(hit[index]);
      hit[index] = true;
    }
  }
}

TEST(GemmPlan, PiecesFollowEachOther) {
  GemmConfig c; // 4 stages of 128 x 64 and 256 x 64 bf16
  GemmPlan plan(c);
  EXPECT_EQ(plan.b.start, 4 * 128 * 128);
  EXPECT_EQ(plan.d.start, 4 * (128 + 256) * 128);
  EXPECT_EQ(plan.ring.start, plan.d.start + 4 * 64 * 128);
  EXPECT_EQ(c.smemBytes(), 4 * (128 + 256) * 128 + 4 * 64 * 128 + 2 * 4 * 8);
  c.c = true;
  c.splitK = 2;
  EXPECT_EQ(c.smemBytes(), 4 * (128 + 256) * 128 + 4 * 64 * 128 + 2 * 4 * 8 + 4 * 8 + 2 * 4);
}
/// Hopper's pieces; then bias of four warps, barriers of two accumulators, the answers of the
/// launch control with theirs, a word.
TEST(GemmPlan, HasBoxesForEveryColumn) {
  GemmConfig c;
  for (const char *type : {"bf16", "f32"})
    for (auto [pingpong, rows] : {std::pair(false, 128), {true, 64}, {true, 128}})
      for (c.tileN = 16; c.tileN <= 256; c.tileN += 16) {
        c.d = type, c.pingpong = pingpong, c.tileM = rows;
        GemmPlan plan(c);
        int blocks = pingpong && rows == 128 ? 2 : 1;
        EXPECT_EQ(plan.rowBlocks(), blocks);
        std::vector<int> stored(size_t(c.tileN)); // how often each column
        for (int box = 0; box < plan.boxes(); ++box) {
          EXPECT_LE(plan.columnsOf(box) * plan.elementD().bits(), 128 * 8);
          for (int i = 0; i < plan.columnsOf(box); ++i)
            ++stored.at(size_t(plan.columnOf(box) + i));
        }
        EXPECT_EQ(stored, std::vector<int>(size_t(c.tileN), blocks)) << c.name();
      }
}
TEST(GemmPlan, HasBarriersForTurnsAfterAllElse) {
  GemmConfig c; // 6 stages of 128 + 128 rows, 2 x 2 boxes of 64 x 64 bf16, 12 barriers
  c.pingpong = true, c.tileN = 128, c.stages = 6;
  GemmPlan plan(c);
  EXPECT_EQ(plan.d.start, 6 * 256 * 128);
  EXPECT_EQ(plan.turns.start, 6 * 256 * 128 + 4 * 64 * 128 + 12 * 8);
  EXPECT_EQ(c.smemBytes(), plan.turns.start + 2 * 8);
  EXPECT_EQ(c.name(), "m128n128k64_s6_c1_bf16_pingpong");
}
TEST(TensorGemmPlan, PiecesFollowHoppers) {
  GemmConfig c = blackwell();
  int64_t shared = 4 * (128 + 256) * 128 + 4 * 64 * 128 + 2 * 4 * 8;
  EXPECT_EQ(sm100::GemmPlan(c).b.start, 4 * 128 * 128);
  EXPECT_EQ(c.smemBytes(), shared + 4 * 8 + 4);
  EXPECT_EQ(sm100::GemmPlan(c).columns(), 512);
  EXPECT_EQ(sm100::GemmPlan(c).threads(), 6 * 32);
  c.dynamic = true, c.bias = "f32", c.tileN = 192, c.pair = true;
  shared = 4 * (128 + 96) * 128 + 4 * 64 * 128 + 2 * 4 * 8;
  EXPECT_EQ(c.smemBytes(), shared + 4 * 64 * 4 + 4 * 8 + 4 * 8 + 2 * 16 + 4);
  EXPECT_EQ(sm100::GemmPlan(c).columns(), 512); // the power of two after 384
  EXPECT_EQ(sm100::GemmPlan(c).threads(), 7 * 32);
}
static GemmConfig ofWarps(const char *target) {
  GemmConfig c;
  c.a = c.b = c.d = "f16", c.target = *atom::Target::parse(target);
  c.tileN = 128;
  c.sms = sm80::multiprocessors(c.target);
  return c;
}
/// 4 stages of 128 + 128 rows of 64 bytes; the sums of 16 rows of 4 warps, 64 numbers and 8 more,
/// are where these were. With 2 stages of 32 + 64 rows there are more of them.
TEST(WarpGemmPlan, PutsSumsWhereStagesWere) {
  GemmConfig c = ofWarps("sm_80");
  EXPECT_EQ(c.name(), "m128n128k32_s4_c1_f16");
  EXPECT_EQ(c.smemBytes(), 4 * (128 + 128) * 64);
  EXPECT_EQ(sm80::GemmPlan(c).tile.threads(), 128);
  EXPECT_EQ(sm80::GemmPlan(c).sums.bytes, 4 * 16 * (64 + 8) * 4);
  EXPECT_EQ(sm80::GemmPlan(ofWarps("sm_75")).tile.threads(), 256);
  c.tileM = 32, c.tileN = 128, c.stages = 2;
  EXPECT_EQ(c.smemBytes(), 2 * (32 + 128) * 64);
  c.tileN = 64;
  EXPECT_EQ(c.smemBytes(), 2 * (32 + 64) * 64);
  EXPECT_EQ(sm80::GemmPlan(c).sums.bytes, 4 * 16 * (32 + 8) * 4);
}
/// A tile for each multiprocessor at least, where there are enough; large tiles for large products.
TEST(WarpGemmPlan, SuitsTheShape) {
  for (const char *target : {"sm_75", "sm_80", "sm_86", "sm_87", "sm_89", "sm_120a", "sm_121a"}) {
    SCOPED_TRACE(target);
    GemmConfig c = ofWarps(target);
    for (const GemmShape &shape :
         {GemmShape{512, 512, 4096}, GemmShape{8192, 8192, 8192}, GemmShape{1, 4096, 4096}}) {
      std::vector<sm80::GemmEstimate> plans = sm80::plans(c, shape);
      ASSERT_GT(plans.size(), 5u);
      EXPECT_TRUE(std::ranges::is_sorted(plans, {}, &sm80::GemmEstimate::total));
      for (const sm80::GemmEstimate &plan : plans) {
        GemmConfig with = c;
        plan.applyTo(with);
        EXPECT_FALSE(refused(with)) << with.name();
        int64_t rows = (shape.m + plan.tileM - 1) / plan.tileM,
                columns = (shape.n + plan.tileN - 1) / plan.tileN;
        EXPECT_EQ(plan.blocks, rows * columns * plan.splitK);
      }
      if (shape.m == 1) {
        EXPECT_EQ(plans.front().tileM, 32);
      }
      if (shape.m == 8192) {
        EXPECT_GE(plans.front().tileM * plans.front().tileN, 128 * 64);
        EXPECT_EQ(plans.front().splitK, 1);
      }
    }
    GemmConfig chosen = sm80::withDefaultTile(c);
    EXPECT_FALSE(refused(chosen)) << chosen.name();
  }
  // 16 tiles of 128 x 128 would leave 92 of 108 multiprocessors without work.
  EXPECT_LT(sm80::plans(ofWarps("sm_80"), {512, 512, 4096}).front().tileM, 128);
  // Nor do four tiles of 32 x 64 give them work, unless a long K is in slices.
  EXPECT_GT(sm80::plans(ofWarps("sm_80"), {64, 128, 32768}).front().splitK, 4);
  GemmConfig c = ofWarps("sm_80");
  c.groups = "batches";
  for (const sm80::GemmEstimate &plan : sm80::plans(c, {64, 128, 32768}))
    EXPECT_EQ(plan.splitK, 1);
}
/// A slice takes a tile of sums, and a tile one counter of the whole block; no more slices than
/// tiles of K.
TEST(WarpGemmPlan, HasAWorkspace) {
  GemmConfig c = ofWarps("sm_80");
  c.tileM = 64, c.splitK = 4;
  EXPECT_EQ(workspaceOf(c, {65, 129, 4096}).sums, 2 * 2 * 4 * 64 * 128);
  EXPECT_EQ(workspaceOf(c, {65, 129, 4096}).counters, 2 * 2);
  EXPECT_EQ(workspaceOf(c, {64, 128, 96}).sums, 3 * 64 * 128); // 32 elements a tile
  EXPECT_EQ(c.smemBytes(), 4 * (64 + 128) * 64 + 16);
}
TEST(AttentionPlan, PiecesFollowEachOther) {
  AttentionConfig c = AttentionConfig{.headDim = 64, .consumers = 3, .tileN = 128};
  AttentionPlan plan(c);
  EXPECT_EQ(plan.k.start, 192 * 64 * 2);
  EXPECT_EQ(plan.v.start, plan.k.start + 2 * 128 * 64 * 2);
  EXPECT_EQ(c.smemBytes(), plan.v.start + 2 * 128 * 64 * 2 + (1 + 4 * 2) * 8);
  // Where blocks take several tiles O has a place of its own, and Q a barrier more.
  AttentionConfig several = c.complete();
  EXPECT_TRUE(several.persistent);
  EXPECT_EQ(several.smemBytes(), c.smemBytes() + 192 * 64 * 2 + 8);
  for (const AttentionConfig &without :
       {AttentionConfig{.takesSeveral = false}, AttentionConfig{.element = "f8E4M3FN"},
        AttentionConfig{.varlen = true}, AttentionConfig{.headDim = 192}, // no room beside Q
        AttentionConfig{.headDim = 256}, AttentionConfig{.stages = 3, .splits = 2}})
    EXPECT_FALSE(without.complete().persistent) << without.name();
}

static AttentionConfig tensorAttention(AttentionConfig c = {}) {
  c.target = *atom::Target::parse("sm_100a");
  return c.complete();
}
/// Hopper's pieces, of 256 queries; then two barriers of each consumer, a word.
TEST(TensorAttentionPlan, PiecesFollowHoppers) {
  AttentionConfig c = tensorAttention();
  EXPECT_EQ(c.name(), "m256n128d128_s2_bf16");
  int64_t tiles = (256 + 2 * 128 + 2 * 128) * 128 * 2, barriers = (1 + 4 * 2) * 8;
  EXPECT_EQ(c.smemBytes(), tiles + (barriers + 2 * 2 * 8 + 7) / 8 * 8 + 4);
  sm100::AttentionPlan plan(c);
  EXPECT_EQ(plan.boxO().elements(), 32 * 64);
  EXPECT_EQ(plan.columns(), 512); // S and O of 128 columns each, twice
  EXPECT_EQ(plan.threads(), 3 * 128);
  EXPECT_TRUE(plan.registers().fits(c.consumers));
  c = tensorAttention({.headDim = 64, .alibi = true});
  EXPECT_TRUE(sm100::AttentionPlan(c).registers().fits(c.consumers));
  c = tensorAttention({.headDim = 256});
  EXPECT_EQ(c.name(), "m128n64d256_s2_bf16");
  EXPECT_EQ(sm100::AttentionPlan(c).columns(), 512); // the power of two after 64 + 256
  EXPECT_EQ(sm100::AttentionPlan(c).threads(), 6 * 32);
  EXPECT_EQ(sm100::AttentionPlan(tensorAttention({.headDim = 64, .consumers = 1})).columns(), 256);
}

/// Slices of 16 columns, each with room for one row more; and four words. `shared` is what two
/// blocks may have, with 1 KiB that the system takes of each.
TEST(WarpAttentionPlan, TwoBlocksFitAMultiprocessor) {
  auto end = [](int64_t start, int rows, int columns) { // start: at the next 128 bytes
    return (start + 127) / 128 * 128 + columns / 16 * (rows + 1) * 32;
  };
  for (auto [target, headDim, causal, name, shared] :
       {std::tuple("sm_80", 64, false, "m128n64d64_s1_f16", 164),
        {"sm_80", 96, true, "m128n64d96_s1_f16_causal", 164},
        {"sm_80", 128, false, "m128n64d128_s1_f16", 164},
        {"sm_80", 128, true, "m128n64d128_s1_f16_causal", 164},
        {"sm_87", 256, false, "m64n32d256_s1_f16", 164},
        {"sm_86", 64, false, "m128n64d64_s1_f16", 100},
        {"sm_89", 96, false, "m128n64d96_s1_f16", 100},
        {"sm_86", 128, false, "m128n32d128_s1_f16", 100},
        {"sm_120a", 128, true, "m64n64d128_s1_f16_causal", 100},
        {"sm_89", 192, true, "m64n32d192v128_s1_f16_causal", 100},
        {"sm_75", 64, false, "m128n32d64_s1_f16", 64},
        {"sm_86", 256, false, "m64n64d256_s1_f16", 0},     // one block
        {"sm_75", 128, false, "m128n32d128_s1_f16", 0}}) { // likewise
    SCOPED_TRACE(cat(target, " ", headDim));
    AttentionConfig c = AttentionConfig{.element = "f16",
                                        .headDim = headDim,
                                        .causal = causal,
                                        .stages = 1,
                                        .target = *atom::Target::parse(target)}
                            .complete();
    EXPECT_EQ(c.name(), name);
    int64_t bytes = end(end(0, c.tileM(), headDim), c.tileN, headDim);
    EXPECT_EQ(c.smemBytes(), end(bytes, c.tileN, c.valueDims()) + 16);
    const int64_t reserved = c.target.number() == 75 ? 0 : 1024;
    if (shared)
      EXPECT_LE(2 * (c.smemBytes() + reserved), shared * 1024);
  }
}
/// Of few queries: Q, K and V, and in their place 64 rows of sums, each with room for 8 words more,
/// and 64 pairs of words; then at a multiple of 1024 the flag of teams.
TEST(WarpAttentionPlan, SumsOfFewQueriesTakeThePlaceOfTiles) {
  for (auto [target, headDim, teams, name, bytes] :
       {std::tuple("sm_80", 128, 1, "m64n32d128_s3_f16_decode1", 8 * 65 * 32 + 6 * 8 * 33 * 32),
        {"sm_80", 64, 1, "m64n64d64_s3_f16_decode1", 4 * 65 * 32 + 6 * 4 * 65 * 32},
        {"sm_86", 64, 1, "m64n32d64_s3_f16_decode1", 4 * 65 * 32 + 6 * 4 * 33 * 32},
        {"sm_75", 64, 1, "m64n64d64_s1_f16_decode1", 3 * 4 * 65 * 32},
        {"sm_75", 64, 4, "m64n64d64_s1_f16_decode1x4", 25 * 1024 + 4}}) {
    SCOPED_TRACE(cat(target, " ", headDim));
    AttentionConfig c{.element = "f16",
                      .headDim = headDim,
                      .splits = 8,
                      .teams = teams,
                      .target = *atom::Target::parse(target)};
    c.stages = c.stagesThere(), c.splits = c.splitsThere(c.splits);
    c = c.complete();
    EXPECT_EQ(c.name(), name);
    sm80::AttentionPlan plan(c);
    EXPECT_EQ(plan.sums.start, plan.q.start);
    EXPECT_EQ(plan.sums.bytes, (64 * (headDim + 8) + 128) * 4);
    EXPECT_NEAR(double(c.smemBytes()), bytes, 6 * 128); // each tile begins at a multiple of 128
    EXPECT_GE(plan.memory.bytes(), plan.sums.end());
  }
}
/// Eight rows of 16 bytes that lanes copy, and eight that ldmatrix reads, lie in all banks.
TEST(SlicedTile, LiesInAllBanks) {
  for (int columns : {64, 96, 128, 192, 256})
    for (int rows : {16, 64, 128}) {
      sm80::SlicedTile tile(rows, columns);
      auto place = [&](int row, int piece) {
        int there = piece % 2 ^ (row / sm80::SlicedTile::exchangedRows % 2);
        return (piece / 2 * tile.stride() + row * 16 + there * 8) * 2 / 16 % 8;
      };
      for (int piece = 0; piece < columns / 8; ++piece)
        for (int row = 0; row < rows; row += 8) {
          std::set<int> read;
          for (int i = 0; i < 8; ++i)
            read.insert(place(row + i, piece));
          EXPECT_EQ(read.size(), 8u) << columns << " " << piece;
        }
      const int lanes = tile.lanes(); // eight of a row, or four of a row and of the second next
      for (int first = 0; first < columns / 8; first += lanes) {
        std::set<int> copied;
        for (int i = 0; i < 8; ++i)
          copied.insert(place(i / lanes * 2, first + i % lanes));
        EXPECT_EQ(copied.size(), 8u) << columns << " " << first;
      }
    }
}

TEST(Registers, FitTheBlock) {
  EXPECT_TRUE(GemmPlan::registers.fits(GemmPlan::consumers));
  for (int consumers : {2, 3}) {
    AttentionConfig c{.consumers = consumers};
    EXPECT_TRUE(AttentionPlan(c).registers().fits(consumers));
  }
  AttentionConfig narrow{.element = "f8E4M3FN", .consumers = 2};
  EXPECT_TRUE(AttentionPlan(narrow).registers().fits(2));
  EXPECT_FALSE((RegisterBudget{40, 240}.fits(2)));
  // ptxas gives each of 384 threads 168 registers, not a third of 512.
  EXPECT_FALSE((RegisterBudget{80, 216}.fits(2)));
  // Of few queries: two blocks, or one that takes more shared memory.
  AttentionConfig few = AttentionConfig{.stages = 3, .splits = 8}.complete();
  EXPECT_EQ(AttentionPlan(few).together(), 2);
  EXPECT_TRUE(AttentionPlan(few).registers().fits(2));
  few.tileN = 128;
  EXPECT_EQ(AttentionPlan(few).together(), 1);
}
TEST(AttentionPlan, PartsFillTheMultiprocessorsOnce) {
  for (auto [groups, parts] :
       {std::pair(1, 8), {8, 8}, {16, 8}, {32, 4}, {64, 2}, {119, 2}, {120, 1}, {1024, 1}})
    EXPECT_EQ(partsFor(groups), parts) << groups;
}
/// What was fastest on an H200 (docs/benchmarks.md); of one or two heads in clusters, which reach
/// 120 of its multiprocessors.
TEST(AttentionPlan, TeamsFillTheMultiprocessorsOnce) {
  using Parts = std::pair<int, int>;
  for (auto [groups, splits, teams] : {std::tuple(1, 8, 15),
                                       {2, 4, 15},
                                       {4, 2, 16},
                                       {8, 1, 16},
                                       {16, 1, 8},
                                       {32, 1, 4},
                                       {66, 1, 2},
                                       {67, 1, 1},
                                       {1024, 1, 1}})
    EXPECT_EQ(teamsFor(groups), Parts(splits, teams)) << groups;
}

TEST(Activations, AreFoundByName) {
  for (const char *name : {"relu", "gelu", "silu"}) {
    const Activation *found = findActivation(name);
    ASSERT_TRUE(found) << name;
    EXPECT_TRUE(found->of);
  }
  ASSERT_TRUE(findActivation("none"));
  EXPECT_FALSE(findActivation("none")->of);
  EXPECT_FALSE(findActivation("tanh"));
}

namespace {
/// Writes a program, and expects no mistake, a module, and a line of the kernels' sources at each
/// operation of the kernel.
template <class Config> void expectProgram(const Config &config, void (*build)(const Config &)) {
  ASSERT_FALSE(refused(config)) << refused(config)->text;
  mlir::MLIRContext mlirContext;
  dsl::Context context(&mlirContext, config.target);
  build(config);
  for (const dsl::Mistake &mistake : context.mistakes())
    ADD_FAILURE() << mistake.str();
  mlir::OwningOpRef<mlir::ModuleOp> module = context.finish();
  ASSERT_TRUE(module);
  size_t operations = 0;
  module->walk([&](mlir::Operation *op) {
    if (mlir::isa<mlir::ModuleOp>(op))
      return;
    ++operations;
    auto at = mlir::dyn_cast<mlir::FileLineColLoc>(op->getLoc());
    ASSERT_TRUE(at) << op->getName().getStringRef().str();
    EXPECT_TRUE(at.getFilename().getValue().contains("tessera/kernels/"))
        << at.getFilename().str() << " " << op->getName().getStringRef().str();
  });
  EXPECT_GT(operations, 100u);
}
} // namespace

TEST(Programs, EveryFormOfTheGemm) {
  GemmConfig plain;
  std::vector<GemmConfig> forms(8, plain);
  forms[1].a = forms[1].b = "f8E4M3FN", forms[1].scales = forms[1].alpha = true;
  forms[2].c = true, forms[2].tileN = 192, forms[2].bias = "f32", forms[2].activation = "gelu";
  forms[3].cluster = 2, forms[3].major = "mm";
  forms[4].a = forms[4].b = "u8", forms[4].d = "i32", forms[4].splitK = 2;
  forms[5].a = forms[5].b = "tf32", forms[5].d = "f32", forms[5].tileN = 64, forms[5].c = true;
  forms[6].splitK = 3, forms[6].tileN = 64, forms[6].bias = "bf16", forms[6].activation = "silu";
  forms[7].activation = "relu", forms[7].tileN = 128, forms[7].stages = 6;
  GemmConfig pingpong;
  pingpong.pingpong = true, pingpong.tileN = 128;
  forms.resize(13, pingpong);
  forms[9].tileM = 64, forms[9].tileN = 256, forms[9].cluster = 2, forms[9].major = "mm";
  forms[10].tileN = 160, forms[10].stages = 3, forms[10].d = "f32";
  forms[11].c = true, forms[11].bias = "f32", forms[11].activation = "gelu";
  forms[12] = plain, forms[12].tileN = 144;
  for (const GemmConfig &form : forms) {
    SCOPED_TRACE(form.name());
    expectProgram(form, buildGemm);
  }
}
TEST(Programs, EveryFormOfTheTensorGemm) {
  std::vector<GemmConfig> forms(8, blackwell());
  forms[7].a = forms[7].b = "f8E4M3FN", forms[7].factors = true, forms[7].tileN = 128;
  forms[1].a = forms[1].b = "f8E4M3FN", forms[1].scales = forms[1].alpha = true;
  forms[2].c = true, forms[2].tileN = 192, forms[2].bias = "f32", forms[2].activation = "gelu";
  forms[3].pair = true, forms[3].major = "mm", forms[3].stages = 6;
  forms[4].a = forms[4].b = "u8", forms[4].d = "i32", forms[4].dynamic = true;
  forms[5].a = forms[5].b = "tf32", forms[5].d = "f32", forms[5].tileN = 64, forms[5].c = true;
  forms[6].pair = forms[6].dynamic = true, forms[6].tileN = 128, forms[6].bias = "bf16";
  for (const GemmConfig &form : forms) {
    SCOPED_TRACE(form.name());
    expectProgram(form, buildGemm);
  }
}
/// Each bit is an option.
static AttentionConfig variant(unsigned bits) {
  return {.headDim = 64,
          .causal = bits == 5,
          .window = bool(bits & 1),
          .softcap = bool(bits & 2),
          .alibi = bool(bits & 4),
          .varlen = bool(bits & 8)};
}
TEST(Programs, EveryFormOfTheWarpGemm) {
  for (const char *target : {"sm_75", "sm_80", "sm_89"})
    for (const char *major : {"kk", "mm"}) {
      GemmConfig form = ofWarps(target);
      form.major = major, form.stages = 2, form.c = form.alpha = form.scales = true;
      form.bias = "f32", form.activation = "gelu", form.groups = "batches";
      SCOPED_TRACE(cat(target, " ", form.name()));
      expectProgram(form, buildGemm);
    }
}
TEST(Programs, EveryFormOfTensorAttention) {
  for (int headDim : {64, 96, 128, 192, 256})
    for (bool causal : {false, true})
      expectProgram(tensorAttention({.headDim = headDim, .causal = causal}), buildAttention);
  for (unsigned bits = 1; bits < 16; ++bits) {
    AttentionConfig form = variant(bits);
    SCOPED_TRACE(form.complete().name());
    expectProgram(tensorAttention(form), buildAttention);
  }
}
TEST(Programs, EveryFormOfAttentionByWarps) {
  for (const char *target : {"sm_75", "sm_80", "sm_89", "sm_120a"})
    for (int headDim : {64, 96, 128, 192, 256})
      for (bool causal : {false, true}) {
        AttentionConfig form{.element = "f16",
                             .headDim = headDim,
                             .causal = causal,
                             .stages = 1 + causal,
                             .target = *atom::Target::parse(target)};
        if (refused(form)) // one stage alone fits
          form.stages = 1;
        SCOPED_TRACE(form.complete().name());
        expectProgram(form, buildAttention);
      }
  AttentionConfig all{.headDim = 64,
                      .causal = true,
                      .window = true,
                      .softcap = true,
                      .alibi = true,
                      .varlen = true,
                      .lse = true,
                      .target = *atom::Target::parse("sm_86")};
  expectProgram(all, buildAttention);
}
TEST(Programs, EveryFormOfFewQueriesByWarps) {
  for (const char *target : {"sm_75", "sm_80", "sm_89", "sm_120a"})
    for (int headDim : {64, 96, 128})
      for (int pageSize : {0, 16}) {
        AttentionConfig form{.element = "f16",
                             .headDim = headDim,
                             .causal = pageSize == 0,
                             .window = pageSize == 16,
                             .splits = 8,
                             .teams = 1 + pageSize,
                             .pageSize = pageSize,
                             .target = *atom::Target::parse(target)};
        form.stages = form.stagesThere(), form.splits = form.splitsThere(form.splits);
        SCOPED_TRACE(form.complete().name());
        expectProgram(form, buildAttention);
      }
}
TEST(Programs, EveryFormOfAttention) {
  for (int headDim : {64, 96, 128, 192, 256})
    for (bool causal : {false, true}) {
      AttentionConfig form{.headDim = headDim, .causal = causal};
      SCOPED_TRACE(form.complete().name());
      expectProgram(form, buildAttention);
    }
  for (unsigned bits = 0; bits < 16; ++bits) {
    AttentionConfig form = variant(bits);
    SCOPED_TRACE(form.complete().name());
    expectProgram(form, buildAttention);
  }
}
/// Rows of every kind: which threads have them, by hand.
TEST(RowPlan, FollowsTheLengthOfARow) {
  struct {
    const char *element;
    int columns, vectors, threads, ofBlock, cluster;
  } expected[] = {
      {"bf16", 1, 1, 1, 128, 1},        {"bf16", 64, 4, 2, 128, 1},
      {"bf16", 1000, 4, 32, 128, 1},    {"bf16", 1025, 3, 64, 64, 1},
      {"bf16", 4096, 4, 128, 128, 1},   {"f32", 4096, 4, 256, 256, 1},
      {"bf16", 16384, 4, 512, 512, 1},  {"bf16", 20000, 4, 320, 320, 2},
      {"bf16", 128256, 4, 512, 512, 8}, {"bf16", 200000, 4, 800, 800, 8},
  };
  for (auto [element, columns, vectors, threads, ofBlock, cluster] : expected) {
    SCOPED_TRACE(columns);
    RowConfig c{.kernel = "softmax-backward", .element = element, .columns = columns};
    EXPECT_FALSE(refused(c));
    rows::RowPlan plan(c.complete());
    EXPECT_EQ(plan.vectors, vectors);
    EXPECT_EQ(plan.threads, threads);
    EXPECT_EQ(plan.threadsOfBlock(), ofBlock);
    EXPECT_EQ(plan.cluster, cluster);
    EXPECT_GE(plan.capacity(), columns);
  }
}
TEST(RowPlan, TakesLongRowsPieceByPiece) {
  struct {
    const char *element;
    int columns;
    bool pieces;
  } expected[] = {
      {"bf16", 16384, false}, {"bf16", 16385, true}, {"f32", 8192, false}, {"f32", 1 << 30, true}};
  for (auto [element, columns, pieces] : expected) {
    SCOPED_TRACE(columns);
    RowConfig c{.kernel = "softmax", .element = element, .columns = columns};
    EXPECT_FALSE(refused(c));
    rows::RowPlan plan(c.complete());
    EXPECT_EQ(plan.pieces, pieces);
    EXPECT_EQ(plan.threads, 512);
    EXPECT_EQ(plan.cluster, 1);
  }
}
TEST(Programs, EveryKernelOfRows) {
  for (const RowKernelInfo &info : rowKernels())
    for (int columns : {128, 3000, 40000}) {
      RowConfig form{.kernel = std::string(info.name), .columns = columns};
      SCOPED_TRACE(form.complete().name());
      expectProgram(form, buildRows);
    }
}
TEST(Programs, EveryFormOfFewQueries) {
  for (int headDim : {64, 128})
    for (int splits : {1, 8}) {
      AttentionConfig form{
          .headDim = headDim, .causal = splits == 1, .stages = 3, .splits = splits};
      SCOPED_TRACE(form.complete().name());
      expectProgram(form, buildAttention);
    }
}
TEST(Programs, ManyProducts) {
  for (const char *groups : {"batches", "masked", "contiguous"})
    for (int cluster : {1, 2}) {
      GemmConfig form;
      form.groups = groups, form.cluster = cluster;
      form.c = form.groups != "contiguous";
      form.bias = "f32", form.d = cluster == 1 ? "f32" : "bf16", form.tileN = 128;
      SCOPED_TRACE(form.name());
      expectProgram(form, buildGemm);
    }
}
TEST(Refusals, OfParts) {
  auto why = refused(AttentionConfig{.splits = 3});
  ASSERT_TRUE(why);
  EXPECT_EQ(why->text,
            "expects the keys in 1, 2, 4 or 8 parts, as these are blocks of a cluster, but got 3");
}
TEST(Programs, EveryFormOfTheSwappedGemm) {
  GemmConfig plain;
  plain.swap = true, plain.tileM = 16, plain.tileN = 128;
  std::vector<GemmConfig> forms(6, plain);
  forms[1].a = forms[1].b = "f8E4M3FN", forms[1].scales = forms[1].alpha = true, forms[1].tileM = 8;
  forms[2].c = true, forms[2].bias = "f32", forms[2].activation = "gelu", forms[2].splitK = 8;
  forms[3].tileM = 64, forms[3].major = "mm", forms[3].tileN = 64, forms[3].splitK = 2;
  forms[4].a = forms[4].b = "u8", forms[4].d = "i32", forms[4].splitK = 4;
  forms[5].a = forms[5].b = "tf32", forms[5].d = "f32", forms[5].tileM = 256, forms[5].stages = 2;
  for (const GemmConfig &form : forms) {
    SCOPED_TRACE(form.name());
    expectProgram(form, buildGemm);
  }
}
