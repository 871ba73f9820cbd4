// Kernels whose threads wait for what never comes, and such whose threads wait long for what does.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Harness.h"

namespace tessera::sim::test {

namespace {

struct Waits {
  uint32_t blocks = 1, threads = 32;
  unsigned hostThreads = 1;
  bool sanitize = false;
  std::string module = "";
  Residence residence = Residence::Device;
  std::function<bool(unsigned)> isAlone{};
};

/// What becomes of a body whose `out_` has eight words of zeros; the words after it.
Status ends(const std::string &body, const Waits &how, std::vector<uint32_t> *after = nullptr) {
  Bench bench(
      {.instructions = 4'000'000, .hostThreads = how.hostThreads, .sanitize = how.sanitize});
  sim::Limits limits = Limits{.instructions = 4'000'000, .hostThreads = how.hostThreads};
  limits.isAlone = how.isAlone;
  Machine own(limits);
  Machine &machine = how.sanitize ? bench.machine : own;
  auto loaded = machine.load(parsed(kernelOf(body, how.module)));
  EXPECT_TRUE(loaded);
  const uint64_t out = *machine.memory().allocate(32, how.residence);
  const std::vector<uint32_t> zeros(8);
  EXPECT_TRUE(machine.memory().write(out, std::as_bytes(std::span(zeros))));
  const uint64_t parameters[] = {out, out};
  Status ended = machine.launch(*loaded, "k", {.grid = {how.blocks}, .block = {how.threads}},
                                std::as_bytes(std::span(parameters)));
  if (after) {
    after->resize(8);
    EXPECT_TRUE(machine.memory().read(std::as_writable_bytes(std::span(*after)), out));
  }
  return ended;
}

void neverEnds(const std::string &body, const std::string &words, const Waits &how = {}) {
  for (bool sanitize : {false, true})
    for (unsigned hosts : {1u, 2u, 3u}) {
      Waits so = how;
      so.sanitize = sanitize, so.hostThreads = hosts;
      Status ended = ends(body, so);
      ASSERT_FALSE(ended) << body;
      EXPECT_EQ(ended.reason().id, "Deadlock") << body << ended.reason().text;
      EXPECT_NE(ended.reason().text.find(words), std::string::npos) << body << "\n"
                                                                    << ended.reason().text;
    }
}

/// It ends, and the first word is what is said.
void endsWith(uint32_t first, const std::string &body, const Waits &how = {}) {
  for (bool sanitize : {false, true})
    for (unsigned hosts : {1u, 2u}) {
      Waits so = how;
      so.sanitize = sanitize, so.hostThreads = hosts;
      std::vector<uint32_t> words;
      Status ended = ends(body, so, &words);
      EXPECT_TRUE(ended || ended.reason().id == "Race") << body << ended.reason().text;
      if (ended)
        EXPECT_EQ(words[0], first) << body;
    }
}

const char mbarrier[] = ".shared .b64 b;\n";
const char block[] = "mov.u32 r1, %ctaid.x;\nsetp.eq.u32 p1, r1, 0;\n";

TEST(Waiting, AFlagThatNobodySets) {
  neverEnds("w: ld.volatile.global.u32 r1, [out_];\nsetp.eq.u32 p1, r1, 0;\n@p1 bra w;",
            "no thread can go on: in block (0, 0, 0): warp 0, lanes 0xffffffff, at line 14 for a "
            "value other than 0 at global address 0x7");
  neverEnds("w: ld.acquire.gpu.global.u32 r1, [out_];\nnanosleep.u32 20;\nsetp.eq.u32 p1, r1, "
            "0;\n@p1 bra w;",
            "at line 14 for a value other than 0", {.blocks = 40});
  // Sixteen blocks, of which eight are named.
  neverEnds("w: ld.volatile.global.u32 r1, [out_];\nsetp.eq.u32 p1, r1, 0;\n@p1 bra w;",
            "in block (", {.blocks = 16});
}

TEST(Waiting, ALockThatNobodyGivesBack) {
  const std::string again = "\nsetp.ne.u32 p1, r1, 0;\n@p1 bra w;\n";
  for (const char *take :
       {"atom.global.cas.b32 r1, [out_], 0, 1;", "atom.global.exch.b32 r1, [out_], 1;",
        "atom.global.or.b32 r1, [out_], 1;"})
    neverEnds("w: " + std::string(take) + again, "for a value other than 1 at global address");
  for (const char *look :
       {"atom.global.add.u32 r1, [out_], 0;", "atom.global.or.b32 r1, [out_], 0;",
        "atom.global.max.u32 r1, [out_], 0;"})
    neverEnds("w: " + std::string(look) + "\nsetp.eq.u32 p1, r1, 0;\n@p1 bra w;",
              "for a value other than 0 at global address");
  // The flag of another warp, which waits at a barrier.
  neverEnds(
      "st.volatile.shared.u32 [s], 0;\nbar.sync 0;\nmov.u32 r2, %tid.x;\nsetp.lt.u32 p2, r2, "
      "32;\n@p2 bra w;\nbar.sync 0;\nst.volatile.shared.u32 [s], "
      "1;\nw: ld.volatile.shared.u32 r1, [s];\nsetp.ne.u32 p1, r1, 1;\n@p1 bra w;\nbar.sync 0;",
      "warp 1, lanes 0xffffffff, at line 20 for barrier 0; barrier 0 has 32 of 64 threads",
      {.threads = 64, .module = ".shared .u32 s;\n"});
}

TEST(Waiting, AnMbarrierThatNobodyCompletes) {
  const std::string make = "mov.u32 r8, b;\nmbarrier.init.shared.b64 [r8], 2;\n";
  const Waits one{.threads = 1, .module = mbarrier};
  for (const char *look : {"test_wait", "try_wait"})
    neverEnds(make + "w: mbarrier." + look + ".parity.shared.b64 p1, [r8], 0;\n@!p1 bra w;",
              "whose phase (parity 0) lacks 2 of 2 arrivals and 0 bytes", one);
  // A loop that reads a clock, as that of cuda::barrier does to sleep for longer each time.
  neverEnds(make + "w: mbarrier.try_wait.parity.shared.b64 p1, [r8], 0;\nmov.u64 d1, "
                   "%globaltimer;\n@!p1 bra w;",
            "whose phase (parity 0) lacks 2 of 2 arrivals", one);
  // A copy arrives, and that is one of two.
  neverEnds(make + "mov.u32 r9, s;\ncp.async.ca.shared.global [r9], [out_], 4;\n"
                   "cp.async.mbarrier.arrive.noinc.shared.b64 [r8];\n"
                   "w: mbarrier.test_wait.parity.shared.b64 p1, [r8], 0;\n@!p1 bra w;",
            "lacks 1 of 2 arrivals",
            {.threads = 1, .module = ".shared .u32 s;\n.shared .b64 b;\n"});
}

/// Each would be over if threads that poll for long counted as stuck.
TEST(Waiting, LongerThanOthers) {
  // They give up after a while, and say so: by a count in a register, in shared memory, in local
  // memory.
  const std::string
      look = "w: ld.volatile.global.u32 r1, [out_+4];\nsetp.ne.u32 p1, r1, 0;\n@p1 bra e;\n",
      rest = "setp.lt.u32 p2, r2, 200000;\n@p2 bra w;\nst.global.u32 [out_], 7;\ne:";
  const Waits one{.threads = 1, .module = ".shared .u32 s;\n"};
  endsWith(7, "mov.u32 r2, 0;\n" + look + "add.u32 r2, r2, 1;\n" + rest, one);
  endsWith(7,
           "st.shared.u32 [s], 0;\n" + look +
               "red.shared.add.u32 [s], 1;\nld.shared.u32 r2, [s];\n" + rest + "\nmov.u32 r2, 0;",
           one);
  endsWith(7,
           ".local .u32 l;\nst.local.u32 [l], 0;\n" + look +
               "ld.local.u32 r2, [l];\nadd.u32 r2, r2, 1;\nst.local.u32 [l], r2;\n" + rest,
           one);
  // The last block works for long before it sets the flag.
  endsWith(9,
           std::string(block) + "setp.eq.u32 p1, r1, 3;\n@p1 bra work;\n"
                                "w: ld.acquire.gpu.global.u32 r2, [out_];\nsetp.eq.u32 p2, r2, "
                                "0;\n@p2 bra w;\nbra e;\n"
                                "work: mov.u32 r3, 0;\nt: add.u32 r3, r3, 1;\nsetp.lt.u32 p3, r3, "
                                "1000000;\n@p3 bra t;\nst.release.gpu.global.u32 [out_], 9;\ne:",
           {.blocks = 4});
  // Blocks hand a number to each other, each of them twice a thousand times.
  endsWith(2000,
           std::string(block) +
               "mov.u32 r5, r1;\nw: ld.acquire.gpu.global.u32 r2, [out_];\nsetp.ne.u32 p2, r2, "
               "r5;\n@p2 bra w;\nadd.u32 r3, r2, 1;\nst.release.gpu.global.u32 [out_], r3;\n"
               "add.u32 r5, r5, 2;\nsetp.lt.u32 p2, r5, 2000;\n@p2 bra w;",
           {.blocks = 2, .threads = 1});
}

/// A thread that waits for an mbarrier looks at a flag in between, which another block sets.
TEST(Waiting, TryWaitAndAFlag) {
  endsWith(5,
           std::string(block) +
               "@!p1 bra other;\nmov.u32 r8, b;\nmbarrier.init.shared.b64 [r8], 1;\n"
               "w: mbarrier.try_wait.parity.shared.b64 p2, [r8], 0;\n@p2 bra e;\n"
               "ld.acquire.gpu.global.u32 r2, [out_];\nsetp.eq.u32 p2, r2, 0;\n@p2 bra w;\nbra e;\n"
               "other: st.release.gpu.global.u32 [out_], 5;\ne:",
           {.blocks = 2, .threads = 1, .module = mbarrier});
}

/// The host may set a flag in memory that both use, unless there is nobody who could.
TEST(Waiting, ForTheHost) {
  const std::string body =
      "w: ld.volatile.global.u32 r1, [out_];\nsetp.eq.u32 p1, r1, 0;\n@p1 bra w;";
  Waits how{.residence = Residence::Both};
  EXPECT_EQ(ends(body, how).reason().id, "Instructions");
  how.isAlone = [](unsigned threads) { return threads == 1; };
  EXPECT_EQ(ends(body, how).reason().id, "Deadlock");
  how.isAlone = [](unsigned) { return false; };
  EXPECT_EQ(ends(body, how).reason().id, "Instructions");
}

} // namespace

} // namespace tessera::sim::test
