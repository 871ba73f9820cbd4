// Types of the `cuda_tile` dialect: text, verifiers, versions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cuda_tile/Assembly.h"

#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tessera::cuda_tile;

#include "tessera/cuda_tile/TypeInterfaces.cpp.inc"
#define GET_TYPEDEF_CLASSES
#include "tessera/cuda_tile/Types.cpp.inc"

void CudaTileDialect::registerTypes() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "tessera/cuda_tile/Types.cpp.inc"
      >();
}

std::string tessera::cuda_tile::detail::shown(ArrayRef<int64_t> numbers) {
  std::string out;
  llvm::raw_string_ostream stream(out);
  llvm::interleaveComma(numbers, stream, [&](int64_t number) {
    if (ShapedType::isDynamic(number))
      stream << '?';
    else
      stream << number;
  });
  return out;
}
std::string tessera::cuda_tile::detail::shown(TypeRange types) {
  std::string out;
  llvm::raw_string_ostream stream(out);
  llvm::interleaveComma(types, stream, [&](Type type) { stream << '\'' << type << '\''; });
  return out;
}

std::optional<Version> tessera::cuda_tile::sinceOf(Type type) {
  return TypeSwitch<Type, std::optional<Version>>(type)
      .Case<Float8E5M3FNUType, PointerType, TileType, TokenType, TensorViewType, PartitionViewType,
            StridedViewType, GatherScatterViewType>([](auto own) { return own.since; })
      .Case<Float8E8M0FNUType>([](auto) { return Version{13, 2}; })
      .Case<Float4E2M1FNType>([](auto) { return Version{13, 3}; })
      .Case<Float16Type, BFloat16Type, Float32Type, FloatTF32Type, Float64Type, Float8E4M3FNType,
            Float8E5M2Type, FunctionType>([](auto) { return Version{13, 1}; })
      .Case<IntegerType>([](IntegerType integer) -> std::optional<Version> {
        if (!integer.isSignless())
          return std::nullopt;
        if (integer.getWidth() == 4)
          return Version{13, 3};
        if (llvm::is_contained({1u, 8u, 16u, 32u, 64u}, integer.getWidth()))
          return Version{13, 1};
        return std::nullopt;
      })
      .Default([](Type) { return std::nullopt; });
}

bool tessera::cuda_tile::pointsTo(Type pointers, Type value) {
  return shapeOf(pointers) == shapeOf(value) && pointeeOf(pointers) == elementOf(value);
}
bool tessera::cuda_tile::sameShapeIfAny(Value tile, Value other) {
  return !other || shapeOf(tile.getType()) == shapeOf(other.getType());
}

TileType TileView::getTile() const { return cast<TileType>(getViewTileType()); }

//===-- Short text --===//

ParseResult tessera::cuda_tile::parseShortType(AsmParser &parser, Type &type) {
  if (OptionalParseResult other = parser.parseOptionalType(type); other.has_value())
    return *other;
  SMLoc at = parser.getCurrentLocation();
  StringRef word;
  OptionalParseResult own = generatedTypeParser(parser, &word, type);
  if (own.has_value())
    return *own;
  return parser.emitError(at) << sentence(Diag::UnknownType, word);
}
void tessera::cuda_tile::printShortType(AsmPrinter &printer, Type type) {
  if (failed(generatedTypePrinter(type, printer)))
    printer << type;
}

//===-- ptr, tile --===//

Type PointerType::parse(AsmParser &parser) {
  Type pointee;
  SMLoc at = parser.getCurrentLocation();
  if (parser.parseLess() || parseShortType(parser, pointee) || parser.parseGreater())
    return {};
  return parser.getChecked<PointerType>(at, parser.getContext(), pointee);
}
void PointerType::print(AsmPrinter &printer) const {
  printer << '<';
  printShortType(printer, getPointeeType());
  printer << '>';
}
LogicalResult PointerType::verify(function_ref<InFlightDiagnostic()>, Type) { return success(); }

Type TileType::parse(AsmParser &parser) {
  SmallVector<int64_t> shape;
  Type element;
  SMLoc at = parser.getCurrentLocation();
  if (parser.parseLess() || parser.parseDimensionList(shape) || parseShortType(parser, element) ||
      parser.parseGreater())
    return {};
  return parser.getChecked<TileType>(at, parser.getContext(), shape, element);
}
void TileType::print(AsmPrinter &printer) const {
  printer << '<';
  for (int64_t extent : getShape())
    printer << extent << 'x';
  printShortType(printer, getElementType());
  printer << '>';
}
LogicalResult TileType::verify(function_ref<InFlightDiagnostic()> emitError,
                               ArrayRef<int64_t> shape, Type element) {
  if (llvm::is_contained(shape, ShapedType::kDynamic))
    return emitError() << sentence(Diag::StaticShape);
  if (llvm::any_of(shape, [](int64_t extent) { return extent <= 0; }))
    return emitError() << sentence(Diag::TilePositive, shape);
  int64_t elements = 1;
  for (int64_t extent : shape)
    if (llvm::MulOverflow(elements, extent, elements))
      return emitError() << sentence(Diag::TileTooLarge, maxElements);
  if (isa<Float4E2M1FNType>(element) && elements % 2)
    return emitError() << sentence(Diag::TileEven);
  if (llvm::any_of(shape, [](int64_t extent) { return !llvm::isPowerOf2_64(extent); }))
    return emitError() << sentence(Diag::TilePowers, shape);
  if (elements > maxElements)
    return emitError() << sentence(Diag::TileTooLarge, maxElements);
  return success();
}

