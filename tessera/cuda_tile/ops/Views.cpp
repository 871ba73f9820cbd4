// Text and verifiers of tensors, views and accesses through views.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cuda_tile/Assembly.h"
#include "tessera/cuda_tile/Hints.h"
#include "tessera/cuda_tile/MemoryOrder.h"

using namespace mlir;
using namespace tessera::cuda_tile;

//===-- Types of views: that of the tensor is read out of that of the result --===//

template <class View>
static ParseResult parseViewType(OpAsmParser &parser, Type &tensor, Type &result) {
  SMLoc at = parser.getCurrentLocation();
  if (parseShortType(parser, result))
    return failure();
  auto view = dyn_cast<View>(result);
  if (!view)
    return parser.emitError(at) << sentence(Diag::ExpectedViewType, View::getMnemonic(), result);
  tensor = view.getTensorView();
  return success();
}
#define TESSERA_VIEW(name)                                                                         \
  static ParseResult parse##name(OpAsmParser &parser, Type &tensor, Type &result) {                \
    return parseViewType<name##Type>(parser, tensor, result);                                      \
  }                                                                                                \
  static void print##name(OpAsmPrinter &printer, Operation *, Type, Type result) {                 \
    printShortType(printer, result);                                                               \
  }
TESSERA_VIEW(PartitionView)
TESSERA_VIEW(StridedView)
TESSERA_VIEW(GatherScatterView)
#undef TESSERA_VIEW

/// `view -> T`: as many results of type T as the source has dimensions.
template <class Source>
static ParseResult parseExtents(OpAsmParser &parser, Diag diag, Type &source,
                                SmallVectorImpl<Type> &results, size_t (*rank)(Source)) {
  SMLoc at = parser.getCurrentLocation();
  Type result;
  if (parseShortType(parser, source))
    return failure();
  auto known = dyn_cast<Source>(source);
  if (!known)
    return parser.emitError(at) << sentence(diag, source);
  if (parser.parseArrow() || parseShortType(parser, result))
    return failure();
  results.assign(rank(known), result);
  return success();
}
static void printExtents(OpAsmPrinter &printer, Type source, TypeRange results) {
  printShortType(printer, source);
  printer << " -> ";
  if (!results.empty())
    printShortType(printer, results.front());
  else
    printShortType(printer, TileType::get({}, IntegerType::get(source.getContext(), 32)));
}
static ParseResult parseTensorShapeTypes(OpAsmParser &parser, Type &source,
                                         SmallVectorImpl<Type> &results) {
  return parseExtents<TensorViewType>(parser, Diag::ShapeOfTensor, source, results,
                                      [](TensorViewType view) { return view.getRank(); });
}
static void printTensorShapeTypes(OpAsmPrinter &printer, Operation *, Type source,
                                  TypeRange results) {
  printExtents(printer, source, results);
}
static ParseResult parseIndexSpaceTypes(OpAsmParser &parser, Type &source,
                                        SmallVectorImpl<Type> &results) {
  return parseExtents<TileView>(parser, Diag::ShapeOfView, source, results,
                                [](TileView view) { return view.getIndexRank(); });
}
static void printIndexSpaceTypes(OpAsmPrinter &printer, Operation *, Type source,
                                 TypeRange results) {
  printExtents(printer, source, results);
}

#define GET_OP_CLASSES
#include "tessera/cuda_tile/ops/Views.cpp.inc"

//===-- make_tensor_view --===//

namespace {
/// `[%m, 32]`: numbers, and values where a number is `?`.
struct Declaration {
  SMLoc at;
  SmallVector<int64_t> numbers;
  SmallVector<SMLoc> places; // of each number
  SmallVector<OpAsmParser::UnresolvedOperand> values;
};
} // namespace
static ParseResult parseDeclaration(OpAsmParser &parser, StringRef keyword, Declaration &out) {
  if (parser.parseKeyword(keyword) || parser.parseEqual())
    return failure();
  out.at = parser.getCurrentLocation();
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&]() -> ParseResult {
    SMLoc at = parser.getCurrentLocation();
    out.places.push_back(at);
    int64_t number;
    OptionalParseResult parsed = parser.parseOptionalInteger(number);
    if (parsed.has_value()) {
      out.numbers.push_back(number);
      return *parsed;
    }
    OpAsmParser::UnresolvedOperand value;
    parsed = parser.parseOptionalOperand(value);
    if (!parsed.has_value())
      return parser.emitError(at) << sentence(Diag::ShapeOrValue);
    if (*parsed)
      return failure();
    out.numbers.push_back(TensorViewType::dynamic);
    out.values.push_back(value);
    return success();
  });
}
/// Whether what is declared is what the type says.
static ParseResult checkDeclaration(OpAsmParser &parser, StringRef name, const Declaration &given,
                                    ArrayRef<int64_t> typed) {
  if (given.numbers.size() != typed.size())
    return parser.emitError(given.at)
           << sentence(Diag::DeclarationCount, name, typed.size(), given.numbers.size());
  auto shown = [](int64_t number) {
    return number == TensorViewType::dynamic ? std::string("dynamic") : std::to_string(number);
  };
  for (auto [dim, number] : llvm::enumerate(given.numbers))
    if (number != typed[dim])
      return parser.emitError(given.places[dim])
             << sentence(Diag::DeclarationValue, name, dim, shown(typed[dim]), shown(number));
  return success();
}

