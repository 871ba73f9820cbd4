// Follow: which types the results of an op have after types of its operands changed.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/base/Result.h"

#include "mlir/IR/Operation.h"

namespace tessera::lower {

/// What is inferred from the operands. Fails with the reason why nothing is; only for an op that
/// infers (InferTypeOpInterface).
Result<llvm::SmallVector<mlir::Type>> inferredTypes(mlir::Operation *op);
/// Whether a result of the inferred type may be stated as the other.
bool areCompatible(mlir::Operation *op, mlir::TypeRange inferred, mlir::TypeRange stated);

/// What is inferred `now`, stated as much weaker as `stated` is than what was inferred `then`: leaf
/// by leaf, where the weaker leaf still holds.
mlir::Type asWeak(mlir::Type now, mlir::Type then, mlir::Type stated);

/// A vector that is one number everywhere has no length of its own: where an op takes it with a
/// tensor or vector of another length than before, it gets one of that length.
void adaptSplats(mlir::Operation *op);

/// Where an op states its results: what these become after its operands had the types `before` and
/// have others now. An atom in the type of a result follows that of an operand, a tensor its
/// layout, a vector its tensor, a leaf the number that fills it; what else was stated stays.
/// `filled` are operands that fill a leaf that is static now, and are to be dropped.
struct Stated {
  llvm::SmallVector<mlir::Type> types;
  llvm::SmallVector<unsigned> filled;
};
Stated statedTypes(mlir::Operation *op, mlir::TypeRange before);

} // namespace tessera::lower
