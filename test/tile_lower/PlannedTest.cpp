// Products in loops and chains like attention as people write them, made for many shapes and types.
// Level 1 beside the interpreter.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Inputs are small integers, whose sums are exact in any order, so that results are equal bit by
// bit; attention has functions, and is compared within the tolerance of its type.
#include "Comparison.h"
#include "Programs.h"

#include <gtest/gtest.h>

using namespace tessera;
using namespace tessera::tile_eval;
using namespace tessera::tile_lower::test;

namespace {

//===--- Products

struct Gemm {
  std::string type = "f16", sum = "f32", out = "f32";
  int64_t tileM = 64, tileN = 64, tileK = 32;
  int64_t m = 128, n = 64, k = 96;
  bool isTransposedA = false, isTransposedB = false; // in memory, by strides
  bool permutesB = false;                            // by an op
  bool knowsAlignment = true;
  std::string convert = {}; // type of operands, if another than in memory
};

std::string textOf(const Gemm &g) {
  auto tensor = [&](int64_t rows, int64_t columns, bool isTransposed, const std::string &type) {
    return cat("tensor_view<", rows, "x", columns, "x", type, ", strides=[",
               isTransposed ? 1 : columns, ",", isTransposed ? rows : 1, "]>");
  };
  // What the type says is said again.
  auto numbers = [](int64_t rows, int64_t columns, bool isTransposed) {
    return cat("shape = [", rows, ", ", columns, "], strides = [", isTransposed ? 1 : columns, ", ",
               isTransposed ? rows : 1, "]");
  };
  std::string a = tensor(g.m, g.k, g.isTransposedA, g.type);
  std::string b = g.permutesB ? tensor(g.n, g.k, g.isTransposedB, g.type)
                              : tensor(g.k, g.n, g.isTransposedB, g.type);
  std::string c = tensor(g.m, g.n, false, g.out);
  std::string operand = g.convert.empty() ? g.type : g.convert;
  std::string loadB = g.permutesB ? "{TN}x{TK}" : "{TK}x{TN}";
  std::string text = R"(cuda_tile.module @m {
  entry @k(%pa0: tile<ptr<{T}>>, %pb0: tile<ptr<{T}>>, %pc0: tile<ptr<{R}>>) {
    %pa = {ASSUME} %pa0 : tile<ptr<{T}>>
    %pb = {ASSUME} %pb0 : tile<ptr<{T}>>
    %pc = {ASSUME} %pc0 : tile<ptr<{R}>>
    %va = make_tensor_view %pa, {NA} : {A}
    %vb = make_tensor_view %pb, {NB} : {B}
    %vc = make_tensor_view %pc, {NC} : {C}
    %a = make_partition_view %va : partition_view<tile=({TM}x{TK}), padding_value = zero, {A}>
    %b = make_partition_view %vb : partition_view<tile=({LB}), padding_value = zero, {B}>
    %c = make_partition_view %vc : partition_view<tile=({TM}x{TN}), {C}>
    %x, %y, %z = get_tile_block_id : tile<i32>
    %zero = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %end = constant <i32: {STEPS}> : tile<i32>
    %start = constant <{S}: {ZERO}> : tile<{TM}x{TN}x{S}>
    %sum = for %i in (%zero to %end, step %one) : tile<i32> iter_values(%acc = %start) -> (tile<{TM}x{TN}x{S}>) {
      %ta, %ua = load_view_tko weak %a[%x, %i] : partition_view<tile=({TM}x{TK}), padding_value = zero, {A}>, tile<i32> -> tile<{TM}x{TK}x{T}>, token
      %tb0, %ub = load_view_tko weak %b[{IB}] : partition_view<tile=({LB}), padding_value = zero, {B}>, tile<i32> -> tile<{LB}x{T}>, token
      {PERMUTE}
      {CONVERT}
      %next = {MMA} : tile<{TM}x{TK}x{O}>, tile<{TK}x{TN}x{O}>, tile<{TM}x{TN}x{S}>
      continue %next : tile<{TM}x{TN}x{S}>
    }
    {RESULT}
    %u = store_view_tko weak %r, %c[%x, %y] : tile<{TM}x{TN}x{R}>, partition_view<tile=({TM}x{TN}), {C}>, tile<i32> -> token
    return
  }
}
)";
  bool isInteger = g.sum == "i32";
  std::string permute =
      g.permutesB ? "%tb = permute %tb0 [1, 0] : tile<{TN}x{TK}x{T}> -> tile<{TK}x{TN}x{T}>" : "";
  std::string b0 = g.permutesB ? "%tb" : "%tb0";
  std::string convert, oa = "%ta", ob = b0;
  if (!g.convert.empty()) {
    convert = cat("%oa = ftof %ta : tile<{TM}x{TK}x{T}> -> tile<{TM}x{TK}x{O}>\n      %ob = ftof ",
                  b0, " : tile<{TK}x{TN}x{T}> -> tile<{TK}x{TN}x{O}>");
    oa = "%oa";
    ob = "%ob";
  }
  std::string mma = isInteger ? cat("mmai ", oa, ", ", ob, ", %acc signed signed")
                              : cat("mmaf ", oa, ", ", ob, ", %acc");
  std::string result = g.sum == g.out
                           ? "%r = reshape %sum : tile<{TM}x{TN}x{S}> -> tile<{TM}x{TN}x{S}>"
                           : "%r = ftof %sum : tile<{TM}x{TN}x{S}> -> tile<{TM}x{TN}x{R}>";
  text = filledIn(text, {{"PERMUTE", permute},
                         {"CONVERT", convert},
                         {"MMA", mma},
                         {"RESULT", result},
                         {"IB", g.permutesB ? "%y, %i" : "%i, %y"},
                         {"LB", loadB},
                         {"NA", numbers(g.m, g.k, g.isTransposedA)},
                         {"NB", g.permutesB ? numbers(g.n, g.k, g.isTransposedB)
                                            : numbers(g.k, g.n, g.isTransposedB)},
                         {"NC", numbers(g.m, g.n, false)},
                         {"A", a},
                         {"B", b},
                         {"C", c}});
  return filledIn(text, {{"ASSUME", g.knowsAlignment ? "assume div_by<16>," : "assume div_by<1>,"},
                         {"TM", str(g.tileM)},
                         {"TN", str(g.tileN)},
                         {"TK", str(g.tileK)},
                         {"T", g.type},
                         {"O", operand},
                         {"S", g.sum},
                         {"R", g.out},
                         {"ZERO", isInteger ? "0" : "0.0"},
                         {"STEPS", str((g.k + g.tileK - 1) / g.tileK)}});
}

