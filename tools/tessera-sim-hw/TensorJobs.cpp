// Boxes of tensors: the same copies on both, by maps whose address the kernel replaces, as it is
// not known before.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Input: the map's image, and from `tensorAt` on the tensor. Output: 32 records that together are
// the tensor, where stores and sums go, and after it the tile, where loads go. The map lies in a
// variable of the module.
#include "Job.h"

#include "tessera/atom/TensorMap.h"
#include "tessera/sim/Atomic.h"
#include "tessera/sim/Tma.h"

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
  std::string op = "add";
  bool small = false; // numbers of which half are subnormal, so that one sees who flushes them
};

/// Extents, with gaps of 32 bytes after each mode; the box.
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
  return map.rank == 1 ? map.dims[0] * atom::innerStride(map)
                       : map.strides[map.rank - 2] * map.dims[map.rank - 1];
}
uint32_t copiedBytes(const TensorMap &map) {
  bool slices = map.interleave != TensorMapInterleave::None;
  auto size = uint32_t(atom::innerStride(map));
  uint32_t bytes = map.kind == TensorMapKind::Tiled ? size : map.channels * map.pixels * size;
  for (size_t mode = 0; map.kind == TensorMapKind::Tiled && mode < map.rank; ++mode) {
    uint32_t step = mode || slices ? map.steps[mode] : 1;
    bytes *= slices && mode + 2 == map.rank ? 1 : (map.box[mode] + step - 1) / step; // one slice
  }
  return bytes;
}

std::string list(const std::vector<int> &values) {
  std::string out = "{";
  for (size_t i = 0; i < values.size(); ++i)
    out += cat(i ? ", " : "", values[i]);
  return out + "}";
}

/// A text with what stands for each $NAME.
std::string filled(std::string text,
                   std::initializer_list<std::pair<std::string_view, std::string>> values) {
  for (const auto &[name, value] : values)
    for (size_t at; (at = text.find(name)) != text.npos;)
      text.replace(at, name.size(), value);
  return text;
}

/// Moves $BYTES from one register's address to another's, a word for each thread at a time.
constexpr const char *moving = R"(
  mul.wide.u32 at, tid, 4;
$LABEL:
  add.u64 a, $FROM, at;
  add.u64 b, $TO, at;
  $LOAD.u32 word, [a];
  $STORE.u32 [b], word;
  add.u64 at, at, 128;
  setp.lt.u64 p, at, $BYTES;
  @p bra $LABEL;)";
std::string moves(const char *label, const char *from, const char *to, uint64_t bytes,
                  const char *load, const char *store) {
  return filled(moving, {{"$LABEL", label},
                         {"$FROM", from},
                         {"$TO", to},
                         {"$BYTES", cat(bytes)},
                         {"$LOAD", load},
                         {"$STORE", store}});
}

/// `early` becomes 2 if as many bytes come as are expected, and no more: a phase of 16 bytes ends
/// with them, and not before.
constexpr const char *loading = R"(
  @first mbarrier.arrive.expect_tx.shared.b64 _, [bar], $COPIED;
  @first $COPY
wait:
  mbarrier.try_wait.parity.shared.b64 p, [bar], 0;
  @p bra came;
  nanosleep.u32 1000;
  add.u32 early, early, 4;
  setp.lt.u32 p, early, 8000;
  @p bra wait;
  bra lost;
came:
  nanosleep.u32 20000;
  @first mbarrier.arrive.expect_tx.shared.b64 _, [bar], 16;
  bar.sync 0;
  mbarrier.test_wait.parity.shared.b64 p, [bar], 1;
  selp.b32 early, 1, 0, p;
  bar.sync 0;
  @first mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [bar], 16;
  bar.sync 0;
  mbarrier.test_wait.parity.shared.b64 p, [bar], 1;
  selp.b32 late, 2, 0, p;
  or.b32 early, early, late;
lost:)";
constexpr const char *storing = R"(
  @first $COPY
  @first cp.async.bulk.commit_group;
  @first cp.async.bulk.wait_group 0;
  bar.sync 0;)";

constexpr const char *kernel = R"((.param .u64 in, .param .u64 out) {
  .reg .b32 tid, word, index, early, late;
  .reg .b64 i, o, at, a, b, shared, placed, tensor, s;
  .reg .pred p, first;
  .shared .align 1024 .b8 tile[$TILE];
  .shared .align 128 .b8 map[128];
  .shared .align 8 .b64 bar;
  mov.u32 tid, %tid.x;
  mov.u32 early, 0;
  setp.eq.u32 first, tid, 0;
  ld.param.u64 i, [in];
  ld.param.u64 o, [out];
  add.u64 tensor, i, $TENSOR_AT;
  mov.u64 shared, tile;
  mov.u64 s, map;
  $TENSOR_OUT
  $MAP_IN
  mov.u32 index, tid;
