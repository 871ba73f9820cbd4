// Tensor memory: allocation, copies to and from registers and out of shared memory, completion.
// Where words lie is written here by the figures of PTX ISA 9.7.16.2.3 (shapes of ld and st)
// and 9.7.16.9 (cp).
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "TensorBench.h"

#include "../atom/Ptx.h"

#include <algorithm>

namespace tessera::sim::test {

namespace {

/// Lane and column, from those of the address, of register r of thread t.
struct Cell {
  uint32_t lane, column;
};
Cell cellOf(const std::string &shape, uint32_t t, uint32_t r, uint32_t repeat, uint32_t split) {
  if (shape == "32x32b")
    return {t, r};
  if (shape == "16x64b") // four threads have two words of the rows q and q + 8, two threads each
    return {t / 4 + t % 2 * 8, 2 * r + t / 2 % 2};
  if (shape == "16x128b") // four threads have four words of a row; every second register is of the
                          // row eight lower
    return {t / 4 + r % 2 * 8, r / 2 * 4 + t % 4};
  if (shape == "16x256b") // two words each
    return {t / 4 + r / 2 % 2 * 8, r / 4 * 8 + t % 4 * 2 + r % 2};
  return {t % 16, t < 16 ? r : split + r}; // 16x32bx2
  (void)repeat;
}
uint32_t registersOf(const std::string &shape, uint32_t repeat) {
  return repeat * (shape == "16x128b" ? 2 : shape == "16x256b" ? 4 : 1);
}

std::string listOf(uint32_t count) {
  std::string out;
  for (uint32_t r = 0; r < count; ++r)
    out += cat(r ? ", " : "{", "%x", r);
  return out + "}";
}
/// A kernel of four warps, all columns allocated, with a body between; %ta is the address of the
/// warp's quarter.
std::string kernelWith(const std::string &body, uint32_t registers) {
  return cat(R"(.version 9.0
.target sm_103a
.address_size 64
.visible .entry k(.param .u64 in, .param .u64 out) {
  .reg .pred %p<8>;
  .reg .b32 %r<32>, %x<)",
             registers + 1, R"(>, %ta, %tb;
  .reg .b64 %d<8>;
  .reg .f32 %f<4>;
  .shared .align 8 .b64 bar;
  .shared .align 8 .b32 slot;
  mov.u32 %r1, %tid.x;
  ld.param.u64 %d1, [in];
  ld.param.u64 %d2, [out];
  setp.lt.u32 %p1, %r1, 32;
  @!%p1 bra ready;
  tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [slot], 512;
ready:
  bar.sync 0;
  ld.shared.b32 %tb, [slot];
  and.b32 %ta, %r1, 0x60;
  shl.b32 %ta, %ta, 16;
  add.u32 %ta, %ta, %tb;
)",
             body, R"(
  bar.sync 0;
  @!%p1 bra done;
  tcgen05.dealloc.cta_group::1.sync.aligned.b32 %tb, 512;
done:
  ret;
}
)");
}
/// Each lane's word c holds lane * 1000 + c, for c < 160.
const std::string numbered = R"(
  mul.lo.u32 %r2, %r1, 1000;
  mov.u32 %r3, 0;
  mov.u32 %r4, %ta;
number:
  add.u32 %x0, %r2, %r3;
  tcgen05.st.sync.aligned.32x32b.x1.b32 [%r4], {%x0};
  add.u32 %r3, %r3, 1;
  add.u32 %r4, %r4, 1;
  setp.lt.u32 %p2, %r3, 512;
  @%p2 bra number;
  tcgen05.wait::st.sync.aligned;
)";
std::vector<uint32_t> run(const std::string &text, size_t words, Status *status = nullptr) {
  Bench bench;
  uint64_t out = bench.buffer(std::vector<uint32_t>(words));
  Status ended = bench.launch(text, "k", {.grid = {}, .block = {128}}, {out, out});
  EXPECT_TRUE(status || ended) << ended.reason().text;
  if (status)
    *status = ended;
  return bench.read<uint32_t>(out, words);
}
std::string storeAll(uint32_t registers) {
  std::string out = cat("  mad.wide.u32 %d3, %r1, ", 4 * registers, ", %d2;\n");
  for (uint32_t r = 0; r < registers; ++r)
    out += cat("  st.global.b32 [%d3+", 4 * r, "], %x", r, ";\n");
  return out;
}