ParseResult MakeTensorViewOp::parse(OpAsmParser &parser, OperationState &state) {
  OpAsmParser::UnresolvedOperand base;
  Declaration shape, strides;
  if (parser.parseOperand(base) || parser.parseComma() ||
      parseDeclaration(parser, "shape", shape) || parser.parseComma() ||
      parseDeclaration(parser, "strides", strides) ||
      parser.parseOptionalAttrDict(state.attributes) || parser.parseColon())
    return failure();
  // The type of the values comes first if there are any, else only the result's.
  Type index, result;
  SMLoc at = parser.getCurrentLocation();
  if (parseShortType(parser, result))
    return failure();
  if (succeeded(parser.parseOptionalArrow())) {
    index = result;
    at = parser.getCurrentLocation();
    if (parseShortType(parser, result))
      return failure();
  }
  auto view = dyn_cast<TensorViewType>(result);
  if (!view)
    return parser.emitError(at) << sentence(Diag::ExpectedTensorView, result);
  if (checkDeclaration(parser, "shape", shape, view.getShape()) ||
      checkDeclaration(parser, "stride", strides, view.getStrides()))
    return failure();
  if (!index)
    index = TileType::get({}, parser.getBuilder().getI32Type());
  Type pointer = TileType::get({}, PointerType::get(parser.getContext(), view.getElementType()));
  if (parser.resolveOperand(base, pointer, state.operands) ||
      parser.resolveOperands(shape.values, index, state.operands) ||
      parser.resolveOperands(strides.values, index, state.operands))
    return failure();
  llvm::copy(ArrayRef<int32_t>{1, int32_t(shape.values.size()), int32_t(strides.values.size())},
             state.getOrAddProperties<Properties>().operandSegmentSizes.begin());
  state.addTypes(result);
  return success();
}
static void printDeclaration(OpAsmPrinter &printer, StringRef name, ArrayRef<int64_t> numbers,
                             ValueRange values) {
  printer << name << " = [";
  llvm::interleaveComma(numbers, printer, [&](int64_t number) {
    if (number != TensorViewType::dynamic) {
      printer << number;
      return;
    }
    printer << values.front();
    values = values.drop_front();
  });
  printer << ']';
}
void MakeTensorViewOp::print(OpAsmPrinter &printer) {
  auto view = cast<TensorViewType>(getType());
  printer << ' ' << getBase() << ", ";
  printDeclaration(printer, "shape", view.getShape(), getDynamicShape());
  printer << ", ";
  printDeclaration(printer, "strides", view.getStrides(), getDynamicStrides());
  printer.printOptionalAttrDict((*this)->getAttrs(), {getOperandSegmentSizesAttrName()});
  printer << " : ";
  if (getNumOperands() > 1) {
    printShortType(printer, getOperand(1).getType());
    printer << " -> ";
  }
  printShortType(printer, view);
}
LogicalResult MakeTensorViewOp::verify() {
  auto view = cast<TensorViewType>(getType());
  Type pointee = pointeeOf(getBase().getType());
  if (pointee != view.getElementType())
    return refuse(*this, Diag::ViewPointee, view.getElementType(), pointee);
  if (getDynamicShape().size() != view.dynamicExtents())
    return refuse(*this, Diag::DynamicCount, "shape", view.dynamicExtents(),
                  getDynamicShape().size());
  if (getDynamicStrides().size() != view.dynamicStrides())
    return refuse(*this, Diag::DynamicCount, "stride", view.dynamicStrides(),
                  getDynamicStrides().size());
  auto check = [&](StringRef name, ValueRange numbers) -> LogicalResult {
    for (auto [i, number] : llvm::enumerate(numbers))
      if (number.getType() != getOperand(1).getType())
        return refuse(*this, Diag::DynamicType, name, i, getOperand(1).getType(), number.getType());
    return success();
  };
  return failure(failed(check("shape", getDynamicShape())) ||
                 failed(check("stride", getDynamicStrides())));
}

