// JSON as RFC 8259 has it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/sim_reports/Json.h"

#include <gtest/gtest.h>

namespace tessera::sim_reports {

namespace {

TEST(Json, WritesValues) {
  EXPECT_EQ(Value(true).str(), "true\n");
  EXPECT_EQ(Value(false).str(), "false\n");
  EXPECT_EQ(Value(-7).str(), "-7\n");
  EXPECT_EQ(Value(INT64_MIN).str(), "-9223372036854775808\n");
  EXPECT_EQ(Value("a").str(), "\"a\"\n");
  EXPECT_EQ(Value(Array()).str(), "[]\n");
  EXPECT_EQ(Value(Object()).str(), "{}\n");
  EXPECT_EQ(Value(Array{1, "b", Array{2}}).str(), "[\n 1,\n \"b\",\n [\n  2\n ]\n]\n");
}

TEST(Json, WritesObjectsByTheirNamesOrAsMade) {
  Object object{{"b", 1}};
  object["a"] = Array{Object{{"c", true}}};
  object["b"] = 2;
  EXPECT_EQ(Value(object).str(), "{\n \"a\": [\n  {\n   \"c\": true\n  }\n ],\n \"b\": 2\n}\n");
  object.isOrdered = true;
  EXPECT_EQ(Value(object).str(), "{\n \"b\": 2,\n \"a\": [\n  {\n   \"c\": true\n  }\n ]\n}\n");
}

TEST(Json, EscapesTexts) {
  EXPECT_EQ(Value("\"\\/\n\t\r\x01\x1f").str(), "\"\\\"\\\\/\\n\\t\\r\\u0001\\u001f\"\n");
  EXPECT_EQ(Value(std::string("\0", 1)).str(), "\"\\u0000\"\n");
  EXPECT_EQ(Value("gr\xc3\xbc\xc3\x9f \xe2\x82\xac \xf0\x9f\x98\x80").str(),
            "\"gr\xc3\xbc\xc3\x9f \xe2\x82\xac \xf0\x9f\x98\x80\"\n");
  // No UTF-8: a lone continuation, an overlong slash, a surrogate, a sequence that is cut off.
  const std::string no = "\xef\xbf\xbd";
  EXPECT_EQ(Value("\x80").str(), "\"" + no + "\"\n");
  EXPECT_EQ(Value("\xc0\xaf").str(), "\"" + no + no + "\"\n");
  EXPECT_EQ(Value("\xed\xa0\x80").str(), "\"" + no + no + no + "\"\n");
  EXPECT_EQ(Value("a\xe2\x82").str(), "\"a" + no + no + "\"\n");
}

} // namespace

} // namespace tessera::sim_reports
