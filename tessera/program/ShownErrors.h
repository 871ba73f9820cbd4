// ShownErrors: errors of a file as people see them: a screen of them, each with its file.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Location.h"
#include "llvm/Support/SourceMgr.h"

namespace tessera::program {

/// Counts errors. The code that shows diagnostics leaves out those after the first few, and says at
/// the end how many more there were.
struct ShownErrors {
  static constexpr unsigned limit = 3;
  unsigned seen = 0;

  bool shows(const mlir::Diagnostic &diagnostic) {
    return diagnostic.getSeverity() != mlir::DiagnosticSeverity::Error || ++seen <= limit;
  }
  unsigned left() const { return seen > limit ? seen - limit : 0; }
};

/// Prints an error or warning that has no place in the file, as bytecode has none, after the file's
/// name. Returns false, and prints nothing, if it has a place.
inline bool printWithoutPlace(const llvm::SourceMgr &source, const mlir::Diagnostic &diagnostic,
                              llvm::raw_ostream &to, bool inColour) {
  if (!llvm::isa<mlir::UnknownLoc>(diagnostic.getLocation()) || !diagnostic.getNotes().empty())
    return false;
  const auto kind =
      diagnostic.getSeverity() == mlir::DiagnosticSeverity::Error     ? llvm::SourceMgr::DK_Error
      : diagnostic.getSeverity() == mlir::DiagnosticSeverity::Warning ? llvm::SourceMgr::DK_Warning
                                                                      : llvm::SourceMgr::DK_Remark;
  llvm::StringRef file = source.getMemoryBuffer(source.getMainFileID())->getBufferIdentifier();
  llvm::SMDiagnostic(file, kind, diagnostic.str()).print(nullptr, to, inColour);
  return true;
}

} // namespace tessera::program
