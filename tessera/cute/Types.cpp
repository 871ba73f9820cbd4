// Types and attributes of the `cute` dialect: parsing, printing, rules.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cute/Types.h"

#include "tessera/cute/Cute.h"
#include "tessera/cute/Diagnostics.h"
#include "tessera/cute/Spellings.h"
#include "tessera/layout/Domains.h"
#include "tessera/layout/Errors.h"
#include "tessera/layout/Text.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cute;

#include "tessera/cute/Enums.cpp.inc"
#include "tessera/cute/TypeInterfaces.cpp.inc"

//===------------------------------------------------------------------------------------------===//
// Quoted values
//===------------------------------------------------------------------------------------------===//

namespace {
using layout::Ratios;

Ratios ratiosIn(AsmParser &parser) {
  auto *dialect = parser.getContext()->getLoadedDialect<CuteDialect>();
  return dialect && dialect->readsRatios() ? Ratios::Read : Ratios::Refused;
}

/// The value parser of each attribute and type; Composed and Layout share a notation.
Result<layout::Composed> parseComposed(std::string_view text, Ratios ratios) {
  Result<layout::AnyLayout> read = layout::parseAnyLayout(text, ratios);
  if (!read && read.reason().id == layout::fail(layout::Error::ParseFailed).id) {
    // Whatever part of it does not read: it is the text of a composed layout.
    const std::string &why = read.reason().text;
    return layout::fail(layout::Error::ParseFailed, "composed_layout", text,
                        why.substr(std::min(why.size(), why.find("\": ") + 3)));
  }
  if (!read)
    return std::move(read).reason();
  const layout::AnyLayout &l = *read;
  if (!l.composed())
    return Reason{"NotComposed", cat("failed to parse composed_layout from \"", text,
                                     "\": it is a plain layout, use !cute.layout")};
  if (l.composed()->isTrivial())
    return Reason{"TrivialComposed", sentence(Diag::TrivialComposed, l)};
  return *l.composed();
}

/// The public dialect makes an error `x:x` of a stride that does not fit, and refuses that.
Result<layout::Layout> parseLayoutValue(std::string_view text, Ratios ratios) {
  Result<layout::Layout> l = layout::parseLayout(text, ratios);
  if (!l && l.reason().id == "ProfileMismatch")
    return Reason{l.reason().id, cat(l.reason().text, ": ",
                                     layout::fail(layout::Error::ErrorInLayout, "x:x").text)};
  return l;
}

template <class Value, layout::TreeKind kind = layout::TreeKind::IntTuple>
Result<Value> parseValue(std::string_view text, Ratios ratios) {
  if constexpr (kind == layout::TreeKind::Stride) {
    TESSERA_TRY(layout::Tree stride, layout::parseTree(text, kind, ratios));
    // The rules of strides are those of a layout's.
    TESSERA_TRY(layout::Layout any, layout::checked(layout::Layout{
                                        layout::repeatLike(stride, layout::Leaf(1)), stride}));
    return std::move(any.stride);
  } else if constexpr (std::is_same_v<Value, layout::Tree>)
    return layout::parseTree(text, kind);
  else if constexpr (std::is_same_v<Value, layout::Layout>)
    return parseLayoutValue(text, ratios);
  else if constexpr (std::is_same_v<Value, layout::Composed>)
    return parseComposed(text, ratios);
  else if constexpr (std::is_same_v<Value, layout::Tile>)
    return layout::parseTile(text);
  else
    return layout::parseSwizzle(text);
}

template <class Value>
constexpr ValueForm valueForm = std::is_same_v<Value, layout::Tree>     ? ValueForm::Tuple
                                : std::is_same_v<Value, layout::Layout> ? ValueForm::Layout
                                : std::is_same_v<Value, layout::Tile>   ? ValueForm::Tile
                                                                        : ValueForm::Other;

template <class Value, layout::TreeKind kind = layout::TreeKind::IntTuple>
FailureOr<Value> parseQuotedValue(AsmParser &parser) {
  std::string text;
  if (parser.parseLess())
    return failure();
  SMLoc loc = parser.getCurrentLocation();
  if (parseValueText(parser, valueForm<Value>, text))
    return failure();
  Result<Value> value = parseValue<Value, kind>(text, ratiosIn(parser));
  if (!value) {
    parser.emitError(loc, value.reason().text);
    return failure();
  }
  if (parser.parseGreater())
    return failure();
  return *std::move(value);
}
} // namespace