TEST(Tcgen05, LoadsEveryShape) {
  for (const std::string shape : {"32x32b", "16x64b", "16x128b", "16x256b", "16x32bx2"})
    for (uint32_t repeat : {1, 2, 4, 8, 16})
      for (bool packed : {false, true}) {
        uint32_t registers = registersOf(shape, repeat), split = shape == "16x32bx2" ? 200 : 0;
        std::string text =
            kernelWith(cat(numbered, "  tcgen05.ld.sync.aligned.", shape, ".x", repeat,
                           packed ? ".pack::16b" : "", ".b32 ", listOf(registers), ", [%ta+", 5,
                           "]", split ? cat(", ", split) : "",
                           ";\n  tcgen05.wait::ld.sync.aligned;\n", storeAll(registers)),
                       registers);
        std::vector<uint32_t> got = run(text, 128 * registers);
        for (uint32_t t = 0; t < 128; ++t)
          for (uint32_t r = 0; r < registers; ++r) {
            auto value = [&](Cell cell) {
              return (t / 32 * 32 + cell.lane) * 1000 + cell.column + 5;
            };
            uint32_t want = value(cellOf(shape, t % 32, r, repeat, split));
            if (packed) { // the halves of a register are what a load of columns of 16 bits would
                          // find side by side
              Cell cell = cellOf(shape, t % 32, r, repeat, 0);
              bool second = shape == "16x32bx2" && t % 32 >= 16;
              uint32_t column = second ? split + 2 * r : 2 * cell.column;
              want = (value({cell.lane, column}) & 0xffff) |
                     (value({cell.lane, column + 1}) & 0xffff) << 16;
            }
            ASSERT_EQ(got[t * registers + r], want)
                << shape << ".x" << repeat << (packed ? " packed" : "") << " thread " << t
                << " register " << r;
          }
      }
}

TEST(Tcgen05, StoresWhatLoadsFind) {
  for (const std::string shape : {"32x32b", "16x64b", "16x128b", "16x256b", "16x32bx2"})
    for (bool packed : {false, true}) {
      uint32_t registers = registersOf(shape, 4);
      std::string fill, splits = shape == "16x32bx2" ? ", 64" : "",
                        ahead = shape == "16x32bx2" ? "64, " : "";
      for (uint32_t r = 0; r < registers; ++r)
        fill += cat("  mad.lo.u32 %x", r, ", %r1, 0x10001, ", r * 0x1000100u, ";\n");
      auto body = [&](const std::string &move) { return cat(fill, move, storeAll(registers)); };
      std::string stores =
                      cat("  tcgen05.st.sync.aligned.", shape, ".x4", packed ? ".unpack::16b" : "",
                          ".b32 [%ta], ", ahead, listOf(registers), ";\n"),
                  loads =
                      cat("  tcgen05.ld.sync.aligned.", shape, ".x4", packed ? ".pack::16b" : "",
                          ".b32 ", listOf(registers), ", [%ta]", splits, ";\n");
      std::string clear;
      for (uint32_t r = 0; r < registers; ++r)
        clear += cat("  mov.u32 %x", r, ", 0;\n");
      EXPECT_EQ(run(kernelWith(body(cat(stores, clear, loads)), registers), 128 * registers),
                run(kernelWith(body(""), registers), 128 * registers))
          << shape;
    }
}

