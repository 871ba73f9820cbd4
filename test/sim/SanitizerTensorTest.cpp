// The sanitizer and tensor memory: whole GEMMs that have no reports, and each rule by a kernel that
// breaks it and one that does not. What is in order is that of PTX ISA 9.7.16.6 (canonical patterns
// in 9.7.16.6.4).
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Harness.h"

#include "tessera/atom/TensorMap.h"
#include "tessera/sanitize/Report.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace tessera::sim::test {

namespace {

constexpr uint32_t steps = 5;

atom::TensorMapImage mapOf(atom::TensorMapType type, uint32_t bytes, uint32_t rows,
                           uint32_t columns, uint32_t width, uint32_t box, uint64_t address) {
  atom::TensorMap map;
  map.type = type;
  map.rank = 2;
  map.dims = {columns, rows};
  map.strides = {bytes * columns};
  map.box = {width, box};
  map.swizzle = atom::TensorMapSwizzle::B128;
  map.address = address;
  return *atom::encode(map);
}
/// A matrix of f16 with small integers, and its map: 64 columns and so many rows in a box.
struct Matrix {
  uint32_t rows, columns;
  std::vector<_Float16> values;
  atom::TensorMapImage map;

  Matrix(Bench &bench, uint32_t rows, uint32_t columns, uint32_t box, uint32_t seed)
      : rows(rows), columns(columns), values(rows * columns) {
    for (size_t i = 0; i < values.size(); ++i)
      values[i] = _Float16(int((i * 7 + i / columns * 3 + seed) % 5) - 2);
    map = mapOf(atom::TensorMapType::F16, 2, rows, columns, 64, box, bench.buffer(values));
  }
  int operator()(uint32_t row, uint32_t column) const {
    return int(values[row * columns + column]);
  }
};
/// Runs a kernel of kernels/; `more` are the words after the address of the result.
void runKernel(Bench &bench, const std::string &name, uint32_t blocks,
               const atom::TensorMapImage &a, const atom::TensorMapImage &b, uint64_t out,
               std::vector<uint32_t> more) {
  std::vector<std::byte> parameters(264 + 4 * more.size());
  std::memcpy(&parameters[0], &a, 128);
  std::memcpy(&parameters[128], &b, 128);
  std::memcpy(&parameters[256], &out, 8);
  std::memcpy(&parameters[264], more.data(), 4 * more.size());
  Result<LoadedProgram> loaded = bench.machine.load(parsed(kernelFile(name + ".ptx")));
  ASSERT_TRUE(loaded);
  Status status = bench.machine.launch(
      *loaded, name, {.grid = {blocks}, .block = {192}, .cluster = Dim3{blocks}}, parameters);
  EXPECT_TRUE(status) << status.reason().text;
}

void checkGemm(const std::string &name, uint32_t blocks, uint32_t n) {
  constexpr uint32_t tiles = 3;
  uint32_t m = 128 * blocks * tiles;
  Bench bench({.sanitize = true});
  Matrix a(bench, m, 64 * steps, 128, 0), b(bench, n, 64 * steps, 32, 1);
  uint64_t out = bench.buffer(std::vector<float>(m * n, -999));
  runKernel(bench, name, blocks, a.map, b.map, out, {tiles, steps});
  std::vector<float> got = bench.read<float>(out, m * n);
  for (uint32_t i = 0; i < m; ++i)
    for (uint32_t j = 0; j < n; ++j) {
      int sum = 0;
      for (uint32_t l = 0; l < a.columns; ++l)
        sum += a(i, l) * b(j, l);
      ASSERT_EQ(got[i * n + j], float(sum)) << name << " " << i << "," << j;
    }
}
TEST(SanitizerTensor, GemmOfOneBlock) { checkGemm("tcgen05_gemm", 1, 32); }
TEST(SanitizerTensor, GemmOfAPair) { checkGemm("tcgen05_pair", 2, 64); }

TEST(SanitizerTensor, ProductOfProducts) {
  Bench bench({.sanitize = true});
  Matrix a(bench, 128, 64, 128, 0), b(bench, 32 * steps, 64, 32, 1);
  uint64_t out = bench.buffer(std::vector<float>(128 * 32, -999));
  runKernel(bench, "tcgen05_chain", 1, a.map, b.map, out, {steps});
  std::vector<float> got = bench.read<float>(out, 128 * 32);
  for (uint32_t i = 0; i < 128; ++i) {
    std::vector<int> want(32);
    for (uint32_t row = 0; row < b.rows; ++row) {
      int score = 0; // fits f16
      for (uint32_t l = 0; l < 64; ++l)
        score += a(i, l) * b(row, l);
      for (uint32_t j = 0; j < 32; ++j)
        want[j] += score * b(row / 32 * 32 + j, row % 32);
    }
    for (uint32_t j = 0; j < 32; ++j)
      ASSERT_EQ(got[i * 32 + j], float(want[j])) << i << "," << j;
  }
}

/// Numbers of e4m3 and factors of ue8m0, by codes: -2 to 2, and 1/2 to 2.
TEST(SanitizerTensor, GemmWithFactors) {
  constexpr uint32_t tiles = 2, k = 128 * steps, m = 128 * tiles, n = 32;
  const uint8_t codes[] = {0xc0, 0xb8, 0x00, 0x38, 0x40};
  Bench bench({.sanitize = true});
  auto bytes = [](size_t count, size_t seed, auto code) {
    std::vector<uint8_t> out(count);
    for (size_t i = 0; i < count; ++i)
      out[i] = code((i * 7 + i / k * 3 + i / 64 + seed) % 15);
    return out;
  };
  auto element = [&](size_t i) { return codes[i % 5]; };
  auto factor = [](size_t i) { return uint8_t(126 + i % 3); };
  std::vector<uint8_t> a = bytes(m * k, 0, element), b = bytes(n * k, 1, element),
                       sfa = bytes(512 * tiles * steps, 2, factor),
                       sfb = bytes(512 * steps, 3, factor);
  uint64_t out = bench.buffer(std::vector<float>(m * n, -999)), ofA = bench.buffer(sfa),
           ofB = bench.buffer(sfb);
  auto map = [&](const std::vector<uint8_t> &values, uint32_t box) {
    return mapOf(atom::TensorMapType::U8, 1, uint32_t(values.size() / k), k, 128, box,
                 bench.buffer(values));
  };
  runKernel(bench, "tcgen05_scaled", 1, map(a, 128), map(b, 32), out,
            {tiles, steps, uint32_t(ofA), uint32_t(ofA >> 32), uint32_t(ofB), uint32_t(ofB >> 32)});
  std::vector<float> got = bench.read<float>(out, m * n);
  auto value = [&](uint8_t code) { return int(std::find(codes, codes + 5, code) - codes) - 2; };
  for (uint32_t i = 0; i < m; ++i)
    for (uint32_t j = 0; j < n; ++j) {
      float sum = 0;
      for (uint32_t block = 0; block < k / 32; ++block) {
        int part = 0;
        for (uint32_t l = block * 32; l < block * 32 + 32; ++l)
          part += value(a[i * k + l]) * value(b[j * k + l]);
        uint32_t r = i % 128, step = block / 4, tile = i / 128 * steps + step;
        int scale = sfa[tile * 512 + r % 32 * 16 + r / 32 * 4 + block % 4] +
                    sfb[step * 512 + j * 16 + block % 4] - 2 * 127;
        sum += std::ldexp(float(part), scale);
      }
      ASSERT_EQ(got[i * n + j], sum) << i << "," << j;
    }
}

//===--- Rules

/// Four warps; all columns are warp 0's allocation. %ta: the warp's quarter, %tb: the base, %ld: a
/// descriptor of zeros in `tile`, %ri: of a product of f16 with M = 128, N = 32. `bar` is an
/// mbarrier of one arrival, `all` of 128. After a barrier the simulator lets warp 3 run first,
/// which is where `one` is, and warp 2 last.
std::string kernel(const std::string &body) {
  return cat(R"(.version 8.7
.target sm_100a
.address_size 64
.visible .entry k(.param .u64 out) {
  .reg .pred p<8>, one, last, first, no, yes;
  .reg .b32 r<32>, x<32>, ta, tb, ri;
  .reg .b64 d<8>, ld;
  .shared .align 1024 .b8 tile[16384];
  .shared .align 8 .b64 bar;
  .shared .align 8 .b64 all;
  .shared .align 8 .b32 slot[2];
  mov.u32 r1, %tid.x;
  setp.eq.u32 one, r1, 96;
  setp.eq.u32 last, r1, 64;
  setp.lt.u32 first, r1, 32;
  setp.ne.u32 no, r1, r1;
  setp.eq.u32 yes, r1, r1;
  @one mbarrier.init.shared::cta.b64 [bar], 1;
  @one mbarrier.init.shared::cta.b64 [all], 128;
  @!first bra ready;
  tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [slot], 512;
ready:
  mov.u32 r2, tile;
  mad.lo.u32 r3, r1, 64, r2;
  st.shared.v4.b32 [r3], {0, 0, 0, 0};
  st.shared.v4.b32 [r3+16], {0, 0, 0, 0};
  st.shared.v4.b32 [r3+32], {0, 0, 0, 0};
  st.shared.v4.b32 [r3+48], {0, 0, 0, 0};
  fence.proxy.async;
  bar.sync 0;
  ld.shared.b32 tb, [slot];
  and.b32 ta, r1, 0x60;
  shl.b32 ta, ta, 16;
  add.u32 ta, ta, tb;
  mov.u32 x0, 1;
  mov.u32 ri, 0x08080010;
  shr.u32 r2, r2, 4;
  cvt.u64.u32 ld, r2;
  or.b64 ld, ld, 0x0000400800080000;
)",
             body, R"(
end:
  bar.sync 0;
  @!first bra freed;
  tcgen05.dealloc.cta_group::1.sync.aligned.b32 tb, 512;
freed:
  ret;
}
)");
}
Reason look(const std::string &text) {
  Bench bench({.hostThreads = 1, .sanitize = true, .maxReports = 1});
  uint64_t out = bench.buffer(std::vector<uint32_t>(1024));
  Status status = bench.launch(text, "k", {.grid = {}, .block = {128}}, {out});
  return status ? Reason{} : status.reason();
}
void clean(const std::string &body) { EXPECT_EQ(look(kernel(body)).text, "") << body; }
void report(const std::string &body, std::string_view id, const std::string &words = "") {
  Reason reason = look(kernel(body));
  EXPECT_EQ(reason.id, id) << body << reason.text;
  EXPECT_NE(reason.text.find(words), std::string::npos) << reason.text;
}

