// The model of the GEMM: what it estimates, the rates of a GPU, and how they are fitted to times.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tessera/kernels/choice/GemmFit.h"
#include "tessera/kernels/choice/GemmModel.h"
#include "tessera/kernels/sm90/GemmPlan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

using namespace tessera;
using namespace tessera::kernels;
using namespace tessera::kernels::sm90;

/// The worked example of GemmModel.h, by hand.
TEST(GemmModel, AddsUpWhatAProductTakes) {
  GpuRates gpu{.name = "",
               .sms = 100,
               .clusters = {100, 50, 32, 24, 19, 16, 13, 12},
               .gigahertz = 1,
               .heat = 0,
               .heatTime = 1,
               .memory = 1000,
               .cached = 4000,
               .memoryOfOne = 1e9,
               .l2 = 1e9,
               .l2OfOne = 64,
               .l2Bytes = 1e6,
               .shared = 128,
               .misaligned = 3,
               .beyond = 1e9,
               .beyondOfOne = 0,
               .latency = 0,
               .memoryLatency = 0,
               .fresh = 0.5,
               .apart = 0,
               .stage = 10,
               .scaling = 5,
               .widening4 = 0,
               .widening8 = 0,
               .launch = 3,
               .cluster = 0.5,
               .alone = 0.125,
               .slice = 0.25,
               .block = 0.01,
               .round = 0.75,
               .exchange = 100,
               .first = 1,
               .last = 2,
               .walkStage = 20,
               .walkCluster = 0.5,
               .walkLast = 4,
               .sharpness = 1};
  GemmConfig c;
  c.swap = true, c.tileM = 64, c.tileN = 64, c.stages = 12, c.splitK = 2;
  GemmEstimate e = estimate(c, {64, 512, 1024}, gpu);
  EXPECT_EQ(e.blocks, 16); // 8 tiles of 64 columns, 2 slices of 8 tiles of K
  EXPECT_DOUBLE_EQ(e.tensorCores, 8 * (128 + 10) * 1e-3);
  EXPECT_DOUBLE_EQ(e.cache, 8 * (128 * 128 / 64) * 1e-3);
  EXPECT_DOUBLE_EQ(e.memory, (576 * 1024 + 64 * 512) * 2.0 / 1000 * 1e-3);
  double exchanged = 16 * 64 * 64 * 4.0 / 100 * 1e-3;
  EXPECT_NEAR(e.fixed, 3 + 1 + 16 * 0.01 + 2 * 0.25 + 0.5 + 0.125 + 0.25 + exchanged, 1e-9);
  EXPECT_NEAR(e.total, e.tensorCores + e.cache + e.memory + e.fixed, 1e-9); // a sharpness of 1
  EXPECT_EQ(e.limit(), "launch");
  // Of 2, the root of the sum of squares. A very large one leaves the longest.
  gpu.sharpness = 2;
  e = estimate(c, {64, 512, 1024}, gpu);
  EXPECT_NEAR(e.total, std::hypot(e.tensorCores, e.cache, e.memory) + e.fixed, 1e-9);
  gpu.sharpness = 200;
  EXPECT_NEAR(estimate(c, {64, 512, 1024}, gpu).total, 8 * 256 * 1e-3 + e.fixed, 1e-3);
  // Few stages leave room for a second block, and slices then cost less.
  c.stages = 4;
  EXPECT_NEAR(estimate(c, {64, 512, 1024}, gpu).fixed, e.fixed - 0.125, 1e-9);
  c.stages = 12;
  // 34 tiles in three slices are 34 clusters, of which 32 run at once: a second round.
  // It begins with loads of its own.
  c.splitK = 3;
  GemmEstimate two = estimate(c, {64, 34 * 64, 3072}, gpu),
               one = estimate(c, {64, 32 * 64, 3072}, gpu);
  EXPECT_NEAR(two.tensorCores, 2 * 16 * (128 + 10) * 1e-3, 1e-9);
  EXPECT_NEAR(one.tensorCores, 16 * (128 + 10) * 1e-3, 1e-9);
  double more = 6 * (0.01 + 64 * 64 * 4.0 / 100 * 1e-3); // blocks
  EXPECT_NEAR(two.fixed - one.fixed, 0.75 + 2 * 0.25 + more, 1e-9);
  // Two tiles of rows that read the same of B: their clusters lie between them.
  gpu.apart = 0.5;
  EXPECT_NEAR(estimate(c, {128, 512, 1024}, gpu).cache, 1.5 * 6 * (128 * 128 / 64) * 1e-3, 1e-9);
  // One slice: half the blocks, each with all tiles of K, and no exchange.
  c.splitK = 1;
  e = estimate(c, {64, 512, 1024}, gpu);
  EXPECT_EQ(e.blocks, 8);
  // Eight multiprocessors get at most 8 x 100 of 4000 bytes in a nanosecond.
  gpu.memoryOfOne = 100;
  double operands = (576 * 1024 + 64 * 512) * 2.0;
  EXPECT_NEAR(estimate(c, {64, 512, 1024}, gpu).memory, operands / (8 * 100) * 1e-3, 1e-9);
  gpu.memoryOfOne = 1e9;
  EXPECT_NEAR(e.total, 16 * 256 * 1e-3 + 3 + 1 + 8 * 0.01 + 2 * 0.25, 1e-3);
  // Rows of 1032 elements do not begin at multiples of 128 bytes; the last tile of K counts whole.
  e = estimate(c, {64, 512, 1032}, gpu);
  EXPECT_DOUBLE_EQ(e.cache, 17 * 3 * (128 * 128 / 64) * 1e-3);
  // 2 x 208 tiles of 128 x 64 for 100 multiprocessors: the busiest has 5. The products of a stage
  // are 256 cycles; each tile's sums go to D after its products, in half the time of 128 x 64.
  c = GemmConfig();
  c.tileN = 64;
  GemmShape many{256, 208 * 64, 1024};
  e = estimate(c, many, gpu);
  EXPECT_EQ(e.blocks, 416);
  EXPECT_DOUBLE_EQ(e.tensorCores, 5 * 16 * (256 + 20) * 1e-3);
  EXPECT_DOUBLE_EQ(e.cache, 5 * 16 * (192 * 128 / 64) * 1e-3);
  EXPECT_NEAR(e.fixed, 3 + 1 + 100 * 0.01 + 5 * 1, 1e-9);
  // Ping-pong: one tile's way to D, which one group of warps goes alone; the other four are hidden.
  c.pingpong = true;
  EXPECT_NEAR(estimate(c, many, gpu).fixed, 3 + 1 + 100 * 0.01 + 2, 1e-9);
  EXPECT_DOUBLE_EQ(estimate(c, many, gpu).tensorCores, e.tensorCores);
  // Pairs of blocks load half of B's rows each.
  c.cluster = 2;
  e = estimate(c, many, gpu);
  EXPECT_DOUBLE_EQ(e.cache, 5 * 16 * (160 * 128 / 64) * 1e-3);
  EXPECT_NEAR(e.fixed, 3 + 1 + 100 * 0.01 + 2 + 0.5, 1e-9);
  // 32 of 256 rows of A are beyond the last one, for 208 tiles of columns in 16 tiles of K each:
  // 106,496 rows at 2 of a nanosecond, beside loads of all that take next to nothing, are longer
  // than the loads of one block; or one tile's 32 rows of 16 tiles of K take 40 cycles besides.
  gpu.beyond = 2;
  EXPECT_NEAR(estimate(c, {224, 208 * 64, 1024}, gpu).edges, 208 * 16 * 32 / 2 * 1e-3 - e.cache,
              1e-3);
  gpu.beyond = 1e9, gpu.beyondOfOne = 40;
  EXPECT_NEAR(estimate(c, {224, 208 * 64, 1024}, gpu).edges, 16 * 32 * 40 * 1e-3, 1e-9);
  // 8 of 64 rows of B, of which each block of a cluster loads half.
  EXPECT_NEAR(estimate(c, {256, 208 * 64 - 8, 1024}, gpu).edges, 16 * 4 * 40 * 1e-3, 1e-9);
  // Operands of 14 MB do not fit a cache of 1 MB. The busiest has five tiles of 16 stages, four of
  // which are loaded at once; of what is loaded, a part comes from memory.
  gpu.latency = 100, gpu.memoryLatency = 500;
  double bytes = (256 * 1024 + 208 * 64 * 1024 + 256 * 208 * 64) * 2.0,
         loads = 416 * 16 * 160 * 128;
  e = estimate(c, many, gpu);
  EXPECT_NEAR(e.waits, 5 * 16 / 4.0 * (100 + 400 * std::sqrt(bytes / loads)) * 1e-3, 1e-9);
  // All of them wait alike for a cache that has the operands.
  gpu.l2Bytes = 1e8;
  EXPECT_NEAR(estimate(c, many, gpu).waits, 5 * 16 / 4.0 * 100 * 1e-3, 1e-9);
  // The products take half of a quarter longer when they have taken as long as it takes to get
  // warm.
  double products = e.tensorCores;
  gpu.heat = 0.25, gpu.heatTime = products;
  EXPECT_NEAR(estimate(c, many, gpu).tensorCores, products * 1.125, 1e-9);
  // D of 32 bits takes twice as long, and exponentials three times.
  c.d = "f32", c.activation = "gelu";
  EXPECT_NEAR(estimate(c, many, gpu).fixed, 3 + 1 + 100 * 0.01 + 6 * 2 + 0.5, 1e-9);
}
/// Measured on an H200, 2026-11-27 (docs/benchmarks.md): tiles that fill the rounds of blocks; and
/// taking turns where the way to D is long beside the products.
TEST(GemmModel, FitsTilesToShapesAndTakesTurns) {
  auto chosen = [](const GemmConfig &c, GemmShape shape) {
    return plans(c, shape, ratesOf()).front().schedule;
  };
  GemmConfig c;
  EXPECT_EQ(chosen(c, {512, 4608, 3584}).tileN, 144);
  EXPECT_EQ(chosen(c, {512, 7168, 2048}).tileN, 224);
  EXPECT_EQ(chosen(c, {2048, 1368, 2056}).tileN, 176);
  GemmSchedule large = chosen(c, {4096, 4096, 4096});
  EXPECT_FALSE(large.pingpong);
  EXPECT_EQ(large.tileN, 256);
  EXPECT_TRUE(chosen(c, {8192, 8192, 512}).pingpong);
  EXPECT_TRUE(chosen(c, {4096, 4096, 512}).pingpong);
  c.d = "f32";
  EXPECT_TRUE(chosen(c, {8192, 4096, 1024}).pingpong);
  c.d = "bf16", c.alpha = true, c.bias = "f32", c.activation = "gelu";
  EXPECT_TRUE(chosen(c, {8192, 4096, 1024}).pingpong);
}
TEST(GemmModel, PlansCanBeBuiltAndAreSorted) {
  for (const char *type : {"bf16", "f8E4M3FN", "tf32", "i8"})
    for (GemmShape shape :
         {GemmShape{1, 64, 64}, {7, 4096, 4096}, {300, 5000, 128}, {9000, 72, 8192}}) {
      GemmConfig c;
      c.a = c.b = type, c.d = c.a == "i8" ? "i32" : "bf16";
      std::vector<GemmEstimate> found = plans(c, shape, ratesOf());
      ASSERT_FALSE(found.empty());
      for (const GemmEstimate &plan : found) {
        plan.schedule.applyTo(c);
        EXPECT_FALSE(refused(c)) << c.name();
        EXPECT_EQ(workspaceOf(c, shape).sums, 0);
        EXPECT_GE(plan.total, 0.999 * std::max({plan.tensorCores, plan.cache, plan.memory,
                                                plan.waits, plan.edges}));
      }
    }
  EXPECT_EQ(ratesOf("of no GPU").name, ratesOf().name);
}
/// Measured on an H200, 2026-11-27: slices fill the GPU whose number is not a power of two.
TEST(GemmModel, CutsKIntoAnyNumberOfSlices) {
  GemmConfig c;
  EXPECT_EQ(plans(c, {16, 4608, 3584}, ratesOf()).front().schedule.splitK, 3);
}