TEST(Tcgen05, ReducesWhatItLoads) {
  std::string text = kernelWith(
      cat(numbered, "  tcgen05.ld.red.sync.aligned.32x32b.x4.max.u32 ", listOf(4),
          ", %x4, [%ta+3];\n",
          "  tcgen05.ld.red.sync.aligned.16x32bx2.x2.min.s32 {%x0, %x1}, %x2, [%ta], 9;\n",
          storeAll(5)),
      5);
  std::vector<uint32_t> got = run(text, 128 * 5);
  for (uint32_t t = 0; t < 128; ++t) {
    EXPECT_EQ(got[t * 5 + 4], t * 1000 + 6);
    EXPECT_EQ(got[t * 5 + 2], (t / 32 * 32 + t % 16) * 1000 + (t % 32 < 16 ? 0 : 9));
  }
  // -3 and 2 of f32: the largest, of absolute values or not.
  std::string signs = R"(
  mov.b32 %x0, 0fC0400000;
  mov.b32 %x1, 0f40000000;
  tcgen05.st.sync.aligned.32x32b.x2.b32 [%ta], {%x0, %x1};
  tcgen05.ld.red.sync.aligned.32x32b.x2.max.f32 {%x2, %x3}, %x0, [%ta];
  tcgen05.ld.red.sync.aligned.32x32b.x2.max.abs.f32 {%x2, %x3}, %x1, [%ta];
)";
  got = run(kernelWith(signs + storeAll(2), 4), 256);
  EXPECT_EQ(std::bit_cast<float>(got[0]), 2.0f);
  EXPECT_EQ(std::bit_cast<float>(got[1]), 3.0f);
}

/// Lanes that row r of a copied matrix goes to, and the first byte of 16 of each of its units of 4
/// columns.
std::vector<uint32_t> lanesOf(const std::string &shape, uint32_t row) {
  if (shape.starts_with("128x"))
    return {row};
  if (shape == "4x256b")
    return {32 * row};
  if (shape == "64x128b.warpx2::02_13") // rows 0 to 31 for warps 0 and 2, the others for 1 and 3
    return {row, row + 64};
  if (shape == "64x128b.warpx2::01_23")
    return {row % 32 + row / 32 * 64, row % 32 + row / 32 * 64 + 32};
  return {row, row + 32, row + 64, row + 96};
}

/// One thread commits to `bar`, and waits. An address without a space may be the shared one, as in
/// what Triton makes.
std::string committed(int ctas) {
  std::string to = ctas == 1 ? "mov.u32 %r61, bar;\n  cvt.u64.u32 %d15, %r61;\n  " : "";
  return cat("  ", to, "tcgen05.commit.cta_group::", ctas, ".mbarrier::arrive::one",
             ctas == 1 ? ".b64 [%d15];\n" : ".shared::cluster.b64 [bar];\n", "waits:\n",
             "  mbarrier.try_wait.parity.shared::cta.b64 %p7, [bar], 0;\n  @!%p7 bra waits;\n");
}

