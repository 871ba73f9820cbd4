// The sanitizer across launches, copies and fills: what no order of the host's work has.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Harness.h"

#include "tessera/sanitize/Sanitizer.h"
#include "tessera/sim/Report.h"

namespace tessera::sim::test {

namespace {

using sanitize::WorkClock;
using sanitize::WorkStep;

/// d1: the word of `out` of a thread; d2: the next one.
const std::string start = "mov.u32 r1, %tid.x;\nmul.wide.u32 d1, r1, 4;\nadd.u64 d1, d1, out_;\n"
                          "add.u64 d2, d1, 4;\n";
const std::string writes = "st.global.u32 [d1], r1;\n", reads = "ld.global.u32 r2, [d1];\n";

/// Work in chains that know nothing of each other unless a test says so.
class SanitizerWork : public ::testing::Test {
protected:
  WorkStep step(uint32_t chain, const WorkClock &after = {}) {
    WorkStep out{{chain, ++numbers}, after};
    out.after.join(chains[chain]);
    return out;
  }
  /// The reports of a launch. It has lines of its own, as a pair of lines is reported once.
  std::vector<sanitize::Report> launch(const std::string &body, WorkStep &step) {
    std::shared_ptr<const Program> program =
        parsed(kernelOf(start + std::string(numbers, '\n') + body));
    LoadedProgram loaded = *machine.load(program);
    const uint64_t parameters[] = {buffer, buffer};
    sanitizer->begin(step, program);
    EXPECT_TRUE(machine.launch(loaded, "k", {.grid = {1}, .block = {64}},
                               std::as_bytes(std::span(parameters))) ||
                !sanitizer->reports().empty());
    chains[step.point.chain] = step.ended();
    return sanitizer->reports();
  }
  size_t launch(const std::string &body, uint32_t chain, const WorkClock &after = {}) {
    WorkStep of = step(chain, after);
    return launch(body, of).size();
  }
  size_t work(uint64_t offset, uint64_t bytes, bool isWrite, uint32_t chain) {
    WorkStep of = step(chain);
    const sanitize::WorkRange range{buffer + offset, bytes, isWrite};
    chains[chain] = of.ended();
    return sanitizer->work("a copy", {&range, 1}, of).size();
  }

  std::shared_ptr<sanitize::Sanitizer> sanitizer =
      std::make_shared<sanitize::Sanitizer>(sanitize::defaultReports, false);
  Machine machine{{.hostThreads = 1}, sanitizer};
  const uint64_t buffer = *machine.memory().allocate(4096);
  uint32_t numbers = 0;
  std::map<uint32_t, WorkClock> chains;

  void SetUp() override { machine.memory().wrote(buffer, 4096); }
};

/// The host's own accesses beside work that it has not waited for.
TEST_F(SanitizerWork, OfTheHost) {
  EXPECT_EQ(launch(writes, 1), 0u); // 64 words
  auto busy = [&](uint64_t bytes) { return sanitizer->busyPages({buffer, bytes, false}, 10); };
  ASSERT_EQ(busy(256).size(), 1u);
  EXPECT_EQ(busy(256)[0].start, buffer / 4096 * 4096);
  EXPECT_TRUE(busy(256)[0].isWritten);
  EXPECT_TRUE(busy(257).empty()); // a byte is the host's
  std::vector<sanitize::Report> found =
      sanitizer->hostAccess("a read by the host", buffer + 6, false);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].rule, "HostRace");
  EXPECT_NE(
      found[0].text.find("races with a write by thread (1, 0, 0) of block (0, 0, 0) of kernel 'k'"),
      std::string::npos)
      << found[0].text;
  EXPECT_TRUE(sanitizer->hostAccess("a read by the host", buffer + 256, false).empty());
  sanitizer->forget(chains[1]); // the host waits
  EXPECT_TRUE(busy(256).empty());
  EXPECT_TRUE(sanitizer->hostAccess("a write by the host", buffer, true).empty());
  // To read what is read is fine.
  EXPECT_EQ(work(0, 4096, false, 2), 0u);
  ASSERT_EQ(busy(4096).size(), 1u);
  EXPECT_FALSE(busy(4096)[0].isWritten);
  EXPECT_TRUE(sanitizer->hostAccess("a read by the host", buffer, false).empty());
  EXPECT_EQ(sanitizer->hostAccess("a write by the host", buffer + 4095, true).size(), 1u);
}