TEST(GemmRates, AreReadAsTheyAreWritten) {
  for (const char *name : {"NVIDIA H200", "NVIDIA H100 80GB HBM3"}) {
    const GpuRates &rates = ratesOf(name);
    EXPECT_EQ(rates.name, name);
    Result<GpuRates> read = GpuRates::parse(rates.str());
    ASSERT_TRUE(read) << read.reason().text;
    EXPECT_EQ(read->str(), rates.str());
    EXPECT_EQ(read->clusters, rates.clusters);
  }
  GpuRates smaller = ratesOf().of("half", 66);
  EXPECT_EQ(smaller.name, "half");
  EXPECT_EQ(smaller.sms, 66);
  EXPECT_EQ(smaller.clusters[1], 33);
  EXPECT_EQ(smaller.clusters[7], 7);
}
TEST(GemmRates, SayWhatIsWrongWithAFile) {
  std::string good = ratesOf().str();
  auto wrong = [&](const std::string &from, const std::string &to) {
    std::string text = good;
    size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    text.replace(at, from.size(), to);
    Result<GpuRates> read = GpuRates::parse(text);
    return read ? "" : read.reason().text;
  };
  EXPECT_EQ(wrong("multiprocessors = 132", "multiprocessors = 0"),
            "line 2 of the rates: expects a name that `tessera calibrate` writes and what it is "
            "given, such as memory = 3984, but got 'multiprocessors = 0'");
  EXPECT_THAT(wrong("clusters = 132 ", "clusters = "), testing::HasSubstr("line 3 of the rates"));
  EXPECT_THAT(wrong("memory = ", "memory = -"), testing::HasSubstr("line 7 of the rates"));
  EXPECT_THAT(wrong("memory = ", "memory = nan"), testing::HasSubstr("line 7 of the rates"));
  EXPECT_THAT(wrong("memory = ", "memroy = "), testing::HasSubstr("memroy"));
  EXPECT_EQ(wrong("launch = ", "# launch = "),
            "the rates have no line for launch; `tessera calibrate` writes all that are needed");
  EXPECT_EQ(wrong("gpu = ", "gpu = x\ngpu = "), "line 2 of the rates: gpu is given a second time");
  EXPECT_EQ(wrong("sharpness = ", "sharpness = 0.5\n# "),
            "the rates: expects sharpness of at least 1, but got 0.5");
}

