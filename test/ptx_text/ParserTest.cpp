// Trees of modules, outlines of files, and where lines come from.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/ptx_text/Parser.h"
#include "tessera/ptx_text/CodePlace.h"
#include "tessera/ptx_text/Lexer.h"

#include "gtest/gtest.h"

namespace tessera::ptx_text {

namespace {

TEST(Parser, KeepsNumbersAsWritten) {
  auto module = parseModule(".global .u64 x[] = {42, 0x2A, 052, 0b101010, 42U, -42, ~41};\n.global "
                            ".f64 y[] = {0d4045000000000000, 42.0, 4.2e1, 4.2E+1};");
  ASSERT_TRUE(module) << module.reason().text;
  const std::vector<Variable> &variables = (*module)->variables;
  for (size_t i = 0; i < 7; ++i)
    EXPECT_EQ(int64_t(variables[0].init[i].bits), i < 5 ? 42 : -42) << i;
  for (const Operand &y : variables[1].init)
    EXPECT_EQ(y.bits, 0x4045000000000000u);
}

TEST(Parser, ReadsEveryKindOfOperand) {
  auto module = parseModule(
      ".func f() { tensor.op d|p, [%rd1+-8, {%r1, %r2}], {%r3, _}, !p2, (a), -1.5, [sym+4]; }");
  ASSERT_TRUE(module) << module.reason().text;
  std::string shown;
  for (const Operand &operand : (*module)->functions[0].body[0].operands)
    shown += operand.str() + "; ";
  EXPECT_EQ(shown, "d|p; [%rd1, {%r1, %r2}-8]; {%r3, _}; !p2; (a); -1.500000; [sym+4]; ");
}

std::string reasonOf(std::string text) {
  auto module = parseModule(std::move(text));
  return module ? "" : module.reason().text;
}

TEST(Parser, SaysWhatWasExpectedWhere) {
  EXPECT_EQ(reasonOf(".version 5.0"),
            "line 1: PTX 5.0 is not known; versions 6.0 to 9.9 are\n  .version 5.0");
  EXPECT_EQ(reasonOf(".func f() {\n  add.s32 a, b\n}"), "line 3: expects ';', but got '}'\n  }");
  EXPECT_EQ(reasonOf(".func f() {\n  /* no end"), "line 2: a comment begins here and does not end\n"
                                                  "  /* no end");
  EXPECT_EQ(reasonOf(".func f() { ret;"),
            "line 1: expects an instruction, but got 'the end of the file'\n  .func f() { ret;");
  EXPECT_EQ(reasonOf(".texture x;"),
            "line 1: the directive '.texture' is not known\n  .texture x;");
}

// Directives of a later PTX stand in it, and an entry in a comment and in a string.
TEST(Outline, NamesKernelsOfFilesThatTheParserDoesNotKnow) {
  auto outline =
      outlineOf("// .entry no\n.version 12.3\n.target sm_123a, debug\n.new_directive 7;\n"
                "/* .entry neither */ .file 1 \".entry nor this\"\n"
                ".visible .entry\n  first(.param .u64 p) { ret; }\n.func f() { ret; }\n"
                ".entry $second$2 { ret; }\n");
  ASSERT_TRUE(outline) << outline.reason().text;
  EXPECT_EQ(outline->version, "12.3");
  EXPECT_EQ(outline->target, "sm_123a");
  EXPECT_EQ(outline->kernels, (std::vector<std::string_view>{"first", "$second$2"}));
  EXPECT_EQ(outlineOf(".target sm_90").reason().id, "Expected");
  EXPECT_EQ(outlineOf("").reason().id, "Expected");
  EXPECT_EQ(outlineOf(".version 8.0\n\x01").reason().id, "Character");
}

TEST(CodePlace, IsThatOfTheLastLocation) {
  std::string_view text = ".file 1 \"/src/a.cu\"\n.visible .entry k()\n{\n.loc 1 7 3\n  add.s32 a, "
                          "b, c; \n  ret;\n}\n.visible .entry l()\n{ ret; }\n";
  CodePlace place = placeOf(text, 6);
  EXPECT_EQ(place.text, "ret;");
  EXPECT_EQ(place.source, "/src/a.cu:7:3");
  EXPECT_EQ(placeOf(text, 5).text, "add.s32 a, b, c;");
  EXPECT_EQ(placeOf(text, 9).source, ""); // of another function
}

// Of a function that calls itself the outer places are lost: each call is named once.
TEST(CodePlace, NamesEachCallOnce) {
  std::string_view text = ".entry k() {\n"
                          ".loc 1 9 1, function_name F, inlined_at 1 20 2\n"
                          ".loc 1 5 1, function_name F, inlined_at 1 9 1\nret;\n"
                          ".loc 1 9 1, function_name F, inlined_at 1 5 1\nret;\n}\n.file 1 \"a\"";
  EXPECT_EQ(placeOf(text, 2).source, "a:9:1 (from a:20:2)");
  EXPECT_EQ(placeOf(text, 4).source, "a:5:1 (from a:9:1, a:20:2)");
  EXPECT_EQ(placeOf(text, 4).places,
            (std::vector<SourcePlace>{{"a", 5, 1}, {"a", 9, 1}, {"a", 20, 2}}));
  EXPECT_TRUE(placeOf(text, 1).places.empty());
  EXPECT_EQ(placeOf(text, 6).source, "a:9:1 (from a:5:1, a:9:1)");
}

// What stands in a comment or a string is not a directive, and a directive need not begin its line.
TEST(CodePlace, ReadsDirectivesAsTheParserDoes) {
  std::string_view text = ".file 1 \"/src/a.cu\" /* .file 1 \"/no.cu\" */\n"
                          ".visible.entry k() { .loc 1 7 3 // inlined_at 1 8 1\n"
                          "/*\n.loc 1 99 9\n*/ add.s32 a, b, c; // as in .entry x\n"
                          "ret; } // .func y\n"
                          ".file 2 \"/src/.entry .loc 1 1 1\"\n";
  CodePlace place = placeOf(text, 5);
  EXPECT_EQ(place.text, "*/ add.s32 a, b, c; // as in .entry x");
  EXPECT_EQ(place.source, "/src/a.cu:7:3");
  EXPECT_EQ(placeOf(text, 6).source, "/src/a.cu:7:3");
  EXPECT_EQ(placeOf(text, 7).source, "/src/a.cu:7:3");
  EXPECT_EQ(placeOf(text, 8).text, "");
  EXPECT_EQ(placeOf(text, 0).text, "");
}

TEST(Parser, NamesTheNearestDirective) {
  auto said = [](const char *text) {
    auto parsed = parseModule(cat(".version 8.0\n", text));
    return parsed ? "" : parsed.reason().text;
  };
  for (auto [text, near] : {std::pair{".entri k() { ret; }", ".entry"},
                            {".golbal .u32 x;", ".global"},
                            {".global .u33 x;", ".u32"},
                            {".entry k() .maxntidd 3 { ret; }", ".maxntid"}})
    EXPECT_NE(said(text).find(cat("; the nearest: '", near, "'")), std::string::npos) << said(text);
  EXPECT_EQ(said(".frobnicate x;"),
            "line 2: the directive '.frobnicate' is not known\n  .frobnicate x;");
}

TEST(Lexer, FindsTheLineOfAReason) {
  const std::string_view text = "a\nb\n  c: line 7: x\n";
  EXPECT_EQ(lineSaid(atLine(text, 3, {"Id", "what"})), 3);
  EXPECT_EQ(lineSaid(atLine(text, 12345, {"Id", "line 9: what"})), 12345);
  for (const char *none : {"", "what", "line ", "line x: what", "line 3, of it", "in line 3: what",
                           "line 99999999999999999999: what"})
    EXPECT_EQ(lineSaid({"Id", none}), 0) << none;
}

} // namespace

} // namespace tessera::ptx_text
