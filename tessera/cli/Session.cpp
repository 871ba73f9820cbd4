// What the subcommands share.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cli/Cli.h"

#include "tessera/base/Printable.h"
#include "tessera/cli/CommandLine.h"
#include "tessera/cli/Content.h"
#include "tessera/import/Input.h"
#include "tessera/import/Version.h"
#include "tessera/program/ShownErrors.h"
#include "tessera/ptx/PtxasLog.h"
#include "tessera/run/CudaDevice.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/WithColor.h"
#include "llvm/Support/raw_ostream.h"

#include <CLI/CLI.hpp>

#include <cstdio>

using namespace tessera;
using namespace tessera::cli;

void tessera::cli::note(const std::string &text) {
  llvm::WithColor::note(llvm::errs()) << printable(text) << "\n";
}

int tessera::cli::exitOf(const Reason &reason, int code) {
  return reason.id == run::errors[size_t(run::Error::HostMemory)].id
             ? int(Exhausted)
             : process::codeOf(reason, code);
}

int tessera::cli::fail(const Reason &reason, int code) {
  code = exitOf(reason, code);
  return reason.text.empty() ? code : fail(reason.text, code);
}

void PrintableStream::write_impl(const char *text, size_t size) { to << printable({text, size}); }

int tessera::cli::writeFile(const std::string &path, std::string_view content) {
  llvm::outs().flush();
  std::fflush(stdout);
  Status written = files::writeFile(path, {content});
  return written ? int(Right) : fail(written.reason());
}

std::unique_ptr<llvm::MemoryBuffer> tessera::cli::readInput(const std::string &path) {
  Result<std::unique_ptr<llvm::MemoryBuffer>> file = import::readFile(path);
  if (file)
    return *std::move(file);
  fail(cat("cannot read ", path, ": ", file.reason().text));
  return nullptr;
}

namespace {
/// Reports in the end how many errors were not shown.
struct ShownErrors : program::ShownErrors {
  ~ShownErrors() {
    if (left())
      note(cat(left(), " more errors of this file are not shown"));
  }
};

/// Where MLIR knows no op of a name, those of the dialect that are nearest.
std::string nearestOps(llvm::StringRef said, mlir::MLIRContext &context) {
  for (llvm::StringRef before : {"unregistered operation '", "custom op '"}) {
    size_t at = said.find(before);
    if (at == said.npos)
      continue;
    llvm::StringRef name = said.substr(at + before.size()).split('\'').first;
    if (mlir::RegisteredOperationName::lookup(name, &context)) // a mistake in its text
      return "";
    std::vector<std::string> known;
    for (mlir::RegisteredOperationName op :
         context.getRegisteredOperationsByDialect(name.split('.').first))
      known.push_back(op.getStringRef().str());
    return nearest(name.str(), known, 1 + name.size() / 8);
  }
  return "";
}
} // namespace

Diagnostics::Diagnostics(llvm::SourceMgr &source, mlir::MLIRContext &context, bool quiet)
    : PrintableStreams(quiet ? llvm::nulls() : llvm::errs()),
      SourceMgrDiagnosticHandler(source, &context, shown), copy(source, &context, stream) {
  // The last one that is set is asked first, and no other after it.
  setHandler([this, errors = std::make_shared<ShownErrors>(), &source,
              &context](mlir::Diagnostic &diagnostic) {
    if (!errors->shows(diagnostic))
      return;
    if (std::string near = nearestOps(diagnostic.str(), context); !near.empty())
      diagnostic.attachNote() << "did you mean " << near << "?";
    if (program::printWithoutPlace(source, diagnostic, shown, shown.has_colors())) {
      program::printWithoutPlace(source, diagnostic, stream, false);
      return;
    }
    emitDiagnostic(diagnostic);
    copy.emitDiagnostic(diagnostic);
  });
}

Session::Session(std::unique_ptr<llvm::MemoryBuffer> input, import::Reading how, bool quiet)
    : diagnostics(source, compiler.context(), quiet) {
  const llvm::MemoryBufferRef file = *input;
  source.AddNewSourceBuffer(std::move(input), llvm::SMLoc());
  if (std::string why = notMlir(file.getBuffer()); !why.empty()) {
    mlir::MLIRContext *context = &compiler.context();
    if (file.getBuffer().take_front(64).contains('\0')) // bytes, not to be shown
      mlir::emitError(mlir::UnknownLoc::get(context)) << why;
    else
      mlir::emitError(mlir::FileLineColLoc::get(context, file.getBufferIdentifier(), 1, 1)) << why;
    return;
  }
  module = compiler.read(source, how);
}

