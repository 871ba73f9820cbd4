// The files of $TESSERA_CORPUS, and a quiet way to read them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/driver/Compiler.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/SourceMgr.h"

#include <filesystem>
#include <string>
#include <vector>

namespace tessera::driver::test {

/// The folder, null if the variable is not set.
inline const char *corpus() { return std::getenv("TESSERA_CORPUS"); }

/// The text of a file, which xz unpacks where it has to; empty after errors.
std::string textOf(const std::filesystem::path &);

/// The `input*.mlir` of all kernels, in order.
std::vector<std::filesystem::path> corpusFiles();

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