std::string registers(const std::string &one, int count) {
  std::string out;
  for (int i = 0; i < count; ++i)
    out += (i ? ", " : "") + one;
  return out;
}
const std::string store = cat("tcgen05.st.sync.aligned.32x32b.x32.b32 [ta], {", registers("x0", 32),
                              "};\n"),
                  load = "tcgen05.ld.sync.aligned.32x32b.x1.b32 {x1}, [ta];\n",
                  waitStore = "tcgen05.wait::st.sync.aligned;\n",
                  waitLoad = "tcgen05.wait::ld.sync.aligned;\n", barrier = "bar.sync 0;\n",
                  before = "tcgen05.fence::before_thread_sync;\n",
                  after = "tcgen05.fence::after_thread_sync;\n";
/// One thread multiplies; the first time without what is there.
std::string product(const std::string &accumulates, const std::string &d = "tb",
                    const std::string &shape = "ri", const std::string &who = "one") {
  return cat("@", who, " tcgen05.mma.cta_group::1.kind::f16 [", d, "], ld, ld, ", shape, ", ",
             accumulates, ";\n");
}
/// Copies 8 columns, which are A of the other.
const std::string copy = "@one tcgen05.cp.cta_group::1.128x256b [tb], ld;\n",
                  ofCopied =
                      "@one tcgen05.mma.cta_group::1.kind::f16 [tb + 64], [tb], ld, ri, no;\n";
