// Stores and reductions of which mbarriers hear, and clusters that a running one takes over;
// fragments of wmma.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../atom/Numbers.h"
#include "Harness.h"

#include <algorithm>
#include <random>

namespace tessera::sim::test {

namespace {

const std::string head =
    ".version 9.0\n.target sm_100a\n.address_size 64\n.visible .entry k(.param .u64 in, .param "
    ".u64 out) {\n"
    "  .reg .pred %p<4>;\n  .reg .b32 %r<32>;\n  .reg .b64 %d<8>;\n  .reg .b128 %q<2>;\n"
    "  .shared .align 16 .b8 box[64];\n  .shared .align 8 .b64 bar;\n  ld.param.u64 %d1, [out];\n"
    "  mov.u32 %r1, %cluster_ctarank;\n  mov.u32 %r2, bar;\n  mov.u32 %r3, box;\n";

TEST(Remote, StoresAndReducesInTheOtherBlock) {
  // Block 0 sends to block 1, whose mbarrier waits for 8 + 16 + 4 * 9 bytes.
  std::string text = head + R"(
  mbarrier.init.shared::cta.b64 [%r2], 1;
  mov.u32 %r4, 100;
  st.shared.v4.b32 [%r3+32], {%r4, %r4, %r4, %r4};
  st.shared.v4.b32 [%r3+48], {%r4, %r4, %r4, %r4};
  mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r2], 56;
  barrier.cluster.arrive;
  barrier.cluster.wait;
  setp.ne.u32 %p1, %r1, 0;
  @%p1 bra waits;
  mapa.shared::cluster.u32 %r5, %r3, 1;
  mapa.shared::cluster.u32 %r6, %r2, 1;
  mov.u32 %r7, 7;
  mov.u64 %d2, 0x500000006;
  st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.b64 [%r5], %d2, [%r6];
  st.async.shared::cluster.mbarrier::complete_tx::bytes.v4.b32 [%r5+16], {%r7, %r4, %r7, %r4}, [%r6];
  red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%r5+32], %r7, [%r6];
  red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.inc.u32 [%r5+36], %r7, [%r6];
  red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.dec.u32 [%r5+40], %r4, [%r6];
  red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.min.s32 [%r5+44], %r7, [%r6];
  red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.xor.b32 [%r5+48], %r7, [%r6];
  red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.max.u32 [%r5+52], %r7, [%r6];
  red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u64 [%r5+56], %d2, [%r6];
  ret;
waits:
  mbarrier.try_wait.parity.shared::cta.b64 %p2, [%r2], 0;
  @!%p2 bra waits;
  mov.u32 %r8, 0;
show:
  add.u32 %r9, %r3, %r8;
  ld.shared.b32 %r10, [%r9];
  cvt.u64.u32 %d3, %r8;
  add.u64 %d3, %d1, %d3;
  st.global.b32 [%d3], %r10;
  add.u32 %r8, %r8, 4;
  setp.lt.u32 %p3, %r8, 64;
  @%p3 bra show;
  ret;
}
)";
  for (bool late : {false, true}) {
    Bench bench({.lateCopies = late});
    uint64_t out = bench.buffer(std::vector<uint32_t>(16));
    Status status =
        bench.launch(text, "k", {.grid = {2}, .block = {1}, .cluster = Dim3{2}}, {out, out});
    ASSERT_TRUE(status) << status.reason().text;
    std::vector<uint32_t> got = bench.read<uint32_t>(out, 16);
    got[2] = got[3] = 0; // never written
    EXPECT_EQ(got,
              (std::vector<uint32_t>{6, 5, 0, 0, 7, 100, 7, 100, 107, 0, 99, 7, 99, 100, 106, 105}))
        << late;
  }
}

