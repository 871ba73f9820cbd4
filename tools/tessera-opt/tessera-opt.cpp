// tessera-opt: mlir-opt with Tessera's dialects and passes, which also reads what CuTe DSL prints.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/driver/Input.h"
#include "tessera/driver/Registration.h"
#include "tessera/files/Cleanup.h"
#include "tessera/files/OutputFile.h"
#include "tessera/import/Input.h"
#include "tessera/import/Version.h"
#include "tools/version/Version.h"

#include "mlir/IR/DialectRegistry.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/WithColor.h"
#include "llvm/Support/raw_ostream.h"

static const tessera::import::Version *inputVersion = nullptr;

/// `--input-version NAME`, which MLIR's parser of command lines reads.
struct VersionParser : llvm::cl::parser<const tessera::import::Version *> {
  using llvm::cl::parser<const tessera::import::Version *>::parser;
  bool parse(llvm::cl::Option &option, llvm::StringRef, llvm::StringRef name,
             const tessera::import::Version *&version) {
    version = tessera::import::versionNamed(name);
    return !version && option.error("no release of CuTe DSL is called '" + name + "'");
  }
};

/// What mlir::MlirOptMain does from the names of files on: bytecode is read by `asText`, and files
/// are whole at both ends.
static int optimise(const std::string &from, const std::string &to, mlir::DialectRegistry &registry,
                    const mlir::MlirOptMainConfig &config, bool edited) {
  auto file = from == "-" ? llvm::MemoryBuffer::getSTDIN()
                          : llvm::MemoryBuffer::getFile(from, /*IsText=*/false,
                                                        /*RequiresNullTerminator=*/true,
                                                        /*IsVolatile=*/true);
  if (!file) {
    llvm::WithColor::error() << "cannot open input file '" << from
                             << "': " << file.getError().message() << "\n";
    return EXIT_FAILURE;
  }
  std::unique_ptr<llvm::MemoryBuffer> input = tessera::import::asText(**file, registry);
  // Tests of diagnostics and of several inputs are read as they are written.
  bool asWritten = config.shouldVerifyDiagnostics() || !config.inputSplitMarker().empty();
  if (input && !asWritten)
    input = tessera::driver::inOurSpelling(std::move(input), {inputVersion, edited});
  if (!input)
    return EXIT_FAILURE;
  std::string text;
  llvm::raw_string_ostream out(text);
  bool right = mlir::succeeded(mlir::MlirOptMain(out, std::move(input), registry, config));
  // What came out before an error is for the terminal, not for a file.
  if (right || to == "-") {
    llvm::outs().flush();
    if (tessera::Status written = tessera::files::writeFile(to, {text}); !written) {
      llvm::WithColor::error() << written.reason().text << "\n";
      return tessera::files::cannotWrite;
    }
  }
  return right ? EXIT_SUCCESS : EXIT_FAILURE;
}

int main(int argc, char **argv) {
  llvm::InitLLVM llvm(argc, argv);
  tessera::files::prepareProcess();
  llvm::cl::SetVersionPrinter(
      [](llvm::raw_ostream &out) { out << tessera::versionText("tessera-opt"); });
  llvm::cl::opt<const tessera::import::Version *, true, VersionParser> version(
      "input-version", llvm::cl::location(inputVersion),
      llvm::cl::desc("Release of CuTe DSL that wrote the file, if it is not recognised"));
  mlir::DialectRegistry registry;
  tessera::driver::registerAllDialects(registry);
  tessera::driver::registerAllPasses();
  auto [from, to] =
      mlir::registerAndParseCLIOptions(argc, argv, "Tessera's optimizer driver\n", registry);
  // An error about a module would print it whole.
  constexpr llvm::StringLiteral printsOps = "mlir-print-op-on-diagnostic";
  if (llvm::cl::Option *prints = llvm::cl::getRegisteredOptions().lookup(printsOps);
      prints && !prints->getNumOccurrences())
    prints->addOccurrence(0, printsOps, "false");
  mlir::MlirOptMainConfig config = mlir::MlirOptMainConfig::createFromCLOptions();
  if (config.shouldShowDialects() || config.shouldListPasses())
    return mlir::asMainReturnCode(mlir::MlirOptMain(argc, argv, from, to, registry));
  // The parser that comes next refuses what this pass is for, so it runs while the file is read.
  bool edited = llvm::any_of(llvm::ArrayRef(argv, size_t(argc)), [](const char *argument) {
    return llvm::StringRef(argument).contains("cute-reinfer");
  });
  return optimise(from, to, registry, config, edited);
}
