// Forms of bulk copies: four rows at once, masks of bytes, mbarriers of pairs of blocks, every
// reduction. PTX ISA 9.7.9.25 and 9.7.9.27.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "BulkHarness.h"

namespace tessera::sim::test {

namespace {

/// Unit u of 16 bytes of line r of 128 goes to u ^ r, within the span. In atoms of 32 bytes two
/// units stay together, in those of 64 four, of which odd lines exchange the halves. PTX ISA 5.5.7.
uint32_t swizzled(const TensorMap &map, uint32_t byte) {
  if (map.swizzle == TensorMapSwizzle::B128Atom32)
    return byte ^ (byte / 128 % 4 * 32);
  if (map.swizzle == TensorMapSwizzle::B128Atom64)
    return byte ^ (byte / 128 % 2 * 64);
  uint32_t units = row(map.swizzle).span / 16u;
  return units ? ((byte / 16) ^ (byte / 128 % 8 & (units - 1))) * 16 + byte % 16 : byte;
}

struct Rows {
  TensorMap map;
  std::vector<int> at; // the column, then four rows
};
std::vector<Rows> fourRows() {
  std::vector<Rows> out = {
      {mapOf(TensorMapType::F32, {37, 20}, {12, 1}), {4, 3, 19, 0, 3}},
      {mapOf(TensorMapType::U8, {64, 9}, {32, 1}),
       {48, 8, 9, -1, 4}}, // columns and two rows outside
      {mapOf(TensorMapType::F16, {64, 33}, {64, 1}), {0, 30, 2, 17, 5}},
  };
  out[2].map.swizzle = TensorMapSwizzle::B128;
  return out;
}
/// f(byte in shared memory, byte of the tensor or -1) for all bytes of four rows that follow each
/// other.
template <class F> void eachByte(const Rows &c, F f) {
  uint32_t size = row(c.map.type).bits / 8u, width = c.map.box[0] * size;
  for (uint32_t k = 0; k < 4; ++k)
    for (uint32_t b = 0; b < width; ++b) {
      int64_t column = c.at[0] + int64_t(b / size), line = c.at[1 + k];
      bool inside = column >= 0 && column < int64_t(c.map.dims[0]) && line >= 0 &&
                    line < int64_t(c.map.dims[1]);
      f(swizzled(c.map, k * width + b),
        inside ? line * int64_t(c.map.strides[0]) + column * size + b % size : -1);
    }
}

TEST(BulkForms, GatherFourRows) {
  for (bool late : {false, true})
    for (const Rows &c : fourRows()) {
      Stage stage(c.map, {.lateCopies = late});
      Bytes want(sharedBytes);
      uint32_t bytes = 0;
      eachByte(c, [&](uint32_t to, int64_t from) {
        want[to] = from < 0 ? 0 : stage.tensor[size_t(from)];
        ++bytes;
      });
      Status status = stage.run(cat(
          prologue, "@p1 mbarrier.arrive.expect_tx.shared.b64 _, [r41], ", bytes,
          ";\n@p1 cp.async.bulk.tensor.2d",
          ".shared::cta.global.tile::gather4.mbarrier::complete_tx::bytes [r40], [in_, ",
          list(c.at), "], [r41];\ncp.async.bulk.prefetch.tensor.2d.L2.global.tile::gather4 [in_, ",
          list(c.at), "];", epilogue));
      ASSERT_TRUE(status) << status.reason().text;
      EXPECT_EQ(stage.bench.read<uint8_t>(stage.out, sharedBytes), want)
          << list(c.at) << " late " << late;
    }
}

/// A box of numbers of 4 and 6 bits: f(byte in shared memory, byte of the tensor or -1). PTX
/// ISA 5.5.1: of the padded types 16 numbers fill 8 or 12 of 16 bytes.
template <class F> void eachPackedByte(const TensorMap &map, std::vector<int> at, F f) {
  uint32_t group = 2u * row(map.type).bits, groups = map.box[0] / 16,
           pitch = row(map.type).padded ? 16 : group;
  for (uint32_t r = 0; r < map.box[1]; ++r)
    for (uint32_t b = 0; b < groups * group; ++b) {
      int64_t line = at[1] + int64_t(r), byte = at[0] * int64_t(row(map.type).bits) / 8 + b;
      uint32_t to = (r * groups + b / group) * pitch + b % group;
      bool inside = line < int64_t(map.dims[1]);
      f(swizzled(map, to), inside ? line * int64_t(map.strides[0]) + byte : -1);
    }
}

TEST(BulkForms, PackedNumbers) {
  using enum TensorMapType;
  using enum TensorMapSwizzle;
  std::vector<std::pair<TensorMapType, TensorMapSwizzle>> cases = {
      {B4x16, TensorMapSwizzle::None},
      {B4x16, B64},
      {B4x16Padded, TensorMapSwizzle::None},
      {B4x16Padded, B128},
      {B4x16Padded, B128Atom32},
      {B6x16Padded, TensorMapSwizzle::None},
      {B6x16Padded, B128},
      {U32, B128Atom32},
      {U32, B128Atom64},
      {B6x16Padded, B128Atom64}};
  for (auto [type, swizzle] : cases) {
    bool words = type == U32;
    TensorMap map = words ? mapOf(type, {64, 6}, {32, 5}) : mapOf(type, {256, 6}, {128, 5});
    map.swizzle = swizzle;
    map.strides[0] = 256;
    Stage stage(map);
    Bytes want(sharedBytes);
    uint32_t bytes = 0;
    auto visit = [&](uint32_t to, int64_t from) {
      want[to] = from < 0 ? 0 : stage.tensor[size_t(from)];
      ++bytes;
    };
    if (words)
      for (uint32_t r = 0; r < 5; ++r)
        for (uint32_t b = 0; b < 128; ++b) {
          uint32_t to = swizzled(map, r * 128 + b);
          visit(to, r < 3 ? int64_t((3 + r) * 256 + 128 + b) : -1);
        }
    else
      eachPackedByte(map, {128, 3}, visit);
    std::string at = words ? "{32, 3}" : "{128, 3}";
    Status status = stage.run(
        cat(prologue, "@p1 mbarrier.arrive.expect_tx.shared.b64 _, [r41], ", bytes,
            ";\n@p1 cp.async.bulk.tensor.2d.shared::cta.global.tile.mbarrier::complete_tx::bytes "
            "[r40], [in_, ",
            at, "], [r41];\n", epilogue));
    ASSERT_TRUE(status) << status.reason().text;
    EXPECT_EQ(stage.bench.read<uint8_t>(stage.out, sharedBytes), want)
        << row(type).name << " " << row(swizzle).name;
  }
}

/// Pixels along W. The first six cases are the examples of PTX ISA 5.5.5.3 and 5.5.5.4, with fewer
/// channels and images, and one whose first pixel is left of the bounds.
struct Along {
  std::vector<uint64_t> dims; // channels, W, H, images
  std::vector<int> at;
  int halo, offset, lower, upper, step;
  bool runsOf32;
  uint32_t pixels;
};
const Along alongW[] = {
    {{32, 7, 9, 24}, {0, 3, 2, 7}, 2, 0, 0, 0, 1, false, 68},
    {{32, 67, 9, 5}, {0, -1, 2, 1}, 1, 0, -1, 0, 2, false, 90},
    {{32, 67, 9, 5}, {0, -1, 2, 1}, 0, 1, -1, 0, 2, false, 90},
    {{32, 7, 7, 30}, {0, -1, 2, 3}, 0, 0, -1, -1, 3, false, 40},
    {{32, 7, 7, 30}, {0, -1, 2, 3}, 0, 1, -1, -1, 3, false, 40},
    {{32, 7, 7, 30}, {0, -1, 2, 3}, 0, 2, -1, -1, 3, false, 40},
    {{32, 9, 7, 3}, {0, -3, 6, 0}, 0, 0, -1, 0, 1, false, 44}, // from the left, and past the images
    {{32, 9, 2, 3}, {0, 0, 2, 0}, 1, 0, 0, 0, 1, false, 4},    // below the image: zeros
    {{16, 40, 3, 6}, {0, 1, 1, 1}, 3, 0, 0, 0, 1, true, 7},    // of 128 whatever the map says
    {{16, 30, 3, 9}, {0, 5, 1, 0}, 0, 4, 0, -4, 1, true, 128},
};
/// Of pixel i of the run that begins at W = at[1]: its W and its image, by counting.
std::pair<int, int> pixelAlong(const Along &c, int i) {
  int w = c.at[1], image = c.at[3];
  for (; i; --i) {
    w += c.step;
    if (w > int(c.dims[1]) - 1 + c.upper)
      w = c.lower, ++image;
  }
  return {w, image};
}

TEST(BulkForms, PixelsAlongWAndTheirHalo) {
  for (bool late : {false, true})
    for (const Along &c : alongW) {
      TensorMap map = mapOf(TensorMapType::F16, c.dims, {});
      map.kind = TensorMapKind::Im2colWide;
      map.mode = c.runsOf32 ? atom::TensorMapWideMode::W128 : atom::TensorMapWideMode::W;
      map.swizzle = TensorMapSwizzle::B64;
      map.channels = uint32_t(c.dims[0]);
      map.pixels = c.pixels;
      map.lower[0] = c.lower;
      map.upper[0] = c.upper;
      map.steps[1] = uint32_t(c.step);
      Stage stage(map, {.lateCopies = late});
      Bytes want(sharedBytes);
      uint32_t width = map.channels * 2, next = 0, pitch = 64; // a row has the span of the swizzle
      auto take = [&](int w, int image) {
        int at[] = {w + c.offset, c.at[2], image};
        bool inside = true;
        uint64_t from = 0;
        for (size_t i = 0; i < 3; ++i) {
          inside &= at[i] >= 0 && at[i] < int(c.dims[i + 1]);
          from += uint64_t(at[i]) * map.strides[i];
        }
        for (uint32_t b = 0; b < width; ++b)
          want[swizzled(map, next + b)] = inside ? stage.tensor[from + b] : 0;
        next += pitch;
      };
      uint32_t run = c.runsOf32 ? 32 : c.pixels, runs = c.runsOf32 ? 4 : 1;
      for (uint32_t i = 0; i < run * runs; ++i) {
        auto [w, image] = pixelAlong(c, int(i));
        take(w, image);
        for (int h = 1; (i + 1) % run == 0 && h <= c.halo; ++h)
          take(w + h * c.step, image);
      }
      std::string mode = c.runsOf32 ? "im2col::w::128" : "im2col::w";
      std::string info = cat("{", c.halo, ", ", c.offset, "}");
      Status status =
          stage.run(cat(prologue, "@p1 mbarrier.arrive.expect_tx.shared.b64 _, [r41], ",
                        next / pitch * width, ";\n@p1 cp.async.bulk.tensor.4d.shared::cta.global.",
                        mode, ".mbarrier::complete_tx::bytes [r40], [in_, ", list(c.at),
                        "], [r41], ", info, ";\ncp.async.bulk.prefetch.tensor.4d.L2.global.", mode,
                        " [in_, ", list(c.at), "], ", info, ";", epilogue));
      ASSERT_TRUE(status) << status.reason().text;
      EXPECT_EQ(stage.bench.read<uint8_t>(stage.out, sharedBytes), want)
          << list(c.at) << " halo " << c.halo << " offset " << c.offset << " late " << late;
    }
}

TEST(BulkForms, RefuseOtherPixelsAlongW) {
  auto sentence = [](std::string_view mode, std::string at, std::string info) {
    TensorMap map = mapOf(TensorMapType::F16, {32, 8, 4, 4}, {});
    map.kind = TensorMapKind::Im2colWide;
    map.swizzle = TensorMapSwizzle::B64;
    map.channels = 32;
    map.pixels = 16;
    Status status = Stage(map).run(cat(prologue, "@p1 cp.async.bulk.tensor.4d.shared::cta.global.",
                                       mode, ".mbarrier::complete_tx::bytes [r40], [in_, ", at,
                                       "], [r41], ", info, ";"));
    EXPECT_FALSE(status) << at << info;
    return status ? std::string() : status.reason().text;
  };
  auto says = [&](std::string_view mode, std::string at, std::string info, std::string_view what) {
    std::string text = sentence(mode, at, info);
    EXPECT_NE(text.find(what), std::string::npos) << text;
  };
  says("im2col::w", "{0, 0, 0, 0}", "{1, 0}",
       "expects a halo of 1 pixels that ends in its row, but a run of 16 pixels ends too near to W "
       "= 8; what follows there is in figures of the ISA only");
  says("im2col::w", "{0, 0, 0, 0}", "{512, 0}", "a halo of less than 512 pixels, but got 512");
  says("im2col::w", "{0, 0, 0, 0}", "{0, 32}", "an offset along W of less than 32, but got 32");
  says("im2col::w", "{0, 8, 0, 0}", "{0, 0}",
       "a first pixel before the end of a row, which is W = 8, but got W = 8");
  says("im2col::w::128", "{0, 0, 0, 0}", "{0, 0}",
       "expects an im2col::w::128 map, but the tensor map");
  says("im2col", "{0, 0, 0, 0}", "{0, 0}", "has im2col::w pixels");
}

TEST(BulkForms, ScatterFourRows) {
  for (bool late : {false, true})
    for (const Rows &c : fourRows()) {
      Stage stage(c.map, {.lateCopies = late});
      Bytes want = stage.tensor;
      eachByte(c, [&](uint32_t from, int64_t to) {
        if (to >= 0)
          want[size_t(to)] = uint8_t(from / 4 >> (from % 4 * 8)); // word i of the tile is i
      });
      Status status = stage.run(cat(
          prologue, numbers,
          "@p1 cp.async.bulk.tensor.2d.global.shared::cta.tile::scatter4.bulk_group [in_, ",
          list(c.at),
          "], [r40];\n@p1 cp.async.bulk.commit_group;\n@p1 cp.async.bulk.wait_group.read 0;\n"));
      ASSERT_TRUE(status) << status.reason().text;
      EXPECT_EQ(stage.bench.read<uint8_t>(stage.data, want.size()), want)
          << list(c.at) << " late " << late;
    }
}

/// An interleaved tensor of width, height, slices of channels and images; PTX ISA 5.5.6. Rows and
/// slices have gaps between them.
TensorMap interleavedMap(int slice) {
  TensorMap map;
  map.type = TensorMapType::F16;
  map.rank = 4;
  map.dims = {10, 9, 3, 2};
  map.box = {8, 4, 2, 1};
  map.interleave = slice == 16 ? atom::TensorMapInterleave::B16 : atom::TensorMapInterleave::B32;
  map.swizzle = slice == 16 ? TensorMapSwizzle::None : TensorMapSwizzle::B32;
  map.strides = {uint64_t(slice) * 11, uint64_t(slice) * 100, uint64_t(slice) * 302};
  return map;
}
/// f(byte in shared memory, byte of the tensor or -1) of the box at a width, height 6, slice 1 and
/// image 1. Of the box's two slices an H100 copies one (tessera-sim-hw).
template <class F> void eachSliceByte(const TensorMap &map, int slice, int first, F f) {
  for (int h = 0; h < 4; ++h)
    for (int x = 0; x < 8; ++x)
      for (int b = 0; b < slice; ++b) {
        bool inside = x + first >= 0 && x + first < 10 && h + 6 < 9;
        int64_t from = (x + first) * slice + (h + 6) * int64_t(map.strides[0]) +
                       int64_t(map.strides[1]) + int64_t(map.strides[2]) + b;
        f(swizzled(map, uint32_t((h * 8 + x) * slice + b)), inside ? from : -1);
      }
}
TEST(BulkForms, SlicesOfChannelsComeAndGo) {
  for (int slice : {16, 32}) {
    TensorMap map = interleavedMap(slice);
    Stage loads(map), stores(map);
    Bytes tile(sharedBytes), tensor = stores.tensor;
    eachSliceByte(map, slice, -3, [&](uint32_t shared, int64_t byte) {
      tile[shared] = byte < 0 ? 0 : loads.tensor[size_t(byte)];
    });
    eachSliceByte(map, slice, 5, [&](uint32_t shared, int64_t byte) {
      if (byte >= 0)
        tensor[size_t(byte)] = uint8_t(shared / 4 >> (shared % 4 * 8));
    });
    Status status = loads.run(cat(prologue, "@p1 mbarrier.arrive.expect_tx.shared.b64 _, [r41], ",
                                  32 * slice, ";\n@p1 cp.async.bulk.tensor",
                                  ".4d.shared::cta.global.tile.mbarrier::complete_tx::bytes [r40], "
                                  "[in_, {-3, 6, 1, 1}], [r41];",
                                  epilogue));
    ASSERT_TRUE(status) << status.reason().text;
    EXPECT_EQ(loads.bench.read<uint8_t>(loads.out, sharedBytes), tile) << slice;
    status = stores.run(cat(prologue, numbers,
                            "@p1 cp.async.bulk.tensor.4d.global.shared::cta.tile.bulk_group [in_, "
                            "{5, 6, 1, 1}], [r40];\n",
                            "@p1 cp.async.bulk.commit_group;\n@p1 cp.async.bulk.wait_group 0;\n"));
    ASSERT_TRUE(status) << status.reason().text;
    EXPECT_EQ(stores.bench.read<uint8_t>(stores.data, tensor.size()), tensor) << slice;
  }
}

TEST(BulkForms, RefuseOtherRows) {
  auto fails = [](const TensorMap &map, const std::string &body) {
    Status status = Stage(map).run(prologue + body);
    EXPECT_FALSE(status) << body;
    return status ? Reason{} : status.reason();
  };
  const std::string load =
      "@p1 cp.async.bulk.tensor.2d.shared::cta.global.tile::gather4.mbarrier::complete_tx::bytes "
      "[r40], [in_, {0,1,2,3,4}], [r41];";
  Reason tall = fails(mapOf(TensorMapType::F32, {16, 16}, {16, 2}), load);
  EXPECT_EQ(tall.id, "TensorMapUse");
  EXPECT_NE(tall.text.find("expects a box of one row"), std::string::npos) << tall.text;
  EXPECT_EQ(fails(mapOf(TensorMapType::F32, {16, 16, 4}, {16, 1, 1}), load).id, "TensorMapUse");
  TensorMap slices = interleavedMap(16);
  slices.rank = 3;
  slices.kind = TensorMapKind::Im2col;
  slices.channels = 8;
  slices.pixels = 8;
  Reason columns = fails(
      slices, "@p1 cp.async.bulk.tensor.3d.shared::cta.global.im2col.mbarrier::complete_tx::bytes "
              "[r40], [in_, {0,0,0}], [r41], {0};");
  EXPECT_NE(columns.text.find("expects a map without interleave"), std::string::npos)
      << columns.text;
  EXPECT_EQ(refused(kernelOf("cp.async.bulk.tensor.3d.shared::cta.global.tile::gather4.mbarrier::"
                             "complete_tx::bytes [r1], [d1, {0,1,2,3,4}], [r2];"))
                .id,
            "Modifiers");
  EXPECT_EQ(refused(kernelOf("cp.async.bulk.tensor.2d.shared::cta.global.tile::gather4.mbarrier::"
                             "complete_tx::bytes [r1], [d1, {0,1}], [r2];"))
                .id,
            "OperandKind");
}

TEST(BulkForms, StoresTakeTheBytesOfAMask) {
  for (uint32_t mask : {0x0000u, 0xffffu, 0x8001u, 0x0ff0u, 0x5a5au}) {
    Bench bench;
    uint64_t out = bench.buffer(std::vector<uint8_t>(256, 0xcd)),
             in = bench.buffer(std::vector<uint8_t>(16));
    Status status = bench.launch(
        kernelOf(
            cat(prologue, numbers, "mov.b16 h1, ", mask,
                ";\nmov.b64 d1, 0;\n@p1 cp.async.bulk.global.shared::cta.bulk_group.cp_mask ",
                "[out_], [r40], 64, h1;\n@p1 "
                "cp.async.bulk.global.shared::cta.bulk_group.L2::cache_hint.cp_mask [out_+128], ",
                "[r40+64], 32, d1, h1;\n@p1 cp.async.bulk.commit_group;\n@p1 "
                "cp.async.bulk.wait_group 0;\n"),
            shared),
        "k", {.grid = {}, .block = {32}}, {in, out});
    ASSERT_TRUE(status) << status.reason().text;
    std::vector<uint8_t> want(256, 0xcd);
    for (uint32_t b = 0; b < 96; ++b)
      if (mask >> b % 16 & 1)
        want[b < 64 ? b : b + 64] = uint8_t(b / 4 >> (b % 4 * 8));
    EXPECT_EQ(bench.read<uint8_t>(out, 256), want) << mask;
  }
  expectFails(prologue +
                  "mov.b16 h1, 256;\n@p1 cp.async.bulk.global.shared::cta.bulk_group.cp_mask "
                  "[out_+8], [r40], 16, h1;",
              "Alignment", "", 32, {}, shared);
  EXPECT_EQ(
      refused(kernelOf("cp.async.bulk.global.shared::cta.bulk_group.cp_mask [d1], [r1], 16;")).id,
      "OperandCount");
}

// Four elements of each type, so that 16 bytes or more are reduced. Expected values in the host's
// own arithmetic.
template <class T>
void reduces(const std::string &op, const std::string &type, std::vector<T> old,
             std::vector<T> with, std::vector<T> want) {
  Bench bench;
  size_t bytes = old.size() * sizeof(T);
  uint64_t in = bench.buffer(with), out = bench.buffer(old);
  std::string body = prologue;
  for (size_t at = 0; at < bytes; at += 8)
    body += cat("@p1 ld.global.b64 d1, [in_+", at, "];\n@p1 st.shared.b64 [r40+", at, "], d1;\n");
  body +=
      cat("fence.proxy.async.shared::cta;\n@p1 cp.reduce.async.bulk.global.shared::cta.bulk_group.",
          op, ".", type, " [out_], [r40], ", bytes,
          ";\n@p1 cp.async.bulk.commit_group;\n@p1 cp.async.bulk.wait_group 0;\n");
  Status status = bench.launch(kernelOf(body, shared), "k", {.grid = {}, .block = {32}}, {in, out});
  ASSERT_TRUE(status) << status.reason().text;
  EXPECT_EQ(bench.read<T>(out, old.size()), want) << op << "." << type;
}
TEST(BulkForms, ReduceWithEveryOperationOfEveryType) {
  using U = uint32_t;
  using L = uint64_t;
  std::vector<U> a = {1, 0xffffffff, 7, 0x80000000}, b = {2, 1, 5, 0x7fffffff};
  std::vector<L> c = {1, ~L(0)}, d = {2, 1};
  for (const char *type : {"u32", "s32"})
    reduces<U>("add", type, a, b, {3, 0, 12, 0xffffffff});
  reduces<U>("min", "u32", a, b, {1, 1, 5, 0x7fffffff});
  reduces<U>("max", "u32", a, b, {2, 0xffffffff, 7, 0x80000000});
  reduces<U>("min", "s32", a, b, {1, 0xffffffff, 5, 0x80000000});
  reduces<U>("max", "s32", a, b, {2, 1, 7, 0x7fffffff});
  reduces<U>("inc", "u32", a, b, {2, 0, 0, 0}); // counts to b, then from 0
  reduces<U>("dec", "u32", a, b, {0, 1, 5, 0x7fffffff});
  reduces<U>("and", "b32", a, b, {0, 1, 5, 0});
  reduces<U>("or", "b32", a, b, {3, 0xffffffff, 7, 0xffffffff});
  reduces<U>("xor", "b32", a, b, {3, 0xfffffffe, 2, 0xffffffff});
  reduces<L>("add", "u64", c, d, {3, 0});
  reduces<L>("min", "u64", c, d, {1, 1});
  reduces<L>("max", "u64", c, d, {2, ~L(0)});
  reduces<L>("min", "s64", c, d, {1, ~L(0)});
  reduces<L>("max", "s64", c, d, {2, 1});
  reduces<L>("and", "b64", c, d, {0, 1});
  reduces<L>("or", "b64", c, d, {3, ~L(0)});
  reduces<L>("xor", "b64", c, d, {3, ~L(1)});
  reduces<float>("add", "f32", {1, 2, -3, 0.5}, {4, 8, 1, 0.25}, {5, 10, -2, 0.75});
  reduces<double>("add", "f64", {1, -3}, {4, 1}, {5, -2});
  // 1, 2, -3, 0.5 and 4, 8, 1, 0.25, twice.
  std::vector<uint16_t> x = {0x3c00, 0x4000, 0xc200, 0x3800, 0x3c00, 0x4000, 0xc200, 0x3800},
                        y = {0x4400, 0x4800, 0x3c00, 0x3400, 0x4400, 0x4800, 0x3c00, 0x3400};
  reduces<uint16_t>("add.noftz", "f16", x, y,
                    {0x4500, 0x4900, 0xc000, 0x3a00, 0x4500, 0x4900, 0xc000, 0x3a00});
  reduces<uint16_t>("min", "f16", x, y,
                    {0x3c00, 0x4000, 0xc200, 0x3400, 0x3c00, 0x4000, 0xc200, 0x3400});
  reduces<uint16_t>("max", "f16", x, y,
                    {0x4400, 0x4800, 0x3c00, 0x3800, 0x4400, 0x4800, 0x3c00, 0x3800});
  std::vector<uint16_t> p(8, 0x3f80), q(8, 0x4080);
  reduces<uint16_t>("add.noftz", "bf16", p, q, std::vector<uint16_t>(8, 0x40a0));
  reduces<uint16_t>("min", "bf16", p, q, p);
  reduces<uint16_t>("max", "bf16", p, q, q);
}

TEST(BulkForms, ReduceIntoAnotherBlock) {
  // Block 0 reduces 16 bytes of its own, words of 5, into block 1, whose words are 3; block 1
  // writes them.
  struct {
    const char *op;
    uint32_t want;
  } const cases[] = {{"and.b32", 1}, {"or.b32", 7},  {"xor.b32", 6}, {"add.s32", 8},
                     {"min.u32", 3}, {"max.s32", 5}, {"inc.u32", 4}, {"dec.u32", 2}};
  for (auto [op, want] : cases) {
    Bench bench;
    uint64_t out = bench.buffer(std::vector<uint32_t>(4));
    Status status = bench.launch(kernelOf(prologue + cat(R"(
      mov.u32 r20, %cluster_ctarank;
      setp.eq.u32 p5, r20, 0;
      selp.b32 r21, 5, 3, p5;
      st.shared.v4.u32 [r40], {r21, r21, r21, r21};
      @p1 mbarrier.arrive.expect_tx.shared.b64 _, [r41], 16;
      fence.proxy.async.shared::cta;
      barrier.cluster.arrive;
      barrier.cluster.wait;
      mapa.shared::cluster.u32 r22, r40, 1;
      mapa.shared::cluster.u32 r23, r41, 1;
      and.pred p6, p1, p5;
      @p6 cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.)",
                                                         op, R"( [r22], [r40], 16, [r23];
      @p5 bra end;
wait: mbarrier.try_wait.parity.shared.b64 p3, [r41], 0;
      @!p3 bra wait;
      ld.shared.v4.u32 {r1, r2, r3, r4}, [r40];
      st.global.v4.u32 [out_], {r1, r2, r3, r4};
end:  barrier.cluster.arrive;
      barrier.cluster.wait;)"),
                                          shared),
                                 "k", {.grid = {2}, .block = {32}, .cluster = Dim3{2}}, {out, out});
    ASSERT_TRUE(status) << status.reason().text;
    EXPECT_EQ(bench.read<uint32_t>(out, 4), std::vector<uint32_t>(4, want)) << op;
  }
}

/// Each of the four blocks of a cluster waits for `expected[rank]` bytes, if any; block 1 loads
/// 2048 bytes.
Status pairs(Stage &stage, const std::string &load, std::vector<int> expected) {
  std::string waits;
  for (size_t rank = 0; rank < expected.size(); ++rank)
    waits += cat("setp.eq.and.u32 p7, r20, ", rank,
                 ", p1;\n@p7 mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [r41], ",
                 expected[rank], ";\n");
  return stage.run(prologue + "mov.u32 r20, %cluster_ctarank;\n" + waits + R"(
      @p1 mbarrier.arrive.shared.b64 _, [r41];
      barrier.cluster.arrive.release.aligned;
      barrier.cluster.wait.acquire.aligned;
      setp.eq.and.u32 p6, r20, 1, p1;
      mapa.shared::cluster.u32 r22, r41, 0;
      mov.b16 h1, 13;
      @p6 )" + load + R"(
wait: mbarrier.try_wait.parity.shared.b64 p3, [r41], 0;
      @!p3 bra wait;
      barrier.cluster.arrive;
      barrier.cluster.wait;)",
                   {.grid = {4}, .block = {32}, .cluster = Dim3{4}});
}
TEST(BulkForms, OneBlockOfAPairHears) {
  const std::string head =
      "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes";
  TensorMap map = mapOf(TensorMapType::S32, {16, 64}, {16, 32});
  Stage one(map), many(map), none(map);
  // To block 1 itself, which tells block 0.
  Status status = pairs(one, head + ".cta_group::2 [r40], [in_, {0, 8}], [r22];", {2048, 0, 0, 0});
  EXPECT_TRUE(status) << status.reason().text;
  // To blocks 0, 2 and 3: the even block of each pair hears of both.
  status = pairs(many, head + ".multicast::cluster.cta_group::2 [r40], [in_, {0, 8}], [r22], h1;",
                 {2048, 0, 4096, 0});
  EXPECT_TRUE(status) << status.reason().text;
  status = pairs(none, head + ".cta_group::1 [r40], [in_, {0, 8}], [r22];", {2048, 0, 0, 0});
  ASSERT_FALSE(status);
  EXPECT_EQ(status.reason().id, "BulkBarrier");
  EXPECT_NE(
      status.reason().text.find(
          "to block 1 of the cluster expects its mbarrier in block 1, but got one in block 0"),
      std::string::npos)
      << status.reason().text;
}

} // namespace

} // namespace tessera::sim::test