void check(driver::Compiler &compiler, const Gemm &g, const char *arch,
           const char *instruction = "mma.sync", bool sanitizes = false) {
  std::vector<Array> arrays = {integers(g.type, g.m * g.k, 1), integers(g.type, g.k * g.n, 2),
                               integers(g.out, g.m * g.n, 3)};
  Setup setup{
      .arch = arch,
      .grid = {uint32_t((g.m + g.tileM - 1) / g.tileM), uint32_t((g.n + g.tileN - 1) / g.tileN), 1},
      .sanitizes = sanitizes,
      .instruction = instruction};
  EXPECT_EQ(difference(compiler, textOf(g), arrays, setup), "")
      << arch << ": " << g.type << " " << g.convert << " tile " << g.tileM << "x" << g.tileN << "x"
      << g.tileK << " of " << g.m << "x" << g.n << "x" << g.k << " transposed " << g.isTransposedA
      << g.isTransposedB << " permuted " << g.permutesB << " aligned " << g.knowsAlignment;
}

} // namespace

TEST(Planned, ProductsOfAllTypes) {
  driver::Compiler compiler;
  for (const char *arch : {"sm_80", "sm_89", "sm_90a", "sm_120a"})
    for (const Gemm &g :
         {Gemm{.type = "f16"}, Gemm{.type = "bf16", .out = "bf16"},
          Gemm{.type = "f16", .sum = "f16", .out = "f16"}, Gemm{.type = "f32", .convert = "tf32"},
          Gemm{.type = "i8", .sum = "i32", .out = "i32"}}) {
      bool isGroup = std::string(arch) == "sm_90a";
      check(compiler, g, arch, isGroup ? "wgmma.mma_async" : "mma.sync");
    }
  for (const char *arch : {"sm_89", "sm_90a"})
    for (std::string type : {"f8E4M3FN", "f8E5M2"})
      check(compiler, {.type = type}, arch,
            std::string(arch) == "sm_90a" ? "wgmma.mma_async" : "mma.sync");
}

