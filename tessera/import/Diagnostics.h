// Diagnostics of import/: the rows of Diagnostics.def.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/FormatVariadic.h"

namespace tessera::import {

enum class Diag : uint8_t {
#define DIAGNOSTIC(id, text, help) id,
#include "tessera/import/Diagnostics.def"
#undef DIAGNOSTIC
};

llvm::StringRef text(Diag);
/// What to do next; empty if the sentence says it already.
llvm::StringRef help(Diag);

/// The sentence of a row, with {0}, {1}, ... replaced.
template <class... Pieces> std::string sentence(Diag diag, const Pieces &...pieces) {
  return llvm::formatv(/*Validate=*/false, text(diag).data(), pieces...).str();
}

/// Reports at `location` and fails: `return refuse(loc, Diag::NoRow, name);`
template <class... Pieces>
mlir::InFlightDiagnostic refuse(mlir::Location location, Diag diag, const Pieces &...pieces) {
  mlir::InFlightDiagnostic report = mlir::emitError(location, sentence(diag, pieces...));
  if (!help(diag).empty())
    report.attachNote() << help(diag);
  return report;
}

} // namespace tessera::import
