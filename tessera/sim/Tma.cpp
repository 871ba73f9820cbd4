// Boxes as pieces: tiles and im2col columns, bounds, swizzles. PTX ISA 5.5.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/sim/Tma.h"

#include "tessera/sim/Atomic.h"
#include "tessera/sim/Number.h"

#include <algorithm>
#include <cmath>

namespace tessera::sim {

using atom::TensorMap;
using atom::TensorMapKind;
using atom::TensorMapType;

namespace {
/// Bytes of so many elements of mode 0 in global memory.
int64_t bytesOf(const TensorMap &map, int64_t elements) {
  return elements * row(map.type).bits / 8;
}

/// 16 numbers of 4 or 6 bits that have 16 bytes of shared memory to themselves: the bytes that they
/// fill. 0: elements are side by side. PTX ISA 5.5.1, .b4x16_p64 and .b6x16_p32.
constexpr uint32_t paddedGroup = 16;
uint32_t groupBytes(const TensorMap &map) {
  return row(map.type).padded ? uint32_t(bytesOf(map, paddedGroup)) : 0;
}

/// Units of 16 bytes within the span change places with bits 7 to 9 of the address. PTX ISA 5.5.6.
/// With atoms of 32 bytes two units go together, by bits 7 and 8 (CUTLASS: Swizzle<2,5,2>), with
/// atoms of 64 bytes four, by bit 7.
uint32_t swizzled(const TensorMap &map, uint32_t address) {
  uint32_t span = row(map.swizzle).span;
  if (map.swizzle == atom::TensorMapSwizzle::B128Atom32)
    return address ^ (address >> 2 & 0x60);
  if (map.swizzle == atom::TensorMapSwizzle::B128Atom64)
    return address ^ (address >> 1 & 0x40);
  return span ? address ^ (address >> 3 & (span - 1) & ~15u) : address;
}
} // namespace

uint32_t Box::rowBytes() const {
  if (interleaved())
    return uint32_t(atom::innerStride(map));
  return uint32_t(bytesOf(map, map.kind == TensorMapKind::Tiled ? map.box[0] : map.channels));
}

uint32_t Box::pitch() const {
  if (interleaved())
    return rowBytes();
  uint32_t group = groupBytes(map), filled = group ? rowBytes() / group * paddedGroup : rowBytes();
  return std::max<uint32_t>(filled, row(map.swizzle).span);
}

uint32_t Box::rows() const {
  if (wide()) {
    constexpr uint32_t runs = 4; // of im2col::w::128
    return (run() + offsets[0]) * (map.mode == atom::TensorMapWideMode::W128 ? runs : 1);
  }
  if (map.kind != TensorMapKind::Tiled)
    return map.pixels;
  uint32_t count = 1;
  for (size_t mode = firstMode(); mode < map.rank; ++mode)
    count *= (extentOf(mode) + map.steps[mode] - 1) / map.steps[mode];
  return count;
}

uint32_t Box::bytes() const { return rows() * rowBytes(); }

/// Tiles: the modes within the box, the first fastest. Im2col: pixels within the bounds that the
/// corners set, then the next image.
void Box::nextRow(Index &position) const {
  for (size_t mode = firstMode(); mode < map.rank; ++mode) {
    bool tiled = map.kind == TensorMapKind::Tiled, image = !tiled && mode + 1 == map.rank;
    int64_t first = tiled ? at[mode] : image ? 0 : map.lower[mode - 1];
    int64_t end = tiled   ? first + extentOf(mode)
                  : image ? INT64_MAX
                          : int64_t(map.dims[mode]) + map.upper[mode - 1];
    position[mode] += map.steps[mode];
    if (position[mode] < end)
      return;
    position[mode] = first;
  }
}

/// Pixels of a row of the image within the bounds of W, then of the same row of the next image;
/// after each run its halo, which goes on in the row of the last pixel. PTX ISA 5.5.5.
std::vector<Box::Index> Box::along() const {
  std::vector<Index> out;
  Index pixel{};
  std::copy_n(at.begin(), map.rank, pixel.begin());
  while (out.size() < rows()) {
    Index last = pixel;
    for (uint32_t i = 0; i < run(); ++i) {
      out.push_back(last = pixel);
      pixel[1] += map.steps[1];
      if (pixel[1] < rowEnd())
        continue;
      pixel[1] = map.lower[0];
      ++pixel[map.rank - 1];
    }
    for (uint32_t i = 0; i < offsets[0]; ++i) {
      last[1] += map.steps[1];
      out.push_back(last);
    }
  }
  return out;
}

std::string Box::alongRefusal() const {
  if (!wide())
    return "";
  bool short32 = map.mode == atom::TensorMapWideMode::W128;
  constexpr uint16_t offsetLimit = 32;
  if (uint16_t limit = short32 ? 32 : 512; offsets[0] >= limit)
    return cat("a halo of less than ", limit, " pixels, but got ", offsets[0]);
  if (offsets[1] >= offsetLimit)
    return cat("an offset along W of less than ", offsetLimit, ", but got ", offsets[1]);
  if (at[1] >= rowEnd())
    return cat("a first pixel before the end of a row, which is W = ", rowEnd(),
               ", but got W = ", at[1]);
  if (std::ranges::any_of(along(), [&](const Index &p) { return p[1] >= rowEnd(); }))
    return cat("a halo of ", offsets[0], " pixels that ends in its row, but a run of ", run(),
               " pixels ends too near to W = ", rowEnd(),
               "; what follows there is in figures of the ISA only");
  return "";
}

std::optional<std::vector<Piece>> Box::pieces(Warp &w, uint32_t offset, uint32_t base,
                                              Access access, int lane) const {
  const uint32_t unit = map.swizzle == atom::TensorMapSwizzle::None ? ~0u : 16u,
                 group = groupBytes(map);
  std::vector<Piece> out;
  uint32_t next = offset;
  auto add = [&](int64_t count, std::byte *other) {
    for (uint32_t left = uint32_t(count); left;) {
      uint32_t address = base + offset,
               bytes = std::min(left, group ? group : unit - address % unit);
      out.push_back({swizzled(map, address) - base, other, bytes});
      offset += group ? paddedGroup : bytes;
      left -= bytes;
      other += other ? bytes : 0;
    }
  };
  Index position{};
  for (size_t mode = 0; mode < map.rank; ++mode)
    position[mode] = at[mode];
  // Bytes of a row, and of it those before and within the tensor.
  int64_t count = rowBytes(), before = 0, within = count;
  if (!interleaved()) {
    before = std::clamp<int64_t>(bytesOf(map, -position[0]), 0, count);
    within = std::clamp<int64_t>(bytesOf(map, int64_t(map.dims[0]) - position[0]), before, count) -
             before;
  }
  // Writes go on to the end of 16 bytes of which some are within the tensor; seen. Reads do not.
  if (access != Access::BulkRead && !group)
    within = std::min((within + 15) / 16 * 16, count - before);
  std::vector<Index> path = wide() ? along() : std::vector<Index>();
  for (uint32_t r = 0, all = rows(); r < all; ++r, nextRow(position)) {
    if (!path.empty())
      position = path[r];
    offset = next;
    next += pitch();
    bool inside = within > 0;
    uint64_t address =
        map.address + uint64_t(before + (interleaved() ? 0 : bytesOf(map, position[0])));
    for (size_t mode = firstMode(); mode < map.rank; ++mode) {
      int64_t at = position[mode] + offsetOf(mode);
      inside &= at >= 0 && at < int64_t(map.dims[mode]);
      address += uint64_t(at) * stride(mode);
    }
    if (!inside) {
      add(count, nullptr);
      continue;
    }
    std::byte *other = w.locateRange(Space::Global, address, uint32_t(within), 1, access, lane);
    if (!other)
      return std::nullopt;
    add(before, nullptr);
    add(within, other);
    add(count - before - within, nullptr);
  }
  return out;
}

void fill(const TensorMap &map, std::byte *to, uint32_t bytes) {
  std::memset(to, 0, bytes);
  for (uint32_t i = 0; map.fill == atom::TensorMapFill::NaN && i + 2 <= bytes; i += 2)
    std::memcpy(to + i, &outsideNan, 2);
}

void convert(const TensorMap &map, std::byte *at, uint32_t bytes) {
  for (uint32_t i = 0; row(map.type).tf32 && i < bytes; i += 4) {
    uint32_t code;
    std::memcpy(&code, at + i, 4);
    double value = double(std::bit_cast<float>(code));
    if (std::isnan(value))
      code = 0x7fffe000; // seen
    else if (std::isfinite(value))
      code = uint32_t(number::encode(number::Format::tf32, value, {}));
    std::memcpy(at + i, &code, 4);
  }
}

std::vector<TensorMapType> reducedTypes(uint8_t op) {
  using enum TensorMapType;
  switch (op) {
  case Add: return {U32, S32, U64, F16, BF16, F32, F32Ftz, F64, TF32, TF32Ftz};
  case Min:
  case Max: return {U32, S32, U64, S64, F16, BF16};
  case Inc:
  case Dec: return {U32};
  default: return {U32, S32, U64};
  }
}

std::string refusal(const Box &box, bool stores) {
  const TensorMap &map = box.map;
  if (std::string why = box.alongRefusal(); !why.empty())
    return why;
  int64_t first = bytesOf(map, box.at[0]);
  if (map.interleave == atom::TensorMapInterleave::None && first % 16)
    return cat("a first coordinate at a multiple of 16 bytes, but got ", box.at[0],
               ", which is byte ", first);
  for (size_t mode = 0; stores && mode < map.rank; ++mode)
    if (box.at[mode] < 0)
      return cat("coordinates that are not negative, as it writes, but got ", box.at[mode],
                 " in mode ", mode);
  for (size_t i = 0; stores && map.kind != TensorMapKind::Tiled && i + 2 < map.rank; ++i)
    if (map.lower[i] < 0)
      return cat("a map whose lower corner is not negative, as it writes, but got ", map.lower[i],
                 " for mode ", i + 1);
  return "";
}

} // namespace tessera::sim
