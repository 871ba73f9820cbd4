// Tma: the bytes of shared memory and of a tensor that a bulk tensor copy moves. "Seen" marks
// undocumented behaviour of an H100 (docs/simulator.md, "Compared with an H100").
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/atom/TensorMap.h"
#include "tessera/sim/Grid.h"

namespace tessera::sim {

/// Bytes that are contiguous on both sides of a copy.
struct Piece {
  uint32_t offset = 0; // into the shared memory of a block
  std::byte *other =
      nullptr; // global memory, or shared memory that is read; null outside of the tensor
  uint32_t bytes = 0;
};

/// One box of a tensor.
struct Box {
  atom::TensorMap map;
  std::array<int32_t, atom::TensorMap::maxRank> at{}; // coordinates
  // Of im2col loads: the filter's, or along W how many pixels the halo has, then the offset.
  std::array<uint16_t, atom::TensorMap::maxRank - 2> offsets{};

  /// Bytes that a copy moves, which mbarriers count.
  uint32_t bytes() const;
  /// Bytes of shared memory from the first to the last. With a swizzle, rows begin a span apart,
  /// however little of it a row fills; seen.
  uint32_t extent() const { return rows() * pitch(); }
  /// Why im2col::w does not take these coordinates and offsets, or "". PTX ISA 5.5.5, 9.7.9.27.
  std::string alongRefusal() const;
  /// The pieces of the box at an offset into shared memory, where `base` is the address of offset
  /// 0; none after a fault of the lane.
  std::optional<std::vector<Piece>> pieces(Warp &, uint32_t offset, uint32_t base, Access,
                                           int lane) const;

private:
  bool interleaved() const { return map.interleave != atom::TensorMapInterleave::None; }
  /// The first mode that counts rows. A row is contiguous: some of mode 0 or, interleaved, a slice
  /// of channels.
  size_t firstMode() const { return interleaved() ? 0 : 1; }
  uint32_t rows() const;
  uint32_t rowBytes() const;
  uint32_t pitch() const;
  /// Elements of the box in a mode. A copy moves only one slice of an interleaved tensor, whatever
  /// the box says; seen.
  uint32_t extentOf(size_t mode) const {
    return interleaved() && mode + 2 == map.rank ? 1 : map.box[mode];
  }
  uint64_t stride(size_t mode) const {
    return mode ? map.strides[mode - 1] : atom::innerStride(map);
  }
  using Index = std::array<int64_t, atom::TensorMap::maxRank>;
  void nextRow(Index &position) const;
  bool wide() const { return map.kind == atom::TensorMapKind::Im2colWide; }
  /// im2col::w: pixels along W between two halos, and those at which rows of the image end.
  uint32_t run() const { return map.mode == atom::TensorMapWideMode::W128 ? 32 : map.pixels; }
  int64_t rowEnd() const { return int64_t(map.dims[1]) + map.upper[0]; }
  std::vector<Index> along() const;
  uint16_t offsetOf(size_t mode) const {
    if (wide())
      return mode == 1 ? offsets[1] : 0;
    return mode && mode + 1 < map.rank ? offsets[mode - 1] : 0;
  }
};

/// Fills the part of a box outside of the tensor: with zeros, or NaN.
void fill(const atom::TensorMap &, std::byte *to, uint32_t bytes);
/// Converts loaded numbers as the map's type requires: f32 is rounded to tf32. Subnormal numbers
/// stay, even with .FTZ; seen.
void convert(const atom::TensorMap &, std::byte *at, uint32_t bytes);
/// The types that an atomic operation can reduce; seen, and PTX ISA 9.7.9.27.1.4 except for the
/// bits of INT64.
std::vector<atom::TensorMapType> reducedTypes(uint8_t op);
/// Why hardware refuses a box at these coordinates, or "": seen, as illegal instructions. `stores`
/// does not cover scattered rows, which no GPU here has.
std::string refusal(const Box &, bool stores);

} // namespace tessera::sim
