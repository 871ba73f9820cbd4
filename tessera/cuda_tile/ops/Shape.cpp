// Constants, and verifiers of ops that move elements.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cuda_tile/Assembly.h"

#include "mlir/IR/Matchers.h"
#include "llvm/ADT/APSInt.h"
#include "llvm/ADT/DenseSet.h"

namespace tessera::cuda_tile {
mlir::ParseResult parseAssumePredicate(mlir::OpAsmParser &parser, AssumePredicate &predicate);
static void printAssumePredicate(mlir::OpAsmPrinter &printer, mlir::Operation *,
                                 AssumePredicate predicate) {
  std::string text;
  llvm::raw_string_ostream(text) << mlir::Attribute(predicate);
  llvm::StringRef shown = text;
  shown.consume_front("#cuda_tile.");
  printer << shown;
}
} // namespace tessera::cuda_tile

using namespace mlir;
using namespace tessera::cuda_tile;

#define GET_OP_CLASSES
#include "tessera/cuda_tile/ops/Shape.cpp.inc"

//===-- constant --===//

ParseResult ConstantOp::parse(OpAsmParser &parser, OperationState &state) {
  DenseElementsAttr value;
  TileType type;
  if (parseLiteral(parser, value, type) || parser.parseOptionalAttrDict(state.attributes))
    return failure();
  state.getOrAddProperties<Properties>().value = value;
  state.addTypes(type);
  return success();
}
void ConstantOp::print(OpAsmPrinter &printer) {
  printer << ' ';
  printLiteral(printer, cast<DenseElementsAttr>(getValue()));
  printer << " : ";
  printShortType(printer, getType());
  printer.printOptionalAttrDict((*this)->getAttrs(), {getValueAttrName()});
}
/// `cst_4_i32` for a tile that is 4 everywhere; `true` and `false`; without the number if it has
/// many digits.
void ConstantOp::getAsmResultNames(OpAsmSetValueNameFn name) {
  auto value = dyn_cast<DenseElementsAttr>(getValue());
  if (!value)
    return;
  std::string text = "cst";
  llvm::raw_string_ostream out(text);
  if (value.isSplat()) {
    if (value.getElementType().isInteger(1))
      return name(getResult(), value.getSplatValue<bool>() ? "true" : "false");
    if (isa<IntegerType>(value.getElementType())) {
      out << '_' << value.getSplatValue<APInt>().getSExtValue();
    } else if (isa<FloatType>(value.getElementType())) {
      APFloat number = value.getSplatValue<APFloat>();
      APSInt whole(64, /*isUnsigned=*/true);
      bool exact = false;
      number.convertToInteger(whole, APFloat::rmTowardZero, &exact);
      if (number.isNaN())
        out << "_NaN";
      else if (exact && number.isFinite())
        out << '_' << whole;
    }
  }
  out << '_' << value.getElementType();
  name(getResult(), text);
}
LogicalResult ConstantOp::verify() {
  auto value = dyn_cast<DenseElementsAttr>(getValue());
  if (!value || value.getType() != getType())
    return refuse(*this, Diag::LiteralType, getValue().getType(), getType());
  return success();
}
OpFoldResult ConstantOp::fold(FoldAdaptor) { return getValue(); }

//===-- Shapes --===//

