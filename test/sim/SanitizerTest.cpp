// The sanitizer: each rule by a kernel that breaks it, and the same kernel as it should be. Kernels
// with one synchronisation less each are test/sim/mutants.py.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "BulkHarness.h"

#include <numeric>

namespace tessera::sim::test {

namespace {

const Limits limits{.lateCopies = true, .sanitize = true};

/// The reason with which 64 threads, or two blocks of 32, end; empty if they do not.
Reason ends(const std::string &body, uint32_t blocks = 1) {
  Bench bench(limits);
  uint64_t buffer = bench.buffer(std::vector<uint32_t>(1024));
  LaunchConfig config{
      .grid = {blocks}, .block = {blocks == 1 ? 64u : 32u}, .cluster = Dim3{blocks}};
  Status status = bench.launch(kernelOf(body, shared), "k", config, {buffer, buffer});
  return status ? Reason{} : status.reason();
}
void expectClean(const std::string &body, uint32_t blocks = 1) {
  EXPECT_EQ(ends(body, blocks).text, "") << body;
}
void expectReport(const std::string &body, std::string_view id, const std::string &words,
                  uint32_t blocks = 1) {
  Reason reason = ends(body, blocks);
  EXPECT_EQ(reason.id, id) << body << reason.text;
  EXPECT_NE(reason.text.find(words), std::string::npos) << reason.text;
}

/// r1: the thread; r40: the tile; r42: the thread's word, r43: that of the 32nd after it.
const std::string words =
    "mov.u32 r1, %tid.x;\nmov.u32 r40, tile;\nmov.u32 r41, bar;\nsetp.eq.u32 p1, r1, 0;\n"
    "shl.b32 r42, r1, 2;\nadd.u32 r42, r42, r40;\nxor.b32 r43, r1, 32;\nshl.b32 r43, r43, 2;\n"
    "add.u32 r43, r43, r40;\n";
const std::string put = "st.shared.u32 [r42], r1;\n", get = "ld.shared.u32 r2, [r43];\n",
                  barrier = "bar.sync 0;\n";

TEST(Sanitizer, ReadsOfWhatNobodyWrote) {
  expectClean(words + put + "ld.shared.u32 r2, [r42];");
  expectReport(words + put + "ld.shared.u32 r2, [r42+1024];\n" + decidesBy("r2"), "Unwritten",
               "a read of 4 bytes at shared address 0x800, but nobody wrote the byte at 0x800");
  expectReport(words + "st.shared.u16 [r42], 1;\nld.shared.u32 r2, [r42];\n" + decidesBy("r2"),
               "Unwritten", "the byte at 0x402");
  expectReport(words + "red.shared.add.u32 [tile], 1;", "Unwritten",
               "an atomic access of 4 bytes at shared address 0x400");
  expectClean(words + "atom.shared.exch.b32 r2, [tile], 1;");
}

// A struct with padding is copied whole; what counts is who looks at a number. nvcc also says which
// bytes of a load nobody looks at (PTX ISA 11.4).
TEST(Sanitizer, CopiesOfWhatNobodyWrote) {
  const std::string copies = ".local .align 8 .b8 a[16], b[16];\nst.local.u32 [a], 7;\n"
                             "ld.local.u64 d1, [a];\nst.local.u64 [b], d1;\n";
  const std::string adds = "add.u32 r3, r2, 1;\n" + decidesBy("r3");
  expectClean(copies + "ld.local.u32 r2, [b];\n" + adds);
  expectReport(copies + "ld.local.u32 r2, [b+4];\n" + adds, "Unwritten",
               "a read of 4 bytes at local address 0x14, but nobody wrote the byte at 0x14");
  // Whatever constants the program has.
  std::string constants;
  for (int i = 0; i < 64; ++i)
    constants += cat("add.u32 r30, r30, ", 1000 + i, ";\n");
  expectClean(constants + copies + "ld.local.u32 r2, [b];\n" + adds);
  // Without optimisation a copy goes through further registers.
  const std::string moved = ".local .align 8 .b8 a[16], b[16];\nst.local.u32 [a], 7;\n"
                            "ld.local.u64 d1, [a];\nmov.b64 d2, d1;\nmov.b64 {r5, r6}, d2;\n"
                            "mov.b64 d3, {r5, r6};\nst.local.u64 [b], d3;\n";
  expectClean(moved + "ld.local.u32 r2, [b];\n" + adds);
  expectReport(moved + "ld.local.u32 r2, [b+4];\n" + adds, "Unwritten",
               "a read of 4 bytes at local address 0x14");
  expectReport(moved + "mov.u32 r2, r6;\n" + adds, "Unwritten",
               "a read of 8 bytes at local address 0x0, but nobody wrote the byte at 0x4");
  // The second copy is of numbers.
  expectClean(copies +
              "st.local.u32 [a+4], 8;\nld.local.u64 d2, [a];\nst.local.u64 [b], d2;\n"
              "ld.local.u32 r2, [b+4];\n" +
              adds);
  expectClean(copies +
              "ld.local.v2.u32 {r5, r6}, [a];\nst.local.v2.u32 [b+8], {r6, r5};\n"
              "ld.local.u32 r2, [b+12];\n" +
              adds);
  expectReport(copies +
                   "ld.local.v2.u32 {r5, r6}, [a];\nst.local.v2.u32 [b+8], {r6, r5};\n"
                   "ld.local.u32 r2, [b+8];\n" +
                   adds,
               "Unwritten", "but nobody wrote the byte at 0x18");
  const std::string mine =
      "mov.u32 r10, %tid.x;\nmul.wide.u32 d5, r10, 8;\nadd.u64 d5, d5, out_;\n";
  expectClean(copies + mine + "ld.local.u64 d2, [a];\nst.global.u64 [d5], d2;\n");
  expectReport(copies + mine + "ld.local.u32 r2, [a+4];\nst.global.u32 [d5], r2;\n", "Unwritten",
               "a read of 4 bytes at local address 0x4");
  // A bit field is put beside bits that nobody wrote.
  const std::string field = ".local .align 4 .b8 f[8];\nld.local.u32 r20, [f];\nand.b32 r21, r20, "
                            "-32;\nor.b32 r22, r21, 5;\n";
  expectClean(field + "st.local.u32 [f], r22;\nld.local.u32 r23, [f];\nand.b32 r24, r23, 31;\n" +
              decidesBy("r24"));
  expectReport(field +
                   "st.local.u32 [f+4], r22;\nld.local.u32 r23, [f+4];\nshr.u32 r24, r23, 8;\n" +
                   decidesBy("r24"),
               "Unwritten", "nobody wrote the byte at 0x5");
  expectReport(field + "st.local.u32 [f], r22;\nadd.u32 r23, r21, 1;\n" + decidesBy("r23"),
               "Unwritten", "at 0x0");
  expectReport(field + "add.u32 r22, r21, 1;\nst.local.u32 [f], r22;\nld.local.u32 r23, [f];\n" +
                   decidesBy("r23"),
               "Unwritten", "at 0x1");
  const std::string looks = "ld.local.u64 d2, [a];\nadd.u64 d3, d2, 1;\n" + decidesBy("d3", "u64");
  expectReport(copies + looks, "Unwritten", "but nobody wrote the byte at 0x4");
  expectClean(copies + ".pragma \"used_bytes_mask 15\";\n" + looks);
  expectReport(copies + ".pragma \"used_bytes_mask 0x1f\";\n" + looks, "Unwritten", "0x4");
  expectReport(copies + ".pragma \"used_bytes_mask 15\";\nld.local.u64 d4, [b];\n" + looks,
               "Unwritten", "0x4");
}

// A load may fetch what nobody wrote, as a merge fetches the key after the last one. It is an
// error when something depends on it: what a thread does, or what others see.
TEST(Sanitizer, UsesOfWhatNobodyWrote) {
  // p5 is true, p6 is false.
  const std::string load = words + put +
                           "setp.eq.u32 p5, r1, r1;\nnot.pred p6, p5;\n"
                           "ld.shared.u32 r2, [r42+1024];\n",
                    compared = load + "setp.lt.u32 p3, r2, r1;\n", r3 = decidesBy("r3"),
                    p4 = "@p4 nanosleep.u32 1;\n";
  // NOLINTBEGIN(performance-inefficient-string-concatenation): a program reads as a sum of its
  // parts.
  for (const std::string &body : {
           load,
           load + "add.u32 r3, r2, 1;\nmul.lo.u32 r3, r3, r3;\n",
           load + "mov.u32 r2, 1;\n" + decidesBy("r2"),
           load + "ld.shared.u32 r2, [r42];\n" + decidesBy("r2"),
           load + "ld.global.u32 r2, [in_];\n" + decidesBy("r2"),
           load + "selp.b32 r3, r1, r2, p5;\n" + r3,
           load + "selp.b32 r3, r2, r1, p6;\n" + r3,
           load + "and.b32 r3, r2, 0;\n" + r3,
           load + "or.b32 r3, r2, -1;\n" + r3,
           load + "lop3.b32 r3, r2, 0, r1, 0xc0;\n" + r3,  // a and b
           load + "lop3.b32 r3, r2, r1, r1, 0xcc;\n" + r3, // b
           load + "bfi.b32 r3, r2, r1, 8, 0;\n" + r3,
           load + "bfi.b32 r3, r1, r2, 0, 32;\n" + r3,
           load + "mov.b64 d1, {r2, r1};\nmov.b64 {r4, r3}, d1;\n" + r3,
           compared,
           compared + "and.pred p4, p3, p6;\n" + p4,
           compared + "or.pred p4, p5, p3;\n" + p4,
           compared + "selp.b32 r3, 1, 0, p3;\n",
           compared + "@p3 mov.u32 r3, 5;\n",
           compared + "and.pred p4, p3, p6;\nselp.b32 r3, r2, r1, p4;\n" + r3,
           load + "setp.lt.and.u32 p4, r2, r1, p6;\n" + p4,
           load + "setp.lt.or.u32 p4, r2, r1, p5;\n" + p4,
           load + "st.shared.u32 [r42+512], r2;\n",
           load +
               "st.shared.u32 [r42+512], r2;\nst.shared.u32 [r42+512], r1;\n"
               "ld.shared.u32 r3, [r42+512];\n" +
               r3,
       })
    expectClean(body);
  for (const std::string &body : {
           load + decidesBy("r2"),
           load + "add.u32 r3, r2, 1;\n" + r3,
           load + "mov.u32 r3, r2;\nmul.lo.u32 r3, r3, 3;\n" + r3,
           load + "selp.b32 r3, r1, r2, p6;\n" + r3,
           load + "and.b32 r3, r2, 256;\n" + r3,
           load + "or.b32 r3, r2, 1;\n" + r3,
           load + "xor.b32 r3, r2, r1;\n" + r3,
           load + "not.b32 r3, r2;\n" + r3,
           load + "lop3.b32 r3, r2, 1, r1, 0xc0;\n" + r3,
           load + "bfi.b32 r3, r2, r1, 8, 1;\n" + r3,
           load + "bfi.b32 r3, r1, r2, 0, 31;\n" + r3,
           load + "bfi.b32 r3, r1, r1, r2, 4;\n" + r3,
           load + "mov.b64 d1, {r2, r1};\nmov.b64 {r3, r4}, d1;\n" + r3,
           compared + "@p3 nanosleep.u32 1;\n",
           compared + "@!p3 bra over;\nover:\n",
           compared + "and.pred p4, p3, p5;\n" + p4,
           compared + "or.pred p4, p3, p6;\n" + p4,
           compared + "xor.pred p4, p3, p6;\n" + p4,
           compared + "not.pred p4, p3;\n" + p4,
           compared + "selp.b32 r3, 1, 0, p3;\n" + r3,
           compared + "mov.u32 r3, 4;\n@p3 mov.u32 r3, 5;\n" + r3,
           load + "setp.lt.and.u32 p4, r2, r1, p5;\n" + p4,
           load + "setp.lt.or.u32 p4, r2, r1, p6;\n" + p4,
           load + "setp.lt.u32 p3|p4, r2, r1;\n" + p4,
           load + "add.u32 r3, r2, r42;\nld.shared.u32 r4, [r3];\n", // an address
           load + "and.b32 r3, r2, 0xfff0;\nadd.u32 r3, r3, r42;\nst.shared.u32 [r3], r1;\n",
           load + "mul.wide.u32 d5, r1, 4;\nadd.u64 d5, d5, out_;\nst.global.u32 [d5], r2;\n",
           load + "atom.shared.add.u32 r3, [tile], r2;\n",
           compared + "vote.sync.ballot.b32 r3, p3, -1;\n",
           load + "add.cc.u32 r3, r2, 1;\n" + r3,
       })
    expectReport(body, "Unwritten",
                 "a read of 4 bytes at shared address 0x800, but nobody wrote the byte at 0x800");
  // What was copied is still what nobody wrote, also for the thread of another warp.
  expectReport(load + "st.shared.u32 [r42+512], r2;\nbar.sync 0;\nld.shared.u32 r3, [r43+512];\n" +
                   r3,
               "Unwritten", "a read of 4 bytes at shared address 0x6");
  // A narrow number is extended by bits that are known.
  const std::string narrow = words + put + "ld.shared.u8 r2, [r42+1024];\n";
  expectClean(narrow + "shr.u32 r3, r1, 8;\nand.b32 r3, r2, 0xff00;\n" + r3);
  expectReport(narrow + "and.b32 r3, r2, 0x80;\n" + r3, "Unwritten", "a read of 1 bytes");
  expectReport(words + put + "ld.shared.s8 r2, [r42+1024];\nand.b32 r3, r2, 0xff00;\n" + r3,
               "Unwritten", "a read of 1 bytes");
}

// A bit that nobody wrote is followed to where it goes: what is made of the others is a number.
TEST(Sanitizer, BitsOfWhatNobodyWrote) {
  // Of r2 the high half is unset, of r4 the low one; r5 is 8.
  const std::string load = words + put +
                           "mov.u32 r5, 8;\nst.shared.u16 [r42+1024], 7;\n"
                           "st.shared.u16 [r42+1538], 7;\n"
                           "ld.shared.u32 r2, [r42+1024];\n"
                           "ld.shared.u32 r4, [r42+1536];\n",
                    r3 = decidesBy("r3"), d1 = decidesBy("d1", "u64");
  const std::pair<std::string, std::string> ofWords[] = {
      // what is set, and the same with a bit more
      {"shl.b32 r3, r2, 16", "shl.b32 r3, r2, 15"},
      {"shl.b32 r3, r2, 32", "shl.b32 r3, r4, 31"},
      {"shr.u32 r3, r4, 16", "shr.u32 r3, r4, 15"},
      {"shr.s32 r3, r4, 16", "shr.s32 r3, r2, 31"},
      {"shf.l.clamp.b32 r3, r4, r2, 16", "shf.l.clamp.b32 r3, r4, r2, 15"},
      {"shf.r.wrap.b32 r3, r4, r2, 48", "shf.r.wrap.b32 r3, r4, r2, 15"},
      {"prmt.b32 r3, r2, r4, 0x7610", "prmt.b32 r3, r2, r4, 0x7510"},
      {"prmt.b32 r3, r2, r4, 0xf610", "prmt.b32 r3, r2, r4, 0xb610"},
      {"bfe.u32 r3, r2, 8, 8", "bfe.u32 r3, r2, 8, 9"},
      {"bfe.s32 r3, r2, 0, 16", "bfe.s32 r3, r2, 4, 13"},
      {"bfe.u32 r3, r2, 20, 0", "bfe.u32 r3, r2, 31, 4"},
      {"cvt.u32.u16 r3, r2", "cvt.u32.u16 r3, r4"},
      {"cvt.s32.s8 r3, r2", "cvt.s32.s8 r3, r4"},
      {"cvt.rn.f32.u16 r3, r2", "cvt.rn.f32.u32 r3, r2"},
      {"add.u32 r3, r2, 5;\nand.b32 r3, r3, 0xffff", "add.u32 r3, r2, 5;\nand.b32 r3, r3, 0x10000"},
      {"sub.u32 r3, 5, r2;\nand.b32 r3, r3, 0xffff", "sub.u32 r3, 5, r4;\nand.b32 r3, r3, 0x80"},
      {"mul.lo.u32 r3, r2, 0x10000", "mul.lo.u32 r3, r2, 0x8000"},
      {"mul.lo.u32 r3, 0, r4", "mul.lo.u32 r3, 1, r4"},
      {"mad.lo.u32 r3, r4, r5, 3;\nand.b32 r3, r3, 7",
       "mad.lo.u32 r3, r4, r5, 3;\nand.b32 r3, r3, 15"},
      {"shl.b32 r3, r2, 16;\nshr.u32 r4, r4, 16;\nor.b32 r3, r3, r4",
       "shl.b32 r3, r2, 16;\nshr.u32 r4, r4, 15;\nor.b32 r3, r3, r4"},
      // The carry is passed on too, until the next instruction makes one.
      {"add.cc.u32 r3, r2, 1;\nadd.cc.u32 r3, r1, 1;\naddc.u32 r3, r1, 0",
       "add.cc.u32 r3, r2, 1;\naddc.u32 r3, r1, 0"},
      {"mov.u32 r3, r1", "sub.cc.u32 r3, r2, 1;\nsubc.u32 r3, r1, 0"},
      {"mad.lo.cc.u32 r3, r2, 0x10000, r1", "mad.lo.cc.u32 r3, r2, 0x8000, r1"},
      {"add.f16x2 r3, r2, r2;\nand.b32 r3, r3, 0xffff",
       "add.f16x2 r3, r2, r2;\nand.b32 r3, r3, 0x10000"},
      {"fma.rn.bf16x2 r3, r4, r4, r4;\nshr.u32 r3, r3, 16",
       "fma.rn.bf16x2 r3, r4, r4, r2;\nshr.u32 r3, r3, 16"},
      {"cvt.rn.f16x2.f32 r3, r2, r1;\nand.b32 r3, r3, 0xffff",
       "cvt.rn.f16x2.f32 r3, r1, r2;\nand.b32 r3, r3, 0xffff"},
      {"and.pred p4, p1, p1;\nselp.b32 r3, 1, 2, !p4",
       "setp.lt.u32 p4, r2, 9;\nselp.b32 r3, 1, 2, !p4"},
      // A register is what the last instruction made it.
      {"mov.b32 r3, r2;\nvote.sync.ballot.b32 r3, p1, -1", "mov.b32 r3, r2;\nmov.pred p3, p1"},
      {"mov.b32 r3, r2;\natom.shared.exch.b32 r3, [r42+2048], r1;\nld.shared.u32 r3, [r42+2048]",
       "mov.b32 r3, r2;\natom.shared.exch.b32 r6, [r42+2048], r1"},
      {"mov.b32 r3, r2;\nmov.u32 r3, %laneid", "mov.b32 r3, r2;\nmov.u32 r6, %laneid"},
  };
  for (const auto &[fine, wrong] : ofWords) {
    expectClean(load + fine + ";\n" + r3);
    expectReport(load + wrong + ";\n" + r3, "Unwritten", "a read of 4 bytes at shared address");
  }
  // NOLINTEND(performance-inefficient-string-concatenation)
  expectClean(load + "mul.wide.u32 d1, r2, 0x10000;\nshl.b64 d1, d1, 32;\n" + d1);
  expectReport(load + "mul.wide.u32 d1, r2, 0x10000;\n" + d1, "Unwritten", "");
  expectClean(load + "cvt.u64.u32 d1, r2;\nshr.u64 d1, d1, 32;\n" + d1);
  expectReport(load + "cvt.s64.s32 d1, r2;\nshr.u64 d1, d1, 63;\n" + d1, "Unwritten", "");
}

// Lanes pass them on too: a reduction of a part of a warp throws away what the others give.
TEST(Sanitizer, ShufflesOfWhatNobodyWrote) {
  // Only the even lanes have a number in r2.
  const std::string load = words + "and.b32 r5, r1, 1;\nsetp.eq.u32 p5, r5, 0;\n@p5 " + put +
                           "ld.shared.u32 r2, [r42];\n",
                    r3 = decidesBy("r3"), evens = "@!p5 mov.u32 r3, 0;\n";
  expectClean(load + "shfl.sync.down.b32 r3, r2, 1, 31, -1;\n");
  expectClean(load + "shfl.sync.down.b32 r3, r2, 2, 31, -1;\n" + evens + r3);
  expectReport(load + "shfl.sync.down.b32 r3, r2, 1, 31, -1;\n" + evens + r3, "Unwritten", "");
  expectClean(load + "shfl.sync.idx.b32 r3, r2, 4, 31, -1;\n" + r3);
  expectReport(load + "shfl.sync.idx.b32 r3, r2, 5, 31, -1;\n" + r3, "Unwritten", "");
  expectReport(load + "shfl.sync.idx.b32 r3, r1, r2, 31, -1;\n", "Unwritten", "");
  // In place, by lanes that come one after the other and wait, and by tiles of a warp.
  expectClean(
      load +
      "shfl.sync.bfly.b32 r2|p3, r2, 2, 31, -1;\n@!p5 mov.u32 r2, 0;\n@!p3 nanosleep.u32 1;\n" +
      decidesBy("r2"));
  const std::string apart = load + "@p5 bra there;\nnanosleep.u32 1;\nthere:\n",
                    once = "shfl.sync.bfly.b32 r2, r2, 1, 31, -1;\n",
                    ofEvens = "@p5 bra use;\nmov.u32 r2, 0;\nuse:\n" + decidesBy("r2"),
                    ofOdds = "@!p5 bra use;\nmov.u32 r2, 0;\nuse:\n" + decidesBy("r2");
  expectClean(apart + once + ofOdds);
  expectReport(apart + once + ofEvens, "Unwritten", "");
  expectClean(apart + once + once + ofEvens);
  expectReport(apart + once + once + ofOdds, "Unwritten", "");
  // A lane that has gone, or takes another way, has none to give.
  const std::string half = words + "setp.ge.u32 p5, r1, 40;\n@p5 bra end;\n";
  expectClean(
      half +
      "shfl.sync.down.b32 r3, r1, 8, 31, -1;\nsetp.lt.u32 p4, r1, 32;\n@!p4 mov.u32 r3, 0;\n" + r3 +
      "end:\n");
  expectReport(half + "shfl.sync.down.b32 r3, r1, 8, 31, -1;\n" + r3 + "end:\n", "ShuffledFrom",
               "a shuffle takes the number of lane 8, which does not run it");
  expectClean(half + "shfl.sync.bfly.b32 r3, r1, 7, 31, -1;\n" + r3 + "end:\n");
  expectClean(half + "shfl.sync.down.b32 r3, r1, 8, 0x1807, -1;\n" + r3 +
              "end:\n"); // of eight lanes
  expectReport(words +
                   "mov.u32 r6, 0xffff;\nsetp.ge.u32 p5, r1, 16;\n@p5 bra end;\n"
                   "shfl.sync.idx.b32 r3, r1, 16, 31, r6;\n" +
                   r3 + "end:\n",
               "ShuffledFrom", "lane 16");
  const std::string tiles = load + "mov.u32 r6, 0x55555555;\n@!p5 shl.b32 r6, r6, 1;\n"
                                   "shfl.sync.bfly.b32 r2, r2, 2, 31, r6;\n";
  expectClean(tiles + "@!p5 mov.u32 r2, 0;\n" + decidesBy("r2"));
  expectReport(tiles + "@p5 mov.u32 r2, 0;\n" + decidesBy("r2"), "Unwritten", "");
}

// The heap of malloc: beyond the end of a piece, before one, and after free.
TEST(Sanitizer, HeapBounds) {
  auto ends = [](const std::string &body) {
    Bench bench(limits);
    uint64_t buffer = bench.buffer(std::vector<uint32_t>(64));
    Status status = bench.launch(
        kernelOf(".param .b64 n, p;\ncall (d1), malloc, (24);\ncall (d2), malloc, (64);\n" + body,
                 ".extern .func (.param .b64 r) malloc (.param .b64 n);\n.extern .func free "
                 "(.param .b64 p);\n"),
        "k", {.grid = {}, .block = {1}}, {buffer, buffer});
    return status ? Reason{} : status.reason();
  };
  for (const char *fine :
       {"st.global.u64 [d1+16], 1;", "st.global.u32 [d2+60], 1;\ncall free, (d2);",
        "call free, (0);", "call free, (d1);\ncall (d3), malloc, (24);\nst.global.u64 [d3], 1;"})
    EXPECT_EQ(ends(fine).text, "") << fine;
  for (const char *wrong :
       {"st.global.u32 [d1+24], 1;", "st.global.u64 [d2+64], 1;", "st.global.u32 [d2+-4], 1;",
        "call free, (d1);\nst.global.u32 [d1], 1;", "red.global.add.u32 [d2+64], 1;",
        "st.global.u32 [d1], 1;\ncall free, (d1);\nld.global.u32 r1, [d1];",
        "call free, (d1);\ncall (d3), malloc, (8);\nst.global.u32 [d1+8], 1;"}) {
    EXPECT_EQ(ends(wrong).id, "HeapBounds") << wrong;
    EXPECT_NE(ends(wrong).text.find("in the heap, but malloc did not give out"), std::string::npos)
        << wrong;
  }
}

// A call copies bits that nobody wrote, forwards and back.
TEST(Sanitizer, CallsWithWhatNobodyWrote) {
  const std::string
      function = ".func (.param .align 4 .b8 back[8]) f(.param .align 4 .b8 value[8]) {\n"
                 ".reg .b32 %r<4>;\nld.param.b32 %r1, [value];\nld.param.b32 %r2, [value+4];\n"
                 "USE\nst.param.b32 [back], %r1;\nst.param.b32 [back+4], %r2;\nret;\n}\n",
      call = ".param .align 4 .b8 back[8];\n.param .align 4 .b8 value[8];\n"
             "st.param.b32 [value], r1;\nst.param.b32 [value+4], r2;\ncall (back), f, (value);\n"
             "ld.param.b32 r3, [back];\nld.param.b32 r4, [back+4];\n";
  auto called = [&](const std::string &use, const std::string &after) {
    std::string text = function;
    text.replace(text.find("USE"), 3, use);
    Bench bench(limits);
    uint64_t buffer = bench.buffer(std::vector<uint32_t>(64));
    // r2 is a number in the threads below 16.
    Status status =
        bench.launch(kernelOf(words + "setp.lt.u32 p5, r1, 16;\n@p5 " + put +
                                  "ld.shared.u32 r2, [r42];\n{\n" + call + after + "}\n",
                              text + shared),
                     "k", {.grid = {}, .block = {32}}, {buffer, buffer});
    return status ? "" : std::string(status.reason().id);
  };
  const std::string decides = "{\n.reg .pred %p;\nsetp.eq.u32 %p, %rN, 9;\n@%p nanosleep.u32 1;\n}";
  auto by = [&](char n) { return std::string(decides).replace(decides.find('N'), 1, 1, n); };
  EXPECT_EQ(called("", ""), "");
  EXPECT_EQ(called(by('1'), decidesBy("r3")), "");
  EXPECT_EQ(called(by('2'), ""), "Unwritten");
  EXPECT_EQ(called("", decidesBy("r4")), "Unwritten");
  EXPECT_EQ(called("", "@!p5 mov.u32 r4, 0;\n" + decidesBy("r4")), "");
  EXPECT_EQ(called("mov.u32 %r2, 0;", decidesBy("r4")), "");
  EXPECT_EQ(called("", "@p5 mov.u32 r4, 0;\n" + decidesBy("r4")), "Unwritten");
}

// So may global memory be copied, if a part of each number was written.
TEST(Sanitizer, GlobalMemoryThatNobodyWrote) {
  auto ends = [&](const std::string &body) {
    Bench bench(limits);
    uint64_t in = *bench.machine.memory().allocate(4096),
             out = bench.buffer(std::vector<uint32_t>(512));
    Status status = bench.launch(
        kernelOf("mov.u32 r1, %tid.x;\nmul.wide.u32 d1, r1, 8;\nadd.u64 d2, d1, in_;\n"
                 "add.u64 d3, d1, out_;\nst.global.u8 [d2], 1;\nst.global.u32 [d2+4], 2;\n" +
                 body),
        "k", {.grid = {}, .block = {64}}, {in, out});
    return status ? "" : status.reason().text;
  };
  const std::string padded = "ld.global.u64 d4, [d2];\n",
                    copied = padded + "st.global.u64 [d3], d4;\n";
  EXPECT_EQ(ends(padded), "");
  EXPECT_EQ(ends(copied), "");
  EXPECT_EQ(ends(copied + "ld.global.u8 r2, [d3];\nld.global.u32 r3, [d3+4];\n" + decidesBy("r2") +
                 decidesBy("r3")),
            "");
  EXPECT_NE(ends(copied + "ld.global.u8 r2, [d3+1];\n" + decidesBy("r2"))
                .find("a read of 1 bytes at global address"),
            std::string::npos);
  EXPECT_NE(ends(padded + decidesBy("d4", "u64")).find("[byte 0 of an allocation of 4096]"),
            std::string::npos);
  EXPECT_NE(ends("ld.global.u64 d4, [d2+1024];\nst.global.u64 [d3], d4;\n")
                .find("a read of 8 bytes at global"),
            std::string::npos);
  EXPECT_EQ(ends("ld.global.u64 d4, [d2+1024];\n"), "");
  // nvcc copies padding, and what an empty list or union has, in registers of its own. It is a part
  // of what the thread writes beside it, before or after.
  const std::string number = "ld.global.u32 r4, [d2+1024];\n",
                    far = "mul.wide.u32 d5, r1, 32;\nadd.u64 d5, d5, in_;\nadd.u64 d5, d5, 2048;\n";
  auto stores = [&](const std::string &stored) { return ends(number + far + stored); };
  for (const char *part :
       {"st.global.u32 [d5], r4;\nst.global.u8 [d5+4], 1;\n",
        "st.global.u8 [d5], 1;\nst.global.u8 [d5+1], r4;\nst.global.u16 [d5+2], r4;\n",
        "st.global.v4.u32 [d5], {r4, r4, r4, r1};\nst.global.v4.u32 [d5+16], {r4, r4, r4, r4};\n",
        "st.global.u32 [d5], r4;\nst.global.u32 [d5], r1;\n"})
    EXPECT_EQ(stores(part), "") << part;
  for (const char *whole :
       {"st.global.u32 [d5], r4;\n", "st.global.v4.u32 [d5], {r4, r4, r4, r4};\n",
        "st.global.u32 [d5], r4;\nst.global.u32 [d5+8], r1;\n", // not beside it
        "st.global.u32 [d5], r4;\nst.global.u32 [d5+4], r4;\n",
        "mul.wide.u32 d5, r1, 4;\nadd.u64 d5, d5, out_;\nsetp.eq.u32 p5, r1, 5;\n@!p5 mov.u32 r4, "
        "1;\n"
        "st.global.u32 [d5], r4;\n", // beside what others write
        "add.u32 r4, r4, 1;\nst.global.u32 [d5], r4;\nst.global.u32 [d5+4], 1;\n"})
    EXPECT_NE(stores(whole).find("a read of 4 bytes at global address"), std::string::npos)
        << whole;
  EXPECT_NE(ends("atom.global.add.u32 r2, [d2+1024], 1;\n").find("nobody wrote"),
            std::string::npos);
}

// Halves of a warp call a function from two places and wait in it for each other: the second call
// forgets nothing of the first.
TEST(Sanitizer, CallsOfOtherLanesLeaveLocalMemoryAlone) {
  for (const char *place :
       {".local .align 4 .b8 own[8];\nmov.u64 %d1, own;\n", "alloca.u64 %d1, 8;\n"}) {
    Bench bench(limits);
    uint64_t buffer = bench.buffer(std::vector<uint32_t>(32));
    std::string function =
        cat(".func (.param .b32 back) f(.param .b32 value) {\n.reg .b32 %r<4>;\n.reg .b64 %d<4>;\n",
            place,
            "ld.param.u32 %r1, [value];\nst.local.u32 [%d1], %r1;\nbar.warp.sync -1;\nld.local.u32 "
            "%r2, [%d1];\n"
            "st.param.b32 [back], %r2;\nret;\n}\n");
    std::string call = "{\n.param .b32 back;\n.param .b32 value;\nst.param.b32 [value], r1;\ncall "
                       "(back), f, (value);\n"
                       "ld.param.b32 r2, [back];\n}\n";
    Status status = bench.launch(
        kernelOf(
            cat("mov.u32 r1, %tid.x;\nsetp.lt.u32 p1, r1, 16;\n@p1 bra low;\n", call,
                "bra both;\nlow:\n", call,
                "both:\nmul.wide.u32 d1, r1, 4;\nadd.u64 d1, d1, out_;\nst.global.u32 [d1], r2;\n"),
            function),
        "k", {.grid = {}, .block = {32}}, {buffer, buffer});
    ASSERT_TRUE(status) << status.reason().text;
    std::vector<uint32_t> want(32);
    std::iota(want.begin(), want.end(), 0u);
    EXPECT_EQ(bench.read<uint32_t>(buffer, 32), want);
  }
}

TEST(Sanitizer, RacesOfWarps) {
  expectClean(words + put + barrier + get);
  expectReport(words + put + get, "Race", "races with a");
  expectReport(words + put + get + decidesBy("r2"), "Unwritten", "");
  expectReport(words + put + barrier + get + put, "Race", "races with a");
  expectClean(words + put + barrier + get + barrier + put);
  expectReport(words + put + "st.shared.u32 [tile], 5;\n", "Race",
               "a write of 4 bytes at shared address 0x400 races with a write by thread");
  // Both warps read; a later write needs an order with both.
  std::string both = words + put + barrier + "ld.shared.u32 r2, [tile];\nsetp.lt.u32 p2, r1, 32;\n";
  expectReport(both + "@p2 st.shared.u32 [tile], 5;\n", "Race", "races with a read");
  expectClean(both + barrier + "@p2 st.shared.u32 [tile], 5;\n");
  // bar.arrive lets others go on, and learns nothing.
  std::string named = words + "setp.lt.u32 p2, r1, 32;\n@p2 bra first;\n" + put +
                      "bar.arrive 1, 64;\nbra end;\nfirst: bar.sync 1, 64;\n";
  expectClean(named + get + "end:");
  expectReport(
      named + "st.shared.u32 [r42], 1;\nbra end2;\nend: ld.shared.u32 r2, [tile];\nend2:", "Race",
      "a write of 4 bytes at shared address 0x400 races with a read by thread (32");
}

TEST(Sanitizer, MbarriersAndAtomicsOrder) {
  std::string made = words + "@p1 mbarrier.init.shared.b64 [r41], 64;\n";
  std::string waits = "mbarrier.arrive.shared.b64 _, [r41];\nw: "
                      "mbarrier.try_wait.parity.shared.b64 p3, [r41], 0;\n@!p3 bra w;\n";
  expectClean(made + barrier + put + waits + get);
  expectReport(made + put + waits + get, "Race",
               "the use of an mbarrier of 8 bytes at shared address");
  // A flag: who sees it set may read, if both sides say that it orders.
  std::string flag = words + R"(
    setp.lt.u32 p2, r1, 32;
    @p1 st.shared.u32 [tile+512], 0;
    bar.sync 0;
    @p2 bra other;
    st.shared.u32 [r42], r1;
    bar.warp.sync -1;
    RELEASE
    bra end;
  other:
    ACQUIRE
    ld.shared.u32 r2, [r43];
  end:)";
  auto with = [&](std::string release, std::string acquire, std::string after = "") {
    std::string text = flag, loop = acquire + "\nsetp.eq.u32 p3, r3, 0;\n@p3 bra other;\n" + after;
    text.replace(text.find("RELEASE"), 7, release);
    return text.replace(text.find("ACQUIRE"), 7, loop);
  };
  const std::string exchange = "atom.shared.exch.b32 r3, [tile+512], 1;",
                    poll = "atom.shared.or.b32 r3, [tile+512], 0;";
  expectReport(with(exchange, poll), "Race",
               "a read of 4 bytes at shared address 0x480 races with a write by thread (32, 0, 0)");
  expectClean(with("fence.acq_rel.cta;\n" + exchange, poll, "fence.acq_rel.cta;"));
  expectReport(with(exchange, poll, "fence.acq_rel.cta;"), "Race", "");
  expectReport(with("fence.acq_rel.cta;\n" + exchange, poll), "Race", "");
  // Where the system's own memory holds the flag, it begins as 0, and it orders all the same.
  const std::string reserved = "mov.u32 r44, %reserved_smem_offset_1;\n";
  expectClean(reserved + with("red.or.release.cta.shared.b32 [r44+4], 1;",
                              "ld.acquire.cta.shared.b32 r3, [r44+4];"));
  expectReport(reserved + with("red.or.relaxed.cta.shared.b32 [r44+4], 1;",
                               "ld.acquire.cta.shared.b32 r3, [r44+4];"),
               "Race", "");
  expectClean(with("atom.release.cta.shared.exch.b32 r3, [tile+512], 1;",
                   "ld.acquire.cta.shared.u32 r3, [tile+512];"));
  expectReport(
      with("st.volatile.shared.u32 [tile+512], 1;", "ld.volatile.shared.u32 r3, [tile+512];"),
      "Race", "");
  expectClean(with("membar.cta;\nst.volatile.shared.u32 [tile+512], 1;",
                   "ld.volatile.shared.u32 r3, [tile+512];", "membar.cta;"));
}

TEST(Sanitizer, BlocksOfACluster) {
  std::string other = words + "mapa.shared::cluster.u32 r44, r42, 1;\nmov.u32 r3, "
                              "%cluster_ctarank;\nsetp.eq.u32 p2, r3, 0;\n";
  std::string together = "barrier.cluster.arrive;\nbarrier.cluster.wait;\n";
  expectClean(other + "@p2 st.shared::cluster.u32 [r44], r1;\n" + together +
                  "@!p2 ld.shared.u32 r2, [r42];\n",
              2);
  expectReport(other + put + "@p2 st.shared::cluster.u32 [r44], r3;\n", "Race", "a write", 2);
  // A block may not end while another one may come to its shared memory. Each block reads the
  // other's, of which it has written all.
  std::string both = words +
                     "mov.u32 r3, %cluster_ctarank;\nxor.b32 r3, r3, 1;\nmapa.shared::cluster.u32 "
                     "r44, r42, r3;\n" +
                     put + together + "ld.shared::cluster.u32 r5, [r44];\n";
  expectClean(both + together, 2);
  expectReport(both, "BlockEnded", "nothing orders a read by thread (0, 0, 0) of block (1, 0, 0)",
               2);
  expectReport(both + "setp.eq.u32 p4, r3, 1;\n@p4 bra "
                      "end;\nbarrier.cluster.arrive;\nbarrier.cluster.wait;\nend:",
               "BlockVisited", "", 2);
  // Whole warps that arrive at each other's mbarrier and wait at their own.
  std::string peers =
      words +
      "mov.u32 r3, %cluster_ctarank;\nxor.b32 r3, r3, 1;\nmapa.shared::cluster.u32 r44, r41, "
      "r3;\n@p1 mbarrier.init.shared.b64 [r41], 32;\nfence.mbarrier_init.release.cluster;\n" +
      together +
      "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [r44];\nspin: "
      "mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p5, [r41], 0;\n@!p5 bra "
      "spin;\n";
  expectClean(peers, 2);
  std::string late = words + "mov.u32 r3, %cluster_ctarank;\nsetp.eq.u32 p2, r3, "
                             "0;\nmapa.shared::cluster.u32 r44, r42, 1;\n@p2 bra first;\nbra end;\n"
                             "first: mov.u32 r9, 0;\nspin: add.u32 r9, r9, 1;\nsetp.lt.u32 p5, r9, "
                             "5000;\n@p5 bra spin;\nst.shared::cluster.u32 [r44], r1;\nend:";
  expectReport(late, "BlockEnded",
               "a write at shared address 0x1000400 of block (1, 0, 0), which has ended", 2);
}

TEST(Sanitizer, ProxiesAndBulkCopies) {
  std::string store = "@p1 cp.async.bulk.global.shared::cta.bulk_group [out_], [r40], 256;\n@p1 "
                      "cp.async.bulk.commit_group;\n";
  std::string wait = "@p1 cp.async.bulk.wait_group.read 0;\n",
              fence = "fence.proxy.async.shared::cta;\n";
  expectClean(words + put + fence + barrier + store + wait);
  expectClean(words + put + barrier + fence + store +
              wait); // the thread that copies knows of all writes
  expectReport(words + put + barrier + store + wait, "ProxyFence",
               "a read by a bulk store of 256 bytes at shared address 0x400 may miss a write by "
               "thread (0, 0, 0) at line");
  expectReport(words + fence + put + barrier + store + wait, "ProxyFence",
               "fence.proxy.async is missing");
  expectReport(words + put + fence + barrier + store, "BulkPending",
               "while 1 of its bulk copies may still read");
  expectReport(words + put + fence + barrier + store + barrier + put + wait, "Race",
               "races with a read by a bulk store by thread (0, 0, 0)");
  expectClean(words + put + fence + barrier + store + wait + barrier + put);
  // A load may be read by who has waited for its mbarrier.
  std::string load =
      words + "@p1 mbarrier.init.shared.b64 [r41], 1;\nfence.mbarrier_init.release.cluster;\n" +
      barrier +
      "@p1 mbarrier.arrive.expect_tx.shared.b64 _, [r41], 256;\n"
      "@p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [r40], [in_], 256, "
      "[r41];\n" +
      barrier;
  std::string hears = "w: mbarrier.try_wait.parity.shared.b64 p3, [r41], 0;\n@!p3 bra w;\n";
  expectClean(load + hears + get);
  expectReport(load + get, "Race",
               "a read of 4 bytes at shared address 0x480 races with a write by a bulk copy by "
               "thread (0, 0, 0)");
}

} // namespace

} // namespace tessera::sim::test