TEST(Planned, ProductsOfAllOperandForms) {
  driver::Compiler compiler;
  for (std::string type : {"f16", "f32", "i8"})
    for (int form = 0; form < 16; ++form) {
      Gemm g{.type = type, .tileM = 32, .tileN = 32, .tileK = 64, .m = 64, .n = 64, .k = 128};
      if (type == "f32")
        g.convert = "tf32";
      if (type == "i8")
        g.sum = g.out = "i32";
      g.isTransposedA = form & 1;
      g.isTransposedB = form & 2;
      g.permutesB = form & 4;
      g.knowsAlignment = !(form & 8);
      check(compiler, g, "sm_80");
    }
}

TEST(Planned, ProductsOfAllShapes) {
  driver::Compiler compiler;
  for (int64_t m : {16, 32, 128, 256})
    for (int64_t n : {8, 16, 64, 128})
      for (int64_t k : {8, 16, 64})
        check(compiler, {.tileM = m, .tileN = n, .tileK = k, .m = m, .n = n, .k = 2 * k}, "sm_90a",
              "mma");
  check(compiler, {.tileM = 128, .tileN = 128, .tileK = 64, .m = 128, .n = 128, .k = 320}, "sm_80");
}

/// Products of warpgroups: operands that lie along K or not, where hardware reads both, and tiles
/// of one, two and four rows of instructions.
TEST(Planned, ProductsOfWarpgroups) {
  driver::Compiler compiler;
  for (int form = 0; form < 8; ++form)
    for (auto [m, n, k] : {std::array<int64_t, 3>{64, 32, 16},
                           {64, 128, 32},
                           {128, 64, 64},
                           {128, 128, 128},
                           {256, 128, 64}}) {
      Gemm g{.type = form & 4 ? "bf16" : "f16", .tileM = m, .tileN = n, .tileK = k};
      g.m = m + 8;
      g.n = n;
      g.k = 2 * k + 16;
      g.isTransposedA = form & 1;
      g.isTransposedB = form & 2;
      check(compiler, g, "sm_90a", "wgmma.mma_async", m == 64);
    }
}

/// Bytes and words are read along K only, and not what ops stand between: B is written again, and A
/// read into registers.
TEST(Planned, ProductsOfWarpgroupsWithOtherOperands) {
  driver::Compiler compiler;
  struct Operands {
    std::string type, convert, sum;
  };
  for (const auto &[type, convert, sum] : {Operands{"i8", "", "i32"},
                                           {"f8E4M3FN", "", "f32"},
                                           {"f8E5M2", "", "f32"},
                                           {"f32", "tf32", "f32"},
                                           {"f32", "f16", "f32"},
                                           {"f16", "bf16", "f32"},
                                           {"f8E5M2", "f16", "f32"}})
    for (auto [m, n, k] : {std::array<int64_t, 3>{64, 32, 32},
                           {64, 8, 128},
                           {64, 64, 64},
                           {128, 128, 64},
                           {128, 256, 32}})
      for (int form = 0; form < 8; ++form) {
        bool isWhole = m == 64 && n == 64; // all forms of one shape, one of others
        if (!isWhole && form != int(m + n / 8 + k / 32 + type.size()) % 8)
          continue;
        Gemm g{.type = type, .sum = sum, .out = sum, .convert = convert};
        g.tileM = m;
        g.tileN = n;
        g.tileK = k;
        g.m = m + 8;
        g.n = n;
        g.k = 2 * k + 16;
        g.isTransposedA = form & 1;
        g.isTransposedB = form & 2;
        g.permutesB = form & 4;
        check(compiler, g, "sm_90a", "wgmma.mma_async", isWhole);
      }
}