TEST(Remote, TakesOverClustersThatHaveNotBegun) {
  // 6 clusters of 2 blocks; each one that runs counts itself and those that it took over, with both
  // blocks of each.
  std::string text = head + R"(
  mbarrier.init.shared::cta.b64 [%r2], 1;
  barrier.cluster.arrive;
  barrier.cluster.wait;
  mov.u32 %r4, %ctaid.x;
  mov.u32 %r9, %ctaid.y;
  mad.lo.u32 %r4, %r9, 4, %r4;
  mov.u32 %r11, 0;
work:
  mad.wide.u32 %d2, %r4, 4, %d1;
  red.global.add.u32 [%d2], 1;
  mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r2], 16;
  barrier.cluster.arrive;
  barrier.cluster.wait;
  setp.ne.u32 %p1, %r1, 0;
  @!%p1 clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.multicast::cluster::all.b128 [%r3], [%r2];
waits:
  mbarrier.try_wait.parity.shared::cta.b64 %p2, [%r2], %r11;
  @!%p2 bra waits;
  xor.b32 %r11, %r11, 1;
  ld.shared.b128 %q1, [%r3];
  clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 %p3, %q1;
  @!%p3 bra done;
  clusterlaunchcontrol.query_cancel.get_first_ctaid.v4.b32.b128 {%r5, %r6, %r7, %r8}, %q1;
  clusterlaunchcontrol.query_cancel.get_first_ctaid::y.b32.b128 %r9, %q1;
  add.u32 %r4, %r5, %r1;
  mad.lo.u32 %r4, %r9, 4, %r4;
  bra work;
done:
  barrier.cluster.arrive;
  barrier.cluster.wait;
  ret;
}
)";
  for (unsigned hosts : {1u, 3u}) {
    Bench bench({.hostThreads = hosts});
    uint64_t out = bench.buffer(std::vector<uint32_t>(12));
    Status status =
        bench.launch(text, "k", {.grid = {4, 3}, .block = {1}, .cluster = Dim3{2}}, {out, out});
    ASSERT_TRUE(status) << status.reason().text;
    // Whoever runs a cluster, it is run once: with one thread of the host the first takes all
    // others.
    EXPECT_EQ(bench.read<uint32_t>(out, 12), std::vector<uint32_t>(12, 1)) << hosts;
  }
}

TEST(Remote, RefusesWhatIsWrong) {
  expectFails(
      "mov.u32 r1, s;\nst.async.shared::cluster.mbarrier::complete_tx::bytes.b32 [r1], r1, [r1+8];",
      "MbarrierNone", "", 1, {}, ".shared .align 16 .b8 s[16];\n");
  EXPECT_EQ(
      refused(kernelOf(
                  "st.async.shared::cluster.mbarrier::complete_tx::bytes.v2.b32 [r1], {r1}, [r2];"))
          .id,
      "OperandKind");
  EXPECT_EQ(
      refused(
          kernelOf("clusterlaunchcontrol.query_cancel.get_first_ctaid.v4.b32.b128 {r1, r2}, q1;"))
          .id,
      "OperandKind");
  EXPECT_EQ(refused(kernelOf("wmma.load.a.sync.aligned.row.m16n16k16.f16 {r1, r2}, [d1];")).id,
            "OperandKind");
  EXPECT_EQ(
      refused(
          kernelOf(
              "wmma.load.a.sync.aligned.row.m16n16k16.f16 {r1, r2, r3, r4, r5, r6, r7, r8}, d1;"))
          .id,
      "OperandKind");
  EXPECT_EQ(
      refused(kernelOf("wmma.mma.sync.aligned.row.col.m16n16k16.f32 {r1}, {r1}, {r1}, {r1};")).id,
      "NoAtom");
}

//===--- wmma

struct Fragments {
  std::string shape, a, b, c, d; // types
  size_t m, n, k;
  std::array<int, 4> registers; // of d, a, b, c, as PTX ISA 9.7.14.4.1 counts them
  std::string product = "mma", types, rest{};
};

