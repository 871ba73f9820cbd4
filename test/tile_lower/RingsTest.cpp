// Rings of stages between a warp that loads and threads that multiply: how many loops share them,
// how many blocks and registers they leave.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Products.h"

#include <gtest/gtest.h>

using namespace tessera;
using namespace tessera::tile_lower::test;

/// Threads that load give registers to the others, which wait for as many as there are.
TEST(Rings, RegistersOfBlocks) {
  driver::Compiler compiler;
  for (auto [tileN, blocks] : {std::pair{32, 2}, {32, 3}, {64, 2}, {64, 3}}) {
    Gemm g{.tileM = 128, .tileN = tileN, .tileK = 128, .m = 200, .n = 72, .k = 1000};
    g.entryHint = cat("default = {occupancy = ", blocks, ", num_worker_warps_per_cta = 8}");
    EXPECT_EQ(differenceOf(compiler, g, {.body = oneLoop, .grid = gridOf(g)}, ""), "") << nameOf(g);
  }
}

/// The ring goes on from loop to loop, and around in an outer one.
TEST(Rings, SeveralLoops) {
  driver::Compiler compiler;
  std::string two =
      loop("p", "%start", "%zero", "%half") + loop("q", "%p", "%half", "%steps") + store("%q", "q");
  // Blocks take tiles in turn, as persistent kernels do.
  std::string persistent = cat(R"(
    %tiles = muli %rows, %columns : tile<i32>
    for %t in (%x to %tiles, step %gx) : tile<i32> {
    %tx = divi %t, %columns signed : tile<i32>
    %ty = remi %t, %columns signed : tile<i32>)",
                               loop("p", "%start", "%zero", "%steps", "%tx", "%ty"),
                               store("%p", "p", "%tx", "%ty"), "\n    continue\n    }");
  // Odd columns have the first half of the sums only.
  std::string branch = cat(R"(
    %rest = remi %y, %two signed : tile<i32>
    %isOdd = cmpi equal %rest, %one, signed : tile<i32> -> tile<i1>
    %sum = if %isOdd -> (tile<{TM}x{TN}xf32>) {)",
                           loop("p", "%start", "%zero", "%half"),
                           "\n    yield %p : tile<{TM}x{TN}xf32>\n    } else {",
                           loop("q", "%start", "%zero", "%steps"),
                           "\n    yield %q : tile<{TM}x{TN}xf32>\n    }", store("%sum", "s"));
  for (int64_t k : {0, 40, 200, 480}) {
    Gemm g{.m = 136, .n = 152, .k = k};
    EXPECT_EQ(differenceOf(compiler, g, {.body = two, .grid = gridOf(g)}), "") << nameOf(g);
    EXPECT_EQ(differenceOf(compiler, g, {.body = branch, .grid = gridOf(g)}), "") << nameOf(g);
    for (uint32_t blocks : {1, 2, 5})
      EXPECT_EQ(differenceOf(compiler, g, {.body = persistent, .grid = {blocks, 1, 1}}), "")
          << nameOf(g) << ", " << blocks << " blocks";
  }
}

/// room for its own.
TEST(Rings, NoRoomForARing) {
  driver::Compiler compiler;
  std::string two = cat(loop("p", "%start", "%zero", "%steps"), R"(
    %short = make_partition_view %va : {PA2}
    %sums = for %i in (%zero to %steps, step %one) : tile<i32> iter_values(%acc = %p) -> (tile<{TM}x{TN}xf32>) {
      %ta, %ua = load_view_tko weak %short[%x, %i] : {PA2}, tile<i32> -> tile<{TM}x16xf16>, token
      %short2 = make_partition_view %vb : {PB2}
      %tb, %ub = load_view_tko weak %short2[%i, %y] : {PB2}, tile<i32> -> tile<16x{TN}xf16>, token
      %next = mmaf %ta, %tb, %acc : tile<{TM}x16xf16>, tile<16x{TN}xf16>, tile<{TM}x{TN}xf32>
      continue %next : tile<{TM}x{TN}xf32>
    })",
                        store("%sums", "q"));
  two = filledIn(two, {{"PA2", "partition_view<tile=({TM}x16), padding_value = zero, "
                               "tensor_view<?x?xf16, strides=[?,1]>>"},
                       {"PB2", "partition_view<tile=(16x{TN}), padding_value = zero, "
                               "tensor_view<?x?xf16, strides=[?,1]>>"}});
  for (int64_t tileK : {32, 64, 128})
    for (int occupancy : {2, 3, 4, 5, 6, 8}) {
      Gemm g{.tileK = tileK, .m = 72, .n = 64, .k = 136};
      g.entryHint = cat("default = {num_worker_warps_per_cta = 4, occupancy = ", occupancy, "}");
      EXPECT_EQ(differenceOf(compiler, g, {.body = two, .grid = gridOf(g)}, ""), "")
          << nameOf(g) << ", " << occupancy << " blocks";
    }
}

