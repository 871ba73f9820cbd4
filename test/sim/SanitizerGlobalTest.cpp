// The sanitizer on global memory that a kernel loads with .nc or discards, on bulk copies of whole
// warps, and on waits that only look ahead. Each rule by a kernel that breaks it and one that does
// not.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "SanitizerHarness.h"

namespace tessera::sim::test {

namespace {

const std::string sync = "bar.sync 0;\n";

/// PTX ISA, ld.global.nc: it reads through a cache that stores do not reach.
TEST(SanitizerGlobal, LoadsOfReadOnlyMemory) {
  const std::string at = start + "mul.wide.u32 d1, r1, 4;\nadd.u64 d2, in_, d1;\n" +
                         "xor.b32 r3, r1, 32;\nmul.wide.u32 d3, r3, 4;\nadd.u64 d4, in_, d3;\n",
                    own = "ld.global.nc.u32 r4, [d2];\n", other = "ld.global.nc.u32 r4, [d4];\n",
                    wide = "and.b64 d5, d4, -16;\nld.global.nc.v4.u32 {r4, r5, r6, r7}, [d5];\n",
                    store = "st.global.u32 [d2], r1;\n", end = "add.u32 r4, r4, 1;\n" + store;
  expectClean(at + own + other + wide);
  expectClean(at + own + end); // what was there before is what is asked for
  expectClean(at + other + sync + store + sync + "ld.global.u32 r4, [d4];\n");
  const std::string missed = "a read of 4 bytes at global address";
  expectReport(at + store + own, "NonCoherent", missed);
  expectReport(at + store + sync + other, "NonCoherent", "may miss a write by thread (");
  expectReport(at + store + sync + wide, "NonCoherent", "a read of 16 bytes");
  expectReport(at + "red.global.add.u32 [d2], 1;\n" + sync + other, "NonCoherent", missed);
  expectReport(at + store + other, "Race", missed);
}

/// PTX ISA, discard: it leaves no particular value.
TEST(SanitizerGlobal, DiscardedMemory) {
  const std::string at = start + "and.b32 r3, r1, 32;\nmul.wide.u32 d1, r3, 4;\n" +
                         "add.u64 d1, in_, d1;\nmul.wide.u32 d2, r1, 4;\nadd.u64 d2, in_, d2;\n",
                    drop = "discard.global.L2 [d1], 128;\n", store = "st.global.u32 [d2], r1;\n",
                    load = "ld.global.u32 r4, [d2];\n" + decidesBy("r4");
  expectClean(at + load + sync + drop);
  expectClean(at + drop + sync + store + load);
  expectReport(at + drop + sync + load, "Unwritten", "a read of 4 bytes at global address");
  expectReport(at + store + sync + drop + sync + load, "Unwritten", "but nobody wrote the byte");
  expectReport(at + store + drop, "Race", "a write of 128 bytes at global address");
}

/// Lanes may copy the same at once, but not different bytes to one place.
TEST(SanitizerGlobal, BulkCopiesOfWholeWarps) {
  const std::string put = "st.shared.u32 [r42], r1;\n";
  auto ofWarp = [&](const std::string &from) {
    return start + put + "fence.proxy.async.shared::cta;\n" + sync +
           "setp.lt.u32 p1, r1, 32;\nand.b32 r45, r1, 1;\nmad.lo.u32 r45, r45, 64, r40;\n" +
           "@p1 cp.async.bulk.global.shared::cta.bulk_group [in_], [" + from +
           "], 64;\n@p1 cp.async.bulk.commit_group;\n";
  };
  const std::string wait = "@p1 cp.async.bulk.wait_group.read 0;\n";
  expectClean(ofWarp("r40") + wait);
  expectClean(ofWarp("r40") + wait + sync + put);
  expectReport(ofWarp("r45") + wait, "Race",
               "races with a write by a bulk copy by thread (0, 0, 0)");
  for (const std::string waits : {"gt", "eq"}) // each lane waits for its own copy
    expectReport(cat(ofWarp("r40"), "setp.", waits, ".u32 p1, r1, 0;\n", wait, sync, put), "Race",
                 "races with a read by a bulk store by thread (0, 0, 0)");
}

/// Kernels look whether a phase is over, and wait if it is not. What the look learns counts, too.
TEST(SanitizerGlobal, LooksAhead) {
  auto looks = [](const std::string &order) {
    return start + "@p1 mbarrier.init.shared.b64 [bar], 32;\n" + sync +
           "setp.ge.u32 p4, r1, 32;\n@p4 bra writer;\n"
           "mbarrier.try_wait.parity" +
           order +
           ".shared.b64 p3, [bar], 0;\n@p3 bra go;\n"
           "w: mbarrier.try_wait.parity.shared.b64 p3, [bar], 0;\n@!p3 bra w;\n"
           "go: xor.b32 r3, r42, 128;\nld.shared.u32 r4, [r3];\nbra end;\n"
           "writer: st.shared.u32 [r42], r1;\nmbarrier.arrive.shared.b64 d3, [bar];\nend:";
  };
  expectClean(looks(""));
  expectReport(looks(".relaxed.cluster"), "Race", "races with a write by thread (32, 0, 0)");
}

} // namespace

} // namespace tessera::sim::test
