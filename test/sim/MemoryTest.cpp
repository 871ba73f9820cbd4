// Loads, stores and atomics in every space.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Harness.h"

#include <bit>

namespace tessera::sim::test {

namespace {

using Words = std::vector<uint32_t>;

TEST(Memory, ExtendsWhatItLoads) {
  Words got = results(R"(
  ld.global.s8 r1, [in_];
  ld.global.u8 r2, [in_];
  ld.global.s16 d3, [in_];
  ld.global.nc.L1::no_allocate.L2::128B.v2.u16 {h4, h5}, [in_+4];
  ldu.global.u32 r6, [in_+4];
  ld.global.ca.L2::64B.u32 r7, [in_];
  st.global.u32 [out_], r1;
  st.global.u32 [out_+4], r2;
  st.global.u64 [out_+8], d3;
  st.global.wb.v2.u16 [out_+16], {h5, h4};
  st.volatile.global.u32 [out_+20], r6;
  st.relaxed.gpu.global.u8 [out_+24], r2;)",
                      7, 1, {0x0000ff85, 0x00020001});
  EXPECT_EQ(got,
            (Words{0xffffff85, 0x85, 0xffffff85, 0xffffffff, 0x00010002, 0x00020001, 0xdeadbe85}));
}

TEST(Memory, MovesVectors) {
  Words got = results("ld.global.v4.b32 {r1, _, r3, r4}, [in_];\nld.global.b128 q1, "
                      "[in_+16];\nst.global.v4.f32 [out_], {r4, r3, r1, 0f3F800000};\n"
                      "st.global.b128 [out_+16], q1;\nld.global.v8.b32 {r11, r12, r13, r14, r15, "
                      "r16, r17, r18}, [in_];\nst.global.u32 [out_+32], r18;\n",
                      9, 1, {1, 2, 3, 4, 5, 6, 7, 8});
  EXPECT_EQ(got, (Words{4, 3, 1, 0x3f800000, 5, 6, 7, 8, 8}));
}

TEST(Memory, HasVariablesWithInitialValues) {
  std::string module =
      ".global .align 8 .u64 pointer = generic(table)+4;\n.const .align 4 .u32 table[] = {10, 20, "
      "30};\n"
      ".global .f32 real = 1.5;\n.visible .global .align 4 .f32 two[2] = {0f40000000, 3.0};\n";
  // A variable may be named before it comes.
  Words got = results(R"(
  ld.global.u64 d1, [pointer];
  ld.u32 r1, [d1];
  ld.const.u32 r2, [table+8];
  ld.global.u32 r3, [real];
  mov.u64 d2, two;
  ld.global.u32 r4, [d2+4];
  st.global.v4.u32 [out_], {r1, r2, r3, r4};)",
                      4, 1, {}, module);
  EXPECT_EQ(got, (Words{20, 30, 0x3fc00000, 0x40400000}));
}

TEST(Memory, IsGenericToo) {
  Words got = results(R"(
  .shared .align 16 .b8 block[16];
  .local .align 16 .b8 own[16];
  .reg .b64 a, b, s;
  mov.u64 s, block;
  cvta.shared.u64 a, s;
  st.u32 [a+4], 77;
  ld.shared.u32 r1, [block+4];
  mov.u64 b, own;
  cvta.local.u64 b, b;
  st.u32 [b+8], 78;
  ld.local.u32 r2, [own+8];
  mov.b64 d1, in;
  cvta.param.u64 d1, d1;
  ld.u64 d2, [d1];
  setp.eq.u64 p1, d2, in_;
  selp.u32 r3, 1, 0, p1;
  st.global.u32 [out_], r1;
  st.global.u32 [out_+4], r2;
  st.global.u32 [out_+8], r3;)",
                      3, 1);
  EXPECT_EQ(got, (Words{77, 78, 1}));
}

