// Verifiers of atomic updates.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cuda_tile/Assembly.h"
#include "tessera/cuda_tile/MemoryOrder.h"

using namespace mlir;
using namespace tessera::cuda_tile;

#define GET_OP_CLASSES
#include "tessera/cuda_tile/ops/Atomics.cpp.inc"

static bool is32or64(Type element) {
  return isa<IntegerType, FloatType>(element) &&
         llvm::is_contained({32u, 64u}, element.getIntOrFloatBitWidth());
}
LogicalResult tessera::cuda_tile::verifyMode(Operation *op, AtomicRMWMode mode, Type element) {
  switch (mode) {
  case AtomicRMWMode::AddF:
    if (!isa<Float16Type, BFloat16Type, Float32Type, Float64Type>(element))
      return refuse(op, Diag::AtomicFloat);
    return success();
  case AtomicRMWMode::Xchg:
    if (!is32or64(element))
      return refuse(op, Diag::AtomicXchg);
    return success();
  default:
    if (!element.isInteger(32) && !element.isInteger(64))
      return refuse(op, Diag::AtomicInt, stringifyAtomicRMWMode(mode));
    return success();
  }
}
static LogicalResult verifyAtomicOrder(Operation *op, MemoryOrderingSemantics order) {
  if (order == MemoryOrderingSemantics::Weak)
    return refuse(op, Diag::AtomicOrder);
  return success();
}
static LogicalResult verifyPointee(Operation *op, Type pointers, StringRef name, Type value) {
  if (pointeeOf(pointers) != elementOf(value))
    return refuse(op, Diag::AtomicPointee, pointeeOf(pointers), name, elementOf(value));
  return success();
}

LogicalResult AtomicRMWTkoOp::verify() {
  return failure(failed(verifyPointee(*this, getPointers().getType(), "arg", getArg().getType())) ||
                 failed(verifyMode(*this, getMode(), elementOf(getArg().getType()))) ||
                 failed(verifyAtomicOrder(*this, getMemoryOrderingSemantics())));
}
LogicalResult AtomicCASTkoOp::verify() {
  if (failed(verifyPointee(*this, getPointers().getType(), "val", getVal().getType())))
    return failure();
  if (!is32or64(elementOf(getVal().getType())))
    return refuse(*this, Diag::AtomicCas);
  return verifyAtomicOrder(*this, getMemoryOrderingSemantics());
}
LogicalResult AtomicRedViewTkoOp::verify() {
  auto view = cast<TileView>(getView().getType());
  TileType tile = view.getTile(), value = cast<TileType>(getValue().getType());
  if (getMemoryOrderingSemantics() != MemoryOrderingSemantics::Relaxed)
    return refuse(*this, Diag::RedOrder);
  if (getMemoryScope() == MemoryScope::System)
    return refuse(*this, Diag::RedScope, stringifyMemoryScope(getMemoryScope()));
  if (getMode() == AtomicRMWMode::Xchg)
    return refuse(*this, Diag::RedXchg);
  if (view.getSparseDim())
    return refuse(*this, Diag::RedGather);
  if (view.getPaddingValue())
    return refuse(*this, Diag::RedPadding);
  if (tile.getElementType() != value.getElementType())
    return refuse(*this, Diag::RedElement, tile.getElementType(), value.getElementType());
  if (tile.getShape() != value.getShape())
    return refuse(*this, Diag::RedShape, tile.getShape(), value.getShape());
  if (getIndex().size() != view.getIndexRank())
    return refuse(*this, Diag::RedIndices, view.getIndexRank(), getIndex().size());
  for (auto [i, index] : llvm::enumerate(getIndex())) {
    if (!shapeOf(index.getType()).empty())
      return refuse(*this, Diag::RedIndexScalar, i, shapeOf(index.getType()));
    if (index.getType() != getIndex().front().getType())
      return refuse(*this, Diag::IndexType, i, getIndex().front().getType(), index.getType());
  }
  return verifyMode(*this, getMode(), value.getElementType());
}
