// Passes over tile programs.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/cuda_tile/CudaTile.h"

#include "mlir/Pass/Pass.h"

namespace tessera::cuda_tile {

#define GEN_PASS_DECL
#include "tessera/cuda_tile/Passes.h.inc"

/// Makes them known to pipelines by their names.
void registerPasses();

} // namespace tessera::cuda_tile
