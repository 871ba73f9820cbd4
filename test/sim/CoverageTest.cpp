// Who ran which instruction: counts by hand of kernels that are small enough for it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/sim/Coverage.h"
#include "Harness.h"

#include <sstream>

namespace tessera::sim::test {

namespace {

/// A machine that is looked at, and what became of its kernels' instructions by their text.
class Looked {
public:
  explicit Looked(sim::Limits limits = {}) : machine(limits, coverage) {
    buffer = *machine.memory().allocate(4096);
  }
  Status launch(const std::string &text, LaunchConfig config, const char *kernel = "k") {
    LoadedProgram loaded = *machine.load(parsed(text));
    std::vector<uint64_t> parameters{buffer, buffer};
    parameters.resize(loaded.program->findKernel(kernel)->parameterBytes / 8);
    Status ended = machine.launch(loaded, kernel, config, std::as_bytes(std::span(parameters)));
    EXPECT_TRUE(machine.unload(loaded));
    return ended;
  }
  /// "warps threads skipped" of the one instruction whose line begins so, and bank conflicts.
  std::string of(const std::string &begin, size_t kernel = 0) const {
    const KernelCoverage &in = coverage->kernels().at(kernel);
    std::string out;
    for (const auto &[number, i] : in.instructions) {
      std::istringstream lines(*in.text);
      std::string line;
      for (int n = 0; n < i.line; ++n)
        std::getline(lines, line);
      if (line.starts_with(begin))
        out += cat(out.empty() ? "" : "; ", i.warps, " ", i.threads, " ", i.skipped,
                   i.conflicts() ? cat(", conflicts ", i.conflicts()) : "",
                   i.isCovered() ? "" : ", uncovered", i.wentBothWays() ? ", both" : "");
    }
    return out;
  }