//===-- tensor_view --===//

Type TensorViewType::parse(AsmParser &parser) {
  SmallVector<int64_t> shape, strides;
  Type element;
  SMLoc at = parser.getCurrentLocation();
  if (parser.parseLess() || parser.parseDimensionList(shape) || parseShortType(parser, element))
    return {};
  if (shape.empty()) {
    if (succeeded(parser.parseOptionalComma())) {
      SMLoc here = parser.getCurrentLocation();
      parser.emitError(here) << sentence(succeeded(parser.parseOptionalKeyword("strides"))
                                             ? Diag::StridesOf0d
                                             : Diag::AfterElement0d);
      return {};
    }
  } else {
    auto stride = [&]() -> ParseResult {
      SMLoc here = parser.getCurrentLocation();
      if (succeeded(parser.parseOptionalQuestion())) {
        strides.push_back(dynamic);
        return success();
      }
      int64_t number;
      OptionalParseResult parsed = parser.parseOptionalInteger(number);
      if (!parsed.has_value())
        return parser.emitError(here) << sentence(Diag::StrideKind);
      if (*parsed)
        return failure();
      // The smallest number would pass for an unknown one.
      if (number <= 0)
        return parser.emitError(here) << sentence(Diag::StridePositive, number);
      strides.push_back(number);
      return success();
    };
    if (failed(parser.parseOptionalComma()) || failed(parser.parseOptionalKeyword("strides"))) {
      parser.emitError(parser.getCurrentLocation()) << sentence(Diag::ExpectedStrides);
      return {};
    }
    if (parser.parseEqual() || parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, stride))
      return {};
  }
  if (parser.parseGreater())
    return {};
  return parser.getChecked<TensorViewType>(at, parser.getContext(), element, shape, strides);
}
/// A number, or `?`.
static void printExtent(AsmPrinter &printer, int64_t extent) {
  if (extent == TensorViewType::dynamic)
    printer << '?';
  else
    printer << extent;
}
void TensorViewType::print(AsmPrinter &printer) const {
  printer << '<';
  for (int64_t extent : getShape()) {
    printExtent(printer, extent);
    printer << 'x';
  }
  printShortType(printer, getElementType());
  if (!getShape().empty()) {
    printer << ", strides=[";
    llvm::interleave(
        getStrides(), printer, [&](int64_t stride) { printExtent(printer, stride); }, ",");
    printer << ']';
  }
  printer << '>';
}
LogicalResult TensorViewType::verify(function_ref<InFlightDiagnostic()> emitError, Type,
                                     ArrayRef<int64_t> shape, ArrayRef<int64_t> strides) {
  auto positive = [](int64_t number) { return number == dynamic || number > 0; };
  if (shape.size() != strides.size())
    return emitError() << sentence(Diag::StrideRank, shape.size(), strides.size());
  if (!llvm::all_of(shape, positive))
    return emitError() << sentence(Diag::ViewPositive, shape);
  if (!llvm::all_of(strides, positive))
    return emitError() << sentence(Diag::StridesPositive, strides);
  return success();
}

//===-- Views --===//

namespace {
/// What the texts of views have in common:
/// `<tile=(4x4), traversal_strides=[2,4], padding_value = zero, tensor_view<...>, dim_map=[1, 0]>`.
struct ViewText {
  SmallVector<int32_t> tile, traversal, dimMap;
  int32_t sparse = 0;
  PaddingValueAttr padding;
  TensorViewType tensor;
};
} // namespace