#define TESSERA_QUOTED(NAME, VALUE, KIND)                                                          \
  Type NAME##Type::parse(AsmParser &parser) {                                                      \
    FailureOr<VALUE> value = parseQuotedValue<VALUE, KIND>(parser);                                \
    return failed(value) ? Type() : Type(get(parser.getContext(), *value));                        \
  }                                                                                                \
  void NAME##Type::print(AsmPrinter &printer) const {                                              \
    printer << "<\"" << layout::str(getValue()) << "\">";                                          \
  }                                                                                                \
  bool NAME##Type::isStatic() const { return isStaticValue(getValue()); }                          \
  Attribute NAME##Attr::parse(AsmParser &parser, Type) {                                           \
    FailureOr<VALUE> value = parseQuotedValue<VALUE, KIND>(parser);                                \
    return failed(value) ? Attribute() : Attribute(get(parser.getContext(), *value));              \
  }                                                                                                \
  void NAME##Attr::print(AsmPrinter &printer) const {                                              \
    printer << "<\"" << layout::str(getValue()) << "\">";                                          \
  }

namespace {
template <class Value> bool isStaticValue(const Value &value) { return value.isStatic(); }
bool isStaticValue(const layout::Swizzle &) { return true; }
} // namespace

TESSERA_QUOTED(IntTuple, layout::Tree, layout::TreeKind::IntTuple)
TESSERA_QUOTED(Coord, layout::Tree, layout::TreeKind::Coord)
TESSERA_QUOTED(Shape, layout::Tree, layout::TreeKind::Shape)
TESSERA_QUOTED(Stride, layout::Tree, layout::TreeKind::Stride)
TESSERA_QUOTED(Layout, layout::Layout, layout::TreeKind::IntTuple)
TESSERA_QUOTED(ComposedLayout, layout::Composed, layout::TreeKind::IntTuple)
TESSERA_QUOTED(Tile, layout::Tile, layout::TreeKind::IntTuple)
TESSERA_QUOTED(Swizzle, layout::Swizzle, layout::TreeKind::IntTuple)
#undef TESSERA_QUOTED

//===------------------------------------------------------------------------------------------===//
// Scalars
//===------------------------------------------------------------------------------------------===//

/// `divby 8`, after `pow2, ` in texts that state a power of two.
static ParseResult parseDivisor(AsmParser &parser, int64_t &divby) {
  if (succeeded(parser.parseOptionalKeyword("pow2")) && parser.parseComma())
    return failure();
  return failure(parser.parseKeyword("divby") || parser.parseInteger(divby));
}
static void printDivisor(AsmPrinter &printer, int64_t divby) { printer << "divby " << divby; }

static LogicalResult verifyDivby(function_ref<InFlightDiagnostic()> emitError, int64_t divby) {
  if (divby < 1)
    return emitError() << "expects a positive divisor, but got " << divby;
  return success();
}
LogicalResult ConstrainedI32Type::verify(function_ref<InFlightDiagnostic()> emitError,
                                         int64_t divby) {
  return verifyDivby(emitError, divby);
}
LogicalResult ConstrainedI64Type::verify(function_ref<InFlightDiagnostic()> emitError,
                                         int64_t divby) {
  return verifyDivby(emitError, divby);
}
LogicalResult FastDivmodDivisorType::verify(function_ref<InFlightDiagnostic()> emitError,
                                            unsigned width) {
  if (width != 32 && width != 64)
    return emitError() << "expects a divisor of 32 or 64 bits, but got " << width;
  return success();
}

//===------------------------------------------------------------------------------------------===//
// Pointers
//===------------------------------------------------------------------------------------------===//