LogicalResult IotaOp::verify() {
  auto type = cast<TileType>(getType());
  if (type.getRank() != 1)
    return refuse(*this, Diag::IotaRank);
  unsigned width = type.getElementTypeBitWidth();
  if (width < 63 && type.getNumElements() > (int64_t(1) << width))
    return refuse(*this, Diag::IotaRange, type.getNumElements(), type.getElementType());
  return success();
}
LogicalResult ReshapeOp::verify() {
  if (cast<TileType>(getSource().getType()).getNumElements() !=
      cast<TileType>(getType()).getNumElements())
    return refuse(*this, Diag::ReshapeCount);
  return success();
}
OpFoldResult ReshapeOp::fold(FoldAdaptor) {
  return getSource().getType() == getType() ? OpFoldResult(getSource()) : OpFoldResult();
}
LogicalResult BroadcastOp::verify() {
  ArrayRef<int64_t> from = shapeOf(getSource().getType()), to = shapeOf(getType());
  for (auto [source, result] : llvm::zip(from, to))
    if (source != result && source != 1)
      return refuse(*this, Diag::BroadcastShape, from, to);
  return success();
}
OpFoldResult BroadcastOp::fold(FoldAdaptor) {
  return getSource().getType() == getType() ? OpFoldResult(getSource()) : OpFoldResult();
}
LogicalResult PermuteOp::verify() {
  ArrayRef<int64_t> from = shapeOf(getSource().getType()), to = shapeOf(getType());
  ArrayRef<int32_t> permutation = getPermutation();
  if (from.size() < 2)
    return refuse(*this, Diag::PermuteRank, from.size());
  if (permutation.size() != from.size())
    return refuse(*this, Diag::PermuteCount, from.size(), permutation.size());
  SmallVector<int64_t> wide(permutation.begin(), permutation.end());
  if (llvm::SmallDenseSet<int64_t>(wide.begin(), wide.end()).size() != wide.size())
    return refuse(*this, Diag::PermuteTwice, ArrayRef<int64_t>(wide));
  for (auto [dim, source] : llvm::enumerate(wide))
    if (source < 0 || source >= int64_t(from.size()))
      return refuse(*this, Diag::PermuteBound, dim, source, from.size());
  for (auto [dim, source] : llvm::enumerate(wide))
    if (to[dim] != from[source])
      return refuse(*this, Diag::PermuteShape, dim, from[source], to[dim]);
  return success();
}
LogicalResult CatOp::verify() {
  ArrayRef<int64_t> lhs = shapeOf(getLhs().getType()), rhs = shapeOf(getRhs().getType()),
                    result = shapeOf(getType());
  int64_t dim = getDim();
  if (dim < 0 || dim >= int64_t(lhs.size()))
    return refuse(*this, Diag::CatDim, lhs.size(), dim);
  if (lhs[dim] + rhs[dim] != result[dim])
    return refuse(*this, Diag::CatSum, dim, lhs[dim] + rhs[dim], result[dim]);
  for (auto [position, a] : llvm::enumerate(lhs)) {
    if (int64_t(position) == dim)
      continue;
    if (int64_t b = rhs[position]; a != b)
      return refuse(*this, Diag::CatOther, "lhs", "rhs", position, a, b);
    if (int64_t c = result[position]; a != c)
      return refuse(*this, Diag::CatOther, "lhs", "result", position, a, c);
  }
  return success();
}

/// Verifies what `extract` and `insert` demand of a slice and the whole that it is part of.
static LogicalResult verifySlice(Operation *op, StringRef wholeName, Type whole,
                                 StringRef sliceName, Type slice, OperandRange indices,
                                 Diag element) {
  if (elementOf(whole) != elementOf(slice))
    return refuse(op, element);
  ArrayRef<int64_t> large = shapeOf(whole), small = shapeOf(slice);
  for (auto [dim, extent] : llvm::enumerate(large))
    if (extent % small[dim])
      return refuse(op, Diag::SliceDivides, wholeName, sliceName, dim, extent, small[dim]);
  if (indices.size() != large.size())
    return refuse(op, Diag::SliceIndices, large.size(), indices.size());
  // An index out of range is undefined behaviour, not an error: the code may never run. So we warn.
  StringRef name = op->getName().stripDialect();
  for (auto [dim, index] : llvm::enumerate(indices)) {
    DenseIntElementsAttr number;
    if (!matchPattern(index, m_Constant(&number)))
      continue;
    int64_t last = large[dim] / small[dim] - 1;
    int64_t value = number.getSplatValue<APInt>().getSExtValue();
    if (value < 0)
      emitWarning(op->getLoc(), sentence(Diag::SliceNegative, name, dim, value));
    else if (value > last)
      emitWarning(op->getLoc(), sentence(Diag::SliceOutside, name, dim, value, last));
  }
  return success();
}
LogicalResult ExtractOp::verify() {
  return verifySlice(*this, "source", getSource().getType(), "result", getType(), getIndices(),
                     Diag::SliceElement);
}
LogicalResult InsertOp::verify() {
  return verifySlice(*this, "destination", getDestination().getType(), "source",
                     getSource().getType(), getIndices(), Diag::InsertElement);
}

//===-- assume --===//

/// `assume_tview` for an assumption about `%tview`.
void AssumeOp::getAsmResultNames(OpAsmSetValueNameFn name) {
  std::string text = "assume";
  if (auto named = getValue().getDefiningOp<OpAsmOpInterface>()) {
    text += '_';
    named.getAsmResultNames([&](Value value, StringRef its) {
      if (value == getValue())
        text += its;
    });
  }
  name(getResult(), text);
}
LogicalResult AssumeOp::verify() {
  return getPredicate().verifyFor(getValue().getType(), [&] { return emitOpError(); });
}
OpFoldResult AssumeOp::fold(FoldAdaptor) {
  // An assumption about the same assumption says nothing new.
  auto before = getValue().getDefiningOp<AssumeOp>();
  return before && before.getPredicate() == getPredicate() ? OpFoldResult(getValue())
                                                           : OpFoldResult();
}
