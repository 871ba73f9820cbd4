// Asynchronous copies and mbarriers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Harness.h"

#include "tessera/sim/Mbarrier.h"

namespace tessera::sim::test {

namespace {

using Words = std::vector<uint32_t>;

constexpr const char *twoGroups = R"(
  mov.u32 r9, block;
  st.shared.v4.u32 [r9], {90, 91, 92, 93};
  st.shared.v4.u32 [r9+16], {94, 95, 96, 97};
  cp.async.ca.shared.global [r9], [in_], 4;
  cp.async.commit_group;
  cp.async.cg.shared.global.L2::128B [r9+16], [in_+16], 16, 8;
  cp.async.commit_group;
  cp.async.wait_group 1;
  ld.shared.u32 r1, [r9];
  ld.shared.u32 r2, [r9+16];
  cp.async.wait_all;
  ld.shared.v4.u32 {r3, r4, r5, r6}, [r9+16];
  st.global.v2.u32 [out_], {r1, r2};
  st.global.v4.u32 [out_+16], {r3, r4, r5, r6};)";

TEST(AsyncCopies, AreThereAfterTheirWait) {
  Words input{1, 2, 3, 4, 5, 6, 7, 8};
  for (bool late : {false, true}) {
    Bench bench({.lateCopies = late});
    uint64_t in = bench.buffer(input), out = bench.buffer(Words(8));
    ASSERT_TRUE(bench.launch(kernelOf(twoGroups, ".shared .align 16 .b8 block[32];\n"), "k",
                             {.grid = {}, .block = {1}}, {in, out}));
    // Made late, the second group is not there when only the first has been waited for.
    EXPECT_EQ(bench.read<uint32_t>(out, 8), (Words{1, late ? 94u : 5u, 0, 0, 5, 6, 0, 0}));
  }
}
TEST(AsyncCopies, MayIgnoreTheirSource) {
  Words got = results(".shared .align 16 .u32 s[4];\nmov.u32 r9, s;\nst.shared.u32 [s], "
                      "9;\nsetp.eq.u32 p1, r1, r1;\ncp.async.ca.shared.global [r9], [in_], 4, p1;\n"
                      "cp.async.wait_all;\nld.shared.u32 r1, [s];\nst.global.u32 [out_], r1;",
                      1, 1, {5});
  EXPECT_EQ(got[0], 0u);
}

/// PTX ISA 9.7.9.25.3.1: of the source only the bytes that the last operand says are read. Six
/// bytes are the whole buffer; the address is still a multiple of 16.
TEST(AsyncCopies, ReadNoMoreThanTheirSourceHas) {
  using Halves = std::vector<uint16_t>;
  for (auto [bytes, offset, fits] : {std::tuple(6, 0, true), {8, 0, false}, {2, 4, false}}) {
    Bench bench({});
    uint64_t in = bench.buffer(Halves{1, 2, 3}), out = bench.buffer(Words(4));
    std::string text = cat("mov.u32 r9, s;\ncp.async.cg.shared.global [r9], [in_+", offset,
                           "], 16, ", bytes, ";\ncp.async.wait_all;\n",
                           "ld.shared.v4.u32 {r3, r4, r5, r6}, [r9];\n"
                           "st.global.v4.u32 [out_], {r3, r4, r5, r6};");
    bool ran = bench
                   .launch(kernelOf(text, ".shared .align 16 .b8 s[16];\n"), "k",
                           {.grid = {}, .block = {1}}, {in, out})
                   .ok();
    EXPECT_EQ(ran, fits) << bytes << " at " << offset;
    if (fits) {
      EXPECT_EQ(bench.read<uint32_t>(out, 4), (Words{0x20001, 3, 0, 0}));
    }
  }
}

//===--- mbarriers ---------------------------------------------------------------------------===//

TEST(Mbarriers, CountArrivalsAndBytes) {
  Mbarrier b = Mbarrier::initial(2);
  EXPECT_FALSE(b.arrive(1, false));
  b.expect(100);
  EXPECT_FALSE(b.arrive(1, false)); // bytes are missing
  EXPECT_EQ(b.bytes(), 100);
  EXPECT_FALSE(b.complete(60));
  EXPECT_TRUE(b.complete(40));
  EXPECT_EQ(b.phase(), 1u);
  EXPECT_EQ(b.pending(), 2u);
  EXPECT_FALSE(b.complete(8)); // bytes may come before they are expected
  EXPECT_EQ(b.bytes(), -8);
  EXPECT_FALSE(b.arrive(1, true));
  b.expect(8);
  EXPECT_TRUE(b.arrive(1, false));
  EXPECT_EQ(b.expected(), 1u);
}

TEST(Mbarriers, LetAConsumerWait) {
  // Warp 1 waits for the phase that the 32 threads of warp 0 end.
  Words got = results(R"(
  .shared .align 8 .b64 barrier;
  .shared .u32 value;
  mov.u32 r1, %tid.x;
  mov.u32 r8, barrier;
  setp.eq.u32 p1, r1, 0;
  @p1 mbarrier.init.shared::cta.b64 [r8], 32;
  bar.sync 0;
  setp.lt.u32 p2, r1, 32;
  @p2 bra producer;
  mov.u32 r2, 0;
wait:
  mbarrier.try_wait.parity.shared::cta.b64 p3, [r8], r2;
  @!p3 bra wait;
  mbarrier.test_wait.parity.shared.b64 p4, [r8], 1;
  selp.u32 r4, 1, 0, p4;
  ld.shared.u32 r3, [value];
  add.u32 r3, r3, r4;
  bra end;
producer:
  red.shared.add.u32 [value], r1;
  mbarrier.arrive.shared::cta.b64 d1, [r8];
  mbarrier.pending_count.b64 r3, d1;
end:
  mad.wide.u32 d2, r1, 4, out_;
  st.global.u32 [d2], r3;)",
                      64, 64);
  for (uint32_t t = 0; t < 64; ++t)
    EXPECT_EQ(got[t], t < 32 ? 32 - t : 496u) << t;
}

