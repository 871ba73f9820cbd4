// Lanes that exchange values, part, meet again, wait for each other and call functions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Harness.h"

#include <bit>

namespace tessera::sim::test {

namespace {

/// One result a lane: what `body` leaves in r0. r1 is the lane.
std::vector<uint32_t> lanes(const std::string &body, uint32_t threads = 32,
                            const std::string &module = "") {
  return results("  mov.u32 r1, %tid.x;\n" + body +
                     "\n  mov.u32 r59, %tid.x;\n  mad.wide.u32 d59, r59, 4, out_;\n  st.global.b32 "
                     "[d59], r0;\n",
                 threads, threads, {}, module);
}
template <class F> void expectEach(const std::vector<uint32_t> &got, F f) {
  for (uint32_t lane = 0; lane < got.size(); ++lane)
    EXPECT_EQ(got[lane], uint32_t(f(int(lane)))) << "lane " << lane;
}

//===--- Exchange ----------------------------------------------------------------------------===//

TEST(Lanes, Shuffle) {
  expectEach(lanes("shfl.sync.bfly.b32 r0, r1, 5, 31, -1;"), [](int l) { return l ^ 5; });
  expectEach(lanes("shfl.sync.up.b32 r0, r1, 3, 0, -1;"), [](int l) { return l >= 3 ? l - 3 : l; });
  expectEach(lanes("shfl.sync.down.b32 r0|p1, r1, 3, 31, -1;\n@!p1 mov.u32 r0, 99;"),
             [](int l) { return l + 3 < 32 ? l + 3 : 99; });
  // Segments of 8 lanes: c = (32 - 8) << 8 | 31.
  expectEach(lanes("shfl.sync.idx.b32 r0, r1, 2, 0x181f, -1;"),
             [](int l) { return l / 8 * 8 + 2; });
  expectEach(lanes("shfl.sync.up.b32 r0, r1, 1, 0x1800, -1;"),
             [](int l) { return l % 8 ? l - 1 : l; });
  expectEach(lanes("shfl.idx.b32 r0, r1, 7, 31;"), [](int) { return 7; });
}

TEST(Lanes, VoteAndMatch) {
  expectEach(lanes("setp.lt.u32 p1, r1, 5;\nvote.sync.ballot.b32 r0, p1, -1;"),
             [](int) { return 31; });
  expectEach(lanes("and.b32 r2, r1, 3;\nmatch.any.sync.b32 r0, r2, -1;"),
             [](int l) { return 0x11111111u << (l % 4); });
  expectEach(lanes("mov.b64 d2, {r1, r1};\nmatch.any.sync.b64 r0, d2, -1;"),
             [](int l) { return 1u << l; });
  expectEach(lanes("mov.u32 r2, 9;\nmatch.all.sync.b32 r0|p1, r2, -1;\n@!p1 mov.u32 r0, 1;"),
             [](int) { return ~0u; });
  expectEach(lanes("match.all.sync.b32 r0|p1, r1, -1;"), [](int) { return 0; });
  expectEach(lanes("redux.sync.add.u32 r0, r1, -1;"), [](int) { return 496; });
  expectEach(lanes("redux.sync.xor.b32 r0, r1, -1;"), [](int) { return 0; });
}

TEST(Lanes, OneIsElected) {
  expectEach(lanes("mov.u32 r0, 0;\nsetp.gt.u32 p2, r1, 3;\n@!p2 bra out;\nelect.sync _|p1, "
                   "0xfffffff0;\nselp.u32 r0, 1, 0, p1;\nout:"),
             [](int l) { return l == 4; });
}

//===--- Parting and meeting -----------------------------------------------------------------===//

TEST(Lanes, GoTheirOwnWaysAndMeet) {
  // Each lane loops as often as its number says; at the end all are together again.
  expectEach(lanes(R"(
  mov.u32 r2, 0;
  mov.u32 r3, 0;
again:
  setp.ge.u32 p1, r3, r1;
  @p1 bra over;
  add.u32 r2, r2, r3;
  add.u32 r3, r3, 1;
  bra.uni again;
over:
  activemask.b32 r4;
  setp.eq.u32 p2, r4, 0xffffffff;
  selp.b32 r0, r2, -1, p2;)"),
             [](int l) { return l * (l - 1) / 2; });
}

TEST(Lanes, MeetWhereTheOtherWayLiesAfter) {
  // The rare case stands after the end of the kernel, as compilers put it; .sync brings the lanes
  // together.
  expectEach(lanes(R"(
  setp.eq.u32 p1, r1, 3;
  @p1 bra rare;
  mov.u32 r2, 1;
join:
  shfl.sync.bfly.b32 r0, r2, 1, 31, -1;
  bra end;
rare:
  mov.u32 r2, 7;
  bra join;
end:)"),
             [](int l) { return l == 2 ? 7 : 1; });
}

TEST(Lanes, BranchThroughTables) {
  expectEach(lanes(R"(
  and.b32 r2, r1, 3;
  table: .branchtargets zero, one, two, one;
  brx.idx r2, table;
zero:
  mov.u32 r0, 100;
  bra end;
one:
  mov.u32 r0, 101;
  bra end;
two:
  mov.u32 r0, 102;
end:)"),
             [](int l) { return l % 4 == 0   ? 100
                                : l % 4 == 2 ? 102
                                             : 101; });
}

TEST(Lanes, EndEarly) {
  // What lanes 8 and above would have written stays; a barrier of the warp does not wait for them.
  std::vector<uint32_t> got =
      lanes("mov.u32 r0, 1;\nsetp.ge.u32 p1, r1, 8;\n@p1 exit;\nbar.warp.sync "
            "0xffffffff;\nvote.sync.ballot.b32 r0, p1, -1;");
  expectEach(got, [](int l) { return l < 8 ? 0u : 0xdeadbeef; });
}

TEST(Lanes, WaitAtDifferentPlaces) {
  expectEach(lanes("setp.lt.u32 p1, r1, 16;\n@p1 bra low;\nbar.warp.sync -1;\nmov.u32 r0, 2;\nbra "
                   "end;\nlow:\nbar.warp.sync -1;\nmov.u32 r0, 1;\nend:"),
             [](int l) { return l < 16 ? 1 : 2; });
}

TEST(Lanes, OneSpinsUntilAnotherSetsAFlag) {
  // Lane 0 stands further after than lane 1, which it waits for: it has to let lane 1 go on.
  expectEach(lanes(R"(
  setp.eq.u32 p1, r1, 0;
  @!p1 bra others;
spin:
  ld.volatile.shared.u32 r2, [flag];
  setp.eq.u32 p2, r2, 0;
  @p2 bra spin;
  mov.u32 r0, r2;
  bra end;
others:
  mov.u32 r3, 0;
count:
  add.u32 r3, r3, 1;
  setp.lt.u32 p3, r3, 1000;
  @p3 bra count;
  st.volatile.shared.u32 [flag], 5;
  mov.u32 r0, 6;
end:)",
                   32, ".shared .u32 flag;\n"),
             [](int l) { return l == 0 ? 5 : 6; });
}

//===--- Calls -------------------------------------------------------------------------------===//

constexpr const char *functions = R"(
.func (.param .b32 result) factorial(.param .b32 n) {
  .reg .b32 r<8>;
  .reg .pred p;
  ld.param.u32 r1, [n];
  mov.u32 r2, 1;
  setp.lt.u32 p, r1, 2;
  @p bra end;
  sub.u32 r3, r1, 1;
  {
    .param .b32 argument;
    .param .b32 back;
    st.param.b32 [argument], r3;
    call (back), factorial, (argument);
    ld.param.b32 r4, [back];
  }
  mul.lo.u32 r2, r1, r4;
end:
  st.param.b32 [result], r2;
  ret;
}
.func (.reg .b32 y) twice(.reg .b32 x) {
  add.u32 y, x, x;
  ret;
}
.func (.reg .b32 y) square(.reg .b32 x) {
  mul.lo.u32 y, x, x;
  ret.uni;
}
)";

