// Programs as people write them, made for many shapes and types: products in loops, chains like
// attention, reductions, transpositions, edges. Level 1 beside the interpreter.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Inputs are small integers, whose sums are exact in any order, so that results are equal bit by
// bit; attention has functions, and is compared within the tolerance of its type.
#include "Comparison.h"

#include <gtest/gtest.h>

#include <random>

using namespace tessera;
using namespace tessera::tile_eval;
using namespace tessera::tile_lower::test;

namespace {

std::string replaced(std::string text, const std::string &what, const std::string &by) {
  for (size_t at = 0; (at = text.find(what, at)) != text.npos; at += by.size())
    text.replace(at, what.size(), by);
  return text;
}
/// Names in braces become their numbers or words: {M}.
std::string filledIn(std::string text,
                     const std::vector<std::pair<std::string, std::string>> &words) {
  for (const auto &[name, word] : words)
    text = replaced(text, cat("{", name, "}"), word);
  return text;
}

/// Integers of magnitude up to `most`.
Array integers(const std::string &type, int64_t count, unsigned seed, int most = 3) {
  Array out = newArray(kindNamed(type), size_t(count));
  std::mt19937 random(seed);
  for (size_t i = 0; i < out.size(); ++i) {
    int64_t number = int64_t(random() % unsigned(2 * most + 1)) - most;
    out.setCode(i, isFloat(out.kind) ? encode(out.kind, double(number))
                                     : uint64_t(number) & lowBits(bitsOf(out.kind)));
  }
  return out;
}

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

std::string str(int64_t number) { return std::to_string(number); }

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
      bool isGroup = std::string(arch) == "sm_90a" && (g.type == "f16" || g.type == "bf16");
      check(compiler, g, arch, isGroup ? "wgmma.mma_async" : "mma.sync");
    }
  for (const char *arch : {"sm_89", "sm_90a"})
    for (std::string type : {"f8E4M3FN", "f8E5M2"})
      check(compiler, {.type = type}, arch);
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
  // Bytes are read along K only.
  for (std::string type : {"i8", "f8E4M3FN"})
    for (int64_t k : {32, 64, 128}) {
      Gemm g{.type = type, .tileM = 64, .tileN = 64, .tileK = k, .m = 64, .n = 64, .k = 3 * k};
      g.isTransposedB = true;
      if (type == "i8")
        g.sum = g.out = "i32";
      check(compiler, g, "sm_90a", "wgmma.mma_async", true);
    }
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

//===--- Reductions, shapes, edges

namespace {

/// A tile of a rank, loaded, `body` applied (%t to %r), and stored in tensors of the shapes.
std::string mapped(const std::string &type, const std::vector<int64_t> &tile,
                   const std::vector<int64_t> &tensor, const std::vector<int64_t> &resultTile,
                   const std::vector<int64_t> &resultTensor, const std::string &resultType,
                   const std::string &body) {
  auto list = [](const std::vector<int64_t> &numbers, const char *between) {
    std::string out;
    for (int64_t n : numbers)
      out += (out.empty() ? "" : between) + str(n);
    return out;
  };
  auto stridesOf = [](const std::vector<int64_t> &shape) {
    std::vector<int64_t> strides(shape.size(), 1);
    for (size_t d = shape.size(); d-- > 1;)
      strides[d - 1] = strides[d] * shape[d];
    return strides;
  };
  auto numbers = [&](const std::vector<int64_t> &shape) {
    return cat("shape = [", list(shape, ", "), "], strides = [", list(stridesOf(shape), ", "), "]");
  };
  auto view = [&](const std::vector<int64_t> &shape, const std::string &element) {
    std::vector<int64_t> strides = stridesOf(shape);
    return cat("tensor_view<", list(shape, "x"), "x", element, ", strides=[", list(strides, ","),
               "]>");
  };
  std::string zeros, resultZeros;
  for (size_t d = 0; d < tile.size(); ++d)
    zeros += d ? ", %zero" : "%zero";
  for (size_t d = 0; d < resultTile.size(); ++d)
    resultZeros += d ? ", %zero" : "%zero";
  std::string from = cat("partition_view<tile=(", list(tile, "x"), "), padding_value = zero, ",
                         view(tensor, type), ">");
  std::string to = cat("partition_view<tile=(", list(resultTile, "x"), "), ",
                       view(resultTensor, resultType), ">");
  std::string tt = cat("tile<", list(tile, "x"), "x", type, ">");
  std::string rt = cat("tile<", list(resultTile, "x"), "x", resultType, ">");
  return cat("cuda_tile.module @m {\n  entry @k(%px0: tile<ptr<", type, ">>, %py0: tile<ptr<",
             resultType, ">>) {\n    %px = assume div_by<16>, %px0 : tile<ptr<", type,
             ">>\n    %py = assume div_by<16>, %py0 : tile<ptr<", resultType,
             ">>\n    %zero = constant <i32: 0> : tile<i32>\n    %vx = make_tensor_view %px, ",
             numbers(tensor), " : ", view(tensor, type), "\n    %vy = make_tensor_view %py, ",
             numbers(resultTensor), " : ", view(resultTensor, resultType),
             "\n    %x = make_partition_view %vx : ", from,
             "\n    %y = make_partition_view %vy : ", to, "\n    %t, %tx = load_view_tko weak %x[",
             zeros, "] : ", from, ", tile<i32> -> ", tt, ", token\n    ", body,
             "\n    %ty = store_view_tko weak %r, %y[", resultZeros, "] : ", rt, ", ", to,
             ", tile<i32> -> token\n    return\n  }\n}\n");
}
std::string tileOf(const std::vector<int64_t> &shape, const std::string &type) {
  std::string out = "tile<";
  for (int64_t n : shape)
    out += str(n) + "x";
  return out + type + ">";
}
int64_t product(const std::vector<int64_t> &shape) {
  int64_t out = 1;
  for (int64_t n : shape)
    out *= n;
  return out;
}

} // namespace

