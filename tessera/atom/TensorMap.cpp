// What is known of a tensor map's types and swizzles, and its encoding by the table of fields.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/atom/TensorMap.h"

#include "tessera/atom/Errors.h"

namespace tessera::atom {

namespace {
using Type = TensorMapType;
using Swizzle = TensorMapSwizzle;

// Found: for sm_90 the driver refuses the packed types and the swizzles of larger atoms, which came
// with Blackwell and CUDA 12.8.
constexpr Requirement hopper = Requirement::atLeast(90), blackwell = Requirement::atLeast(100);

constexpr TensorMapTypeRow types[] = {
    // type, name, bits, format, tf32, floating, padded
    {Type::U8, "UINT8", 8, 0, false, false, false, hopper},
    {Type::U16, "UINT16", 16, 1, false, false, false, hopper},
    {Type::U32, "UINT32", 32, 2, false, false, false, hopper},
    {Type::S32, "INT32", 32, 3, false, false, false, hopper},
    {Type::U64, "UINT64", 64, 4, false, false, false, hopper},
    {Type::S64, "INT64", 64, 5, false, false, false, hopper},
    {Type::F16, "FLOAT16", 16, 6, false, true, false, hopper},
    {Type::F32, "FLOAT32", 32, 7, false, true, false, hopper},
    {Type::F64, "FLOAT64", 64, 9, false, true, false, hopper},
    {Type::BF16, "BFLOAT16", 16, 10, false, true, false, hopper},
    {Type::F32Ftz, "FLOAT32_FTZ", 32, 8, false, true, false, hopper},
    {Type::TF32, "TFLOAT32", 32, 7, true, true, false, hopper},
    {Type::TF32Ftz, "TFLOAT32_FTZ", 32, 8, true, true, false, hopper},
    // Their formats are not known.
    {Type::B4x16, "16U4_ALIGN8B", 4, 0, false, false, false, blackwell},
    {Type::B4x16Padded, "16U4_ALIGN16B", 4, 0, false, false, true, blackwell},
    {Type::B6x16Padded, "16U6_ALIGN16B", 6, 0, false, false, true, blackwell},
};

constexpr TensorMapSwizzleRow swizzles[] = {
    {Swizzle::None, "NONE", 0, 16, hopper},
    {Swizzle::B32, "32B", 32, 256, hopper},
    {Swizzle::B64, "64B", 64, 512, hopper},
    {Swizzle::B128, "128B", 128, 1024, hopper},
    {Swizzle::B128Atom32, "128B_ATOM_32B", 128, 1024, blackwell},
    {Swizzle::B128Atom32Flip8, "128B_ATOM_32B_FLIP_8B", 128, 1024, blackwell},
    {Swizzle::B128Atom64, "128B_ATOM_64B", 128, 1024, blackwell},
};

constexpr bool inEnumOrder() {
  for (size_t i = 0; i < std::size(types); ++i)
    if (types[i].type != Type(i))
      return false;
  for (size_t i = 0; i < std::size(swizzles); ++i)
    if (swizzles[i].swizzle != Swizzle(i))
      return false;
  return true;
}
static_assert(inEnumOrder());

/// Which maps have a field.
enum class Kinds : uint8_t { All, Tiled, Im2col, Corners1, Corners2, Corners3 };

bool has(Kinds kinds, const TensorMap &map) {
  switch (kinds) {
  case Kinds::All: return true;
  case Kinds::Tiled:
  case Kinds::Im2col: return (kinds == Kinds::Tiled) == (map.kind == TensorMapKind::Tiled);
  default: return boundedModes(map) == size_t(kinds) - size_t(Kinds::Im2col);
  }
}

struct Field {
  std::string_view name;
  Kinds kinds;
  uint32_t (*count)(const TensorMap &);
  uint16_t first, step, bits;
  uint8_t minus, shift;
  uint64_t (*value)(const TensorMap &, uint32_t i);
};

constexpr Field fields[] = {
#define FIELD(name, kinds, count, first, step, bits, minus, shift, value)                          \
  {#name, Kinds::kinds,                                                                            \
   []([[maybe_unused]] const TensorMap &map) -> uint32_t { return count; },                        \
   first, step, bits, minus, shift,                                                                \
   [](const TensorMap &map, [[maybe_unused]] uint32_t i) -> uint64_t { return value; }},
#include "tessera/atom/TensorMapFields.def"
#undef FIELD
};

/// Stores the low `bits` bits; no field crosses into another word.
void put(TensorMapImage &image, uint32_t first, uint32_t bits, uint64_t value) {
  image.words[first / 64] |= (value & ~uint64_t(0) >> (64 - bits)) << first % 64;
}
} // namespace

std::span<const TensorMapTypeRow> tensorMapTypes() { return types; }
std::span<const TensorMapSwizzleRow> tensorMapSwizzles() { return swizzles; }
const TensorMapTypeRow &row(TensorMapType type) { return types[size_t(type)]; }
const TensorMapSwizzleRow &row(TensorMapSwizzle swizzle) { return swizzles[size_t(swizzle)]; }

Result<TensorMapImage> encode(const TensorMap &map) {
  static const Target sm90 = *Target::parse("sm_90");
  if (std::optional<Reason> broken = check(map, sm90))
    return *std::move(broken);
  TensorMapImage image;
  for (const Field &field : fields)
    for (uint32_t i = 0; has(field.kinds, map) && i < field.count(map); ++i)
      put(image, field.first + i * field.step, field.bits,
          (field.value(map, i) - field.minus) >> field.shift);
  return image;
}

} // namespace tessera::atom
