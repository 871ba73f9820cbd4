// ProgramTables: the tables of a program that its ops refer to: texts, types, constants, locations.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each class makes entries of some of the tables, and finds those that are there already. Members
// that fail have reported why.
#pragma once

#include "tessera/cuda_tile/CudaTile.h"
#include "tessera/tile_bytecode/Ops.h"
#include "tessera/tile_bytecode/Program.h"

#include "llvm/ADT/DenseMap.h"

namespace tessera::tile_io {

/// The program that grows, and its texts.
struct ProgramTables {
  ProgramTables() = default;
  ProgramTables(const ProgramTables &) = delete; // the interner is of this program
  ProgramTables &operator=(const ProgramTables &) = delete;

  tile_bytecode::Program program;
  tile_bytecode::Interner interner{program};

  tile_bytecode::Index text(llvm::StringRef string) {
    return interner.string({string.data(), string.size()});
  }
};

class TypeTable {
public:
  explicit TypeTable(ProgramTables &tables) : tables(tables) {}

  mlir::FailureOr<tile_bytecode::Index> index(mlir::Type, mlir::Location);
  mlir::LogicalResult append(mlir::TypeRange, mlir::Location,
                             std::vector<tile_bytecode::Index> &out);

private:
  mlir::FailureOr<tile_bytecode::Type> make(mlir::Type, mlir::Location);

  ProgramTables &tables;
  llvm::DenseMap<mlir::Type, tile_bytecode::Index> known;
};

/// Constants too, which are attributes of the dialect.
class AttributeTable {
public:
  AttributeTable(ProgramTables &tables, TypeTable &types) : tables(tables), types(types) {}

  mlir::FailureOr<tile_bytecode::Index> constant(mlir::DenseElementsAttr, mlir::Location);
  /// An attribute that carries its own kind.
  mlir::FailureOr<tile_bytecode::Attribute> attribute(mlir::Attribute, mlir::Location);
  /// What an instruction has in a column; nothing where the attribute is absent.
  mlir::FailureOr<std::optional<uint64_t>> column(mlir::Operation *,
                                                  const tile_bytecode::AttributeColumn &);

private:
  mlir::FailureOr<tile_bytecode::Attribute>
      dictionary(mlir::DictionaryAttr, tile_bytecode::Attribute::Kind, mlir::Location);

  ProgramTables &tables;
  TypeTable &types;
};

/// Locations, and the debug information that they are made of.
class LocationTable {
public:
  explicit LocationTable(ProgramTables &tables) : tables(tables) {}

  /// The entry of a location; 0 for none. Bytecode cannot hold locations without a scope.
  mlir::FailureOr<uint32_t> index(mlir::Location);

private:
  /// The entry of a part of debug information.
  uint32_t debug(mlir::Attribute);

  ProgramTables &tables;
};

} // namespace tessera::tile_io
