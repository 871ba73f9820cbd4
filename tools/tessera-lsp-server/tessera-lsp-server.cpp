// tessera-lsp-server: what an editor asks about CuTe IR: diagnostics, completion, definitions, and
// hovers that know layouts.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/driver/Registration.h"
#include "tessera/lsp/Server.h"
#include "tools/version/Version.h"

#include "mlir/IR/DialectRegistry.h"
#include "mlir/Tools/mlir-lsp-server/MlirLspServerMain.h"

int main(int argc, char **argv) {
  if (tessera::saidVersion(argc, argv, "tessera-lsp-server"))
    return 0;
  return tessera::lsp::serve([&] {
    mlir::DialectRegistry registry;
    tessera::driver::registerAllDialects(registry);
    return mlir::failed(mlir::MlirLspServerMain(argc, argv, registry)) ? 1 : 0;
  });
}
