// Elected: code that one lane executes for the whole warp.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "mlir/IR/PatternMatch.h"

namespace tessera::lower {

/// Splits the block of `op`, which the whole warp calls, and moves the insertion point into a block
/// between the parts that only an elected lane enters. All lanes enter the second part.
void enterElected(mlir::RewriterBase &, mlir::Operation *op);

} // namespace tessera::lower