/// An iteration that ends before its product, whose loads run ahead all the same.
TEST(Planned, IterationsThatEndEarly) {
  driver::Compiler compiler;
  Gemm g{.tileM = 64, .tileN = 64, .tileK = 64, .m = 64, .n = 64, .k = 64 * 7};
  std::string text = replaced(textOf(g), "%next =", R"(%three = constant <i32: 3> : tile<i32>
      %rest = remi %i, %three signed : tile<i32>
      %isLeftOut = cmpi equal %rest, %one, signed : tile<i32> -> tile<i1>
      if %isLeftOut {
        continue %acc : tile<64x64xf32>
      }
      %next =)");
  std::vector<Array> arrays = {integers(g.type, g.m * g.k, 1), integers(g.type, g.k * g.n, 2),
                               integers(g.out, g.m * g.n, 3)};
  EXPECT_EQ(difference(compiler, text, arrays,
                       {.arch = "sm_90a", .sanitizes = true, .instruction = "wgmma.mma_async"}),
            "");
}

/// An op whose result nobody uses is made of a tile in registers, which a load into shared memory
/// does not give.
TEST(Planned, ProductsBesideAnUnusedResult) {
  driver::Compiler compiler;
  Gemm g{.tileM = 32, .tileN = 32, .tileK = 32, .m = 32, .n = 32, .k = 64};
  std::string text = replaced(textOf(g), "%next =",
                              "%unused = negf %ta : tile<32x32xf16>\n"
                              "      %last = reshape %unused : tile<32x32xf16> -> tile<1024xf16>\n"
                              "      %next =");
  std::vector<Array> arrays = {integers(g.type, g.m * g.k, 1), integers(g.type, g.k * g.n, 2),
                               integers(g.out, g.m * g.n, 3)};
  EXPECT_EQ(difference(compiler, text, arrays, {}), "");
}

/// Edges that tiles do not divide, with and without vectors.
TEST(Planned, ProductsWithEdges) {
  driver::Compiler compiler;
  for (int64_t m : {40, 100})
    for (int64_t n : {24, 71})
      for (int64_t k : {16, 56, 93})
        for (const char *arch : {"sm_80", "sm_90a"})
          check(compiler, {.tileM = 32, .tileN = 64, .tileK = 32, .m = m, .n = n, .k = k}, arch);
}

/// Asynchronous copies, barriers and reads are in order.
TEST(Planned, ProductsAreCleanUnderTheSanitizer) {
  driver::Compiler compiler;
  for (const char *arch : {"sm_80", "sm_90a"})
    for (int64_t k : {32, 96, 200})
      check(compiler, {.tileM = 64, .tileN = 64, .tileK = 32, .m = 72, .n = 64, .k = k}, arch,
            "mma", true);
}

//===--- Attention

