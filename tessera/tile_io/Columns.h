// How attributes of ops and columns of the table of ops correspond.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/cuda_tile/CudaTile.h"
#include "tessera/tile_bytecode/Ops.h"
#include "tessera/tile_bytecode/Types.h"

namespace tessera::tile_io {

/// The op of a row: `cuda_tile.addi`.
std::string opName(const tile_bytecode::OpRow &row);
/// The attribute of a column. Names that end in `_` avoid words of other languages.
inline llvm::StringRef attributeName(const tile_bytecode::AttributeColumn &column) {
  return llvm::StringRef(column.name).rtrim('_');
}

/// The attribute with this number of the enumeration that the column has.
mlir::Attribute enumAttribute(const tile_bytecode::AttributeColumn &column, uint64_t number,
                              mlir::MLIRContext &context);
uint64_t enumNumber(const tile_bytecode::AttributeColumn &column, mlir::Attribute attribute);
/// The number of a keyword of `tile_bytecode`.
uint64_t numberOf(std::span<const tile_bytecode::Keyword> keywords, llvm::StringRef text);

/// The type of a kind of elements, and the kind of a type; null, or nothing, if elements cannot
/// have it.
mlir::Type elementType(tile_bytecode::TypeKind kind, mlir::MLIRContext &context);
std::optional<tile_bytecode::TypeKind> elementKind(mlir::Type type);

} // namespace tessera::tile_io
