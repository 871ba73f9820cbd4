// What tests of bulk copies share: a stage with a tensor, its map and a tile of shared memory.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "Harness.h"

#include "tessera/atom/TensorMap.h"

namespace tessera::sim::test {

using atom::TensorMap;
using atom::TensorMapFill;
using atom::TensorMapKind;
using atom::TensorMapSwizzle;
using atom::TensorMapType;
using Bytes = std::vector<uint8_t>;

inline constexpr uint32_t sharedBytes = 16384;
inline const std::string shared =
    cat(".shared .align 1024 .b8 tile[", sharedBytes, "];\n.shared .align 8 .b64 bar;\n");
/// Thread 0 makes an mbarrier for one arrival.
inline const std::string prologue =
    "mov.u32 r1, %tid.x;\nmov.u32 r40, tile;\nmov.u32 r41, bar;\nsetp.eq.u32 p1, r1, 0;\n"
    "@p1 mbarrier.init.shared.b64 [r41], 1;\nfence.mbarrier_init.release.cluster;\nbar.sync 0;\n";
/// All wait for it, then each thread moves every 32nd word of the tile to `out`.
inline const std::string epilogue = R"(
wait:
  mbarrier.try_wait.parity.shared.b64 p3, [r41], 0;
  @!p3 bra wait;
  mov.u32 r2, r1;
more:
  shl.b32 r3, r2, 2;
  add.u32 r4, r40, r3;
  ld.shared.u32 r5, [r4];
  cvt.u64.u32 d3, r3;
  add.u64 d3, d3, out_;
  st.global.u32 [d3], r5;
  add.u32 r2, r2, 32;
  setp.lt.u32 p4, r2, 4096;
  @p4 bra more;
)";
/// Fills the tile: word i is i.
inline const std::string numbers =
    "mov.u32 r2, r1;\nfillit: shl.b32 r3, r2, 2;\nadd.u32 r4, r40, r3;\nst.shared.u32 [r4], r2;\n"
    "add.u32 r2, r2, 32;\nsetp.lt.u32 p4, r2, 4096;\n@p4 bra fillit;\n"
    "fence.proxy.async.shared::cta;\nbar.sync 0;\n";

/// A map on tensors of `rank` modes with the extents that a test gives it; steps between modes have
/// gaps of 16 bytes.
inline TensorMap mapOf(TensorMapType type, std::vector<uint64_t> dims, std::vector<uint32_t> box) {
  TensorMap map;
  map.type = type;
  map.rank = uint32_t(dims.size());
  uint64_t stride = dims[0] * row(type).bits / 8;
  for (size_t mode = 0; mode < dims.size(); ++mode) {
    map.dims[mode] = dims[mode];
    map.box[mode] = box.empty() ? 0 : box[mode];
    if (mode)
      map.strides[mode - 1] = stride;
    stride = mode ? stride * dims[mode] : stride;
    stride = (stride + 15) / 16 * 16 + 16;
    if (!mode)
      map.strides[0] = stride;
  }
  for (size_t mode = dims.size() - 1; mode < map.strides.size(); ++mode)
    map.strides[mode] = 0;
  return map;
}
inline uint64_t tensorBytes(const TensorMap &map) {
  return map.rank == 1 ? map.dims[0] * row(map.type).bits / 8
                       : map.strides[map.rank - 2] * map.dims[map.rank - 1];
}

inline std::string list(const std::vector<int> &values) {
  std::string out = "{";
  for (size_t i = 0; i < values.size(); ++i)
    out += cat(i ? ", " : "", values[i]);
  return out + "}";
}

/// The map at `in`, then the tensor; what kernels of this file get.
struct Stage {
  Bench bench;
  Bytes tensor;
  uint64_t in = 0, data = 0, out = 0;

  explicit Stage(TensorMap map, Limits limits = {}) : bench(limits), tensor(tensorBytes(map)) {
    for (size_t i = 0; i < tensor.size(); ++i)
      tensor[i] = uint8_t(i * 7 + i / 251 + 1) & 0x3f; // no NaN among them, and no subnormal f32
    data = bench.buffer(tensor);
    map.address = data;
    Result<atom::TensorMapImage> image = atom::encode(map);
    EXPECT_TRUE(image) << image.reason().text;
    in = bench.buffer(std::vector<uint64_t>(image->words.begin(), image->words.end()));
    out = bench.buffer(Bytes(sharedBytes, 0xcd));
  }
  Status run(const std::string &body, LaunchConfig config = {.grid = {}, .block = {32}}) {
    return bench.launch(kernelOf(body, shared), "k", config, {in, out});
  }
};

} // namespace tessera::sim::test
