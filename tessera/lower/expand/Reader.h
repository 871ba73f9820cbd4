// Reader: what the values of a function are, for steps that rewrite it in place.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/lower/expand/Expander.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace tessera::lower {

/// Looks through what the algebra step leaves of cute values (make_view, make_tuple, steps of
/// pointers) and through the ops that set fields of atoms. Any other value is opaque: its leaves
/// are taken out beside its definition.
class Reader final : public Expander {
public:
  explicit Reader(mlir::FunctionOpInterface);

  cute::Datum datum(mlir::Value) override;
  mlir::Value value(mlir::Value v) override { return v; }

  /// Calls `visit` with every op, those that dominate others first; code is built before the op.
  /// `visit` may erase an op without regions.
  mlir::LogicalResult walk(llvm::function_ref<mlir::LogicalResult(mlir::Operation *)> visit);

private:
  std::optional<cute::Datum> lookThrough(mlir::Value, mlir::Operation *);
  std::optional<cute::Datum> atomOf(mlir::Operation *);
  mlir::LogicalResult walk(mlir::Block &,
                           llvm::function_ref<mlir::LogicalResult(mlir::Operation *)>);
  mlir::LogicalResult walk(mlir::Region &,
                           llvm::function_ref<mlir::LogicalResult(mlir::Operation *)>);

  mlir::FunctionOpInterface function;
  llvm::DenseMap<mlir::Value, cute::Datum> data;
};

/// What a step of a pointer says of its offset (offsetBitsAttrName).
void knowOffsetBits(mlir::Operation *step, cute::Datum &offset);

/// Where a field stands among those of an atom; said at `op` where it is not lowered.
mlir::FailureOr<size_t> fieldIndex(mlir::Operation *op, mlir::Type atom, mlir::Attribute key);

/// Calls `visit` with the blocks of a region, those that dominate others first; what is computed in
/// one is known in those that it dominates.
mlir::LogicalResult inDominanceOrder(cute::Emit &, mlir::Region &,
                                     llvm::function_ref<mlir::LogicalResult(mlir::Block *)> visit);

} // namespace tessera::lower
