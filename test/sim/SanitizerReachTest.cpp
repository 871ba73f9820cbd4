// The sanitizer on what reaches too far or not far enough: scopes of strong accesses, addresses of
// local memory, constants, setmaxnreg. Each rule by a kernel that breaks
// it and one that does not.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Harness.h"

#include "tessera/sim/Report.h"

namespace tessera::sim::test {

namespace {

const std::string start = "mov.u32 r1, %tid.x;\nmov.u32 r2, %ctaid.x;\nsetp.eq.u32 p1, r1, 0;\n"
                          "setp.eq.u32 p2, r2, 0;\nsetp.lt.u32 p3, r1, 64;\n";

/// The rules of the reports, by their lines.
std::vector<std::string> rules(const std::string &body, uint32_t blocks = 1, uint32_t threads = 64,
                               const std::string &module = "", uint32_t cluster = 1) {
  Bench bench({.hostThreads = 1, .sanitize = true, .maxReports = 20});
  const uint64_t in = bench.buffer(std::vector<uint32_t>(1024));
  (void)bench.launch(kernelOf(start + body, module), "k",
                     {.grid = {blocks}, .block = {threads}, .cluster = Dim3{cluster}},
                     {in, in + 2048});
  std::vector<std::string> out;
  for (const Report &report : bench.reports())
    out.push_back(std::string(report.rule));
  return out;
}
using Rules = std::vector<std::string>;

/// A plain store of a thread is not hidden by its atomic: those of others still race with it.
TEST(SanitizerReach, AStrongAccessHidesNoWeakOne) {
  const std::string add = "atom.global.add.u32 r3, [in_], 1;\n";
  EXPECT_EQ(rules("@p1 st.global.u32 [in_], 0;\n" + add), Rules{"Race"});
  EXPECT_EQ(rules("@p1 ld.global.u32 r4, [in_];\n" + add), Rules{"Race"});
  EXPECT_EQ(rules("@p1 st.global.u32 [in_], 0;\nbar.sync 0;\n" + add), Rules{});
  EXPECT_EQ(rules(add), Rules{});
  // Who fences before the atomic tells those who find its value there.
  EXPECT_EQ(rules("@p1 st.global.u32 [in_], 0;\n@p1 fence.acq_rel.gpu;\n" + add), Rules{});
}

/// PTX ISA 8.4: atomic operations are writes if they result in one, so a compare-and-swap that
/// fails is a read only.
TEST(SanitizerReach, AFailedCompareAndSwapReads) {
  const std::string numbers = "mov.b64 d8, 1;\nmov.b64 d9, 0;\nmov.b16 h1, 1;\nmov.b16 h2, 0;\n"
                              "mov.b128 q1, {d8, d8};\nmov.b128 q2, {d9, d9};\n",
                    load = "ld.relaxed.cta.global.u32 r4, [in_];\n",
                    store = "st.relaxed.cta.global.u32 [in_], 0;\n";
  struct Swap {
    std::string type, fails, writes; // memory is 0
  };
  const std::vector<Swap> swaps = {{"b16", "h3, [in_], h1, h2", "h3, [in_], h2, h1"},
                                   {"b32", "r3, [in_], 1, 2", "r3, [in_], 0, 2"},
                                   {"b64", "d3, [in_], d8, d9", "d3, [in_], d9, d8"},
                                   {"b128", "q3, [in_], q1, q2", "q3, [in_], q2, q1"}};
  for (const Swap &swap : swaps) {
    auto with = [&](const std::string &operands, const std::string &other) {
      return rules(numbers + "@p2 atom.relaxed.gpu.global.cas." + swap.type + " " + operands +
                       ";\n@!p2 " + other,
                   2, 1);
    };
    EXPECT_EQ(with(swap.fails, load), Rules{}) << swap.type;
    EXPECT_EQ(with(swap.writes, load), Rules{"NarrowScope"}) << swap.type;
    EXPECT_EQ(with(swap.fails, store), Rules{"NarrowScope"}) << swap.type;
  }
  // A weak write races with a read, too.
  auto shared = [](const std::string &expected, const std::string &other) {
    return rules("st.shared.u32 [word], 0;\nbar.sync 0;\n@p1 atom.shared.cas.b32 r3, [word], " +
                     expected + ", 7;\nsetp.eq.u32 p4, r1, 32;\n@p4 " + other,
                 1, 64, ".shared .align 4 .b32 word;\n");
  };
  EXPECT_EQ(shared("1", "st.shared.u32 [word], 1;\n"), Rules{"Race"});
  EXPECT_EQ(shared("1", "ld.volatile.shared.u32 r4, [word];\n"), Rules{});
}

/// A block's memory has to be there for its copies into other blocks, which tell those.
TEST(SanitizerReach, CopiesIntoOtherBlocksKeepTheirs) {
  const std::string
      module = ".shared .align 16 .b8 mine[256];\n.shared .align 16 .b8 theirs[256];\n"
               ".shared .align 8 .b64 full;\n",
      copy = "shl.b32 r5, r1, 2;\nmov.u32 r6, mine;\nadd.u32 r6, r6, r5;\nst.shared.u32 [r6], r1;\n"
             "@p1 mbarrier.init.shared.b64 [full], 1;\n"
             "@p1 mbarrier.arrive.expect_tx.shared.b64 _, [full], 256;\n"
             "fence.proxy.async;\nbarrier.cluster.arrive;\nbarrier.cluster.wait;\n"
             "mov.u32 r7, %cluster_ctarank;\nxor.b32 r7, r7, 1;\nmov.u32 r8, theirs;\n"
             "mapa.shared::cluster.u32 r8, r8, r7;\nmov.u32 r9, full;\n"
             "mapa.shared::cluster.u32 r10, r9, r7;\nmov.u32 r6, mine;\n"
             "@p1 cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [r8], "
             "[r6], 256, [r10];\n",
      wait = "w: mbarrier.try_wait.parity.shared.b64 p5, [r9], 0;\n@!p5 bra w;\n",
      together = "barrier.cluster.arrive;\nbarrier.cluster.wait;\n";
  EXPECT_EQ(rules(copy + wait + together, 2, 64, module, 2), Rules{});
  EXPECT_EQ(rules(copy + wait, 2, 64, module, 2), Rules{"BlockVisited"});
  EXPECT_EQ(rules(copy + together + wait, 2, 64, module, 2), Rules{"BlockVisited"});
  EXPECT_EQ(rules(copy + wait + "barrier.cluster.arrive.relaxed;\nbarrier.cluster.wait;\n", 2, 64,
                  module, 2),
            Rules{"BlockVisited"});
  // Or the other block tells by an mbarrier of this one's.
  const std::string told = "mapa.shared::cluster.u32 r11, r9, r7;\n"
                           "@p1 mbarrier.arrive.release.cluster.shared::cluster.b64 _, [r11];\n"
                           "v: mbarrier.try_wait.parity.acquire.cluster.shared.b64 p5, [r9], 1;\n"
                           "@!p5 bra v;\n";
  EXPECT_EQ(rules(copy + wait + told, 2, 64, module, 2), Rules{});
  // Nor may it be used for something else.
  EXPECT_EQ(rules(copy + "@p1 st.shared.u32 [mine], 7;\n" + wait + together, 2, 64, module, 2),
            Rules{"Race"});
}

/// mbarrier.inval ends what others may still use.
TEST(SanitizerReach, AnMbarrierEndsWhenNobodyUsesIt) {
  const std::string module = ".shared .align 8 .b64 all;\n",
                    use = "@p1 mbarrier.init.shared.b64 [all], 64;\nbar.sync 0;\n"
                          "mbarrier.arrive.shared.b64 d3, [all];\n",
                    wait = "w: mbarrier.try_wait.shared.b64 p5, [all], d3;\n@!p5 bra w;\n",
                    end = "@p1 mbarrier.inval.shared.b64 [all];\n";
  auto of = [&](const std::string &body) { return rules(body, 1, 64, module); };
  EXPECT_EQ(of(use + wait + "bar.sync 0;\n" + end), Rules{});
  EXPECT_EQ(of(use + "bar.sync 0;\n" + end), Rules{});
  EXPECT_EQ(of(use + "@p1 bra w;\nbra end;\n" + wait + end + "end:"), Rules{}); // all arrived
  EXPECT_EQ(of(use + "setp.lt.u32 p6, r1, 32;\n@!p6 bra o;\n@p1 bra w;\nbra end;\n" + wait + end +
               "bra end;\no: mbarrier.test_wait.shared.b64 p5, [all], d3;\nend:"),
            Rules{"Race"});
}

/// A lock of relaxed atomics with fences orders weak accesses; tessera-litmus has a race without
/// one of them, and none where all accesses are volatile (docs/simulator.md).
TEST(SanitizerReach, LocksOfRelaxedAtomics) {
  auto locked = [](const std::string &first, const std::string &last, const std::string &kind) {
    return rules("again: atom.global.cas.b32 r3, [in_+64], 0, 1;\nsetp.ne.u32 p4, r3, 0;\n"
                 "@p4 bra again;\n" +
                     first + "ld" + kind + ".global.u32 r4, [in_];\nadd.u32 r4, r4, 1;\nst" + kind +
                     ".global.u32 [in_], r4;\n" + last + "atom.global.exch.b32 r5, [in_+64], 0;\n",
                 4, 1);
  };
  const std::string fence = "membar.gl;\n", ofBlock = "membar.cta;\n";
  EXPECT_EQ(locked(fence, fence, ""), Rules{});
  EXPECT_FALSE(locked("", fence, "").empty());
  EXPECT_FALSE(locked(fence, "", "").empty());
  EXPECT_FALSE(locked(ofBlock, fence, "").empty());
  EXPECT_FALSE(locked(fence, ofBlock, "").empty());
  EXPECT_EQ(locked("", "", ".volatile"), Rules{});
}

/// The last of several blocks clears their counter, as in CUDA's sample threadFenceReduction.
TEST(SanitizerReach, TheLastOneClears) {
  auto clears = [](const std::string &who) {
    return "@!p1 bra end;\natom.global.inc.u32 r3, [in_], 100;\n" + who +
           "st.global.u32 [in_], 0;\nend:";
  };
  EXPECT_EQ(rules(clears("setp.ne.u32 p4, r3, 2;\n@p4 bra end;\n"), 3), Rules{});
  EXPECT_EQ(rules(clears(""), 3), Rules({"Race", "Race"}));      // with the count, and with a store
  EXPECT_EQ(rules(clears("@!p2 bra end;\n"), 3), Rules{"Race"}); // the first one
}

/// PTX ISA 8.7: strong accesses of which one does not include the other's thread race.
TEST(SanitizerReach, ScopesThatDoNotReach) {
  auto add = [](const std::string &scope) {
    return "atom.relaxed." + scope + ".global.add.u32 r3, [in_], 1;\n";
  };
  EXPECT_EQ(rules(add("cta")), Rules{});
  EXPECT_EQ(rules(add("cta"), 2, 32), Rules{"NarrowScope"});
  EXPECT_EQ(rules(add("gpu"), 2, 32), Rules{});
  EXPECT_EQ(rules(add("cluster"), 4, 32, "", 2), Rules{"NarrowScope"});
  EXPECT_EQ(rules(add("cluster"), 2, 32, "", 2), Rules{});
  EXPECT_EQ(rules("@p2 " + add("gpu") + "@!p2 " + add("cta"), 2, 32), Rules{"NarrowScope"});
  EXPECT_EQ(rules("ld.relaxed.cta.global.u32 r3, [in_];\n", 2, 32), Rules{});
}

TEST(SanitizerReach, LocalMemoryOfOthers) {
  const std::string own = ".local .align 8 .b8 own[16];\n.shared .align 8 .b64 place;\n",
                    take = "mov.u64 d1, own;\ncvta.local.u64 d1, d1;\nst.local.u32 [own], r1;\n",
                    give = take + "@p1 st.shared.u64 [place], d1;\nbar.sync 0;\n"
                                  "ld.shared.u64 d2, [place];\n";
  EXPECT_EQ(rules(own + take + "ld.u32 r3, [d1];\n"), Rules{});
  EXPECT_EQ(rules(own + give + "@p1 ld.u32 r3, [d2];\n"), Rules{});
  EXPECT_EQ(rules(own + give + "ld.u32 r3, [d2];\n"), Rules{"OtherLocal"});
  EXPECT_EQ(rules(own + give + "st.u32 [d2], 1;\n"), Rules{"OtherLocal"});
}

/// A pointer into the frame of a function that has returned.
TEST(SanitizerReach, FramesThatHaveEnded) {
  const std::string function =
      ".func (.param .b64 o) f() {\n.reg .b64 x;\n.local .align 8 .b8 own[16];\n"
      "st.local.u32 [own], 5;\nmov.u64 x, own;\ncvta.local.u64 x, x;\nst.param.u64 [o], "
      "x;\nret;\n}\n";
  const std::string call = "{ .param .b64 o; call (o), f, ();\nld.param.u64 d1, [o]; }\n"
                           "ld.u32 r3, [d1];\n";
  EXPECT_EQ(rules(call + "setp.eq.u32 p4, r3, 5;\n@p4 bra end;\nend:", 1, 32, function),
            Rules{"Unwritten"});
  EXPECT_EQ(rules(call, 1, 32, function), Rules{}); // it is not used
}

TEST(SanitizerReach, Constants) {
  const std::string module = ".const .align 4 .b32 c[4] = {1, 2, 3, 4};\n.global .b32 g;\n";
  auto store = [](const std::string &to) {
    return "mov.u64 d1, " + to + ";\n@p1 st.global.u32 [d1], 7;\n";
  };
  EXPECT_EQ(rules(store("c"), 1, 32, module), Rules{"ConstantWritten"});
  EXPECT_EQ(rules("mov.u64 d1, c;\n@p1 atom.global.add.u32 r3, [d1], 7;\n", 1, 32, module),
            Rules{"ConstantWritten"});
  EXPECT_EQ(rules(store("g"), 1, 32, module), Rules{});
}

TEST(SanitizerReach, RegistersOfWarpgroups) {
  const std::string few = "setmaxnreg.dec.sync.aligned.u32 40;\n",
                    more = "setmaxnreg.inc.sync.aligned.u32 40;\n",
                    others = "setmaxnreg.dec.sync.aligned.u32 48;\n";
  auto halves = [](const std::string &first, const std::string &second) {
    return "@p3 bra low;\n" + second + "bra end;\nlow: " + first + "end:";
  };
  EXPECT_EQ(rules(few, 1, 256), Rules{});
  EXPECT_EQ(rules(halves(few, ""), 1, 128), Rules{"RegistersApart"});
  EXPECT_EQ(rules(halves(few, few), 1, 128), Rules{}); // the same number, if elsewhere
  EXPECT_EQ(rules(halves(few, others), 1, 128), Rules{"RegistersDiffer"});
  EXPECT_EQ(rules(halves(few, more), 1, 128), Rules{"RegistersDiffer"});
  // Two warpgroups may differ.
  EXPECT_EQ(rules("setp.lt.u32 p3, r1, 128;\n" + halves(few, others), 1, 256), Rules{});
}

} // namespace

} // namespace tessera::sim::test