/// Loads, multiplies and stores with the given majors and strides.
void check(const Fragments &f, bool aByColumns, bool bByColumns, bool dByColumns) {
  auto element = [](const std::string &text) {
    return number::findPtx(text).value_or(atom::Element::none);
  };
  auto bitsOf = [&](const std::string &text) {
    return text == "tf32" ? 32 : atom::bits(element(text));
  };
  std::mt19937 random(7);
  std::vector<uint8_t> memory(32768);
  size_t next = 0;
  std::string body;
  std::vector<int> values[3];
  struct Matrix {
    char name;
    const std::string &type;
    size_t rows, columns;
    bool byColumns;
    int count;
  };
  const Matrix matrices[] = {{'a', f.a, f.m, f.k, aByColumns, f.registers[1]},
                             {'b', f.b, f.k, f.n, bByColumns, f.registers[2]},
                             {'c', f.c, f.m, f.n, dByColumns, f.registers[3]}};
  std::string lists[4];
  auto listOf = [](const std::string &prefix, int count) {
    std::string out;
    for (int i = 0; i < count; ++i)
      out += cat(i ? ", " : "{", prefix, i);
    return out + "}";
  };
  for (size_t which = 0; which < 3; ++which) {
    const Matrix &x = matrices[which];
    size_t bits = size_t(bitsOf(x.type)), along = x.byColumns ? x.rows : x.columns,
           across = x.byColumns ? x.columns : x.rows;
    size_t stride = along + (bits < 8 ? 0 : 128 / bits);
    int least = kindOf(element(x.type)) == atom::NumberKind::Float ||
                        kindOf(element(x.type)) == atom::NumberKind::Signed
                    ? -2
                    : 0;
    std::uniform_int_distribution<int> any(least, x.type == "b1" ? 1 : 2);
    for (size_t i = 0; i < x.rows * x.columns; ++i) {
      int value = any(random);
      values[which].push_back(value);
      size_t row = i / x.columns, column = i % x.columns,
             bit = next * 8 + (x.byColumns ? column * stride + row : row * stride + column) * bits;
      uint64_t code = x.type == "b1" ? uint64_t(value) : atom::test::encode(element(x.type), value);
      for (size_t j = 0; j < bits; ++j)
        memory[(bit + j) / 8] = uint8_t(memory[(bit + j) / 8] | (code >> j & 1) << (bit + j) % 8);
    }
    lists[which + 1] = listOf(cat(bits == 64 ? "%w" : "%v", std::string(1, x.name)), x.count);
    body += cat("  wmma.load.", std::string(1, x.name), ".sync.aligned.",
                x.byColumns ? "col" : "row", ".", f.shape, ".global.", x.type, " ",
                lists[which + 1], ", [%d2+", next, "], ", stride, ";\n");
    next += (across * stride * bits / 8 + 255) / 256 * 256;
  }
  lists[0] = listOf(f.d == "f64" ? "%wd" : "%vd", f.registers[0]);
  body += cat("  wmma.", f.product, ".sync.aligned.", aByColumns ? "col" : "row", ".",
              bByColumns ? "col" : "row", ".", f.shape, f.rest, f.types, " ", lists[0], ", ",
              lists[1], ", ", lists[2], ", ", lists[3], ";\n");
  body += cat("  wmma.store.d.sync.aligned.", dByColumns ? "col" : "row", ".", f.shape, ".global.",
              f.d, " [%d1], ", lists[0], ";\n");
  std::string text = head +
                     "  ld.param.u64 %d2, [in];\n  .reg .b32 %va<8>, %vb<8>, %vc<8>, %vd<8>;\n  "
                     ".reg .b64 %wa<2>, %wb<2>, %wc<2>, %wd<2>;\n" +
                     body + "  ret;\n}\n";
  Bench bench;
  size_t bits = size_t(bitsOf(f.d));
  uint64_t in = bench.buffer(memory),
           out = bench.buffer(std::vector<uint8_t>(f.m * f.n * bits / 8));
  Status status = bench.launch(text, "k", {.grid = {}, .block = {32}}, {in, out});
  ASSERT_TRUE(status) << status.reason().text;
  std::vector<uint8_t> got = bench.read<uint8_t>(out, f.m * f.n * bits / 8);
  for (size_t m = 0; m < f.m; ++m)
    for (size_t n = 0; n < f.n; ++n) {
      double sum = values[2][m * f.n + n];
      for (size_t k = 0; k < f.k; ++k) {
        int x = values[0][m * f.k + k], y = values[1][k * f.n + n];
        sum += f.product.find("xor") != std::string::npos ? x != y : x * y;
      }
      size_t at = dByColumns ? n * f.m + m : m * f.n + n;
      uint64_t code = 0;
      std::memcpy(&code, &got[at * bits / 8], bits / 8);
      ASSERT_EQ(atom::test::decodeAccumulator(element(f.d), code), sum)
          << f.shape << f.types << " at " << m << ", " << n;
    }
}

