// tessera-opt: mlir-opt with Tessera's dialects and passes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/driver/Registration.h"
#include "tools/version/Version.h"

#include "mlir/IR/DialectRegistry.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/raw_ostream.h"

int main(int argc, char **argv) {
  llvm::cl::SetVersionPrinter(
      [](llvm::raw_ostream &out) { out << tessera::versionText("tessera-opt"); });
  mlir::DialectRegistry registry;
  tessera::driver::registerAllDialects(registry);
  tessera::driver::registerAllPasses();
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, "Tessera's optimizer driver\n", registry));
}