TEST(Planned, ReductionsAlongEachDimension) {
  driver::Compiler compiler;
  for (const std::vector<int64_t> &tile : std::vector<std::vector<int64_t>>{
           {8}, {512}, {32, 64}, {4, 1024}, {128, 128}, {2, 16, 64}, {2, 4, 8, 128}})
    for (size_t dim = 0; dim < tile.size(); ++dim)
      for (std::string type : {"f32", "f16", "i32", "i64"}) {
        // Sums of the rows, spread over them and added: sums that all threads have to know.
        std::vector<int64_t> sums = tile, kept = tile;
        sums.erase(sums.begin() + ptrdiff_t(dim));
        kept[dim] = 1;
        bool isFloat = type[0] == 'f';
        std::string body =
            cat("%s = reduce %t dim=", dim, " identities=[", isFloat ? "0.000000e+00" : "0", " : ",
                type, "] : ", tileOf(tile, type), " -> ", tileOf(sums, type), "\n    (%a: tile<",
                type, ">, %b: tile<", type, ">) {\n      %c = ", isFloat ? "addf" : "addi",
                " %a, %b : tile<", type, ">\n      yield %c : tile<", type,
                ">\n    }\n    %k = reshape %s : ", tileOf(sums, type), " -> ", tileOf(kept, type),
                "\n    %w = broadcast %k : ", tileOf(kept, type), " -> ", tileOf(tile, type),
                "\n    %r = ", isFloat ? "addf" : "addi", " %w, %t : ", tileOf(tile, type));
        std::vector<Array> arrays = {integers(type, product(tile), 1),
                                     newArray(kindNamed(type), size_t(product(tile)))};
        EXPECT_EQ(difference(compiler, mapped(type, tile, tile, tile, tile, type, body), arrays,
                             {.sanitizes = true}),
                  "")
            << tileOf(tile, type) << " along " << dim;
      }
}

