// Verifiers of products of matrices.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cuda_tile/Assembly.h"

using namespace mlir;
using namespace tessera::cuda_tile;

#define GET_OP_CLASSES
#include "tessera/cuda_tile/ops/Mma.cpp.inc"

namespace {
/// An operand and its name in diagnostics.
struct Matrix {
  StringRef name;
  ArrayRef<int64_t> shape;
};
} // namespace

/// Dimension i of `a` and j of `b` have one extent.
static LogicalResult verifyDims(Operation *op, const Matrix &a, size_t i, const Matrix &b,
                                size_t j) {
  if (a.shape[i] != b.shape[j])
    return refuse(op, Diag::MmaDims, i, a.name, a.shape[i], j, b.name, b.shape[j], a.shape,
                  b.shape);
  return success();
}
/// (B, M, K), (B, K, N) and (B, M, N), with or without B.
static LogicalResult verifyProduct(Operation *op, const Matrix &lhs, const Matrix &rhs,
                                   const Matrix &acc) {
  size_t rank = lhs.shape.size();
  if (rank != 2 && rank != 3)
    return refuse(op, Diag::MmaRank, rank);
  size_t batch = rank - 2, row = batch, column = batch + 1;
  if (batch && (failed(verifyDims(op, lhs, 0, rhs, 0)) || failed(verifyDims(op, lhs, 0, acc, 0))))
    return failure();
  return failure(failed(verifyDims(op, lhs, column, rhs, row)) ||
                 failed(verifyDims(op, lhs, row, acc, row)) ||
                 failed(verifyDims(op, rhs, column, acc, column)));
}

/// The element types of accumulators that go with an element type of the operands.
static SmallVector<Type> accumulatorsOf(Type element) {
  MLIRContext *context = element.getContext();
  if (isa<Float16Type, Float8E4M3FNType, Float8E5M2Type>(element))
    return {Float16Type::get(context), Float32Type::get(context)};
  if (isa<Float64Type>(element))
    return {element};
  return {Float32Type::get(context)};
}
LogicalResult MmaFOp::verify() {
  if (failed(verifyProduct(*this, {"lhs", shapeOf(getLhs().getType())},
                           {"rhs", shapeOf(getRhs().getType())},
                           {"acc", shapeOf(getAcc().getType())})))
    return failure();
  Type element = elementOf(getLhs().getType()), acc = elementOf(getAcc().getType());
  SmallVector<Type> accumulators = accumulatorsOf(element);
  if (!llvm::is_contained(accumulators, acc))
    return refuse(*this, Diag::MmaTypes, element, TypeRange(accumulators), acc);
  return success();
}
LogicalResult MmaIOp::verify() {
  return verifyProduct(*this, {"lhs", shapeOf(getLhs().getType())},
                       {"rhs", shapeOf(getRhs().getType())}, {"acc", shapeOf(getAcc().getType())});
}

namespace {
/// What scales of a type go with: elements, and how many of them along K share one.
struct ScaleRow {
  bool (*scale)(Type), (*element)(Type);
  StringRef what, factorText;
  ArrayRef<int64_t> factors;
};
} // namespace
template <class... Types> static bool isAny(Type type) { return isa<Types...>(type); }
static const int64_t by32[] = {32}, by16[] = {16}, by16or32[] = {16, 32};
static const ScaleRow scaleRows[] = {
    {isAny<Float8E8M0FNUType>, isAny<Float8E4M3FNType, Float8E5M2Type>, "f8 element type", "32",
     by32},
    {isAny<Float8E8M0FNUType>, isAny<Float4E2M1FNType>,
     "f4E2M1FN element type with f8E8M0FNU scales", "16 or 32", by16or32},
    {isAny<Float8E4M3FNType>, isAny<Float4E2M1FNType>, "f4E2M1FN element type with f8E4M3FN scales",
     "16", by16},
    {isAny<Float8E5M3FNUType>, isAny<Float4E2M1FNType>,
     "f4E2M1FN element type with f8E5M3FNU scales", "16", by16},
};

LogicalResult MmaFScaledOp::verify() {
  Matrix lhs{"lhs", shapeOf(getLhs().getType())}, rhs{"rhs", shapeOf(getRhs().getType())},
      acc{"acc", shapeOf(getAcc().getType())},
      lhsScale{"lhs_scale", shapeOf(getLhsScale().getType())},
      rhsScale{"rhs_scale", shapeOf(getRhsScale().getType())};
  Type element = elementOf(getLhs().getType()), scale = elementOf(getLhsScale().getType());
  if (failed(verifyProduct(*this, lhs, rhs, acc)))
    return failure();
  size_t batch = lhs.shape.size() - 2, rowDim = batch, column = batch + 1;
  if (batch && (failed(verifyDims(*this, lhs, 0, lhsScale, 0)) ||
                failed(verifyDims(*this, rhs, 0, rhsScale, 0))))
    return failure();
  if (failed(verifyDims(*this, lhs, rowDim, lhsScale, rowDim)) ||
      failed(verifyDims(*this, rhs, column, rhsScale, column)) ||
      failed(verifyDims(*this, lhsScale, column, rhsScale, rowDim)))
    return failure();
  const ScaleRow *row = llvm::find_if(
      scaleRows, [&](const ScaleRow &each) { return each.scale(scale) && each.element(element); });
  if (row == std::end(scaleRows))
    return refuse(*this, Diag::ScaleTypes, scale, "'f4E2M1FN'", element);
  int64_t k = lhs.shape[column], scales = lhsScale.shape[column];
  if (k % scales)
    return refuse(*this, Diag::ScaleDivides, column, scales, k, lhsScale.shape, lhs.shape);
  if (!llvm::is_contained(row->factors, k / scales))
    return refuse(*this, Diag::ScaleFactor, row->what, row->factorText, k / scales);
  return success();
}
