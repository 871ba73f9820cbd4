// Tma: which bytes of shared memory and of a tensor a bulk tensor copy moves.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/atom/TensorMap.h"
#include "tessera/sim/Grid.h"

namespace tessera::sim {

/// Bytes next to each other on both sides of a copy.
struct Piece {
  uint32_t offset = 0;        // into the shared memory of a block
  std::byte *other = nullptr; // global memory, or shared memory that is read; null outside of the tensor
  uint32_t bytes = 0;
};

/// One box of a tensor.
struct Box {
  atom::TensorMap map;
  std::array<int32_t, atom::TensorMap::maxRank> at{};           // coordinates
  std::array<uint16_t, atom::TensorMap::maxRank - 2> offsets{}; // of im2col loads

  /// Bytes of shared memory that a copy moves.
  uint32_t bytes() const;
  /// The pieces of the box at an offset into shared memory, where `base` stands for the address of offset 0; none after a
  /// fault of the lane.
  std::optional<std::vector<Piece>> pieces(Warp &, uint32_t offset, uint32_t base, Access, int lane) const;

private:
  bool interleaved() const { return map.interleave != atom::TensorMapInterleave::None; }
  /// The first mode that rows go through: a row is what lies together, some of mode 0 or, interleaved, a slice of channels.
  size_t firstMode() const { return interleaved() ? 0 : 1; }
  uint32_t rows() const;
  uint32_t rowBytes() const;
  uint64_t stride(size_t mode) const { return mode ? map.strides[mode - 1] : atom::innerStride(map); }
  void nextRow(std::array<int64_t, atom::TensorMap::maxRank> &position) const;
};

/// What lies outside of a tensor reads as this: zeros, or NaN of the type.
void fill(const atom::TensorMap &, std::byte *to, uint32_t bytes);
/// What the map's type makes of numbers that are loaded: subnormals become zero, f32 is rounded to tf32.
void convert(const atom::TensorMap &, std::byte *at, uint32_t bytes);
/// The PTX type whose operations reductions use.
Type typeOf(const atom::TensorMap &);

} // namespace tessera::sim