/// Loops without products: sums of rows in parts, of two tensors, one of which has no edge.
TEST(Planned, LoadsRunAhead) {
  driver::Compiler compiler;
  for (std::string type : {"f32", "f16"})
    for (int64_t columns : {8, 512, 2048, 2056})
      for (int64_t part : {64, 512, 1024}) {
        std::string text = R"(cuda_tile.module @m {
  entry @k(%px0: tile<ptr<{T}>>, %py0: tile<ptr<{T}>>, %pz: tile<ptr<{T}>>) {
    %px = assume div_by<16>, %px0 : tile<ptr<{T}>>
    %py = assume div_by<16>, %py0 : tile<ptr<{T}>>
    %vx = make_tensor_view %px, shape = [3, {C}], strides = [{C}, 1] : tensor_view<3x{C}x{T}, strides=[{C},1]>
    %vy = make_tensor_view %py, shape = [{C}], strides = [1] : tensor_view<{C}x{T}, strides=[1]>
    %vz = make_tensor_view %pz, shape = [3, {N}], strides = [{N}, 1] : tensor_view<3x{N}x{T}, strides=[{N},1]>
    %x = make_partition_view %vx : partition_view<tile=(1x{N}), padding_value = zero, tensor_view<3x{C}x{T}, strides=[{C},1]>>
    %y = make_partition_view %vy : partition_view<tile=({N}), padding_value = zero, tensor_view<{C}x{T}, strides=[1]>>
    %z = make_partition_view %vz : partition_view<tile=(1x{N}), tensor_view<3x{N}x{T}, strides=[{N},1]>>
    %row, %j, %k = get_tile_block_id : tile<i32>
    %rows, %end = get_index_space_shape %x : partition_view<tile=(1x{N}), padding_value = zero, tensor_view<3x{C}x{T}, strides=[{C},1]>> -> tile<i32>
    %zero = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %start = constant <{T}: 0.0> : tile<1x{N}x{T}>
    %sum = for %i in (%zero to %end, step %one) : tile<i32> iter_values(%acc = %start) -> (tile<1x{N}x{T}>) {
      %a, %ta = load_view_tko weak %x[%row, %i] : partition_view<tile=(1x{N}), padding_value = zero, tensor_view<3x{C}x{T}, strides=[{C},1]>>, tile<i32> -> tile<1x{N}x{T}>, token
      %b0, %tb = load_view_tko weak %y[%i] : partition_view<tile=({N}), padding_value = zero, tensor_view<{C}x{T}, strides=[1]>>, tile<i32> -> tile<{N}x{T}>, token
      %b = reshape %b0 : tile<{N}x{T}> -> tile<1x{N}x{T}>
      %c = subf %a, %b : tile<1x{N}x{T}>
      %next = addf %acc, %c : tile<1x{N}x{T}>
      continue %next : tile<1x{N}x{T}>
    }
    %u = store_view_tko weak %sum, %z[%row, %zero] : tile<1x{N}x{T}>, partition_view<tile=(1x{N}), tensor_view<3x{N}x{T}, strides=[{N},1]>>, tile<i32> -> token
    return
  }
}
)";
        text = filledIn(text, {{"T", type}, {"C", str(columns)}, {"N", str(part)}});
        std::vector<Array> arrays = {integers(type, 3 * columns, 1), integers(type, columns, 2),
                                     newArray(kindNamed(type), size_t(3 * part))};
        for (bool sanitizes : {false, true})
          EXPECT_EQ(difference(compiler, text, arrays,
                               {.grid = {3, 1, 1},
                                .sanitizes = sanitizes,
                                .instruction = "cp.async.wait_group"}),
                    "")
              << type << ": " << columns << " columns in parts of " << part;
      }
}

/// The place of the largest element: a combiner that knows two operands, and is told the order.
TEST(Planned, ReductionsOfPairs) {
  driver::Compiler compiler;
  for (std::vector<int64_t> tile : std::vector<std::vector<int64_t>>{{64}, {16, 256}, {64, 32}})
    for (size_t dim = 0; dim < tile.size(); ++dim) {
      std::vector<int64_t> out = tile;
      out.erase(out.begin() + ptrdiff_t(dim));
      std::vector<int64_t> shape(tile.size(), 1);
      shape[dim] = tile[dim];
      std::string t = tileOf(tile, "f32"), i = tileOf(tile, "i32");
      std::vector<int64_t> stored = out.empty() ? std::vector<int64_t>{1} : out;
      std::string body = cat(
          "%n0 = iota : tile<", tile[dim], "xi32>\n    %n1 = reshape %n0 : tile<", tile[dim],
          "xi32> -> ", tileOf(shape, "i32"), "\n    %n = broadcast %n1 : ", tileOf(shape, "i32"),
          " -> ", i, "\n    %v, %at = reduce %t, %n dim=", dim,
          " identities=[-1.000000e+03 : f32, 0 : i32] : ", t, ", ", i, " -> ", tileOf(out, "f32"),
          ", ", tileOf(out, "i32"),
          "\n    (%a: tile<f32>, %b: tile<f32>, %c: tile<i32>, %d: tile<i32>) {\n      %g = cmpf "
          "greater_than ordered %a, %b : tile<f32> -> tile<i1>\n      %e = select %g, %a, %b : "
          "tile<i1>, tile<f32>\n      %f = select %g, %c, %d : tile<i1>, tile<i32>\n      yield "
          "%e, %f : tile<f32>, tile<i32>\n    }\n    %r = reshape %at : ",
          tileOf(out, "i32"), " -> ", tileOf(stored, "i32"));
      std::vector<Array> arrays = {integers("f32", product(tile), 5, 9),
                                   newArray(TypeKind::I32, size_t(product(stored)))};
      EXPECT_EQ(
          difference(compiler, mapped("f32", tile, tile, stored, stored, "i32", body), arrays, {}),
          "")
          << t << " along " << dim;
    }
}

