// TensorMap: the description of a tensor in global memory for TMA, its limits, and its 128 bytes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The members are the parameters of cuTensorMapEncodeTiled, cuTensorMapEncodeIm2col and
// cuTensorMapEncodeIm2colWide, under shorter names; enums have the driver's values. Source: CUDA
// driver API 13.0, "Tensor Map Object Management".
#pragma once

#include "tessera/atom/Target.h"

#include <array>
#include <cstdint>
#include <optional>
#include <span>

namespace tessera::atom {

/// Which of the driver's functions describes the copy.
enum class TensorMapKind : uint8_t {
  Tiled,
  Im2col,
  Im2colWide
};

/// CUtensorMapDataType.
enum class TensorMapType : uint8_t {
  U8,
  U16,
  U32,
  S32,
  U64,
  S64,
  F16,
  F32,
  F64,
  BF16,
  F32Ftz,
  TF32,
  TF32Ftz,
  B4x16,
  B4x16Padded,
  B6x16Padded
};
/// CUtensorMapInterleave.
enum class TensorMapInterleave : uint8_t {
  None,
  B16,
  B32
};
/// CUtensorMapSwizzle: the span that is permuted, then, where they are not 16 bytes, the atoms that
/// move as a whole.
enum class TensorMapSwizzle : uint8_t {
  None,
  B32,
  B64,
  B128,
  B128Atom32,
  B128Atom32Flip8,
  B128Atom64
};
/// CUtensorMapL2promotion.
enum class TensorMapPromotion : uint8_t {
  None,
  B64,
  B128,
  B256
};
/// CUtensorMapFloatOOBfill.
enum class TensorMapFill : uint8_t {
  Zeros,
  NaN
};
/// CUtensorMapIm2ColWideMode.
enum class TensorMapWideMode : uint8_t {
  W,
  W128
};

/// A type under the driver's name, without its prefix.
struct TensorMapTypeRow {
  TensorMapType type;
  std::string_view name;
  uint8_t bits;   // of an element in global memory
  uint8_t format; // its code, together with `tf32`
  bool tf32;
  bool floating; // may be filled with NaN
  bool padded;   // 16 elements take 16 bytes of shared memory, and fill 8 or 12 of them
  Requirement needs;
};
std::span<const TensorMapTypeRow> tensorMapTypes(); // in the order of the enum
const TensorMapTypeRow &row(TensorMapType);

/// A swizzle with the driver's name, the number of bytes within which it permutes (0: it does not),
/// and the number after which it repeats.
struct TensorMapSwizzleRow {
  TensorMapSwizzle swizzle;
  std::string_view name;
  uint8_t span;
  uint16_t repeat;
  Requirement needs;
};
std::span<const TensorMapSwizzleRow> tensorMapSwizzles(); // in the order of the enum
const TensorMapSwizzleRow &row(TensorMapSwizzle);

struct TensorMap {
  static constexpr uint32_t maxRank = 5;

  TensorMapKind kind = TensorMapKind::Tiled;
  TensorMapType type = TensorMapType::U8;
  uint32_t rank = 1;
  uint64_t address = 0;
  std::array<uint64_t, maxRank> dims{};               // elements; mode 0 is contiguous
  std::array<uint64_t, maxRank - 1> strides{};        // bytes, of the modes from 1 on
  std::array<uint32_t, maxRank> steps{1, 1, 1, 1, 1}; // elementStrides

  std::array<uint32_t, maxRank> box{}; // Tiled: elements

  // Im2col: offsets of the box's corners in the modes between the first and the last (interleaved:
  // in those from the first on); Im2colWide: in one of them.
  std::array<int32_t, maxRank - 2> lower{}, upper{};
  uint32_t channels = 0, pixels = 0;             // of a copy: elements of mode 0, and of the others
  TensorMapWideMode mode = TensorMapWideMode::W; // Im2colWide

  TensorMapInterleave interleave = TensorMapInterleave::None;
  TensorMapSwizzle swizzle = TensorMapSwizzle::None;
  TensorMapPromotion promotion = TensorMapPromotion::None;
  TensorMapFill fill = TensorMapFill::Zeros;

  friend bool operator==(const TensorMap &, const TensorMap &) = default;
};

/// The 128 bytes of a CUtensorMap, aligned as cuda.h 13.0 does; the driver asks for 64 bytes.
struct alignas(128) TensorMapImage {
  std::array<uint64_t, 16> words{};
  friend bool operator==(const TensorMapImage &, const TensorMapImage &) = default;
};

/// Number of modes that the corners of an im2col map bound: 1 to 3 (width, height, depth), 0 for
/// tiled maps.
size_t boundedModes(const TensorMap &);

/// Bytes from one element of mode 0 to the next: those of an element, or of a slice of channels if
/// they are interleaved (NC/8HWC8, NC/16HWC16; PTX ISA 5.5.6). Such a slice comes before all modes
/// and is not a mode itself.
uint64_t innerStride(const TensorMap &);

/// Bytes of shared memory of a copy as the driver counts them, with quotients box / steps rounded
/// down. A copy moves them rounded up. Steps must not be 0.
int64_t countedBytes(const TensorMap &);

/// The first limit that the map exceeds, if any: the limits of the driver's functions, and those of
/// the target.
std::optional<Reason> check(const TensorMap &, Target);

/// The map's image for sm_90, bit for bit as the driver makes it (TensorMapFields.def), or the
/// limit that it exceeds there. What came with sm_100 has bits for the simulator alone.
Result<TensorMapImage> encode(const TensorMap &);

/// The map in an image for sm_90, by the same table, or why the image is not valid.
Result<TensorMap> decode(const TensorMapImage &);

/// The fields of an image that PTX's tensormap.replace changes.
enum class TensorMapField : uint8_t {
  GlobalAddress,
  Rank,
  BoxDim,
  GlobalDim,
  GlobalStride,
  ElementStride,
  ElemType,
  InterleaveLayout,
  SwizzleMode,
  FillMode
};
/// By its name in PTX: "global_dim".
std::optional<TensorMapField> findTensorMapField(std::string_view name);
/// Writes a value as tensormap.replace does, for mode `ord` if the field has several; a reason if
/// that is not possible.
std::optional<Reason> replace(TensorMapImage &, TensorMapField, uint32_t ord, uint64_t value);

} // namespace tessera::atom
