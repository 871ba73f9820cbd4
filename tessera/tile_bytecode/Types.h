// TypeKind: the kinds of types of tile programs, and properties of element types (Types.def).
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace tessera::tile_bytecode {

enum class TypeKind : uint8_t {
#define ELEMENT(id, ...) id,
#define TYPE(id, ...) id,
#include "tessera/tile_bytecode/Types.def"
#undef ELEMENT
#undef TYPE
};

/// One row of Types.def, where the columns are explained.
struct TypeRow {
  enum Class : uint8_t {
    Integer,
    Float,
    Other
  };
  TypeKind kind;
  uint8_t tag, minor;
  std::string_view text, name;
  Class elements;
  uint8_t bits, memoryBits;
};

inline constexpr TypeRow typeRows[] = {
#define ELEMENT(id, tag, minor, text, name, kind, bits, memoryBits)                                \
  {TypeKind::id, tag, minor, text, name, TypeRow::kind, bits, memoryBits},
#define TYPE(id, tag, minor, text, name)                                                           \
  {TypeKind::id, tag, minor, text, name, TypeRow::Other, 0, 0},
#include "tessera/tile_bytecode/Types.def"
#undef ELEMENT
#undef TYPE
};

constexpr const TypeRow &rowOf(TypeKind kind) { return typeRows[size_t(kind)]; }
constexpr bool isInteger(TypeKind kind) { return rowOf(kind).elements == TypeRow::Integer; }
constexpr bool isFloat(TypeKind kind) { return rowOf(kind).elements == TypeRow::Float; }
/// Whether tiles and tensors may have elements of this type: a number, not a pointer.
constexpr bool isElement(TypeKind kind) { return rowOf(kind).elements != TypeRow::Other; }
constexpr bool isView(TypeKind kind) {
  return kind == TypeKind::PartitionView || kind == TypeKind::StridedView ||
         kind == TypeKind::GatherScatterView;
}

/// Bytes of one element in a constant of bytecode, which is a DenseElementsAttr of LLVM; i1 is
/// packed, see Constants.h.
constexpr unsigned constantBytes(TypeKind kind) {
  return kind == TypeKind::TF32 ? 3 : (rowOf(kind).bits + 7u) / 8;
}

/// The row with this tag, or null.
constexpr const TypeRow *findTypeTag(uint64_t tag) {
  for (const TypeRow &row : typeRows)
    if (row.tag == tag)
      return &row;
  return nullptr;
}

} // namespace tessera::tile_bytecode