  std::shared_ptr<Coverage> coverage = std::make_shared<Coverage>();
  Machine machine;
  uint64_t buffer = 0;
};

/// 40 threads are a warp of 32 and one of 8. Threads below 20 go to LOW.
TEST(Coverage, BranchesThatSomeTake) {
  Looked looked;
  ASSERT_TRUE(looked.launch(kernelOf("mov.u32 r1, %tid.x;\nsetp.lt.u32 p1, r1, 20;\n"
                                     "@p1 bra LOW;\nadd.u32 r2, r1, 1;\nbra.uni END;\n"
                                     "LOW:\nsub.u32 r2, r1, 1;\nEND:\nxor.b32 r3, r2, r2;"),
                            {.grid = {}, .block = {40}}));
  EXPECT_EQ(looked.of("mov"), "2 40 0");
  EXPECT_EQ(looked.of("@p1 bra"), "2 20 20, both");
  EXPECT_EQ(looked.of("add"), "2 20 0"); // 12 lanes of the first warp, 8 of the second
  EXPECT_EQ(looked.of("sub"), "1 20 0");
  EXPECT_EQ(looked.of("xor"), "2 40 0"); // they have met again
}

/// A branch that nobody takes, one that all take, and what comes after it.
TEST(Coverage, SidesThatNobodyTakes) {
  Looked looked;
  ASSERT_TRUE(looked.launch(kernelOf("mov.u32 r1, %tid.x;\nsetp.lt.u32 p1, r1, 64;\n"
                                     "@!p1 bra FAR;\n@p1 bra END;\nadd.u32 r2, r1, 1;\n"
                                     "@p1 bra.uni END;\nFAR:\nsub.u32 r2, r1, 1;\nEND:\n"
                                     "@!p1 mul.lo.u32 r2, r1, 3;\n@p1 xor.b32 r3, r2, r2;"),
                            {.grid = {3}, .block = {32}}));
  EXPECT_EQ(looked.of("@!p1 bra"), "3 0 96");
  EXPECT_EQ(looked.of("@p1 bra END"), "3 96 0");
  EXPECT_EQ(looked.of("add"), "0 0 0, uncovered");
  EXPECT_EQ(looked.of("@p1 bra.uni"), "0 0 0, uncovered");
  EXPECT_EQ(looked.of("sub"), "0 0 0, uncovered");
  EXPECT_EQ(looked.of("@!p1 mul"), "3 0 96, uncovered"); // nothing was multiplied
  EXPECT_EQ(looked.of("@p1 xor"), "3 96 0");
}

/// Thread t goes round t + 1 times: a warp 32 times, its lanes 1 + 2 + ... + 32 = 528 times.
TEST(Coverage, LoopsAndAJumpToItself) {
  Looked looked;
  ASSERT_TRUE(looked.launch(kernelOf("mov.u32 r1, %tid.x;\nmov.u32 r2, 0;\nAGAIN:\n"
                                     "add.u32 r2, r2, 1;\nsetp.le.u32 p1, r2, r1;\n"
                                     "@p1 bra AGAIN;\nxor.b32 r3, r2, r2;"),
                            {.grid = {2}, .block = {32}}));
  EXPECT_EQ(looked.of("add"), "64 1056 0");
  EXPECT_EQ(looked.of("@p1 bra"), "64 992 64, both");
  EXPECT_EQ(looked.of("xor"), "2 64 0");
  // A loop of one instruction ends at the limit: one load of each parameter comes before it.
  Looked spins({.instructions = 12, .hostThreads = 1});
  EXPECT_FALSE(spins.launch(kernelOf("SELF:\nbra SELF;"), {.grid = {}, .block = {2}}));
  EXPECT_EQ(spins.of("SELF"), "");
  EXPECT_EQ(spins.of("bra"), "10 20 0");
}

/// Lanes that wait come to an instruction again, and have run it once.
TEST(Coverage, WaitingIsNotRunningAgain) {
  Looked looked;
  ASSERT_TRUE(looked.launch(kernelOf("mov.u32 r1, %tid.x;\nsetp.lt.u32 p1, r1, 8;\n"
                                     "@p1 bra HERE;\nadd.u32 r2, r1, 1;\nHERE:\n"
                                     "bar.warp.sync 0xffffffff;\nbar.sync 0;\n"
                                     "xor.b32 r3, r1, r1;"),
                            {.grid = {}, .block = {64}}));
  EXPECT_EQ(looked.of("bar.sync"), "2 64 0");
  EXPECT_EQ(looked.of("xor"), "2 64 0");
  EXPECT_EQ(looked.of("bar.warp"), "2 64 0");
  // Lanes 8 to 31 come first, and wait for those that come back from below.
  Looked late;
  ASSERT_TRUE(late.launch(kernelOf("mov.u32 r1, %tid.x;\nsetp.lt.u32 p1, r1, 8;\n@p1 bra LATE;\n"
                                   "HERE:\nvote.sync.ballot.b32 r2, p1, 0xffffffff;\n"
                                   "xor.b32 r3, r1, r1;\nbra.uni END;\n"
                                   "LATE:\nadd.u32 r4, r1, 1;\nbra.uni HERE;\nEND:\n"),
                          {.grid = {}, .block = {32}}));
  EXPECT_EQ(late.of("vote"), "2 32 0"); // in two groups
  EXPECT_EQ(late.of("add"), "1 8 0");
  EXPECT_EQ(late.of("xor"), "1 32 0");
}

/// The lanes of an indirect branch go their ways one after the other: 32 lanes to three labels.
TEST(Coverage, IndirectBranchesCountLanesOnce) {
  Looked looked;
  ASSERT_TRUE(looked.launch(
      kernelOf("mov.u32 r1, %tid.x;\nmov.u32 r3, 3;\nrem.u32 r2, r1, r3;\n"
               "ways: .branchtargets A, B, C;\nbrx.idx r2, ways;\nA:\nadd.u32 r4, r1, 1;\n"
               "bra.uni END;\nB:\nsub.u32 r4, r1, 1;\nbra.uni END;\nC:\nxor.b32 r4, r1, r1;\nEND:"
               "\nor.b32 r5, r4, r4;"),
      {.grid = {}, .block = {32}}));
  EXPECT_EQ(looked.of("brx"), "1 32 0");
  EXPECT_EQ(looked.of("add"), "1 11 0"); // 0, 3, ..., 30
  EXPECT_EQ(looked.of("sub"), "1 11 0"); // 1, 4, ..., 31
  EXPECT_EQ(looked.of("xor"), "1 10 0");
  EXPECT_EQ(looked.of("or"), "1 32 0");
}

/// Words two and 32 apart, and a store of the even lanes alone.
TEST(Coverage, PredicatedStoresAndBankConflicts) {
  Looked looked;
  ASSERT_TRUE(looked.launch(
      kernelOf("mov.u32 r1, %laneid;\nmov.u32 r9, tile;\nshl.b32 r2, r1, 3;\nadd.u32 r3, r9, r2;\n"
               "shl.b32 r4, r1, 7;\nadd.u32 r5, r9, r4;\nand.b32 r6, r1, 1;\n"
               "setp.eq.u32 p1, r6, 0;\nst.shared.u32 [r3], r1;\nld.shared.u32 r7, [r5];\n"
               "@p1 st.shared.u32 [r3+4], r1;",
               ".shared .align 128 .b8 tile[8192];\n"),
      {.grid = {2}, .block = {64}}));
  // Of four warps: 2 passes for 1, 32 for 1. The even lanes' 16 words are four apart: 8 banks, two
  // words each.
  EXPECT_EQ(looked.of("st.shared"), "4 128 0, conflicts 4");
  EXPECT_EQ(looked.of("ld.shared"), "4 128 0, conflicts 124");
  EXPECT_EQ(looked.of("@p1 st"), "4 64 64, conflicts 4, both");
}

const std::string twoKernels =
    ".version 8.0\n.target sm_90\n.address_size 64\n"
    ".func (.reg .b32 %o) plus(.reg .b32 %i) {\nadd.u32 %o, %i, 1;\nret;\n}\n"
    ".func other() {\ntrap;\n}\n"
    ".func (.reg .b32 %o) pointed(.reg .b32 %i) {\nsub.u32 %o, %i, 1;\nret;\n}\n"
    ".visible .entry k() {\n.reg .b32 %a<3>;\n.reg .b64 %d;\n"
    "proto: .callprototype (.reg .b32 _) _ (.reg .b32 _);\nmov.u32 %a1, %tid.x;\n"
    "call (%a2), plus, (%a1);\ncall (%a2), plus, (%a2);\n"
    "mov.u64 %d, pointed;\ncall (%a2), %d, (%a2), proto;\n}\n"
    ".visible .entry m() {\n.reg .b32 %a<3>;\nmov.u32 %a1, %tid.x;\n"
    "call (%a2), plus, (%a1);\nret;\n}\n";

/// Functions count for the kernel that calls them, launches of a kernel add up, and what is not in
/// the text (the return at the end of k) does not count.
TEST(Coverage, FunctionsAndLaunchesOfAKernel) {
  Looked looked;
  ASSERT_TRUE(looked.launch(twoKernels, {.grid = {}, .block = {32}}));
  ASSERT_TRUE(looked.launch(twoKernels, {.grid = {}, .block = {16}}, "m"));
  ASSERT_TRUE(looked.launch(twoKernels, {.grid = {2}, .block = {32}}));
  ASSERT_EQ(looked.coverage->kernels().size(), 2u);
  const KernelCoverage &k = looked.coverage->kernels()[0], &m = looked.coverage->kernels()[1];
  EXPECT_EQ(k.name, "k");
  EXPECT_EQ(k.launches, 2u);
  EXPECT_EQ(k.line, 15);
  EXPECT_EQ(k.text, m.text);
  EXPECT_EQ(looked.of("add"), "6 192 0"); // two calls of three warps
  EXPECT_EQ(looked.of("sub"), "3 96 0");
  EXPECT_EQ(looked.of("trap"), "");
  EXPECT_EQ(k.instructions.size(), 2u + 2 + 5);
  EXPECT_EQ(m.launches, 1u);
  EXPECT_EQ(looked.of("add", 1), "1 16 0");
  EXPECT_EQ(looked.of("sub", 1), "");
  EXPECT_EQ(m.instructions.size(), 2u + 3);
}

/// The same counts whatever the order, and with other observers' wishes.
TEST(Coverage, DoesNotDependOnTheHostsThreads) {
  const std::string text =
      kernelOf("mov.u32 r1, %tid.x;\nmov.u32 r8, %ctaid.x;\nmov.u32 r2, 0;\nAGAIN:\n"
               "add.u32 r2, r2, 1;\nsetp.le.u32 p1, r2, r8;\n@p1 bra AGAIN;\nbar.sync 0;");
  for (unsigned threads : {1u, 4u}) {
    Looked looked({.hostThreads = threads,
                   .shuffle = threads > 1 ? std::optional<uint64_t>(7) : std::nullopt});
    ASSERT_TRUE(looked.launch(text, {.grid = {20}, .block = {64}}));
    EXPECT_EQ(looked.of("add"), "420 13440 0"); // two warps, 1 + 2 + ... + 20 rounds
    EXPECT_EQ(looked.of("bar"), "40 1280 0");
  }
}

/// A launch that ends with an error has covered what it has run.
TEST(Coverage, OfAKernelThatFails) {
  Looked looked;
  EXPECT_FALSE(looked.launch(kernelOf("mov.u32 r1, 1;\nst.global.u32 [0], r1;\nmov.u32 r2, 2;"),
                             {.grid = {}, .block = {1}}));
  EXPECT_EQ(looked.of("mov.u32 r1"), "1 1 0");
  EXPECT_EQ(looked.of("st"), "1 1 0");
  EXPECT_EQ(looked.of("mov.u32 r2"), "0 0 0, uncovered");
}

} // namespace

} // namespace tessera::sim::test
