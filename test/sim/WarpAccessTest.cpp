// What observers are told of whole warps: who hears of it, and that the sanitizer, which compares
// lanes with the same bytes at once, finds what it finds of single lanes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Harness.h"

#include "tessera/sim/Report.h"

#include <random>

namespace tessera::sim::test {

namespace {

/// Writes down accesses: "4 by 0xffffffff" of a warp, "4 by lane 3" of single lanes.
class Log : public Observer {
public:
  std::unique_ptr<WarpObserver> watch(const Warp &) override {
    return std::make_unique<OfWarp>(*this);
  }
  std::vector<std::string> said;

private:
  struct OfWarp : WarpObserver {
    explicit OfWarp(Log &log) : log(log) {}
    bool onAccess(const MemoryAccess &a) override {
      if (a.space != Space::Param)
        log.said.push_back(cat(a.bytes, " by lane ", a.lane));
      return true;
    }
    bool onWarpAccess(const WarpAccess &a) override {
      if (a.space == Space::Param)
        return true;
      log.said.push_back(cat(a.bytes, " by ", hex(a.lanes)));
      for (Mask left = a.lanes; left; left &= left - 1) {
        const MemoryAccess one = a.of(std::countr_zero(left));
        if (a.space == Space::Global)
          EXPECT_EQ(one.host, one.allocation->host + (one.address - one.allocation->start));
        if (a.space == Space::Shared)
          EXPECT_TRUE(one.owner);
      }
      return true;
    }
    Log &log;
  };
};
std::vector<std::string> logOf(const std::string &body) {
  auto log = std::make_shared<Log>();
  Machine machine({.hostThreads = 1}, log);
  uint64_t buffers[] = {*machine.memory().allocate(256), *machine.memory().allocate(256)};
  LoadedProgram loaded =
      *machine.load(parsed(kernelOf(body, ".shared .align 16 .b8 tile[512];\n")));
  Status status =
      machine.launch(loaded, "k", {.grid = {}, .block = {32}}, std::as_bytes(std::span(buffers)));
  EXPECT_TRUE(status) << status.reason().text;
  return log->said;
}

using Said = std::vector<std::string>;

TEST(WarpAccess, IsToldOfLanesInOnePieceOfMemory) {
  const std::string at = "mov.u32 r1, %tid.x;\nmul.wide.u32 d1, r1, 8;\nadd.u64 d2, in_, d1;\n";
  EXPECT_EQ(logOf(at + "ld.global.v2.u32 {r2, r3}, [d2];"), Said{"8 by 0xffffffff"});
  EXPECT_EQ(logOf(at + "setp.lt.u32 p1, r1, 3;\n@p1 st.global.u16 [d2], h1;"), Said{"2 by 0x7"});
  EXPECT_EQ(logOf(at + "mov.u32 r4, tile;\nst.shared.u32 [r4], r1;\nld.u32 r2, [d2];"),
            (Said{"4 by 0xffffffff", "4 by 0xffffffff"}));
  EXPECT_EQ(logOf(".local .align 4 .b8 l[16];\ncvta.shared.u64 d3, tile;\nst.u8 [d3+511], "
                  "1;\nst.local.u32 [l], 1;\n"),
            (Said{"1 by 0xffffffff", "4 by 0xffffffff"}));
}

TEST(WarpAccess, OfLanesInTwoBuffersIsToldOneByOne) {
  Said expected;
  for (int lane = 0; lane < 32; ++lane)
    expected.push_back(cat("4 by lane ", lane));
  EXPECT_EQ(logOf("mov.u32 r1, %tid.x;\nsetp.lt.u32 p1, r1, 16;\nselp.b64 d1, in_, out_, p1;\n"
                  "ld.global.u32 r2, [d1];"),
            expected);
}

/// Hides from a sanitizer that several lanes access memory at once.
class OneByOne : public Observer {
public:
  explicit OneByOne(std::shared_ptr<Observer> to) : to(std::move(to)) {}
  Wishes wishes() const override { return to->wishes(); }
  void onHost(const HostMemory &e) override { to->onHost(e); }
  void onLaunch(const Grid &grid) override { to->onLaunch(grid); }
  Status onReturn(const Grid &grid, Status ended) override { return to->onReturn(grid, ended); }
  std::unique_ptr<WarpObserver> watch(const Warp &w) override {
    return std::make_unique<OfWarp>(to->watch(w));
  }

private:
  struct OfWarp : WarpObserver {
    explicit OfWarp(std::unique_ptr<WarpObserver> to) : to(std::move(to)) {}
    bool onExecute(const Execute &e) override { return to->onExecute(e); }
    bool onSkip(const Skip &e) override { return to->onSkip(e); }
    bool onAccess(const MemoryAccess &e) override { return to->onAccess(e); }
    bool onSwap(const Swap &e) override { return to->onSwap(e); }
    bool onProductRead(const ProductRead &e) override { return to->onProductRead(e); }
    bool onTensorAccess(const TensorAccess &e) override { return to->onTensorAccess(e); }
    bool onChange(const MemoryChange &e) override { return to->onChange(e); }
    bool onSynchronize(const Synchronize &e) override { return to->onSynchronize(e); }
    bool onFence(const Fence &e) override { return to->onFence(e); }
    bool onWork(const AsyncWork &e) override { return to->onWork(e); }
    bool onEnd(const End &e) override { return to->onEnd(e); }
    std::unique_ptr<WarpObserver> to;
  };
  std::shared_ptr<Observer> to;
};

/// Warps that read and write a few bytes in some steps, of which every `ordered`th orders them.
std::string randomBody(std::mt19937 &random, int steps, unsigned ordered) {
  auto pick = [&](auto... choices) {
    const std::string all[] = {choices...};
    return all[random() % std::size(all)];
  };
  std::string body = "mov.u32 r1, %tid.x;\nmov.u32 r40, tile;\nand.b32 r2, r1, 31;\n"
                     "shr.u32 r3, r1, 5;\nmov.u32 r50, 0;\n";
  for (int step = 0; step < steps; ++step) {
    if (random() % ordered == 0) {
      body += pick("bar.sync 0;\n", "bar.sync 0;\n", "bar.warp.sync -1;\n", "membar.gl;\n",
                   "atom.shared.exch.b32 r9, [tile+508], 1;\n");
      continue;
    }
    const int size = 1 << random() % 5;
    body += pick("mov.u32 r4, 0;\n", "mov.u32 r4, r2;\n", "shr.u32 r4, r2, 1;\n",
                 "and.b32 r4, r2, 3;\n", "and.b32 r4, r2, 15;\n", "and.b32 r4, r1, 7;\n",
                 "mov.u32 r4, r1;\n", "mul.lo.u32 r4, r1, 5;\n", "xor.b32 r4, r2, 17;\n",
                 "mov.u32 r4, r3;\n");
    body += cat("add.u32 r4, r4, ", random() % 3, ";\nmul.lo.u32 r4, r4, ", size,
                ";\nand.b32 r4, r4, 255;\n");
    body += cat("setp.", pick("lt", "ge", "ne", "eq"), ".u32 p1, ", pick("r1", "r2", "r3"), ", ",
                random() % 33, ";\n");
    const std::string guard = random() % 3 ? "" : pick("@p1 ", "@!p1 ");
    const bool isShared = random() % 3, isLoad = random() % 2;
    if (isShared)
      body += "add.u32 r5, r40, r4;\n";
    else
      body += "cvt.u64.u32 d1, r4;\nadd.u64 d1, d1, in_;\n";
    const std::string at = isShared ? "[r5]" : "[d1]", space = isShared ? "shared" : "global",
                      type = size == 16  ? "v2.u64"
                             : size == 8 ? "v2.u32"
                                         : cat("u", 8 * size),
                      what = size == 16  ? "{d2, d3}"
                             : size == 8 ? "{r6, r7}"
                             : size == 1 ? "c1"
                             : size == 2 ? "h1"
                                         : "r6";
    body += isLoad ? cat(guard, "ld.", space, ".", type, " ", what, ", ", at, ";\n")
                   : cat(guard, "st.", space, ".", type, " ", at, ", ", what, ";\n");
  }
  return body;
}

/// The rule and the lines of each report. Two warps of one block: more leave marks of more than
/// four accesses in a word, of which either way forgets others.
std::set<std::string> found(const std::string &body, bool oneByOne) {
  const LastingSanitizer sanitizer = lastingSanitizer();
  Machine machine({.hostThreads = 1},
                  oneByOne ? std::make_shared<OneByOne>(sanitizer.observer) : sanitizer.observer);
  std::vector<std::byte> zeros(256);
  uint64_t buffers[] = {*machine.memory().allocate(256), 0};
  EXPECT_TRUE(machine.memory().write(buffers[0], zeros));
  LoadedProgram loaded =
      *machine.load(parsed(kernelOf(body, ".shared .align 16 .b8 tile[512];\n")));
  (void)machine.launch(loaded, "k", {.grid = {}, .block = {64}}, std::as_bytes(std::span(buffers)));
  std::set<std::string> all;
  for (const sanitize::Report &report : sanitizer.reports())
    all.insert(cat(report.rule, " ", report.party.place.line, " ",
                   report.earlier ? report.earlier->place.line : 0));
  return all;
}

TEST(WarpAccess, FindsWhatSingleLanesFind) {
  size_t withReports = 0, clean = 0;
  for (unsigned seed = 0; seed < 3000; ++seed) {
    std::mt19937 random(seed);
    const std::string body = randomBody(random, 2 + int(random() % 2), 3);
    const std::set<std::string> one = found(body, true), all = found(body, false);
    ASSERT_EQ(one, all) << "seed " << seed << "\n" << body;
    ++(one.empty() ? clean : withReports);
  }
  EXPECT_GT(withReports, 500u);
  EXPECT_GT(clean, 500u);
}

TEST(WarpAccess, ReportsLongKernelsAsSingleLanesDo) {
  size_t withReports = 0, clean = 0;
  for (unsigned seed = 0; seed < 1000; ++seed) {
    std::mt19937 random(seed);
    const std::string body = randomBody(random, 8, 2);
    const std::set<std::string> one = found(body, true), all = found(body, false);
    ASSERT_EQ(one.empty(), all.empty()) << "seed " << seed << "\n" << body;
    ++(one.empty() ? clean : withReports);
  }
  EXPECT_GT(withReports, 50u);
  EXPECT_GT(clean, 50u);
}

} // namespace

} // namespace tessera::sim::test
