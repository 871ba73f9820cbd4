// Captured: diagnostics of one attempt to read a file, kept until it is clear which attempt counts.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "mlir/IR/Diagnostics.h"

#include <optional>
#include <string>
#include <vector>

namespace tessera::import {

/// A line and a column, both from 1.
using Position = std::pair<unsigned, unsigned>;

class Captured {
public:
  /// Takes what `context` reports, from now until this object goes away.
  explicit Captured(mlir::MLIRContext *context);

  bool hasErrors() const;
  /// The position of the last error; (0, 0) if there is none or it is not in a file.
  Position lastError() const;
  /// The text of the first error; empty if there is none.
  llvm::StringRef firstError() const;
  /// Stops taking diagnostics.
  void release() { handler.reset(); }
  /// Shows everything through the handlers of `target`, which may be another context
  /// than the one captured from: locations are built again there. `notes` go to the first error.
  void replay(mlir::MLIRContext *target, llvm::ArrayRef<std::string> notes = {}) const;

private:
  struct Message {
    mlir::DiagnosticSeverity severity;
    Position position;
    std::string location, text;
    std::vector<Message> notes;
  };
  static Message read(mlir::Diagnostic &diagnostic);

  std::vector<Message> messages;
  std::optional<mlir::ScopedDiagnosticHandler> handler;
};

} // namespace tessera::import