int64_t tessera::cute::bitsOf(Type type) {
  if (isa<FloatTF32Type>(type))
    return 32;
  return type.isIntOrFloat() ? type.getIntOrFloatBitWidth() : 8;
}

int64_t PtrType::getElementBits() const { return bitsOf(getElementType()); }

int64_t PtrType::naturalAlignment(Type elementType) {
  return std::max<int64_t>(1, bitsOf(elementType) / 8);
}

LogicalResult PtrType::verify(function_ref<InFlightDiagnostic()> emitError, Type, AddressSpace,
                              int64_t alignment, layout::Swizzle swizzle) {
  if (alignment < 1 || (alignment & (alignment - 1)) != 0)
    return emitError() << "expects the alignment to be a power of two, but got " << alignment;
  if (Result<layout::Swizzle> sound = layout::checked(swizzle); !sound)
    return emitError() << sound.reason().text;
  return success();
}

/// `f16, smem, align<128>, S<3,4,3>`: what pointers and tensors have in common. A pointer without
/// an element, as to a barrier or a tensor map after CuTe DSL's own passes, is one to bytes.
static PtrType parsePointer(AsmParser &parser, Type unnamed = {}) {
  Type element;
  SMLoc loc = parser.getCurrentLocation();
  OptionalParseResult named =
      unnamed ? parser.parseOptionalType(element) : OptionalParseResult(parser.parseType(element));
  if (!named.has_value())
    element = unnamed;
  else if (failed(*named) || parser.parseComma())
    return {};
  FailureOr<AddressSpace> addressSpace = parseAddressSpace(parser);
  if (failed(addressSpace))
    return {};
  int64_t alignment = PtrType::naturalAlignment(element);
  layout::Swizzle swizzle = {0, 4, 3};
  while (succeeded(parser.parseOptionalComma())) {
    if (succeeded(parser.parseOptionalKeyword("align"))) {
      if (parser.parseLess() || parser.parseInteger(alignment) || parser.parseGreater())
        return {};
    } else if (succeeded(parser.parseOptionalKeyword("S"))) {
      if (parser.parseLess() || parser.parseInteger(swizzle.bits) || parser.parseComma() ||
          parser.parseInteger(swizzle.base) || parser.parseComma() ||
          parser.parseInteger(swizzle.shift) || parser.parseGreater())
        return {};
    } else {
      // The layout of a tensor follows; its parser takes the text.
      break;
    }
  }
  return PtrType::getChecked([&] { return parser.emitError(loc); }, parser.getContext(), element,
                             *addressSpace, alignment, swizzle);
}

static void printPointer(AsmPrinter &printer, PtrType ptr) {
  printer << ptr.getElementType() << ", " << atom::name(ptr.getAddressSpace());
  if (ptr.getAlignment() != PtrType::naturalAlignment(ptr.getElementType()))
    printer << ", align<" << ptr.getAlignment() << ">";
  if (ptr.hasSwizzle())
    printer << ", " << layout::str(ptr.getSwizzle());
}

Type PtrType::parse(AsmParser &parser) {
  if (parser.parseLess())
    return {};
  PtrType ptr = parsePointer(parser, parser.getBuilder().getI8Type());
  return ptr && succeeded(parser.parseGreater()) ? ptr : PtrType();
}
void PtrType::print(AsmPrinter &printer) const {
  printer << "<";
  printPointer(printer, *this);
  printer << ">";
}

Type PtrType::advanced(const layout::Tree &offset) const {
  if (offset.isTuple() || offset.leaf().isBasis())
    return {};
  layout::Int distance = offset.leaf().value;
  int64_t elements = distance.isStatic() ? std::abs(distance.value) : distance.div;
  int64_t bits = elements * getElementBits();
  // The largest power of two that divides both the alignment and the distance; at least a byte.
  int64_t alignment = getAlignment();
  while (alignment > 1 && bits % (alignment * 8) != 0)
    alignment /= 2;
  return get(getContext(), getElementType(), getAddressSpace(), alignment, getSwizzle());
}

Type PtrType::viewWith(const layout::AnyLayout &l) const {
  if (l.outer().stride.hasBasis())
    return {};
  return CuteMemRefType::get(getContext(), *this, l);
}

