// A quiet way to read files.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "test/files/Corpus.h"

#include "tessera/driver/Compiler.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/SourceMgr.h"

#include <filesystem>
#include <string>

namespace tessera::driver::test {

using namespace tessera::test;

/// One file in a compiler of its own; what went wrong is kept.
class Reading {
public:
  explicit Reading(const std::filesystem::path &);
  /// From text.
  Reading(const std::string &text, const std::string &name, bool edited = false);

  Compiler compiler;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::string errors;

private:
  void read(std::unique_ptr<llvm::MemoryBuffer>, bool edited = false);
  mlir::ScopedDiagnosticHandler handler;
};

} // namespace tessera::driver::test