TEST_F(SanitizerWork, NamesBoth) {
  EXPECT_EQ(launch(writes, 1), 0u);
  WorkStep second = step(2);
  std::vector<sanitize::Report> reports = launch(reads, second);
  ASSERT_EQ(reports.size(), 1u);
  EXPECT_EQ(reports[0].rule, "StreamRace");
  EXPECT_EQ(reports[0].party.access, "a read");
  EXPECT_EQ(reports[0].address, buffer);
  ASSERT_TRUE(reports[0].earlier);
  EXPECT_EQ(reports[0].earlier->access, "a write");
  EXPECT_EQ(reports[0].earlier->thread, "(0, 0, 0)");
  EXPECT_NE(reports[0].what.find("races with a write by thread (0, 0, 0) of block (0, 0, 0) of "
                                 "kernel 'k'"),
            std::string::npos)
      << reports[0].what;
}

TEST_F(SanitizerWork, Order) {
  EXPECT_EQ(launch(writes, 1), 0u);
  EXPECT_EQ(launch(writes, 1), 0u);            // the same chain
  EXPECT_EQ(launch(writes, 2, chains[1]), 0u); // an event
  EXPECT_EQ(launch(reads, 3, chains[2]), 0u);  // which passes on what came before it
  EXPECT_EQ(launch(reads, 4, chains[2]), 0u);  // two that read
  EXPECT_EQ(launch(writes, 4, chains[2]), 1u); // the reader of the third knows nothing of it
  sanitizer->forget(chains[4]);                // a wait of the host: nothing about the third
  EXPECT_EQ(launch(writes, 5, chains[4]), 1u);
  for (const auto &[chain, known] : chains)
    sanitizer->forget(known);
  EXPECT_EQ(launch(writes, 6), 0u);
}

TEST_F(SanitizerWork, OtherBytesAndStrongAccesses) {
  const std::string even = "mul.wide.u32 d3, r1, 2;\nadd.u64 d3, d3, out_;\n";
  EXPECT_EQ(launch(even + "st.global.u8 [d3], 1;\n", 1), 0u);
  EXPECT_EQ(launch(even + "st.global.u8 [d3+1], 1;\n", 2), 0u);
  EXPECT_EQ(launch(even + "st.global.u8 [d3+128], 1;\n", 3), 0u);
  EXPECT_EQ(launch("red.global.add.u32 [d1+1024], 1;\n", 1), 0u);
  EXPECT_EQ(launch("red.global.add.u32 [d1+1024], 1;\n", 2), 0u);
  EXPECT_EQ(launch("ld.global.u32 r2, [d1+1024];\n", 3), 1u); // the second came after the first
}

/// What one wrote by a strong access, and the other read by one, orders them; nothing else does.
TEST_F(SanitizerWork, Flags) {
  const std::string flag = "add.u64 d4, out_, 2048;\nsetp.eq.u32 p1, r1, 0;\n";
  EXPECT_EQ(launch(flag + writes + "bar.sync 0;\n@p1 st.release.gpu.global.u32 [d4], 1;\n", 1), 0u);
  WorkStep second = step(2);
  EXPECT_EQ(
      launch(flag + "ld.acquire.gpu.global.u32 r3, [d4];\nbar.sync 0;\n" + reads, second).size(),
      0u);
  EXPECT_TRUE(second.after.covers({1, 1}));
  EXPECT_EQ(launch(writes, 3, second.ended()), 0u);
  EXPECT_EQ(launch(flag + "ld.global.u32 r3, [d4];\n", 4), 1u);
}