/// Times that another GPU's model gives: the search finds numbers whose choices cost next to
/// nothing there, and leaves what nobody timed.
TEST(GemmFit, FindsRatesThatExplainTimes) {
  GpuRates truth = ratesOf();
  truth.memory *= 0.6, truth.stage *= 1.7, truth.cluster *= 2, truth.walkStage *= 0.5;
  truth.l2OfOne *= 0.7, truth.exchange *= 0.5;
  std::vector<GemmTimed> times, others;
  GemmConfig c;
  for (const GemmShape &shape : calibrationShapes())
    for (const GemmSchedule &schedule : calibrationSchedules(c, shape, ratesOf(), 12)) {
      GemmTimed timed{c, shape, 0};
      schedule.applyTo(timed.config);
      timed.microseconds = estimate(timed.config, shape, truth).total;
      (shape.m == 128 ? others : times).push_back(timed);
    }
  EXPECT_NEAR(fitnessOf(truth, times).error, 0, 1e-12);
  GemmFitness before = fitnessOf(ratesOf(), times), unseen = fitnessOf(ratesOf(), others);
  GpuRates found = fitted(ratesOf(), times, 3000);
  EXPECT_GT(before.error, 0.1);
  EXPECT_LT(fitnessOf(found, times).error, before.error / 3);
  EXPECT_LT(fitnessOf(found, others).error, unseen.error / 2); // shapes that it has not seen
  EXPECT_LE(fitnessOf(found, times).cost, 0.01);
  EXPECT_EQ(found.sms, ratesOf().sms);
  EXPECT_EQ(found.widening4, ratesOf().widening4);
  EXPECT_EQ(fitted(ratesOf(), times, 100).str(), fitted(ratesOf(), times, 100).str());
}
TEST(GemmFit, ReadsTimesOfTables) {
  auto read = [](const char *text) {
    Result<GemmTable> table = GemmTable::parse(text);
    EXPECT_TRUE(table);
    return timesOf(*table, GemmConfig());
  };
  Result<std::vector<GemmTimed>> times = read(
      "GEMM(bf16, bf16, 64, 512, 1024, 64, 8, 1, 8, 2, 64, swapped) // 0.0125 ms, 5 TFLOP/s\n");
  ASSERT_TRUE(times) << times.reason().text;
  ASSERT_EQ(times->size(), 1u);
  EXPECT_DOUBLE_EQ(times->front().microseconds, 12.5);
  EXPECT_TRUE(times->front().config.swap);
  EXPECT_EQ(read("GEMM(bf16, bf16, 64, 512, 1024, 64, 8, 1, 8, 1)\n").reason().text,
            "expects a comment with a time for each row, as in // 0.0133 ms, but found none at "
            "64x512x1024 --tile-n 64 --stages 8 --cluster 1 --group 8 --split-k 1");
  EXPECT_FALSE(read("GEMM(bf16, bf16, 64, 512, 1024, 64, 8, 1, 8, 1) // 0 ms\n"));
  EXPECT_FALSE(read("GEMM(bf16, bf16, 64, 512, 1024, 320, 8, 1, 8, 1) // 1 ms\n")); // no such tile
}