/// A window of the generic address space is in no other; PTX ISA 5.1.
TEST(Memory, ConstantIsNotGlobal) {
  Words got =
      results(R"(
  mov.u64 d1, fixed;
  mov.u64 d2, plain;
  isspacep.const p1, d1;
  isspacep.const p2, d2;
  isspacep.global p3, d1;
  isspacep.global p4, d2;
  isspacep.global p5, out_;
  selp.u32 r1, 1, 0, p1;
  @p2 add.u32 r1, r1, 2;
  @p3 add.u32 r1, r1, 4;
  @p4 add.u32 r1, r1, 8;
  @p5 add.u32 r1, r1, 16;
  st.global.u32 [out_], r1;)",
              1, 1, {}, ".const .align 4 .u32 fixed = 1;\n.global .align 4 .u32 plain = 2;\n");
  EXPECT_EQ(got, (Words{1 + 8 + 16}));
}

/// Programs for sm_80 and later find memory of the system below their own: cooperative_groups
/// makes groups of several warps meet there.
TEST(Memory, ReservedOfSharedIsThere) {
  Words got = results(R"(
  mov.u32 r1, %reserved_smem_offset_1;
  cvt.u64.u32 d1, r1;
  cvta.shared.u64 d1, d1;
  red.and.release.cta.b32 [d1+4], 0;
  st.u64 [d1+280], 7;
  red.or.release.cta.b32 [d1+4], 5;
  ld.acquire.cta.b32 r2, [d1+4];
  ld.u64 d2, [d1+280];
  cvt.u32.u64 r3, d2;
  st.global.v2.u32 [out_], {r2, r3};)",
                      2, 1);
  EXPECT_EQ(got, (Words{5, 7}));
  expectFails("ld.shared.u32 r1, [4];", "OutOfBounds", "shared address 0x4");
  expectFails("mov.u32 r1, %reserved_smem_offset_1;\nld.shared.u32 r1, [r1+1022];", "Misaligned",
              "0x3fe");
  expectFails("mov.u32 r1, %reserved_smem_offset_1;\nld.shared.u32 r1, [r1+1024];", "OutOfBounds",
              "0x400");
}

TEST(Memory, LocalIsEachThreadsOwn) {
  Words got = results(".local .u32 mine[4];\nmov.u32 r1, %tid.x;\nst.local.u32 [mine+4], "
                      "r1;\nbar.warp.sync -1;\nld.local.u32 r2, [mine+4];\n"
                      "mad.wide.u32 d1, r1, 4, out_;\nst.global.u32 [d1], r2;\n",
                      32);
  for (uint32_t t = 0; t < 32; ++t)
    EXPECT_EQ(got[t], t);
}

TEST(Memory, DynamicSharedLiesAfterStatic) {
  Bench bench;
  uint64_t out = bench.buffer(Words(2));
  std::string module = ".extern .shared .align 128 .b8 dynamic[];\n.shared .u32 fixed[5];\n";
  std::string body =
      "mov.u32 r1, dynamic;\nmov.u32 r2, fixed;\nst.shared.u32 [dynamic+252], r1;\nsub.u32 r3, r1, "
      "r2;\nld.shared.u32 r4, [r1+252];\n"
      "sub.u32 r4, r4, r1;\nst.global.v2.u32 [out_], {r3, r4};\nmov.u32 r5, %dynamic_smem_size;\n";
  Status status =
      bench.launch(kernelOf(body, module), "k",
                   {.grid = {}, .block = {1}, .cluster = {}, .dynamicShared = 256}, {0, out});
  ASSERT_TRUE(status) << status.reason().text;
  EXPECT_EQ(bench.read<uint32_t>(out, 2), (Words{128, 0}));
}

//===--- Atomics -----------------------------------------------------------------------------===//

/// What memory holds after all 32 lanes have run `instruction` on [out_], starting from `start`; r1
/// is the lane.
uint32_t after(const std::string &instruction, uint32_t start) {
  return results(
      "mov.u32 r1, %tid.x;\nmov.u32 r2, " + cat(start) +
          ";\nsetp.eq.u32 p1, r1, 0;\n@p1 st.global.u32 [out_], r2;\nbar.warp.sync -1;\n" +
          instruction,
      1)[0];
}