TEST_F(SanitizerWork, Copies) {
  EXPECT_EQ(work(0, 64, true, 1), 0u);
  EXPECT_EQ(launch(reads, 1), 0u);
  EXPECT_EQ(launch(reads, 2), 1u);       // after the copy to 64 bytes
  EXPECT_EQ(work(256, 64, true, 3), 0u); // of nobody
  EXPECT_EQ(work(0, 512, false, 3), 1u); // reads what was copied
  EXPECT_EQ(work(252, 4, true, 4), 1u);  // the other line was reported with a copy
  EXPECT_EQ(launch("ld.global.u32 r2, [d1+320];\n", 5), 0u);
  sanitizer->drop({buffer, 4096, true});
  EXPECT_EQ(work(0, 4096, true, 6), 0u);
}

TEST(WorkClocks, Join) {
  WorkClock a, b;
  a.add({1, 5});
  EXPECT_TRUE(a.covers({1, 5}) && a.covers({1, 4}) && !a.covers({1, 6}) && !a.covers({2, 1}));
  b.addAll(3);
  b.add({2, 7});
  a.join(b);
  EXPECT_TRUE(a.covers({9, 3}) && a.covers({1, 5}) && a.covers({2, 7}) && !a.covers({9, 4}));
}

/// A launch that need not come after the one before it, before it waits.
class EarlyLaunch : public ::testing::Test {
protected:
  /// The rules of the second of two launches.
  std::vector<std::string> after(const std::string &first, const std::string &second,
                                 bool dependsOn = true) {
    auto sanitizer = std::make_shared<sanitize::Sanitizer>(sanitize::defaultReports, false);
    Machine machine({.hostThreads = 1}, sanitizer);
    const uint64_t buffer = *machine.memory().allocate(4096);
    machine.memory().wrote(buffer, 4096);
    sanitize::WorkStep steps[2] = {{{1, 1}, {}}, {{1, 2}, {}}};
    steps[1].after.add({1, 1});
    for (int i = 0; i < 2; ++i) {
      std::shared_ptr<const Program> program =
          parsed(kernelOf(start + marks + (i ? second : first)));
      LoadedProgram loaded = *machine.load(program);
      const uint64_t parameters[] = {buffer, buffer};
      const bool early = i && dependsOn && sanitizer->beganDependents();
      sanitizer->begin(steps[i], program, early ? 1 : 0);
      (void)machine.launch(loaded, "k", {.grid = {2}, .block = {64}},
                           std::as_bytes(std::span(parameters)));
    }
    std::vector<std::string> out;
    for (const sanitize::Report &report : sanitizer->reports())
      out.push_back(std::string(report.rule));
    return out;
  }
  /// p1: thread 0; p2: block 0.
  const std::string marks =
      "setp.eq.u32 p1, r1, 0;\nmov.u32 r4, %ctaid.x;\nsetp.eq.u32 p2, r4, 0;\n";
  using Rules = std::vector<std::string>;
  const std::string begin = "griddepcontrol.launch_dependents;\n", wait = "griddepcontrol.wait;\n",
                    write = "@p2 st.global.u32 [d1], r1;\n", read = "ld.global.u32 r3, [d1];\n";
};

TEST_F(EarlyLaunch, HasToWait) {
  EXPECT_EQ(after(begin + write, read + wait), Rules{"StreamRace"});
  EXPECT_EQ(after(begin + write, wait + read), Rules{});
  EXPECT_EQ(after(write, read), Rules{}); // it lets no launch begin early
  EXPECT_EQ(after(begin + write, read, false), Rules{});
  EXPECT_EQ(after(begin + "@p2 ld.global.u32 r3, [d1];\n", "@p2 st.global.u32 [d1], 1;\n"),
            Rules{"StreamRace"});
  EXPECT_EQ(after(begin + "ld.global.u32 r3, [d1];\n", read), Rules{});
  EXPECT_EQ(after(begin + write, "ld.global.u32 r3, [d1+2048];\n" + wait), Rules{});
}

/// One thread waits, and a barrier tells the others of its block.
TEST_F(EarlyLaunch, TellsOthers) {
  EXPECT_EQ(after(begin + write, "@p1 " + wait + "bar.sync 0;\n" + read), Rules{});
  EXPECT_EQ(after(begin + write, "@p1 " + wait + read), Rules{"StreamRace"});
  EXPECT_EQ(after(begin + write, "bar.sync 0;\n@p1 " + wait + read), Rules{"StreamRace"});
}

} // namespace

} // namespace tessera::sim::test
