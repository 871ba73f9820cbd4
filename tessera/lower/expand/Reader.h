// Reader: describes the values of a function, for steps that rewrite it in place.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/lower/expand/Expander.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace tessera::lower {

/// Looks through the ops that the algebra step leaves of cute values (make_view, make_tuple, steps
/// of pointers) and through ops that set fields of atoms. Any other value is opaque: its leaves are
/// extracted after its definition.
class Reader final : public Expander {
public:
  explicit Reader(mlir::FunctionOpInterface);

  cute::Datum datum(mlir::Value) override;
  mlir::Value value(mlir::Value v) override { return v; }

  /// Calls `visit` with every op, dominating ops first; code is built before the op. `visit` may
  /// erase an op without regions.
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

/// Takes over what a step of a pointer says about its offset (offsetBitsAttrName).
void knowOffsetBits(mlir::Operation *step, cute::Datum &offset);

/// The index of a field among those of an atom; an error at `op` if it is not lowered.
mlir::FailureOr<size_t> fieldIndex(mlir::Operation *op, mlir::Type atom, mlir::Attribute key);

/// Calls `visit` with the blocks of a region, dominating blocks first. Values computed in a block
/// are reused in the blocks that it dominates.
mlir::LogicalResult inDominanceOrder(cute::Emit &, mlir::Region &,
                                     llvm::function_ref<mlir::LogicalResult(mlir::Block *)> visit);

} // namespace tessera::lower
