// Pipeline: the passes from CuTe IR to the LLVM dialect, in order.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"

#include <string>
#include <vector>

namespace tessera::tile_lower {
struct Explanation;
}

namespace tessera::driver {

/// What a user may choose of the lowering.
struct LoweringChoices {
  /// Whether what the layout algebra assumes of run-time values is asserted at run time.
  bool checkLayoutAssumptions = false;
  /// Whether two TMA loads fewer are in flight than a ring of buffers has room for
  /// (--tessera-hold-back-loads). Pays for some kernels (docs/benchmarks.md), so one tries both.
  bool holdBackLoads = false;
  /// Whether the code says which lines of the source it comes from (tessera/ptx/Lines.h).
  bool lineInfo = true;
  /// How tile programs are compiled: 0 for simple code, 1 for fast code (docs/tile.md).
  int tileLevel = 1;
  /// Whether functions without an instruction are those of NVIDIA's libdevice, which is linked to
  /// the code later, instead of polynomials.
  bool library = false;
  /// Where what was decided of the kernels of tile programs is put, unless null.
  std::vector<tile_lower::Explanation> *explanations = nullptr;
};

/// The first step alone: tile programs to kernels of the upstream dialects.
void addTileLowering(mlir::OpPassManager &, const std::string &arch, const LoweringChoices &);

/// Gate, desugar, expand, lower. `arch` is a target such as sm_90a. What needs nothing but a
/// function is scheduled on functions, so that they are lowered at a time where the context has
/// threads.
void buildPipeline(mlir::OpPassManager &, const std::string &arch, const LoweringChoices & = {});

/// Makes the module of an edited file (import::Reading) consistent, and verifies it.
llvm::LogicalResult reinfer(mlir::ModuleOp);

/// `--tessera-lower=arch=sm_90a`.
void registerPipelines();

} // namespace tessera::driver
