// TiledCopies: what an edited tiled copy leaves out.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "mlir/IR/BuiltinOps.h"

namespace tessera::lower {

/// Warns of each type of a tiled copy whose threads and values do not reach all elements of its
/// tile, or reach past it. CuTe forbids neither: kernels may mean it.
void warnOfUnreached(mlir::ModuleOp module);

} // namespace tessera::lower