TEST(Atomics, CombineAllLanes) {
  EXPECT_EQ(after("atom.global.add.u32 r3, [out_], r1;", 4), 500u);
  EXPECT_EQ(after("atom.relaxed.gpu.global.min.s32 r3, [out_], r1;", 7), 0u);
  EXPECT_EQ(after("atom.max.u32 r3, [out_], r1;", 7), 31u);
  EXPECT_EQ(after("shl.b32 r4, 1, r1;\natom.global.or.b32 r3, [out_], r4;", 0), ~0u);
  EXPECT_EQ(after("shl.b32 r4, 1, r1;\natom.global.xor.b32 _, [out_], r4;", 1), ~1u);
  EXPECT_EQ(after("atom.global.inc.u32 r3, [out_], 9;", 0),
            2u); // counts 0 ... 9, 0 ... : 32 steps of 10
  EXPECT_EQ(after("atom.global.dec.u32 r3, [out_], 9;", 0), 8u);
  EXPECT_EQ(after("atom.global.exch.b32 r3, [out_], r1;", 99), 31u); // lanes come in their order
  EXPECT_EQ(after("atom.global.cas.b32 r3, [out_], r1, 5;", 3), 5u);
  EXPECT_EQ(after("atom.global.add.f32 r3, [out_], 0f3F000000;", 0),
            std::bit_cast<uint32_t>(16.0f));
  EXPECT_EQ(after("atom.global.add.noftz.f16x2 r3, [out_], 0x3c003800;", 0),
            0x50004c00u); // 32 and 16
  EXPECT_EQ(after("red.global.add.u32 [out_], 2;", 1), 65u);
  EXPECT_EQ(after("red.global.and.b32 [out_], -2;", 7), 6u);
  EXPECT_EQ(after("red.global.max.s32 [out_], r1;", 0xffffffff), 31u);
  EXPECT_EQ(after("red.global.inc.u32 [out_], 100;", 0), 32u);
  EXPECT_EQ(after("red.global.add.noftz.bf16x2 [out_], 0x3f803f00;", 0), 0x42004180u);
}
TEST(Atomics, GiveWhatWasThere) {
  Words got = results("mov.u32 r1, %tid.x;\nsetp.eq.u32 p1, r1, 0;\n@p1 st.global.u32 [out_+128], "
                      "100;\nbar.warp.sync -1;\n"
                      "atom.global.add.u32 r3, [out_+128], 1;\nmad.wide.u32 d1, r1, 4, "
                      "out_;\nst.global.u32 [d1], r3;\n",
                      33);
  for (uint32_t t = 0; t < 32; ++t)
    EXPECT_EQ(got[t], 100 + t);
}
TEST(Atomics, ComeInAllSizes) {
  Words got = results("st.global.v4.u32 [out_], {1, 0, 0, 0};\natom.global.add.u64 d1, [out_], "
                      "0x100000001;\natom.global.cas.b16 h1, [out_+8], 0, 7;\n"
                      "atom.global.add.f64 d2, [out_+16], 0d3FF0000000000000;\natom.global.max.s64 "
                      "d3, [out_], 9;\natom.global.exch.b64 d4, [out_+24], d3;\n",
                      8, 1);
  EXPECT_EQ(got[0], 2u);
  EXPECT_EQ(got[1], 1u);
  EXPECT_EQ(got[2], 7u);
  EXPECT_EQ(got[6], 2u);
}
TEST(Atomics, ComeInVectors) {
  Words got =
      results("st.global.v4.u32 [out_], {0, 0, 0, 0};\nst.global.v4.u32 [out_+16], {1, 2, 3, 4};\n"
              "atom.global.add.v2.f32 {r1, r2}, [out_], {0f3F800000, "
              "0f40000000};\nred.global.add.noftz.v2.f16x2 [out_+8], {0x3c003c00, 0x40004000};\n"
              "mov.b64 d1, 5;\nmov.b128 q1, {d1, d1};\natom.global.exch.b128 q2, [out_+16], "
              "q1;\nmov.b128 {d2, d3}, q2;\nst.global.u64 [out_+32], d3;\n",
              10, 1);
  EXPECT_EQ(got, (Words{0x3f800000, 0x40000000, 0x3c003c00, 0x40004000, 5, 0, 5, 0, 3, 4}));
}
TEST(Atomics, CountAcrossBlocksAndHostThreads) {
  Bench bench;
  uint64_t out = bench.buffer(Words(1));
  ASSERT_TRUE(bench.launch(kernelOf("red.global.add.u32 [out_], 1;"), "k",
                           {.grid = {50}, .block = {64}}, {0, out}));
  EXPECT_EQ(bench.read<uint32_t>(out, 1)[0], 3200u);
  EXPECT_EQ(bench.machine.statistics().warpInstructions,
            50u * 2 * 4); // two loads of parameters, red, ret
  EXPECT_EQ(bench.machine.statistics().threadInstructions, 50u * 64 * 4);
}