//===------------------------------------------------------------------------------------------===//
// Views and arithmetic tuples
//===------------------------------------------------------------------------------------------===//

/// A quoted layout of either kind.
static FailureOr<layout::AnyLayout> parseLayoutText(AsmParser &parser,
                                                    Ratios ratios = Ratios::Refused) {
  std::string text;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseString(&text))
    return failure();
  Result<layout::AnyLayout> l = layout::parseAnyLayout(text, ratios);
  if (!l) {
    parser.emitError(loc, l.reason().text);
    return failure();
  }
  if (l->composed() && l->composed()->isTrivial()) // no layout of a view has such a type
    return layout::AnyLayout(l->outer());
  return *std::move(l);
}

static FailureOr<layout::Tree> parseTupleText(AsmParser &parser) {
  std::string text;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseString(&text))
    return failure();
  Result<layout::Tree> tree = layout::parseTree(text, layout::TreeKind::IntTuple);
  if (!tree) {
    parser.emitError(loc, tree.reason().text);
    return failure();
  }
  return *std::move(tree);
}

Type CuteMemRefType::parse(AsmParser &parser) {
  if (parser.parseLess())
    return {};
  PtrType ptr = parsePointer(parser);
  if (!ptr)
    return {};
  FailureOr<layout::AnyLayout> l = parseLayoutText(parser);
  if (failed(l) || parser.parseGreater())
    return {};
  return get(parser.getContext(), ptr, *l);
}
void CuteMemRefType::print(AsmPrinter &printer) const {
  printer << "<";
  printPointer(printer, getPtrType());
  printer << ", \"" << layout::str(getLayout()) << "\">";
}
Type CuteMemRefType::getIteratorType() const { return getPtrType(); }
layout::AnyLayout CuteMemRefType::getViewLayout() const { return getLayout(); }

Type ArithTupleIterType::parse(AsmParser &parser) {
  if (parser.parseLess())
    return {};
  FailureOr<layout::Tree> tree = parseTupleText(parser);
  if (failed(tree) || parser.parseGreater())
    return {};
  return get(parser.getContext(), *tree);
}
void ArithTupleIterType::print(AsmPrinter &printer) const {
  printer << "<\"" << layout::str(getValue()) << "\">";
}
Type ArithTupleIterType::advanced(const layout::Tree &offset) const {
  layout::Symbolic arith;
  return get(getContext(), layout::addIndices(arith, getValue(), offset));
}
Type ArithTupleIterType::viewWith(const layout::AnyLayout &l) const {
  return CoordTensorType::get(getContext(), getValue(), l);
}

Type CoordTensorType::parse(AsmParser &parser) {
  if (parser.parseLess())
    return {};
  FailureOr<layout::Tree> start = parseTupleText(parser);
  if (failed(start) || parser.parseComma())
    return {};
  FailureOr<layout::AnyLayout> l = parseLayoutText(parser, Ratios::Read);
  if (failed(l) || parser.parseGreater())
    return {};
  return get(parser.getContext(), *start, *l);
}
void CoordTensorType::print(AsmPrinter &printer) const {
  printer << "<\"" << layout::str(getStart()) << "\", \"" << layout::str(getLayout()) << "\">";
}
Type CoordTensorType::getIteratorType() const {
  return ArithTupleIterType::get(getContext(), getStart());
}
layout::AnyLayout CoordTensorType::getViewLayout() const { return getLayout(); }

//===------------------------------------------------------------------------------------------===//
// Descriptor iterators
//===------------------------------------------------------------------------------------------===//

Type DescIterType::parse(AsmParser &parser) {
  PtrType ptr;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseLess() || parser.parseType(ptr) || parser.parseComma())
    return {};
  FailureOr<layout::AnyLayout> l = parseLayoutText(parser);
  if (failed(l) || parser.parseGreater())
    return {};
  return getChecked([&] { return parser.emitError(loc); }, parser.getContext(), ptr, *l);
}
void DescIterType::print(AsmPrinter &printer) const {
  printer << "<" << getPtrType() << ", \"" << layout::str(getLayout()) << "\">";
}
LogicalResult DescIterType::verify(function_ref<InFlightDiagnostic()> emitError, PtrType ptr,
                                   layout::AnyLayout l) {
  if (!ptr.viewWith(l))
    return emitError() << sentence(Diag::ViewLayout, l);
  return success();
}