fill:
  mul.wide.u32 a, index, 4;
  add.u64 a, a, shared;
  mul.lo.u32 word, index, 0x9E3779B1;
  and.b32 word, word, $MASK;
  st.shared.u32 [a], word;
  add.u32 index, index, 32;
  setp.lt.u32 p, index, $WORDS;
  @p bra fill;
  $SIDE
  bar.sync 0;
  @first tensormap.replace.tile.global_address.shared::cta.b1024.b64 [map], tensor;
  @first mbarrier.init.shared.b64 [bar], 1;
  fence.mbarrier_init.release.cluster;
  fence.proxy.async;
  bar.sync 0;
  add.u64 placed, o, $MAP_AT;
  tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [placed], [map], 128;
  fence.proxy.tensormap::generic.acquire.gpu [placed], 128;
  $MOVES
  add.u64 placed, o, $TILE_AT;
  $TILE_OUT
  // The map, whose address is another on each device, is not a result.
  add.u64 placed, o, $MAP_AT;
  mul.wide.u32 at, tid, 4;
  add.u64 at, at, placed;
  st.global.u32 [at], early;
  ret;
}
)";

std::string kernelOf(const Copy &c, uint64_t tensor) {
  bool loads = c.direction == Direction::Load, sums = c.direction == Direction::Sum,
       columns = c.map.kind != TensorMapKind::Tiled;
  std::string box = cat("[placed, ", list(c.at), "]"), modes = cat(c.map.rank, "d");
  std::string copy =
      loads ? cat("cp.async.bulk.tensor.", modes, ".shared::cluster.global.",
                  columns ? "im2col" : "tile", ".mbarrier::complete_tx::bytes [tile], ", box,
                  ", [bar]", columns ? cat(", ", list(c.offsets)) : "", ";")
            : cat("cp.", sums ? "reduce." : "", "async.bulk.tensor.", modes, ".global.shared::cta",
                  sums ? "." + c.op : "", columns ? ".im2col_no_offs" : ".tile", ".bulk_group ",
                  box, ", [tile];");
  // Sums of words without infinities and NaNs: what becomes of these is not what is compared.
  const char *mask = c.small                                  ? "0x80ffffff"
                     : sums && atom::row(c.map.type).floating ? "0x3f3f3f3f"
                                                              : "0xffffffff";
  return filled(
      kernel,
      {{"$TENSOR_OUT", moves("tensor_out", "tensor", "o", tensor, "ld.global", "st.global")},
       {"$MAP_IN", moves("map_in", "i", "s", 128, "ld.global", "st.shared")},
       {"$TILE_OUT", moves("tile_out", "shared", "placed", tileBytes, "ld.shared", "st.global")},
       {"$MOVES", loads ? loading : storing},
       {"$COPIED", cat(copiedBytes(c.map))},
       {"$COPY", copy},
       {"$MASK", mask},
       {"$SIDE", loads ? "" : "mov.u64 tensor, o;"},
       {"$TENSOR_AT", cat(tensorAt)},
       {"$TILE_AT", cat(tensor)},
       {"$MAP_AT", cat(tensor + tileBytes)},
       {"$WORDS", cat(tileBytes / 4)},
       {"$TILE", cat(tileBytes)}});
}

