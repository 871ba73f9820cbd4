// Loads that a warp of its own makes by TMA, ahead of the threads that multiply: programs of many
// sizes, strides and loops on the simulator. Level 1 beside the interpreter.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Inputs are small integers, whose sums are exact in any order, so that results are equal bit by
// bit. Sizes and strides are parameters of the kernels, as front ends have them.
#include "Comparison.h"
#include "Programs.h"

#include <gtest/gtest.h>

#include "llvm/ADT/STLExtras.h"

#include <random>

using namespace tessera;
using namespace tessera::tile_eval;
using namespace tessera::tile_lower::test;

namespace {

constexpr const char *tma = "cp.async.bulk.tensor";

struct Gemm {
  std::string type = "f16";
  int64_t tileM = 64, tileN = 64, tileK = 32;
  int64_t m = 64, n = 64, k = 128;
  int64_t pad = 0; // elements between rows
  bool isTransposedA = false, isTransposedB = false;
  int64_t batch = 0; // 0: matrices, else a third dimension of so many
  std::string hint = {}, tokenA = {}, entryHint = {};
  bool knowsSigns = true, knowsAlignment = true, knowsExtents = true;
};

int64_t ceil(int64_t a, int64_t b) { return (a + b - 1) / b; }

/// The loop over K, from %{lo} to %{hi}; with sums from `init`, of the tile %{x}, %{y}.
std::string loop(const std::string &name, const std::string &init, const std::string &lo,
                 const std::string &hi, const std::string &x = "%x", const std::string &y = "%y") {
  return filledIn(R"(
    %{#} = for %i{#} in ({LO} to {HI}, step %one) : tile<i32> iter_values(%acc{#} = {INIT}) -> (tile<{TM}x{TN}xf32>) {
      %ta{#}, %ua{#} = load_view_tko weak %a[{B}{X}, %i{#}]{TOKEN}{HINT} : {PA}, tile<i32> -> tile<{1}{TM}x{TK}x{T}>, token
      %tb{#}, %ub{#} = load_view_tko weak %b[{B}%i{#}, {Y}] : {PB}, tile<i32> -> tile<{1}{TK}x{TN}x{T}>, token
      %ma{#} = reshape %ta{#} : tile<{1}{TM}x{TK}x{T}> -> tile<{TM}x{TK}x{T}>
      %mb{#} = reshape %tb{#} : tile<{1}{TK}x{TN}x{T}> -> tile<{TK}x{TN}x{T}>
      %next{#} = mmaf %ma{#}, %mb{#}, %acc{#} : tile<{TM}x{TK}x{T}>, tile<{TK}x{TN}x{T}>, tile<{TM}x{TN}xf32>
      continue %next{#} : tile<{TM}x{TN}xf32>
    })",
                  {{"#", name}, {"INIT", init}, {"LO", lo}, {"HI", hi}, {"X", x}, {"Y", y}});
}
std::string store(const std::string &value, const std::string &name, const std::string &x = "%x",
                  const std::string &y = "%y") {
  return filledIn(R"(
    %r{#} = reshape {V} : tile<{TM}x{TN}xf32> -> tile<{1}{TM}x{TN}xf32>
    %s{#} = store_view_tko weak %r{#}, %c[{B}{X}, {Y}] : tile<{1}{TM}x{TN}xf32>, {PC}, tile<i32> -> token)",
                  {{"#", name}, {"V", value}, {"X", x}, {"Y", y}});
}

/// A kernel whose body is `body`: what is between the views and the return.
std::string textOf(const Gemm &g, const std::string &body) {
  std::string one = g.batch ? "1x" : "", any = g.batch ? "?x" : "", outer = g.batch ? "?," : "";
  auto view = [&](bool isTransposed, const std::string &type) {
    return cat("tensor_view<", any, "?x?x", type, ", strides=[", outer,
               isTransposed ? "1,?" : "?,1", "]>");
  };
  auto make = [&](const char *name, const char *pointer, const char *rows, const char *columns,
                  bool isTransposed, const std::string &type) {
    std::string batch = g.batch ? "%batch, " : "", stride = cat("%l", pointer);
    std::string strides = cat(g.batch ? cat("%h", pointer, ", ") : "", isTransposed ? "1, " : "",
                              stride, isTransposed ? "" : ", 1");
    return cat("    %v", pointer, " = make_tensor_view %p", pointer, ", shape = [", batch, rows,
               ", ", columns, "], strides = [", strides, "] : tile<i32> -> ",
               view(isTransposed, type), "\n    ", name, " = make_partition_view %v", pointer,
               " : {P", replaced(replaced(replaced(pointer, "a", "A"), "b", "B"), "c", "C"), "}\n");
  };
  std::string text = R"(cuda_tile.module @m {
  entry @k(%pa0: tile<ptr<{T}>>, %pb0: tile<ptr<{T}>>, %pc0: tile<ptr<f32>>, %m0: tile<i32>, %n0: tile<i32>, %k0: tile<i32>, %batch0: tile<i32>, %la0: tile<i32>, %lb0: tile<i32>, %lc0: tile<i32>, %ha0: tile<i32>, %hb0: tile<i32>, %hc0: tile<i32>) optimization_hints = <{ENTRYHINT}> {
)";
  for (std::string name : {"pa", "pb"})
    text += cat("    %", name, " = assume div_by<16>, %", name, "0 : tile<ptr<{T}>>\n");
  text += "    %pc = assume div_by<4>, %pc0 : tile<ptr<f32>>\n";
  for (std::string name : {"m", "n", "k", "batch", "la", "lb", "lc", "ha", "hb", "hc"}) {
    bool isOfC = name == "lc" || name == "hc", isStride = name[0] == 'l' || name[0] == 'h';
    text +=
        cat("    %", name, "1 = assume ", g.knowsSigns ? "bounded<0, ?>" : "div_by<1>", ", %", name,
            "0 : tile<i32>\n    %", name, " = assume div_by<",
            g.knowsAlignment && !isOfC && name != "batch" && (isStride || g.knowsExtents) ? 8 : 1,
            ">, %", name, "1 : tile<i32>\n");
  }
  text += make("%a", "a", "%m", "%k", g.isTransposedA, g.type);
  text += make("%b", "b", "%k", "%n", g.isTransposedB, g.type);
  text += make("%c", "c", "%m", "%n", false, "f32");
  text += R"(    %x, %y, %z = get_tile_block_id : tile<i32>
    %gx, %gy, %gz = get_num_tile_blocks : tile<i32>
    %zero = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %two = constant <i32: 2> : tile<i32>
    %tm = constant <i32: {TM}> : tile<i32>
    %tn = constant <i32: {TN}> : tile<i32>
    %tk = constant <i32: {TK}> : tile<i32>
    %start = constant <f32: 0.0> : tile<{TM}x{TN}xf32>
    %fresh = make_token : token
    %steps = divi %k, %tk signed rounding<positive_inf> : tile<i32>
    %half = divi %steps, %two signed : tile<i32>
    %rows = divi %m, %tm signed rounding<positive_inf> : tile<i32>
    %columns = divi %n, %tn signed rounding<positive_inf> : tile<i32>)";
  text += body + "\n    return\n  }\n}\n";
  auto partition = [&](const char *tile, bool isTransposed, const std::string &type, bool pads) {
    return cat("partition_view<tile=({1}", tile, "), ", pads ? "padding_value = zero, " : "",
               view(isTransposed, type), ">");
  };
  text = filledIn(text, {{"PA", partition("{TM}x{TK}", g.isTransposedA, g.type, true)},
                         {"PB", partition("{TK}x{TN}", g.isTransposedB, g.type, true)},
                         {"PC", partition("{TM}x{TN}", false, "f32", false)}});
  return filledIn(text, {{"TM", str(g.tileM)},
                         {"TN", str(g.tileN)},
                         {"TK", str(g.tileK)},
                         {"T", g.type},
                         {"1", one},
                         {"B", g.batch ? "%z, " : ""},
                         {"HINT", g.hint},
                         {"ENTRYHINT", g.entryHint},
                         {"TOKEN", g.tokenA}});
}

struct Run {
  std::string body;
  std::array<uint32_t, 3> grid;
  bool sanitizes = true;
  std::optional<uint64_t> shuffle = {};
  std::vector<Array> operands = {}; // A and B; empty: small integers
};

std::string differenceOf(driver::Compiler &compiler, const Gemm &g, const Run &run,
                         const char *instruction = tma) {
  int64_t lines = std::max<int64_t>(g.batch, 1);
  auto stride = [&](int64_t columns) { return ceil(columns, 8) * 8 + g.pad; };
  int64_t la = stride(g.isTransposedA ? g.m : g.k), lb = stride(g.isTransposedB ? g.k : g.n);
  int64_t lc = g.n + 1, ha = la * (g.isTransposedA ? g.k : g.m);
  int64_t hb = lb * (g.isTransposedB ? g.n : g.k), hc = lc * g.m;
  auto count = [&](int64_t each) { return std::max<int64_t>(lines * each, 16); };
  std::vector<Array> arrays = {integers(g.type, count(ha), 1), integers(g.type, count(hb), 2),
                               integers("f32", count(hc), 3)};
  llvm::copy(run.operands, arrays.begin());
  Setup setup{.arch = "sm_90a",
              .grid = run.grid,
              .sanitizes = run.sanitizes,
              .shuffle = run.shuffle,
              .instruction = instruction};
  for (int64_t number : {g.m, g.n, g.k, g.batch, la, lb, lc, ha, hb, hc})
    setup.numbers.push_back({TypeKind::I32, uint64_t(number)});
  return difference(compiler, textOf(g, run.body), arrays, setup);
}
std::array<uint32_t, 3> gridOf(const Gemm &g) {
  return {uint32_t(ceil(g.m, g.tileM)), uint32_t(ceil(g.n, g.tileN)),
          uint32_t(std::max<int64_t>(g.batch, 1))};
}
std::string nameOf(const Gemm &g) {
  return cat(g.type, " tile ", g.tileM, "x", g.tileN, "x", g.tileK, " of ", g.m, "x", g.n, "x", g.k,
             " pad ", g.pad, " transposed ", g.isTransposedA, g.isTransposedB, " batch ", g.batch);
}

const std::string oneLoop = loop("p", "%start", "%zero", "%steps") + store("%p", "p");

} // namespace

/// No turn at all, fewer than the ring has stages, as many, and more; edges on all sides.
TEST(Produced, TurnsOfALoop) {
  driver::Compiler compiler;
  for (int64_t k : {0, 8, 32, 40, 64, 96, 224, 256, 264, 904}) {
    Gemm g{.m = 72, .n = 40, .k = k, .pad = 16};
    EXPECT_EQ(differenceOf(compiler, g, {.body = oneLoop, .grid = gridOf(g)}), "") << nameOf(g);
  }
}

/// Boxes along K, M or N, of one or several rows of 128 bytes, in two and three dimensions.
TEST(Produced, RandomTilesAndTensors) {
  driver::Compiler compiler;
  std::mt19937 random(5);
  auto among = [&](std::initializer_list<int64_t> numbers) {
    return numbers.begin()[random() % numbers.size()];
  };
  for (int i = 0; i < 24; ++i) {
    Gemm g{.type = random() % 2 ? "f16" : "bf16"};
    g.tileM = among({64, 128, 256});
    g.tileN = among({32, 64, 128});
    g.tileK = among({16, 32, 64, 128});
    g.m = 8 + int64_t(random()) % (2 * g.tileM) / 8 * 8;
    g.n = 8 + int64_t(random()) % (2 * g.tileN) / 8 * 8;
    g.k = 8 + int64_t(random()) % (5 * g.tileK) / 8 * 8;
    g.pad = among({0, 8, 48});
    g.isTransposedA = random() % 2;
    g.isTransposedB = random() % 2;
    g.batch = among({0, 0, 2});
    EXPECT_EQ(
        differenceOf(compiler, g,
                     {.body = oneLoop,
                      .grid = gridOf(g),
                      .sanitizes = i % 3 == 0,
                      .shuffle = i % 3 == 1 ? std::optional<uint64_t>(random()) : std::nullopt}),
        "")
        << nameOf(g);
  }
}

/// Threads that load give registers to the others, which wait for as many as there are.
TEST(Produced, RegistersOfBlocks) {
  driver::Compiler compiler;
  for (auto [tileN, blocks] : {std::pair{32, 2}, {32, 3}, {64, 2}, {64, 3}}) {
    Gemm g{.tileM = 128, .tileN = tileN, .tileK = 128, .m = 200, .n = 72, .k = 1000};
    g.entryHint = cat("default = {occupancy = ", blocks, ", num_worker_warps_per_cta = 8}");
    EXPECT_EQ(differenceOf(compiler, g, {.body = oneLoop, .grid = gridOf(g)}, ""), "") << nameOf(g);
  }
}

/// Rows that vectors do not divide, which TMA copies all the same.
TEST(Produced, ExtentsOfAnyNumber) {
  driver::Compiler compiler;
  for (auto [m, n, k] : {std::array<int64_t, 3>{1, 1, 97}, {67, 129, 205}, {64, 63, 1}})
    for (int form : {0, 1, 2, 3}) {
      Gemm g{.m = m, .n = n, .k = k, .isTransposedA = bool(form & 1)};
      g.isTransposedB = form & 2;
      g.knowsExtents = false;
      EXPECT_EQ(differenceOf(compiler, g, {.body = oneLoop, .grid = gridOf(g)}), "") << nameOf(g);
    }
  // Where threads have to load, they do what they can.
  Gemm g{.m = 67, .n = 61, .k = 205};
  g.knowsExtents = false;
  std::string early = replaced(oneLoop, "%nextp =", R"(%rest = remi %ip, %two signed : tile<i32>
      %isOdd = cmpi equal %rest, %one, signed : tile<i32> -> tile<i1>
      if %isOdd {
        continue %accp : tile<{TM}x{TN}xf32>
      }
      %nextp =)");
  EXPECT_EQ(differenceOf(compiler, g, {.body = early, .grid = gridOf(g)}), "");
  // A is in no ring then, but B is: the product is awaited before A is written again.
  g.hint = " optimization_hints = <default = {allow_tma = false}>";
  EXPECT_EQ(differenceOf(compiler, g, {.body = oneLoop, .grid = gridOf(g)}), "");
}

/// The ring goes on from loop to loop, and around in an outer one.
TEST(Produced, SeveralLoops) {
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

/// As many blocks as a hint asks for may leave no room for the ring of two loops of which each has
/// room for its own.
TEST(Produced, NoRoomForARing) {
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

/// Two products in a chain, the first of which reads loads only, and so begins an iteration early.
struct Chain {
  /// Whether something is added to the sums between the products: the second one is then awaited
  /// there in the next iteration.
  bool changes = true;
  /// Whether the sums are read at once, so that nothing may be in flight when the iteration ends.
  bool reads = false;
  int64_t latency = 0; // stages of the ring, if it is not 0
};

/// c += limited(a[x, 0] * b[0, i]) * b'[i, 0]: b is square, so its tiles are both.
std::string chain(const Chain &of, const std::string &name, const std::string &init,
                  const std::string &lo, const std::string &hi) {
  std::string hint =
      of.latency ? cat(" optimization_hints = <default = {latency = ", of.latency, "}>") : "";
  return filledIn(
      R"(
    %{#} = for %i{#} in ({LO} to {HI}, step %one) : tile<i32> iter_values(%acc{#} = {INIT}) -> (tile<{TM}x{TN}xf32>) {
      %tb{#}, %ub{#} = load_view_tko weak %b[%zero, %i{#}]{LATENCY} : {PB}, tile<i32> -> tile<{TK}x{TN}x{T}>, token
      %first{#} = mmaf %q, %tb{#}, %start : tile<{TM}x{TK}x{T}>, tile<{TK}x{TN}x{T}>, tile<{TM}x{TN}xf32>
      %low{#} = maxf %first{#}, %least : tile<{TM}x{TN}xf32>
      %limited{#} = minf %low{#}, %most : tile<{TM}x{TN}xf32>
      %p{#} = ftof %limited{#} : tile<{TM}x{TN}xf32> -> tile<{TM}x{TN}x{T}>
      {CHANGE}
      %tc{#}, %uc{#} = load_view_tko weak %b[%i{#}, %zero]{LATENCY} : {PB}, tile<i32> -> tile<{TK}x{TN}x{T}>, token
      %next{#} = mmaf %p{#}, %tc{#}, {SUMS} : tile<{TM}x{TK}x{T}>, tile<{TK}x{TN}x{T}>, tile<{TM}x{TN}xf32>
      {LAST}
    })",
      {{"CHANGE", of.changes ? "%scaled{#} = addf %acc{#}, %most : tile<{TM}x{TN}xf32>" : ""},
       {"SUMS", of.changes ? "%scaled{#}" : "%acc{#}"},
       {"LAST", of.reads ? "%more{#} = addf %next{#}, %most : tile<{TM}x{TN}xf32>\n"
                           "      continue %more{#} : tile<{TM}x{TN}xf32>"
                         : "continue %next{#} : tile<{TM}x{TN}xf32>"},
       {"LATENCY", hint},
       {"#", name},
       {"INIT", init},
       {"LO", lo},
       {"HI", hi}});
}
constexpr const char *beforeChain = R"(
    %least = constant <f32: -2.0> : tile<{TM}x{TN}xf32>
    %most = constant <f32: 2.0> : tile<{TM}x{TN}xf32>
    %q, %uq = load_view_tko weak %a[%x, %zero] : {PA}, tile<i32> -> tile<{TM}x{TK}x{T}>, token)";

size_t countIn(const std::string &text, std::string_view word) {
  size_t count = 0;
  for (size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1))
    ++count;
  return count;
}

TEST(Produced, ProductsOfTwoIterations) {
  driver::Compiler compiler;
  for (const Chain &of : {Chain{}, Chain{.changes = false}, Chain{.reads = true},
                          Chain{.latency = 2}, Chain{.changes = false, .latency = 2},
                          Chain{.reads = true, .latency = 2}, Chain{.latency = 3}}) {
    std::string body =
        cat(beforeChain, chain(of, "p", "%start", "%zero", "%half"),
            chain(of, "r", "%p", "%half", "%columns"), store("%r", "r", "%x", "%zero"));
    for (int64_t n : {64, 200, 512}) {
      Gemm g{.tileM = 128, .tileN = 64, .tileK = 64, .m = 136, .n = n, .k = n};
      std::string name = cat(nameOf(g), of.changes ? ", changed" : "", of.reads ? ", read" : "",
                             ", ", of.latency, " stages");
      EXPECT_EQ(differenceOf(compiler, g, {.body = body, .grid = {2, 1, 1}}), "") << name;
      EXPECT_EQ(differenceOf(compiler, g,
                             {.body = body, .grid = {2, 1, 1}, .sanitizes = false, .shuffle = n}),
                "")
          << name;
      // The first product is awaited while the second goes on into the next iteration.
      std::string ptx = compile(compiler, textOf(g, body), "sm_90a", 1).ptx;
      EXPECT_EQ(countIn(ptx, "wait_group.sync.aligned 1;") > 0, !of.reads) << name;
      // A ring of two stages has other barriers for the first product's loads.
      size_t barriers = countIn(ptx, "mbarrier.init");
      if (of.latency)
        EXPECT_EQ(barriers, size_t(of.latency * (of.latency == 2 && !of.reads ? 4 : 2))) << name;
    }
  }
}

/// A that the program computes in the registers from which a product in flight reads it.
TEST(Produced, OperandsInRegisters) {
  driver::Compiler compiler;
  const std::string begin = R"(
    %ones = constant <f32: 1.0> : tile<{TM}x{TK}xf32>
    %most = constant <f32: 2.0> : tile<{TM}x{TN}xf32>
    %rows1 = iota : tile<{TM}xi32>
    %rows2 = andi %rows1, %rows1 : tile<{TM}xi32>
    %rows3 = itof %rows2 signed : tile<{TM}xi32> -> tile<{TM}xf32>
    %rows4 = reshape %rows3 : tile<{TM}xf32> -> tile<{TM}x1xf32>
    %rows5 = broadcast %rows4 : tile<{TM}x1xf32> -> tile<{TM}x{TK}xf32>)";
  // c += a(i) * b[i, y], where a depends on the row and on i.
  auto sum = [&](bool changes, bool changesFirst) {
    std::string change = changes ? "%scaled = addf %acc, %most : tile<{TM}x{TN}xf32>" : "";
    return filledIn(R"(
    %r = for %i in (%zero to %steps, step %one) : tile<i32> iter_values(%acc = %start) -> (tile<{TM}x{TN}xf32>) {
      {FIRST}
      %tb, %ub = load_view_tko weak %b[%i, %y] : {PB}, tile<i32> -> tile<{TK}x{TN}x{T}>, token
      %fi = itof %i signed : tile<i32> -> tile<f32>
      %fi1 = reshape %fi : tile<f32> -> tile<1x1xf32>
      %fi2 = broadcast %fi1 : tile<1x1xf32> -> tile<{TM}x{TK}xf32>
      %odd = addf %fi2, %rows5 : tile<{TM}x{TK}xf32>
      %sub = subf %odd, %ones : tile<{TM}x{TK}xf32>
      %p = ftof %sub : tile<{TM}x{TK}xf32> -> tile<{TM}x{TK}x{T}>
      {LAST}
      %next = mmaf %p, %tb, {SUMS} : tile<{TM}x{TK}x{T}>, tile<{TK}x{TN}x{T}>, tile<{TM}x{TN}xf32>
      continue %next : tile<{TM}x{TN}xf32>
    })",
                    {{"FIRST", changesFirst ? change : ""},
                     {"LAST", changesFirst ? "" : change},
                     {"SUMS", changes ? "%scaled" : "%acc"}});
  };
  for (const char *type : {"tf32", "bf16", "f16"})
    for (auto [changes, first] : {std::pair(false, false), {true, false}, {true, true}}) {
      std::string body = begin + sum(changes, first) + store("%r", "r");
      Gemm g{.type = type, .tileM = 128, .tileN = 64, .tileK = 64};
      g.m = 136, g.n = 72, g.k = 328, g.isTransposedB = true;
      EXPECT_EQ(differenceOf(compiler, g, {.body = body, .grid = gridOf(g)}), "")
          << nameOf(g) << changes << first;
    }
}

/// f32 that products read as tf32 is rounded by TMA, where both operands lie along K and nothing
/// else reads them. Each column of B has one 1, so that the products are numbers of A, rounded.
TEST(Produced, RoundedByTma) {
  driver::Compiler compiler;
  auto rounding = [&](const std::string &mode) {
    std::string out = oneLoop;
    out = replaced(out, "%nextp = mmaf %map, %mbp,",
                   cat("%fa = ftof %map ", mode, ": tile<{TM}x{TK}xf32> -> tile<{TM}x{TK}xtf32>\n",
                       "%fb = ftof %mbp ", mode, ": tile<{TK}x{TN}xf32> -> tile<{TK}x{TN}xtf32>\n",
                       "%nextp = mmaf %fa, %fb,"));
    return replaced(out, "tile<{TM}x{TK}x{T}>, tile<{TK}x{TN}x{T}>, tile<{TM}x{TN}xf32>",
                    "tile<{TM}x{TK}xtf32>, tile<{TK}x{TN}xtf32>, tile<{TM}x{TN}xf32>");
  };
  // The same, and a product of the numbers themselves.
  const std::string twice = replaced(rounding(""), "continue %nextp",
                                     R"(%ga = ftof %map : tile<{TM}x{TK}xf32> -> tile<{TM}x{TK}xf16>
      %gb = ftof %mbp : tile<{TK}x{TN}xf32> -> tile<{TK}x{TN}xf16>
      %both = mmaf %ga, %gb, %nextp : tile<{TM}x{TK}xf16>, tile<{TK}x{TN}xf16>, tile<{TM}x{TN}xf32>
      continue %both)");
  struct Case {
    std::string body;
    bool isAlongK, isRounded;
    unsigned mostExponent = 253;
  };
  for (const Case &c :
       {Case{rounding(""), true, true}, Case{rounding(""), false, false},
        Case{rounding("rounding<zero> "), true, false}, Case{twice, true, false, 130}})
    for (int64_t tileM : {64, 128}) {
      Gemm g{.type = "f32", .tileM = tileM, .m = tileM + 8, .n = 72, .k = 136, .pad = 8};
      g.isTransposedB = c.isAlongK;
      int64_t la = g.k + g.pad, lb = (g.isTransposedB ? g.k : g.n) + g.pad;
      Array a = newArray(TypeKind::F32, size_t(la * g.m));
      Array b = newArray(TypeKind::F32, size_t(lb * (g.isTransposedB ? g.n : g.k)));
      std::mt19937 random(3);
      for (size_t i = 0; i < a.size(); ++i) {
        uint32_t code = random(), exponent = random() % c.mostExponent + 1;
        if (c.mostExponent < 253)
          exponent = 120 + code % 10;
        code = (code & 0x807fffffU) | (i % 7 ? exponent << 23 : 0);
        a.setCode(i, i % 3 ? code : (code & ~0x1fffU) | 0x1000U); // in the middle of two numbers
      }
      for (int64_t n = 0; n < g.n; ++n) {
        int64_t k = n * 17 % g.k;
        b.setCode(size_t(g.isTransposedB ? n * lb + k : k * lb + n), 0x3f800000);
      }
      std::string text = compile(compiler, textOf(g, c.body), "sm_90a", 1).ptx;
      EXPECT_EQ(text.find("tensormap.replace.tile.elemtype") != text.npos &&
                    text.find("], 11;") != text.npos,
                c.isRounded);
      EXPECT_EQ(differenceOf(compiler, g, {.body = c.body, .grid = gridOf(g), .operands = {a, b}},
                             "wgmma"),
                "")
          << nameOf(g);
    }
}

/// Tensor cores of an H100 keep 14 bits of sums of 8-bit numbers. 2^16 and then ones are exact
/// where threads add up the sums of 128 products, and not where the program allows fewer bits.
TEST(Produced, SumsOfBytesByThreads) {
  driver::Compiler compiler;
  for (const char *type : {"f8E4M3FN", "f8E5M2"})
    for (bool isAlongK : {true, false})
      for (int64_t tileK : {64, 128, 256}) {
        Gemm g{.type = type, .tileM = 64, .tileN = isAlongK ? 256 : 64, .tileK = tileK};
        g.m = 72, g.n = g.tileN, g.k = 640, g.isTransposedB = isAlongK;
        int64_t lb = isAlongK ? g.k : g.n;
        Array a = newArray(kindNamed(type), size_t(g.m * g.k)),
              b = newArray(a.kind, size_t(g.n * g.k));
        auto set = [&](Array &to, int64_t at, int64_t k) {
          to.setCode(size_t(at), encode(a.kind, k == 0 ? 256 : k < 256 ? 0 : 1));
        };
        for (int64_t k = 0; k < g.k; ++k) {
          for (int64_t m = 0; m < g.m; ++m)
            set(a, m * g.k + k, k);
          for (int64_t n = 0; n < g.n; ++n)
            set(b, isAlongK ? n * lb + k : k * lb + n, k);
        }
        struct Run run{.body = oneLoop, .grid = gridOf(g), .operands = {a, b}};
        EXPECT_EQ(differenceOf(compiler, g, run, "wgmma.mma_async"), "") << nameOf(g);
        run.body = replaced(oneLoop, "%accp :", "%accp fast_acc :");
        EXPECT_NE(differenceOf(compiler, g, run, "wgmma.mma_async"), "") << nameOf(g);
      }
}

/// Loops of one ring that differ: the early product of one reads what the other products read too.
TEST(Produced, RingsOfDifferentLoops) {
  driver::Compiler compiler;
  Chain of{.latency = 2};
  std::string once = chain(of, "r", "%p", "%half", "%columns");
  size_t second = once.find("      %tcr,");
  once.erase(second, once.find('\n', second) + 1 - second);
  once = replaced(once, "%tcr", "%tbr");
  std::string body = cat(beforeChain, chain(of, "p", "%start", "%zero", "%half"), once,
                         store("%r", "r", "%x", "%zero"));
  for (int64_t n : {64, 200, 512}) {
    Gemm g{.tileM = 128, .tileN = 64, .tileK = 64, .m = 136, .n = n, .k = n};
    EXPECT_EQ(differenceOf(compiler, g, {.body = body, .grid = {2, 1, 1}}), "") << nameOf(g);
  }
}

/// Tile blocks with longer loops come first, where no program can tell.
TEST(Produced, LongBlocksFirst) {
  driver::Compiler compiler;
  Gemm g{.m = 200, .n = 72, .k = 480};
  struct Case {
    const char *last; // of the loop, by the block's numbers
    bool x = false, y = false;
  };
  for (auto [last, x, y] : {
           Case{"\n    %last = addi %x, %one : tile<i32>", true},
           Case{"\n    %more = muli %y, %two : tile<i32>\n    %last = addi %more, %two : tile<i32>",
                false, true},
           Case{"\n    %sum = addi %x, %y : tile<i32>\n    %last = mini %sum, %steps signed : "
                "tile<i32>",
                true, true},
           Case{"\n    %last = subi %steps, %x : tile<i32>"},
           Case{"\n    %last = addi %half, %one : tile<i32>"},
           Case{"\n    %odd = remi %x, %two signed : tile<i32>\n    %last = addi %odd, %one : "
                "tile<i32>"},
       }) {
    std::string body = cat(last, loop("p", "%start", "%zero", "%last"), store("%p", "p"));
    EXPECT_EQ(differenceOf(compiler, g, {.body = body, .grid = gridOf(g)}), "") << last;
    std::string ptx = compile(compiler, textOf(g, body), "sm_90a", 1).ptx;
    EXPECT_EQ(countIn(ptx, "%nctaid.x") > 0, x) << last;
    EXPECT_EQ(countIn(ptx, "%nctaid.y") > 0, y) << last;
    // What blocks print shows their order.
    std::string printing =
        compile(compiler, textOf(g, body + "\n    %said = print_tko \"x\" -> token"), "sm_90a", 1)
            .ptx;
    EXPECT_EQ(countIn(printing, "%nctaid"), 0u) << last;
  }
}

/// What TMA or a warp that is ahead would not be right for.
TEST(Produced, LoadsOfOtherThreads) {
  driver::Compiler compiler;
  Gemm usual{.m = 72, .n = 40, .k = 200};
  auto check = [&](const Gemm &g, const std::string &body) {
    EXPECT_EQ(compile(compiler, textOf(g, body), "sm_90a", 1).ptx.find(tma), std::string::npos);
    EXPECT_EQ(differenceOf(compiler, g, {.body = body, .grid = gridOf(g)}, "wgmma"), "");
  };
  Gemm g = usual;
  g.hint = " optimization_hints = <default = {allow_tma = false}>";
  check(g, oneLoop);
  g = usual;
  g.knowsSigns = false; // a stride of 2^31 or more may be meant
  check(g, oneLoop);
  g = usual;
  g.knowsAlignment = false;
  check(g, oneLoop);
  // A is written before it is read: the token says so.
  g = usual;
  g.tokenA = " token = %before";
  std::string write = R"(
    %ones = constant <{T}: 1.0> : tile<{1}{TM}x{TK}x{T}>
    %before = store_view_tko weak %ones, %a[{B}%x, %zero] token = %fresh : tile<{1}{TM}x{TK}x{T}>, {PA}, tile<i32> -> token)";
  Gemm narrow = g;
  narrow.n = 64; // one block for each row of tiles
  check(narrow, write + oneLoop);
  // Another kernel may write what is read after the wait.
  check(usual, "\n    %waited = gdc_wait_tko -> token" + oneLoop);
  // How often the loop turns is read from memory.
  std::string reads = R"(
    %turns, %ut = load_ptr_tko weak %pc : tile<ptr<f32>> -> tile<f32>, token
    %number = ftoi %turns signed : tile<f32> -> tile<i32>
    %none = subi %number, %number : tile<i32>
    %last = addi %none, %steps : tile<i32>)";
  Gemm single = usual;
  single.m = single.n = 64;
  check(single, reads + loop("p", "%start", "%zero", "%last") +
                    replaced(store("%p", "p"), "] :", "] token = %ut :"));
}

/// A kernel without extents has nothing to load, and makes its maps all the same.
TEST(Produced, TensorsWithoutElements) {
  driver::Compiler compiler;
  Gemm g{.m = 64, .n = 64, .k = 0};
  EXPECT_EQ(differenceOf(compiler, g, {.body = oneLoop, .grid = {1, 1, 1}}), "");
}
