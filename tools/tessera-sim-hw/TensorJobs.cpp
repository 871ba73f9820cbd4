// Boxes of tensors: the same copies on both, by maps whose address the kernel replaces, as it is not known before.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Input: the map's image, and from `tensorAt` on the tensor. Output: 32 records that together are the tensor, where stores and sums go,
// and behind it the tile, where loads go. The map lies in a variable of the module.
#include "Job.h"

#include "tessera/atom/TensorMap.h"

namespace tessera::hw {

namespace {

using atom::TensorMap;
using atom::TensorMapInterleave;
using atom::TensorMapKind;
using atom::TensorMapSwizzle;
using atom::TensorMapType;

constexpr uint32_t threads = 32, tensorAt = 1024, tileBytes = 16384;

enum class Direction : uint8_t {
  Load,
  Store,
  Sum
};
struct Copy {
  std::string name;
  TensorMap map;
  std::vector<int> at, offsets;
  Direction direction = Direction::Load;
};

/// Extents, with gaps of 32 bytes behind each mode; the box.
TensorMap mapOf(TensorMapType type, std::vector<uint64_t> dims, std::vector<uint32_t> box,
                TensorMapInterleave interleave = TensorMapInterleave::None) {
  TensorMap map;
  map.type = type;
  map.interleave = interleave;
  map.rank = uint32_t(dims.size());
  uint64_t stride = atom::innerStride(map);
  for (size_t mode = 0; mode < dims.size(); ++mode) {
    map.dims[mode] = dims[mode];
    map.box[mode] = mode < box.size() ? box[mode] : 0;
    stride = (stride * dims[mode] + 31) / 32 * 32 + 32;
    if (mode < map.strides.size())
      map.strides[mode] = stride;
  }
  for (size_t mode = dims.size() - 1; mode < map.strides.size(); ++mode)
    map.strides[mode] = 0;
  return map;
}
uint64_t tensorBytes(const TensorMap &map) {
  return map.rank == 1 ? map.dims[0] * atom::innerStride(map) : map.strides[map.rank - 2] * map.dims[map.rank - 1];
}
uint32_t copiedBytes(const TensorMap &map) {
  bool slices = map.interleave != TensorMapInterleave::None;
  auto size = uint32_t(atom::innerStride(map));
  uint32_t bytes = map.kind == TensorMapKind::Tiled ? size : map.channels * map.pixels * size;
  for (size_t mode = 0; map.kind == TensorMapKind::Tiled && mode < map.rank; ++mode) {
    uint32_t step = mode || slices ? map.steps[mode] : 1;
    bytes *= (map.box[mode] + step - 1) / step;
  }
  return bytes;
}

std::string list(const std::vector<int> &values) {
  std::string out = "{";
  for (size_t i = 0; i < values.size(); ++i)
    out += cat(i ? ", " : "", values[i]);
  return out + "}";
}

/// Moves `bytes` from one register's address to another's, a word for each thread at a time.
std::string moves(const std::string &label, const std::string &from, const std::string &to, uint64_t bytes, std::string_view load,
                  std::string_view store) {
  return cat("  mul.wide.u32 at, tid, 4;\n", label, ":\n  add.u64 a, ", from, ", at;\n  add.u64 b, ", to, ", at;\n  ", load,
             ".u32 word, [a];\n  ", store, ".u32 [b], word;\n  add.u64 at, at, 128;\n  setp.lt.u64 p, at, ", bytes, ";\n  @p bra ", label,
             ";\n");
}

std::string kernelOf(const Copy &c, uint64_t tensor) {
  bool loads = c.direction == Direction::Load, columns = c.map.kind != TensorMapKind::Tiled;
  std::string dims = cat(c.map.rank, "d"), box = cat("[placed, ", list(c.at), "]");
  std::string copy = loads ? cat("cp.async.bulk.tensor.", dims, ".shared::cluster.global.", columns ? "im2col" : "tile",
                                 ".mbarrier::complete_tx::bytes [tile], ", box, ", [bar]", columns ? cat(", ", list(c.offsets)) : "", ";")
                           : cat("cp.", c.direction == Direction::Sum ? "reduce." : "", "async.bulk.tensor.", dims, ".global.shared::cta",
                                 c.direction == Direction::Sum ? ".add" : "", ".tile.bulk_group ", box, ", [tile];");
  return cat("(.param .u64 in, .param .u64 out) {\n"
             "  .reg .b32 tid, word;\n  .reg .b64 i, o, at, a, b, shared, placed, tensor, s;\n  .reg .pred p, first;\n"
             "  .shared .align 1024 .b8 tile[",
             tileBytes,
             "];\n  .shared .align 128 .b8 map[128];\n  .shared .align 8 .b64 bar;\n"
             "  mov.u32 tid, %tid.x;\n  setp.eq.u32 first, tid, 0;\n  ld.param.u64 i, [in];\n  ld.param.u64 o, [out];\n"
             "  add.u64 tensor, i, ",
             tensorAt, ";\n  mov.u64 shared, tile;\n  mov.u64 s, map;\n",
             moves("outwards", "tensor", "o", tensor, "ld.global", "st.global"), moves("map_in", "i", "s", 128, "ld.global", "st.shared"),
             // Bytes that say where they are, and no NaN among them.
             "  mov.u32 word, tid;\nfillit:\n  mul.wide.u32 a, word, 4;\n  add.u64 a, a, shared;\n  st.shared.u32 [a], word;\n"
             "  add.u32 word, word, 32;\n  setp.lt.u32 p, word, ",
             tileBytes / 4, ";\n  @p bra fillit;\n", loads ? "" : "  mov.u64 tensor, o;\n",
             "  bar.sync 0;\n  @first tensormap.replace.tile.global_address.shared::cta.b1024.b64 [map], tensor;\n"
             "  @first mbarrier.init.shared.b64 [bar], 1;\n  fence.mbarrier_init.release.cluster;\n  fence.proxy.async;\n  bar.sync 0;\n"
             "  add.u64 placed, o, ",
             tensor + tileBytes,
             ";\n  tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [placed], [map], 128;\n"
             "  fence.proxy.tensormap::generic.acquire.gpu [placed], 128;\n",
             loads
                 ? cat("  @first mbarrier.arrive.expect_tx.shared.b64 _, [bar], ", copiedBytes(c.map), ";\n  @first ", copy,
                       "\nwait:\n  mbarrier.try_wait.parity.shared.b64 p, [bar], 0;\n  @!p bra wait;\n")
                 : cat("  @first ", copy, "\n  @first cp.async.bulk.commit_group;\n  @first cp.async.bulk.wait_group 0;\n  bar.sync 0;\n"),
             "  add.u64 placed, o, ", tensor, ";\n", moves("tile_out", "shared", "placed", tileBytes, "ld.shared", "st.global"),
             // The map, whose address is another on each device, is no result.
             "  add.u64 placed, placed, ", tileBytes,
             ";\n  mul.wide.u32 at, tid, 4;\n  add.u64 at, at, placed;\n  st.global.u32 [at], 0;\n  ret;\n}\n");
}

std::vector<Copy> copies() {
  using enum TensorMapType;
  std::vector<Copy> out = {
      {"1d u8", mapOf(U8, {100}, {64}), {48}, {}},
      {"2d f32 corner", mapOf(F32, {37, 20}, {12, 9}), {-3, 15}, {}},
      {"2d bf16 below", mapOf(BF16, {64, 33}, {64, 16}), {0, 20}, {}},
      {"3d f64", mapOf(F64, {9, 7, 5}, {4, 3, 2}), {6, 5, 4}, {}},
      {"4d s32", mapOf(S32, {8, 5, 4, 3}, {4, 3, 2, 2}), {-2, 3, 1, 2}, {}},
      {"5d u16", mapOf(U16, {16, 4, 3, 3, 3}, {8, 2, 2, 2, 2}), {12, 3, 2, -1, 2}, {}},
      {"2d u64", mapOf(U64, {6, 4}, {2, 4}), {4, 0}, {}},
      {"2d outside", mapOf(U8, {64, 8}, {16, 8}), {-100, 0}, {}},
      {"2d f32 ftz", mapOf(F32Ftz, {32, 8}, {16, 8}), {4, 1}, {}},
      {"2d tf32", mapOf(TF32, {32, 8}, {16, 8}), {4, 1}, {}},
      {"2d tf32 ftz", mapOf(TF32Ftz, {32, 8}, {16, 8}), {4, 1}, {}},
  };
  Copy nan{"2d f16 nan", mapOf(F16, {64, 8}, {32, 8}), {48, 3}, {}};
  nan.map.fill = atom::TensorMapFill::NaN;
  out.push_back(nan);
  Copy steps{"3d f32 steps", mapOf(F32, {16, 30, 6}, {8, 9, 4}), {4, 7, 1}, {}};
  steps.map.steps = {1, 3, 2, 1, 1};
  out.push_back(steps);
  for (TensorMapSwizzle swizzle : {TensorMapSwizzle::B32, TensorMapSwizzle::B64, TensorMapSwizzle::B128})
    for (uint32_t part : {1u, 2u}) {
      Copy c{cat("2d f16 swizzle ", row(swizzle).name, " box / ", part),
             mapOf(F16, {200, 40}, {row(swizzle).span / 2u / part, 24}),
             {8, 30},
             {}};
      c.map.swizzle = swizzle;
      out.push_back(c);
    }
  // NC/8HWC8 and NC/16HWC16: width, height, slices, images.
  for (TensorMapSwizzle swizzle : {TensorMapSwizzle::None, TensorMapSwizzle::B32, TensorMapSwizzle::B64, TensorMapSwizzle::B128}) {
    Copy c{cat("4d interleave 16B swizzle ", row(swizzle).name),
           mapOf(F16, {10, 9, 3, 2}, {8, 4, 2, 1}, TensorMapInterleave::B16),
           {-3, 6, 1, 1},
           {}};
    c.map.swizzle = swizzle;
    out.push_back(c);
  }
  Copy slices{"4d interleave 32B", mapOf(F16, {10, 9, 3, 2}, {8, 4, 2, 1}, TensorMapInterleave::B32), {-3, 6, 1, 1}, {}};
  slices.map.swizzle = TensorMapSwizzle::B32;
  out.push_back(slices);
  slices.name = "4d interleave 32B steps";
  slices.map.steps = {2, 1, 1, 1, 1};
  out.push_back(slices);
  out.push_back({"3d interleave 16B u8", mapOf(U8, {20, 3, 2}, {16, 2, 1}, TensorMapInterleave::B16), {2, 1, 0}, {}});
  out.push_back({"5d interleave 16B f32", mapOf(F32, {10, 5, 4, 3, 2}, {4, 3, 2, 2, 1}, TensorMapInterleave::B16), {8, 3, -1, 1, 0}, {}});
  struct {
    std::vector<uint64_t> dims;
    std::vector<int> at, offsets, lower, upper;
    uint32_t pixels;
  } const images[] = {
      {{32, 9, 3}, {0, 6, 0}, {1}, {-1}, {-1}, 14},
      {{32, 7, 6, 3}, {16, -1, 4, 0}, {2, 0}, {-1, -1}, {-1, -1}, 40},
      {{16, 4, 4, 3, 2}, {0, 2, 1, 1, 0}, {0, 1, 2}, {0, -1, -1}, {-1, 0, -1}, 30},
  };
  for (const auto &image : images) {
    Copy c{cat(image.dims.size(), "d columns"), mapOf(F16, image.dims, {}), image.at, image.offsets};
    c.map.kind = TensorMapKind::Im2col;
    c.map.channels = 16;
    c.map.pixels = image.pixels;
    std::copy(image.lower.begin(), image.lower.end(), c.map.lower.begin());
    std::copy(image.upper.begin(), image.upper.end(), c.map.upper.begin());
    out.push_back(c);
  }
  return out;
}

std::optional<Job> jobOf(const Copy &c, std::mt19937_64 &random) {
  Result<atom::TensorMapImage> image = atom::encode(c.map);
  if (!image)
    return std::nullopt;
  uint64_t tensor = (tensorBytes(c.map) + 511) / 512 * 512;
  Job job;
  job.name = cat(c.name, c.direction == Direction::Load ? " load" : c.direction == Direction::Store ? " store" : " sum");
  job.group = "Boxes of tensors";
  job.kernel = kernelOf(c, tensor);
  job.threads = job.block = threads;
  job.outputRecord = uint32_t((tensor + tileBytes + 512) / threads);
  for (uint32_t at = 0; at < job.outputRecord; at += 16)
    job.fields.push_back({at, 16, sim::Type::b128, cat("byte ", at, " of this part")});
  auto input = std::make_shared<Bytes>(tensorAt + tensor);
  auto bytes = std::as_bytes(std::span(image->words));
  std::copy(bytes.begin(), bytes.end(), input->begin());
  bool isNarrow = atom::row(c.map.type).floating; // no infinities and NaNs: what becomes of these is not what is compared
  for (size_t at = tensorAt; at < input->size(); ++at)
    (*input)[at] = std::byte(random() & (isNarrow ? 0x3f : 0xff));
  job.input = input;
  return job;
}

} // namespace

std::vector<Job> jobsOfTensors(const Options &options) {
  std::vector<Job> jobs;
  std::mt19937_64 random{options.seed};
  for (Copy &c : copies())
    for (Direction direction : {Direction::Load, Direction::Store, Direction::Sum}) {
      bool sums = !atom::row(c.map.type).floating && c.map.type != TensorMapType::U8 && c.map.type != TensorMapType::U16;
      bool columns = c.map.kind != TensorMapKind::Tiled;
      if ((columns && direction != Direction::Load) || (!sums && direction == Direction::Sum) || c.name.find(options.only) == c.name.npos)
        continue;
      c.direction = direction;
      if (std::optional<Job> job = jobOf(c, random))
        jobs.push_back(std::move(*job));
    }
  return jobs;
}

} // namespace tessera::hw
