// The sanitizer beyond the shared memory of a block: global and local memory, lanes of a warp,
// copies of threads, mbarriers that are misused, tensor maps, .aligned; and what reports say. Each
// rule by a kernel that breaks it and one that does not.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "SanitizerHarness.h"

#include "tessera/sanitize/Sanitizer.h"

#include <cstring>

namespace tessera::sim::test {

namespace {

/// Warps that write the same to the same place at once: in shared memory it does no harm.
TEST(SanitizerRules, StoresOfTheSame) {
  expectClean(start + "st.shared.u32 [tile], 7;\n");
  expectClean(start + "mov.b64 d2, 0x100000002;\nst.shared.v2.b64 [tile], {d2, d2};\n");
  expectClean(start + "st.shared.v4.u32 [tile], {1, 2, 3, 4};\nst.shared.u8 [tile+20], r2;\n");
  const std::string ofWarp = "shr.u32 r44, r1, 5;\n";
  expectReport(start + ofWarp + "st.shared.u32 [tile], r44;\n", "Race", "a write");
  expectReport(start + ofWarp + "st.shared.v4.u32 [tile], {1, 2, 3, r44};\n", "Race", "a write");
  // A reader still has to know of both.
  expectReport(start + "st.shared.u32 [tile], 7;\nld.shared.u32 r3, [tile];\n", "Race", "a read");
  expectReport(start + "st.global.u32 [out_], 7;\n", "Race", "a write", 2);
}

// Lanes of one instruction race with each other, not with themselves.
TEST(SanitizerRules, NameTheOtherLane) {
  for (const sanitize::Report &report :
       look(start + "st.shared.u32 [tile], r1;\nld.shared.u32 r3, [tile];", 1, 20, 32).reports) {
    ASSERT_TRUE(report.earlier);
    EXPECT_NE(report.party.thread, report.earlier->thread) << report.text;
  }
}

TEST(SanitizerRules, GlobalMemory) {
  expectClean(start + "st.global.u32 [d1], r1;\nld.global.u32 r3, [d1];\nld.global.u32 r4, [in_];");
  expectReport(start + "ld.global.u32 r3, [d1];" + decidesBy("r3"), "Unwritten",
               "a read of 4 bytes at global address");
  expectReport(start + "red.global.add.u32 [d1], 1;", "Unwritten", "an atomic access");
  expectClean(start + "atom.global.exch.b32 r3, [d1], 1;");
  // Parts of words: who writes other bytes does not race.
  expectClean(start + "mad.lo.u32 r3, r1, 2, r2;\ncvt.u64.u32 d2, r3;\nadd.u64 d2, d2, "
                      "out_;\nst.global.u8 [d2], 1;",
              2);
  expectReport(start + "st.global.u16 [out_], 1;", "Race", "a write of 2 bytes", 1);
  expectReport(start + "st.global.u32 [d1], r1;", "Race", "of block (0, 0, 0) at line", 2);
  expectReport(start + "ld.global.u32 r3, [in_];\n@p2 st.global.u32 [in_], 1;", "Race", "", 2);
  Outcome outcome = look(start + "ld.global.u32 r3, [d1+4];" + decidesBy("r3"));
  ASSERT_FALSE(outcome.reports.empty());
  EXPECT_EQ(outcome.reports[0].buffer, (std::pair<uint64_t, uint64_t>(4, 4096)));
  EXPECT_NE(outcome.reason.text.find("[byte 4 of an allocation of 4096]"), std::string::npos)
      << outcome.reason.text;
}

/// Block 0 writes, then sets the flag at in_ + 64; block 1 sees it and reads.
std::string passing(const std::string &release, const std::string &acquire,
                    const std::string &after) {
  return start +
         "add.u64 d2, out_, 512;\n@!p2 bra other;\nst.global.u32 [d1], r1;\nbar.sync 0;\n@p1 " +
         release + "\nbra end;\nother:\n@!p1 bra meet;\npoll: " + acquire +
         "\nsetp.eq.u32 p3, r3, 0;\n@p3 bra poll;\n" + after +
         "\nmeet: bar.sync 0;\nld.global.u32 r4, [d1];\nend:";
}

TEST(SanitizerRules, LoopsOfCompareAndSwap) {
  expectClean(start + "ld.global.u32 r5, [in_];\nagain: add.u32 r6, r5, 1;\natom.global.cas.b32 "
                      "r7, [in_], r5, r6;\nsetp.ne.u32 p3, r7, r5;\n"
                      "mov.u32 r5, r7;\n@p3 bra again;\n",
              2);
  expectReport(start + "ld.global.u32 r5, [in_];\natom.global.exch.b32 r7, [in_], r5;\n", "Race",
               "races with a read", 2);
}

/// Changes the word of a compare-and-swap after the sanitizer was told of it and before it happens,
/// as another thread of the host may.
class Meddler : public sanitize::Sanitizer {
public:
  explicit Meddler(uint32_t value) : value(value) {}
  std::unique_ptr<WarpObserver> watch(const Warp &w) override {
    return std::make_unique<OfWarp>(Sanitizer::watch(w), value);
  }

private:
  struct OfWarp : WarpObserver {
    OfWarp(std::unique_ptr<WarpObserver> to, uint32_t value) : to(std::move(to)), value(value) {}
    bool onAccess(const MemoryAccess &a) override {
      const bool goesOn = to->onAccess(a);
      if (a.how == Access::Atomic)
        std::memcpy(const_cast<std::byte *>(a.host), &value, sizeof(value));
      return goesOn;
    }
    bool onSwap(const Swap &s) override { return to->onSwap(s); }
    bool onExecute(const Execute &e) override { return to->onExecute(e); }
    bool onWarpAccess(const WarpAccess &a) override { return to->onWarpAccess(a); }
    bool onSynchronize(const Synchronize &s) override { return to->onSynchronize(s); }
    bool onEnd(const End &e) override { return to->onEnd(e); }
    std::unique_ptr<WarpObserver> to;
    const uint32_t value;
  };
  const uint32_t value;
};

TEST(SanitizerRules, ACompareAndSwapIsWhatHappened) {
  // One block swaps, the other reads in a scope that does not reach it.
  auto reported = [](uint32_t expected, uint32_t meanwhile) {
    auto sanitizer = std::make_shared<Meddler>(meanwhile);
    Machine machine({.hostThreads = 1}, sanitizer);
    const uint64_t buffer = *machine.memory().allocate(256);
    EXPECT_TRUE(machine.memory().write(buffer, std::vector<std::byte>(256)));
    LoadedProgram loaded = *machine.load(
        parsed(kernelOf(start + cat("@p2 atom.relaxed.gpu.cas.b32 r3, [in_], ", expected,
                                    ", 2;\n@!p2 ld.relaxed.cta.u32 r4, [in_];\n"),
                        shared)));
    const uint64_t parameters[] = {buffer, buffer};
    (void)machine.launch(loaded, "k", {.grid = {2}, .block = {1}},
                         std::as_bytes(std::span(parameters)));
    return sanitizer->reports().size();
  };
  // Memory was 0 when it was looked at. What it is then decides whether there is a write.
  EXPECT_EQ(reported(5, 5), 1u);
  EXPECT_EQ(reported(0, 5), 0u);
  EXPECT_EQ(reported(0, 0), 1u);
  EXPECT_EQ(reported(5, 0), 0u);
}

TEST(SanitizerRules, BlocksOfAGridPassData) {
  const std::string set = "atom.global.exch.b32 r5, [in_+64], 1;",
                    poll = "ld.relaxed.gpu.global.u32 r3, [in_+64];";
  expectClean(passing("st.release.gpu.global.u32 [in_+64], 1;",
                      "ld.acquire.gpu.global.u32 r3, [in_+64];", ""),
              2);
  expectClean(passing("fence.acq_rel.gpu;\n@p1 " + set, poll, "fence.acq_rel.gpu;"), 2);
  expectClean(passing("membar.gl;\n@p1 " + set, poll, "membar.gl;"), 2);
  expectReport(passing(set, poll, "fence.acq_rel.gpu;"), "Race", "", 2);
  expectReport(passing("fence.acq_rel.gpu;\n@p1 " + set, poll, ""), "Race", "", 2);
  // Scopes that do not reach the other block.
  expectReport(passing("st.release.cta.global.u32 [in_+64], 1;",
                       "ld.acquire.gpu.global.u32 r3, [in_+64];", ""),
               "NarrowScope", "", 2);
  expectReport(passing("st.release.gpu.global.u32 [in_+64], 1;",
                       "ld.acquire.cta.global.u32 r3, [in_+64];", ""),
               "NarrowScope", "", 2);
  expectReport(passing("membar.cta;\n@p1 " + set, poll, "membar.gl;"), "Race", "", 2);
}

TEST(SanitizerRules, LanesOfAWarp) {
  std::string put = start + "st.shared.u32 [r42], r1;\n", get = "ld.shared.u32 r3, [r43];\n";
  expectClean(put + "bar.warp.sync -1;\n" + get);
  expectReport(put + get, "Race",
               "a read of 4 bytes at shared address 0x404 races with a write by thread (1, 0, 0)");
  expectReport(put + "shfl.sync.idx.b32 r5, r1, 0, 31, -1;\n" + get, "Race",
               ""); // orders no memory
  std::string halves = put + "and.b32 r7, r1, 31;\nsetp.lt.u32 p3, r7, 16;\n@p3 bra "
                             "low;\nbar.warp.sync 0xffff0000;\nbra on;\n"
                             "low: bar.warp.sync 0xffff;\non:\n";
  expectClean(halves + get);
  expectReport(halves + "xor.b32 r43, r41, 64;\nadd.u32 r43, r43, r40;\n" + get, "Race",
               "by thread (16, 0, 0)");
  // One lane waits for the others, and passes all on.
  std::string one = put + "SYNC@p1 red.release.cta.shared.add.u32 [tile+4096], 1;\n";
  auto with = [&](const std::string &sync) {
    std::string text =
        start + "@p1 st.shared.u32 [tile+4096], 0;\nbar.sync 0;\n" + one.substr(start.size()) +
        "setp.lt.u32 p3, r1, 32;\n@p3 bra end;\npoll: ld.acquire.cta.shared.u32 r3, [tile+4096];\n"
        "setp.eq.u32 p4, r3, 0;\n@p4 bra poll;\nld.shared.u32 r5, [tile+8];\nend:";
    return text.replace(text.find("SYNC"), 4, sync);
  };
  expectClean(with("bar.warp.sync -1;\n"));
  expectReport(with(""), "Race", "races with a write by thread (2, 0, 0)");
}

TEST(SanitizerRules, LocalMemory) {
  std::string local = ".local .align 4 .b8 own[16];\n";
  expectClean(local + "st.local.u32 [own], 1;\nld.local.u32 r1, [own];");
  expectReport(local + "st.local.u16 [own], 1;\nld.local.u32 r1, [own];\n" + decidesBy("r1"),
               "Unwritten", "a read of 4 bytes at local address");
  // Parameters and results of functions are written by calls.
  Bench bench({.sanitize = true});
  std::string function = ".func (.param .b32 o) f(.param .b32 a) {\n.reg .b32 x;\nld.param.u32 x, "
                         "[a];\nst.param.u32 [o], x;\nret;\n}\n";
  Status status = bench.launch(kernelOf("{ .param .b32 a; .param .b32 o; st.param.u32 [a], "
                                        "3;\ncall (o), f, (a);\nld.param.u32 r1, [o]; }",
                                        function),
                               "k", {.grid = {}, .block = {32}}, {0, 0});
  EXPECT_TRUE(status) << status.reason().text;
}

/// Variables of a module lie in one allocation, and still one does not go on in the next.
TEST(SanitizerRules, VariablesEnd) {
  const std::string module = ".global .align 4 .b32 a[4];\n.const .align 4 .b8 b[6] = {1, 2, 3};\n"
                             ".global .align 16 .b32 c[4] = {1, 2, 3, 4};\n";
  auto ends = [&](const std::string &body) {
    Bench bench({.sanitize = true});
    Status status = bench.launch(kernelOf(body, module), "k", {.grid = {}, .block = {32}}, {0, 0});
    return status ? Reason{"", ""} : status.reason();
  };
  for (const char *right : {"ld.global.u32 r3, [a+12];", "ld.const.u16 h3, [b+4];",
                            "ld.global.v4.u32 {r3, r4, r5, r6}, [c];"})
    EXPECT_EQ(ends(right).text, "") << right;
  for (const char *wrong :
       {"ld.global.u32 r3, [a+16];", "st.global.u32 [a+16], 1;", "ld.const.u32 r3, [b+4];",
        "red.global.add.u32 [a+20], 1;", "ld.global.u32 r3, [c+-4];",
        "mov.u32 r1, %tid.x;\nand.b32 r1, r1, 7;\nmul.wide.u32 d1, r1, 4;\nmov.u64 d2, a;\nadd.u64 "
        "d1, d1, d2;\n"
        "ld.global.u32 r3, [d1];"})
    EXPECT_EQ(ends(wrong).id, "VariableBounds") << wrong;
  EXPECT_NE(ends("st.global.u32 [a+16], 1;")
                .text.find("a write of 4 bytes at global address 0x700000010 is out of bounds: "
                           "'a', the variable before it, "
                           "has 16 bytes from 0x700000000"),
            std::string::npos);
}

TEST(SanitizerRules, CopiesOfThreads) {
  std::string copy = start + "cp.async.ca.shared.global [r42], [in_], 4;\ncp.async.commit_group;\n",
              wait = "cp.async.wait_group 0;\n";
  expectClean(copy + wait + "ld.shared.u32 r3, [r42];");
  expectReport(copy + "ld.shared.u32 r3, [r42];\n" + wait, "Race",
               "races with a write by cp.async by thread");
  expectReport(copy + "cp.async.wait_group 1;\nld.shared.u32 r3, [r42];\n" + wait, "Race", "");
  expectReport(copy + wait + "ld.shared.u32 r3, [r43];", "Race",
               "races with a write by thread (1, 0, 0)");
  expectClean(copy + wait + "bar.sync 0;\nld.shared.u32 r3, [r43];");
  expectReport(copy + "bar.sync 0;\n" + wait + "ld.shared.u32 r3, [r43];", "Race", "");
  // Lanes without an element of their own copy the last one, as cooperative_groups::memcpy_async
  // lets them: one instruction, as with stores.
  std::string rest = start + "min.u32 r44, r1, 20;\nmad.lo.u32 r44, r44, 4, r40;\n"
                             "cp.async.ca.shared.global [r44], [in_], 4;\ncp.async.commit_group;\n";
  expectClean(rest + wait + "bar.warp.sync 0xffffffff;\nld.shared.u32 r3, [r44];", 1, 32);
  expectReport(rest + "cp.async.ca.shared.global [r44], [in_], 4;\n" + wait, "Race", "", 1, 32);
}

TEST(SanitizerRules, MbarriersThatAreMisused) {
  std::string init = start + "@p1 mbarrier.init.shared.b64 [bar], 64;\nbar.sync 0;\n",
              inval = "@p1 mbarrier.inval.shared.b64 [bar];\n";
  expectClean(init + inval + "@p1 mbarrier.init.shared.b64 [bar], 1;");
  expectReport(init + "@p1 mbarrier.init.shared.b64 [bar], 1;", "MbarrierAgain",
               "mbarrier.inval is missing before it");
  expectReport(init + "@p1 st.shared.u32 [bar+4], 1;", "MbarrierTouched",
               "a write at shared address 0x4404, where there is an mbarrier");
  expectReport(init + "@p1 ld.shared.u32 r3, [bar];", "MbarrierTouched", "a read");
  sanitize::Report found = look(init + "@p1 ld.shared.u32 r3, [bar];", 1, 20, 64).reports.at(0);
  EXPECT_EQ(found.party.access, "a read");
  EXPECT_EQ(found.space, "shared");
  EXPECT_EQ(found.address, 0x4400u);
  expectClean(init + inval + "@p1 st.shared.u32 [bar], 1;");
  // A phase that has not ended passes nothing on: the wait for the wrong parity comes through at
  // once.
  std::string arrive = "st.shared.u32 [r42], r1;\nxor.b32 r43, r1, 32;\nshl.b32 r43, r43, "
                       "2;\nadd.u32 r43, r43, r40;\n"
                       "mbarrier.arrive.shared.b64 _, [bar];\nw: "
                       "mbarrier.try_wait.parity.shared.b64 p3, [bar], PARITY;\n@!p3 bra "
                       "w;\nld.shared.u32 r3, [r43];\n" +
                       decidesBy("r3");
  auto with = [&](const std::string &parity) {
    std::string text = init + arrive;
    return text.replace(text.find("PARITY"), 6, parity);
  };
  expectClean(with("0"));
  Outcome wrong = look(with("1"));
  EXPECT_TRUE(wrong.reason.id == "Unwritten" || wrong.reason.id == "Race") << wrong.reason.text;
  // Who waits for what.
  auto deadlock = [&](const std::string &body, const std::string &words) {
    expectReport(start + body, "Deadlock", words);
  };
  deadlock("@p1 mbarrier.init.shared.b64 [bar], 65;\nbar.sync 0;\n" + with("0").substr(init.size()),
           "for an mbarrier, at shared address 0x4400, whose phase (parity 0) lacks 1 of 65 "
           "arrivals and 0 bytes");
  deadlock("@p1 mbarrier.init.shared.b64 [bar], 1;\nbar.sync 0;\n@p1 "
           "mbarrier.arrive.expect_tx.shared.b64 _, [bar], 48;\n"
           "w: mbarrier.try_wait.parity.shared.b64 p3, [bar], 0;\n@!p3 bra w;\n",
           "lacks 0 of 1 arrivals and 48 bytes");
  // .relaxed passes nothing on.
  std::string relaxed = with("0");
  expectReport(relaxed.replace(relaxed.find("arrive.shared"), 13, "arrive.relaxed.cta.shared"),
               "Race", "");
  std::string bulk =
      "@p1 mbarrier.inval.shared.b64 [bar];\n@p1 mbarrier.init.shared.b64 [bar], 1;\nFENCE@p1 "
      "mbarrier.arrive.expect_tx.shared.b64 _, [bar], 16;\n"
      "@p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [tile], [in_], 16, "
      "[bar];\n";
  auto fenced = [&](const std::string &fence) {
    std::string text = init + bulk;
    return text.replace(text.find("FENCE"), 5, fence);
  };
  expectClean(fenced("fence.mbarrier_init.release.cluster;\n"));
  expectClean(fenced("fence.proxy.async;\n"));
  expectReport(fenced(""), "MbarrierFence",
               "fence.mbarrier_init or fence.proxy.async is missing between them");
  // PTX ISA 9.7.9.12 does not have st.async go through the async proxy, and NVIDIA's example of it
  // (docs/libcudacxx/ptx/examples/st.async of CCCL) has no fence between init() and it.
  std::string send = fenced("");
  send.erase(send.find("@p1 cp.async.bulk"));
  expectClean(send + "@p1 st.async.shared::cluster.mbarrier::complete_tx::bytes.v4.u32 [tile], "
                     "{1, 2, 3, 4}, [bar];\n");
}

// CUTLASS's kernels of clusters begin so. What their relaxed barrier tells is what
// fence.mbarrier_init released, to the threads of the same block too.
TEST(Sanitizer, MbarriersOfClusters) {
  const std::string fence = "fence.mbarrier_init.release.cluster;\n",
                    relaxed = "barrier.cluster.arrive.relaxed;\nbarrier.cluster.wait;\n";
  auto used = [&](const std::string &after) {
    return start + "@p1 mbarrier.init.shared.b64 [bar], 64;\n" + after +
           "mbarrier.arrive.shared.b64 _, [bar];\nw: "
           "mbarrier.try_wait.parity.shared.b64 p3, [bar], 0;\n@!p3 bra w;\n";
  };
  expectClean(used(fence + relaxed));
  for (const std::string &wrong : {relaxed, fence, relaxed + fence})
    expectReport(used(wrong), "Race", "races with mbarrier.init");
}

TEST(SanitizerRules, TensorMapsThatChange) {
  auto ends = [](const std::string &release, const std::string &acquire) {
    TensorMap map = mapOf(TensorMapType::U32, {64, 8}, {16, 4});
    Stage stage(map, {.sanitize = true});
    return stage.run(
        prologue + "@p1 tensormap.replace.tile.global_dim.global.b1024.b32 [in_], 1, 6;\n" +
        release + acquire +
        "@p1 mbarrier.arrive.expect_tx.shared.b64 _, [r41], 256;\n"
        "@p1 cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [r40], "
        "[in_, {0, 0}], [r41];\n"
        "w: mbarrier.try_wait.parity.shared.b64 p3, [r41], 0;\n@!p3 bra w;\n");
  };
  std::string release = "fence.proxy.tensormap::generic.release.gpu;\n",
              acquire = "fence.proxy.tensormap::generic.acquire.gpu [in_], 128;\n";
  Status status = ends(release, acquire);
  EXPECT_TRUE(status) << status.reason().text;
  // One warp changes the map and acquires it, and another one uses it.
  auto apart = [](const std::string &between) {
    TensorMap map = mapOf(TensorMapType::U32, {64, 8}, {16, 4});
    Stage stage(map, {.sanitize = true});
    return stage.run(
        prologue + "setp.eq.u32 p4, r1, 32;\n" +
            "@p1 tensormap.replace.tile.global_dim.global.b1024.b32 [in_], 1, 6;\n" + between +
            "@p4 mbarrier.arrive.expect_tx.shared.b64 _, [r41], 256;\n"
            "@p4 cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes "
            "[r40], "
            "[in_, {0, 0}], [r41];\n"
            "w: mbarrier.try_wait.parity.shared.b64 p3, [r41], 0;\n@!p3 bra w;\n",
        {.grid = {}, .block = {64}});
  };
  std::string ofFirst = "@p1 " + release + "@p1 " + acquire, meet = "bar.sync 0;\n";
  Status usable = apart(ofFirst + meet);
  EXPECT_TRUE(usable) << usable.reason().text;
  Status unordered = apart(ofFirst), early = apart("@p1 " + release + meet);
  ASSERT_FALSE(unordered);
  EXPECT_EQ(unordered.reason().id, "Race") << unordered.reason().text;
  ASSERT_FALSE(early);
  EXPECT_EQ(early.reason().id, "MapFence") << early.reason().text;
  // Of many fences the oldest are put together.
  std::string many;
  for (int i = 0; i < 100; ++i)
    many += ofFirst;
  Status often = apart(many + meet);
  EXPECT_TRUE(often) << often.reason().text;
  for (const Status &wrong : {ends("", acquire), ends(release, "")}) {
    ASSERT_FALSE(wrong);
    EXPECT_EQ(wrong.reason().id, "MapFence") << wrong.reason().text;
    EXPECT_NE(wrong.reason().text.find("fence.proxy.tensormap is missing"), std::string::npos)
        << wrong.reason().text;
  }
}

TEST(SanitizerRules, LanesComeToAlignedTogether) {
  std::string odd = start + "and.b32 r3, r1, 1;\nsetp.eq.u32 p3, r3, 1;\n";
  expectReport(odd + "@p3 bar.sync 0;\n", "AlignedGuard",
               "run by lanes 0xaaaaaaaa of a warp and not by lanes 0x55555555");
  expectReport(odd + "@p3 bra other;\nbar.sync 0;\nbra end;\nother: bar.sync 0;\nend:",
               "AlignedApart", "wait at an .aligned instruction for lanes");
  expectClean(odd + "@p3 bra other;\nadd.u32 r3, r3, 1;\nother: bar.sync 0;\n");
  expectClean(odd + "@p3 bra other;\nbarrier.sync 0;\nbra end;\nother: barrier.sync 0;\nend:");
  expectClean(odd + "@p3 exit;\nbar.sync 0;\n");
}

TEST(SanitizerRules, ReportsSayWho) {
  std::string races =
      start +
      "st.shared.u32 [tile], r1;\nst.shared.u32 [tile+8], r1;\nst.shared.u32 [tile+16], r43;\n";
  Outcome all = look(".loc 1 12 3\n" + races);
  ASSERT_EQ(all.reports.size(), 3u) << all.reason.text; // one for each pair of lines
  const sanitize::Report &first = all.reports[0];
  EXPECT_EQ(first.rule, "Race");
  EXPECT_EQ(first.space, "shared");
  EXPECT_EQ(first.address, 0x400u);
  EXPECT_EQ(first.party.thread, "(32, 0, 0)");
  EXPECT_EQ(first.party.block, "(0, 0, 0)");
  EXPECT_EQ(first.party.place.text, "st.shared.u32 [tile], r1;");
  ASSERT_TRUE(first.earlier);
  EXPECT_EQ(first.earlier->thread, "(0, 0, 0)");
  EXPECT_EQ(first.earlier->access, "a write");
  EXPECT_EQ(first.earlier->place.line, first.party.place.line);
  EXPECT_EQ(look(races, 1, 2).reports.size(), 2u);
  EXPECT_EQ(all.reason.id, "Race");
}

/// Blocks on several threads of the host write, meet at a barrier of the grid and read what their
/// neighbours wrote. No report, whatever comes between an access and its event.
TEST(SanitizerRules, GridBarriersOnSeveralHostThreads) {
  std::string text = R"(.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 p) {
  .reg .b64 data, workspace, own, next;
  .reg .b32 block, blocks, arrived, value, round, all, high, low;
  .reg .pred q;
  ld.param.u64 data, [p];
  mov.u32 high, %envreg1; mov.u32 low, %envreg2; mov.b64 workspace, {low, high};
  mov.u32 block, %ctaid.x; mov.u32 blocks, %nctaid.x;
  mul.wide.u32 own, block, 4; add.u64 own, data, own;
  add.u32 value, block, 1; rem.u32 value, value, blocks;
  mul.wide.u32 next, value, 4; add.u64 next, data, next;
  mov.u32 round, 0; mov.u32 all, 0;
again:
  st.global.u32 [own], round;
  add.u32 all, all, blocks;
  atom.add.release.gpu.u32 arrived, [workspace+4], 1;
first: ld.acquire.gpu.u32 arrived, [workspace+4]; setp.lt.u32 q, arrived, all;
  @q bra first;
  ld.global.u32 value, [next];
  setp.ne.u32 q, value, round;
  @q trap;
  add.u32 all, all, blocks;
  atom.add.release.gpu.u32 arrived, [workspace+4], 1;
second: ld.acquire.gpu.u32 arrived, [workspace+4]; setp.lt.u32 q, arrived, all;
  @q bra second;
  add.u32 round, round, 1;
  setp.lt.u32 q, round, 4;
  @q bra again;
  ret;
})";
  std::shared_ptr<const Program> program = parsed(text);
  for (unsigned threads : {2u, 8u})
    for (int run = 0; run < 40; ++run) {
      Machine machine({.hostThreads = threads}, std::make_shared<sanitize::Sanitizer>());
      LoadedProgram loaded = *machine.load(program);
      uint64_t data = *machine.memory().allocate(64);
      Status ended = machine.launch(loaded, "k", {.grid = {6, 1, 1}, .cooperative = true},
                                    std::as_bytes(std::span(&data, 1)));
      ASSERT_TRUE(ended) << "run " << run << ": " << ended.reason().text;
    }
}