TEST(Tcgen05, CopiesEveryShapeFromSharedMemory) {
  struct Copy {
    std::string shape;
    uint32_t rows, units;
  };
  for (int ctas : {1, 2})
    for (const Copy &copy : {Copy{"128x256b", 128, 2}, Copy{"128x128b", 128, 1},
                             Copy{"4x256b", 4, 2}, Copy{"64x128b.warpx2::02_13", 64, 1},
                             Copy{"64x128b.warpx2::01_23", 64, 1}, Copy{"32x128b.warpx4", 32, 1}})
      for (const std::string format : {"", ".b8x16.b4x16_p64", ".b8x16.b6x16_p32"}) {
        // Core matrices of 8 rows of 16 bytes, side by side along K at 2048 bytes and along the
        // rows at 128.
        std::vector<TensorImage> images(size_t(ctas), TensorImage{});
        for (size_t block = 0; block < images.size(); ++block)
          for (size_t byte = 0; byte < 4096; ++byte)
            images[block].shared.push_back(uint8_t(byte * 7 + byte / 256 * 3 + block * 11));
        uint64_t word = uint64_t(2048 / 16) << 16 | uint64_t(128 / 16) << 32 | uint64_t(1) << 46;
        std::string body = cat("  or.b64 %d11, %d10, ", hex(word),
                               ";\n  mov.u32 %r21, 9;\n  tcgen05.cp.cta_group::", ctas, ".",
                               copy.shape, format, " [%r21], %d11;\n", committed(ctas));
        Result<std::vector<TensorImage>> got = runTensor(tensorKernel(4096, ctas, body), images);
        ASSERT_TRUE(got) << got.reason().text;
        for (size_t block = 0; block < images.size(); ++block) {
          TensorImage want = images[block];
          for (uint32_t row = 0; row < copy.rows; ++row)
            for (uint32_t unit = 0; unit < copy.units; ++unit)
              for (uint32_t lane : lanesOf(copy.shape, row))
                for (uint32_t i = 0; i < 16; ++i) {
                  const uint8_t *bytes =
                      &images[block].shared[unit * 2048 + row / 8 * 128 + row % 8 * 16];
                  auto bit = [&](uint32_t at) { return uint32_t(bytes[at / 8] >> at % 8 & 1); };
                  uint32_t value = bytes[i];
                  if (!format.empty()) { // 4 bits come to the middle of a byte, 6 bits to its lower
                                         // end
                    uint32_t size = format == ".b8x16.b4x16_p64" ? 4 : 6;
                    value = 0;
                    for (uint32_t j = 0; j < size; ++j)
                      value |= bit(i * size + j) << (j + (size == 4 ? 2 : 0));
                  }
                  want.put(lane, 9 + unit * 4, 8 * i, 8, value);
                }
          ASSERT_EQ((*got)[block].tensor, want.tensor)
              << copy.shape << format << " block " << block;
        }
      }
}

// Eight columns of 31 lanes get those of the next lane. 9.7.16.9.3.
TEST(Tcgen05, ShiftsRowsOfAQuarter) {
  std::vector<uint32_t> words =
      run(kernelWith(cat(numbered, R"(
  bar.sync 0;
  add.u32 %r2, %tb, 0x200008;
  @!%p1 bra shifted;
  setp.eq.u32 %p3, %r1, 0;
  @%p3 mbarrier.init.shared::cta.b64 [bar], 1;
  @%p3 tcgen05.shift.cta_group::1.down [%r2];
  @%p3 tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [bar];
shifted:
  bar.sync 0;
waits:
  mbarrier.try_wait.parity.shared::cta.b64 %p3, [bar], 0;
  @!%p3 bra waits;
  tcgen05.ld.sync.aligned.32x32b.x32.b32 )",
                         listOf(32), ", [%ta];\n  tcgen05.wait::ld.sync.aligned;\n", storeAll(32)),
                     32),
          size_t(128) * 32);
  for (uint32_t lane = 0; lane < 128; ++lane)
    for (uint32_t c = 0; c < 32; ++c) {
      bool isMoved = lane / 32 == 1 && lane != 63 && c / 8 == 1;
      ASSERT_EQ(words[lane * 32 + c], (lane + isMoved) * 1000 + c) << lane << ", " << c;
    }
}

TEST(Tcgen05, AllocatesAndWaitsForColumns) {
  // Warp 0 takes all columns and gives half of them back after warp 1 has asked for 64: it gets
  // them then.
  std::string text = R"(.version 9.0
.target sm_100a
.address_size 64
.visible .entry k(.param .u64 in, .param .u64 out) {
  .reg .pred %p<4>;
  .reg .b32 %r<16>;
  .reg .b64 %d<4>;
  .shared .align 8 .b32 slots[4];
  ld.param.u64 %d1, [out];
  mov.u32 %r1, %tid.x;
  mov.u32 %r2, slots;
  setp.ge.u32 %p1, %r1, 32;
  @%p1 bra second;
  tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%r2], 256;
  tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%r2+4], 256;
  bar.sync 0;
  mov.u32 %r3, 5000;
