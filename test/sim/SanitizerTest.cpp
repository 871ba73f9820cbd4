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

/// r1: the thread; r40: the tile; r42: the thread's word, r43: that of the thread 32 further, in a
/// ring.
const std::string words =
    "mov.u32 r1, %tid.x;\nmov.u32 r40, tile;\nmov.u32 r41, bar;\nsetp.eq.u32 p1, r1, 0;\n"
    "shl.b32 r42, r1, 2;\nadd.u32 r42, r42, r40;\nxor.b32 r43, r1, 32;\nshl.b32 r43, r43, 2;\n"
    "add.u32 r43, r43, r40;\n";
const std::string put = "st.shared.u32 [r42], r1;\n", get = "ld.shared.u32 r2, [r43];\n",
                  barrier = "bar.sync 0;\n";

TEST(Sanitizer, ReadsOfWhatNobodyWrote) {
  expectClean(words + put + "ld.shared.u32 r2, [r42];");
  expectReport(words + put + "ld.shared.u32 r2, [r42+1024];", "Unwritten",
               "a read of 4 bytes at shared address 0x800, but nobody wrote the byte at 0x800");
  expectReport(words + "st.shared.u16 [r42], 1;\nld.shared.u32 r2, [r42];", "Unwritten",
               "the byte at 0x402");
  expectReport(words + "red.shared.add.u32 [tile], 1;", "Unwritten",
               "an atomic access of 4 bytes at shared address 0x400");
  expectClean(words + "atom.shared.exch.b32 r2, [tile], 1;");
}

// A struct with padding is copied whole; what counts is who looks at a number. nvcc also says which
// bytes of a load nobody looks at (PTX ISA 11.4).
TEST(Sanitizer, CopiesOfWhatNobodyWrote) {
  const std::string copies = ".local .align 8 .b8 a[16], b[16];\nst.local.u32 [a], 7;\n"
                             "ld.local.u64 d1, [a];\nst.local.u64 [b], d1;\n";
  expectClean(copies + "ld.local.u32 r2, [b];\nadd.u32 r3, r2, 1;\n");
  expectReport(copies + "ld.local.u32 r2, [b+4];\nadd.u32 r3, r2, 1;\n", "Unwritten",
               "a read of 4 bytes at local address 0x14, but nobody wrote the byte at 0x14");
  // Whatever constants the program has.
  std::string constants;
  for (int i = 0; i < 64; ++i)
    constants += cat("add.u32 r30, r30, ", 1000 + i, ";\n");
  expectClean(constants + copies + "ld.local.u32 r2, [b];\nadd.u32 r3, r2, 1;\n");
  // The second copy is of numbers.
  expectClean(copies + "st.local.u32 [a+4], 8;\nld.local.u64 d2, [a];\nst.local.u64 [b], d2;\n"
                       "ld.local.u32 r2, [b+4];\nadd.u32 r3, r2, 1;\n");
  expectClean(copies + "ld.local.v2.u32 {r5, r6}, [a];\nst.local.v2.u32 [b+8], {r6, r5};\n"
                       "ld.local.u32 r2, [b+12];\nadd.u32 r3, r2, 1;\n");
  expectReport(copies + "ld.local.v2.u32 {r5, r6}, [a];\nst.local.v2.u32 [b+8], {r6, r5};\n"
                        "ld.local.u32 r2, [b+8];\nadd.u32 r3, r2, 1;\n",
               "Unwritten", "but nobody wrote the byte at 0x18");
  const std::string mine =
      "mov.u32 r10, %tid.x;\nmul.wide.u32 d5, r10, 8;\nadd.u64 d5, d5, out_;\n";
  expectClean(copies + mine + "ld.local.u64 d2, [a];\nst.global.u64 [d5], d2;\n");
  expectReport(copies + mine + "ld.local.u32 r2, [a+4];\nst.global.u32 [d5], r2;\n", "Unwritten",
               "a read of 4 bytes at local address 0x4");
  // A bit field is put beside bits that nobody wrote; those of another place, or twice used, count.
  const std::string field = ".local .align 4 .b8 f[8];\nld.local.u32 r20, [f];\nand.b32 r21, r20, "
                            "-32;\nor.b32 r22, r21, 5;\n";
  expectClean(field + "st.local.u32 [f], r22;\nld.local.u32 r23, [f];\nand.b32 r24, r23, 31;\n");
  expectReport(field + "st.local.u32 [f+4], r22;\n", "Unwritten", "nobody wrote the byte at 0x0");
  expectReport(field + "st.local.u32 [f], r22;\nadd.u32 r23, r21, 1;\n", "Unwritten", "at 0x0");
  expectReport(field + "add.u32 r22, r21, 1;\nst.local.u32 [f], r22;\n", "Unwritten", "at 0x0");
  const std::string looks = "ld.local.u64 d2, [a];\nadd.u64 d3, d2, 1;\n";
  expectReport(copies + looks, "Unwritten", "but nobody wrote the byte at 0x4");
  expectClean(copies + ".pragma \"used_bytes_mask 15\";\n" + looks);
  expectReport(copies + ".pragma \"used_bytes_mask 0x1f\";\n" + looks, "Unwritten", "0x4");
  expectReport(copies + ".pragma \"used_bytes_mask 15\";\nld.local.u64 d4, [b];\n" + looks,
               "Unwritten", "0x4");
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
  expectReport(words + put + get, "Unwritten", "");
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
  expectReport(named + "st.shared.u32 [r42], 1;\nbra end2;\nend: ld.shared.u32 r2, [tile];\nend2:",
               "Unwritten", "");
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
  expectReport(other + put + "@p2 st.shared::cluster.u32 [r44], r1;\n", "Race", "a write", 2);
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
