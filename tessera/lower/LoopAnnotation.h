// LoopAnnotation: the LLVM loop metadata that asks for full unrolling.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "mlir/IR/Operation.h"

namespace tessera::lower {

/// The attribute that scf-to-cf passes on to the loop's back edge.
inline constexpr llvm::StringLiteral loopAnnotationName = "llvm.loop_annotation";

/// Asks for full unrolling.
mlir::Attribute fullUnroll(mlir::MLIRContext *);
/// Whether a loop carries such a request.
bool wantsFullUnroll(mlir::Operation *loop);

} // namespace tessera::lower