TEST(SanitizerRules, LinesOfTheSource) {
  std::string_view text = ".file 1 \"/a/b.mlir\"\n.entry k() {\n  .loc 1 12 3\n  add.u32 r1, r2, "
                          "r3;\n  .loc 2 5 1, function_name F, "
                          "inlined_at 1 12 3\n  bar.sync 0;\n}\n"
                          ".entry m() {\n  ret;\n}\n.file 2 \"c.cu\", 1, 2\n";
  EXPECT_EQ(ptx_text::placeOf(text, 4).source, "/a/b.mlir:12:3");
  EXPECT_EQ(ptx_text::placeOf(text, 4).text, "add.u32 r1, r2, r3;");
  EXPECT_EQ(ptx_text::placeOf(text, 6).source, "c.cu:5:1 (from /a/b.mlir:12:3)");
  EXPECT_EQ(ptx_text::placeOf(text, 9).source, "");
}

// A barrier waits for the threads that have not exited, and orders no others: what such a thread
// did is a race to who reads it. So a branch around a barrier needs no rule of its own.
TEST(SanitizerRules, ABarrierOrdersNoThreadThatHasExited) {
  const std::string body = start + "st.shared.u32 [r42], r1;\nsetp.ge.u32 p3, r1, 32;\n@p3 exit;\n"
                                   "bar.sync 0;\n";
  expectClean(body + "ld.shared.u32 r3, [r43];\n");
  expectReport(body + "ld.shared.u32 r3, [r42+128];\n", "Race",
               "a read of 4 bytes at shared address 0x480 races with a write by thread (32, 0, 0)");
}

} // namespace

} // namespace tessera::sim::test