layout::Width DescIterType::getIndexWidth() const {
  layout::Symbolic arith;
  layout::Int size = layout::product(arith, getLayout().shape());
  bool wide = arith.overflowed() ||
              (size.isStatic() ? !layout::fitsI32(size.value) : size.width == layout::Width::I64);
  return wide ? layout::Width::I64 : layout::Width::I32;
}

//===------------------------------------------------------------------------------------------===//
// Tiled atoms
//===------------------------------------------------------------------------------------------===//

LogicalResult TiledCopyType::verify(function_ref<InFlightDiagnostic()> emitError, Type atom,
                                    LayoutAttr layoutTV, TileAttr) {
  if (!isa<CopyAtomType>(atom))
    return emitError() << "expects a copy atom, but got " << atom;
  if (layoutTV.getValue().rank() != 2)
    return emitError() << "expects layout_copy_tv to have two modes, thread and value, but got \""
                       << layout::str(layoutTV.getValue()) << "\"";
  return success();
}

LogicalResult TiledMmaType::verify(function_ref<InFlightDiagnostic()> emitError, Type atom,
                                   LayoutAttr atomLayout, TileAttr permutation) {
  if (!isa<MmaAtomType>(atom))
    return emitError() << "expects an MMA atom, but got " << atom;
  if (atomLayout.getValue().rank() != 3)
    return emitError() << "expects atom_layout_MNK to have three modes, but got \""
                       << layout::str(atomLayout.getValue()) << "\"";
  if (permutation && permutation.getValue().isTuple() && permutation.getValue().rank() > 3)
    return emitError() << "expects permutation_MNK to have at most three modes, but got \""
                       << layout::str(permutation.getValue()) << "\"";
  return success();
}

/// Atoms are values only if they have run-time fields.
static bool isStaticAtom(Type atom) {
  auto maybe = dyn_cast<MaybeStaticType>(atom);
  return maybe && maybe.isStatic();
}
bool TiledCopyType::isStatic() const { return isStaticAtom(getAtom()); }
bool TiledMmaType::isStatic() const { return isStaticAtom(getAtom()); }

layout::TiledCopy tessera::cute::tiledCopyOf(TiledCopyType type) {
  return {cast<CopyAtomType>(type.getAtom()).getLayouts(), type.getLayoutCopyTv().getValue(),
          type.getTilerMn().getValue()};
}

layout::TiledMma tessera::cute::tiledMmaOf(TiledMmaType type) {
  TileAttr permutation = type.getPermutation_MNK();
  return {cast<MmaAtomType>(type.getAtom()).getLayouts(), type.getAtomLayout_MNK().getValue(),
          permutation ? permutation.getValue() : layout::Tile()};
}

#define GET_ATTRDEF_CLASSES
#include "tessera/cute/Attrs.cpp.inc"
#define GET_TYPEDEF_CLASSES
#include "tessera/cute/Types.cpp.inc"

Type CuteDialect::parseType(DialectAsmParser &parser) const {
  SMLoc loc = parser.getCurrentLocation();
  StringRef name;
  Type type;
  if (generatedTypeParser(parser, &name, type).has_value())
    return type;
  const Spellings *spellings = Spellings::of(getContext());
  if (Spellings::TypeParser parse = spellings ? spellings->typeNamed(name) : nullptr)
    return parse(parser);
  parser.emitError(loc) << sentence(Diag::TypeName, name);
  return {};
}
void CuteDialect::printType(Type type, DialectAsmPrinter &printer) const {
  (void)generatedTypePrinter(type, printer); // the dialect has no other types
}

void CuteDialect::registerTypes() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "tessera/cute/Types.cpp.inc"
      >();
  addAttributes<
#define GET_ATTRDEF_LIST
#include "tessera/cute/Attrs.cpp.inc"
      >();
}