static ParseResult parseI32List(AsmParser &parser, SmallVectorImpl<int32_t> &out) {
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&]() -> ParseResult {
    return parser.parseInteger(out.emplace_back());
  });
}
static ParseResult parseTileShape(AsmParser &parser, SmallVectorImpl<int32_t> &tile) {
  SmallVector<int64_t> shape;
  SMLoc at = parser.getCurrentLocation();
  if (parser.parseKeyword("tile") || parser.parseEqual() || parser.parseLParen())
    return failure();
  if (failed(parser.parseOptionalRParen()))
    if (parser.parseDimensionList(shape, /*allowDynamic=*/false, /*withTrailingX=*/false) ||
        parser.parseRParen())
      return failure();
  for (auto [dim, extent] : llvm::enumerate(shape)) {
    if (extent <= 0 || extent > std::numeric_limits<int32_t>::max())
      return parser.emitError(at) << sentence(Diag::TileI32, dim, extent);
    tile.push_back(int32_t(extent));
  }
  return success();
}
static ParseResult parseViewText(AsmParser &parser, ViewText &view, bool strided, bool sparse) {
  if (parser.parseLess() || parseTileShape(parser, view.tile) || parser.parseComma())
    return failure();
  if (strided && (parser.parseKeyword("traversal_strides") || parser.parseEqual() ||
                  parseI32List(parser, view.traversal) || parser.parseComma()))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("padding_value"))) {
    if (parser.parseEqual())
      return failure();
    SMLoc at = parser.getCurrentLocation();
    StringRef word;
    if (parser.parseKeyword(&word))
      return failure();
    std::optional<PaddingValue> value = symbolizePaddingValue(word);
    if (!value)
      return parser.emitError(at) << sentence(Diag::PaddingKind, word);
    view.padding = PaddingValueAttr::get(parser.getContext(), *value);
    if (parser.parseComma())
      return failure();
  }
  SMLoc at = parser.getCurrentLocation();
  Type tensor;
  if (parseShortType(parser, tensor))
    return failure();
  view.tensor = dyn_cast<TensorViewType>(tensor);
  if (!view.tensor)
    return parser.emitError(at) << sentence(Diag::ExpectedTensorView, tensor);
  if (sparse)
    return failure(parser.parseComma() || parser.parseKeyword("sparse_dim") ||
                   parser.parseEqual() || parser.parseInteger(view.sparse) ||
                   parser.parseGreater());
  if (succeeded(parser.parseOptionalComma())) {
    if (parser.parseKeyword("dim_map") || parser.parseEqual() || parseI32List(parser, view.dimMap))
      return failure();
  } else {
    llvm::append_range(view.dimMap, llvm::seq<int32_t>(0, int32_t(view.tile.size())));
  }
  return parser.parseGreater();
}
static void printViewHead(AsmPrinter &printer, ArrayRef<int32_t> tile, ArrayRef<int32_t> traversal,
                          PaddingValueAttr padding, TensorViewType tensor) {
  printer << "<tile=(";
  llvm::interleave(tile, printer, "x");
  printer << "), ";
  if (!traversal.empty()) {
    printer << "traversal_strides=[";
    llvm::interleave(traversal, printer, ",");
    printer << "], ";
  }
  if (padding)
    printer << "padding_value = " << stringifyPaddingValue(padding.getValue()) << ", ";
  printShortType(printer, tensor);
}
static void printDimMap(AsmPrinter &printer, ArrayRef<int32_t> dimMap) {
  if (!llvm::equal(dimMap, llvm::seq<int32_t>(0, int32_t(dimMap.size())))) {
    printer << ", dim_map=[";
    llvm::interleaveComma(dimMap, printer);
    printer << ']';
  }
  printer << '>';
}

static SmallVector<int64_t> wide(ArrayRef<int32_t> numbers) {
  return SmallVector<int64_t>(numbers.begin(), numbers.end());
}
/// Verifies what all views have in common. `dims` verifies what one kind of view has in addition;
/// it is called at the point where NVIDIA's verifiers do so.
static LogicalResult verifyView(function_ref<InFlightDiagnostic()> emitError,
                                ArrayRef<int32_t> tile, TensorViewType tensor,
                                PaddingValueAttr padding, function_ref<LogicalResult()> dims) {
  if (tile.empty())
    return emitError() << sentence(Diag::Tile0d);
  if (tensor.getRank() != tile.size())
    return emitError() << sentence(Diag::ViewRanks, tensor.getRank(), tile.size());
  for (auto [dim, extent] : llvm::enumerate(tile))
    if (extent <= 0)
      return emitError() << sentence(Diag::TileI32, dim, extent);
  if (llvm::any_of(tile, [](int32_t extent) { return !llvm::isPowerOf2_32(uint32_t(extent)); }))
    return emitError() << sentence(Diag::ViewTilePowers, ArrayRef<int64_t>(wide(tile)));
  if (failed(dims()) || failed(TileType::verifyInvariants(emitError, ArrayRef<int64_t>(wide(tile)),
                                                          tensor.getElementType())))
    return failure();
  if (padding && padding.getValue() != PaddingValue::Zero &&
      !isa<FloatType, Float8E5M3FNUType>(tensor.getElementType()))
    return emitError() << sentence(Diag::PaddingFloat, stringifyPaddingValue(padding.getValue()),
                                   tensor.getElementType());
  return success();
}
static LogicalResult verifyDimMap(function_ref<InFlightDiagnostic()> emitError,
                                  ArrayRef<int32_t> dimMap, size_t rank) {
  if (dimMap.size() != rank)
    return emitError() << sentence(Diag::DimMapSize, rank, dimMap.size());
  SmallVector<int32_t> mapped(rank, -1);
  for (auto [dim, target] : llvm::enumerate(dimMap)) {
    if (target < 0)
      return emitError() << sentence(Diag::DimMapNegative, target);
    if (size_t(target) >= rank)
      return emitError() << sentence(Diag::DimMapOutside, rank, target);
    if (mapped[target] >= 0)
      return emitError() << sentence(Diag::DimMapTwice, target, mapped[target], dim);
    mapped[target] = int32_t(dim);
  }
  return success();
}

