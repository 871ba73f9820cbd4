// AtomLoops: copies, prefetches and matrix multiplications as loops over calls of their atom.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/cute/Cute.h"

#include "mlir/IR/PatternMatch.h"

namespace tessera::lower {

/// Rewrites a copy as one loop over the rest modes, marked for full unrolling.
mlir::LogicalResult rewriteCopy(mlir::IRRewriter &, cute::CopyOp);
/// Whether the operands of a call are those of one execution of its atom.
bool isOneCall(cute::CopyAtomCallOp);
/// Likewise a call whose operands are those of several; one call stays.
mlir::LogicalResult rewriteCopyCall(mlir::IRRewriter &, cute::CopyAtomCallOp);
mlir::LogicalResult rewritePrefetch(mlir::IRRewriter &, cute::PrefetchOp);
/// Rewrites a product as loops over K, then M, then N, marked for full unrolling.
mlir::LogicalResult rewriteGemm(mlir::IRRewriter &, cute::GemmOp);

/// Fails, at the op, if `root` still contains one of these. `pass` is the pass that needs it.
mlir::LogicalResult expectDesugared(mlir::Operation *root, llvm::StringRef pass);

} // namespace tessera::lower
