// Tiles in local memory: an array is used again when no value has it any more, and not before.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Programs.h"

#include <gtest/gtest.h>

using namespace tessera;
using namespace tessera::tile_lower::test;

namespace {

/// A kernel of n numbers with `body` from %x to %y.
std::string kernelOf(const std::string &body, int64_t n = 2048) {
  return filledIn(R"(cuda_tile.module @m {
  entry @k(%in: tile<ptr<i32>>, %out: tile<ptr<i32>>) {
    %i = iota : {t}
    %in1 = reshape %in : tile<ptr<i32>> -> tile<1xptr<i32>>
    %inN = broadcast %in1 : tile<1xptr<i32>> -> tile<{n}xptr<i32>>
    %at = offset %inN, %i : tile<{n}xptr<i32>>, {t} -> tile<{n}xptr<i32>>
    %x, %t0 = load_ptr_tko weak %at : tile<{n}xptr<i32>> -> {t}, token
    %zero = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %five = constant <i32: 5> : tile<i32>
{body}    %out1 = reshape %out : tile<ptr<i32>> -> tile<1xptr<i32>>
    %outN = broadcast %out1 : tile<1xptr<i32>> -> tile<{n}xptr<i32>>
    %to = offset %outN, %i : tile<{n}xptr<i32>>, {t} -> tile<{n}xptr<i32>>
    %t1 = store_ptr_tko weak %to, %y : tile<{n}xptr<i32>>, {t} -> token
    return
  }
}
)",
                  {{"body", body}, {"t", "tile<{n}xi32>"}, {"n", str(n)}});
}
std::string chain(int ops, const std::string &tile) {
  std::string text;
  for (int n = 0; n < ops; ++n)
    text += cat("    %c", n, " = muli ", n ? cat("%c", n - 1) : "%x", ", %x : ", tile, "\n");
  return text;
}

void expectEqual(const std::string &body) {
  driver::Compiler compiler;
  std::vector<Array> arrays = {integers("i32", 2048, 1, 1000), integers("i32", 2048, 2)};
  for (int level : {0, 1})
    EXPECT_EQ(difference(compiler, kernelOf(body), arrays, {.level = level}), "")
        << "at level " << level << "\n"
        << body;
}

} // namespace

// 200 results of 4 KiB are more than the 512 KiB of a thread. At any time two are read.
TEST(LocalMemory, HasRoomForLongPrograms) {
  driver::Compiler compiler;
  const std::string tile = "tile<131072xi32>";
  std::string body = chain(200, tile) + "    %y = addi %c199, %x : " + tile + "\n";
  Compiled compiled = compile(compiler, kernelOf(body, 131072), "sm_80", 0);
  EXPECT_EQ(compiled.error, "");
  auto at = compiled.ptx.find("__local_depot0[");
  ASSERT_NE(at, std::string::npos);
  EXPECT_LE(std::stoi(compiled.ptx.substr(at + 15)), 64 << 10);
}

TEST(LocalMemory, IsUsedAgain) {
  expectEqual(chain(20, "tile<2048xi32>") + "    %y = addi %c19, %c3 : tile<2048xi32>\n");
}

// A reshaped tile is the same array, which is read when the tile it was made of is not any more.
TEST(LocalMemory, StaysWithReshapedTiles) {
  expectEqual(R"(    %a = muli %x, %x : tile<2048xi32>
    %r = reshape %a : tile<2048xi32> -> tile<64x32xi32>
    %b = addi %x, %x : tile<2048xi32>
    %c = addi %b, %x : tile<2048xi32>
    %s = reshape %r : tile<64x32xi32> -> tile<2048xi32>
    %y = subi %s, %c : tile<2048xi32>
)");
}

// What a loop reads is read in its last iteration too; what it carries may change places.
TEST(LocalMemory, StaysForLoops) {
  expectEqual(R"(    %a = muli %x, %x : tile<2048xi32>
    %b = addi %x, %x : tile<2048xi32>
    %r:2 = for %n in (%zero to %five, step %one) : tile<i32> iter_values(%u = %x, %v = %b) -> (tile<2048xi32>, tile<2048xi32>) {
      %p = subi %u, %a : tile<2048xi32>
      %q = muli %p, %u : tile<2048xi32>
      %s = addi %q, %v : tile<2048xi32>
      continue %v, %s : tile<2048xi32>, tile<2048xi32>
    }
    %c = muli %r#0, %x : tile<2048xi32>
    %y = addi %c, %r#1 : tile<2048xi32>
)");
  expectEqual(R"(    %a = muli %x, %x : tile<2048xi32>
    %l = loop iter_values(%n = %zero, %u = %x) : tile<i32>, tile<2048xi32> -> tile<2048xi32> {
      %p = subi %u, %a : tile<2048xi32>
      %isLast = cmpi equal %n, %five, signed : tile<i32> -> tile<i1>
      if %isLast {
        %z = muli %p, %u : tile<2048xi32>
        break %z : tile<2048xi32>
      }
      %q = addi %p, %p : tile<2048xi32>
      %m = addi %n, %one : tile<i32>
      continue %m, %q : tile<i32>, tile<2048xi32>
    }
    %b = muli %l, %l : tile<2048xi32>
    %y = addi %b, %l : tile<2048xi32>
)");
}

TEST(LocalMemory, StaysForBranches) {
  expectEqual(R"(    %a = muli %x, %x : tile<2048xi32>
    %b = addi %x, %a : tile<2048xi32>
    %truth = cmpi less_than %zero, %one, signed : tile<i32> -> tile<i1>
    %f = if %truth -> (tile<2048xi32>) {
      %p = subi %b, %x : tile<2048xi32>
      %q = muli %p, %x : tile<2048xi32>
      yield %q : tile<2048xi32>
    } else {
      yield %a : tile<2048xi32>
    }
    %c = addi %f, %f : tile<2048xi32>
    %y = addi %c, %b : tile<2048xi32>
)");
}