TEST(Calls, ReturnToEachLanesOwnCaller) {
  auto factorial = [](int n) {
    int f = 1;
    for (int i = 2; i <= n; ++i)
      f *= i;
    return f;
  };
  expectEach(lanes("and.b32 r2, r1, 7;\n{\n.param .b32 a;\n.param .b32 b;\nst.param.b32 [a], "
                   "r2;\ncall (b), factorial, (a);\nld.param.b32 r0, [b];\n}",
                   32, functions),
             [&](int l) { return factorial(l % 8); });
}
TEST(Calls, GoThroughAddresses) {
  expectEach(lanes("mov.u64 d1, twice;\nmov.u64 d2, square;\nand.b32 r2, r1, 1;\nsetp.eq.u32 p1, "
                   "r2, 0;\nselp.b64 d3, d1, d2, p1;\n"
                   "prototype: .callprototype (.reg .b32 _) _ (.reg .b32 _);\ncall (r0), d3, (r1), "
                   "prototype;",
                   32, functions),
             [](int l) { return l % 2 ? l * l : 2 * l; });
  expectEach(lanes("call.uni (r0), twice, (r1);", 32, functions), [](int l) { return 2 * l; });
}
TEST(Calls, Print) {
  Bench bench;
  std::string body = R"(
  .local .align 8 .b8 buffer[24];
  .reg .b64 frame;
  mov.u32 r1, %tid.x;
  mov.b64 frame, buffer;
  st.local.u32 [frame], r1;
  st.local.f64 [frame+8], 0d3FF8000000000000;
  mov.u64 d2, name;
  st.local.u64 [buffer+16], d2;
  cvta.local.u64 d1, frame;
  mov.u64 d3, format;
  {
    .param .b64 p0;
    .param .b64 p1;
    .param .b32 back;
    st.param.b64 [p0], d3;
    st.param.b64 [p1], d1;
    call.uni (back), vprintf, (p0, p1);
  })";
  std::string module = ".extern .func (.param .b32 back) vprintf(.param .b64 a, .param .b64 b);\n"
                       ".global .align 1 .b8 format[18] = {37, 48, 51, 100, 32, 37, 46, 50, 102, "
                       "32, 37, 115, 32, 37, 37, 10, 0};\n"
                       ".global .align 1 .b8 name[3] = {104, 105, 0};\n";
  Status status = bench.launch(kernelOf(body, module), "k", {.grid = {}, .block = {2}}, {0, 0});
  ASSERT_TRUE(status) << status.reason().text;
  EXPECT_EQ(bench.machine.takeOutput(), "000 1.50 hi %\n001 1.50 hi %\n");
}

