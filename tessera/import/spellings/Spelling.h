// Spelling: texts of `cute` that differ from ours, as rows.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A parser of the dialect calls this where a text departs from ours (tessera/cute/Spellings.h). The
// rows that fit the place are tried in the order of `spellings`, those for the op's name before
// those for any op; the first that knows the text reads it. All rows are tried in every version
// (tessera/import/Version.h). To add a spelling, add a file with its table, and name it here and in
// Spellings.cpp.
#pragma once

#include "tessera/cute/Assembly.h"

namespace tessera::import {

/// Values: the text between `<` and `>`, for the listed forms.
struct ValueRow {
  std::initializer_list<cute::ValueForm> forms;
  mlir::OptionalParseResult (*read)(mlir::AsmParser &, cute::ValueForm, std::string &text);
};

/// Address spaces by their numbers.
struct SpaceRow {
  int64_t number;
  cute::AddressSpace space;
};

using DepartureReader = mlir::OptionalParseResult (*)(mlir::OpAsmParser &, mlir::OperationState &,
                                                      cute::ParsedOp &);
/// Texts of ops.
struct OpRow {
  llvm::StringLiteral op;
  cute::Departure where;
  DepartureReader read;
};
/// The op of a row that applies to all ops whose form is a specification (tessera/cute/Assembly.h).
inline constexpr llvm::StringLiteral anyOp = "";
/// A reader that accepts a departure and adds no text of its own.
mlir::OptionalParseResult permit(mlir::OpAsmParser &, mlir::OperationState &, cute::ParsedOp &);

/// Ops with another name, otherwise as ours.
struct NameRow {
  llvm::StringLiteral name, ours;
};

/// Types with another name, otherwise as ours.
struct TypeRow {
  llvm::StringLiteral name;
  cute::Spellings::TypeParser parse;
};

struct Spelling {
  llvm::ArrayRef<ValueRow> values = {};
  llvm::ArrayRef<SpaceRow> spaces = {};
  llvm::ArrayRef<OpRow> ops = {};
  llvm::ArrayRef<NameRow> names = {};
  llvm::ArrayRef<TypeRow> types = {};
};

Spelling specification(); ///< docs/specification/types-and-ops.md#notation
Spelling dsl41();         ///< CuTe DSL before 4.3, where it differs from 4.3
Spelling dsl43();         ///< CuTe DSL 4.3 and later
Spelling dsl45();         ///< CuTe DSL 4.5 and later, where it differs from 4.3

/// All of them.
llvm::ArrayRef<Spelling> spellings();

} // namespace tessera::import
