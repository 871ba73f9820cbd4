// Expressions as a whole, and what is said of them: summary, explanation, checks, JSON.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/eval/Report.h"
#include "tessera/eval/Laws.h"

#include <gtest/gtest.h>

using namespace tessera;
using namespace tessera::eval;

namespace {

std::string text(std::string expression) {
  Evaluation done = evaluate(std::move(expression));
  return done.ok() ? str(*done.result, done.values) : "error: " + done.refusal.reason.text;
}

TEST(Expressions, ReadLiteralsBackAsTheyArePrinted) {
  for (std::string_view literal : {"4",
                                   "-3",
                                   "()",
                                   "(4)",
                                   "(4,(2,3))",
                                   "_",
                                   "(_,3)",
                                   "4:1",
                                   "(4,8):(8,1)",
                                   "(4,8):(1@0,1@1)",
                                   "4:2@1@0",
                                   "[64:1;64:1]",
                                   "[_;4:2]",
                                   "[[4:1;_];8:1]",
                                   "S<3,4,3>",
                                   "S<2,0,-3>",
                                   "S<3,4,3> o 0 o (8,64):(64,1)",
                                   "(4,4):(4,1) o 3 o 8:1",
                                   "?",
                                   "?{i64}",
                                   "?{div=8}",
                                   "?{i64 div=8}",
                                   "?{4}",
                                   "?{i64 5781297798}",
                                   "(?,?{4}):(1,?{i64})",
                                   "<0,2>",
                                   "[0,1,2]",
                                   "8->16 bits"})
    EXPECT_EQ(text(std::string(literal)), literal);
}

TEST(Expressions, CombineNamesCallsAndCompositions) {
  EXPECT_EQ(text("let A = (4,8):(8,1); A o (2,4)"), "(2,4):(8,1)");
  EXPECT_EQ(text("let A = (4,8):(8,1);\nlet B = 2:1;\n(A o 4:8) o B"),
            text("composition((4,8):(8,1) o 4:8, 2:1)"));
  EXPECT_EQ(text("let A = (4,8):(1,4); (size(A),4):(1,size(A))"), "(32,4):(1,32)");
  EXPECT_EQ(text("S<3,4,3> o (8,64):(64,1)"), "S<3,4,3> o 0 o (8,64):(64,1)");
  // What follows an offset is one layout, whose swizzle meets the one in front.
  EXPECT_EQ(text("S<2,0,3> o 0 o S<2,0,3> o 0 o (8,8):(1,8)"), "(8,8):(1,8)");
  EXPECT_EQ(text("S<1,0,3> o 0 o S<2,0,3> o (8,8):(1,8)"), text("S<1,0,3> o (S<2,0,3> o (8,8))"));
  EXPECT_EQ(text("(4,8):(1,4) o 0 o S<1,0,3> o 0 o 32:1"), "S<1,0,3> o 0 o 32:1");
  EXPECT_EQ(text("S<2,0,3> o 0 o (8,8):(1,8) o (4,4)"), "S<2,0,3> o 0 o (4,4):(1,8)");
  EXPECT_EQ(text("S<2,0,3> o 0 o (8,8)"), "S<2,0,3> o 0 o (8,8):(1,8)");
  EXPECT_EQ(text("S<2,0,3> o 0 o S<2,0,3> o S<2,0,3>"),
            "error: composition expects a layout as argument 2, but got the swizzle S<0,0,0>");
  EXPECT_EQ(text("get_mode<1>((4,8):(8,1))"), "8:1");
  EXPECT_EQ(text("append_to_rank<3>((4,8):(8,1), 2:3)"), "(4,8,2):(8,1,3)");
  EXPECT_EQ(text("logical_divide(12:1, 4)"), text("logical_divide(12:1 | 4)"));
  EXPECT_EQ(text("((4:1))"), "4:1");
}

TEST(Batch, GivesOneLineForEach) {
  EXPECT_EQ(evaluateLine("").text, "");
  EXPECT_TRUE(evaluateLine("  ").ok);
  EXPECT_EQ(evaluateLine("congruent((1,2) | (3,4))").text, "true");
  EXPECT_EQ(evaluateLine("slice_and_offset((_,2) | (4,5):(1,4))").text, "(4):(1) + 8");
  Line refused = evaluateLine("composition((3,5):(1,7) | 4:2)");
  EXPECT_FALSE(refused.ok);
  EXPECT_EQ(
      refused.text,
      "error: composition: mode 0 of the left layout has extent 3, which stride 2 of the right "
      "layout does not divide");
}

TEST(Batch, RefusesWhatBreaksAnAssumption) {
  EXPECT_EQ(evaluateLine("upcast((?{2},?{4}):(?{4},?{1}) | <2>)").text,
            "error: upcast: the run-time values break an assumption: 2 divides 1");
  Evaluation unchecked = evaluate("upcast((?{2},?{4}):(?{4},?{1}), 2)", false);
  EXPECT_EQ(str(*unchecked.result, unchecked.values), "(?{2},?{4}):(?{2},?{0})");
}

// A product of i32 leaves is an i32 in the IR, so that it fits is assumed; of i64 leaves it is not,
// nor where bits are known to be few.
TEST(Report, AssumesThatProductsFit) {
  auto assumed = [](const char *expression) {
    std::string all;
    Evaluation done = evaluate(expression);
    for (const Assumption &assumption : done.values.assumptions())
      all += assumption.text + "\n";
    return all;
  };
  EXPECT_EQ(assumed("size((?,?,8))"), "?1 * ?2 fits 32 bits\n(?1*?2) * 8 fits 32 bits\n");
  EXPECT_EQ(assumed("(size((?,?)),size((?,?))):(1,1)"),
            "?1 * ?2 fits 32 bits\n?3 * ?4 fits 32 bits\n");
  EXPECT_EQ(assumed("size((?{i64},?))"), "");
  EXPECT_EQ(assumed("size((?{46340},?{46340}))"), "");
  EXPECT_EQ(evaluate("size((?{46341},?{46341}))").refusal.reason.id, "ResultTooLarge");
}

TEST(Report, SaysSizeOrderAndProperties) {
  EXPECT_EQ(summary(evaluate("(8,4):(4,1)")),
            "(8,4):(4,1)\nsize 32   cosize 32   row-major   injective, compact\n");
  EXPECT_EQ(summary(evaluate("(8,4):(1,8)")),
            "(8,4):(1,8)\nsize 32   cosize 32   column-major   injective, compact\n");
  EXPECT_EQ(summary(evaluate("(8,4):(1,0)")), "(8,4):(1,0)\nsize 32   cosize 8   not injective\n");
  // Values close to each other and far apart are compared in two ways.
  EXPECT_EQ(summary(evaluate("(65535,8):(1,4)")),
            "(65535,8):(1,4)\nsize 524280   cosize 65563   not injective\n");
  EXPECT_EQ(summary(evaluate("(8,4):(2,16)")), "(8,4):(2,16)\nsize 32   cosize 63   injective\n");
  EXPECT_EQ(summary(evaluate("(2,2):(1000000,1)")),
            "(2,2):(1000000,1)\nsize 4   cosize 1000002   injective\n");
  EXPECT_EQ(summary(evaluate("(2,2):(1000000,1000000)")),
            "(2,2):(1000000,1000000)\nsize 4   cosize 2000001   not injective\n");
  EXPECT_EQ(summary(evaluate("4294967296:4294967296")),
            "4294967296:4294967296\nsize 4294967296   cosize beyond 2^63 - 1\n");
  EXPECT_EQ(summary(evaluate("(4294967296,4294967296):(0,0)")),
            "(4294967296,4294967296):(0,0)\nsize beyond 2^63 - 1\n");
  EXPECT_EQ(summary(evaluate("(8,4):(1@0,1@1)")),
            "(8,4):(1@0,1@1)\nsize 32   cosize 32   injective\n");
  EXPECT_EQ(summary(evaluate("size((8,4))")), "32\n");
  EXPECT_EQ(summary(evaluate("(?,8):(1,?{div=4}) o 4:2")),
            "(?,?):(2,?{div=4})\nsize ?   cosize ?\n"
            "assumes   2 divides ?1, or ?1 divides 2, or 4 steps of 2 "
            "stay below ?1\n"
            "assumes   (ceil(?1/2) min 4) divides 4\n"
            "assumes   ceil(2/?1) * ?2 fits 32 bits\n");
}

TEST(Report, ExplainsEachCall) {
  EXPECT_EQ(explanation(evaluate("let A = make_layout((100,8)); logical_divide(A, [64;8])")),
            "1  make_layout((100,8):(1,100))\n"
            "   law      the compact layout of a shape, first mode fastest\n"
            "   result   (100,8):(1,100)\n"
            "2  logical_divide((100,8):(1,100), [64:1;8:1])\n"
            "   law      A o (B, complement(B, size(A))): ((t0,r0),(t1,r1))\n"
            "   note     mode 0: 64 does not divide 100: the rest is rounded up to 2, 28 indices "
            "lie outside\n"
            "   result   ((64,2),(8,1)):((1,64),(100,0))\n");
  std::string notes = explanation(evaluate("tile_to_shape(4:1, 6)")) +
                      explanation(evaluate("4:1 o 8:1")) +
                      explanation(evaluate("right_inverse((4,2):(1,8))")) +
                      explanation(evaluate("(?{8},2):(1,9) o ?{4}:2"));
  for (std::string_view note : {"mode 0: the block does not divide 6: the copies cover 8",
                                "the right layout reaches index 7, beyond the 4 coordinates of the "
                                "left one, whose last mode goes on",
                                "only the first 4 of 8 indices are hit contiguously",
                                "   holds    2 divides 8, or 8 divides 2"})
    EXPECT_NE(notes.find(note), std::string::npos) << note << "\nin " << notes;
}

TEST(Report, ListsTheFunction) {
  using Lines = std::vector<std::string>;
  Lines lines;
  auto write = [&](std::string_view line) { lines.emplace_back(line); };
  ASSERT_TRUE(functionTable(evaluate("(2,2):(2,1)"), 3, write));
  // A line at a time: nothing is gathered.
  EXPECT_EQ(lines, (Lines{"0\t(0,0)\t0\n", "1\t(1,0)\t2\n", "2\t(0,1)\t1\n", "... 1 more\n"}));
  lines.clear();
  ASSERT_TRUE(functionTable(evaluate("(2,2)"), 1, write));
  EXPECT_EQ(lines, (Lines{"0\t(0,0)\t0\n", "... 3 more\n"}));
  EXPECT_EQ(functionTable(evaluate("S<1,2,3>"), 3, write).reason().text,
            "--values expects a layout, but got the swizzle S<1,2,3>");
}

TEST(Report, IsJson) {
  EXPECT_EQ(json(evaluate("coalesce((2,4):(1,2))")),
            "{\"expression\": \"coalesce((2,4):(1,2))\", \"result\": \"8:1\", \"kind\": "
            "\"layout\", \"size\": 8, "
            "\"cosize\": 8, \"order\": \"\", \"injective\": true, \"compact\": true, "
            "\"assumptions\": [], "
            "\"steps\": [{\"function\": \"coalesce\", \"arguments\": [\"(2,4):(1,2)\"], "
            "\"result\": \"8:1\", "
            "\"notes\": []}]}\n");
  EXPECT_EQ(json(evaluate("4:\t\"")),
            "{\"expression\": \"4:\\u0009\\\"\", \"error\": {\"id\": \"Unexpected\", "
            "\"text\": \"expects a value, but got `\\\"`\", \"begin\": 3, \"end\": 4, "
            "\"detail\": \"\", \"help\": \"\"}, \"steps\": []}\n");
}

TEST(Equal, ComparesFunctions) {
  EXPECT_TRUE(equal(evaluate("(4,8):(8,1)"), evaluate("make_layout_right((4,8))"))->holds);
  EXPECT_TRUE(equal(evaluate("(2,2,3):(1,2,4)"), evaluate("12:1"))->holds);
  EXPECT_TRUE(equal(evaluate("(2,2):(1@0,1@1)"), evaluate("make_identity_layout((2,2))"))->holds);
  EXPECT_EQ(equal(evaluate("(4,2):(1,4)"), evaluate("(4,2):(1,5)"))->text,
            "different: at coordinate 4 of 8 the first gives 4, the second 5");
  EXPECT_EQ(equal(evaluate("4:1"), evaluate("8:1"))->text,
            "different: the first has 4 coordinates, the second 8");
}

struct LawCase {
  std::string_view law, expression;
  bool holds;
  std::string_view text;
};
const LawCase lawCases[] = {
    {"injective", "(4,8):(1,4)", true, "the indices of all 32 coordinates differ"},
    {"injective", "(4,8):(1,3)", false, "coordinates 3 and 4 have the same index"},
    {"bijective", "S<3,4,3> o 0 o (8,64):(64,1)", true,
     "each index from 0 to 511 is hit exactly once"},
    {"bijective", "4:2", false, "index 1 is hit by no coordinate"},
    {"parse", "S<3,4,3> o 0 o (8,64):(64,1)", true,
     "\"S<3,4,3> o 0 o (8,64):(64,1)\" reads back as itself"},
    {"composition", "(6,2):(8,2) o (4,3):(3,1)", true, "R(c) = A(B(c)) at all 12 coordinates"},
    {"composition", "(6,8):(8,2) o (3,4)", true,
     "mode 0: R(c) = A(B(c)) at all 3 coordinates; mode 1: R(c) = A(B(c)) at all 4 coordinates"},
    {"composition", "S<1,0,3> o (8,4):(4,1)", true, "R(c) = A(B(c)) at all 32 coordinates"},
    {"complement", "complement((2,2):(1,6), 24)", true,
     "the layout and its complement hit 24 indices, each once; 24 of the 24 below the cotarget"},
    {"inverse", "right_inverse((4,8):(8,1))", true, "L(R(i)) = i for all i below 32"},
    {"inverse", "left_inverse((4,8):(9,1))", true, "L(R(L(c))) = L(c) at all 32 coordinates"},
    {"divide", "zipped_divide((100,8):(1,100), [64;8])", true,
     "the 800 elements are in the tiles as often as before; 224 coordinates lie outside"},
    {"divide", "tiled_divide((8,2):(1,8), (5,3):(1,8))", true,
     "the strides of the tiler leave gaps, and elements in them are in no tile"},
    {"product", "blocked_product((2,5):(5,1), (3,4))", true,
     "120 elements: 12 copies of a block of 10, no two at one index"},
    {"composition", "(8,8):(8,1) o (S<2,0,-3> o 0 o (8,8))", true,
     "R(c) = A(B(c)) at all 64 coordinates"},
    {"composition", "composition_layout_swizzle((8,8):(8,1), S<2,0,3>)", true,
     "R(c) = A(B(c)) at all 64 coordinates"},
    {"inverse", "right_inverse(S<2,0,3> o 0 o (8,8):(8,1))", true,
     "L(R(i)) = i for all i below 64"},
    {"inverse", "left_inverse(S<2,0,3> o 0 o (8,8):(8,1))", true,
     "L(R(L(c))) = L(c) at all 64 coordinates"},
    {"divide", "outer_flat_divide((8,6):(1,8), (4,3))", true,
     "the 48 elements are in the tiles as often as before; 0 coordinates lie outside"},
    {"product", "zipped_product((2,5):(5,1), [3;4])", true,
     "the block's 10 elements are among the 120 of the product"},
    {"product", "raked_product((2,6):(8,1) o (8,29) o 3:2, 432)", true,
     "1296 elements: 432 copies of a block of 3"}, // (1,0) and (0,8) meet
    {"product", "logical_product((2,5):(5,1), 3:2)", true,
     "30 elements: 3 copies of a block of 10, no two at one index, in the order of the other "
     "layout"},
    {"product", "logical_product(2:1, [3:1])", true,
     "mode 0: 6 elements: 3 copies of a block of 2, no two at one index, in the order of the "
     "other layout"},
    {"product", "logical_product((2,5):(5,1), [3;_])", true,
     "mode 0: 6 elements: 3 copies of a block of 2, no two at one index, in the order of the "
     "other layout"},
    {"tile", "tile_to_shape(S<2,0,3> o 0 o (8,4):(4,1), (16,12), (2,1))", true,
     "6 copies of a block of 32 cover the shape, no two elements at one index"},
    {"tile", "tile_to_shape((4,4):(4,1), (10,8))", true,
     "6 copies of a block of 16 cover the shape, no two elements at one index"},
    {"tile", "tile_to_shape((4,4):(4,1), (8,8), (1,1))", true,
     "4 copies of a block of 16 cover the shape"},
    {"slice", "slice((_,(1,_)), (4,(2,3)):(6,(3,1)))", true,
     "R(c) + 3 = L(c in place of `_`) at all 12 coordinates"},
    {"slice", "slice_and_offset((2,_), (4,6):(1@0,1@1))", true,
     "R(c) + 2@0 = L(c in place of `_`) at all 6 coordinates"},
    {"slice", "slice_and_offset_swizzle((3,_), S<2,0,3> o 0 o (8,8):(8,1))", true,
     "R(c) + 27 = L(c in place of `_`) at all 8 coordinates"},
    {"recast", "upcast((5,3):(1,8), 4)", true,
     "6 elements of 4 bits are the memory of 15 of 1 bits"},
    {"recast", "downcast((8,4):(4,1), 2)", true,
     "64 elements of 1 bits are the memory of 32 of 2 bits"},
    {"recast", "recast_layout(S<3,4,3> o 0 o (8,64):(64,1), 8->16)", true,
     "256 elements of 16 bits are the memory of 512 of 8 bits"},
    {"recast", "upcast((8,4), 8)", true, "4 elements of 8 bits are the memory of 32 of 1 bits"},
};

TEST(Laws, HoldWhereTheyDo) {
  for (const LawCase &c : lawCases) {
    Result<Verdict> verdict = check(c.law, evaluate(std::string(c.expression)));
    ASSERT_TRUE(verdict) << c.expression << ": " << verdict.reason().text;
    EXPECT_EQ(verdict->holds, c.holds) << c.expression;
    EXPECT_EQ(verdict->text, c.text) << c.expression;
  }
}

// A mode of extent 1 goes on with stride 0 or with another one, as the 1 is static or not. (The
// second found by the fuzzer.)
TEST(Laws, OfACompositionAreNotOfferedBeyondAnExtentOf1) {
  for (const char *expression : {"(4,?{1}) o 8:1", "(?{1},?{1},4) o (4,8)"}) {
    Result<Verdict> verdict = check("composition", evaluate(expression));
    ASSERT_FALSE(verdict) << expression;
    EXPECT_EQ(verdict.reason().id, "NotOffered") << expression;
  }
}

TEST(Laws, AreAllCalled) {
  for (const Law &law : laws())
    EXPECT_TRUE(std::any_of(std::begin(lawCases), std::end(lawCases), [&](const LawCase &c) {
      return c.law == law.name;
    })) << law.name;
  std::string list = functionList();
  for (std::span<const Function> table : allFunctions())
    for (const Function &row : table)
      EXPECT_NE(list.find(signature(row)), std::string::npos) << row.name;
}

} // namespace