/// A format and an argument of vprintf, 8 bytes each of `arguments`; what is printed, and the
/// result.
std::pair<std::string, uint32_t> printed(const std::string &format, std::vector<uint64_t> arguments,
                                         bool isNull = false) {
  Bench bench;
  uint64_t out = bench.buffer(std::vector<uint32_t>(1));
  std::string text, puts;
  for (char c : format)
    text += cat(int(c), ", ");
  for (size_t i = 0; i < arguments.size(); ++i)
    puts += cat("st.local.u64 [buffer+", 8 * i, "], ", arguments[i], ";\n");
  std::string body =
      cat(".local .align 8 .b8 buffer[64];\n", puts,
          "mov.u64 d1, buffer;\ncvta.local.u64 d1, d1;\nmov.u64 d3, ", isNull ? "0" : "format", R"(;
  {
    .param .b64 p0;
    .param .b64 p1;
    .param .b32 back;
    st.param.b64 [p0], d3;
    st.param.b64 [p1], d1;
    call.uni (back), vprintf, (p0, p1);
    ld.param.b32 r1, [back];
    st.global.u32 [out_], r1;
  })");
  std::string module =
      cat(".extern .func (.param .b32 back) vprintf(.param .b64 a, .param .b64 b);\n",
          ".global .align 1 .b8 format[", format.size() + 1, "] = {", text, "0};\n");
  Status status = bench.launch(kernelOf(body, module), "k", {.grid = {}, .block = {1}}, {0, out});
  EXPECT_TRUE(status) << status.reason().text;
  return {bench.machine.takeOutput(), bench.read<uint32_t>(out, 1)[0]};
}
/// CUDA C++ Programming Guide 10.35: the host formats, and the result is the number of arguments.
/// Expected is what an H200 with driver 580.159.04 printed and returned on 2026-11-27.
TEST(Calls, PrintAsAGpuDoes) {
  using Printed = std::pair<std::string, uint32_t>;
  EXPECT_EQ(printed("plain", {}), Printed("plain", 0));
  EXPECT_EQ(printed("%ld %lu %lx|", {1ull << 40, 1ull << 41, 255}),
            Printed("1099511627776 2199023255552 ff|", 3));
  EXPECT_EQ(printed("%lld %llu|", {~0ull, ~0ull}), Printed("-1 18446744073709551615|", 2));
  EXPECT_EQ(printed("%hu %hd", {70000ull | 70000ull << 32}), Printed("4464 4464", 2));
  EXPECT_EQ(printed("%c%c|", {'x' | 321ull << 32}), Printed("xA|", 2));
  EXPECT_EQ(printed("%p|", {0x1234}), Printed("0x1234|", 1));
  EXPECT_EQ(printed("%a %A|", {std::bit_cast<uint64_t>(1.5), std::bit_cast<uint64_t>(-0.1)}),
            Printed("0x1.8p+0 -0X1.999999999999AP-4|", 2));
  EXPECT_EQ(printed("%+d % d %05d %-5d|", {3 | 3ull << 32, 3 | 3ull << 32}),
            Printed("+3  3 00003 3    |", 4));
  EXPECT_EQ(printed("%#x %#o|", {255 | 8ull << 32}), Printed("0xff 010|", 2));
  EXPECT_EQ(printed("%s|", {0}), Printed("(null)|", 1));
  EXPECT_EQ(printed("%d\n", {1, 2}), Printed("1\n", 1));
  EXPECT_EQ(printed("%*d %-*d|", {6 | 1ull << 32, 6 | 2ull << 32}), Printed("     1 2     |", 4));
  // What is not a conversion there.
  EXPECT_EQ(printed("%zu|", {1}), Printed("%zu|", 0));
  EXPECT_EQ(printed("%5d|%zd", {3}), Printed("    3|%zd", 1));
  EXPECT_EQ(printed("%5%|%%|", {}), Printed("%5%|%|", 0));
  EXPECT_EQ(printed("%y %d", {5}), Printed("%y 5", 1));
  EXPECT_EQ(printed("%.*f|", {2}), Printed("%.*f|", 0));
  EXPECT_EQ(printed("100%\n", {}), Printed("100%\n", 0));
  EXPECT_EQ(printed("100%", {}), Printed("100%", 0));
  EXPECT_EQ(printed("%'d|%Id", {1, 5}), Printed("%'d|%Id", 0));
  EXPECT_EQ(printed("%*d|", {6ull | 42ull << 32}), Printed("    42|", 2));
  EXPECT_EQ(printed("%+.1f %c", {std::bit_cast<uint64_t>(2.5), 'x'}), Printed("+2.5 x", 2));
  EXPECT_EQ(printed("%700d", {1}).first.size(), 700u);
  EXPECT_EQ(printed("", {}, true), Printed("", ~0u));
}
TEST(Calls, PrintPadsText) {
  Bench bench;
  std::string body = R"(
  .local .align 8 .b8 buffer[16];
  mov.u64 d1, name;
  st.local.u64 [buffer], d1;
  st.local.u64 [buffer+8], d1;
  mov.u64 d1, buffer;
  cvta.local.u64 d1, d1;
  mov.u64 d3, format;
  {
    .param .b64 p0;
    .param .b64 p1;
    .param .b32 back;
    st.param.b64 [p0], d3;
    st.param.b64 [p1], d1;
    call.uni (back), vprintf, (p0, p1);
  })";
  // "%4s|%-4.1s|"
  std::string module = ".extern .func (.param .b32 back) vprintf(.param .b64 a, .param .b64 b);\n"
                       ".global .align 1 .b8 format[12] = {37, 52, 115, 124, 37, 45, 52, 46, 49, "
                       "115, 124, 0};\n"
                       ".global .align 1 .b8 name[3] = {104, 105, 0};\n";
  Status status = bench.launch(kernelOf(body, module), "k", {.grid = {}, .block = {1}}, {0, 0});
  ASSERT_TRUE(status) << status.reason().text;
  EXPECT_EQ(bench.machine.takeOutput(), "  hi|h   |");
}

