// ShownErrors: limits the errors of a file to as many as fit on a screen.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "mlir/IR/Diagnostics.h"

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

} // namespace tessera::program
