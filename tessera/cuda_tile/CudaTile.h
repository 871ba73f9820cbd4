// The `cuda_tile` dialect, whole: include this to work with its ops.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/cuda_tile/Version.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "tessera/cuda_tile/Dialect.h.inc"
#include "tessera/cuda_tile/Enums.h.inc"

namespace tessera::cuda_tile {
class AssumePredicate;
class PaddingValueAttr;
class TensorViewType;
class TileType;
} // namespace tessera::cuda_tile

#include "tessera/cuda_tile/AttrInterfaces.h.inc"
#include "tessera/cuda_tile/OpInterfaces.h.inc"
#include "tessera/cuda_tile/TypeInterfaces.h.inc"

#define GET_TYPEDEF_CLASSES
#include "tessera/cuda_tile/Types.h.inc"
#define GET_ATTRDEF_CLASSES
#include "tessera/cuda_tile/Attrs.h.inc"

namespace tessera::cuda_tile {

/// The element type of a tile, and what pointers of a tile point to.
inline mlir::Type elementOf(mlir::Type tile) { return llvm::cast<TileType>(tile).getElementType(); }
inline mlir::Type pointeeOf(mlir::Type tile) {
  return llvm::cast<PointerType>(elementOf(tile)).getPointeeType();
}
inline llvm::ArrayRef<int64_t> shapeOf(mlir::Type tile) {
  return llvm::cast<TileType>(tile).getShape();
}
/// Whether both are tiles of one shape and `value` has the elements that `pointers` points to.
bool pointsTo(mlir::Type pointers, mlir::Type value);
/// Whether the tiles have one shape; true where `other` is null.
bool sameShapeIfAny(mlir::Value tile, mlir::Value other);

/// Whether every number of one floating-point format is one of another, so that a conversion rounds
/// nothing.
bool widens(mlir::Type from, mlir::Type to);

/// Suggests a name for the first result, which all of them are printed under.
void nameResults(mlir::Operation *op, llvm::StringRef text, mlir::OpAsmSetValueNameFn name);

/// Checks of reduce and scan that come before their types are inferred (ops/Reduction.cpp).
llvm::LogicalResult verifyCombines(mlir::Operation *op);
template <class ConcreteOp> class Combines : public mlir::OpTrait::TraitBase<ConcreteOp, Combines> {
public:
  static llvm::LogicalResult verifyTrait(mlir::Operation *op) { return verifyCombines(op); }
};

} // namespace tessera::cuda_tile

#define GET_OP_CLASSES
#include "tessera/cuda_tile/ops/Arithmetic.h.inc"
#define GET_OP_CLASSES
#include "tessera/cuda_tile/ops/Atomics.h.inc"
#define GET_OP_CLASSES
#include "tessera/cuda_tile/ops/Conversion.h.inc"
#define GET_OP_CLASSES
#include "tessera/cuda_tile/ops/Memory.h.inc"
#define GET_OP_CLASSES
#include "tessera/cuda_tile/ops/Mma.h.inc"
#define GET_OP_CLASSES
#include "tessera/cuda_tile/ops/Module.h.inc"
#define GET_OP_CLASSES
#include "tessera/cuda_tile/ops/Reduction.h.inc"
#define GET_OP_CLASSES
#include "tessera/cuda_tile/ops/Shape.h.inc"
#define GET_OP_CLASSES
#include "tessera/cuda_tile/ops/Views.h.inc"
// Terminators name their parents.
#define GET_OP_CLASSES
#include "tessera/cuda_tile/ops/ControlFlow.h.inc"