spin:
  sub.u32 %r3, %r3, 1;
  setp.ne.u32 %p2, %r3, 0;
  @%p2 bra spin;
  ld.shared.b32 %r4, [%r2+4];
  tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r4, 256;
  bar.sync 0;
  ld.shared.v2.b32 {%r5, %r6}, [%r2];
  ld.shared.b32 %r7, [%r2+8];
  st.global.b32 [%d1], %r5;
  st.global.b32 [%d1+4], %r6;
  st.global.b32 [%d1+8], %r7;
  tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r5, 256;
  ret;
second:
  bar.sync 0;
  tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%r2+8], 64;
  ld.shared.b32 %r7, [%r2+8];
  tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r7, 64;
  bar.sync 0;
  ret;
}
)";
  Bench bench;
  uint64_t out = bench.buffer(std::vector<uint32_t>(3));
  Status status = bench.launch(text, "k", {.grid = {}, .block = {64}}, {out, out});
  ASSERT_TRUE(status) << status.reason().text;
  EXPECT_EQ(bench.read<uint32_t>(out, 3), (std::vector<uint32_t>{0, 256, 256}));
}

TEST(Tcgen05, CommitsToMbarriersOfACluster) {
  // Each of two blocks waits for an mbarrier that the first one's thread commits to.
  std::string text = R"(.version 9.0
.target sm_100a
.address_size 64
.visible .entry k(.param .u64 in, .param .u64 out) {
  .reg .pred %p<4>;
  .reg .b16 %h<2>;
  .reg .b32 %r<8>;
  .reg .b64 %d<4>;
  .shared .align 8 .b64 bar;
  ld.param.u64 %d1, [out];
  mov.u32 %r1, %cluster_ctarank;
  mov.u32 %r2, bar;
  mbarrier.init.shared::cta.b64 [%r2], 1;
  barrier.cluster.arrive;
  barrier.cluster.wait;
  setp.ne.u32 %p1, %r1, 0;
  mov.b16 %h1, 3;
  @!%p1 tcgen05.commit.cta_group::2.mbarrier::arrive::one.shared::cluster.multicast::cluster.b64 [%r2], %h1;
again:
  mbarrier.try_wait.parity.shared::cta.b64 %p2, [%r2], 0;
  @!%p2 bra again;
  mad.wide.u32 %d1, %r1, 4, %d1;
  st.global.b32 [%d1], 7;
  ret;
}
)";
  Bench bench;
  uint64_t out = bench.buffer(std::vector<uint32_t>(2));
  Status status =
      bench.launch(text, "k", {.grid = {2}, .block = {1}, .cluster = Dim3{2}}, {out, out});
  ASSERT_TRUE(status) << status.reason().text;
  EXPECT_EQ(bench.read<uint32_t>(out, 2), (std::vector<uint32_t>{7, 7}));
}

