// Casts in the text of an edited file: which uses they take, and where they stand.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/import/Edited.h"

#include <gtest/gtest.h>

namespace tessera::import::test {

/// Line and column of the n-th `what`, from 1.
static std::pair<size_t, size_t> place(const std::string &text, const std::string &what,
                                       int count = 1) {
  size_t at = text.find(what);
  for (; count > 1; --count)
    at = text.find(what, at + 1);
  size_t line = size_t(std::count(text.begin(), text.begin() + long(at), '\n')) + 1;
  size_t begin = text.rfind('\n', at);
  return {line, at - (begin == std::string::npos ? 0 : begin + 1) + 1};
}

static std::string cast(const std::string &name, const std::string &of) {
  return " " + name + " = \"builtin.unrealized_conversion_cast\"(" + of +
         ") {cute.stated} : (A) -> (B)";
}

TEST(EditedText, TakesUsesToTheEndOfTheScope) {
  const std::string before = "f {\n"
                             "  %x:2 = \"a.b\"() : () -> A\n"
                             "  c.d %x#1, %x#10, %x : B\n"
                             "  scf.if {\n"
                             "    c.e \"%x#1 }\", %x#1 : B // %x#1 }\n"
                             "  }\n"
                             "  c.f %x#1 : B\n"
                             "}\n"
                             "g {\n"
                             "  c.d %x#1 : B\n"
                             "}\n";
  EditedText text(before);
  auto [line, column] = place(before, "%x#1,");
  ASSERT_TRUE(text.cast(line, column, "A", "B"));
  EXPECT_EQ(text.str(), "f {\n"
                        "  %x:2 = \"a.b\"() : () -> A" +
                            cast("%stated_0", "%x#1") +
                            "\n"
                            "  c.d %stated_0, %x#10, %x : B\n"
                            "  scf.if {\n"
                            "    c.e \"%x#1 }\", %stated_0 : B // %x#1 }\n"
                            "  }\n"
                            "  c.f %stated_0 : B\n"
                            "}\n"
                            "g {\n"
                            "  c.d %x#1 : B\n"
                            "}\n");
  // One use states the new type.
  auto [again, at] = place(text.str(), "%stated_0", 4);
  ASSERT_TRUE(text.takeBack(again, at));
  EXPECT_NE(text.str().find("  c.f %x#1 : B\n"), std::string::npos);
}

TEST(EditedText, StandsInFrontOfTheStatement) {
  // The use is on the third line of its op, after a comment; a cast in a comment would be none.
  const std::string before = "f {\n"
                             "  %x = a.b : A // \"say\n"
                             "  %y, %z:2 =\n"
                             "    c.d(%w,\n"
                             "        %x) : (A, B)\n"
                             "}\n";
  EditedText text(before);
  auto [line, column] = place(before, "%x)");
  ASSERT_TRUE(text.cast(line, column, "A", "B"));
  EXPECT_EQ(text.str(), "f {\n"
                        "  %x = a.b : A " +
                            cast("%stated_0", "%x") +
                            "// \"say\n"
                            "  %y, %z:2 =\n"
                            "    c.d(%w,\n"
                            "        %stated_0) : (A, B)\n"
                            "}\n");
}

TEST(EditedText, LeavesCastsInRegionsBefore) {
  const std::string before = "%x = a.b : A\n"
                             "c.for %x : B {\n"
                             "  c.d %x : B\n"
                             "}\n";
  EditedText text(before);
  ASSERT_TRUE(text.cast(3, 7, "A", "B")); // regions are read before the operands of their ops
  ASSERT_TRUE(text.cast(2, 7, "A", "B"));
  EXPECT_EQ(text.str(), "%x = a.b : A" + cast("%stated_1", "%x") + "\nc.for %stated_1 : B {" +
                            cast("%stated_0", "%x") +
                            "\n"
                            "  c.d %stated_0 : B\n"
                            "}\n");
  EXPECT_TRUE(text.usesCast(2, 7));
  EXPECT_FALSE(text.usesCast(1, 1));
}

TEST(EditedText, KnowsStatementsWithoutResultTypes) {
  EditedText text("%x = a.b %y : \"->\" // ->\n"
                  "%z = c.d %y :\n"
                  "  A -> B\n"
                  "a.b %y : A\n"
                  "^bb0(%w: A):\n"
                  "  %v:2 = a.b %w : A }\n"
                  "f() -> A\n");
  EXPECT_TRUE(text.leavesResultsOut(1, 1));
  EXPECT_FALSE(text.leavesResultsOut(1, 10)); // a use
  EXPECT_FALSE(text.leavesResultsOut(2, 1));
  EXPECT_FALSE(text.leavesResultsOut(4, 1)); // no results
  EXPECT_FALSE(text.leavesResultsOut(5, 6)); // an argument
  EXPECT_TRUE(text.leavesResultsOut(6, 3));
  EXPECT_FALSE(text.leavesResultsOut(9, 1));
}

TEST(EditedText, KeepsToNamesThatAreFree) {
  EditedText text("%stated_0 = a.b : A\n%stated_1 = c.d %stated_0 : B\n");
  ASSERT_TRUE(text.cast(2, 17, "A", "B"));
  EXPECT_EQ(text.str(), "%stated_0 = a.b : A" + cast("%stated__0", "%stated_0") +
                            "\n%stated_1 = c.d %stated__0 : B\n");
}

TEST(EditedText, SaysWhereThereIsNoUse) {
  EditedText text("%x = a.b : A\n");
  EXPECT_FALSE(text.cast(1, 3, "A", "B"));
  EXPECT_FALSE(text.cast(1, 80, "A", "B"));
  EXPECT_FALSE(text.cast(7, 1, "A", "B"));
  EXPECT_EQ(text.str(), "%x = a.b : A\n");
}

} // namespace tessera::import::test
