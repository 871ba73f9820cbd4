// Attributes of the `cuda_tile` dialect: enumerations, predicates of `assume`, hints.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cuda_tile/Assembly.h"
#include "tessera/cuda_tile/Hints.h"

#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tessera::cuda_tile;

#include "tessera/cuda_tile/AttrInterfaces.cpp.inc"
#include "tessera/cuda_tile/Enums.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "tessera/cuda_tile/Attrs.cpp.inc"

void CudaTileDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "tessera/cuda_tile/Attrs.cpp.inc"
      >();
}

//===-- Predicates of assume --===//

namespace tessera::cuda_tile {
/// `div_by<16>` as well as `#cuda_tile.div_by<16>`.
ParseResult parseAssumePredicate(OpAsmParser &parser, AssumePredicate &predicate) {
  SMLoc at = parser.getCurrentLocation();
  Attribute attr;
  StringRef word;
  OptionalParseResult own = parser.parseOptionalAttribute(attr);
  if (!own.has_value()) {
    if (failed(parser.parseOptionalKeyword(&word)))
      return parser.emitError(at) << sentence(Diag::PredicateName);
    if (word == DivByAttr::getMnemonic())
      attr = DivByAttr::parse(parser, {});
    else if (word == SameElementsAttr::getMnemonic())
      attr = SameElementsAttr::parse(parser, {});
    else if (word == BoundedAttr::getMnemonic())
      attr = BoundedAttr::parse(parser, {});
    else
      return parser.emitError(at) << sentence(Diag::UnknownPredicate, word);
    own = ParseResult(failure(!attr));
  }
  if (*own)
    return failure();
  predicate = dyn_cast<AssumePredicate>(attr);
  if (!predicate)
    return parser.emitError(at) << sentence(Diag::ExpectedPredicate);
  return success();
}
} // namespace tessera::cuda_tile

/// One more keyword argument: `, every 4 along 1`.
Attribute DivByAttr::parse(AsmParser &parser, Type) {
  SMLoc at;
  APInt divisor;
  std::optional<int64_t> every, along;
  if (parser.parseLess())
    return {};
  at = parser.getCurrentLocation();
  OptionalParseResult parsed = parser.parseOptionalInteger(divisor);
  if (!parsed.has_value()) {
    parser.emitError(at) << sentence(Diag::DivByNumber);
    return {};
  }
  if (*parsed)
    return {};
  if (divisor.isNegative() || divisor.getActiveBits() > 64) {
    parser.emitError(at) << sentence(divisor.isNegative() ? Diag::DivByPower : Diag::DivByTooLarge);
    return {};
  }
  if (succeeded(parser.parseOptionalComma()))
    if (parser.parseKeyword("every") || parser.parseInteger(every.emplace()) ||
        parser.parseKeyword("along") || parser.parseInteger(along.emplace()))
      return {};
  if (parser.parseGreater())
    return {};
  return DivByAttr::get(parser.getContext(), divisor.getZExtValue(), every, along);
}
void DivByAttr::print(AsmPrinter &printer) const {
  printer << '<' << getDivisor();
  if (getEvery())
    printer << ", every " << *getEvery() << " along " << *getAlong();
  printer << '>';
}
/// Whether a type is a tile of integers or pointers, for which `div_by` has a meaning.
static bool countable(Type type) {
  auto tile = dyn_cast<TileType>(type);
  return tile && isa<IntegerType, PointerType>(tile.getElementType());
}
LogicalResult DivByAttr::verifyFor(Type type, function_ref<InFlightDiagnostic()> emitError) const {
  if (!countable(type) && !isa<TensorViewType>(type))
    return emitError() << sentence(Diag::DivByType);
  if (!llvm::isPowerOf2_64(getDivisor()))
    return emitError() << sentence(Diag::DivByPower);
  // 2^62 is the largest that the bytecode's readers take.
  if (getDivisor() > (uint64_t(1) << 62))
    return emitError() << sentence(Diag::DivByTooLarge);
  if (getEvery().has_value() != getAlong().has_value())
    return emitError() << sentence(Diag::DivByPair);
  if (!getEvery())
    return success();
  auto tile = dyn_cast<TileType>(type);
  if (!tile)
    return emitError() << sentence(Diag::DivByTensorView);
  if (tile.getRank() == 0)
    return emitError() << sentence(Diag::DivByScalar);
  if (*getAlong() < 0 || *getAlong() >= tile.getRank())
    return emitError() << sentence(Diag::DivByAlong, *getAlong(), tile.getRank());
  int64_t extent = tile.getDimSize(unsigned(*getAlong()));
  if (*getEvery() <= 0 || *getEvery() > extent)
    return emitError() << sentence(Diag::DivByEvery, extent);
  return success();
}