/// nvcc makes an array without a length of a function's `...`; a call gives one of its own length,
/// or none.
TEST(Calls, TakeAnyNumberOfArguments) {
  std::string function = R"(
.func (.param .b32 back) digits(.param .b32 count, .param .align 8 .b8 %VAParam[]) {
  .reg .b32 %n, %sum, %one;
  .reg .b64 %at;
  .reg .pred %more;
  ld.param.u32 %n, [count];
  mov.u64 %at, %VAParam;
  mov.u32 %sum, 0;
again:
  setp.ne.u32 %more, %n, 0;
  @!%more bra done;
  ld.local.u32 %one, [%at];
  mad.lo.u32 %sum, %sum, 10, %one;
  add.u64 %at, %at, 4;
  sub.u32 %n, %n, 1;
  bra again;
done:
  st.param.b32 [back], %sum;
  ret;
}
)";
  auto called = [&](int count) {
    std::string text =
        cat("{\n.param .b32 n;\n.param .b32 back;\nst.param.b32 [n], ", count, ";\n");
    if (count)
      text += cat(".param .align 8 .b8 more[", 4 * count, "];\n");
    for (int i = 0; i < count; ++i)
      text += cat("st.param.b32 [more+", 4 * i, "], ", i + 1, ";\n");
    return text + (count ? "call (back), digits, (n, more);" : "call (back), digits, (n);") +
           "\nld.param.b32 r0, [back];\n}";
  };
  for (auto [count, want] : {std::pair{0, 0}, {1, 1}, {3, 123}, {9, 123456789}})
    expectEach(lanes(called(count), 32, function), [&](int) { return want; });
  Reason reason = refused(kernelOf("{\n.param .b32 back;\ncall (back), digits, ();\n}", function));
  EXPECT_EQ(reason.id, "CallSignature") << reason.text;
}

