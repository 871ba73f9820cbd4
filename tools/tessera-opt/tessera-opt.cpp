// tessera-opt: mlir-opt with Tessera's dialects and passes, which also reads what CuTe DSL prints.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/driver/Input.h"
#include "tessera/driver/Registration.h"
#include "tessera/import/ForeignContext.h"
#include "tessera/import/Version.h"
#include "tools/mlir/MlirProgram.h"

#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "llvm/Support/CommandLine.h"

static const tessera::import::Version *inputVersion = nullptr;
static bool edited = false;

/// `--input-version NAME`, which MLIR's parser of command lines reads.
struct VersionParser : llvm::cl::parser<const tessera::import::Version *> {
  using llvm::cl::parser<const tessera::import::Version *>::parser;
  bool parse(llvm::cl::Option &option, llvm::StringRef, llvm::StringRef name,
             const tessera::import::Version *&version) {
    version = tessera::import::versionNamed(name);
    return !version && option.error("no release of CuTe DSL is called '" + name + "'");
  }
};

/// The dialects that upstream's driver reads with.
static mlir::DialectRegistry *dialects = nullptr;

/// Tests of diagnostics and of several inputs are read as they are written.
static tessera::Input read(std::unique_ptr<llvm::MemoryBuffer> text, mlir::MLIRContext *context,
                           const mlir::MlirOptMainConfig &config) {
  if (tessera::import::hasRatios(text->getBuffer()))
    tessera::import::readRatios(*dialects);
  if (config.shouldVerifyDiagnostics() || !config.inputSplitMarker().empty())
    return {std::move(text), {}};
  const tessera::import::Reading how{inputVersion, edited};
  if (!context)
    return {tessera::driver::inOurSpelling(std::move(text), how), {}};
  tessera::driver::Input input = tessera::driver::read(std::move(text), *context, how);
  return {std::move(input.text), std::move(input.module)};
}

static int program(int argc, char **argv) {
  llvm::cl::opt<const tessera::import::Version *, true, VersionParser> version(
      "input-version", llvm::cl::location(inputVersion),
      llvm::cl::desc("Release of CuTe DSL that wrote the file, if it is not recognised"));
  // The parser that comes next refuses what this pass is for, so it runs while the file is read.
  edited = llvm::any_of(llvm::ArrayRef(argv, size_t(argc)), [](const char *argument) {
    return llvm::StringRef(argument).contains("cute-reinfer");
  });
  mlir::DialectRegistry registry;
  dialects = &registry;
  tessera::driver::registerAllDialects(registry);
  tessera::driver::registerAllPasses();
  return tessera::optMain(argc, argv, "Tessera's optimizer driver\n", registry, read);
}

int main(int argc, char **argv) {
  return tessera::runMlirProgram(argc, argv, "tessera-opt", program);
}
