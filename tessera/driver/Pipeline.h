// Pipeline: the passes from CuTe IR to the LLVM dialect, in order.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "mlir/Pass/PassManager.h"

#include <string>

namespace tessera::driver {

/// Gate, desugar, expand, lower. `arch` is a target such as sm_90a; with `checkAssumptions` what the layout algebra assumes
/// of run-time values becomes assertions.
void buildPipeline(mlir::OpPassManager &, const std::string &arch, bool checkAssumptions = false);

/// `--tessera-lower=arch=sm_90a`.
void registerPipelines();

} // namespace tessera::driver