//===--- Blocks and clusters -----------------------------------------------------------------===//

TEST(Blocks, WaitAtBarriers) {
  // Values go round through shared memory: each thread reads what its neighbour in another warp
  // wrote.
  expectEach(lanes(R"(
  shl.b32 r2, r1, 2;
  mov.u32 r3, buffer;
  add.u32 r4, r3, r2;
  st.shared.u32 [r4], r1;
  bar.sync 0;
  add.u32 r5, r1, 40;
  rem.u32 r5, r5, 96;
  shl.b32 r5, r5, 2;
  add.u32 r5, r5, r3;
  ld.shared.u32 r0, [r5];)",
                   96, ".shared .u32 buffer[96];\n"),
             [](int t) { return (t + 40) % 96; });
}
TEST(Blocks, CountAndReduceAtBarriers) {
  expectEach(lanes("setp.lt.u32 p1, r1, 40;\nbar.red.popc.u32 r0, 1, p1;", 64),
             [](int) { return 40; });
  expectEach(
      lanes("setp.lt.u32 p1, r1, 40;\nbar.red.and.pred p2, 1, p1;\nselp.u32 r0, 1, 0, p2;", 64),
      [](int) { return 0; });
  expectEach(
      lanes("setp.lt.u32 p1, r1, 40;\nbar.red.or.pred p2, 1, 64, p1;\nselp.u32 r0, 1, 0, p2;", 64),
      [](int) { return 1; });
  expectEach(lanes("setp.lt.u32 p1, r1, 40;\nbar.red.popc.u32 r0, 1, 64, !p1;", 64),
             [](int) { return 24; });
  expectEach(lanes("setp.lt.u32 p1, r1, 40;\nbarrier.red.popc.aligned.u32 r0, 1, "
                   "p1;\nbarrier.red.popc.u32 r2, 1, 64, p1;\nadd.u32 r0, r0, r2;",
                   64),
             [](int) { return 80; });
  expectEach(lanes("setp.lt.u32 p1, r1, 64;\nbarrier.cta.red.and.pred p2, 1, "
                   "p1;\nbarrier.red.and.pred p3, 1, 64, p2;\nselp.u32 r0, 1, 0, p3;",
                   64),
             [](int) { return 1; });
}
TEST(Blocks, HandOverBetweenWarps) {
  // Warp 0 produces and arrives, warp 1 waits for it, at a barrier of 64 threads.
  expectEach(lanes(R"(
  mov.u32 r0, 0;
  setp.ge.u32 p1, r1, 32;
  @p1 bra consumer;
  shl.b32 r2, r1, 2;
  mov.u32 r3, buffer;
  add.u32 r3, r3, r2;
  mul.lo.u32 r4, r1, r1;
  st.shared.u32 [r3], r4;
  bar.arrive 2, 64;
  barrier.cta.arrive.aligned 3, 64;
  bra end;
consumer:
  barrier.sync 2, 64;
  bar.sync 3, 64;
  sub.u32 r2, r1, 32;
  shl.b32 r2, r2, 2;
  mov.u32 r3, buffer;
  add.u32 r3, r3, r2;
  ld.shared.u32 r0, [r3];
end:)",
                   64, ".shared .u32 buffer[32];\n"),
             [](int t) { return t < 32 ? 0 : (t - 32) * (t - 32); });
}
TEST(Blocks, BarriersDoNotWaitForThreadsThatHaveEnded) {
  expectEach(lanes("mov.u32 r0, 1;\nsetp.ge.u32 p1, r1, 32;\n@p1 bra end;\nbar.sync 0;\nend:", 70),
             [](int) { return 1; });
}

