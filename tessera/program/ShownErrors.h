// ShownErrors: as many errors of a file as fit on a screen, whatever is wrong with it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "mlir/IR/Diagnostics.h"

namespace tessera::program {

/// Counts errors; whoever shows diagnostics leaves out what comes after the first few, and says in
/// the end how many there were more.
struct ShownErrors {
  static constexpr unsigned limit = 3;
  unsigned seen = 0;

  bool shows(const mlir::Diagnostic &diagnostic) {
    return diagnostic.getSeverity() != mlir::DiagnosticSeverity::Error || ++seen <= limit;
  }
  unsigned left() const { return seen > limit ? seen - limit : 0; }
};

} // namespace tessera::program
