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

/// The user's choices in the lowering.
struct LoweringChoices {
  /// Whether assumptions of the layout algebra about run-time values are asserted at run time.
  bool checkLayoutAssumptions = false;
  /// Whether two TMA loads fewer are in flight than the ring of buffers has room for
  /// (--tessera-hold-back-loads). This helps some kernels (docs/benchmarks.md), so try both.
  bool holdBackLoads = false;
  /// Whether the code states the source lines that it comes from (tessera/ptx/Lines.h).
  bool lineInfo = true;
  /// How tile programs are compiled: 0 for simple code, 1 for fast code (docs/tile.md).
  int tileLevel = 1;
  /// Whether functions without an instruction are those of NVIDIA's libdevice, which is linked to
  /// the code later, instead of polynomials.
  bool library = false;
  /// Receives the decisions for the kernels of tile programs, unless null.
  std::vector<tile_lower::Explanation> *explanations = nullptr;
};

/// The first step alone: tile programs to kernels of the upstream dialects.
void addTileLowering(mlir::OpPassManager &, const std::string &arch, const LoweringChoices &);

/// Gate, desugar, expand, lower. `arch` is a target such as sm_90a. Passes that only need a
/// function are scheduled on functions, so that these are lowered in parallel if the context has
/// threads.
void buildPipeline(mlir::OpPassManager &, const std::string &arch, const LoweringChoices & = {});

/// Makes the module of an edited file (import::Reading) consistent, and verifies it.
llvm::LogicalResult reinfer(mlir::ModuleOp);

/// `--tessera-lower=arch=sm_90a`.
void registerPipelines();

} // namespace tessera::driver
