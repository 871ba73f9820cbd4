// GpuOps: ops of the gpu dialect within kernels.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace tessera::lower {

/// Replaces indices of threads, blocks and clusters, shuffles of 16, 32 and 64 bits, and barriers
/// by NVVM ops. Other ops of the dialect stay.
void lowerGpuOps(mlir::gpu::GPUModuleOp module);

} // namespace tessera::lower
