// Follow: the result types of an op after the types of its operands changed.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/base/Result.h"

#include "mlir/IR/Operation.h"

namespace tessera::lower {

/// The result types inferred from the operands, or the reason why nothing is inferred. Only for an
/// op that infers (InferTypeOpInterface).
Result<llvm::SmallVector<mlir::Type>> inferredTypes(mlir::Operation *op);
/// Whether a result of the inferred type may be stated as the other.
bool areCompatible(mlir::Operation *op, mlir::TypeRange inferred, mlir::TypeRange stated);

/// The type `now`, weakened as `stated` is weaker than `then`, the type that was inferred before:
/// leaf by leaf, where the weaker leaf still holds.
mlir::Type asWeak(mlir::Type now, mlir::Type then, mlir::Type stated);

/// A vector with equal elements has no length of its own. If an op combines it with a tensor or
/// vector whose length changed, it gets that length.
void adaptSplats(mlir::Operation *op);

/// For an op that states its results: their types after its operands' types changed from `before`
/// to the present ones. An atom in a result type follows that of an operand, a tensor its layout, a
/// vector its tensor, a leaf the number that fills it; everything else stays as stated. `filled`
/// are operands that filled a leaf which is static now, and must be dropped.
struct Stated {
  llvm::SmallVector<mlir::Type> types;
  llvm::SmallVector<unsigned> filled;
};
Stated statedTypes(mlir::Operation *op, mlir::TypeRange before);

/// Whether statedTypes() makes all results of such an op from its operands alone: then what it
/// states is not a definition.
bool makesResults(mlir::Operation *op);

} // namespace tessera::lower
