// AtomText: parts of the texts of atom types that several families share.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/cute_nvgpu/AtomForms.h"

namespace tessera::cute_nvgpu {

/// 16x8x16
mlir::ParseResult parseShapeMnk(mlir::AsmParser &, ShapeMnk &);
void printShapeMnk(mlir::AsmPrinter &, const ShapeMnk &);

/// Reads `, key = value` groups as long as `read` accepts them; it is called after `key =`. A key
/// in `flags` has no value.
mlir::ParseResult parseOptions(mlir::AsmParser &,
                               llvm::function_ref<mlir::FailureOr<bool>(llvm::StringRef)> read,
                               llvm::ArrayRef<llvm::StringRef> flags = {});
/// Reads a keyword of an enum, between `<` and `>` or bare.
template <atom::Spelled Enum>
mlir::FailureOr<bool> parseCase(mlir::AsmParser &parser, Enum &value) {
  bool bracketed = succeeded(parser.parseOptionalLess());
  mlir::FailureOr<Enum> parsed = mlir::FieldParser<Enum>::parse(parser);
  if (failed(parsed) || (bracketed && parser.parseGreater()))
    return mlir::failure();
  value = *parsed;
  return true;
}

/// `, int_overflow = <satfinite>`
mlir::ParseResult parseOverflowOption(mlir::AsmParser &, atom::Overflow &);
void printOverflowOption(mlir::AsmPrinter &, atom::Overflow);

/// `mcast = true`
mlir::ParseResult parseMulticast(mlir::AsmParser &, bool &multicast);
void printMulticast(mlir::AsmPrinter &, bool multicast);

} // namespace tessera::cute_nvgpu