/// Columns are given back and asked for again.
const std::string again =
    "@!first bra end;\ntcgen05.dealloc.cta_group::1.sync.aligned.b32 tb, 512;\n"
    "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [slot + 4], 512;\n";
const std::string commit =
    "@one tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [bar];\n";
std::string await(const std::string &words = "", const std::string &label = "w",
                  const std::string &of = "bar") {
  return cat(label, ": mbarrier.try_wait.parity", words, ".shared::cta.b64 p1, [", of,
             "], 0;\n@!p1 bra ", label, ";\nbar.warp.sync -1;\n");
}
/// All threads arrive and wait.
std::string meeting(const std::string &words) {
  return cat("mbarrier.arrive", words, ".shared::cta.b64 _, [all];\n", await(words, "m", "all"));
}
const std::string relaxed = ".relaxed.cluster";

TEST(SanitizerTensor, StoresAndLoadsOfOneThread) {
  clean(store + waitStore + load + waitLoad + store + waitStore);
  report(store + load, "TensorStoreWait",
         "a read by tcgen05.ld of 128 bytes at tensor address 0x600000 may come before a write by "
         "tcgen05.st by thread (96, 0, 0) at line");
  report(store + waitStore + load + store + waitStore, "TensorLoadWait",
         "tcgen05.wait::ld is missing between them");
  report(store + store, "TensorStoreWait", "tcgen05.wait::st is missing");
  // Registers that a load has not filled yet are waited for where they are used: PTX
  // ISA 9.7.16.6.4.5.
  clean(store + waitStore + load + "add.u32 x2, x1, x1;\n");
}

