// Cli: the subcommands of `tessera`.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/base/Result.h"
#include "tessera/driver/Compiler.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/SourceMgr.h"

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace tessera::cli {

/// What the process returns.
enum Exit : int { Right = 0, Differs = 1, BadInput = 2, NoDevice = 3 };

/// Each adds a subcommand that leaves its exit code in `exit` when it was chosen.
void addCompile(CLI::App &, int &exit);
void addRun(CLI::App &, int &exit);
void addDevices(CLI::App &, int &exit);
void addAtoms(CLI::App &, int &exit);
void addLayout(CLI::App &, int &exit);
void addGenerate(CLI::App &, int &exit);

/// "error: <text>" on stderr.
int fail(const std::string &text, int code = BadInput);
void note(const std::string &text);
/// Writes a file, or stdout if `path` is "-"; returns an exit code, errors went to stderr.
int writeFile(const std::string &path, std::string_view content);

/// A file being compiled: its text, which diagnostics quote, and its module.
class Session {
public:
  /// Reads and parses; null module after errors, which went to stderr.
  explicit Session(const std::string &path);

  driver::Compiler compiler;
  mlir::OwningOpRef<mlir::ModuleOp> module;

private:
  llvm::SourceMgr source;
  mlir::SourceMgrDiagnosticHandler handler;
};

/// `asked`; without it the file's own target, else that of the GPU at hand, else sm_90a. Says on stderr which and
/// why unless it was asked for.
std::string chooseArch(const std::string &asked, mlir::ModuleOp);

/// A table of the parts with their share, on stderr.
void printTiming(const std::vector<ptx::Part> &);

/// Spills and performance notes of ptxas as warnings on the kernels' lines.
void warnAbout(mlir::MLIRContext &, const std::vector<driver::KernelSource> &, const std::string &ptxasLog);

} // namespace tessera::cli
