// Litmus tests as text: what they may say, and what is refused with which words.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/litmus/Model.h"
#include "tessera/litmus/Runs.h"

#include <gtest/gtest.h>

namespace tessera::litmus {

namespace {

TEST(Parse, ReadsPlacesAndOperations) {
  auto test =
      parse("// a comment\nx = 5; y = 0\nblock 3 cluster 1 gpu 2 {\n"
            "  atom.acq_rel.cluster.global.cas.b32 a, [y], 0, 1;\n"
            "  ld.volatile.global.u32 b, [x];\n  membar.gl;\n}\nblock 4 { fence.acquire.cta; }");
  ASSERT_TRUE(test) << test.reason().text;
  EXPECT_EQ((*test)->names(), (std::vector<std::string>{"0:a", "0:b", "x", "y"}));
  const Thread &thread = (*test)->threads[0];
  EXPECT_EQ(thread.block, 3u);
  EXPECT_EQ(thread.cluster, 1u);
  EXPECT_EQ(thread.gpu, 2u);
  EXPECT_EQ((*test)->locations[0].initial, 5u);
  const Operation &cas = thread.code[0], &load = thread.code[1], &fence = thread.code[2];
  EXPECT_TRUE(cas.acquires && cas.releases && cas.isStrong && cas.scope == Scope::Cluster);
  EXPECT_EQ(cas.location, 1u);
  EXPECT_EQ(cas.line, 4);
  EXPECT_TRUE(load.isStrong && load.scope == Scope::Sys); // 8.4.2
  EXPECT_TRUE(fence.isSequential && fence.scope == Scope::Gpu);
  const Operation &acquire = (*test)->threads[1].code[0];
  EXPECT_TRUE(acquire.acquires && !acquire.releases && !acquire.isSequential);
}

void expectRefused(const std::string &text, std::string_view id, const std::string &words) {
  auto test = parse(text);
  ASSERT_FALSE(test) << text;
  EXPECT_EQ(test.reason().id, id) << test.reason().text;
  EXPECT_NE(test.reason().text.find(words), std::string::npos) << test.reason().text;
}

TEST(Parse, SaysWhatItDoesNotKnow) {
  expectRefused("x", "Expected", "line 1: expects '=', but got 'the end'");
  expectRefused("x = -1", "Expected", "a number");
  expectRefused("= 0", "Expected", "a location, such as x = 0");
  expectRefused("x = 0\nblock 0 {", "Expected", "line 2: expects '}'");
  expectRefused("block 0 gpu {}", "Expected", "a number");
  expectRefused("x = 0\nblock 0 {\n  ld.global.u32 a, [y];\n}", "Location",
                "line 3: there is no location 'y'");
  expectRefused("x = 0\nblock 0 { st.global.u32 [x], a; }", "Register", "'a' is read");
  expectRefused("x = 0\nblock 0 { st.global.f32 [x], 1; }", "Modifier", "'f32' of 'st.global.f32'");
  expectRefused("x = 0\nblock 0 { st.shared.u32 [x], 1; }", "Modifier", "'shared'");
  expectRefused("x = 0\nblock 0 { ld.relaxed.global.u32 a, [x]; }", "Scope", "needs a scope");
  expectRefused("x = 0\nblock 0 { ld.global.u32 a, [x+4]; }", "Operand", "operand 2");
  expectRefused("x = 0\nblock 0 { ld.global.u32 a; }", "Operand", "operand 2");
  expectRefused("block 0 { fence.proxy.async; }", "Modifier", "'proxy'");
  expectRefused("block 0 { bra there; }", "Instruction", "none of those");
  expectRefused("block 0 { .reg .pred p; }", "Instruction", "none of those");
  expectRefused("x = 0\nblock 0 { red.global.exch.b32 [x], 1; }", "Instruction", "red.global.exch");
  expectRefused("block 0 { bar.sync 0; }", "Instruction", "bar.sync");
  std::string many = "x = 0\nblock 0 {\n";
  for (int i = 0; i < 41; ++i)
    many += "  st.global.u32 [x], 1;\n";
  expectRefused(many + "}", "TooMany", "at most 40 operations, but this one has 41");
}

TEST(Parse, SaysWhereThreadsCannotBe) {
  auto test = parse(
      "x = 0\nblock 0 gpu 0 { st.global.u32 [x], 1; }\nblock 1 gpu 1 { st.global.u32 [x], 1; }");
  ASSERT_TRUE(test);
  EXPECT_EQ(kernelOf(**test, Lanes::OneWarp).reason().id, "Placement");
  test = parse("x = 0\nblock 0 cluster 0 { }\nblock 1 cluster 0 { }\nblock 2 { }");
  ASSERT_TRUE(test) << test.reason().text;
  EXPECT_NE(kernelOf(**test, Lanes::OneWarp).reason().text.find("the same number of blocks"),
            std::string::npos);
}

} // namespace

} // namespace tessera::litmus