TEST(SanitizerTensor, WhatNobodyWrote) {
  report(load, "Unwritten", "a read by tcgen05.ld of 128 bytes at tensor address");
  report(store + waitStore + "tcgen05.ld.sync.aligned.32x32b.x1.b32 {x1}, [ta + 32];\n",
         "Unwritten", "0x600020, but nobody wrote the byte at 0x600020");
  report(product("yes") + commit, "Unwritten", "an addition by tcgen05.mma");
  clean(product("no") + product("yes") + commit + await());
  report(ofCopied, "Unwritten", "a read by tcgen05.mma");
  report(again + load, "Unwritten");
  // What a freed allocation had is gone.
  clean("@!first bra end;\n" + store + waitStore + load + waitLoad + again + store + waitStore +
        load);
  report("@!first bra end;\n" + store + waitStore + load + waitLoad + again + load, "Unwritten");
  // Loads of M = 64 have nothing in half of their lanes.
  clean(product("no", "tb", "0x04080010") + commit + await() + load);
}

TEST(SanitizerTensor, ProductsEndWithCommits) {
  clean(product("no") + commit + await() + load + waitLoad);
  report(product("no") + load, "TensorCommit",
         "may come before a write by tcgen05.mma by thread (96, 0, 0) at line");
  report(product("no") + commit + load, "TensorCommit",
         "tcgen05.commit and a wait for its mbarrier are missing between them");
  // A commit covers what came before it only.
  report(product("no") + commit + product("yes") + await() + load, "TensorCommit");
  // Relaxed waits need the fence: PTX ISA 9.7.16.6.4.2, example 2.
  clean(product("no") + commit + await(relaxed) + after + load + waitLoad + barrier);
  report(product("no") + commit + await(relaxed) + load, "TensorCommit");
  // The columns go away while the product runs.
  report(product("no") + commit, "TensorCommit", "tcgen05.dealloc");
}

TEST(SanitizerTensor, WhatIsInOrderByItself) {
  std::string end = commit + await();
  clean(product("no") + product("yes") + product("yes") + end);
  clean(copy + ofCopied + end);                   // cp -> mma
  clean(copy + ofCopied + copy + ofCopied + end); // new operands after products, as kernels do
  // Other sums, or another shape: M or N.
  report(product("no") + product("no", "tb + 16") + end, "TensorCommit", "a write by tcgen05.mma");
  report(product("no") + product("yes", "tb", "0x08040010") + end, "TensorCommit");
  clean(product("no") + product("no", "tb + 32") + end);
  report(product("no") + copy + end, "TensorCommit",
         "a write by tcgen05.cp"); // mma -> cp is not a pair
  report(copy + load, "TensorCommit");
  report(product("no") + ofCopied + end, "TensorCommit", "a read by tcgen05.mma");
}