TEST(Wmma, MultipliesEveryKind) {
  for (bool flips : {false, true}) {
    for (auto [shape, m, n] :
         {std::tuple{"m16n16k16", 16, 16}, {"m32n8k16", 32, 8}, {"m8n32k16", 8, 32}}) {
      auto M = size_t(m), N = size_t(n);
      int a8 = m == 16 ? 2 : m == 32 ? 4 : 1, b8 = m == 16 ? 2 : m == 32 ? 1 : 4;
      check({shape, "f16", "f16", "f32", "f32", M, N, 16, {8, 8, 8, 8}, "mma", ".f32.f32"}, flips,
            !flips, flips);
      check({shape, "f16", "f16", "f16", "f16", M, N, 16, {4, 8, 8, 4}, "mma", ".f16.f16"}, !flips,
            flips, false);
      check({shape, "f16", "f16", "f16", "f32", M, N, 16, {8, 8, 8, 4}, "mma", ".f32.f16"}, flips,
            flips, flips);
      check({shape,
             "bf16",
             "bf16",
             "f32",
             "f32",
             M,
             N,
             16,
             {8, 2 * a8, 2 * b8, 8},
             "mma",
             ".f32.bf16.bf16.f32"},
            flips, !flips, flips);
      check({shape, "u8", "u8", "s32", "s32", M, N, 16, {8, a8, b8, 8}, "mma", ".s32.u8.u8.s32"},
            flips, !flips, flips);
      check({shape,
             "s8",
             "s8",
             "s32",
             "s32",
             M,
             N,
             16,
             {8, a8, b8, 8},
             "mma",
             ".s32.s8.s8.s32.satfinite"},
            flips, !flips, !flips);
    }
    check({"m16n16k8",
           "tf32",
           "tf32",
           "f32",
           "f32",
           16,
           16,
           8,
           {8, 4, 4, 8},
           "mma",
           ".f32.tf32.tf32.f32"},
          flips, !flips, flips);
    check({"m8n8k4",
           "f64",
           "f64",
           "f64",
           "f64",
           8,
           8,
           4,
           {2, 1, 1, 2},
           "mma",
           ".f64.f64.f64.f64",
           ".rn"},
          flips, !flips, flips);
  }
  check({"m8n8k32", "s4", "s4", "s32", "s32", 8, 8, 32, {2, 1, 1, 2}, "mma", ".s32.s4.s4.s32"},
        false, true, false);
  check({"m8n8k32", "u4", "u4", "s32", "s32", 8, 8, 32, {2, 1, 1, 2}, "mma", ".s32.u4.u4.s32"},
        false, true, true);
  check({"m8n8k128",
         "b1",
         "b1",
         "s32",
         "s32",
         8,
         8,
         128,
         {2, 1, 1, 2},
         "mma.xor.popc",
         ".s32.b1.b1.s32"},
        false, true, false);
  check({"m8n8k128",
         "b1",
         "b1",
         "s32",
         "s32",
         8,
         8,
         128,
         {2, 1, 1, 2},
         "mma.and.popc",
         ".s32.b1.b1.s32"},
        false, true, false);
}

} // namespace

} // namespace tessera::sim::test
