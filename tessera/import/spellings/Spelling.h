// Spelling: texts of `cute` that differ from ours, as rows.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A parser of the dialect asks where a text departs from ours (tessera/cute/Spellings.h). The rows
// that fit the place are tried, those of the op by name before those of any op, in the order of
// `spellings`; the first that knows the text reads it. All rows are tried in every version
// (tessera/import/Version.h). A further spelling is one more file with its table, and its name here
// and in Spellings.cpp.
#pragma once

#include "tessera/cute/Assembly.h"

namespace tessera::import {

/// Values: the text between `<` and `>`, for the forms that are listed.
struct ValueRow {
  std::initializer_list<cute::ValueForm> forms;
  mlir::OptionalParseResult (*read)(mlir::AsmParser &, cute::ValueForm, std::string &text);
};

/// Address spaces by number.
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
/// The reader of a departure that adds no text of its own.
mlir::OptionalParseResult permit(mlir::OpAsmParser &, mlir::OperationState &, cute::ParsedOp &);

/// Ops under another name, otherwise as ours.
struct NameRow {
  llvm::StringLiteral name, ours;
};

/// Types under another name, otherwise as ours.
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

/// All of them.
llvm::ArrayRef<Spelling> spellings();

} // namespace tessera::import