TEST(Memory, SumsOfSinglesFlushInGlobalMemoryOnly) {
  // Values from an H100: 2^-127 and twice that are subnormal; -0 is below +0.
  std::vector<uint32_t> got = results(R"(
  .shared .b32 s;
  st.global.u32 [out_], 0x00400000;
  red.global.add.f32 [out_], 0f00400000;
  st.shared.u32 [s], 0x00400000;
  red.shared.add.f32 [s], 0f00400000;
  ld.shared.u32 r1, [s];
  st.global.u32 [out_+4], r1;
  st.global.u32 [out_+8], 0x80008000;
  mov.b16 h1, 0;
  red.global.min.noftz.v2.f16 [out_+8], {h1, h1};
  st.global.u32 [out_+12], 0;
  mov.b16 h1, 0x8000;
  red.global.max.noftz.v2.bf16 [out_+12], {h1, h1};
)",
                                      4, 1);
  EXPECT_EQ(got, (std::vector<uint32_t>{0, 0x00800000, 0x80008000, 0}));
}

// One device is all that a multicast object has, so each access is one of its memory.
TEST(Memory, OfOneDeviceIsReachedByMultimem) {
  std::vector<uint32_t> got = results(R"(
      multimem.st.relaxed.sys.global.u32 [out_], 12;
      multimem.red.relaxed.gpu.global.add.u32 [out_], 30;
      multimem.ld_reduce.acquire.gpu.global.add.u32 r1, [out_];
      multimem.st.v2.f32 [out_+8], {0f3F800000, 0f40000000};
      multimem.red.release.sys.add.v2.f32 [out_+8], {0f3F800000, 0f40000000};
      multimem.ld_reduce.weak.global.add.v2.f32 {r2, r3}, [out_+8];
      multimem.st.b32 [out_+4], 0x0ff0;
      multimem.red.and.b32 [out_+4], 0x00ff;
      multimem.st.s32 [out_+16], -7;
      multimem.red.max.s32 [out_+16], 5;
      multimem.red.min.s32 [out_+16], 6;
      multimem.st.f16x2 [out_+20], 0x3c003c00;
      multimem.red.add.f16x2 [out_+20], 0x3c004000;
      multimem.ld_reduce.add.acc::f32.v4.f16x2 {r4, r5, r6, r7}, [in_];
      multimem.ld_reduce.add.acc::f16.v2.e4m3x4 {r8, r9}, [in_];
      st.global.v2.u32 [out_+24], {r7, r6};
      st.global.v4.u32 [out_+32], {r1, r2, r3, r4};
      st.global.v4.u32 [out_+48], {r5, r8, r9, r7};)",
                                      16, 1, {10, 20, 30, 40});
  EXPECT_EQ(got, (Words{42, 0xf0, 0x40000000, 0x40800000, 5, 0x40004200, 40, 30, 42, 0x40000000,
                        0x40800000, 10, 20, 10, 20, 40}));
  got = results(R"(
      multimem.st.v2.f16x2 [out_], {0x3c004000, 0xbc003c00};
      multimem.red.min.v2.f16x2 [out_], {0x40003c00, 0x3c00bc00};
      multimem.st.v2.bf16x2 [out_+8], {0x3f804000, 0xbf803f80};
      multimem.red.relaxed.gpu.global.max.v2.bf16x2 [out_+8], {0x40003f80, 0x3f80bf80};)",
                4, 1);
  EXPECT_EQ(got, (Words{0x3c003c00, 0xbc00bc00, 0x40004000, 0x3f803f80}));
  expectFails(".shared .u32 s;\ncvta.shared.u64 d1, s;\nmultimem.st.u32 [d1], 1;", "OutOfBounds",
              "", 1);
}

