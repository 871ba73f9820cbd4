// Registers that nothing writes have no value; to move one is not an error, as compilers do it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "SanitizerHarness.h"

namespace tessera::sim::test {

namespace {

TEST(SanitizerRegisters, ThatNothingWrites) {
  const std::string said = "the register r50 is used, which no instruction of this function writes",
                    mine = "mov.u32 r1, %tid.x;\nmul.wide.u32 d1, r1, 4;\nadd.u64 d1, d1, in_;\n",
                    put3 = "st.global.u32 [d1], r3;\n";
  expectReport(decidesBy("r50"), "UnwrittenRegister", said);
  expectReport(mine + "add.u32 r3, r50, 1;\n" + put3, "UnwrittenRegister", said);
  expectReport(mine + "mov.b64 d3, {r50, r1};\nadd.u64 d3, d3, d1;\nld.global.u32 r3, [d3];\n",
               "UnwrittenRegister", said);
  expectReport("and.b32 r3, r50, 8;\nred.global.add.u32 [in_], r3;\n", "UnwrittenRegister", said);
  expectReport("@p50 red.global.add.u32 [in_], 1;\n", "UnwrittenRegister",
               "the register p50 is used");
  expectReport("{\n.reg .b32 %r<4>;\n" + decidesBy("%r3") + "}\n", "UnwrittenRegister",
               "the register %r3 is used");
  expectClean(mine + "mov.u32 r3, r50;\nmov.b64 d3, {r1, r50};\n" + put3);
  expectClean(mine + "and.b32 r3, r50, 0;\n" + put3 +
              "mov.u32 r2, 5;\nsetp.eq.u32 p5, r2, 5;\n"
              "selp.u32 r3, r2, r50, p5;\n" +
              decidesBy("r3"));
  // Some path writes it; the other one is not looked at.
  expectClean(mine + "setp.eq.u32 p5, r1, 99;\n@p5 mov.u32 r50, 1;\n" + decidesBy("r50"));
}

} // namespace

} // namespace tessera::sim::test
