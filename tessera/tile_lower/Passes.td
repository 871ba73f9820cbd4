// The pass that compiles tile programs.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TESSERA_TILE_LOWER_PASSES_TD
#define TESSERA_TILE_LOWER_PASSES_TD

include "mlir/Pass/PassBase.td"

def LowerTilePrograms : Pass<"tessera-lower-tiles", "::mlir::ModuleOp"> {
  let summary = "Turns each cuda_tile.module into a gpu.module of kernels";
  let description = [{
    Level 0: a tile block is a block of 128 threads, an element of a tile is held by one thread, and what moves elements between threads goes
    through shared memory. Level 1: products on tensor cores, layouts of tiles that are chosen for the whole kernel, loads that run ahead of
    loops. Kernels have the names and parameters of the entries; how they are launched is in docs/tile.md.
  }];
  let options = [Option<"arch", "arch", "std::string", "\"sm_90a\"", "the target, such as sm_90a">,
                 Option<"level", "level", "int", "1", "0: simple code; 1: fast code">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::cf::ControlFlowDialect", "::mlir::gpu::GPUDialect",
                           "::mlir::LLVM::LLVMDialect", "::mlir::NVVM::NVVMDialect", "::mlir::math::MathDialect",
                           "::tessera::cute::CuteDialect"];
}

#endif
