// One import in a test: contexts, diagnostics and text.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/import/Import.h"

#include "mlir/IR/MLIRContext.h"

#include <string>
#include <vector>

namespace tessera::import::test {

class Session {
public:
  /// `withSpellings`: as programs of this project register them (Spellings.h).
  explicit Session(bool withSpellings = true);

  /// Imports text or bytecode, as the file `test.mlir`. Whether it went well.
  bool read(const std::string &text);
  bool readFile(const std::string &path);

  /// The module in LLVM 22's assembly; `locations` adds them.
  std::string text(bool locations = false);
  mlir::ModuleOp module() { return *imported; }
  /// `test.mlir:3:5: error: ...`, one line each, notes too.
  const std::vector<std::string> &diagnostics() const { return shown; }
  bool shows(const std::string &line) const;
  const Report &report() const { return lastReport; }
  /// Our dialects, for other readers than `read`.
  const mlir::DialectRegistry &own() const { return ownDialects; }

  mlir::MLIRContext context;

private:
  bool import(std::unique_ptr<llvm::MemoryBuffer> buffer);

  mlir::DialectRegistry ownDialects;
  mlir::OwningOpRef<mlir::ModuleOp> imported;
  std::vector<std::string> shown;
  Report lastReport;
};

} // namespace tessera::import::test