TEST(Memory, OfDevicesIsReached) {
  std::vector<uint32_t> got = results(R"(
      st.mmio.relaxed.sys.global.u32 [out_], 5;
      ld.mmio.relaxed.sys.global.u32 r1, [out_];
      st.async.mmio.release.sys.global.u32 [out_+4], r1;
      red.async.mmio.release.gpu.global.add.u32 [out_+4], 6;
      red.async.mmio.release.sys.max.s32 [out_], -1;
      red.async.mmio.release.sys.and.b32 [out_+4], 9;
      red.async.mmio.release.gpu.inc.u32 [out_], 9;)",
                                      2, 1);
  EXPECT_EQ(got, (Words{6, 9}));
  EXPECT_EQ(refused(kernelOf("st.async.mmio.release.gpu.v2.u32 [out_], {r1, r2};")).id,
            "Modifiers");
}

TEST(Memory, VectorsMayHaveSinks) {
  std::vector<uint32_t> got = results(R"(
      mov.u32 r1, 1;
      mov.u32 r3, 3;
      st.global.v4.u32 [out_], {9, 9, 9, 9};
      st.global.v4.u32 [out_], {r1, _, r3, _};
      st.global.v4.u32 [out_+16], {8, 8, 8, 8};
      st.global.v8.b32 [out_], {_, _, _, 5, 6, _, _, _};
      .shared .align 16 .u32 s[4];
      mov.b64 d1, 0;
      cp.async.ca.shared.global.L2::cache_hint [s], [in_], 4, d1;
      cp.async.ca.shared.global.L2::cache_hint [s+4], [in_], 4, 2, d1;
      cp.async.wait_all;
      ld.shared.v2.u32 {r1, r2}, [s];
      st.global.v2.u32 [out_+24], {r1, r2};)",
                                      8, 1, {0x12345678});
  EXPECT_EQ(got, (Words{1, 9, 3, 5, 6, 8, 0x12345678, 0x5678}));
  expectFails("st.global.v4.u32 [out_+8], {r1, _, r2, _};", "Misaligned", "a write of 16 bytes", 1);
  EXPECT_EQ(refused(kernelOf("atom.global.add.u32 r1, [out_], _;")).id, "OperandKind");
  EXPECT_EQ(refused(kernelOf("cp.async.ca.shared.global.L2::cache_hint [r1], [in_], 4;")).id,
            "OperandCount");
}

TEST(Memory, IsFilledInBulk) {
  std::vector<uint32_t> got = results(R"(
      .shared .align 16 .u32 s[8];
      st.shared.v4.u32 [s], {1, 2, 3, 4};
      st.shared.v4.u32 [s+16], {5, 6, 7, 8};
      mov.u32 r1, 8;
      st.bulk.weak.shared::cta [s+8], r1, 0;
      cvta.shared.u64 d1, s;
      st.bulk [d1+24], 8, 0;
      ld.shared.v4.u32 {r1, r2, r3, r4}, [s];
      ld.shared.v4.u32 {r5, r6, r7, r8}, [s+16];
      st.global.v4.u32 [out_], {r1, r2, r3, r4};
      st.global.v4.u32 [out_+16], {r5, r6, r7, r8};)",
                                      8, 1);
  EXPECT_EQ(got, (Words{1, 2, 0, 0, 5, 6, 0, 0}));
  const std::string s = ".shared .align 16 .u32 s[8];\n";
  expectFails(s + "st.bulk.shared::cta [s], 12, 0;", "StoreBulkSize",
              "a multiple of 8 bytes, at most 16777216, but got 12", 1);
  expectFails(s + "st.bulk.shared::cta [s], 16777224, 0;", "StoreBulkSize", "", 1);
  expectFails(s + "st.bulk [out_], 8, 0;", "StoreBulkPlace", "fills shared memory of its block", 1);
  expectFails(s + "st.bulk.shared::cta [s], 40, 0;", "OutOfBounds", "a write of 40 bytes", 1);
  EXPECT_EQ(refused(kernelOf("st.bulk.shared::cta [r1], 8, 1;")).id, "OperandKind");
}