Attribute SameElementsAttr::parse(AsmParser &parser, Type) {
  SmallVector<int64_t> values;
  if (parser.parseLess() ||
      parser.parseCommaSeparatedList(
          AsmParser::Delimiter::Square,
          [&]() -> ParseResult { return parser.parseInteger(values.emplace_back()); }) ||
      parser.parseGreater())
    return {};
  return SameElementsAttr::get(parser.getContext(), values);
}
void SameElementsAttr::print(AsmPrinter &printer) const {
  printer << "<[";
  llvm::interleaveComma(getValues(), printer);
  printer << "]>";
}
LogicalResult SameElementsAttr::verifyFor(Type type,
                                          function_ref<InFlightDiagnostic()> emitError) const {
  if (!countable(type))
    return emitError() << sentence(Diag::SameType);
  auto tile = cast<TileType>(type);
  if (int64_t(getValues().size()) != tile.getRank())
    return emitError() << sentence(Diag::SameRank, getValues().size(), tile.getRank());
  for (auto [dim, value] : llvm::enumerate(getValues()))
    if (value <= 0 || value > tile.getDimSize(dim))
      return emitError() << sentence(Diag::SameValue, dim, tile.getDimSize(dim));
  return success();
}

Attribute BoundedAttr::parse(AsmParser &parser, Type) {
  std::optional<int64_t> lower, upper;
  auto bound = [&](std::optional<int64_t> &out) -> ParseResult {
    if (succeeded(parser.parseOptionalQuestion()))
      return success();
    return parser.parseInteger(out.emplace());
  };
  if (parser.parseLess() || bound(lower) || parser.parseComma() || bound(upper) ||
      parser.parseGreater())
    return {};
  return BoundedAttr::get(parser.getContext(), lower, upper);
}
void BoundedAttr::print(AsmPrinter &printer) const {
  auto bound = [&](std::optional<int64_t> value) {
    if (value)
      printer << *value;
    else
      printer << '?';
  };
  printer << '<';
  bound(getLower());
  printer << ", ";
  bound(getUpper());
  printer << '>';
}
LogicalResult BoundedAttr::verifyFor(Type type,
                                     function_ref<InFlightDiagnostic()> emitError) const {
  auto tile = dyn_cast<TileType>(type);
  auto integer = tile ? dyn_cast<IntegerType>(tile.getElementType()) : IntegerType();
  if (!integer)
    return emitError() << sentence(Diag::BoundedType);
  int64_t least = llvm::minIntN(integer.getWidth()), most = llvm::maxIntN(integer.getWidth());
  auto outside = [&](std::optional<int64_t> bound) {
    return bound && (*bound < least || *bound > most);
  };
  if (outside(getLower()))
    return emitError() << sentence(Diag::BoundedRange, "lower", least, most);
  if (outside(getUpper()))
    return emitError() << sentence(Diag::BoundedRange, "upper", least, most);
  if (getLower() && getUpper() && *getLower() > *getUpper())
    return emitError() << sentence(Diag::BoundedOrder);
  return success();
}

//===-- Hints --===//

Attribute OptimizationHintsAttr::parse(AsmParser &parser, Type) {
  NamedAttrList targets;
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::LessGreater, [&]() -> ParseResult {
        std::string target;
        Attribute value;
        SMLoc at = parser.getCurrentLocation();
        if (parser.parseKeywordOrString(&target) || parser.parseEqual() ||
            parser.parseAttribute(value))
          return failure();
        if (targets.get(target))
          return parser.emitError(at) << sentence(Diag::HintTwice, target);
        if (!isa<DictionaryAttr>(value))
          return parser.emitError(at) << sentence(Diag::HintDictionary, target, value);
        targets.append(target, value);
        return success();
      }))
    return {};
  return OptimizationHintsAttr::get(parser.getContext(),
                                    targets.getDictionary(parser.getContext()));
}
void OptimizationHintsAttr::print(AsmPrinter &printer) const {
  printer << '<';
  llvm::interleaveComma(getValue(), printer, [&](NamedAttribute target) {
    printer << target.getName().getValue() << " = ";
    auto hints = dyn_cast<DictionaryAttr>(target.getValue());
    if (!hints)
      return printer.printAttribute(target.getValue());
    printer << '{';
    llvm::interleaveComma(hints, printer, [&](NamedAttribute hint) {
      printer.printKeywordOrString(hint.getName());
      printer << " = ";
      // Numbers are of i64 where they have no type.
      auto number = dyn_cast<IntegerAttr>(hint.getValue());
      if (number && number.getType().isInteger(64))
        printer.printAttributeWithoutType(number);
      else
        printer.printAttribute(hint.getValue());
    });
    printer << '}';
  });
  printer << '>';
}

namespace {
enum class HintKind {
  Power,
  Range,
  Bool
};
/// What a hint may be, and of which ops.
struct HintRow {
  StringLiteral name;
  HintKind kind;
  int64_t least, most;
  unsigned places;
};
constexpr HintRow hintRows[] = {
    {"num_cta_in_cga", HintKind::Power, 1, 16, hints::Entry},
    {"num_worker_warps_per_cta", HintKind::Power, 1, 32, hints::Entry},
    {"occupancy", HintKind::Range, 1, 32, hints::Entry},
    {"allow_tma", HintKind::Bool, 0, 1, hints::View},
    {"latency", HintKind::Range, 1, 10, hints::View | hints::Pointer},
};
constexpr StringLiteral hintTargets[] = {"sm_80",  "sm_86",  "sm_87",  "sm_88",  "sm_89",
                                         "sm_90",  "sm_100", "sm_103", "sm_107", "sm_110",
                                         "sm_120", "sm_121", "default"};
} // namespace