TEST(SanitizerTensor, OtherThreadsAreToldOf) {
  std::string stored = store + waitStore, ends = commit + await(),
              late = product("yes", "tb", "ri", "last");
  clean(stored + barrier + product("yes") + ends);
  report(stored + late, "TensorOrder", "of another warp: a barrier is missing between them");
  report(store + barrier + product("yes"), "TensorStoreWait");
  // Release and acquire order what has ended; relaxed barriers do with both fences (9.7.16.6.4.4,
  // example 1).
  clean(stored + meeting("") + product("yes") + ends);
  clean(stored + before + meeting(relaxed) + after + product("yes") + ends + barrier);
  report(stored + meeting(relaxed) + after + late, "TensorOrder",
         "tcgen05.fence::before_thread_sync and");
  report(stored + before + meeting(relaxed) + late, "TensorOrder");
  report(store + before + meeting(relaxed) + after + late, "TensorStoreWait");
  // Sums are read before they are replaced.
  std::string read = product("no") + ends + load,
              renewed = "@one mbarrier.inval.shared::cta.b64 [bar];\n@one "
                        "mbarrier.init.shared::cta.b64 [bar], 1;\n";
  clean(read + waitLoad + barrier + renewed + product("no") + commit + barrier + await("", "v"));
  report(read + barrier + product("no"), "TensorLoadWait");
  report(read + waitLoad + product("no", "tb", "ri", "last"), "TensorOrder");
  // Columns are given back when others have read them: a barrier, which `kernel` has, and uses of
  // the registers are enough.
  clean(read);
  report(stored + load + waitLoad + "@last bra end;\n" + again, "TensorOrder", "tcgen05.dealloc");
  // Work of one thread that another one continues: 9.7.16.6.4.3.
  std::string columns;
  for (int column = 0; column < 32; column += 8)
    columns +=
        cat("add.u32 r9, tb, ", column, ";\n@one tcgen05.cp.cta_group::1.128x256b [r9], ld;\n");
  std::string other =
      late + "@last tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [bar];\n";
  clean(columns + before + meeting(relaxed) + after + other + await());
  report(columns + meeting(relaxed) + after + other, "TensorCommit");
}

// What a lane began is no other lane's: it comes before that one's work where they meet, and a
// commit is for "the asynchronous tcgen05 operations initiated by the executing thread" (PTX ISA,
// tcgen05.commit). So a copy by a whole warp is a fault, though all lanes write the same.
TEST(SanitizerTensor, WorkIsOfOneThread) {
  std::string lanes = "setp.ge.u32 p2, r1, 96;\nsetp.eq.u32 p3, r1, 97;\n", ends = commit + await(),
              other = "@p3 tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 "
                      "[bar];\n",
              second = product("yes", "tb", "ri", "p3"),
              meet = before + "bar.warp.sync -1;\n" + after;
  clean(copy + ofCopied + ends);
  report(lanes + "@p2 tcgen05.cp.cta_group::1.128x256b [tb], ld;\n" + ofCopied + ends,
         "TensorCommit", "a write by tcgen05.cp");
  report(lanes + product("no") + second + ends, "TensorCommit", "tcgen05.mma by thread (96, 0, 0)");
  clean(lanes + product("no") + meet + second + other + await() + load + waitLoad);
  report(lanes + product("no") + meet + other + await() + load, "TensorCommit",
         "a write by tcgen05.mma by thread (96, 0, 0)");
  report(lanes + product("no") + meet + second + ends + load, "TensorCommit",
         "tcgen05.mma by thread (97, 0, 0)");
}

TEST(SanitizerTensor, OperandsInSharedMemory) {
  std::string write = "st.shared.b32 [r3], x0;\n", ends = commit + await();
  clean(write + "fence.proxy.async;\n" + barrier + product("no") + ends);
  report(write + barrier + product("no"), "ProxyFence",
         "a read by tcgen05 of 16 bytes at shared address");
  report(write + "fence.proxy.async;\n" + product("no", "tb", "ri", "last"), "Race",
         "a read by tcgen05");
  report(copy + write, "Race", "races with a read by tcgen05 by thread (96, 0, 0)");
  report(product("no") + write, "Race", "races with a read by tcgen05");
  report(product("no") + commit + write, "Race");
  report(product("no") + commit + await(relaxed) + write, "Race");
  clean(product("no") + ends + write);
  report("or.b64 ld, ld, 512;\n" + product("no"), "Unwritten", "a read by tcgen05");
}

