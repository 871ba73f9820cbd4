// The limits of tensor maps, one row each, in the order in which they are reported.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Source: CUDA driver API 13.0, cuTensorMapEncodeTiled, cuTensorMapEncodeIm2col and
// cuTensorMapEncodeIm2colWide; "found" marks what that does not say and the driver does (CUDA 13.0
// on an H100, bench/tensormap_sweep.py).
#include "tessera/atom/Errors.h"
#include "tessera/atom/TensorMap.h"

#include <algorithm>

namespace tessera::atom {

namespace {
using Kind = TensorMapKind;
using Type = TensorMapType;
using Interleave = TensorMapInterleave;
using Swizzle = TensorMapSwizzle;
using Map = const TensorMap &;

/// What fills the sentence of a limit that a map breaks; none where it keeps it.
using Broken = std::optional<std::array<std::string, 4>>;
Broken brokenIf(bool is, const auto &...pieces) {
  return is ? Broken{{cat(pieces)...}} : std::nullopt;
}

struct Limit {
  Error error;
  Broken (*test)(Map, Target);
};

bool isTiled(Map map) { return map.kind == Kind::Tiled; }
bool isWide(Map map) { return map.kind == Kind::Im2colWide; }
bool isInterleaved(Map map) { return map.interleave != Interleave::None; }
bool isPadded(Map map) { return row(map.type).padded; }
std::string_view nameOf(Map map) { return row(map.type).name; }

// The values that count: arrays are as long as the highest rank.
auto dims(Map map) { return std::span(map.dims).first(map.rank); }
auto strides(Map map) { return std::span(map.strides).first(map.rank - 1); }
auto steps(Map map) { return std::span(map.steps).first(map.rank); }
auto box(Map map) { return std::span(map.box).first(isTiled(map) ? map.rank : 0); }

/// Elements of mode 0 that a copy moves, and what they are called.
uint64_t inner(Map map) { return isTiled(map) ? map.box[0] : map.channels; }
std::string_view innerName(Map map) { return isTiled(map) ? "box[0]" : "channels"; }
uint64_t innerBits(Map map) { return inner(map) * row(map.type).bits; }

/// What the address and the strides must be a multiple of, and where that comes from.
uint64_t alignment(Map map) { return map.interleave == Interleave::B32 || isPadded(map) ? 32 : 16; }
std::string aligned(Map map) {
  if (map.interleave == Interleave::B32)
    return "32 bytes (interleave 32B)";
  return isPadded(map) ? cat("32 bytes (type ", nameOf(map), ")") : "16 bytes";
}

/// The first value outside of low .. high, with its mode.
template <class T> Broken outside(std::span<const T> values, T low, T high) {
  for (size_t mode = 0; mode < values.size(); ++mode)
    if (values[mode] < low || values[mode] > high)
      return brokenIf(true, mode, values[mode]);
  return {};
}
Broken badStride(Map map, auto bad) {
  for (size_t i = 0; i < strides(map).size(); ++i)
    if (bad(map.strides[i]))
      return brokenIf(true, i + 1, map.strides[i], aligned(map));
  return {};
}

/// The swizzles that a type allows; all of them if there are none here.
struct SwizzlesOfType {
  Type type;
  std::array<Swizzle, 4> swizzles;
  std::string_view names;
};
constexpr SwizzlesOfType swizzlesOfTypes[] = {
    {Type::B4x16Padded,
     {Swizzle::None, Swizzle::B128, Swizzle::B128Atom32, Swizzle::None},
     "NONE, 128B or 128B_ATOM_32B"},
    {Type::B6x16Padded,
     {Swizzle::None, Swizzle::B128, Swizzle::B128Atom32, Swizzle::B128Atom64},
     "NONE, 128B, 128B_ATOM_32B or 128B_ATOM_64B"},
};

Broken checkRank(Map map, Target) {
  uint32_t low = isTiled(map) && !isInterleaved(map) ? 1 : 3;
  std::string_view what = !isTiled(map) ? "an im2col" : low == 3 ? "an interleaved" : "a tiled";
  return brokenIf(map.rank < low || map.rank > TensorMap::maxRank, what, low, map.rank);
}

/// What a target must have for the map's parameters.
Broken checkTarget(Map map, Target target) {
  struct {
    std::string what;
    Requirement needs;
  } const parts[] = {
      {"a tensor map", Requirement::atLeast(90)},
      {cat("a tensor map of ", nameOf(map)), row(map.type).needs},
      {cat("a tensor map with swizzle ", row(map.swizzle).name), row(map.swizzle).needs},
      {"an im2col::w tensor map", Requirement::atLeast(isWide(map) ? 100 : 90)},
  };
  for (const auto &[what, needs] : parts)
    if (!needs.metBy(target))
      return brokenIf(true, what, needs.sentence(), target.str());
  return {};
}

Broken checkSwizzleOfType(Map map, Target) {
  for (const SwizzlesOfType &row : swizzlesOfTypes)
    if (row.type == map.type && std::ranges::find(row.swizzles, map.swizzle) == row.swizzles.end())
      return brokenIf(true, nameOf(map), row.names, atom::row(map.swizzle).name);
  return {};
}

Broken checkCorners(Map map, Target) {
  // The bits of a corner are shared among the modes that it has; im2col::w has one mode.
  constexpr int32_t limits[] = {0, 32768, 128, 16};
  size_t modes = boundedModes(map);
  int32_t limit = limits[modes];
  for (size_t i = 0; i < 2 * modes; ++i) {
    int32_t offset = i < modes ? map.lower[i] : map.upper[i - modes];
    if (offset < -limit || offset >= limit)
      return brokenIf(true, cat(i < modes ? "lower[" : "upper[", i % modes, "]"), offset,
                      cat(-limit, " to ", limit - 1), map.rank);
  }
  return {};
}

// Found: the box is computed in 32 bits; interleaved tensors have pixels in modes 0 to 2.
Broken checkBoxEmpty(Map map, Target) {
  for (size_t i = 0; i < boundedModes(map); ++i) {
    size_t mode = isInterleaved(map) ? i : i + 1;
    auto left = int32_t(uint32_t(map.dims[mode] + uint64_t(int64_t(map.upper[i]) - map.lower[i])));
    if (left < 1)
      return brokenIf(true, mode, map.dims[mode], left);
  }
  return {};
}

constexpr Limit limits[] = {
    {Error::TensorMapRank, checkRank},
    {Error::TargetLacks, checkTarget},
    {Error::TensorMapAddress,
     [](Map map, Target) {
       return brokenIf(map.address % alignment(map), aligned(map), map.address);
     }},
    // Found.
    {Error::TensorMapAddressLimit,
     [](Map map, Target) { return brokenIf(map.address >> 57, map.address); }},
    {Error::TensorMapExtent,
     [](Map map, Target) { return outside<uint64_t>(dims(map), 1, uint64_t(1) << 32); }},
    {Error::TensorMapExtentOfType,
     [](Map map, Target) {
       uint64_t unit = isPadded(map) ? 128 : map.type == Type::B4x16 ? 2 : 1;
       return brokenIf(map.dims[0] % unit, unit, nameOf(map), map.dims[0]);
     }},
    {Error::TensorMapStride,
     [](Map map, Target) {
       return badStride(map, [&](uint64_t stride) { return stride % alignment(map); });
     }},
    {Error::TensorMapStrideLimit,
     [](Map map, Target) { return badStride(map, [](uint64_t stride) { return stride >> 40; }); }},
    {Error::TensorMapStep, [](Map map, Target) { return outside<uint32_t>(steps(map), 1, 8); }},
    {Error::TensorMapBox, [](Map map, Target) { return outside<uint32_t>(box(map), 1, 256); }},
    // Found: 0 is refused as well; the subtraction wraps.
    {Error::TensorMapChannels,
     [](Map map, Target) {
       return brokenIf(!isTiled(map) && map.channels - 1 >= 256, map.channels);
     }},
    {Error::TensorMapPixels,
     [](Map map, Target) { return brokenIf(!isTiled(map) && map.pixels - 1 >= 1024, map.pixels); }},
    {Error::TensorMapInnerOfType,
     [](Map map, Target) {
       return brokenIf(isPadded(map) && inner(map) != 128, innerName(map), nameOf(map), inner(map));
     }},
    // Found: applies to interleaved tensors too.
    {Error::TensorMapInnerBytes,
     [](Map map, Target) {
       return brokenIf(innerBits(map) % 128, innerName(map), inner(map), nameOf(map));
     }},
    {Error::TensorMapInnerSpan,
     [](Map map, Target) {
       const TensorMapSwizzleRow &swizzle = row(map.swizzle);
       uint64_t bytes = innerBits(map) / 8;
       return brokenIf(!isInterleaved(map) && swizzle.span && bytes > swizzle.span, innerName(map),
                       swizzle.span, bytes, swizzle.name);
     }},
    // Found. What a block can have, and what the system keeps of an SM's shared memory.
    {Error::TensorMapBytes,
     [](Map map, Target target) {
       int64_t limit = target.maxDynamicShared() + 1024;
       return brokenIf(countedBytes(map) > limit, limit, target.str(), countedBytes(map));
     }},
    // The driver does not check this; what the hardware would do is not documented.
    {Error::TensorMapInterleaveSwizzle,
     [](Map map, Target) {
       return brokenIf(map.interleave == Interleave::B32 && map.swizzle != Swizzle::B32,
                       row(map.swizzle).name);
     }},
    {Error::TensorMapInterleaveType,
     [](Map map, Target) {
       return brokenIf(isInterleaved(map) && map.type == Type::B6x16Padded, nameOf(map));
     }},
    {Error::TensorMapSwizzleType, checkSwizzleOfType},
    {Error::TensorMapSwizzleWide,
     [](Map map, Target) {
       bool known = map.swizzle == Swizzle::B64 || map.swizzle == Swizzle::B128 ||
                    map.swizzle == Swizzle::B128Atom32;
       return brokenIf(isWide(map) && !known, row(map.swizzle).name);
     }},
    {Error::TensorMapFillType,
     [](Map map, Target) {
       return brokenIf(map.fill == TensorMapFill::NaN && !row(map.type).floating, nameOf(map));
     }},
    {Error::TensorMapCorner, checkCorners},
    {Error::TensorMapBoxEmpty, checkBoxEmpty},
};
} // namespace

size_t boundedModes(const TensorMap &map) {
  return isTiled(map) ? 0 : isWide(map) ? 1 : map.rank - 2;
}

uint64_t innerStride(const TensorMap &map) {
  return isInterleaved(map) ? (map.interleave == Interleave::B16 ? 16 : 32)
                            : row(map.type).bits / 8u;
}

int64_t countedBytes(const TensorMap &map) {
  uint64_t elements = isTiled(map) ? 1 : uint64_t(map.channels) * map.pixels;
  for (size_t mode = 0; mode < box(map).size(); ++mode)
    elements *= map.box[mode] / map.steps[mode];
  return int64_t(elements * row(map.type).bits / 8);
}

std::optional<Reason> check(const TensorMap &map, Target target) {
  for (const Limit &limit : limits)
    if (Broken pieces = limit.test(map, target))
      return fail(limit.error, (*pieces)[0], (*pieces)[1], (*pieces)[2], (*pieces)[3]);
  return std::nullopt;
}

} // namespace tessera::atom