/// What is wrong with a hint; empty if nothing.
static std::string wrongHint(StringRef target, NamedAttribute hint, unsigned place) {
  StringRef name = hint.getName();
  const HintRow *row =
      llvm::find_if(hintRows, [&](const HintRow &each) { return each.name == name; });
  if (row == std::end(hintRows) || !(row->places & place))
    return sentence(Diag::HintName, name);
  if (row->kind == HintKind::Bool)
    return isa<BoolAttr>(hint.getValue()) ? "" : sentence(Diag::HintBool, target, name);
  auto number = dyn_cast<IntegerAttr>(hint.getValue());
  if (!number || isa<BoolAttr>(hint.getValue()))
    return sentence(Diag::HintInteger, target, name);
  int64_t value = number.getValue().getSExtValue();
  // Clusters appeared with sm_90.
  int64_t most = row->name == "num_cta_in_cga" && target.starts_with("sm_8") ? 1 : row->most;
  bool fits = value >= row->least && value <= most;
  if (most == 1 && !fits)
    return sentence(Diag::HintOne, target, name);
  if (row->kind == HintKind::Power)
    return fits && llvm::isPowerOf2_64(uint64_t(value))
               ? ""
               : sentence(Diag::HintPower, most, target, name);
  return fits ? "" : sentence(Diag::HintRange, row->least, row->most, target, name);
}

bool hints::isOf(StringRef name, unsigned place) {
  return llvm::any_of(
      hintRows, [&](const HintRow &row) { return row.name == name && (row.places & place) != 0; });
}
unsigned hints::placeOf(Operation *op) {
  return isa<EntryOp>(op)                         ? Entry
         : isa<LoadViewTkoOp, StoreViewTkoOp>(op) ? View
         : isa<LoadPtrTkoOp, StorePtrTkoOp>(op)   ? Pointer
                                                  : 0;
}
std::string hints::wrong(StringRef target, NamedAttribute hint) {
  return wrongHint(target, hint, Entry | View | Pointer);
}

Attribute hints::of(OptimizationHintsAttr attr, StringRef arch, StringRef name) {
  constexpr unsigned anywhere = Entry | View | Pointer;
  for (StringRef target : {arch.rtrim("af"), StringRef("default")})
    if (auto targets = attr ? attr.getValue().getAs<DictionaryAttr>(target) : DictionaryAttr())
      if (std::optional<NamedAttribute> hint = targets.getNamed(name))
        if (wrongHint(target, *hint, anywhere).empty())
          return hint->getValue();
  return {};
}
std::optional<int64_t> hints::numberOf(OptimizationHintsAttr attr, StringRef arch, StringRef name) {
  auto number = llvm::dyn_cast_or_null<IntegerAttr>(of(attr, arch, name));
  return number ? std::optional(number.getValue().getSExtValue()) : std::nullopt;
}

LogicalResult hints::verify(Operation *op, OptimizationHintsAttr attr, unsigned place) {
  auto *dialect = op->getContext()->getLoadedDialect<CudaTileDialect>();
  if (!attr || dialect->hintPolicy == CudaTileDialect::HintPolicy::Ignore)
    return success();
  bool right = true;
  auto report = [&](const std::string &text) {
    right = false;
    // Not the op's own emitWarning: it prints the op, and printing verifies it first, so that this
    // function would call itself.
    emitWarning(op->getLoc(), text);
  };
  for (NamedAttribute target : attr.getValue()) {
    StringRef key = target.getName();
    auto dictionary = dyn_cast<DictionaryAttr>(target.getValue());
    if (!llvm::is_contained(hintTargets, key)) {
      report(sentence(Diag::HintKey, key));
    } else if (!dictionary) {
      report(sentence(Diag::HintDictionary, key, target.getValue()));
    } else {
      for (NamedAttribute hint : dictionary)
        if (std::string wrong = wrongHint(key, hint, place); !wrong.empty())
          report(wrong);
    }
  }
  if (!right && dialect->hintPolicy == CudaTileDialect::HintPolicy::Error)
    return refuse(op, Diag::HintsRefused);
  return success();
}

//===-- Debug information --===//

static LogicalResult verifyScope(function_ref<InFlightDiagnostic()> emitError, Attribute scope) {
  if (!isa<DISubprogramAttr, DILexicalBlockAttr>(scope))
    return emitError() << sentence(Diag::DiScope, scope);
  return success();
}
LogicalResult DILexicalBlockAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                         Attribute scope, DIFileAttr, unsigned, unsigned) {
  return verifyScope(emitError, scope);
}
LogicalResult DILocAttr::verify(function_ref<InFlightDiagnostic()> emitError, LocationAttr,
                                Attribute scope) {
  return verifyScope(emitError, scope);
}