TEST(SanitizerTensor, ReportsSayWho) {
  Bench bench({.hostThreads = 1, .sanitize = true});
  uint64_t out = bench.buffer(std::vector<uint32_t>(64));
  Status status =
      bench.launch(kernel("add.u32 ta, ta, 5;\n.loc 1 7 2\n" + store + load + waitLoad + waitStore),
                   "k", {.grid = {}, .block = {128}}, {out});
  ASSERT_FALSE(status);
  const sanitize::Report &first = bench.reports()[0];
  EXPECT_EQ(first.rule, "TensorStoreWait");
  EXPECT_EQ(first.space, "tensor");
  EXPECT_EQ(first.address % 65536, 5u);
  EXPECT_EQ(first.party.place.text, load.substr(0, load.size() - 1));
  ASSERT_TRUE(first.earlier);
  EXPECT_EQ(first.earlier->access, "a write by tcgen05.st");
  EXPECT_EQ(first.earlier->place.text, store.substr(0, store.size() - 1));
}

//===--- mbarriers: what passes them

/// Block 0 writes and arrives at block 1's mbarrier, which reads.
Reason passing(const std::string &arrive, const std::string &wait, const std::string &fences = "",
               const std::string &fencesAfter = "") {
  Bench bench({.hostThreads = 1, .sanitize = true});
  uint64_t out = bench.buffer(std::vector<uint32_t>(64));
  std::string body =
      cat("mov.u32 r1, %cluster_ctarank;\nsetp.eq.u32 p1, r1, 0;\nmov.u32 r2, bar;\n@!p1 "
          "mbarrier.init.shared::cta.b64 [r2], 1;\n"
          "barrier.cluster.arrive;\nbarrier.cluster.wait;\n@!p1 bra other;\nst.global.b32 [out_], "
          "1;\nmapa.shared::cluster.u32 r3, r2, 1;\n",
          fences, "mbarrier.arrive", arrive,
          ".shared::cluster.b64 _, [r3];\nbra end;\nother: mbarrier.try_wait.parity", wait,
          ".shared::cta.b64 p2, [r2], 0;\n@!p2 bra other;\n", fencesAfter,
          "ld.global.b32 r4, [out_];\nend: barrier.cluster.arrive;\nbarrier.cluster.wait;\n");
  LaunchConfig config{.grid = {2}, .block = {1}, .cluster = Dim3{2}};
  Status status =
      bench.launch(kernelOf(body, ".shared .align 8 .b64 bar;\n"), "k", config, {out, out});
  return status ? Reason{} : status.reason();
}
TEST(SanitizerTensor, ScopesOfMbarriers) {
  EXPECT_EQ(passing(".release.cluster", ".acquire.cluster").text, "");
  EXPECT_EQ(passing("", "").text, ""); // not written: taken to reach the cluster
  for (const char *sync :
       {".release.cta .acquire.cluster", ".release.cluster .acquire.cta",
        ".relaxed.cluster .acquire.cluster", ".release.cluster .relaxed.cluster"}) {
    std::string words = sync;
    size_t blank = words.find(' ');
    EXPECT_EQ(passing(words.substr(0, blank), words.substr(blank + 1)).id, "Race") << sync;
  }
  std::string fence = "fence.acq_rel.cluster;\n", narrow = "fence.acq_rel.cta;\n";
  EXPECT_EQ(passing(relaxed, relaxed, fence, fence).text, "");
  EXPECT_EQ(passing(relaxed, relaxed, narrow, fence).id, "Race");
  EXPECT_EQ(passing(relaxed, relaxed, fence, narrow).id, "Race");
  EXPECT_EQ(passing(relaxed, relaxed, "", fence).id, "Race");
}

} // namespace

} // namespace tessera::sim::test
