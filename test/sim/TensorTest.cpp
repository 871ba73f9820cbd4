// Tensor copies against plain loops over elements, with the ISA's formulas for boxes, columns and
// swizzles. PTX ISA 5.5.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "BulkHarness.h"

#include <functional>

namespace tessera::sim::test {

namespace {

struct Copy {
  TensorMap map;
  std::vector<int> at, offsets;
};
/// f(byte of the tile before the swizzle, byte of the tensor or -1) for each element of a tiled
/// box. As on an H100 rows of a swizzled box begin a span apart, and who writes goes on to the end
/// of 16 bytes of which some are within the tensor (tessera-sim-hw).
void eachElement(const Copy &c, bool writes, const std::function<void(uint32_t, int64_t)> &f) {
  uint32_t size = row(c.map.type).bits / 8u,
           pitch = std::max<uint32_t>(c.map.box[0] * size, row(c.map.swizzle).span), line = 0;
  uint64_t width = writes ? (c.map.dims[0] * size + 15) / 16 * 16 / size : c.map.dims[0];
  std::array<uint32_t, 5> i{};
  for (;;) {
    int64_t byte = 0;
    bool inside = true;
    for (size_t mode = 0; mode < c.map.rank; ++mode) {
      int64_t at = c.at[mode] + int64_t(i[mode]);
      inside &= at >= 0 && at < int64_t(mode ? c.map.dims[mode] : width);
      byte += at * (mode ? int64_t(c.map.strides[mode - 1]) : int64_t(size));
    }
    f(line * pitch + i[0] * size, inside ? byte : -1);
    size_t mode = 0;
    for (; mode < c.map.rank; ++mode) {
      if ((i[mode] += mode ? c.map.steps[mode] : 1) < c.map.box[mode])
        break;
      i[mode] = 0;
    }
    line += mode > 0;
    if (mode == c.map.rank)
      return;
  }
}
/// PTX ISA 5.5.6, figures of the swizzle modes: within rows of 128 bytes unit u of row r goes to u
/// ^ r, where the row counts from a multiple of the span's eight rows and only the bits of the span
/// change.
uint32_t swizzled(const TensorMap &map, uint32_t byte) {
  uint32_t units = row(map.swizzle).span / 16u, unit = byte / 16, line = byte / 128;
  return units ? (unit ^ (line % 8 & (units - 1))) * 16 + byte % 16 : byte;
}

const std::vector<Copy> &copies() {
  using enum TensorMapType;
  static const std::vector<Copy> all = [] {
    std::vector<Copy> out = {
        {mapOf(U8, {96}, {64}), {48}, {}},
        {mapOf(U8, {100, 3}, {64, 2}), {48, 0}, {}},
        {mapOf(F32, {37, 20}, {12, 9}), {-4, 15}, {}},
        {mapOf(BF16, {64, 33}, {64, 16}), {0, 20}, {}},
        {mapOf(F16, {200, 10}, {32, 8}), {192, -2}, {}},
        {mapOf(F64, {9, 7, 5}, {4, 3, 2}), {6, 5, 4}, {}},
        {mapOf(S32, {8, 5, 4, 3}, {4, 3, 2, 2}), {-4, 3, 1, 2}, {}},
        {mapOf(U16, {16, 4, 3, 3, 3}, {8, 2, 2, 2, 2}), {8, 3, 2, -1, 2}, {}},
        {mapOf(U8, {64, 8}, {16, 8}), {-112, 0}, {}}, // all of it outside
        {mapOf(U64, {6, 4}, {2, 4}), {4, 0}, {}},
    };
    Copy steps{mapOf(F32, {16, 30, 6}, {8, 9, 4}), {4, 7, 1}, {}};
    steps.map.steps = {1, 3, 2, 1, 1};
    out.push_back(steps);
    for (TensorMapSwizzle swizzle :
         {TensorMapSwizzle::B32, TensorMapSwizzle::B64, TensorMapSwizzle::B128}) {
      Copy wide{mapOf(F16, {200, 40}, {row(swizzle).span / 2u, 24}), {8, 30}, {}};
      wide.map.swizzle = swizzle;
      out.push_back(wide);
      wide.map.box[0] /= 2; // rows of half the span
      wide.at = {184, -5};
      out.push_back(wide);
    }
    Copy nans{mapOf(F32, {10, 10}, {8, 8}), {8, 6}, {}};
    nans.map.fill = TensorMapFill::NaN;
    out.push_back(nans);
    nans.map = mapOf(BF16, {10, 10}, {8, 8});
    nans.map.fill = TensorMapFill::NaN;
    out.push_back(nans);
    return out;
  }();
  return all;
}

TEST(Tensors, AreLoaded) {
  for (bool late : {false, true})
    for (const Copy &c : copies()) {
      Stage stage(c.map, {.lateCopies = late});
      uint32_t bytes = 0, size = row(c.map.type).bits / 8u;
      Bytes want(sharedBytes);
      eachElement(c, false, [&](uint32_t to, int64_t from) {
        for (uint32_t b = 0; b < size; ++b)
          want[swizzled(c.map, to + b)] = from >= 0 ? stage.tensor[size_t(from) + b]
                                          : c.map.fill == TensorMapFill::NaN
                                              ? (b % 2 ? 0x7f : 0xf7) // on an H100
                                              : 0;
        bytes += size;
      });
      Status status =
          stage.run(cat(prologue, "@p1 mbarrier.arrive.expect_tx.shared.b64 _, [r41], ", bytes,
                        ";\n@p1 cp.async.bulk.tensor.", c.map.rank,
                        "d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [r40], [in_, ",
                        list(c.at), "], [r41];", epilogue));
      ASSERT_TRUE(status) << status.reason().text;
      ASSERT_EQ(stage.bench.read<uint8_t>(stage.out, sharedBytes), want)
          << c.map.rank << "d " << row(c.map.type).name << " at " << list(c.at) << " late " << late;
    }
}

TEST(Tensors, AreStoredAndReduced) {
  for (bool late : {false, true})
    for (bool reduces : {false, true})
      for (Copy c : copies()) {
        for (int &at : c.at) // see AreNotAtOtherCoordinates
          at = std::max(at, 0);
        bool sums = c.map.type != TensorMapType::U8 && c.map.type != TensorMapType::U16 &&
                    !atom::row(c.map.type).floating;
        if (reduces && !sums)
          continue;
        Stage stage(c.map, {.lateCopies = late});
        uint32_t size = row(c.map.type).bits / 8u;
        Bytes want = stage.tensor, tile(sharedBytes);
        for (uint32_t i = 0; i < sharedBytes; ++i)
          tile[i] = uint8_t(i / 4 >> (i % 4 * 8));
        eachElement(c, true, [&](uint32_t from, int64_t to) {
          unsigned carry = 0;
          for (uint32_t b = 0; to >= 0 && b < size; ++b) {
            carry += tile[swizzled(c.map, from + b)] + (reduces ? want[size_t(to) + b] : 0u);
            want[size_t(to) + b] = uint8_t(carry);
            carry >>= 8;
          }
        });
        Status status = stage.run(cat(prologue, numbers, "@p1 cp.", reduces ? "reduce." : "",
                                      "async.bulk.tensor.", c.map.rank, "d.global.shared::cta",
                                      reduces ? ".add" : "", ".tile.bulk_group [in_, ", list(c.at),
                                      "], [r40];\n@p1 cp.async.bulk.commit_group;\n"
                                      "@p1 cp.async.bulk.wait_group.read 0;\n"));
        ASSERT_TRUE(status) << status.reason().text;
        ASSERT_EQ(stage.bench.read<uint8_t>(stage.data, want.size()), want)
            << c.map.rank << "d " << row(c.map.type).name << " at " << list(c.at) << " reduces "
            << reduces;
      }
}

// PTX ISA 5.5.4: pixels of images of width, height (and depth) between the corners, from the base
// on; each is read at its place plus the offsets of the filter.
TEST(Tensors, AreLoadedAsColumns) {
  struct {
    std::vector<uint64_t> dims;
    std::vector<int> at, offsets, lower, upper;
    uint32_t pixels;
  } const cases[] = {
      {{32, 9, 3}, {0, 6, 0}, {1}, {-1}, {-1}, 14},
      {{32, 7, 6, 3}, {16, -1, 4, 0}, {2, 0}, {-1, -1}, {-1, -1}, 40},
      {{16, 4, 4, 3, 2}, {0, 2, 1, 1, 0}, {0, 1, 2}, {0, -1, -1}, {-1, 0, -1}, 30},
  };
  for (const auto &c : cases) {
    TensorMap map = mapOf(TensorMapType::F16, c.dims, {});
    map.kind = TensorMapKind::Im2col;
    map.channels = 16;
    map.pixels = c.pixels;
    size_t spatial = map.rank - 2;
    for (size_t i = 0; i < spatial; ++i)
      map.lower[i] = c.lower[i], map.upper[i] = c.upper[i];
    Stage stage(map);
    Bytes want(sharedBytes);
    // All pixels in order: n slowest, width fastest; those from the base on count.
    uint32_t taken = 0;
    std::vector<int> pixel(spatial + 1);
    bool begun = false;
    for (pixel[spatial] = c.at[map.rank - 1]; taken < c.pixels; ++pixel[spatial]) {
      std::function<void(size_t)> walk = [&](size_t mode) {
        for (pixel[mode] = c.lower[mode];
             pixel[mode] < int(c.dims[mode + 1]) + c.upper[mode] && taken < c.pixels;
             ++pixel[mode]) {
          if (mode) {
            walk(mode - 1);
            continue;
          }
          begun |= std::equal(pixel.begin(), pixel.end(), c.at.begin() + 1);
          if (!begun)
            continue;
          bool inside = pixel[spatial] < int(c.dims[spatial + 1]);
          uint64_t from = uint64_t(c.at[0]) * 2 + uint64_t(pixel[spatial]) * map.strides[spatial];
          for (size_t i = 0; i < spatial; ++i) {
            int at = pixel[i] + c.offsets[i];
            inside &= at >= 0 && at < int(c.dims[i + 1]);
            from += uint64_t(at) * map.strides[i];
          }
          for (uint32_t b = 0; b < 32; ++b)
            want[taken * 32 + b] = inside ? stage.tensor[from + b] : 0;
          ++taken;
        }
      };
      walk(spatial - 1);
    }
    Status status =
        stage.run(cat(prologue, "@p1 mbarrier.arrive.expect_tx.shared.b64 _, [r41], ",
                      c.pixels * 32, ";\n@p1 cp.async.bulk.tensor.", map.rank,
                      "d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes [r40], [in_, ",
                      list(c.at), "], [r41], ", list(c.offsets), ";", epilogue));
    ASSERT_TRUE(status) << status.reason().text;
    EXPECT_EQ(stage.bench.read<uint8_t>(stage.out, sharedBytes), want) << map.rank;
  }
}

// On an H100 the types with FTZ leave loaded numbers alone, and flush what they sum and the sum.
TEST(Tensors, AreRoundedAndTheirSumsFlushed) {
  TensorMap map = mapOf(TensorMapType::TF32Ftz, {4}, {4});
  Stage stage(map);
  // 1 + 2^-11 is halfway between two tf32 numbers, 1 + 3 * 2^-11 too; a subnormal; 1 + 2^-10.
  std::vector<uint32_t> values = {0x3f801000, 0x3f803000, 0x80400000, 0x3f802000};
  ASSERT_TRUE(stage.bench.machine.memory().write(stage.data, std::as_bytes(std::span(values))));
  ASSERT_TRUE(stage.run(
      prologue +
      "@p1 mbarrier.arrive.expect_tx.shared.b64 _, [r41], 16;\n@p1 cp.async.bulk.tensor.1d.shared"
      "::cta.global.mbarrier::complete_tx::bytes.L2::cache_hint [r40], [in_, {0}], [r41], 7;" +
      epilogue));
  EXPECT_EQ(stage.bench.read<uint32_t>(stage.out, 4),
            (std::vector<uint32_t>{0x3f800000, 0x3f804000, 0x80400000, 0x3f802000}));
  // The tile has the subnormal words 0 to 3. 2^-126 and these; a subnormal; -2^-126 plus 0; 1.5 *
  // 2^-126.
  values = {0x00800000, 0x00400000, 0x80800000, 0x00c00000};
  for (auto [type, third] :
       {std::pair(TensorMapType::TF32Ftz, 0x80800000u), {TensorMapType::F32, 0x807ffffeu}}) {
    Stage sums(mapOf(type, {4}, {4}));
    ASSERT_TRUE(sums.bench.machine.memory().write(sums.data, std::as_bytes(std::span(values))));
    ASSERT_TRUE(sums.run(cat(
        prologue, numbers,
        "@p1 cp.reduce.async.bulk.tensor.1d.global.shared::cta.add.bulk_group [in_, {0}], [r40];\n"
        "@p1 cp.async.bulk.commit_group;\n@p1 cp.async.bulk.wait_group 0;\n")));
    bool flushes = type != TensorMapType::F32;
    EXPECT_EQ(sums.bench.read<uint32_t>(sums.data, 4),
              (std::vector<uint32_t>{0x00800000, flushes ? 0 : 0x00400001u, third,
                                     flushes ? 0x00c00000 : 0x00c00003u}));
  }
}

// Rows of 16 bytes lie 32 apart under a swizzle of 32: nobody writes what is between them, and a
// store does not read it.
TEST(Tensors, LeaveGapsAlone) {
  TensorMap map = mapOf(TensorMapType::F32, {4, 3}, {4, 3});
  map.swizzle = TensorMapSwizzle::B32;
  const std::string some = "@p1 st.shared.u32 [r40], 1;\n@p1 st.shared.u32 [r40+4], 1;\n@p1 "
                           "st.shared.v2.u32 [r40+8], {1, 1};\n"
                           "@p1 st.shared.v4.u32 [r40+32], {1, 1, 1, 1};\n@p1 st.shared.v4.u32 "
                           "[r40+64], {1, 1, 1, 1};\nfence.proxy.async;\n";
  const std::string store =
      "@p1 cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [in_, {0, 0}], [r40];\n"
      "@p1 cp.async.bulk.commit_group;\n@p1 cp.async.bulk.wait_group 0;\n";
  const std::string load = "@p1 mbarrier.arrive.expect_tx.shared.b64 _, [r41], 48;\n@p1 "
                           "cp.async.bulk.tensor.2d.shared::cta.global.mbarrier"
                           "::complete_tx::bytes [r40], [in_, {0, 0}], [r41];\nwait: "
                           "mbarrier.try_wait.parity.shared.b64 p2, [r41], 0;\n@!p2 bra wait;\n";
  auto ends = [&](const std::string &body) {
    Status status = Stage(map, {.sanitize = true}).run(prologue + body);
    return status ? std::string_view() : status.reason().id;
  };
  EXPECT_EQ(ends(some + store), "");
  EXPECT_EQ(ends(load + "ld.shared.u32 r2, [r40+32];\n"), "");
  EXPECT_EQ(ends(load + "ld.shared.u32 r2, [r40+16];\n" + decidesBy("r2")), "Unwritten");
}

// Which an H100 has, by tessera-sim-hw; the others are illegal instructions there.
TEST(Tensors, AreReducedInSomeTypes) {
  using enum TensorMapType;
  struct {
    const char *ops;
    std::vector<TensorMapType> types;
  } const cases[] = {{"add", {U32, S32, U64, F16, F32, F64, BF16, F32Ftz, TF32, TF32Ftz}},
                     {"min max", {U32, S32, U64, S64, F16, BF16}},
                     {"inc dec", {U32}},
                     {"and or xor", {U32, S32, U64}}};
  size_t done = 0;
  for (const auto &c : cases) {
    std::istringstream ops(c.ops);
    for (std::string op; ops >> op;)
      for (TensorMapType type :
           {U8, U16, U32, S32, U64, S64, F16, F32, F64, BF16, F32Ftz, TF32, TF32Ftz}) {
        Status status = Stage(mapOf(type, {64}, {16}))
                            .run(cat(prologue, numbers,
                                     "@p1 cp.reduce.async.bulk.tensor.1d.global.shared::cta.", op,
                                     ".bulk_group [in_, {16}], [r40];\n"));
        EXPECT_EQ(bool(status), std::ranges::find(c.types, type) != c.types.end())
            << op << " " << row(type).name;
        if (!status && ++done)
          EXPECT_NE(status.reason().text.find(cat("expects elements of UINT32")), std::string::npos)
              << status.reason().text;
      }
  }
  EXPECT_EQ(done, 3u + 2 * 7 + 2 * 12 + 3 * 10);
}

TEST(Tensors, AreNotAtOtherCoordinates) {
  // What an H100 takes for illegal instructions: a first coordinate within 16 bytes, and writes at
  // negative coordinates.
  auto refused = [](bool stores, const std::string &at) {
    Status status =
        Stage(mapOf(TensorMapType::F32, {36, 20}, {12, 9}))
            .run(cat(prologue, numbers, "@p1 cp.async.bulk.tensor.2d.",
                     stores ? "global.shared::cta.bulk_group [in_, "
                            : "shared::cta.global.mbarrier::complete_tx::bytes [r40], [in_, ",
                     at, stores ? "], [r40];" : "], [r41];"));
    return status                                      ? ""
           : status.reason().id == "TensorCoordinates" ? status.reason().text
                                                       : "another error";
  };
  for (bool stores : {false, true})
    EXPECT_NE(refused(stores, "{2, 0}")
                  .find("a first coordinate at a multiple of 16 bytes, but got 2, which is byte 8"),
              std::string::npos);
  EXPECT_NE(refused(true, "{4, -1}")
                .find("coordinates that are not negative, as it writes, but got -1 in mode 1"),
            std::string::npos);
  EXPECT_NE(refused(true, "{-4, 0}").find("but got -4 in mode 0"), std::string::npos);
  EXPECT_EQ(refused(false, "{-4, -1}"), "");
  EXPECT_EQ(refused(true, "{40, 30}"), "");
}

TEST(Tensors, GoToManyBlocks) {
  // Block 1 of a cluster of 4 loads a box into blocks 0, 1 and 3; each block writes its tile.
  for (bool late : {false, true}) {
    TensorMap map = mapOf(TensorMapType::S32, {16, 64}, {16, 32});
    Stage stage(map, {.lateCopies = late});
    stage.out = stage.bench.buffer(Bytes(4 * sharedBytes));
    Status status = stage.run(cat(prologue, R"(
      mov.u32 r20, %cluster_ctarank;
      mul.wide.u32 d20, r20, )",
                                  sharedBytes, R"(;
      add.u64 out_, out_, d20;
      setp.ne.u32 p5, r20, 2;
      @p1 mbarrier.arrive.expect_tx.shared.b64 _, [r41], 2048;
      barrier.cluster.arrive.release.aligned;
      barrier.cluster.wait.acquire.aligned;
      setp.eq.and.u32 p6, r20, 1, p1;
      mov.b16 h1, 11;
      @p6 cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster
          [r40], [in_, {0, 8}], [r41], h1;
      @!p5 bra done;)",
                                  epilogue, "done: barrier.cluster.arrive;\nbarrier.cluster.wait;"),
                              {.grid = {4}, .block = {32}, .cluster = Dim3{4}});
    ASSERT_TRUE(status) << status.reason().text;
    for (uint32_t block : {0u, 1u, 2u, 3u}) {
      Bytes got = stage.bench.read<uint8_t>(stage.out + block * sharedBytes, 2048), want(2048);
      for (size_t i = 0; i < 2048 && block != 2; ++i)
        want[i] = stage.tensor[(8 + i / 64) * map.strides[0] + i % 64];
      EXPECT_EQ(got, want) << block;
    }
  }
}

