// Whether hints to the compiler are known and in range.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/cuda_tile/CudaTile.h"

namespace tessera::cuda_tile::hints {

/// Which ops take a hint.
enum Place : unsigned {
  Entry = 1,
  View = 2,
  Pointer = 4
};

/// Reports as the dialect's policy says; fails only where hints are errors.
llvm::LogicalResult verify(mlir::Operation *op, OptimizationHintsAttr attr, unsigned place);

} // namespace tessera::cuda_tile::hints
