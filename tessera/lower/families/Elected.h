// Elected: what one lane executes for the whole warp.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "mlir/IR/PatternMatch.h"

namespace tessera::lower {

/// Moves the insertion point into a block that only an elected lane enters, in the middle of the
/// block of `op`, which is called by the whole warp. The rest of that block is entered by all.
void enterElected(mlir::RewriterBase &, mlir::Operation *op);

} // namespace tessera::lower