TEST(Tensors, MapsAreChanged) {
  // A copy of the map in shared memory gets other extents and a swizzle, and goes to global memory.
  TensorMap map = mapOf(TensorMapType::F32, {32, 32}, {32, 16});
  Stage stage(map);
  uint64_t made = stage.bench.buffer(std::vector<uint64_t>(16));
  Status status = stage.bench.launch(kernelOf(prologue + R"(
      shl.b32 r10, r1, 2;
      cvt.u64.u32 d1, r10;
      add.u64 d1, d1, in_;
      ld.global.u32 r11, [d1];
      add.u32 r10, r10, r40;
      st.shared.u32 [r10], r11;
      bar.sync 0;
      cvt.u64.u32 d2, r40;
      @p1 tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [d2], 1, 20;
      @p1 tensormap.replace.tile.swizzle_mode.shared::cta.b1024.b32 [d2], 3;
      bar.sync 0;
      tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [out_], [d2], 128;
      fence.proxy.tensormap::generic.release.gpu;
      fence.proxy.tensormap::generic.acquire.gpu [out_], 128;
      cp.async.bulk.prefetch.tensor.2d.L2.global.tile [out_, {0, 0}];)",
                                              shared),
                                     "k", {.grid = {}, .block = {32}}, {stage.in, made});
  ASSERT_TRUE(status) << status.reason().text;
  map.address = stage.data;
  map.dims[1] = 20;
  map.swizzle = TensorMapSwizzle::B128;
  atom::TensorMapImage want = *atom::encode(map);
  std::vector<uint64_t> got = stage.bench.read<uint64_t>(made, 8);
  EXPECT_EQ(got, std::vector<uint64_t>(want.words.begin(), want.words.begin() + 8));
}

} // namespace

} // namespace tessera::sim::test
