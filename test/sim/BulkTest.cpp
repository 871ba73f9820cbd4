// Bulk copies of plain bytes, and what bulk copies and mbarriers refuse.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "BulkHarness.h"

namespace tessera::sim::test {

namespace {

TEST(Bulk, BytesGoEverywhere) {
  // Block 0: global to shared, prefetched; shared to block 1; block 1 back to global memory.
  for (bool late : {false, true}) {
    Bench bench({.lateCopies = late});
    std::vector<uint32_t> input(64);
    for (uint32_t i = 0; i < 64; ++i)
      input[i] = i * i;
    uint64_t in = bench.buffer(input), out = bench.buffer(std::vector<uint32_t>(80, 1));
    Status status = bench.launch(kernelOf(prologue + R"(
      mov.u32 r20, %cluster_ctarank;
      setp.eq.and.u32 p5, r20, 0, p1;
      setp.eq.and.u32 p6, r20, 1, p1;
      mapa.shared::cluster.u32 r21, r40, 1;
      mapa.shared::cluster.u32 r22, r41, 1;
      st.shared.u32 [tile+1024], 5;
      st.shared.u32 [tile+1028], 6;
      st.shared.u64 [tile+1032], 0;
      @p1 mbarrier.arrive.expect_tx.shared.b64 _, [r41], 256;
      fence.proxy.async.shared::cta;
      barrier.cluster.arrive;
      barrier.cluster.wait;
      @p5 cp.async.bulk.prefetch.L2.global [in_], 256;
      @p5 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [r40], [in_], 256, [r41];
      @p6 bra second;
      @!p5 bra end;
w0:   mbarrier.try_wait.parity.shared.b64 p3, [r41], 0;
      @!p3 bra w0;
      cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [r21], [r40], 240, [r22];
      cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.add.u32 [r21], [tile+1024], 16, [r22];
      bra end;
second:
w1:   mbarrier.try_wait.parity.shared.b64 p3, [r41], 0;
      @!p3 bra w1;
      cp.async.bulk.global.shared::cta.bulk_group [out_], [r40], 256;
      cp.async.bulk.commit_group;
      cp.reduce.async.bulk.global.shared::cta.bulk_group.max.s32 [out_+256], [r40], 32;
      cp.async.bulk.commit_group;
      cp.async.bulk.wait_group 1;
      ld.global.u32 r30, [out_+4];
      ld.global.u32 r31, [out_+284];
      cp.async.bulk.wait_group 0;
      st.global.v2.u32 [out_+304], {r30, r31};
end:  barrier.cluster.arrive;
      barrier.cluster.wait;)",
                                          shared),
                                 "k", {.grid = {2}, .block = {32}, .cluster = Dim3{2}}, {in, out});
    ASSERT_TRUE(status) << status.reason().text;
    std::vector<uint32_t> want = input;
    want[60] = want[61] = want[62] = want[63] = 0; // 240 bytes have come
    want[0] += 5;                                  // and been added to
    want[1] += 6;
    want.resize(80, 1);
    for (size_t i = 0; i < 8; ++i)
      want[64 + i] = std::max(1u, want[i]);
    want[76] = want[1];
    want[77] = late ? 1 : want[7]; // the second group has not been waited for
    EXPECT_EQ(bench.read<uint32_t>(out, 80), want) << late;
  }
}

std::string tensorLoad(const std::string &at) {
  return prologue +
         "@p1 cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [r40" +
         at;
}
Reason failed(const TensorMap &map, const std::string &body) {
  Stage stage(map);
  Status status = stage.run(body);
  EXPECT_FALSE(status) << body;
  return status ? Reason{} : status.reason();
}

TEST(Bulk, ErrorsSayWhatIsWrong) {
  TensorMap map = mapOf(TensorMapType::F32, {16, 16}, {16, 16});
  const std::string good = ", [in_, {0, 0}], [r41];";
  EXPECT_EQ(failed(map, tensorLoad("+64]" + good)).id, "Alignment");
  EXPECT_EQ(
      failed(map,
             prologue +
                 "@p1 cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes "
                 "[r40], "
                 "[out_, {0, 0}], [r41];")
          .id,
      "TensorMap");
  EXPECT_EQ(
      failed(map,
             prologue +
                 "@p1 cp.async.bulk.tensor.1d.shared::cluster.global.mbarrier::complete_tx::bytes "
                 "[r40], "
                 "[in_, {0}], [r41];")
          .id,
      "TensorMapUse");
  EXPECT_EQ(failed(map, tensorLoad("], [in_, {0, 0}], [r40+4096];")).id, "MbarrierNone");
  EXPECT_EQ(
      failed(map,
             prologue +
                 "mov.b16 h1, 2;\n@p1 cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::"
                 "complete_tx::bytes.multicast::cluster [r40], [in_, {0, 0}], [r41], h1;")
          .id,
      "MulticastMask");
  expectFails(prologue + "@p1 cp.async.bulk.global.shared::cta.bulk_group [out_], [r40], 24;",
              "BulkSize", "a multiple of 16 bytes, but got 24", 32, {}, shared);
  expectFails(prologue + "@p1 cp.async.bulk.global.shared::cta.bulk_group [out_+1008], [r40], 32;",
              "OutOfBounds", "a write by a bulk copy of 32 bytes", 32, {}, shared);
  expectFails("mov.u64 d1, out_;\ntensormap.replace.tile.rank.global.b1024.b32 [d1], 5;",
              "TensorMap", "expects a mode of 0 to 0 and a value of at most 4", 1);
}

TEST(Mbarriers, RefuseWhatTheyCannotCount) {
  auto fails = [](const std::string &body, std::string_view id) {
    expectFails("mov.u32 r8, b;\n" + body, id, "", 1, {}, ".shared .b64 b;\n");
  };
  fails("mbarrier.init.shared.b64 [r8], 0;", "MbarrierCount");
  fails("mbarrier.init.shared.b64 [r8], 1048576;", "MbarrierCount");
  fails("mbarrier.arrive.shared.b64 _, [r8];", "MbarrierNone");
  fails("mbarrier.test_wait.parity.shared.b64 p1, [r8], 0;", "MbarrierNone");
  fails("mbarrier.init.shared.b64 [r8], 2;\nmbarrier.arrive.shared.b64 _, [r8], 3;",
        "MbarrierArrivals");
  fails("mbarrier.init.shared.b64 [r8], 2;\nmbarrier.expect_tx.relaxed.cta.shared::cta.b64 [r8], "
        "1048576;",
        "MbarrierBytes");
  fails("mbarrier.init.shared.b64 [r8], 1;\nmbarrier.arrive.noComplete.shared.b64 d1, [r8], 1;",
        "MbarrierCompletes");
  fails("mbarrier.init.shared.b64 [r8], 1;\nmbarrier.inval.shared.b64 "
        "[r8];\nmbarrier.arrive.shared.b64 _, [r8];",
        "MbarrierNone");
}

} // namespace

} // namespace tessera::sim::test
