// Reductions that follow each other in all ways, beside the interpreter and under the sanitizer.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Comparison.h"
#include "Programs.h"

#include <gtest/gtest.h>

using namespace tessera;
using namespace tessera::tile_eval;
using namespace tessera::tile_lower::test;

namespace {

/// y = x after the code in {Body}, which turns the tile %t{N} of 4096 i32 into %t{N+1}; a block has
/// a row.
std::string around(const std::string &body, int last) {
  return filledIn(R"(cuda_tile.module @m {
  entry @k(%px0: tile<ptr<i32>>, %py0: tile<ptr<i32>>, %n: tile<i32>) {
    %px = assume div_by<16>, %px0 : tile<ptr<i32>>
    %py = assume div_by<16>, %py0 : tile<ptr<i32>>
    %vx = make_tensor_view %px, shape = [3, 4096], strides = [4096, 1] : tensor_view<3x4096xi32, strides=[4096,1]>
    %vy = make_tensor_view %py, shape = [3, 4096], strides = [4096, 1] : tensor_view<3x4096xi32, strides=[4096,1]>
    %x = make_partition_view %vx : partition_view<tile=(1x4096), tensor_view<3x4096xi32, strides=[4096,1]>>
    %y = make_partition_view %vy : partition_view<tile=(1x4096), tensor_view<3x4096xi32, strides=[4096,1]>>
    %row, %j, %k = get_tile_block_id : tile<i32>
    %zero = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %two = constant <i32: 2> : tile<i32>
    %t0, %token = load_view_tko weak %x[%row, %zero] : partition_view<tile=(1x4096), tensor_view<3x4096xi32, strides=[4096,1]>>, tile<i32> -> tile<1x4096xi32>, token
{Body}
    %u = store_view_tko weak %t{Last}, %y[%row, %zero] : tile<1x4096xi32>, partition_view<tile=(1x4096), tensor_view<3x4096xi32, strides=[4096,1]>>, tile<i32> -> token
    return
  }
}
)",
                  {{"Body", body}, {"Last", str(last)}});
}

/// %t{to} = %t{from} and what all numbers of it come to.
std::string whole(int from, int to) {
  return filledIn(
      R"(    %s{To} = reduce %t{From} dim=1 identities=[0 : i32] : tile<1x4096xi32> -> tile<1xi32>
    (%l: tile<i32>, %r: tile<i32>) {
      %z = addi %l, %r : tile<i32>
      yield %z : tile<i32>
    }
    %a{To} = reshape %s{To} : tile<1xi32> -> tile<1x1xi32>
    %b{To} = broadcast %a{To} : tile<1x1xi32> -> tile<1x4096xi32>
    %t{To} = xori %t{From}, %b{To} : tile<1x4096xi32>
)",
      {{"From", str(from)}, {"To", str(to)}});
}
/// The same for {rows} parts of it, in i64, so that exchanges have other sizes.
std::string parts(int from, int to, int64_t rows) {
  return filledIn(
      R"(    %w{To} = exti %t{From} signed : tile<1x4096xi32> -> tile<1x4096xi64>
    %m{To} = reshape %w{To} : tile<1x4096xi64> -> tile<{R}x{C}xi64>
    %s{To} = reduce %m{To} dim=1 identities=[-9223372036854775808 : i64] : tile<{R}x{C}xi64> -> tile<{R}xi64>
    (%l: tile<i64>, %r: tile<i64>) {
      %z = maxi %l, %r signed : tile<i64>
      yield %z : tile<i64>
    }
    %a{To} = reshape %s{To} : tile<{R}xi64> -> tile<{R}x1xi64>
    %b{To} = broadcast %a{To} : tile<{R}x1xi64> -> tile<{R}x{C}xi64>
    %c{To} = xori %m{To}, %b{To} : tile<{R}x{C}xi64>
    %d{To} = reshape %c{To} : tile<{R}x{C}xi64> -> tile<1x4096xi64>
    %t{To} = trunci %d{To} : tile<1x4096xi64> -> tile<1x4096xi32>
)",
      {{"From", str(from)}, {"To", str(to)}, {"R", str(rows)}, {"C", str(4096 / rows)}});
}
std::string looped(const std::string &body, int from, int last, int to) {
  return filledIn(
      R"(    %t{To} = for %i{To} in (%zero to %n, step %one) : tile<i32> iter_values(%t{From} = %t{Init}) -> (tile<1x4096xi32>) {
{Body}      continue %t{Last} : tile<1x4096xi32>
    }
)",
      {{"Body", body},
       {"From", str(100 + from)},
       {"Init", str(from)},
       {"Last", str(last)},
       {"To", str(to)}});
}
std::string branched(const std::string &body, int from, int last, int to) {
  return filledIn(R"(    %q{To} = cmpi greater_than %n, %row, signed : tile<i32> -> tile<i1>
    %t{To} = if %q{To} -> (tile<1x4096xi32>) {
{Body}      yield %t{Last} : tile<1x4096xi32>
    } else {
      yield %t{From} : tile<1x4096xi32>
    }
)",
                  {{"Body", body}, {"From", str(from)}, {"Last", str(last)}, {"To", str(to)}});
}

std::string wrong(driver::Compiler &compiler, const std::string &text, uint64_t n,
                  const char *arch = "sm_90a") {
  const std::vector<Array> arrays = {integers("i32", 3 * 4096, 1),
                                     newArray(TypeKind::I32, 3 * 4096)};
  return difference(compiler, text, arrays,
                    {.arch = arch,
                     .grid = {3, 1, 1},
                     .numbers = {{TypeKind::I32, n}},
                     .sanitizes = true,
                     .shuffle = 7});
}

} // namespace

TEST(Exchanges, OneAfterAnother) {
  driver::Compiler compiler;
  const std::string text = around(whole(0, 1) + whole(1, 2) + whole(2, 3), 3);
  for (const char *arch : {"sm_80", "sm_90a"})
    EXPECT_EQ(wrong(compiler, text, 0, arch), "") << arch;
}

TEST(Exchanges, OfSeveralSizes) {
  driver::Compiler compiler;
  for (auto [a, b, c] :
       {std::array<int64_t, 3>{2, 8, 2}, {8, 2, 16}, {16, 1, 1}, {1, 16, 4}, {4, 4, 4}})
    EXPECT_EQ(
        wrong(
            compiler,
            around(whole(0, 1) + parts(1, 2, a) + parts(2, 3, b) + whole(3, 4) + parts(4, 5, c), 5),
            0),
        "")
        << a << " " << b << " " << c;
}

/// An iteration with an odd number of exchanges ends where the next one begins.
TEST(Exchanges, InLoopsAndBranches) {
  driver::Compiler compiler;
  const std::string odd = looped(whole(101, 102), 1, 102, 3),
                    even = looped(whole(101, 102) + whole(102, 103), 1, 103, 3);
  const std::string three =
      looped(whole(101, 102) + parts(102, 103, 4) + whole(103, 104), 1, 104, 3);
  const std::string branch = branched(whole(1, 102), 1, 102, 3),
                    two = branched(whole(1, 102) + parts(102, 103, 2), 1, 103, 3);
  for (const std::string &middle : {odd, even, three, branch, two})
    for (uint64_t n : {0, 1, 2, 3})
      EXPECT_EQ(wrong(compiler, around(whole(0, 1) + middle + whole(3, 4) + whole(4, 5), 5), n), "")
          << n << middle;
}
