// tessera-opt: mlir-opt with Tessera's dialects and passes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/driver/Registration.h"
#include "tessera/import/Input.h"
#include "tools/version/Version.h"

#include "mlir/IR/DialectRegistry.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/ToolOutputFile.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace {

/// What MlirOptMain does; the file is read by `asText`.
LogicalResult run(llvm::StringRef input, llvm::StringRef output, DialectRegistry &registry) {
  std::string error;
  std::unique_ptr<llvm::MemoryBuffer> file = openInputFile(input, &error);
  std::unique_ptr<llvm::MemoryBuffer> text;
  if (file) {
    text = tessera::import::asText(*file, registry);
    if (!text)
      return failure();
  }
  std::unique_ptr<llvm::ToolOutputFile> to = file ? openOutputFile(output, &error) : nullptr;
  if (!to) {
    llvm::errs() << error << "\n";
    return failure();
  }
  if (failed(MlirOptMain(to->os(), std::move(text), registry,
                         MlirOptMainConfig::createFromCLOptions())))
    return failure();
  to->keep();
  return success();
}

} // namespace

int main(int argc, char **argv) {
  llvm::cl::SetVersionPrinter(
      [](llvm::raw_ostream &out) { out << tessera::versionText("tessera-opt"); });
  DialectRegistry registry;
  tessera::driver::registerAllDialects(registry);
  tessera::driver::registerAllPasses();
  auto [input, output] =
      registerAndParseCLIOptions(argc, argv, "Tessera's optimizer driver\n", registry);
  MlirOptMainConfig config = MlirOptMainConfig::createFromCLOptions();
  if (config.shouldShowDialects() || config.shouldListPasses())
    return asMainReturnCode(MlirOptMain(argc, argv, input, output, registry));
  llvm::InitLLVM whole(argc, argv);
  return asMainReturnCode(run(input, output, registry));
}
