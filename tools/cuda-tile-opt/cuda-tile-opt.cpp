// cuda-tile-opt: mlir-opt with `cuda_tile` and its passes, by the name that NVIDIA's tests use.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cuda_tile/Passes.h"
#include "tools/cuda-tile-opt/HintFlags.h"
#include "tools/cuda-tile-opt/TestPasses.h"
#include "tools/mlir/MlirProgram.h"

#include "mlir/Transforms/Passes.h"

static int program(int argc, char **argv) {
  mlir::DialectRegistry registry;
  tessera::registerTileDialect(registry);
  mlir::registerTransformsPasses();
  tessera::cuda_tile::registerPasses();
  tessera::registerTilePassesForTests();
  return tessera::optMain(argc, argv, "Runs passes over tile programs\n", registry);
}

int main(int argc, char **argv) {
  return tessera::runMlirProgram(argc, argv, "cuda-tile-opt", program);
}
