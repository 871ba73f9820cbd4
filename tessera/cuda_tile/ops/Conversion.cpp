// Verifiers of conversions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cuda_tile/Assembly.h"

using namespace mlir;
using namespace tessera::cuda_tile;

#define GET_OP_CLASSES
#include "tessera/cuda_tile/ops/Conversion.cpp.inc"

/// Bits of an element as memory and registers hold it; tf32 is kept in 32.
static unsigned widthOf(Type element) {
  if (isa<Float8E5M3FNUType>(element))
    return 8;
  if (isa<FloatTF32Type>(element))
    return 32;
  return element.getIntOrFloatBitWidth();
}
bool tessera::cuda_tile::widens(Type from, Type to) {
  auto source = dyn_cast<FloatType>(from), result = dyn_cast<FloatType>(to);
  if (!source || !result)
    return false;
  const llvm::fltSemantics &s = source.getFloatSemantics(), &r = result.getFloatSemantics();
  using F = llvm::APFloatBase;
  return F::semanticsPrecision(s) <= F::semanticsPrecision(r) &&
         F::semanticsMaxExponent(s) <= F::semanticsMaxExponent(r) &&
         F::semanticsMinExponent(s) >= F::semanticsMinExponent(r);
}

LogicalResult ExtIOp::verify() {
  Type from = elementOf(getFrom().getType()), to = elementOf(getTo().getType());
  if (widthOf(from) >= widthOf(to))
    return refuse(*this, Diag::ExtWider, from, to);
  return success();
}
LogicalResult TruncIOp::verify() {
  Type from = elementOf(getFrom().getType()), to = elementOf(getTo().getType());
  if (widthOf(from) <= widthOf(to))
    return refuse(*this, Diag::TruncNarrower, from, to);
  return success();
}
LogicalResult FToFOp::verify() {
  Type from = elementOf(getFrom().getType()), to = elementOf(getTo().getType());
  RoundingMode mode = getRoundingMode();
  if (from == to)
    return refuse(*this, Diag::FToFSame, from);
  if (isa<Float8E8M0FNUType>(to)) {
    if (mode != RoundingMode::Zero && mode != RoundingMode::PositiveInf)
      return refuse(*this, Diag::RoundingE8m0);
    return success();
  }
  // A conversion that loses nothing has no direction to round in; 13.4 allows all directions for
  // the others.
  bool directed = llvm::is_contained(rounding::fToF, mode) && !widens(from, to);
  if (mode != RoundingMode::NearestEven && !directed)
    return refuse(*this, Diag::RoundingOnly, stringifyRoundingMode(RoundingMode::NearestEven));
  return success();
}
LogicalResult FToIOp::verify() {
  if (getRoundingMode() != RoundingMode::NearestIntToZero)
    return refuse(*this, Diag::RoundingOnly, stringifyRoundingMode(RoundingMode::NearestIntToZero));
  return success();
}
LogicalResult IToFOp::verify() {
  if (isa<Float8E8M0FNUType>(elementOf(getTo().getType())))
    return refuse(*this, Diag::IToFE8m0);
  if (getRoundingMode() != RoundingMode::NearestEven)
    return refuse(*this, Diag::RoundingOnly, stringifyRoundingMode(RoundingMode::NearestEven));
  return success();
}
LogicalResult BitcastOp::verify() {
  Type source = getSource().getType(), result = getType();
  unsigned from = widthOf(elementOf(source)), to = widthOf(elementOf(result));
  if (from != to)
    return refuse(*this, Diag::EqualWidth, source, from, result, to);
  return success();
}

static LogicalResult verifyRepack(Operation *op) {
  auto source = cast<TileType>(op->getOperand(0).getType());
  auto result = cast<TileType>(op->getResult(0).getType());
  if (source.getRank() != 1)
    return refuse(op, Diag::Rank1);
  unsigned from = widthOf(source.getElementType()), to = widthOf(result.getElementType());
  if (from == to)
    return refuse(op, Diag::OtherWidths);
  int64_t bitsBefore = source.getNumElements() * from, bitsAfter = result.getNumElements() * to;
  if (bitsBefore != bitsAfter)
    return refuse(op, Diag::SameBytes, llvm::divideCeil(bitsBefore, 8),
                  llvm::divideCeil(bitsAfter, 8));
  return success();
}
LogicalResult PackOp::verify() { return verifyRepack(*this); }
LogicalResult UnpackOp::verify() { return verifyRepack(*this); }