TEST(Mbarriers, HearOfBytesAndCopies) {
  Words got = results(R"(
  .shared .align 8 .b64 barrier;
  .shared .align 16 .u32 s[4];
  mov.u32 r8, barrier;
  mov.u32 r9, s;
  mbarrier.init.shared.b64 [barrier], 1;
  mbarrier.arrive.expect_tx.shared.b64 _, [r8], 16;
  mbarrier.test_wait.parity.shared.b64 p1, [r8], 0;
  mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [r8], 16;
  mbarrier.test_wait.parity.shared.b64 p2, [r8], 0;
  mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [r8], 4;
  mbarrier.complete_tx.shared::cta.b64 [r8], 4;
  cp.async.ca.shared.global [r9], [in_], 4;
  cp.async.mbarrier.arrive.noinc.shared.b64 [r8];
  mbarrier.try_wait.parity.shared.b64 p3, [r8], 1, 1000;
  ld.shared.u32 r1, [r9];
  mbarrier.arrive_drop.shared.b64 d5, [r8];
  mbarrier.inval.shared.b64 [r8];
  selp.u32 r2, 1, 0, p1;
  selp.u32 r3, 1, 0, p2;
  selp.u32 r4, 1, 0, p3;
  st.global.v4.u32 [out_], {r1, r2, r3, r4};)",
                      4, 1, {42});
  EXPECT_EQ(got, (Words{42, 0, 1, 1}));
}

