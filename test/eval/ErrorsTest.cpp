// Every refusal of the expression language: its sentence, its place and its help.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/eval/Errors.h"
#include "tessera/eval/Evaluate.h"
#include "tessera/eval/Laws.h"
#include "tessera/eval/Syntax.h"

#include <gtest/gtest.h>

using namespace tessera;
using namespace tessera::eval;

namespace {

struct Case {
  std::string_view expression, id, text, marked, help;
};

const Case cases[] = {
    // What comes first is what is expected.
    {"", "Unexpected", "expects a value, but got the end", "", ""},
    {"(4,8", "Unexpected", "expects `,` or `)`, but got the end", "", ""},
    {"4:", "Unexpected", "expects a value, but got the end", "", ""},
    {"[4:1;8:1,2]", "Unexpected", "expects `;` or `]`, but got `,`", ",", ""},
    {"size(4:1", "Unexpected", "expects `,`, `|` or `)`, but got the end", "", ""},
    {"4:1 nonsense", "Unexpected", "expects `o`, `:` or the end, but got `nonsense`", "nonsense",
     ""},
    {"?{div=0}", "Unexpected", "expects a positive divisor, but got `}`", "}", ""},
    {"?{wide}", "Unexpected", "expects `i32`, `i64`, `div=N`, a value or `}`, but got `wide`",
     "wide", ""},
    {"S<1,2>", "Unexpected", "expects three numbers `S<bits,base,shift>`, but got 2", "S<1,2>", ""},
    {"let = 4; 4", "Unexpected", "expects a name, but got `=`", "=", ""},
    {"let A 4; 4", "Unexpected", "expects `=`, but got `4`", "4", ""},
    {"let A = 4 4", "Unexpected", "expects `;`, but got `4`", "4", ""},
    {"99999999999999999999", "NumberTooLarge",
     "the number 99999999999999999999 does not fit 64 bits", "99999999999999999999", ""},
    {"4:1@255", "BasisTooDeep", "a scaled basis may be 7 modes deep and name modes up to 254",
     "1@255", ""},
    {"let o = 3; 4", "ReservedName", "expects a name after `let`, but `o` has a meaning of its own",
     "o", ""},
    {"?{div=4 6}", "DynamicValue",
     "expects the value of a dynamic leaf to fit its 32 bits and be a multiple of 4, but got 6",
     "?{div=4 6}", ""},

    {"compositon(4:1, 2:1)", "UnknownFunction", "no function is called compositon",
     "compositon(4:1, 2:1)", "did you mean composition?"},
    {"recast(8:1, 32->16)", "UnknownFunction", "no function is called recast",
     "recast(8:1, 32->16)", "did you mean recast_layout?"},
    {"qqqqqq(1)", "UnknownFunction", "no function is called qqqqqq", "qqqqqq(1)",
     "tessera layout --functions lists them"},
    {"size(B)", "UnknownName", "no value is called B", "B",
     "give it a value in front: let NAME = VALUE; ..."},
    {"size", "FunctionAsValue",
     "expects the arguments of size in parentheses, but got the bare name", "size",
     "write size(layout)"},

    {"(4:1, 8)", "TupleElement",
     "expects numbers and tuples inside a tuple, but got the layout 4:1", "4:1",
     "make_layout_concat(A, B) puts layouts side by side, [A;B] is a tile"},
    {"[4:1;S<1,2,3>]", "TileElement",
     "expects layouts, extents and `_` inside a tile, but got the swizzle S<1,2,3>", "S<1,2,3>",
     ""},
    {"[4:1,8:1]", "ListElement", "expects numbers between `[` `,` `]`, but got the layout 4:1",
     "4:1", "a tile has `;` between its modes: [t0;t1]"},
    {"(4:1):(1)", "ShapeAndStride",
     "expects a tuple on each side of `:`, but got the layout 4:1 and the tuple (1)", "(4:1):(1)",
     ""},
    {"coalesce(4:1, 2, 3)", "ArgumentCount", "coalesce expects 1 to 2 arguments, but got 3",
     "coalesce(4:1, 2, 3)", "write coalesce(layout, profile?)"},
    {"logical_divide((4,8):(1,4), S<1,2,3>)", "ArgumentKind",
     "logical_divide expects a tile `[t0;t1]`, a layout or extents as argument 2, but got the "
     "swizzle S<1,2,3>",
     "S<1,2,3>", "write logical_divide(layout, tile)"},
    {"4:1 o (2,7@0)", "ArgumentKind", // found by the fuzzer: a basis became an extent
     "the function expects a tile `[t0;t1]`, a layout or extents as argument 2, but got the tuple "
     "(2,7@0)",
     "4:1 o (2,7@0)", ""},
    {"composition(4:1, <1>)", "ArgumentKind",
     "the function expects a tile `[t0;t1]`, a layout or extents as argument 2, but got the list "
     "<1>",
     "composition(4:1, <1>)", ""},
    {"append_to_rank(4:1, 100000)", "NumberRange",
     "expects a number from 1 to 1024, but got 100000", "append_to_rank(4:1, 100000)", ""},
    {"take<1,4>((2,3):(1,2))", "TakeRange", "take: expects 0 <= begin <= end <= 2, but got <1,4>",
     "take<1,4>((2,3):(1,2))", "the modes of (2,3) are 0 to 1"},
    {"unflatten((2,3), (1,(1,1)))", "ProfileLeaves",
     "unflatten: expects a profile of 2 leaves, but got 3 in \"(1,(1,1))\"",
     "unflatten((2,3), (1,(1,1)))", ""},
    {"layout_eval_all(?)", "NotOffered",
     "the algebra has no function for the list of values of a dynamic size", "layout_eval_all(?)",
     ""},

    {"size((1000000000000,1000000000000))", "ResultTooLarge",
     "size: an intermediate number does not fit 64 bits", "size((1000000000000,1000000000000))",
     ""},
    {"layout_eval_all(100000:1)", "DomainTooLarge",
     "layout_eval_all: expects a domain of at most 65536 points, but got 100000",
     "layout_eval_all(100000:1)", ""},
    {"S<2,0,3> o 0 o S<2,0,3> o(?{1},2) o  16860 o S<2,0,3> o 20 o   1 o (8,8):(1,7)",
     "SwizzleAfterLayout", "", "S<2,0,3> o(?{1},2) o  16860 o S<2,0,3> o 20 o   1 o (8,8):(1,7)",
     ""}, // found by the fuzzer: an assertion
    {"(?{1},8,9) o ?{4}:-18", "AssumptionFails", "", "(?{1},8,9) o ?{4}:-18",
     ""}, // found by the fuzzer: the second step is backwards too
    {"composition((?{6},?{2}):(2,1), ?{4}:4)", "AssumptionFails", "",
     "composition((?{6},?{2}):(2,1), ?{4}:4)", ""},
    {"stencil_divide((?{3}):(1), (5))", "AssumptionFails",
     "stencil_divide: the run-time values break an assumption: 5 is at most 3",
     "stencil_divide((?{3}):(1), (5))", ""},

    // Reasons of the algebra, with advice.
    {"prepend_to_rank((7,8,9):(1,7,56), 2)", "RankTooSmall",
     "expects the input to have at most rank 2, but got \"(7,8,9)\"",
     "prepend_to_rank((7,8,9):(1,7,56), 2)", ""},
    {"cosize((8,8):(8,1) o 1 o (4,2):(2,1))", "CosizeAffine",
     "expects composed_layout inner to be a swizzle (cosize is undefined for affine inner), but "
     "got "
     "\"(8,8):(8,1) o 1 o (4,2):(2,1)\"",
     "cosize((8,8):(8,1) o 1 o (4,2):(2,1))", ""},
    {"composition((3,5):(1,7), 4:2)", "CompositionStride",
     "composition: mode 0 of the left layout has extent 3, which stride 2 of the right layout does "
     "not divide",
     "composition((3,5):(1,7), 4:2)",
     "a right layout with other strides works, e.g. 4:3, or pad the left one to (4,5):(1,7)"},
    {"complement(8:-1, 64)", "ComplementNegative",
     "complement: \"8:-1\" has the stride -1, but expects strides that go up from index 0",
     "complement(8:-1, 64)", ""},
    {"size(complement((4,4):(1,1)))", "ComplementNotInjective",
     "complement: \"(4,4):(1,1)\" maps two coordinates to one index, so nothing complements it",
     "complement((4,4):(1,1))", "leave out the modes that repeat indices"},
    {"left_inverse((4,4):(1,1))", "LeftInverseNotInjective",
     "left_inverse: \"(4,4):(1,1)\" is not injective in the order of its strides",
     "left_inverse((4,4):(1,1))",
     "right_inverse(L) inverts what L hits contiguously, injective or not"},
    {"get_mode((2,3), <2>)", "PathOutOfRange", "expects mode index in [0, 2) at depth 0, but got 2",
     "get_mode((2,3), <2>)", "the modes of (2,3) are 0 to 1"},
    {"slice_and_offset((_,_,_), (2,3))", "NotWeaklyCongruent",
     "expects coord to be weakly congruent with input shape, but got \"(_,_,_)\" and \"(2,3)\"",
     "slice_and_offset((_,_,_), (2,3))", "the layout has 2 modes: (_,_) keeps all"},
    {"(4,(2,3)):(1,2)", "ProfileMismatch",
     "expects shape and stride profile to match, but got \"(4,(2,3))\" and \"(1,2)\"",
     "(4,(2,3)):(1,2)", "strides in the profile of the shape, e.g. (4,(2,3)):(1,(4,8))"},
    {"S<3,0,1>", "SwizzleShift", "expects |num_shift| >= num_bits, but got \"S<3,0,1>\"",
     "S<3,0,1>", ""},
    {"(?{-2},2,9) o ?{3}:6", "ShapeNotPositive", "expects positive shape mode, but got \"-2\"",
     "(?{-2},2,9) o ?{3}:6", ""},
    {"tile_to_shape(2:1, ?{0})", "ShapeNotPositive", "expects positive shape mode, but got \"0\"",
     "?{0}", ""},
    {"size(?{0}:1)", "ShapeNotPositive", "expects positive shape mode, but got \"0\"", "?{0}:1",
     ""},
    {"coalesce(elem_less(2,?))", "ArgumentKind",
     "coalesce expects a layout as argument 1, but got the truth value ?{i1}", "elem_less(2,?)",
     "write coalesce(layout, profile?)"},
    {"append(4:1@0, 4:1)", "MixedStrides", "", "append(4:1@0, 4:1)", ""},
    {"append(S<1,0,3> o 0 o 4:0, 4:1@0)", "SwizzleScalar", "", "append(S<1,0,3> o 0 o 4:0, 4:1@0)",
     ""},
    {"0:1", "ShapeNotPositive", "expects positive shape mode, but got \"0:1\"", "0:1", ""},
};

TEST(Errors, HaveSentencePlaceAndHelp) {
  for (const Case &c : cases) {
    Evaluation done = evaluate(std::string(c.expression));
    ASSERT_FALSE(done.ok()) << c.expression;
    const Refusal &r = done.refusal;
    EXPECT_EQ(r.reason.id, c.id) << c.expression;
    EXPECT_TRUE(c.text.empty() || r.reason.text == c.text) << c.expression << ": " << r.reason.text;
    ASSERT_LE(r.where.begin, done.text.size()) << c.expression;
    EXPECT_EQ(done.text.substr(r.where.begin, r.where.end - r.where.begin), c.marked)
        << c.expression;
    EXPECT_EQ(r.help, c.help) << c.expression;
  }
}

std::string repeated(std::string_view piece, size_t count) {
  std::string out;
  for (size_t i = 0; i < count; ++i)
    out += piece;
  return out;
}
std::string idOf(std::string expression) {
  return std::string(evaluate(std::move(expression)).refusal.reason.id);
}

TEST(Errors, BoundWhatAnExpressionAsksFor) {
  EXPECT_EQ(idOf(repeated(" ", maxText + 1)), "TextTooLong");
  EXPECT_EQ(idOf(repeated("(", 100)), "NestedTooDeep");
  EXPECT_EQ(idOf(repeated("[", 100)), "NestedTooDeep");
  EXPECT_EQ(idOf(repeated("size(", 100)), "NestedTooDeep");
  EXPECT_EQ(idOf("(" + repeated("1,", 2000) + "1)"), "TooManyLeaves");

  std::string doubling = "let a = (); ", nesting = "let a = (1); ",
              work = "let a = (" + repeated("1,", 900) + "1); ";
  for (int i = 0; i < 70; ++i) {
    doubling += "let a = (a,a); ";
    nesting += "let a = (a); ";
    work += "let b = a; ";
  }
  EXPECT_EQ(idOf(doubling + "a"), "TooManyLeaves");
  EXPECT_EQ(idOf(nesting + "a"), "TooDeep");
  EXPECT_EQ(idOf(work + "a"), "TooMuchWork");
}

std::string problemOf(const Result<Verdict> &verdict) {
  return verdict ? verdict->text : verdict.reason().text;
}

TEST(Errors, OfChecks) {
  EXPECT_EQ(problemOf(equal(evaluate("4:1"), evaluate("S<1,2,3>"))),
            "--equal expects a layout, but got the swizzle S<1,2,3>"); // NotALayout
  EXPECT_EQ(
      problemOf(equal(evaluate("4:1"), evaluate("?:1"))),
      "--equal needs the run-time values of dynamic leaves, but got the layout ?:1"); // NeedsValues
  EXPECT_EQ(
      problemOf(equal(evaluate("100000000:1"), evaluate("100000000:2"))),
      "--equal: expects a domain of at most 4194304 points, but got 100000000"); // DomainTooLarge
  EXPECT_EQ(problemOf(check("beauty", evaluate("4:1"))), "no law is called beauty");
  EXPECT_EQ(problemOf(check("complement", evaluate("coalesce(4:1)"))),
            "the law complement is about a complement: disjoint from the layout, and what it "
            "covers, but the "
            "expression is a call of coalesce"); // LawNotApplicable
}

TEST(Errors, UnderlineThePlace) {
  Evaluation done = evaluate("let A = 4:1;\nsize(A) o (4,\n 8:2)");
  EXPECT_EQ(str(done.refusal, done.text),
            "error: expects numbers and tuples inside a tuple, but got the layout 8:2\n"
            "   8:2)\n"
            "   ^~~\n"
            "help: make_layout_concat(A, B) puts layouts side by side, [A;B] is a tile\n");
  done = evaluate("composition((3,5):(1,7), 4:2)");
  EXPECT_EQ(
      str(done.refusal, done.text),
      "error: composition: mode 0 of the left layout has extent 3, which stride 2 of the right "
      "layout does not "
      "divide\n"
      "  composition((3,5):(1,7), 4:2)\n"
      "  ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
      "  (3,5):(1,7) o 4:2  would map 0, 1, ... to 0, 2, 8, 14, whose step changes at index 2\n"
      "help: a right layout with other strides works, e.g. 4:3, or pad the left one to "
      "(4,5):(1,7)\n");
}

} // namespace