// A minute and 4 GB are what nobody should have to wait for without knowing.
Compiling::Compiling(std::string file)
    : growth({.seconds = process::Seconds(20), .bytes = uint64_t(2) << 30},
             [file = std::move(file)](process::Seconds passed, uint64_t bytes) {
               note(cat("compiling ", file, " has taken ", int64_t(passed.count()), " s and ",
                        bytes >> 20,
                        " MiB so far, and may take minutes and gigabytes; smaller "
                        "tiles, and fewer ops on large ones, make less code, and --timeout sets a "
                        "limit"));
             }) {}

void tessera::cli::addInputVersion(CLI::App &command, import::Reading &how) {
  auto read = [&how](const std::string &name) {
    how.version = import::versionNamed(name);
    if (how.version)
      return;
    std::vector<llvm::StringRef> known;
    for (const import::Version &row : import::versions())
      known.push_back(row.releases);
    throw CLI::ValidationError("--input-version", cat("expects a release of CuTe DSL out of ",
                                                      llvm::join(known, ", "), ", but got ", name));
  };
  command.add_option_function<std::string>("--input-version", read,
                                           "release of CuTe DSL that wrote the file, such as "
                                           "4.3.3, if it is not recognised");
}

void tessera::cli::addReading(CLI::App &command, import::Reading &how) {
  addInputVersion(command, how);
  command.add_flag("--reinfer", how.edited,
                   "a layout, swizzle, tile or atom was changed by hand: infer again what follows "
                   "from it in the file");
}

std::string tessera::cli::chooseArch(const std::string &asked,
                                     const std::optional<std::string> &own) {
  if (!asked.empty())
    return asked;
  if (own) {
    note(cat("compiling for ", *own, ", the target in the file"));
    return *own;
  }
  if (Result<std::unique_ptr<run::Device>> device = run::openCudaDevice()) {
    const run::DeviceInfo &info = (*device)->info();
    // The variant with the GPU's own features, where there is one.
    std::string arch = info.target() + (info.computeMajor >= 9 ? "a" : "");
    note(cat("compiling for ", arch, ", the GPU of this machine (", info.name, ")"));
    return arch;
  }
  note(
      "compiling for sm_90a, as neither the file nor a GPU names a target; choose one with --arch");
  return "sm_90a";
}

void tessera::cli::printTiming(const std::vector<ptx::Part> &parts, const CompileCache &cache) {
  llvm::errs() << "cache: " << printable(cache.verdict()) << "\n";
  double total = 0;
  for (const ptx::Part &part : parts)
    total += part.seconds;
  for (const ptx::Part &part : parts)
    llvm::errs() << llvm::format("%9.1f ms %5.1f %%  ", part.seconds * 1e3,
                                 100 * part.seconds / total)
                 << part.name << "\n";
  llvm::errs() << llvm::format("%9.1f ms          total\n", total * 1e3);
}

void tessera::cli::warnAbout(mlir::MLIRContext &context,
                             const std::vector<driver::KernelSource> &kernels,
                             const std::string &log) {
  auto locationOf = [&](llvm::StringRef text) -> mlir::Location {
    for (const driver::KernelSource &kernel : kernels)
      if (text.contains(kernel.name))
        return kernel.location;
    return mlir::UnknownLoc::get(&context);
  };
  for (const ptx::PtxasReport &report : ptx::parsePtxasLog(log))
    if (report.spills())
      mlir::emitWarning(locationOf(report.function))
          << "ptxas spills " << report.spillStoreBytes << " bytes of stores and "
          << report.spillLoadBytes << " bytes of loads per thread, with " << report.registers
          << " registers; fewer values alive at a time, or smaller tiles, avoid it";
  llvm::SmallVector<llvm::StringRef> lines;
  llvm::StringRef(log).split(lines, '\n');
  for (llvm::StringRef line : lines)
    if (size_t at = line.find("(C75"); at != llvm::StringRef::npos)
      mlir::emitWarning(locationOf(line)) << "ptxas: " << line.substr(at);
}
