// cuda-tile-opt: mlir-opt with `cuda_tile` and its passes, by the name that NVIDIA's tests use.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cuda_tile/CudaTile.h"
#include "tessera/cuda_tile/Passes.h"
#include "tools/cuda-tile-opt/TestPasses.h"
#include "tools/mlir/MlirProgram.h"

#include "mlir/IR/DialectRegistry.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/Support/CommandLine.h"

using tessera::cuda_tile::CudaTileDialect;

static llvm::cl::opt<bool>
    warnHints("Wunsupported-hints",
              llvm::cl::desc("Warn of hints that are unknown or out of range"));
static llvm::cl::opt<bool>
    refuseHints("Werr-hints", llvm::cl::desc("Refuse hints that are unknown or out of range"));

static int program(int argc, char **argv) {
  mlir::DialectRegistry registry;
  registry.insert<CudaTileDialect>();
  registry.addExtension(+[](mlir::MLIRContext *, CudaTileDialect *dialect) {
    using Policy = CudaTileDialect::HintPolicy;
    dialect->hintPolicy = refuseHints ? Policy::Error : warnHints ? Policy::Warn : Policy::Ignore;
  });
  mlir::registerTransformsPasses();
  tessera::cuda_tile::registerPasses();
  tessera::registerTilePassesForTests();
  return tessera::optMain(argc, argv, "Runs passes over tile programs\n", registry);
}

int main(int argc, char **argv) {
  return tessera::runMlirProgram(argc, argv, "cuda-tile-opt", program);
}