/// No more blocks than have registers for sums in registers, by what ptxas 13.0 takes: it refuses
/// 128 x 32 sums of bytes with 48 registers, and two products of 128 x 128 in each other with 96.
TEST(Rings, BlocksHaveRegistersForAllSums) {
  driver::Compiler compiler;
  auto blocksOf = [&](Gemm g, const std::string &body, int asked) {
    g.entryHint = cat("default = {occupancy = ", asked, "}");
    Compiled compiled = compile(compiler, textOf(g, body), "sm_90a", 1);
    EXPECT_EQ(compiled.error, "");
    const std::string word = ".minnctapersm ";
    size_t at = compiled.ptx.find(word);
    return at == std::string::npos ? 1 : std::stoi(compiled.ptx.substr(at + word.size()));
  };
  const Gemm bytes{
      .type = "f8E4M3FN", .tileM = 128, .tileN = 32, .tileK = 256, .isTransposedB = true};
  EXPECT_LE(blocksOf(bytes, oneLoop, 6), 2);
  const std::string nested = cat(R"(
    %p = for %j in (%zero to %half, step %one) : tile<i32> iter_values(%sum = %start) -> (tile<{TM}x{TN}xf32>) {
)",
                                 loop("q", "%sum", "%zero", "%steps"), R"(
      %half0 = ftof %q : tile<{TM}x{TN}xf32> -> tile<{TM}x{TN}x{T}>
      %both = mmaf %half0, %half0, %sum : tile<{TM}x{TN}x{T}>, tile<{TM}x{TN}x{T}>, tile<{TM}x{TN}xf32>
      continue %both : tile<{TM}x{TN}xf32>
    })",
                                 store("%p", "p"));
  EXPECT_EQ(blocksOf({.tileM = 128, .tileN = 128, .tileK = 16}, nested, 2), 1);
}

/// A loop in a loop that loads, too: threads make the outer loads, as the inner loop's would have
/// to go through the ring while a tile of the outer one is held. With more inner iterations than
/// the ring has stages, and with fewer.
TEST(Rings, LoadsAroundALoop) {
  driver::Compiler compiler;
  const std::string views = R"(
    %d = make_partition_view %va : {PD})";
  const std::string before = R"(
    %p = for %j in (%zero to %half, step %one) : tile<i32> iter_values(%sum = %start) -> (tile<{TM}x{TN}xf32>) {
)",
                    loads = R"(
      %td, %ud = load_view_tko weak %d[%x, %j] : {PD}, tile<i32> -> tile<{TM}x{TK}x{T}>, token
      %te, %ue = load_view_tko weak %b[%j, %y] : {PB}, tile<i32> -> tile<{TK}x{TN}x{T}>, token)",
                    after = R"(
      %own = mmaf %td, %te, %q : tile<{TM}x{TK}x{T}>, tile<{TK}x{TN}x{T}>, tile<{TM}x{TN}xf32>
      %both = addf %own, %sum : tile<{TM}x{TN}xf32>
      continue %both : tile<{TM}x{TN}xf32>
    })";
  const std::string inner = loop("q", "%start", "%zero", "%steps");
  for (int64_t k : {40, 96, 200, 600})
    for (const std::string &body :
         {cat(views, before, inner, loads, after), cat(views, before, loads, inner, after)})
      for (bool knows : {true, false}) {
        Gemm g{.m = 72, .n = 40, .k = k, .knowsExtents = knows};
        std::string text =
            filledIn(cat(body, store("%p", "p")),
                     {{"PD", "partition_view<tile=({TM}x{TK}), padding_value = zero, "
                             "tensor_view<?x?x{T}, strides=[?,1]>>"}});
        EXPECT_EQ(differenceOf(compiler, g, {.body = text, .grid = gridOf(g)}), "") << nameOf(g);
      }
}

/// Warpgroups multiply only if a thread has registers for all sums that are held at a time, as
/// ptxas 13.0 fails otherwise (C7600); other products have some in local memory.
TEST(Rings, WarpgroupsHoldTheirSums) {
  driver::Compiler compiler;
  const std::string nested = cat(R"(
    %ones = constant <f16: 1.0> : tile<{TN}x{TN}xf16>
    %p = for %j in (%zero to %one, step %one) : tile<i32> iter_values(%sum = %start) -> (tile<{TM}x{TN}xf32>) {
)",
                                 loop("q", "%start", "%zero", "%steps"), R"(
      %half0 = ftof %q : tile<{TM}x{TN}xf32> -> tile<{TM}x{TN}x{T}>
      %both = mmaf %half0, %ones, %sum : tile<{TM}x{TN}x{T}>, tile<{TN}x{TN}xf16>, tile<{TM}x{TN}xf32>
      continue %both : tile<{TM}x{TN}xf32>
    })",
                                 store("%p", "p"));
  for (int64_t tileN : {64, 256}) {
    Gemm g{.tileM = 128, .tileN = tileN, .tileK = 16, .m = 104, .n = 56, .k = 24};
    EXPECT_EQ(differenceOf(compiler, g, {.body = nested, .grid = {1, 1, 1}},
                           tileN == 64 ? "wgmma.mma_async" : "mma.sync.aligned.m16n8k16"),
              "")
        << tileN;
    Compiled compiled = compile(compiler, textOf(g, nested), "sm_90a", 1);
    EXPECT_EQ((compiled.ptx.find("wgmma") != std::string::npos), tileN == 64) << compiled.error;
  }
}