Type PartitionViewType::parse(AsmParser &parser) {
  ViewText view;
  SMLoc at = parser.getCurrentLocation();
  if (parseViewText(parser, view, /*strided=*/false, /*sparse=*/false))
    return {};
  return parser.getChecked<PartitionViewType>(at, parser.getContext(), view.tile, view.tensor,
                                              view.dimMap, view.padding);
}
void PartitionViewType::print(AsmPrinter &printer) const {
  printViewHead(printer, getTileShape(), {}, getPaddingValue(), getTensorView());
  printDimMap(printer, getDimMap());
}
LogicalResult PartitionViewType::verify(function_ref<InFlightDiagnostic()> emitError,
                                        ArrayRef<int32_t> tile, TensorViewType tensor,
                                        ArrayRef<int32_t> dimMap, PaddingValueAttr padding) {
  return verifyView(emitError, tile, tensor, padding,
                    [&] { return verifyDimMap(emitError, dimMap, tile.size()); });
}
ShapedType PartitionViewType::getViewTileType() const {
  return TileType::get(wide(getTileShape()), getTensorView().getElementType());
}

Type StridedViewType::parse(AsmParser &parser) {
  ViewText view;
  SMLoc at = parser.getCurrentLocation();
  if (parseViewText(parser, view, /*strided=*/true, /*sparse=*/false))
    return {};
  return parser.getChecked<StridedViewType>(at, parser.getContext(), view.tile, view.traversal,
                                            view.tensor, view.dimMap, view.padding);
}
void StridedViewType::print(AsmPrinter &printer) const {
  printViewHead(printer, getTileShape(), getTraversalStrides(), getPaddingValue(), getTensorView());
  printDimMap(printer, getDimMap());
}
LogicalResult StridedViewType::verify(function_ref<InFlightDiagnostic()> emitError,
                                      ArrayRef<int32_t> tile, ArrayRef<int32_t> traversal,
                                      TensorViewType tensor, ArrayRef<int32_t> dimMap,
                                      PaddingValueAttr padding) {
  if (failed(verifyView(emitError, tile, tensor, padding,
                        [&] { return verifyDimMap(emitError, dimMap, tile.size()); })))
    return failure();
  if (traversal.size() != tile.size())
    return emitError() << sentence(Diag::TraversalCount, tile.size(), traversal.size());
  if (llvm::any_of(traversal, [](int32_t stride) { return stride <= 0; }))
    return emitError() << sentence(Diag::TraversalPositive, ArrayRef<int64_t>(wide(traversal)));
  return success();
}
ShapedType StridedViewType::getViewTileType() const {
  return TileType::get(wide(getTileShape()), getTensorView().getElementType());
}

Type GatherScatterViewType::parse(AsmParser &parser) {
  ViewText view;
  SMLoc at = parser.getCurrentLocation();
  if (parseViewText(parser, view, /*strided=*/false, /*sparse=*/true))
    return {};
  return parser.getChecked<GatherScatterViewType>(at, parser.getContext(), view.tile, view.tensor,
                                                  view.sparse, view.padding);
}
void GatherScatterViewType::print(AsmPrinter &printer) const {
  printViewHead(printer, getTileShape(), {}, getPaddingValue(), getTensorView());
  printer << ", sparse_dim=" << getSparseDimension() << '>';
}
LogicalResult GatherScatterViewType::verify(function_ref<InFlightDiagnostic()> emitError,
                                            ArrayRef<int32_t> tile, TensorViewType tensor,
                                            int32_t sparse, PaddingValueAttr padding) {
  return verifyView(emitError, tile, tensor, padding, [&]() -> LogicalResult {
    if (sparse < 0 || size_t(sparse) >= tile.size())
      return emitError() << sentence(Diag::SparseDim, tile.size(), sparse);
    return success();
  });
}
ShapedType GatherScatterViewType::getViewTileType() const {
  return TileType::get(wide(getTileShape()), getTensorView().getElementType());
}
