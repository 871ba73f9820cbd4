// Names, enumerations and elements in both forms.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/tile_io/Columns.h"

using namespace mlir;
namespace tessera::tile_io {
namespace bc = tile_bytecode;
namespace ct = cuda_tile;

std::string opName(const bc::OpRow &row) { return "cuda_tile." + std::string(row.name); }

namespace {
// Both rooms have a table of each enumeration. A value of one is that of the other by its keyword.
struct EnumRow {
  const bc::Keyword *keywords;
  Attribute (*attribute)(MLIRContext &, StringRef keyword);
  StringRef (*keyword)(Attribute);
};
template <class Attr> EnumRow enumRow(const bc::Keyword *keywords) {
  using Enum = decltype(std::declval<Attr>().getValue());
  return {keywords,
          [](MLIRContext &context, StringRef keyword) -> Attribute {
            return Attr::get(&context, *ct::symbolizeEnum<Enum>(keyword));
          },
          [](Attribute attr) { return ct::stringifyEnum(cast<Attr>(attr).getValue()); }};
}
} // namespace

static const EnumRow &rowOfEnum(const bc::AttributeColumn &column) {
  static const EnumRow rows[] = {
      enumRow<ct::SignednessAttr>(bc::keywords::Signedness),
      enumRow<ct::IntegerOverflowAttr>(bc::keywords::IntegerOverflow),
      enumRow<ct::RoundingModeAttr>(bc::keywords::RoundingMode),
      enumRow<ct::ComparisonPredicateAttr>(bc::keywords::ComparisonPredicate),
      enumRow<ct::ComparisonOrderingAttr>(bc::keywords::ComparisonOrdering),
      enumRow<ct::AtomicRMWModeAttr>(bc::keywords::AtomicRMWMode),
      enumRow<ct::MemoryScopeAttr>(bc::keywords::MemoryScope),
      enumRow<ct::MemoryOrderingSemanticsAttr>(bc::keywords::MemoryOrderingSemantics),
      enumRow<ct::PaddingValueAttr>(bc::keywords::PaddingValue),
      enumRow<ct::SymbolVisibilityAttr>(bc::keywords::SymbolVisibility),
  };
  const EnumRow *row = llvm::find_if(
      rows, [&](const EnumRow &each) { return each.keywords == column.keywords.data(); });
  assert(row != std::end(rows) && "each enumeration of tile_bytecode has a row");
  return *row;
}
Attribute enumAttribute(const bc::AttributeColumn &column, uint64_t number, MLIRContext &context) {
  return rowOfEnum(column).attribute(context, column.keywords[number].text);
}
uint64_t enumNumber(const bc::AttributeColumn &column, Attribute attribute) {
  return numberOf(column.keywords, rowOfEnum(column).keyword(attribute));
}
uint64_t numberOf(std::span<const bc::Keyword> keywords, StringRef text) {
  auto found = llvm::find_if(keywords,
                             [&](const bc::Keyword &each) { return StringRef(each.text) == text; });
  assert(found != keywords.end() && "each keyword of the dialect is one of tile_bytecode");
  return uint64_t(found - keywords.begin());
}

Type elementType(bc::TypeKind kind, MLIRContext &context) {
  switch (kind) {
  case bc::TypeKind::I1:
  case bc::TypeKind::I4:
  case bc::TypeKind::I8:
  case bc::TypeKind::I16:
  case bc::TypeKind::I32:
  case bc::TypeKind::I64: return IntegerType::get(&context, bc::rowOf(kind).bits);
  case bc::TypeKind::F16: return Float16Type::get(&context);
  case bc::TypeKind::BF16: return BFloat16Type::get(&context);
  case bc::TypeKind::F32: return Float32Type::get(&context);
  case bc::TypeKind::TF32: return FloatTF32Type::get(&context);
  case bc::TypeKind::F64: return Float64Type::get(&context);
  case bc::TypeKind::F8E4M3FN: return Float8E4M3FNType::get(&context);
  case bc::TypeKind::F8E5M2: return Float8E5M2Type::get(&context);
  case bc::TypeKind::F8E8M0FNU: return Float8E8M0FNUType::get(&context);
  case bc::TypeKind::F4E2M1FN: return Float4E2M1FNType::get(&context);
  case bc::TypeKind::F8E5M3FNU: return ct::Float8E5M3FNUType::get(&context);
  default: return {};
  }
}
std::optional<bc::TypeKind> elementKind(Type type) {
  for (const bc::TypeRow &row : bc::typeRows)
    if (bc::isElement(row.kind) && elementType(row.kind, *type.getContext()) == type)
      return row.kind;
  return std::nullopt;
}

} // namespace tessera::tile_io
