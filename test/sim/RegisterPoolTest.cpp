// Registers that warps give to others by setmaxnreg.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What kernels have at entry is what ptxas 13.0 -v says of an empty kernel with setmaxnreg.inc 240
// and the directives of a row. An H200 waits forever for the 112 registers of the first deadlock.
#include "Harness.h"

#include "tessera/sim/Program.h"
#include "tessera/sim/RegisterPool.h"

namespace tessera::sim::test {

namespace {

TEST(Registers, AtEntry) {
  struct Row {
    uint32_t threads, blocks, registers;
  };
  for (const Row &row : std::initializer_list<Row>{{384, 1, 168},
                                                   {384, 2, 80},
                                                   {384, 3, 56},
                                                   {512, 1, 128},
                                                   {512, 2, 64},
                                                   {640, 1, 96},
                                                   {768, 1, 80},
                                                   {1024, 1, 64},
                                                   {256, 2, 128},
                                                   {256, 3, 80},
                                                   {128, 4, 128},
                                                   {128, 3, 168},
                                                   {128, 5, 96},
                                                   {416, 1, 128},
                                                   {288, 1, 168},
                                                   {320, 1, 168},
                                                   {160, 2, 168}})
    for (auto extents : {&Function::required, &Function::atMost}) {
      Function kernel;
      kernel.*extents = {row.threads, 1, 1};
      kernel.blocks = row.blocks;
      EXPECT_EQ(RegisterPool(kernel, row.threads / 32).atEntry(), row.registers)
          << row.threads << " threads, " << row.blocks << " blocks";
    }
  Function kernel;
  EXPECT_EQ(RegisterPool(kernel, 4).atEntry(), 0u); // ptxas ignores setmaxnreg (C7508)
  kernel.blocks = 1;
  EXPECT_EQ(RegisterPool(kernel, 4).atEntry(), 0u);
  kernel.registers = 100;
  EXPECT_EQ(RegisterPool(kernel, 4).atEntry(), 104u); // a multiple of 8, as hardware gives them
}

/// The first warpgroup gives, the others take, and wait for each other.
Status run(const std::string &directives, int give, int take, uint32_t threads = 384) {
  std::string text = kernelOf(cat("mov.u32 r1, %tid.x;\nsetp.ge.u32 p1, r1, 128;\n@p1 bra others;\n"
                                  "nanosleep.u32 1;\nsetmaxnreg.dec.sync.aligned.u32 ",
                                  give, ";\nbra end;\nothers: setmaxnreg.inc.sync.aligned.u32 ",
                                  take, ";\nbar.sync 1, ", threads - 128, ";\nend:"));
  text.insert(text.find('{', text.find(".entry")), directives + "\n");
  Bench bench;
  return bench.launch(
      text, "k", {.grid = {}, .block = {threads}},
      {bench.buffer(std::vector<uint32_t>(1)), bench.buffer(std::vector<uint32_t>(1))});
}

TEST(Registers, GoToThoseThatWait) {
  const std::string two = ".maxntid 384, 1, 1 .minnctapersm 2",
                    one = ".reqntid 384, 1, 1 .minnctapersm 1";
  EXPECT_TRUE(run(two, 24, 104));
  EXPECT_TRUE(run(one, 24, 240));
  EXPECT_TRUE(run(one, 40, 232));
  EXPECT_TRUE(run("", 24, 240)); // what ptxas leaves out waits for nothing
  EXPECT_TRUE(run(".maxnreg 128", 24, 152, 640));
  for (const auto &[directives, give, take] : {std::tuple{two, 24, 112},
                                               {two, 40, 104},
                                               {one, 40, 240},
                                               {std::string(".maxnreg 128"), 24, 184}}) {
    Status done = run(directives, give, take);
    ASSERT_FALSE(done) << directives << " " << give << " " << take;
    EXPECT_EQ(done.reason().id, "Deadlock");
  }
  std::string text = run(two, 24, 112).reason().text;
  EXPECT_NE(text.find("for 112 registers, where it has 80 and the block 0 more"), text.npos)
      << text;
}

} // namespace

} // namespace tessera::sim::test
