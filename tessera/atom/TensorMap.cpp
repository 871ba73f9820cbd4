// What is known of a tensor map's types and swizzles, and its encoding by the table of fields.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/atom/TensorMap.h"

#include "tessera/atom/Errors.h"
#include "tessera/atom/TensorMapKeywords.h"

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
    // What a driver writes for these is not known: their numbers in tensormap.replace, as those
    // above are, for the simulator alone. Of GPUs the driver makes all maps.
    {Type::B4x16, "16U4_ALIGN8B", 4, 13, false, false, false, blackwell},
    {Type::B4x16Padded, "16U4_ALIGN16B", 4, 14, false, false, true, blackwell},
    {Type::B6x16Padded, "16U6_ALIGN16B", 6, 15, false, false, true, blackwell},
};

constexpr Spelling<Type> typeNames[] = {
    {Type::U8, "U8"},
    {Type::U16, "U16"},
    {Type::U32, "U32"},
    {Type::S32, "S32"},
    {Type::U64, "U64"},
    {Type::S64, "S64"},
    {Type::F16, "F16_RN"},
    {Type::F32, "F32_RN"},
    {Type::F32Ftz, "F32_FTZ_RN"},
    {Type::F64, "F64_RN"},
    {Type::BF16, "BF16_RN"},
    {Type::B4x16, "U4"},
    {Type::B4x16Padded, "U4_UNPACK_U8"},
    {Type::B6x16Padded, "U6_UNPACK_U8"},
    {Type::TF32, "TF32_RN"},
    {Type::TF32Ftz, "TF32_FTZ_RN"},
};
constexpr Spelling<Swizzle> swizzleNames[] = {
    {Swizzle::None, "none"},
    {Swizzle::B32, "b32"},
    {Swizzle::B64, "b64"},
    {Swizzle::B128, "b128"},
    {Swizzle::B128Atom32, "b128_atom_b32"},
    {Swizzle::B128Atom32Flip8, "b128_atom_b32_flip_b8"},
    {Swizzle::B128Atom64, "b128_atom_b64"},
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
enum class Kinds : uint8_t {
  All,
  Tiled,
  Im2col,
  Corners1,
  Corners2,
  Corners3
};

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
  void (*take)(TensorMap &, uint32_t i, uint64_t v);
};

/// The type that is encoded so; one that is encoded otherwise if there is none.
TensorMapType typeOf(uint64_t format, bool tf32) {
  for (const TensorMapTypeRow &row : types)
    if (row.format == format && row.tf32 == tf32)
      return row.type;
  return TensorMapType::U8;
}
int32_t signedOf(uint64_t v, int bits) {
  return int32_t(uint32_t(v) << (32 - bits)) >> (32 - bits);
}

constexpr Field fields[] = {
#define FIELD(name, kinds, count, first, step, bits, minus, shift, value, take)                    \
  {#name,                                                                                          \
   Kinds::kinds,                                                                                   \
   []([[maybe_unused]] const TensorMap &map) -> uint32_t { return count; },                        \
   first,                                                                                          \
   step,                                                                                           \
   bits,                                                                                           \
   minus,                                                                                          \
   shift,                                                                                          \
   [](const TensorMap &map, [[maybe_unused]] uint32_t i) -> uint64_t { return value; },            \
   []([[maybe_unused]] TensorMap &map, [[maybe_unused]] uint32_t i, uint64_t v) { take; }},
#include "tessera/atom/TensorMapFields.def"
#undef FIELD
};

/// Stores value i of a field; no field crosses into another word.
void put(TensorMapImage &image, const Field &field, uint32_t i, uint64_t value) {
  uint32_t first = field.first + i * field.step;
  uint64_t mask = ~uint64_t(0) >> (64 - field.bits);
  uint64_t &word = image.words[first / 64];
  word &= ~(mask << first % 64);
  word |= (((value - field.minus) >> field.shift) & mask) << first % 64;
}
uint64_t get(const TensorMapImage &image, const Field &field, uint32_t i) {
  uint32_t first = field.first + i * field.step;
  uint64_t mask = ~uint64_t(0) >> (64 - field.bits);
  return ((image.words[first / 64] >> first % 64 & mask) << field.shift) + field.minus;
}

