// How deep texts go, counted on texts whose depth is written beside them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/base/Nesting.h"

#include <gtest/gtest.h>

#include <string>

using namespace tessera;

namespace {

/// Whether the text goes exactly `depth` deep: it passes with that limit, and not with one less.
void expectDepth(size_t depth, const std::string &text) {
  EXPECT_FALSE(findTooDeep(text, depth)) << text;
  if (depth)
    EXPECT_TRUE(findTooDeep(text, depth - 1)) << text;
}

TEST(Nesting, CountsBracketsOfAllKinds) {
  expectDepth(0, "");
  expectDepth(1, "()");
  expectDepth(1, "()[]{}<>");
  expectDepth(4, "([{<>}])");
  expectDepth(2, "func.func @f(%a: tensor<4xf32>) { return }");
  expectDepth(1, "func.func @f() -> i32 { return }\n{}\n");
  expectDepth(1, "// ((((\n()\n");
  expectDepth(1, "(\"((((\\\"((\")");
  expectDepth(1, "\"((((\n()"); // a string ends with its line
  expectDepth(2, "affine_set<(d0) : (d0 >= 0, d0 <= 5)> (())");
  expectDepth(1, ")))>>>]]}()");
}

TEST(Nesting, AliasesAreAsDeepAsWhatTheyStandFor) {
  expectDepth(1, "!a = tuple<i32>\n");
  expectDepth(3, "!a = tuple<i32>\n!b = tuple<!a>\n"); // tuple, alias, tuple
  expectDepth(5, "!a = tuple<i32>\n!b = tuple<!a>\n#c = x<!b>\n");
  expectDepth(3, "!a = tuple<i32>\nfunc.func @f(%x: !a)\n");
  expectDepth(1, "!a = i32\n!a = i64\n()");
  std::string uses = "!a = tuple<i32>\nfunc.func @f(%x: !a) {\n";
  for (int i = 0; i < 1000; ++i)
    uses += "  \"x\"(%x) : (!a) -> ()\n";
  expectDepth(4, uses + "}\n"); // region, parentheses, alias, tuple
  std::string chain = "!a0 = tuple<i32>\n";
  for (int i = 1; i < 1000; ++i)
    chain += "!a" + std::to_string(i) + " = tuple<!a" + std::to_string(i - 1) + ">\n";
  std::optional<TooDeep> found = findTooDeep(chain);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->line, 129u); // two levels a line, the first has one
}

TEST(Nesting, SaysWhere) {
  std::optional<TooDeep> found = findTooDeep("()\n ((\n", 1);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->line, 2u);
  EXPECT_EQ(found->column, 3u);
  std::string deep(100000, '(');
  EXPECT_EQ(findTooDeep(deep)->column, mostMlirNesting + 1);
}

TEST(Nesting, OfJson) {
  EXPECT_FALSE(isJsonTooDeep("[{\"a\": [1]}]", 3));
  EXPECT_TRUE(isJsonTooDeep("[{\"a\": [1]}]", 2));
  EXPECT_FALSE(isJsonTooDeep("\"[[[[\\\"[[[\"", 0));
  EXPECT_FALSE(isJsonTooDeep("[][][]]]]", 1));
}

} // namespace
