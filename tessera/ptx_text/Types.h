// PTX types and state spaces, with their names and sizes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace tessera::ptx_text {

enum class Type : uint8_t {
#define TYPE(name, bits, kind, parts) name,
#include "tessera/ptx_text/Types.def"
#undef TYPE
};

enum class TypeKind : uint8_t {
  Bits,
  Unsigned,
  Signed,
  Float
};

struct TypeRow {
  Type type;
  std::string_view name;
  uint8_t bits;
  TypeKind kind;
  uint8_t parts;
};

inline constexpr TypeRow types[] = {
#define TYPE(name, bits, kind, parts) {Type::name, #name, bits, TypeKind::kind, parts},
#include "tessera/ptx_text/Types.def"
#undef TYPE
};

constexpr const TypeRow &row(Type type) { return types[size_t(type)]; }
constexpr std::string_view name(Type type) { return row(type).name; }
/// Bits of a register that holds one value; a predicate counts 1.
constexpr int bits(Type type) { return row(type).bits; }
/// Bytes in memory; 0 of a predicate, which has no place there.
constexpr uint32_t bytes(Type type) { return row(type).bits / 8; }
constexpr TypeKind kindOf(Type type) { return row(type).kind; }
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

/// Where a variable lives or an access goes. PTX ISA 5.1.
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

} // namespace tessera::ptx_text