/// Boxes that an H100 has: the first coordinate is a multiple of 16 bytes. Writes take 0 for what
/// is negative here, which they may not have (sim::refusal).
std::vector<Copy> copies() {
  using enum TensorMapType;
  std::vector<Copy> out = {
      {"1d u8", mapOf(U8, {96}, {64}), {48}, {}},
      {"2d f32 corner", mapOf(F32, {37, 20}, {12, 9}), {-8, 15}, {}},
      {"2d bf16 below", mapOf(BF16, {64, 33}, {64, 16}), {0, 20}, {}},
      {"2d f16", mapOf(F16, {40, 20}, {16, 9}), {8, 5}, {}},
      {"3d f64", mapOf(F64, {9, 7, 5}, {4, 3, 2}), {6, 5, 4}, {}},
      {"3d f32 above", mapOf(F32, {36, 5, 6}, {12, 3, 3}), {4, 1, -1}, {}},
      {"4d s32", mapOf(S32, {8, 5, 4, 3}, {4, 3, 2, 2}), {-4, 3, 1, 2}, {}},
      {"5d u16", mapOf(U16, {16, 4, 3, 3, 3}, {8, 2, 2, 2, 2}), {8, 3, 2, -1, 2}, {}},
      {"2d u64", mapOf(U64, {6, 4}, {2, 4}), {4, 0}, {}},
      {"2d before", mapOf(U8, {64, 8}, {16, 8}), {-112, 0}, {}},
      {"2d after", mapOf(F32, {36, 20}, {12, 9}), {40, 0}, {}},
      {"2d under", mapOf(F32, {36, 20}, {12, 9}), {4, 40}, {}},
      {"2d tf32", mapOf(TF32, {32, 8}, {16, 8}), {4, 1}, {}},
      {"2d tf32 ftz", mapOf(TF32Ftz, {32, 8}, {16, 8}), {4, 1}, {}},
      {"2d f32 ftz", mapOf(F32Ftz, {32, 8}, {16, 8}), {4, 1}, {}},
      // Rows that end within 16 bytes.
      {"2d u8 of 97", mapOf(U8, {97, 5}, {64, 4}), {48, 0}, {}},
      {"2d u8 of 104", mapOf(U8, {104, 5}, {64, 4}), {48, 0}, {}},
      {"2d u8 of 111", mapOf(U8, {111, 5}, {32, 4}), {96, 0}, {}},
      {"2d u16 of 49", mapOf(U16, {49, 5}, {32, 4}), {32, 0}, {}},
      {"2d f32 of 13", mapOf(F32, {13, 5}, {8, 4}), {8, 0}, {}},
      {"2d s32 of 15", mapOf(S32, {15, 5}, {8, 4}), {8, 0}, {}},
      {"2d s64 of 9", mapOf(S64, {9, 5}, {4, 4}), {6, 0}, {}},
  };
  for (TensorMapType type : {F32, F32Ftz, TF32, TF32Ftz}) {
    out.push_back(
        {cat("2d ", atom::row(type).name, " small"), mapOf(type, {32, 8}, {16, 8}), {4, 1}, {}});
    out.back().small = true;
  }
  for (TensorMapType type : {F16, BF16, F32, F32Ftz, TF32, TF32Ftz, F64}) {
    out.push_back(
        {cat("2d ", atom::row(type).name, " nan"), mapOf(type, {64, 8}, {16, 8}), {56, 3}, {}});
    out.back().map.fill = atom::TensorMapFill::NaN;
  }
  Copy steps{"3d f32 steps", mapOf(F32, {16, 30, 6}, {8, 9, 4}), {4, 7, 1}, {}};
  steps.map.steps = {1, 3, 2, 1, 1};
  out.push_back(steps);
  for (TensorMapSwizzle swizzle :
       {TensorMapSwizzle::B32, TensorMapSwizzle::B64, TensorMapSwizzle::B128})
    for (uint32_t part : {1u, 2u}) {
      Copy c{cat("2d f16 swizzle ", row(swizzle).name, " box / ", part),
             mapOf(F16, {200, 40}, {row(swizzle).span / 2u / part, 24}),
             {8, 30},
             {}};
      c.map.swizzle = swizzle;
      out.push_back(c);
    }
  for (uint8_t op : {sim::Min, sim::Max, sim::Inc, sim::Dec, sim::And, sim::Or, sim::Xor})
    for (TensorMapType type : sim::reducedTypes(op)) {
      constexpr const char *names[] = {"add", "min", "max", "and", "or", "xor",
                                       "",    "",    "inc", "dec"}; // in the order of AtomicOp
      out.push_back({cat("2d ", names[op], " ", atom::row(type).name),
                     mapOf(type, {64, 8}, {16, 8}),
                     {16, 1},
                     {}});
      out.back().op = names[op];
      out.back().direction = Direction::Sum;
    }
  // NC/8HWC8 and NC/16HWC16: width, height, slices (of which a copy moves one), images.
  for (TensorMapSwizzle swizzle : {TensorMapSwizzle::None, TensorMapSwizzle::B32,
                                   TensorMapSwizzle::B64, TensorMapSwizzle::B128}) {
    Copy c{cat("4d interleave 16B swizzle ", row(swizzle).name),
           mapOf(F16, {10, 9, 3, 2}, {8, 4, 2, 1}, TensorMapInterleave::B16),
           {-3, 6, 1, 1},
           {}};
    c.map.swizzle = swizzle;
    out.push_back(c);
  }
  Copy slices{"4d interleave 32B",
              mapOf(F16, {10, 9, 3, 2}, {8, 4, 2, 1}, TensorMapInterleave::B32),
              {-3, 6, 1, 1},
              {}};
  slices.map.swizzle = TensorMapSwizzle::B32;
  out.push_back(slices);
  slices.name = "4d interleave 32B steps";
  slices.map.steps = {2, 1, 1, 1, 1};
  out.push_back(slices);
  out.push_back({"3d interleave 16B u8",
                 mapOf(U8, {20, 3, 2}, {16, 2, 1}, TensorMapInterleave::B16),
                 {2, 1, 0},
                 {}});
  out.push_back({"5d interleave 16B f32",
                 mapOf(F32, {10, 5, 4, 3, 2}, {4, 3, 2, 2, 1}, TensorMapInterleave::B16),
                 {8, 3, -1, 1, 0},
                 {}});
  out.push_back({"4d interleave 16B images",
                 mapOf(F16, {10, 9, 3, 2}, {8, 2, 3, 2}, TensorMapInterleave::B16),
                 {1, 6, 1, 0},
                 {}});
  struct {
    std::vector<uint64_t> dims;
    std::vector<int> at, offsets, lower, upper;
    uint32_t pixels;
  } const images[] = {
      {{32, 9, 3}, {0, 6, 0}, {1}, {-1}, {-1}, 14},
      {{32, 7, 6, 3}, {16, -1, 4, 0}, {2, 0}, {-1, -1}, {-1, -1}, 40},
      {{16, 4, 4, 3, 2}, {8, 2, 1, 1, 0}, {0, 1, 2}, {0, -1, -1}, {-1, 0, -1}, 30},
  };
  for (const auto &image : images) {
    Copy c{cat(image.dims.size(), "d columns"), mapOf(F16, image.dims, {}), image.at,
           image.offsets};
    c.map.kind = TensorMapKind::Im2col;
    c.map.channels = 16;
    c.map.pixels = image.pixels;
    std::copy(image.lower.begin(), image.lower.end(), c.map.lower.begin());
    std::copy(image.upper.begin(), image.upper.end(), c.map.upper.begin());
    out.push_back(c);
    c.name += " swizzle 64B, half of it";
    c.map.swizzle = TensorMapSwizzle::B64;
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
  job.name = cat("box ", c.name,
                 c.direction == Direction::Load    ? " load"
                 : c.direction == Direction::Store ? " store"
                                                   : " sum");
  job.group = "Boxes of tensors";
  job.kernel = kernelOf(c, tensor);
  job.threads = job.block = threads;
  job.outputRecord = uint32_t((tensor + tileBytes + 512) / threads);
  for (uint32_t at = 0; at < job.outputRecord; at += 16)
    job.fields.push_back({at, 16, sim::Type::b128, cat("byte ", at, " of this part")});
  auto input = std::make_shared<Bytes>(tensorAt + tensor);
  auto bytes = std::as_bytes(std::span(image->words));
  std::copy(bytes.begin(), bytes.end(), input->begin());
  // Sums without infinities and NaNs, as the tile.
  bool isTame = atom::row(c.map.type).floating && c.direction == Direction::Sum;
  for (size_t at = tensorAt; at < input->size(); ++at)
    (*input)[at] = std::byte(random() & (isTame ? 0x3f : 0xff));
  for (size_t at = tensorAt + 3; c.small && at < input->size(); at += 4)
    (*input)[at] &= std::byte(0x80);
  job.input = input;
  return job;
}

} // namespace

std::vector<Job> jobsOfTensors(const Options &options) {
  std::vector<Job> jobs;
  std::mt19937_64 random{options.seed};
  for (const Copy &box : copies())
    for (Direction direction : {Direction::Load, Direction::Store, Direction::Sum}) {
      Copy c = box;
      c.direction = direction;
      std::vector<TensorMapType> added = sim::reducedTypes(sim::Add);
      if (c.op != "add"
              ? direction != Direction::Sum
              : direction == Direction::Sum && std::ranges::find(added, c.map.type) == added.end())
        continue;
      if (cat("box ", c.name).find(options.only) == std::string::npos)
        continue;
      for (int &at : c.at)
        at = direction == Direction::Load ? at : std::max(at, 0);
      for (int &lower : c.map.lower)
        lower = direction == Direction::Load ? lower : 0;
      if (std::optional<Job> job = jobOf(c, random))
        jobs.push_back(std::move(*job));
    }
  return jobs;
}

} // namespace tessera::hw
