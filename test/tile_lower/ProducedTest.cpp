// Loads that a warp of its own makes by TMA, ahead of the threads that multiply: programs of many
// sizes, strides and loops on the simulator. Level 1 beside the interpreter.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Products.h"

#include <gtest/gtest.h>

#include <random>

using namespace tessera;
using namespace tessera::tile_eval;
using namespace tessera::tile_lower::test;

/// No turn at all, fewer than the ring has stages, as many, and more; edges on all sides.
TEST(Produced, TurnsOfALoop) {
  driver::Compiler compiler;
  for (int64_t k : {0, 8, 32, 40, 64, 96, 224, 256, 264, 904}) {
    Gemm g{.m = 72, .n = 40, .k = k, .pad = 16};
    EXPECT_EQ(differenceOf(compiler, g, {.body = oneLoop, .grid = gridOf(g)}), "") << nameOf(g);
  }
}

/// The first iterations' tiles come from all threads while the warp makes its tensor maps: two of
/// large products, four of small ones, and fewer where the loop or the ring is shorter.
TEST(Produced, FirstLoadsOfAllThreads) {
  driver::Compiler compiler;
  for (auto [tileM, tileN] : {std::pair<int64_t, int64_t>{128, 128}, {64, 128}, {64, 64}})
    for (int64_t turns : {0, 1, 2, 3, 4, 5, 9}) {
      Gemm g{.m = tileM + 8, .n = tileN + 16, .k = turns * 64 - (turns > 2 ? 8 : 0), .pad = 16};
      g.tileM = tileM, g.tileN = tileN, g.tileK = 64;
      g.isTransposedA = g.isTransposedB = turns % 2;
      EXPECT_EQ(differenceOf(compiler, g,
                             {.body = oneLoop,
                              .grid = gridOf(g),
                              .sanitizes = turns == 3,
                              .shuffle = turns == 4 ? std::optional<uint64_t>(1) : std::nullopt},
                             turns == 5 ? "cp.async.cg" : tma),
                "")
          << nameOf(g);
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

/// As many blocks as a hint asks for may leave no room for the ring of two loops of which each has
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