/// PTX ISA 9.7.13.15.16: try_wait ends after a time before its phase does. Who looks once, or
/// some times, and goes on, ends; two that wait for each other's arrival do so by turns.
TEST(Mbarriers, TryWaitGivesUp) {
  const std::string module = ".shared .b64 b;\n";
  EXPECT_EQ(results(R"(
  mov.u32 r8, b;
  mbarrier.init.shared.b64 [r8], 1;
  mbarrier.try_wait.parity.shared.b64 p1, [r8], 0;
  selp.u32 r1, 1, 2, p1;
  mov.u32 r2, 0;
more:
  mbarrier.try_wait.parity.shared.b64 p1, [r8], 0, 100;
  add.u32 r2, r2, 1;
  setp.lt.u32 p2, r2, 100;
  @p2 bra more;
  st.global.v2.u32 [out_], {r1, r2};)",
                    2, 1, {}, module),
            (Words{2, 100}));
  // Warp 0 arrives once it has given up; warp 1 waits in a loop for that.
  EXPECT_EQ(results(R"(
  mov.u32 r8, b;
  mov.u32 r7, %tid.x;
  setp.eq.u32 p1, r7, 0;
  @p1 mbarrier.init.shared.b64 [r8], 1;
  bar.sync 0;
  setp.lt.u32 p2, r7, 32;
  @!p2 bra other;
  mbarrier.try_wait.parity.shared.b64 p3, [r8], 0;
  @p1 mbarrier.arrive.shared.b64 _, [r8];
other:
  mbarrier.try_wait.parity.shared.b64 p3, [r8], 0;
  @!p3 bra other;
  shr.u32 r6, r7, 5;
  mul.wide.u32 d6, r6, 4;
  add.u64 d6, d6, out_;
  st.global.u32 [d6], 7;)",
                    2, 64, {}, module),
            (Words{7, 7}));
}

/// A thread that is suspended goes on when its phase completes, though the next one, of the other
/// parity, completes before its turn comes. It has seen what was done before the first one.
TEST(Mbarriers, WhoIsSuspendedSeesAPhaseThatIsFollowed) {
  const std::string module = ".shared .b64 b;\n.shared .u32 word;\n";
  const std::string body = R"(
  mov.u32 r8, b;
  mov.u32 r7, %tid.x;
  setp.eq.u32 p1, r7, 0;
  @p1 mbarrier.init.shared.b64 [r8], 1;
  bar.sync 0;
  setp.lt.u32 p2, r7, 32;
  @!p2 bra other;
  mov.u32 r2, 0;
more:
  add.u32 r2, r2, 1;
  setp.lt.u32 p4, r2, 5000;
  @p4 bra more;
  @p1 st.shared.u32 [word], 5;
  @p1 mbarrier.arrive.shared.b64 _, [r8];
  @p1 mbarrier.arrive.shared.b64 _, [r8];
  exit;
other:
  mbarrier.try_wait.parity.shared.b64 p3, [r8], 0;
  @!p3 bra other;
  ld.shared.u32 r3, [word];
  setp.eq.u32 p5, r7, 32;
  @p5 st.global.u32 [out_], r3;)";
  EXPECT_EQ(results(body, 1, 64, {}, module), (Words{5}));
  Bench bench({.sanitize = true});
  const uint64_t out = bench.buffer(Words{0});
  Status status =
      bench.launch(kernelOf(body, module), "k", {.grid = {}, .block = {64}}, {out, out});
  EXPECT_TRUE(status) << status.reason().text;
}

/// A copy takes longer than a warp's turn: who waits for it is there before it ends, though the
/// warp that starts it, and the next one that the same mbarrier hears of, never waits for others.
TEST(Mbarriers, HearOfACopyWhenEachWarpHadItsTurn) {
  EXPECT_EQ(results(R"(
  mov.u32 r8, b;
  mov.u32 r9, s;
  mov.u32 r7, %tid.x;
  setp.eq.u32 p1, r7, 0;
  @p1 mbarrier.init.shared.b64 [r8], 1;
  bar.sync 0;
  mov.u32 r2, 0;
again:
  @!p1 bra wait;
  mbarrier.arrive.expect_tx.shared.b64 _, [r8], 16;
  cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [r9], [in_], 16, [r8];
wait:
  mbarrier.try_wait.parity.shared.b64 p3, [r8], r2;
  @!p3 bra wait;
  xor.b32 r2, r2, 1;
  setp.eq.u32 p4, r2, 1;
  @p4 bra again;
  ld.shared.u32 r3, [r9+4];
  bar.sync 0;
  setp.eq.u32 p5, r7, 32;
  @p5 st.global.u32 [out_], r3;)",
                    1, 64, {1, 6, 3, 4}, ".shared .b64 b;\n.shared .align 16 .u32 s[4];\n"),
            (Words{6}));
}

} // namespace
} // namespace tessera::sim::test