TEST(Tcgen05, RefusesWhatIsWrong) {
  auto ends = [](const std::string &body, std::string_view id, const std::string &words) {
    Status status = Done{};
    run(kernelWith(body, 8), 1, &status);
    ASSERT_FALSE(status) << body;
    EXPECT_EQ(status.reason().id, id) << status.reason().text;
    EXPECT_NE(status.reason().text.find(words), std::string::npos) << status.reason().text;
  };
  ends("  tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [slot], 48;", "TensorColumns",
       "a power of two of columns from 32 to 512, but got 48");
  ends("  tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;\n  "
       "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [slot], 32;",
       "TensorRelinquished", "comes after tcgen05.relinquish_alloc_permit");
  ends("  tcgen05.dealloc.cta_group::1.sync.aligned.b32 32, 32;", "TensorFree",
       "no 32 columns of tensor memory were allocated at column 32");
  ends("  tcgen05.dealloc.cta_group::2.sync.aligned.b32 %tb, 512;", "TensorGroup",
       "cta_group::2 comes after cta_group::1");
  std::string apart = "mov.u32 r1, %ctaid.x;\nsetp.eq.u32 p1, r1, 0;\n@p1 "
                      "tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;\n"
                      "barrier.cluster.arrive;\nbarrier.cluster.wait;\n@!p1 "
                      "tcgen05.relinquish_alloc_permit.cta_group::2.sync.aligned;\n";
  Bench two;
  Status differ =
      two.launch(kernelOf(apart), "k", {.grid = {2}, .block = {32}, .cluster = Dim3{2}}, {0, 0});
  ASSERT_FALSE(differ);
  EXPECT_EQ(differ.reason().id, "TensorGroup") << differ.reason().text;
  ends("  exit;", "TensorLeak", "the block ends with 512 columns of tensor memory allocated");
  ends("  tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [slot], 32;", "Deadlock",
       "for free columns of tensor memory");
  ends("  tcgen05.ld.sync.aligned.32x32b.x1.b32 {%x0}, [0];", "TensorAccess",
       "lane 0, column 0 of tensor memory is used, but warp");
  ends("  tcgen05.ld.sync.aligned.32x32b.x1.b32 {%x0}, [%ta+512];", "TensorAccess",
       "column 512 of tensor memory is used, but there are 128 lanes of 512");
  ends("  add.u32 %r2, %tb, 0x100000;\n  @%p1 tcgen05.shift.cta_group::1.down [%r2];",
       "TensorShift", "begins at a multiple of 32 lanes of tensor memory, not at lane 16");
  expectFails("tcgen05.mma.cta_group::2.kind::f16 [r1], d1, d1, r1, p1;", "TensorPair",
              "block 0 of its cluster of 1 has no partner", 1);
  EXPECT_EQ(refused(kernelOf("tcgen05.ld.sync.aligned.16x256b.x2.b32 {r1, r2}, [r3];")).id,
            "OperandKind");
  EXPECT_EQ(refused(kernelOf("tcgen05.ld.sync.aligned.16x32bx2.x1.b32 {r1}, [r3];")).id,
            "OperandCount");
  EXPECT_EQ(refused(kernelOf("tcgen05.cp.cta_group::1.64x128b [r1], d1;")).id, "NoAtom");
  EXPECT_EQ(
      refused(kernelOf(
                  "tcgen05.commit.cta_group::1.mbarrier::arrive::one.multicast::cluster.b64 [d1];"))
          .id,
      "OperandCount");
  EXPECT_EQ(refused(kernelOf("tcgen05.mma.cta_group::1.kind::f16 [r1], d1, d1, r1, p1, 16;")).id,
            "OperandKind");
  EXPECT_EQ(
      refused(kernelOf("tcgen05.mma.cta_group::1.kind::f16 [r1], d1, d1, r1, {r1, r2}, p1;")).id,
      "OperandKind");
  EXPECT_EQ(
      refused(kernelOf("tcgen05.mma.ws.cta_group::1.kind::i8 [r1], d1, d1, r1, p1, d1, d1;")).id,
      "OperandCount");
  EXPECT_EQ(refused(kernelOf("tcgen05.mma.cta_group::1.kind::i8 [r1], d1, d1, r1, p1, 1;")).id,
            "OperandCount");
  EXPECT_EQ(refused(kernelOf("tcgen05.mma.cta_group::1.kind::mxf4nvf4.block_scale [r1], d1, d1, "
                             "r1, [r1], [r1], p1;"))
                .id,
            "NoAtom");
}

TEST(Tcgen05, IsPtx) {
  if (!atom::test::havePtxas())
    GTEST_SKIP() << "no ptxas";
  std::string text = kernelWith(
      "  tcgen05.ld.red.sync.aligned.32x32b.x4.max.f32 {%x0, %x1, %x2, %x3}, %x4, [%ta];\n"
      "  tcgen05.fence::before_thread_sync;\n  tcgen05.fence::after_thread_sync;\n",
      8);
  EXPECT_EQ(atom::test::assembleText(text, *atom::Target::parse("sm_103a")), "");
}

} // namespace

} // namespace tessera::sim::test