// PTX ISA 9.7.20: each thread gets as much as it asks for, aligned, until it gives it back or the
// function returns.
TEST(Stack, GivesEachThreadWhatItAsksFor) {
  const std::string function =
      ".func f() {\n.reg .b64 %d<4>;\nalloca.u64 %d1, 64;\nst.local.v2.u64 [%d1], {-1, -1};\n"
      "st.local.v2.u64 [%d1+48], {-1, -1};\nret;\n}\n";
  std::vector<uint32_t> got = results(R"(
      mov.u32 r1, %tid.x;
      mul.lo.u32 r2, r1, 4;
      add.u32 r2, r2, 4;
      stacksave.u32 r3;
      alloca.u32 r4, r2, 32;
      alloca.u32 r5, 8;
      add.u32 r6, r4, r2;
      st.local.u32 [r6-4], r1;
      st.local.u32 [r5], 77;
      call f;
      ld.local.u32 r7, [r6-4];
      ld.local.u32 r8, [r5];
      sub.u32 r9, r5, r6;
      and.b32 r10, r4, 31;
      and.b32 r11, r5, 7;
      or.b32 r10, r10, r11;
      stackrestore.u32 r3;
      alloca.u32 r12, r2, 32;
      sub.u32 r12, r12, r4;
      or.b32 r10, r10, r12;
      cvt.u64.u32 d2, r2;
      stacksave.u64 d3;
      alloca.u64 d4, d2;
      cvta.local.u64 d5, d4;
      st.u32 [d5], r1;
      ld.local.u32 r13, [d4];
      stackrestore.u64 d3;
      mul.wide.u32 d1, r1, 20;
      add.u64 d1, d1, out_;
      st.global.u32 [d1], r7;
      st.global.u32 [d1+4], r8;
      st.global.u32 [d1+8], r9;
      st.global.u32 [d1+12], r10;
      st.global.u32 [d1+16], r13;)",
                                      32 * 5, 32, {}, function);
  for (uint32_t lane = 0; lane < 32; ++lane) {
    EXPECT_EQ(got[lane * 5], lane);
    EXPECT_EQ(got[lane * 5 + 1], 77u);
    EXPECT_EQ(got[lane * 5 + 2], (lane + 1) % 2 * 4u); // up to a multiple of 8
    EXPECT_EQ(got[lane * 5 + 3], 0u);
    EXPECT_EQ(got[lane * 5 + 4], lane);
  }
}

TEST(Stack, HasItsLimits) {
  expectFails("mov.u32 r1, 0x7fffffff;\nalloca.u32 r2, r1;", "LocalSize", "but it has 524288");
  expectFails("loop: alloca.u64 d1, 4096;\nbra loop;", "LocalSize", "needs 528384 bytes");
  expectFails("alloca.u64 d1, -1;", "LocalSize", "needs 18446744073709551615 bytes");
  expectFails("stacksave.u32 r1;\nadd.u32 r1, r1, 8;\nstackrestore.u32 r1;", "StackTop",
              "from 0x0 to 0x0, but got 0x8");
  Reason odd = refused(kernelOf("alloca.u32 r1, 8, 3;"));
  EXPECT_NE(
      odd.text.find("operand 3 of alloca.u32 expects a power of two up to 65536, but got '3'"),
      std::string::npos)
      << odd.text;
  expectFails("alloca.u32 r1, 8;\nld.local.u32 r2, [r1];\n" + decidesBy("r2"), "Unwritten",
              "nobody wrote the byte at 0x0", 32, {.sanitize = true});
}

} // namespace

} // namespace tessera::sim::test
