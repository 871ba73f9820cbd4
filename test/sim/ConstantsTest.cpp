// Constant expressions in operands, extents, offsets and initial values. PTX ISA 4.5 and 5.4.4; the
// values are C++'s own.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Harness.h"

namespace tessera::sim::test {

namespace {

#define SAME(expression) {#expression, uint64_t(int64_t(expression))}
TEST(Constants, AreComputedAsInC) {
  struct {
    const char *text;
    uint64_t want;
  } const cases[] = {
      SAME(1 + 2 * 3),
      SAME((1 + 2) * 3),
      SAME(7 - 2 - 1),
      SAME(100 / 7 / 2),
      SAME(-7 / 2),
      SAME(7 % 3),
      SAME(7 % 3 * 2),
      SAME(1 << 4 | 3),
      SAME(-8 >> 1),
      SAME(0xff & ~0xf),
      SAME(5 ^ 3 & 1),
      SAME(1 | 2 ^ 3 & 6),
      SAME(2 < 3 == 1),
      SAME(3 >= 3),
      SAME(4 != 4),
      SAME(!5),
      SAME(!0 + 1),
      SAME(- -3),
      SAME(1 ? 2 : 3),
      SAME(0   ? 2
           : 1 ? 4
               : 5),
      SAME(1 && 0 || 1),
      SAME(~-1),
      SAME(3 - -3),
      SAME(+4),
      SAME(((((1 + 1))))),
      SAME(2 > 1 && 1 <= 1),
      {"(.u64)(-1) / 2", ~uint64_t(0) / 2}, // signed it would be 0
      {"-1 / 2U", ~uint64_t(0) / 2},
      {"(.s64)0xffffffffffffffff / 2", 0},
      {"-1 < 0U", 0},
      {"0x8000000000000000 >> 63", 1}, // not signed, as it is too large for that
      {"(.s64)0x8000000000000000 >> 63", ~uint64_t(0)},
      {"1 << 64", 0},
      {"-1 >> 99", ~uint64_t(0)},
      {"(.s64)0x8000000000000000 / -1", uint64_t(1) << 63},
      {"1.5 < 2.5", 1},
      {"1.5 == 1.5 ? 10 : 20", 10},
  };
  for (auto [text, want] : cases) {
    std::vector<uint32_t> got =
        results(cat("mov.u64 d1, ", text, ";\nst.global.u64 [out_], d1;"), 2, 1);
    EXPECT_EQ(uint64_t(got[1]) << 32 | got[0], want) << text;
  }
  std::vector<uint32_t> real =
      results("mov.f32 r1, 1.5 * 4 - 0.25 / 2;\nst.global.f32 [out_], r1;", 1, 1);
  EXPECT_EQ(std::bit_cast<float>(real[0]), 5.875f);
}
#undef SAME

TEST(Constants, StandWhereverNumbersDo) {
  std::vector<uint32_t> got =
      results(R"(
      mov.u32 r1, table;
      ld.shared.u32 r2, [r1+4*2];
      st.shared.u32 [table+(1+2)*4], 77;
      ld.shared.u32 r3, [table+16-4];
      ld.global.u32 r4, [filled+2*4-4];
      ld.global.u32 r5, [filled + 8];
      cvt.u64.u32 d2, r5;
      ld.global.v4.u8 {r6, r7, r8, r9}, [bytes];
      mov.u64 d3, filled+4;
      cvt.u32.u64 r10, d3;
      and.b32 r11, r10, 0xff;
      shr.u32 r12, r10, 8;
      and.b32 r12, r12, 0xff;
      sub.u32 r6, r6, r11;
      sub.u32 r7, r7, r12;
      ld.global.u64 d4, [whole];
      ld.global.u32 r13, [d4];
      st.global.v4.u32 [out_], {r3, r4, r5, r6};
      st.global.v2.u32 [out_+16], {r7, r13};)",
              6, 1, {},
              ".shared .u32 table[2*2+1];\n.global .u32 filled[1+2] = {1<<3, 3*(4+1), 7%4};\n"
              ".global .u8 bytes[4] = {0xff(filled+4), 0xff00(filled+4), 5, 6};\n"
              ".global .u64 whole = generic(filled)+4;\n");
  EXPECT_EQ(got, (std::vector<uint32_t>{77, 15, 3, 0, 0, 15}));
}

TEST(Constants, AreRefusedWhereTheyHaveNoValue) {
  EXPECT_EQ(refused(kernelOf("mov.u32 r1, 4 / (2 - 2);")).id, "ConstantDivision");
  EXPECT_EQ(refused(kernelOf("mov.u32 r1, 4 % 0;")).id, "ConstantDivision");
  EXPECT_EQ(refused(kernelOf("mov.u32 r1, 4.5 & 1;")).id, "ConstantOperands");
  EXPECT_EQ(refused(kernelOf("mov.u32 r1, ~4.5;")).id, "ConstantOperands");
  EXPECT_EQ(refused(kernelOf("mov.u32 r1, (4 + 5;")).id, "Expected");
  EXPECT_EQ(refused(kernelOf("mov.u32 r1, 4 +;")).id, "Expected");
  EXPECT_EQ(refused(".global .u32 x[2-3];").id, "Expected");
  EXPECT_EQ(refused(kernelOf("mov.u32 r1, " + std::string(1000, '(') + "1;")).id, "Expected");
  EXPECT_EQ(refused(kernelOf("mov.u32 r1, " + std::string(1000, '-') + "1;")).id, "Expected");
  EXPECT_EQ(refused(kernelOf("add.u32 r1, r2, -r3;")).id, "Expected");
  EXPECT_EQ(refused(kernelOf("ld.global.u32 r1, [-d1];")).id, "Expected");
}

} // namespace

} // namespace tessera::sim::test