TEST(Clusters, ReadEachOthersSharedMemory) {
  // Every block of a cluster of 4 writes its rank, and reads that of the next block.
  Bench bench;
  uint64_t out = bench.buffer(std::vector<uint32_t>(8));
  std::string body = R"(
  mov.u32 r1, %cluster_ctarank;
  mov.u32 r2, slot;
  mul.lo.u32 r9, r1, 11;
  st.shared.u32 [r2], r9;
  barrier.cluster.arrive.release.aligned;
  barrier.cluster.wait.acquire.aligned;
  add.u32 r3, r1, 1;
  and.b32 r3, r3, 3;
  mapa.shared::cluster.u32 r4, r2, r3;
  ld.shared::cluster.u32 r5, [r4];
  getctarank.shared::cluster.u32 r6, r4;
  mad.lo.u32 r5, r6, 1000, r5;
  mov.u32 r7, %ctaid.x;
  mad.wide.u32 d1, r7, 4, out_;
  st.global.u32 [d1], r5;
  barrier.cluster.arrive;
  barrier.cluster.wait;)";
  Status status = bench.launch(kernelOf(body, ".shared .u32 slot;\n"), "k",
                               {.grid = {8}, .block = {1}, .cluster = Dim3{4}}, {0, out});
  ASSERT_TRUE(status) << status.reason().text;
  EXPECT_EQ(bench.read<uint32_t>(out, 8),
            (std::vector<uint32_t>{1011, 2022, 3033, 0, 1011, 2022, 3033, 0}));
}

TEST(Grids, MayWaitForBlocksThatStartLater) {
  // Block 0 spins until the last of 40 blocks has counted: more than there are host threads.
  Bench bench({.hostThreads = 2});
  uint64_t out = bench.buffer(std::vector<uint32_t>(1));
  std::string body = "atom.global.add.u32 r1, [out_], 1;\nspin:\nld.relaxed.gpu.global.u32 r2, "
                     "[out_];\nsetp.lt.u32 p1, r2, 3;\n@p1 bra spin;\n";
  Status status = bench.launch(kernelOf(body), "k", {.grid = {3}, .block = {1}}, {0, out});
  ASSERT_TRUE(status) << status.reason().text;
  EXPECT_EQ(bench.read<uint32_t>(out, 1)[0], 3u);
}

