// tessera-reduce: mlir-reduce with Tessera's dialects and passes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/driver/Registration.h"
#include "tessera/import/Input.h"
#include "tools/version/Version.h"

#include "mlir/Bytecode/BytecodeReader.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Tools/mlir-reduce/MlirReduceMain.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/raw_ostream.h"

namespace {

/// Whether the file that is named may be given to MLIR's parser. Errors went to stderr.
bool isSafe(int argc, char **argv, const mlir::DialectRegistry &registry) {
  for (int i = 1; i < argc; ++i) {
    if (argv[i][0] == '-')
      continue;
    auto file = llvm::MemoryBuffer::getFile(argv[i]);
    if (!file)
      continue;
    if (mlir::isBytecode(**file)) {
      llvm::errs() << argv[i]
                   << ": expects a text of MLIR, but got bytecode; write it as text "
                      "with tessera-opt first\n";
      return false;
    }
    if (!tessera::import::asText(**file, registry))
      return false;
  }
  return true;
}

} // namespace

int main(int argc, char **argv) {
  llvm::cl::SetVersionPrinter(
      [](llvm::raw_ostream &out) { out << tessera::versionText("tessera-reduce"); });
  mlir::DialectRegistry registry;
  tessera::driver::registerAllDialects(registry);
  tessera::driver::registerAllPasses();
  mlir::MLIRContext context(registry);
  if (!isSafe(argc, argv, registry))
    return 1;
  return mlir::failed(mlir::mlirReduceMain(argc, argv, context)) ? 1 : 0;
}