//===-- Views of a tensor --===//

template <class Op> static LogicalResult verifyTensorOf(Op op) {
  Type given = op.getTensorView().getType(), wanted = cast<TileView>(op.getType()).getTensorView();
  if (given != wanted)
    return refuse(op, Diag::ViewTensor, given, wanted);
  return success();
}
LogicalResult MakePartitionViewOp::verify() { return verifyTensorOf(*this); }
LogicalResult MakeStridedViewOp::verify() { return verifyTensorOf(*this); }
LogicalResult MakeGatherScatterViewOp::verify() { return verifyTensorOf(*this); }

//===-- Extents --===//

static LogicalResult verifyExtents(Operation *op, Diag diag, size_t rank) {
  if (op->getNumResults() != rank)
    return refuse(op, diag, rank, op->getNumResults());
  for (Type type : op->getResultTypes())
    if (type != op->getResult(0).getType())
      return refuse(op, Diag::ResultTypes, op->getResult(0).getType(), type);
  return success();
}
LogicalResult GetTensorShapeOp::verify() {
  return verifyExtents(*this, Diag::TensorRank, cast<TensorViewType>(getSrc().getType()).getRank());
}
LogicalResult GetIndexSpaceShapeOp::verify() {
  return verifyExtents(*this, Diag::IndexSpaceRank,
                       cast<TileView>(getSrc().getType()).getIndexRank());
}

//===-- Accesses --===//

/// Verifies the types of an index that has as many numbers as the view has dimensions.
static LogicalResult verifyIndex(Operation *op, TileView view, OperandRange index) {
  std::optional<int64_t> sparse = view.getSparseDim();
  if (sparse) {
    auto rows = cast<TileType>(index[*sparse].getType());
    int64_t wanted = view.getTile().getDimSize(unsigned(*sparse));
    if (rows.getRank() != 1)
      return refuse(op, Diag::SparseRank, *sparse, rows.getRank());
    if (rows.getDimSize(0) != wanted)
      return refuse(op, Diag::SparseSize, rows.getDimSize(0), *sparse, wanted);
  }
  auto isRows = [&](size_t dim) { return sparse && *sparse == int64_t(dim); };
  for (auto [dim, value] : llvm::enumerate(index))
    if (!isRows(dim) && cast<TileType>(value.getType()).getRank() != 0)
      return sparse ? refuse(op, Diag::SparseScalar, dim)
                    : refuse(op, Diag::IndexScalar, value.getType());
  // The first scalar says which type the others have; row numbers may have another.
  Type common;
  for (auto [dim, value] : llvm::enumerate(index)) {
    if (isRows(dim))
      continue;
    if (!common)
      common = value.getType();
    else if (common != value.getType())
      return refuse(op, sparse ? Diag::SparseType : Diag::IndexType, dim, common, value.getType());
  }
  return success();
}
static LogicalResult verifyAccess(Operation *op, TileView view, Type tile, OperandRange index,
                                  std::optional<ArrayRef<bool>> inbounds,
                                  OptimizationHintsAttr advice) {
  if (index.size() != view.getIndexRank())
    return refuse(op, Diag::ViewIndices, view.getIndexRank(), index.size());
  if (tile != view.getTile())
    return refuse(op, Diag::ViewTile, view.getTile(), tile);
  if (failed(verifyIndex(op, view, index)))
    return failure();
  if (inbounds && inbounds->size() != view.getIndexRank())
    return refuse(op, Diag::InboundsCount, view.getIndexRank(), inbounds->size());
  return hints::verify(op, advice, hints::View);
}
LogicalResult LoadViewTkoOp::verify() {
  if (failed(verifyAccess(*this, cast<TileView>(getView().getType()), getTile().getType(),
                          getIndex(), getInbounds(), getOptimizationHintsAttr())))
    return failure();
  return verifyOrder(*this, "load", getMemoryOrderingSemantics(), getMemoryScope(),
                     MemoryOrderingSemantics::Acquire);
}
void LoadViewTkoOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  addLoadEffects(getMemoryOrderingSemantics(), effects);
}
LogicalResult StoreViewTkoOp::verify() {
  if (failed(verifyAccess(*this, cast<TileView>(getView().getType()), getTile().getType(),
                          getIndex(), getInbounds(), getOptimizationHintsAttr())))
    return failure();
  return verifyOrder(*this, "store", getMemoryOrderingSemantics(), getMemoryScope(),
                     MemoryOrderingSemantics::Release);
}