/// A barrier of a grid made by hand, three times: blocks that poll make room for those that have
/// not begun, long before a limit of instructions does that, however they poll.
TEST(Grids, WhoPollsMakesRoom) {
  constexpr uint32_t blocks = 132;
  std::string slow = "nanosleep.u32 50;\n"; // as code that is not optimised is
  for (int k = 0; k < 100; ++k)
    slow += "add.u32 r9, r9, 1;\n";
  for (const std::string &poll : std::initializer_list<std::string>{
           slow + "atom.global.add.u32 r2, [out_], 0;\n",
           "ld.volatile.global.u32 r2, [out_];\nnanosleep.u32 50;\n",
           "ld.acquire.gpu.global.u32 r2, [out_];\n", "atom.global.add.u32 r2, [out_], 0;\n",
           "atom.global.cas.b32 r2, [out_], 7777, 7777;\n"})
    for (unsigned threads : {1u, 2u}) {
      Bench bench({.hostThreads = threads});
      uint64_t out = bench.buffer(std::vector<uint32_t>(1));
      std::string body = "mov.u32 r1, %tid.x;\nmov.u32 r4, 0;\n"
                         "again: bar.sync 0;\nadd.u32 r4, r4, 132;\n"
                         "setp.ne.u32 p1, r1, 0;\n@p1 bra others;\n"
                         "atom.global.add.u32 r3, [out_], 1;\nspin:\n" +
                         poll +
                         "setp.lt.u32 p2, r2, r4;\n@p2 bra spin;\n"
                         "others: bar.sync 0;\nsetp.lt.u32 p1, r4, 396;\n@p1 bra again;\n";
      Status status =
          bench.launch(kernelOf(body), "k", {.grid = {blocks}, .block = {64}}, {0, out});
      ASSERT_TRUE(status) << status.reason().text;
      EXPECT_EQ(bench.read<uint32_t>(out, 1)[0], 3 * blocks);
      EXPECT_LT(bench.machine.statistics().warpInstructions, 20'000'000u) << poll << threads;
    }
}

TEST(Lanes, OfDifferentMasksShuffleApart) {
  // Tiles of eight lanes give masks of their own at one instruction; so do halves that vote and
  // meet at a barrier.
  std::vector<uint32_t> got = results(R"(
  mov.u32 r1, %laneid;
  and.b32 r2, r1, 24;
  mov.u32 r3, 255;
  shl.b32 r3, r3, r2;
  shfl.sync.bfly.b32 r4, r1, 7, 31, r3;
  redux.sync.add.u32 r5, r1, r3;
  bar.warp.sync r3;
  mad.wide.u32 d1, r1, 8, out_;
  st.global.v2.u32 [d1], {r4, r5};
)",
                                      64);
  for (uint32_t lane = 0; lane < 32; ++lane) {
    EXPECT_EQ(got[2 * lane], lane ^ 7) << lane;
    EXPECT_EQ(got[2 * lane + 1], 8 * (lane / 8 * 8) + 28) << lane;
  }
}

TEST(Memory, IsGivenOutByMallocUntilNoneIsLeft) {
  // The heap has 8 MiB: of three pieces of 4 MiB the last is 0, until one is freed; pieces do not
  // overlap.
  std::vector<uint32_t> got = results(R"(
  .param .b64 n, p1, p2, p3;
  mov.u64 d9, 0x400000;
  call (d1), malloc, (d9);
  call (d2), malloc, (d9);
  call (d3), malloc, (d9);
  call free, (d1);
  call (d4), malloc, (16);
  call free, (0);
  sub.u64 d5, d2, d1;
  sub.u64 d4, d4, d1;
  cvt.u32.u64 r1, d5;
  cvt.u32.u64 r2, d3;
  cvt.u32.u64 r3, d4;
  st.global.u32 [out_], r1;
  st.global.u32 [out_+4], r2;
  st.global.u32 [out_+8], r3;
)",
                                      3, 1, {},
                                      ".extern .func (.param .b64 r) malloc (.param .b64 "
                                      "n);\n.extern .func free (.param .b64 p);\n");
  EXPECT_EQ(got, (std::vector<uint32_t>{0x400000, 0, 0}));
}

} // namespace

} // namespace tessera::sim::test
