// Cli: the subcommands of `tessera`.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/base/Result.h"
#include "tessera/cli/CompileCache.h"
#include "tessera/driver/Compiler.h"
#include "tessera/files/OutputFile.h"
#include "tessera/process/Growth.h"
#include "tessera/process/Process.h"
#include "tessera/run/Device.h"
#include "tessera/sim/Machine.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace tessera::cli {

using enum process::Exit;
/// Prints "error: <text>" on stderr and returns the code.
using process::fail;

/// Each adds a subcommand, which stores its exit code in `exit` when it was chosen.
void addCompile(CLI::App &, int &exit);
void addRun(CLI::App &, int &exit);
void addDevices(CLI::App &, int &exit);
void addAtoms(CLI::App &, int &exit);
void addLayout(CLI::App &, int &exit);
void addGenerate(CLI::App &, int &exit);
void addSim(CLI::App &, int &exit);
void addTile(CLI::App &, int &exit);
void addTune(CLI::App &, int &exit);
void addCalibrate(CLI::App &, int &exit);

/// The first GPU; for "sim" the simulator, with an observer, which may be null.
Result<std::unique_ptr<run::Device>> openDevice(const std::string &name,
                                                const sim::Limits &limits = {},
                                                std::shared_ptr<sim::Observer> observer = nullptr);

/// The exit code for a reason: process::codeOf's, or Exhausted for a tensor that the host has no
/// memory for.
int exitOf(const Reason &, int code = BadInput);
/// Prints the reason's text, if it has one, and returns its code.
int fail(const Reason &, int code = BadInput);
void note(const std::string &text);
/// Writes a file, or stdout if `path` is "-", after earlier output. Returns an exit code; errors go
/// to stderr.
int writeFile(const std::string &path, std::string_view content);

/// import::readFile; null after an error, which went to stderr.
std::unique_ptr<llvm::MemoryBuffer> readInput(const std::string &path);

/// A stream that passes text on as `printable` shows it. Colours are kept.
class PrintableStream final : public llvm::raw_ostream {
public:
  explicit PrintableStream(llvm::raw_ostream &to) : raw_ostream(/*unbuffered=*/true), to(to) {}
  bool is_displayed() const override { return to.is_displayed(); }
  bool has_colors() const override { return to.has_colors(); }
  raw_ostream &changeColor(enum Colors colour, bool bold, bool background) override {
    to.changeColor(colour, bold, background);
    return *this;
  }
  raw_ostream &resetColor() override {
    to.resetColor();
    return *this;
  }

private:
  void write_impl(const char *text, size_t size) override;
  uint64_t current_pos() const override { return to.tell(); }

  llvm::raw_ostream &to;
};

/// The streams for diagnostics; a base class, so that they exist before the handler that uses them.
struct PrintableStreams {
  explicit PrintableStreams(llvm::raw_ostream &to) : shown(to) {}
  PrintableStream shown;
  std::string kept;
  llvm::raw_string_ostream raw{kept};
  PrintableStream stream{raw};
};

/// Prints diagnostics on stderr as they come, unless quiet, and keeps the same text without
/// colours.
class Diagnostics final : PrintableStreams, public mlir::SourceMgrDiagnosticHandler {
public:
  Diagnostics(llvm::SourceMgr &, mlir::MLIRContext &, bool quiet = false);
  const std::string &text() const { return kept; }

private:
  struct Copy final : mlir::SourceMgrDiagnosticHandler {
    using SourceMgrDiagnosticHandler::emitDiagnostic;
    using SourceMgrDiagnosticHandler::SourceMgrDiagnosticHandler;
  };
  Copy copy;
};

/// A file being compiled: its text, which diagnostics quote, and its module. The constructor loads
/// all dialects.
class Session {
public:
  /// Parses; null module after errors, which went to stderr. A quiet session only keeps the
  /// diagnostics.
  explicit Session(std::unique_ptr<llvm::MemoryBuffer> input, import::Reading how = {},
                   bool quiet = false);

  /// The diagnostics so far.
  const std::string &said() const { return diagnostics.text(); }

  driver::Compiler compiler;
  mlir::OwningOpRef<mlir::ModuleOp> module;

private:
  llvm::SourceMgr source;
  Diagnostics diagnostics;
};

/// While it lives: says once on stderr that compiling a file takes long, or much memory.
class Compiling {
public:
  explicit Compiling(std::string file);

private:
  process::Growth growth;
};

/// --input-version, for a program whose file's version is not recognised.
void addInputVersion(CLI::App &, import::Reading &);
/// The same, and --reinfer.
void addReading(CLI::App &, import::Reading &);

/// `asked`; without it `own`, the file's target, else that of the available GPU, else sm_90a.
/// Unless it was asked for, stderr says which target is used and why.
std::string chooseArch(const std::string &asked, const std::optional<std::string> &own);

/// Prints a table of the parts with their shares, and the cache's verdict, on stderr.
void printTiming(const std::vector<ptx::Part> &, const CompileCache &);

/// Reports spills and performance notes of ptxas as warnings at the kernels' lines.
void warnAbout(mlir::MLIRContext &, const std::vector<driver::KernelSource> &,
               const std::string &ptxasLog);

} // namespace tessera::cli