TEST(Planned, Transpositions) {
  driver::Compiler compiler;
  for (std::string type : {"i8", "f16", "f32", "i64"})
    for (auto [rows, columns] :
         {std::pair<int64_t, int64_t>{32, 32}, {64, 16}, {8, 256}, {128, 128}})
      for (int64_t less : {0, 3}) {
        std::vector<int64_t> tile = {rows, columns}, tensor = {rows - less, columns - less};
        std::vector<int64_t> other = {columns, rows}, otherTensor = {columns - less, rows - less};
        std::string body =
            cat("%r = permute %t [1, 0] : ", tileOf(tile, type), " -> ", tileOf(other, type));
        std::vector<Array> arrays = {integers(type, product(tensor), 1, 100),
                                     newArray(kindNamed(type), size_t(product(otherTensor)))};
        EXPECT_EQ(difference(compiler, mapped(type, tile, tensor, other, otherTensor, type, body),
                             arrays, {.sanitizes = true}),
                  "")
            << tileOf(tile, type) << " less " << less;
      }
}

/// Elements of several widths in one class: each has vectors of its own length.
TEST(Planned, WidthsOfOneLayout) {
  driver::Compiler compiler;
  for (int64_t count : {8, 64, 256, 2048})
    for (std::string from : {"i8", "i16", "i64"})
      for (std::string to : {"i8", "i32", "i64"}) {
        if (from == to)
          continue;
        bool widens = bitsOf(kindNamed(from)) < bitsOf(kindNamed(to));
        for (int64_t less : {0, 5}) {
          std::vector<int64_t> tile = {count}, tensor = {count - less};
          // What was there before is loaded too.
          std::string t = tileOf(tile, to);
          std::string body =
              cat("%w = ", widens ? "exti %t signed : " : "trunci %t : ", tileOf(tile, from),
                  " -> ", t, "\n    %o, %to = load_view_tko weak %y[%zero] : partition_view<tile=(",
                  count, "), tensor_view<", tensor[0], "x", to, ", strides=[1]>>, tile<i32> -> ", t,
                  ", token\n    %r = addi %w, %o : ", t);
          std::vector<Array> arrays = {integers(from, tensor[0], 1, 50),
                                       integers(to, tensor[0], 2, 50)};
          std::string text = mapped(from, tile, tensor, tile, tensor, to, body);
          text = replaced(text, "%r, %y[%zero]", "%r, %y[%zero] token = %to");
          EXPECT_EQ(difference(compiler, text, arrays, {}), "")
              << from << " to " << to << ", " << tensor[0] << " of " << count;
        }
      }
}

TEST(Planned, PermutationsOfHigherRanks) {
  driver::Compiler compiler;
  std::vector<int64_t> tile = {4, 8, 2, 32};
  for (std::array<int, 4> order :
       {std::array{0, 1, 3, 2}, {3, 2, 1, 0}, {1, 0, 2, 3}, {2, 3, 0, 1}, {1, 3, 0, 2}}) {
    std::vector<int64_t> other;
    for (int d : order)
      other.push_back(tile[size_t(d)]);
    std::string body = cat("%r = permute %t [", order[0], ", ", order[1], ", ", order[2], ", ",
                           order[3], "] : ", tileOf(tile, "f16"), " -> ", tileOf(other, "f16"));
    std::vector<Array> arrays = {integers("f16", product(tile), 1, 1000),
                                 newArray(TypeKind::F16, size_t(product(other)))};
    EXPECT_EQ(
        difference(compiler, mapped("f16", tile, tile, other, other, "f16", body), arrays, {}), "")
        << order[0] << order[1] << order[2] << order[3];
  }
}

/// What level 0 does to a tile that has a layout, and what becomes of its results.
TEST(Planned, OpsOfLevel0InBetween) {
  driver::Compiler compiler;
  for (int64_t columns : {16, 128}) {
    std::vector<int64_t> tile = {64, columns};
    std::string t = tileOf(tile, "f32");
    std::vector<int64_t> half = {32, columns};
    std::string h = tileOf(half, "f32");
    std::string body =
        cat("%one = constant <i32: 1> : tile<i32>\n    %h1 = extract %t[%one, %zero] : ", t, " -> ",
            h, "\n    %h0 = extract %t[%zero, %zero] : ", t, " -> ", h,
            "\n    %w = cat %h1, %h0 dim = 0 : ", h, ", ", h, " -> ", t,
            "\n    %r = addf %w, %t : ", t);
    std::vector<Array> arrays = {integers("f32", product(tile), 1),
                                 newArray(TypeKind::F32, size_t(product(tile)))};
    EXPECT_EQ(difference(compiler, mapped("f32", tile, tile, tile, tile, "f32", body), arrays,
                         {.sanitizes = true}),
              "")
        << t;
  }
}