namespace {

/// softmax(q * k) * v over blocks of keys, as flash attention has it; `isExact` leaves the
/// functions out, so that all numbers are integers.
std::string attention(int64_t rows, int64_t keys, int64_t head, int64_t blocks, bool isExact) {
  std::string text = R"(cuda_tile.module @m {
  entry @k(%pq0: tile<ptr<f16>>, %pk0: tile<ptr<f16>>, %pv0: tile<ptr<f16>>, %po0: tile<ptr<f32>>) {
    %pq = assume div_by<16>, %pq0 : tile<ptr<f16>>
    %pk = assume div_by<16>, %pk0 : tile<ptr<f16>>
    %pv = assume div_by<16>, %pv0 : tile<ptr<f16>>
    %po = assume div_by<16>, %po0 : tile<ptr<f32>>
    %vq = make_tensor_view %pq, shape = [1, {M}, {D}], strides = [{MD}, {D}, 1] : tensor_view<1x{M}x{D}xf16, strides=[{MD},{D},1]>
    %vk = make_tensor_view %pk, shape = [{L}, {D}], strides = [{D}, 1] : tensor_view<{L}x{D}xf16, strides=[{D},1]>
    %vv = make_tensor_view %pv, shape = [{L}, {D}], strides = [{D}, 1] : tensor_view<{L}x{D}xf16, strides=[{D},1]>
    %vo = make_tensor_view %po, shape = [{M}, {D}], strides = [{D}, 1] : tensor_view<{M}x{D}xf32, strides=[{D},1]>
    %q = make_partition_view %vq : partition_view<tile=(1x{M}x{D}), tensor_view<1x{M}x{D}xf16, strides=[{MD},{D},1]>>
    %k = make_partition_view %vk : partition_view<tile=({D}x{N}), tensor_view<{L}x{D}xf16, strides=[{D},1]>, dim_map=[1, 0]>
    %v = make_partition_view %vv : partition_view<tile=({N}x{D}), tensor_view<{L}x{D}xf16, strides=[{D},1]>>
    %o = make_partition_view %vo : partition_view<tile=({M}x{D}), tensor_view<{M}x{D}xf32, strides=[{D},1]>>
    %zero = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %end = constant <i32: {B}> : tile<i32>
    %tq3, %uq = load_view_tko weak %q[%zero, %zero, %zero] : partition_view<tile=(1x{M}x{D}), tensor_view<1x{M}x{D}xf16, strides=[{MD},{D},1]>>, tile<i32> -> tile<1x{M}x{D}xf16>, token
    %tq = reshape %tq3 : tile<1x{M}x{D}xf16> -> tile<{M}x{D}xf16>
    %s0 = constant <f32: 0.0> : tile<{M}x{N}xf32>
    %o0 = constant <f32: 0.0> : tile<{M}x{D}xf32>
    %l0 = constant <f32: 0.0> : tile<{M}x1xf32>
    %m0 = constant <f32: -1000.0> : tile<{M}x1xf32>
    %out:3 = for %i in (%zero to %end, step %one) : tile<i32> iter_values(%acc = %o0, %l = %l0, %m = %m0) -> (tile<{M}x{D}xf32>, tile<{M}x1xf32>, tile<{M}x1xf32>) {
      %tk, %uk = load_view_tko weak %k[%zero, %i] : partition_view<tile=({D}x{N}), tensor_view<{L}x{D}xf16, strides=[{D},1]>, dim_map=[1, 0]>, tile<i32> -> tile<{D}x{N}xf16>, token
      %s = mmaf %tq, %tk, %s0 : tile<{M}x{D}xf16>, tile<{D}x{N}xf16>, tile<{M}x{N}xf32>
      %r0 = reduce %s dim=1 identities=[-1.000000e+03 : f32] : tile<{M}x{N}xf32> -> tile<{M}xf32>
      (%e0: tile<f32>, %e1: tile<f32>) {
        %e2 = maxf %e0, %e1 : tile<f32>
        yield %e2 : tile<f32>
      }
      %r1 = reshape %r0 : tile<{M}xf32> -> tile<{M}x1xf32>
      %mn = maxf %m, %r1 : tile<{M}x1xf32>
      %mb = broadcast %mn : tile<{M}x1xf32> -> tile<{M}x{N}xf32>
      {P}
      %r2 = reduce %p dim=1 identities=[0.000000e+00 : f32] : tile<{M}x{N}xf32> -> tile<{M}xf32>
      (%e3: tile<f32>, %e4: tile<f32>) {
        %e5 = addf %e3, %e4 : tile<f32>
        yield %e5 : tile<f32>
      }
      %r3 = reshape %r2 : tile<{M}xf32> -> tile<{M}x1xf32>
      {SCALE}
      %l1 = mulf %l, %al : tile<{M}x1xf32>
      %ln = addf %l1, %r3 : tile<{M}x1xf32>
      %alb = broadcast %al : tile<{M}x1xf32> -> tile<{M}x{D}xf32>
      %a1 = mulf %acc, %alb : tile<{M}x{D}xf32>
      %tv, %uv = load_view_tko weak %v[%i, %zero] : partition_view<tile=({N}x{D}), tensor_view<{L}x{D}xf16, strides=[{D},1]>>, tile<i32> -> tile<{N}x{D}xf16>, token
      %ph = ftof %p : tile<{M}x{N}xf32> -> tile<{M}x{N}xf16>
      %an = mmaf %ph, %tv, %a1 : tile<{M}x{N}xf16>, tile<{N}x{D}xf16>, tile<{M}x{D}xf32>
      continue %an, %ln, %mn : tile<{M}x{D}xf32>, tile<{M}x1xf32>, tile<{M}x1xf32>
    }
    %lb = broadcast %out#1 : tile<{M}x1xf32> -> tile<{M}x{D}xf32>
    {END}
    %u = store_view_tko weak %result, %o[%zero, %zero] : tile<{M}x{D}xf32>, partition_view<tile=({M}x{D}), tensor_view<{M}x{D}xf32, strides=[{D},1]>>, tile<i32> -> token
    return
  }
}
)";
  // Exact: the numbers of the rows' largest elements instead of exponentials.
  text = filledIn(
      text,
      {{"P", isExact ? "%p = cmpf equal ordered %s, %mb : tile<{M}x{N}xf32> -> tile<{M}x{N}xi1>"
                     : "%d = subf %s, %mb : tile<{M}x{N}xf32>\n      %p = exp2 %d : "
                       "tile<{M}x{N}xf32>"},
       {"SCALE", isExact ? "%al = constant <f32: 1.0> : tile<{M}x1xf32>"
                         : "%dm = subf %m, %mn : tile<{M}x1xf32>\n      %al = exp2 %dm : "
                           "tile<{M}x1xf32>"},
       {"END", isExact ? "%result = addf %out#0, %lb : tile<{M}x{D}xf32>"
                       : "%result = divf %out#0, %lb : tile<{M}x{D}xf32>"}});
  text = replaced(text, "%p = cmpf", "%pc = cmpf");
  text = replaced(text, "-> tile<{M}x{N}xi1>",
                  "-> tile<{M}x{N}xi1>\n      %p = itof %pc unsigned : tile<{M}x{N}xi1> -> "
                  "tile<{M}x{N}xf32>");
  return filledIn(text, {{"MD", str(rows * head)},
                         {"M", str(rows)},
                         {"N", str(keys)},
                         {"D", str(head)},
                         {"L", str(keys * blocks)},
                         {"B", str(blocks)}});
}

} // namespace

TEST(Planned, Attention) {
  driver::Compiler compiler;
  for (bool isExact : {true, false})
    for (auto [rows, keys, head] :
         {std::array<int64_t, 3>{64, 32, 32}, {64, 64, 64}, {128, 128, 64}, {16, 32, 16}})
      for (const char *arch : {"sm_80", "sm_90a"}) {
        int64_t blocks = 3;
        bool isGroup = std::string(arch) == "sm_90a" && rows >= 64;
        std::vector<Array> arrays = {
            integers("f16", rows * head, 1, 1), integers("f16", keys * blocks * head, 2, 1),
            integers("f16", keys * blocks * head, 3), newArray(TypeKind::F32, size_t(rows * head))};
        EXPECT_EQ(difference(compiler, attention(rows, keys, head, blocks, isExact), arrays,
                             {.arch = arch,
                              .sanitizes = rows == 64,
                              .instruction = isGroup ? "wgmma.mma_async" : "mma.sync"},
                             isExact ? Match::Equal : Match::Close),
                  "")
            << arch << ": " << rows << " rows, " << keys << " keys, head " << head;
      }
}
