// What a kernel may take: instructions, memory, output, time.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Harness.h"

#include "tessera/base/Printable.h"

#include <algorithm>

namespace tessera::sim::test {

namespace {

/// What a machine with these limits says of a kernel without parameters, run by some blocks.
struct Outcome {
  Status status = Done{};
  std::string output;
};
Outcome runs(const sim::Limits &limits, const std::string &text, uint32_t blocks = 1,
             uint32_t threads = 32) {
  Machine machine(limits);
  Result<LoadedProgram> loaded = machine.load(parsed(text));
  if (!loaded)
    return {loaded.reason(), ""};
  Status status =
      machine.launch(*loaded, "k", {.grid = {blocks, 1, 1}, .block = {threads, 1, 1}}, {});
  return {std::move(status), machine.takeOutput()};
}

std::string kernel(const std::string &body, const std::string &module = "") {
  return ".version 8.0\n.target sm_90\n.address_size 64\n" + module +
         ".visible .entry k() {\n.reg .b32 r<8>;\n.reg .pred p<2>;\n" + body + "\nret;\n}\n";
}

/// A kernel of 100 instructions: two before, 32 rounds of three, one that falls through, and ret.
const char hundred[] = "mov.u32 r1, 0;\nmov.u32 r2, 32;\n"
                       "again: add.u32 r1, r1, 1;\nsetp.lt.u32 p1, r1, r2;\n@p1 bra again;\n"
                       "mov.u32 r3, 0;";

TEST(Limits, InstructionsAreCountedExactly) {
  std::string text = kernel(hundred); // 2 + 32 * 3 + 1 + ret
  for (unsigned threads : {1u, 4u}) {
    EXPECT_TRUE(runs({.instructions = 100, .hostThreads = threads}, text, 4).status);
    Outcome one = runs({.instructions = 99, .hostThreads = threads}, text, 4);
    ASSERT_FALSE(one.status);
    EXPECT_EQ(one.status.reason().id, "Instructions");
    EXPECT_NE(one.status.reason().text.find("the limit of 99 instructions"), std::string::npos);
  }
  EXPECT_EQ(runs({.instructions = 0}, text).status.reason().id, "Instructions");
  // A warp that waits at its limit has used no more than that, and fails where it would go on: lane
  // sets that meet at a barrier.
  std::string waits = kernel("bar.sync 0;\nbar.sync 0;\nbar.sync 0;");
  EXPECT_TRUE(runs({.instructions = 4}, waits, 1, 128).status);
  EXPECT_EQ(runs({.instructions = 3}, waits, 1, 128).status.reason().id, "Instructions");
}

/// Each of eight blocks writes down how many came before, twice: in order, or with a seed in
/// another one, in which blocks come between the two of others, and which is the same each time.
TEST(Limits, ShuffleIsAnOrderOfBlocksToo) {
  constexpr uint32_t blocks = 8;
  std::string text =
      kernelOf("mov.u32 r1, %ctaid.x;\nmul.wide.u32 d1, r1, 8;\nadd.u64 d1, d1, "
               "out_;\nmov.u32 r4, 0;\n"
               "atom.global.add.u32 r2, [came], 1;\n"
               "w: add.u32 r4, r4, 1;\nsetp.lt.u32 p1, r4, 200;\n@p1 bra w;\n"
               "atom.global.add.u32 r3, [came], 1;\nst.global.v2.u32 [d1], {r2, r3};",
               ".global .u32 came = 0;\n");
  auto order = [&](std::optional<uint64_t> seed) {
    Limits limits;
    limits.shuffle = seed;
    limits.hostThreads = 1;
    Bench bench(limits);
    uint64_t out = bench.buffer(std::vector<uint32_t>(2 * blocks));
    EXPECT_TRUE(bench.launch(text, "k", {.grid = {blocks}, .block = {1}}, {0, out}));
    return bench.read<uint32_t>(out, 2 * blocks);
  };
  std::vector<uint32_t> plain = order(std::nullopt);
  for (uint32_t i = 0; i < 2 * blocks; ++i)
    EXPECT_EQ(plain[i], i);
  std::set<std::vector<uint32_t>> seen;
  size_t between = 0;
  for (uint64_t seed = 1; seed <= 8; ++seed) {
    std::vector<uint32_t> one = order(seed);
    EXPECT_EQ(one, order(seed));
    EXPECT_TRUE(std::is_permutation(one.begin(), one.end(), plain.begin()));
    for (uint32_t i = 0; i < blocks; ++i)
      between += one[2 * i + 1] != one[2 * i] + 1;
    seen.insert(one);
  }
  EXPECT_GT(seen.size(), 4u);
  EXPECT_GT(between, 8u);
}

/// Blocks that wait for one that comes late all run in the end, whatever their number.
TEST(Limits, ShuffledBlocksMakeRoomForOthers) {
  constexpr uint32_t blocks = 9;
  std::string text =
      kernelOf("red.global.add.u32 [came], 1;\n"
               "w: ld.relaxed.gpu.global.u32 r1, [came];\nsetp.lt.u32 p1, r1, 9;\n@p1 "
               "bra w;\n",
               ".global .u32 came = 0;\n");
  Limits limits;
  limits.shuffle = 3;
  limits.hostThreads = 1;
  Bench bench(limits);
  LaunchConfig config{.grid = {blocks}, .block = {1}};
  config.cooperative = true; // each has its turn soon
  EXPECT_TRUE(bench.launch(text, "k", config, {0, 0}));
}

/// Each of 16 warps writes down how many came before: in order, or with a seed in another one,
/// which is the same each time.
TEST(Limits, ShuffleIsAnOrderOfWarps) {
  constexpr uint32_t warps = 16;
  std::string text = kernelOf("mov.u32 r1, %tid.x;\nand.b32 r2, r1, 31;\nsetp.eq.u32 p1, r2, 0;\n"
                              "shr.u32 r1, r1, 5;\nmul.wide.u32 d1, r1, 4;\nadd.u64 d1, d1, out_;\n"
                              "@p1 atom.shared.add.u32 r3, [came], 1;\n@p1 st.global.u32 [d1], r3;",
                              ".shared .u32 came;\n");
  auto order = [&](std::optional<uint64_t> seed) {
    Limits limits;
    limits.shuffle = seed;
    Bench bench(limits);
    uint64_t out = bench.buffer(std::vector<uint32_t>(warps));
    EXPECT_TRUE(bench.launch(text, "k", {.grid = {}, .block = {32 * warps}}, {0, out}));
    return bench.read<uint32_t>(out, warps);
  };
  std::vector<uint32_t> plain = order(std::nullopt);
  for (uint32_t i = 0; i < warps; ++i)
    EXPECT_EQ(plain[i], i);
  std::set<std::vector<uint32_t>> seen;
  for (uint64_t seed = 1; seed <= 8; ++seed) {
    std::vector<uint32_t> one = order(seed);
    EXPECT_EQ(one, order(seed));
    EXPECT_TRUE(std::is_permutation(one.begin(), one.end(), plain.begin()));
    seen.insert(one);
  }
  EXPECT_EQ(seen.size(), 8u); // of 16! orders
  EXPECT_FALSE(seen.count(plain));
}

TEST(Limits, LocalMemoryCountsAsMemory) {
  // 64 KiB of each of 256 threads are 16 MiB.
  std::string text = kernel(".local .b8 room[65536];\nst.local.u32 [room], 0;");
  EXPECT_TRUE(runs({.globalBytes = 16 << 20, .hostThreads = 1}, text, 4, 256).status);
  Outcome less = runs({.globalBytes = (16 << 20) - 1, .hostThreads = 1}, text, 4, 256);
  ASSERT_FALSE(less.status);
  EXPECT_EQ(less.status.reason().id, "LocalMemory") << less.status.reason().text;
  EXPECT_NE(less.status.reason().text.find("block (0, 0, 0)"), std::string::npos);
  // Of called functions too.
  std::string calls =
      kernel("call f;", ".func f() {\n.local .b8 room[65536];\nst.local.u32 [room], 0;\nret;\n}\n");
  EXPECT_TRUE(runs({.globalBytes = 2 << 20}, calls).status);
  EXPECT_EQ(runs({.globalBytes = (2 << 20) - 1}, calls).status.reason().id, "LocalMemory");
  // And what a launch took is free after it.
  Machine machine({.globalBytes = 16 << 20, .hostThreads = 1});
  LoadedProgram loaded = *machine.load(parsed(text));
  for (int i = 0; i < 3; ++i)
    EXPECT_TRUE(machine.launch(loaded, "k", {.block = {256, 1, 1}}, {}));
  EXPECT_EQ(machine.memory().budget().used(), 0u);
}

TEST(Limits, AllocationsThatCannotBe) {
  Machine machine({.globalBytes = UINT64_MAX});
  for (uint64_t bytes : {UINT64_MAX, UINT64_MAX - 1, UINT64_MAX / 2, uint64_t(1) << 44}) {
    Result<uint64_t> made = machine.memory().allocate(bytes);
    ASSERT_FALSE(made) << bytes;
    EXPECT_EQ(made.reason().id, "NoMemory");
  }
  EXPECT_TRUE(machine.memory().allocate(256));
}

TEST(Limits, MemoryThatTheHostUsesToo) {
  Machine machine({.globalBytes = 1 << 20, .hostThreads = 1});
  GlobalMemory &memory = machine.memory();
  Result<uint64_t> both = memory.allocate(100, Residence::Both);
  ASSERT_TRUE(both);
  auto *pointer = reinterpret_cast<uint32_t *>(*both); // the address is one of the host
  pointer[3] = 7;
  uint32_t read = 0;
  ASSERT_TRUE(memory.read(std::as_writable_bytes(std::span(&read, 1)), *both + 12));
  EXPECT_EQ(read, 7u);
  // Kernels see what the host wrote, in memory of both and in what is borrowed.
  std::vector<uint32_t> own(64, 5);
  ASSERT_TRUE(memory.borrow(std::as_writable_bytes(std::span(own))));
  EXPECT_EQ(memory.borrow(std::as_writable_bytes(std::span(own).subspan(3, 1))).reason().id,
            "HostRange");
  EXPECT_EQ(memory.borrow({}).reason().id, "HostRange");
  std::string text =
      kernel("{ .reg .b64 a, b; .reg .b32 x, y;\nld.param.u64 a, [p0];\nld.param.u64 b, [p1];\n"
             "ld.global.u32 x, [a+12];\nld.u32 y, [b+252];\nadd.u32 x, x, y;\n"
             "st.global.u32 [b], x;\n}");
  text.replace(text.find("k()"), 3, "k(.param .u64 p0, .param .u64 p1)");
  LoadedProgram loaded = *machine.load(parsed(text));
  uint64_t parameters[] = {*both, reinterpret_cast<uint64_t>(own.data())};
  Status ended = machine.launch(loaded, "k", {}, std::as_bytes(std::span(parameters)));
  ASSERT_TRUE(ended) << ended.reason().text;
  EXPECT_EQ(own[0], 12u);
  EXPECT_TRUE(memory.free(parameters[1]));
  EXPECT_EQ(machine.launch(loaded, "k", {}, std::as_bytes(std::span(parameters))).reason().id,
            "OutOfBounds");
  EXPECT_EQ(memory.budget().used(), 100u); // what is borrowed is not counted
  EXPECT_TRUE(memory.free(*both));
}

/// %envreg1 and %envreg2 hold the address of a workspace: its size, and a barrier that is 0 at
/// first.
TEST(Limits, CooperativeLaunchesHaveAWorkspace) {
  Machine machine({.hostThreads = 2});
  std::string text =
      kernel("{ .reg .b64 d; .reg .b32 x, high, low; .reg .pred p;\nmov.u32 high, "
             "%envreg1;\nmov.u32 low, %envreg2;\n"
             "mov.b64 d, {low, high};\nld.u32 x, [d];\nsetp.ne.u32 p, x, 8;\n@p trap;\n"
             // All blocks meet at the barrier.
             "atom.add.u32 x, [d+4], 1;\nagain: ld.volatile.u32 x, [d+4];\nsetp.ne.u32 p, x, "
             "6;\n@p bra again;\n}");
  LoadedProgram loaded = *machine.load(parsed(text));
  for (int i = 0; i < 2; ++i) { // the barrier begins at 0 again
    Status ended = machine.launch(loaded, "k", {.grid = {6, 1, 1}, .cooperative = true}, {});
    EXPECT_TRUE(ended) << ended.reason().text;
  }
  EXPECT_EQ(machine.launch(loaded, "k", {.grid = {6, 1, 1}}, {}).reason().id, "OutOfBounds");
}

const char printing[] =
    ".extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);\n"
    ".global .align 1 .b8 words[12] = {97, 98, 99, 100, 101, 102, 103, 104, 105, 10, 0};\n";
const char prints[] = "{ .reg .b64 d; .param .b64 f; .param .b64 a; .param .b32 r;\n"
                      "mov.u64 d, words; st.param.b64 [f], d; st.param.b64 [a], 0;\n"
                      "call (r), vprintf, (f, a); }";

TEST(Limits, OutputIsBounded) {
  // 3 blocks of 32 threads print 10 bytes each: 960.
  std::string text = kernel(prints, printing);
  EXPECT_EQ(runs({.hostThreads = 1, .outputBytes = 960}, text, 3).output.size(), 960u);
  std::string cut = runs({.hostThreads = 1, .outputBytes = 25}, text, 3).output;
  EXPECT_EQ(
      cut,
      "abcdefghi\nabcdefghi\nabcde\n[cut off: 935 more bytes were printed, and 25 are kept]\n");
  EXPECT_EQ(runs({.outputBytes = 0}, text).output,
            "[cut off: 320 more bytes were printed, and 0 are kept]\n");
  // The bound is for all that was not taken yet, not for each launch.
  Machine machine({.outputBytes = 500});
  LoadedProgram loaded = *machine.load(parsed(text));
  for (int i = 0; i < 2; ++i)
    EXPECT_TRUE(machine.launch(loaded, "k", {.block = {32, 1, 1}}, {}));
  std::string both = machine.takeOutput();
  EXPECT_EQ(both.substr(0, 500).size(), 500u);
  EXPECT_NE(both.find("[cut off: 140 more bytes"), std::string::npos) << both;
  EXPECT_TRUE(machine.launch(loaded, "k", {.block = {32, 1, 1}}, {}));
  EXPECT_EQ(machine.takeOutput().size(), 320u);
}

TEST(Limits, TimeEndsALaunch) {
  std::string text = kernel("again: bra again;");
  auto began = std::chrono::steady_clock::now();
  Outcome late = runs({.deadline = began + std::chrono::milliseconds(200)}, text, 8);
  EXPECT_EQ(late.status.reason().id, "Time");
  EXPECT_EQ(late.status.reason().text, "kernel 'k' did not end in the time that it was given");
  EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(20));
}

TEST(Limits, SizesThatDoNotFitTheirNumbers) {
  // 2^32 bytes once became 0, and the kernel ran with a parameter that has no bytes.
  for (const char *size : {"4294967296", "4294967300", "16777217"}) {
    Reason reason =
        refused(std::string(".version 8.0\n.target sm_90\n.visible .entry k(.param .b8 p[") + size +
                "]) {\nret;\n}\n");
    EXPECT_EQ(reason.id, "TooLarge") << reason.text;
    EXPECT_NE(reason.text.find("p"), std::string::npos);
  }
}

TEST(Limits, TextForTerminals) {
  EXPECT_EQ(printable("a\tb\nc"), "a\tb\nc");
  EXPECT_EQ(printable("\x1b[31mred\x7f\r"), "\\x1b[31mred\\x7f\\x0d");
  EXPECT_EQ(printable(std::string_view("\0x", 2)), "\\x00x");
  EXPECT_EQ(printable("\u00e9\u20ac\U0001f600"), "\u00e9\u20ac\U0001f600");
  EXPECT_EQ(printable("\xc2\x9b"
                      "1m"),
            "\\xc2\\x9b1m"); // U+009B is what ESC [ is in one character
  EXPECT_EQ(printable("\x9b"
                      "1m"),
            "\\x9b1m");
  EXPECT_EQ(printable("\xe2\x82"), "\\xe2\\x82");          // cut
  EXPECT_EQ(printable("\xc0\x9b"), "\\xc0\\x9b");          // an overlong form
  EXPECT_EQ(printable("\xed\xa0\x80"), "\\xed\\xa0\\x80"); // half of a surrogate pair
}

} // namespace

} // namespace tessera::sim::test
