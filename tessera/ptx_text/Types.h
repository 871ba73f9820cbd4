// Types: PTX types and state spaces, with their names and sizes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/number/Format.h"

#include <array>
#include <bit>
#include <cstdint>
#include <optional>
#include <string_view>

namespace tessera::ptx_text {

enum class Type : uint8_t {
#define TYPE(name, element, parts) name,
#include "tessera/ptx_text/Types.def"
#undef TYPE
};

using TypeKind = number::Kind;

struct TypeRow {
  Type type;
  std::string_view name;
  number::Format element; // of one part
  uint8_t parts;
  uint8_t bits; // of all parts; each has its format's bits, but a byte for 6, as PTX stores e2m3
                // and e3m2
};

inline constexpr TypeRow types[] = {
#define TYPE(name, element, parts)                                                                 \
  {Type::name, #name, number::Format::element, parts,                                              \
   uint8_t(std::bit_ceil(unsigned(number::storedBits(number::Format::element))) * parts)},
#include "tessera/ptx_text/Types.def"
#undef TYPE
};

constexpr const TypeRow &row(Type type) { return types[size_t(type)]; }
constexpr std::string_view name(Type type) { return row(type).name; }
/// Bits of a register with one value; 1 for a predicate.
constexpr int bits(Type type) { return row(type).bits; }
/// Bytes in memory; 0 for a predicate, which cannot be in memory.
constexpr uint32_t bytes(Type type) { return row(type).bits / 8; }
constexpr TypeKind kindOf(Type type) { return number::kindOf(row(type).element); }
constexpr bool isFloat(Type type) { return kindOf(type) == TypeKind::Float; }
constexpr bool isSigned(Type type) { return kindOf(type) == TypeKind::Signed; }

/// The type with this name, without a dot.
constexpr std::optional<Type> findType(std::string_view name) {
  for (const TypeRow &row : types)
    if (row.name == name)
      return row.type;
  return std::nullopt;
}

/// The untyped type of this size: 8, 16, 32, 64 or 128 bits.
constexpr Type bitsOf(int size) {
  for (Type type : {Type::b8, Type::b16, Type::b32, Type::b64})
    if (bits(type) == size)
      return type;
  return size == 1 ? Type::pred : Type::b128;
}

/// The space of a variable or access. PTX ISA 5.1.
enum class Space : uint8_t {
  Reg,
  Special,
  Const,
  Global,
  Local,
  Param,
  Shared,
  Generic
};
inline constexpr size_t spaceCount = size_t(Space::Generic) + 1;

/// The space in a sentence: "shared", "constant".
constexpr std::string_view name(Space space) {
  constexpr std::string_view names[spaceCount] = {"register", "special",   "constant", "global",
                                                  "local",    "parameter", "shared",   "generic"};
  return names[size_t(space)];
}

} // namespace tessera::ptx_text
