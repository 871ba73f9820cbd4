// What --stats and --trace say: counts that follow from the kernel's text, and bank conflicts by
// hand.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Harness.h"

namespace tessera::sim::test {

namespace {

const std::string shared = ".shared .align 128 .b8 tile[8192];\n";

struct Ran {
  Statistics counted;
  std::string output;
};
Ran run(const std::string &body, Limits limits = {.counts = true}) {
  Bench bench(limits);
  uint64_t buffer = bench.buffer(std::vector<uint32_t>(1024));
  Status status =
      bench.launch(kernelOf(body, shared), "k", {.grid = {2}, .block = {64}}, {buffer, buffer});
  EXPECT_TRUE(status) << status.reason().text;
  return {bench.machine.statistics(), bench.machine.takeOutput()};
}

TEST(Meter, CountsByClassAndSpace) {
  Statistics counted =
      run("mov.u32 r1, %tid.x;\nsetp.lt.u32 p1, r1, 16;\n@p1 add.u32 r2, r1, r1;\nmul.wide.u32 d1, "
          "r1, 4;\n"
          "add.u64 d1, d1, in_;\nld.global.v2.u16 {h1, h2}, [d1];\n@p1 st.shared.u64 [tile], d1;\n")
          .counted;
  // Two blocks of two warps; the parameters are two loads of 8 bytes.
  EXPECT_EQ(counted.traffic["global"].reads, 2u * 64 * 4);
  EXPECT_EQ(counted.traffic["shared"].writes, 2u * 16 * 8);
  EXPECT_EQ(counted.traffic["parameter"].reads, 2u * 64 * 16);
  EXPECT_EQ(counted.classes["Memory"].warps, 2u * (3 * 2 + 1));
  EXPECT_EQ(counted.classes["Memory"].threads, 2u * (3 * 64 + 16));
  EXPECT_NE(counted.str().find("shared memory: 0 bytes read, 256 written\n"), std::string::npos)
      << counted.str();
  EXPECT_EQ(run("mov.u32 r1, 1;", {}).counted.classes.size(), 0u);
}

TEST(Meter, BankConflicts) {
  struct Case {
    const char *what, *code;
    uint64_t passes, needed; // of a warp
  };
  const Case cases[] = {
      {"a word each", "shl.b32 r2, r1, 2;\nadd.u32 r3, r40, r2;\nld.shared.u32 r4, [r3];", 1, 1},
      {"the same word", "ld.shared.u32 r4, [tile];", 1, 1},
      {"two words apart", "shl.b32 r2, r1, 3;\nadd.u32 r3, r40, r2;\nld.shared.u32 r4, [r3];", 2,
       1},
      {"a column of 32 words", "shl.b32 r2, r1, 7;\nadd.u32 r3, r40, r2;\nst.shared.u32 [r3], r4;",
       32, 1},
      {"halves of words", "shl.b32 r2, r1, 1;\nadd.u32 r3, r40, r2;\nld.shared.u16 h1, [r3];", 1,
       1},
      {"16 bytes each, by quarters",
       "shl.b32 r2, r1, 4;\nadd.u32 r3, r40, r2;\nld.shared.v4.u32 {r4, r5, r6, r7}, [r3];", 4, 4},
      {"16 bytes, 128 apart",
       "shl.b32 r2, r1, 7;\nadd.u32 r3, r40, r2;\nld.shared.v4.u32 {r4, r5, r6, r7}, [r3];", 32, 4},
  };
  for (const Case &c : cases) {
    Statistics counted = run(cat("mov.u32 r1, %laneid;\nmov.u32 r40, tile;\n", c.code)).counted;
    ASSERT_EQ(counted.banks.size(), 1u) << c.what;
    EXPECT_EQ(counted.banks.begin()->second.passes, 4 * c.passes) << c.what;
    EXPECT_EQ(counted.banks.begin()->second.needed, 4 * c.needed) << c.what;
    EXPECT_EQ(counted.str().find("bank conflicts") != std::string::npos, c.passes > c.needed)
        << c.what;
  }
}

TEST(Meter, ProductsOfTensorCores) {
  std::string product = "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {r1, r2, r3, r4}, {r5, "
                        "r6, r7, r8}, {r9, r10}, {r1, r2, r3, r4};\n";
  EXPECT_EQ(run(product).counted.products, 4u * 2 * 16 * 8 * 16);
}

TEST(Meter, TracesOneWarp) {
  std::string output =
      run(".loc 1 7 2\nmov.u32 r1, %tid.x;\nsetp.lt.u32 p1, r1, 40;\n@p1 add.u32 r2, r1, r1;",
          {.trace = TracedWarp{{1, 0, 0}, 1}})
          .output;
  EXPECT_NE(output.find("lanes 0xffffffff: mov.u32 r1, %tid.x;"), std::string::npos) << output;
  EXPECT_NE(output.find("lanes 0xff: @p1 add.u32 r2, r1, r1;"), std::string::npos) << output;
  EXPECT_EQ(output.find("setp"), output.rfind("setp")) << output;
}

/// The parameters are 16 bytes, the load 4; the store, past the end of its buffer, moves nothing.
TEST(Meter, AnAccessThatFaultsMovesNoBytes) {
  Bench bench({.counts = true});
  uint64_t buffer = bench.buffer(std::vector<uint32_t>(4));
  Status status = bench.launch(kernelOf("ld.global.u32 r1, [in_];\nst.global.u32 [out_+16], r1;"),
                               "k", {.grid = {}, .block = {1}}, {buffer, buffer});
  ASSERT_FALSE(status);
  EXPECT_EQ(status.reason().id, "OutOfBounds");
  Statistics counted = bench.machine.statistics();
  EXPECT_EQ(counted.traffic["parameter"].reads, 16u);
  EXPECT_EQ(counted.traffic["global"].reads, 4u);
  EXPECT_EQ(counted.traffic["global"].writes, 0u);
  EXPECT_EQ(counted.classes["Memory"].threads, 4u); // the instruction has run
}

/// Block 0 never ends, and makes room for block 1, which faults: both have run.
TEST(Meter, CountsBlocksThatAFaultOfOthersEnded) {
  Bench bench({.hostThreads = 1, .counts = true});
  uint64_t buffer = bench.buffer(std::vector<uint32_t>(4));
  Status status = bench.launch(kernelOf("mov.u32 r1, %ctaid.x;\nsetp.eq.u32 p1, r1, 0;\n"
                                        "again:\n@p1 bra again;\nst.global.u32 [out_+16], r1;"),
                               "k", {.grid = {2}, .block = {1}}, {buffer, buffer});
  ASSERT_FALSE(status);
  EXPECT_EQ(status.reason().id, "OutOfBounds");
  Statistics counted = bench.machine.statistics();
  uint64_t threads = 0;
  for (const auto &[title, count] : counted.classes)
    threads += count.threads;
  EXPECT_EQ(threads, counted.threadInstructions);
  EXPECT_GT(threads, 1000u); // of block 0 alone: block 1 runs five instructions
  EXPECT_EQ(counted.traffic["parameter"].reads, 2u * 16);
}

TEST(Meter, TellsHowFarItIs) { // nothing within two seconds
  size_t told = 0;
  run("mov.u32 r1, 1;", {.progress = [&](const std::string &) { ++told; }});
  EXPECT_EQ(told, 0u);
}

} // namespace

} // namespace tessera::sim::test