/// What tensormap.replace may change: PTX ISA 9.7.9.27. Its values are those of the fields, except
/// for the rank, which it counts from 0, and the types, which it numbers: 11 and 12 are TF32.
struct Replaceable {
  TensorMapField field;
  std::string_view name;      // in PTX
  std::string_view stored[2]; // fields of the table
  uint32_t count;             // of values: the operand `ord` is below it
  uint64_t most;              // the largest value
  uint64_t (*valueOf)(uint64_t v, int which);
};
constexpr uint64_t same(uint64_t v, int) { return v; }
constexpr uint64_t least32 = uint64_t(1) << 32;
constexpr Replaceable replaceables[] = {
    {TensorMapField::GlobalAddress, "global_address", {"address"}, 1, ~uint64_t(0) >> 7, same},
    {TensorMapField::Rank, "rank", {"rank"}, 1, 4, [](uint64_t v, int) { return v + 1; }},
    {TensorMapField::BoxDim, "box_dim", {"box"}, 5, 256, same},
    {TensorMapField::GlobalDim, "global_dim", {"dims"}, 5, least32, same},
    {TensorMapField::GlobalStride,
     "global_stride",
     {"strides", "stridesHigh"},
     4,
     (uint64_t(1) << 40) - 1,
     same},
    {TensorMapField::ElementStride, "element_stride", {"steps"}, 5, 8, same},
    {TensorMapField::ElemType,
     "elemtype",
     {"format", "tf32"},
     1,
     15,
     [](uint64_t v, int which) {
       bool tf32 = v == 11 || v == 12;
       return which ? uint64_t(tf32) : tf32 ? v - 4 : v;
     }},
    {TensorMapField::InterleaveLayout, "interleave_layout", {"interleave"}, 1, 2, same},
    {TensorMapField::SwizzleMode, "swizzle_mode", {"swizzle"}, 1, 3, same},
    {TensorMapField::FillMode, "fill_mode", {"fill"}, 1, 1, same},
};
} // namespace

std::span<const Spelling<Type>> spellings(Type) { return typeNames; }
std::span<const Spelling<Swizzle>> spellings(Swizzle) { return swizzleNames; }

std::span<const TensorMapTypeRow> tensorMapTypes() { return types; }
std::span<const TensorMapSwizzleRow> tensorMapSwizzles() { return swizzles; }
const TensorMapTypeRow &row(TensorMapType type) { return types[size_t(type)]; }
const TensorMapSwizzleRow &row(TensorMapSwizzle swizzle) { return swizzles[size_t(swizzle)]; }

Result<TensorMapImage> encode(const TensorMap &map) {
  static const Target sm90 = *Target::parse("sm_90"), sm100 = *Target::parse("sm_100");
  bool packed = !row(map.type).needs.metBy(sm90), atoms = map.swizzle > Swizzle::B128,
       wide = map.kind == TensorMapKind::Im2colWide;
  if (std::optional<Reason> broken = check(map, packed || atoms || wide ? sm100 : sm90))
    return *std::move(broken);
  if (map.swizzle == Swizzle::B128Atom32Flip8) // in which lines 8 bytes change places is not said
    return *check(map, sm90);
  TensorMapImage image;
  for (const Field &field : fields)
    for (uint32_t i = 0; has(field.kinds, map) && i < field.count(map); ++i)
      put(image, field, i, field.value(map, i));
  return image;
}

Result<TensorMap> decode(const TensorMapImage &image) {
  TensorMap map;
  for (const Field &field : fields)
    for (uint32_t i = 0; has(field.kinds, map) && i < field.count(map); ++i) {
      field.take(map, i, get(image, field, i));
      if (map.rank > TensorMap::maxRank)
        return fail(Error::TensorMapImage, field.name);
    }
  // Modes beyond the rank may hold what they held before tensormap.replace, and words 8 and 9 too.
  TESSERA_TRY(TensorMapImage again, encode(map));
  for (const Field &field : fields)
    for (uint32_t i = 0; has(field.kinds, map) && field.first < 512 && i < field.count(map); ++i)
      if (get(again, field, i) != get(image, field, i))
        return fail(Error::TensorMapImage, field.name);
  return map;
}

std::optional<TensorMapField> findTensorMapField(std::string_view name) {
  for (const Replaceable &row : replaceables)
    if (row.name == name)
      return row.field;
  return std::nullopt;
}

std::optional<Reason> replace(TensorMapImage &image, TensorMapField which, uint32_t ord,
                              uint64_t value) {
  const Replaceable &row = replaceables[size_t(which)];
  if (ord >= row.count || value > row.most)
    return fail(Error::TensorMapReplace, row.name, row.count - 1, row.most, ord, value);
  for (int part = 0; part < 2; ++part)
    for (const Field &field : fields)
      if (field.name == row.stored[part])
        put(image, field, ord, row.valueOf(value, part));
  return std::nullopt;
}

} // namespace tessera::atom
