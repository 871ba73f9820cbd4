// Reading and writing parts of ops.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cuda_tile/Assembly.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace tessera::cuda_tile;

//===-- Types --===//

ParseResult tessera::cuda_tile::parseShortTypes(AsmParser &parser, SmallVectorImpl<Type> &types) {
  return parser.parseCommaSeparatedList(
      [&] { return parseShortType(parser, types.emplace_back()); });
}
void tessera::cuda_tile::printShortTypes(AsmPrinter &printer, TypeRange types) {
  llvm::interleaveComma(types, printer, [&](Type type) { printShortType(printer, type); });
}
ParseResult tessera::cuda_tile::parseColonTypes(OpAsmParser &parser, SmallVectorImpl<Type> &types) {
  if (failed(parser.parseOptionalColon()))
    return success();
  return parseShortTypes(parser, types);
}
void tessera::cuda_tile::printColonTypes(OpAsmPrinter &printer, Operation *, TypeRange types) {
  if (types.empty())
    return;
  printer << ": ";
  printShortTypes(printer, types);
}
static ParseResult parseFurtherType(OpAsmParser &parser, Type &type) {
  if (failed(parser.parseOptionalComma()))
    return success();
  return parseShortType(parser, type);
}
ParseResult tessera::cuda_tile::parseShortTypes(OpAsmParser &parser, Type &first, Type &second) {
  return failure(parseShortType(parser, first) || parseFurtherType(parser, second));
}
void tessera::cuda_tile::printShortTypes(OpAsmPrinter &printer, Operation *, Type first,
                                         Type second) {
  printShortType(printer, first);
  if (second) {
    printer << ", ";
    printShortType(printer, second);
  }
}

//===-- Keywords --===//

/// A keyword of an enumeration; `diag` names what may come.
template <class Enum, class Attr>
static ParseResult parseEnum(OpAsmParser &parser, Diag diag, Attr &attr,
                             std::optional<Enum> (*symbolize)(StringRef)) {
  SMLoc at = parser.getCurrentLocation();
  StringRef word;
  std::optional<Enum> value;
  if (succeeded(parser.parseKeyword(&word)))
    value = symbolize(word);
  if (!value)
    return parser.emitError(at) << sentence(diag);
  attr = Attr::get(parser.getContext(), *value);
  return success();
}
ParseResult tessera::cuda_tile::parseSignedness(OpAsmParser &parser, SignednessAttr &attr) {
  return parseEnum<Signedness>(parser, Diag::SignednessKind, attr, symbolizeSignedness);
}
void tessera::cuda_tile::printSignedness(OpAsmPrinter &printer, Operation *, SignednessAttr attr) {
  printer << stringifyEnum(attr.getValue());
}
ParseResult tessera::cuda_tile::parsePredicate(OpAsmParser &parser, ComparisonPredicateAttr &attr) {
  return parseEnum<ComparisonPredicate>(parser, Diag::PredicateKind, attr,
                                        symbolizeComparisonPredicate);
}
void tessera::cuda_tile::printPredicate(OpAsmPrinter &printer, Operation *,
                                        ComparisonPredicateAttr attr) {
  printer << stringifyEnum(attr.getValue());
}
ParseResult tessera::cuda_tile::parseOrdering(OpAsmParser &parser, ComparisonOrderingAttr &attr) {
  return parseEnum<ComparisonOrdering>(parser, Diag::OrderingKind, attr,
                                       symbolizeComparisonOrdering);
}
void tessera::cuda_tile::printOrdering(OpAsmPrinter &printer, Operation *,
                                       ComparisonOrderingAttr attr) {
  printer << stringifyEnum(attr.getValue());
}

ParseResult tessera::cuda_tile::parseOverflow(OpAsmParser &parser, IntegerOverflowAttr &attr) {
  if (parser.parseLess())
    return failure();
  SMLoc at = parser.getCurrentLocation();
  StringRef word;
  (void)parser.parseOptionalKeyword(&word);
  std::optional<IntegerOverflow> value = symbolizeIntegerOverflow(word);
  if (!value)
    return parser.emitError(at) << sentence(Diag::OverflowKind, word);
  attr = IntegerOverflowAttr::get(parser.getContext(), *value);
  return parser.parseGreater();
}
void tessera::cuda_tile::printOverflow(OpAsmPrinter &printer, Operation *,
                                       IntegerOverflowAttr attr) {
  printer << '<' << stringifyEnum(attr.getValue()) << '>';
}

//===-- Rounding --===//

ParseResult tessera::cuda_tile::parseRounding(OpAsmParser &parser, const RoundingRule &rule,
                                              RoundingModeAttr &attr) {
  attr = RoundingModeAttr::get(parser.getContext(), rule.fallback);
  if (failed(parser.parseOptionalKeyword("rounding")))
    return success();
  if (parser.parseLess())
    return failure();
  SMLoc at = parser.getCurrentLocation();
  StringRef word;
  (void)parser.parseKeyword(&word); // the error below lists the modes in any case
  std::optional<RoundingMode> mode = symbolizeRoundingMode(word);
  if (!mode || (rule.isStrict && !llvm::is_contained(rule.modes, *mode))) {
    // Modes that 13.4 added are left out: the message is NVIDIA's of 13.3.
    std::string known;
    for (RoundingMode each : rule.modes)
      if (each != RoundingMode::NearestAway)
        known += (known.empty() ? "'" : ", '") + stringifyRoundingMode(each).str() + "'";
    return parser.emitError(at) << sentence(Diag::RoundingKind, known, word);
  }
  attr = RoundingModeAttr::get(parser.getContext(), *mode);
  return parser.parseGreater();
}
void tessera::cuda_tile::printRounding(OpAsmPrinter &printer, const RoundingRule &rule,
                                       RoundingModeAttr attr) {
  if (attr.getValue() != rule.fallback)
    printer << "rounding<" << stringifyEnum(attr.getValue()) << '>';
}

//===-- Memory --===//

ParseResult tessera::cuda_tile::parseMemoryAttributes(OpAsmParser &parser,
                                                      MemoryOrderingSemanticsAttr &order,
                                                      MemoryScopeAttr &scope) {
  SMLoc at = parser.getCurrentLocation();
  StringRef word;
  (void)parser.parseKeyword(&word); // the error below lists the orderings in any case
  auto ordering = symbolizeMemoryOrderingSemantics(word);
  if (!ordering)
    return parser.emitError(at) << sentence(Diag::OrderKeyword, word);
  order = MemoryOrderingSemanticsAttr::get(parser.getContext(), *ordering);
  at = parser.getCurrentLocation();
  if (failed(parser.parseOptionalKeyword(&word)))
    return success();
  if (*ordering == MemoryOrderingSemantics::Weak)
    return parser.emitError(at) << sentence(Diag::WeakWithScope, word);
  auto where = symbolizeMemoryScope(word);
  if (!where)
    return parser.emitError(at) << sentence(Diag::ScopeKeyword, word);
  scope = MemoryScopeAttr::get(parser.getContext(), *where);
  return success();
}
void tessera::cuda_tile::printMemoryAttributes(OpAsmPrinter &printer, Operation *,
                                               MemoryOrderingSemanticsAttr order,
                                               MemoryScopeAttr scope) {
  printer << stringifyEnum(order.getValue());
  if (scope)
    printer << ' ' << stringifyEnum(scope.getValue());
}

/// A keyword of an enumeration whose attributes are plain numbers in the generic form; `diag` says
/// which there are.
template <class Attr, class Enum>
static ParseResult parseNumbered(OpAsmParser &parser, Diag diag, Attr &attr,
                                 std::optional<Enum> (*symbolize)(StringRef)) {
  SMLoc at = parser.getCurrentLocation();
  StringRef word;
  if (parser.parseKeyword(&word))
    return failure();
  std::optional<Enum> value = symbolize(word);
  if (!value)
    return parser.emitError(at) << sentence(diag, word);
  attr = Attr::get(parser.getContext(), *value);
  return success();
}
ParseResult tessera::cuda_tile::parseRedMemory(OpAsmParser &parser,
                                               MemoryOrderingSemanticsAttr &order,
                                               MemoryScopeAttr &scope) {
  if (parseNumbered<MemoryOrderingSemanticsAttr, MemoryOrderingSemantics>(
          parser, Diag::RedOrderKeyword, order, symbolizeMemoryOrderingSemantics))
    return failure();
  // That a scope is missing says the op.
  SMLoc at = parser.getCurrentLocation();
  StringRef word;
  if (failed(parser.parseOptionalKeyword(&word)))
    return success();
  std::optional<MemoryScope> value = symbolizeMemoryScope(word);
  if (!value)
    return parser.emitError(at) << sentence(Diag::RedScopeKeyword, word);
  scope = MemoryScopeAttr::get(parser.getContext(), *value);
  return success();
}
ParseResult tessera::cuda_tile::parseRedMode(OpAsmParser &parser, AtomicRMWModeAttr &mode) {
  return parseNumbered<AtomicRMWModeAttr, AtomicRMWMode>(parser, Diag::RedModeKeyword, mode,
                                                         symbolizeAtomicRMWMode);
}
void tessera::cuda_tile::printRedMode(OpAsmPrinter &printer, Operation *, AtomicRMWModeAttr mode) {
  printer << stringifyEnum(mode.getValue());
}

ParseResult tessera::cuda_tile::parseLoadOperands(OpAsmParser &parser,
                                                  OpAsmParser::UnresolvedOperand &source,
                                                  OptionalOperand &mask, OptionalOperand &padding) {
  if (parser.parseOperand(source))
    return failure();
  if (failed(parser.parseOptionalComma()))
    return success();
  if (succeeded(parser.parseOptionalKeyword("padding")))
    return failure(parser.parseEqual() || parser.parseOperand(padding.emplace()));
  if (parser.parseOperand(mask.emplace()))
    return failure();
  return failed(parser.parseOptionalComma()) ? success() : parser.parseOperand(padding.emplace());
}
void tessera::cuda_tile::printLoadOperands(OpAsmPrinter &printer, Operation *, Value source,
                                           Value mask, Value padding) {
  printer << source;
  if (mask)
    printer << ", " << mask;
  if (padding)
    printer << (mask ? ", " : ", padding = ") << padding;
}
ParseResult tessera::cuda_tile::parseLoadTypes(OpAsmParser &parser, Type &source,
                                               OptionalOperand mask, Type &maskType,
                                               OptionalOperand padding, Type &paddingType) {
  return failure(parseShortType(parser, source) ||
                 (mask && (parser.parseComma() || parseShortType(parser, maskType))) ||
                 (padding && (parser.parseComma() || parseShortType(parser, paddingType))));
}
void tessera::cuda_tile::printLoadTypes(OpAsmPrinter &printer, Operation *op, Type source, Value,
                                        Type maskType, Value, Type paddingType) {
  printShortTypes(printer, op, source, maskType);
  if (paddingType) {
    printer << ", ";
    printShortType(printer, paddingType);
  }
}

ParseResult tessera::cuda_tile::parseIndexTypes(OpAsmParser &parser,
                                                ArrayRef<OpAsmParser::UnresolvedOperand> index,
                                                SmallVectorImpl<Type> &types) {
  if (failed(parser.parseOptionalComma())) {
    if (index.empty())
      return success();
    return parser.emitError(parser.getCurrentLocation()) << sentence(Diag::IndexTypesMissing);
  }
  SMLoc at = parser.getCurrentLocation();
  if (parseShortType(parser, types.emplace_back()))
    return parser.emitError(at) << sentence(Diag::IndexTypeExpected);
  if (succeeded(parser.parseOptionalComma()) && parseShortTypes(parser, types))
    return failure();
  if (types.size() == 1) {
    Type common = types.front();
    types.assign(index.size(), common);
  }
  if (types.size() != index.size())
    return parser.emitError(at) << sentence(Diag::IndexTypeCount, index.size(), types.size());
  return success();
}
void tessera::cuda_tile::printIndexTypes(OpAsmPrinter &printer, Operation *, OperandRange,
                                         TypeRange types) {
  if (types.empty())
    return;
  printer << ", ";
  if (llvm::all_equal(types))
    printShortType(printer, types.front());
  else
    printShortTypes(printer, types);
}

ParseResult tessera::cuda_tile::parseViewAttributes(OpAsmParser &parser,
                                                    NamedAttrList &attributes) {
  (void)parser.parseOptionalKeyword("attributes");
  return parser.parseOptionalAttrDict(attributes);
}
void tessera::cuda_tile::printViewAttributes(OpAsmPrinter &printer, Operation *,
                                             DictionaryAttr attributes) {
  // The others have places of their own in the text.
  printer.printOptionalAttrDictWithKeyword(attributes.getValue(),
                                           {"memory_ordering_semantics", "memory_scope", "mode",
                                            "optimization_hints", "operandSegmentSizes"});
}

//===-- Carried values --===//

ParseResult
tessera::cuda_tile::parseAssignments(OpAsmParser &parser,
                                     SmallVectorImpl<OpAsmParser::Argument> &arguments,
                                     SmallVectorImpl<OpAsmParser::UnresolvedOperand> &operands) {
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Paren, [&]() -> ParseResult {
    return failure(parser.parseArgument(arguments.emplace_back()) || parser.parseEqual() ||
                   parser.parseOperand(operands.emplace_back()));
  });
}
void tessera::cuda_tile::printAssignments(OpAsmPrinter &printer, Block::BlockArgListType arguments,
                                          ValueRange operands) {
  printer << '(';
  llvm::interleaveComma(llvm::zip(arguments, operands), printer, [&](auto pair) {
    printer << std::get<0>(pair) << " = " << std::get<1>(pair);
  });
  printer << ')';
}

//===-- Literals --===//

namespace {
/// Reads the numbers of a literal and the shape that its brackets have.
class LiteralReader {
public:
  LiteralReader(OpAsmParser &parser, Type element) : parser(parser), element(element) {}

  ParseResult list(unsigned depth) {
    int64_t count = 0;
    std::optional<bool> nested;
    SMLoc at = parser.getCurrentLocation();
    auto entry = [&]() -> ParseResult {
      ++count;
      bool inner = succeeded(parser.parseOptionalLSquare());
      if (nested && *nested != inner)
        return parser.emitError(at) << sentence(Diag::LiteralRagged);
      nested = inner;
      if (!inner)
        return value();
      return list(depth + 1);
    };
    // The bracket that opens the list has been read. A list is never empty, as no tile is.
    if (parser.parseCommaSeparatedList(entry) || parser.parseRSquare())
      return failure();
    if (shape.size() <= depth)
      shape.resize(depth + 1, -1);
    if (shape[depth] >= 0 && shape[depth] != count)
      return parser.emitError(at) << sentence(Diag::LiteralRagged);
    shape[depth] = count;
    return success();
  }

  ParseResult value() {
    if (auto kind = dyn_cast<FloatType>(element)) {
      SMLoc at = parser.getCurrentLocation();
      APFloat number(kind.getFloatSemantics());
      if (parser.parseFloat(kind.getFloatSemantics(), number))
        return failure();
      // Formats without infinity or sign make NaN of what they do not have. A NaN is written as
      // its bits.
      StringRef text = StringRef(at.getPointer(), 64).take_while([](char c) {
        return llvm::isAlnum(c) || llvm::is_contained(StringRef("+-."), c);
      });
      bits.push_back(number.bitcastToAPInt());
      if (APFloat(kind.getFloatSemantics(), bits.back()).isNaN() && !text.starts_with("0x"))
        return parser.emitError(at) << sentence(Diag::FloatRange, text, element);
      return success();
    }
    unsigned width = element.getIntOrFloatBitWidth();
    SMLoc at = parser.getCurrentLocation();
    // MLIR takes `true` and `false` for 1 and 0 wherever a number may be.
    StringRef word;
    if (succeeded(parser.parseOptionalKeyword(&word, {"true", "false"}))) {
      if (width != 1)
        return parser.emitError(at) << sentence(Diag::ExpectedInteger);
      bits.push_back(APInt(1, word == "true"));
      return success();
    }
    APInt number;
    OptionalParseResult parsed = parser.parseOptionalInteger(number);
    if (!parsed.has_value())
      return parser.emitError(at) << sentence(Diag::ExpectedInteger);
    if (*parsed)
      return failure();
    // Two errors: MLIR's, and NVIDIA's for numbers above this width.
    if (number.getSignificantBits() > 64) {
      parser.emitError(at) << sentence(Diag::IntegerTooLarge);
      return parser.emitError(at) << sentence(Diag::ExpectedInteger);
    }
    // A number without sign may use all bits, as hexadecimal ones do.
    bool fits = number.isNegative() ? number.getSignificantBits() <= width
                                    : number.getActiveBits() <= width;
    if (!fits) {
      SmallString<32> digits;
      number.toStringSigned(digits);
      return parser.emitError(at) << sentence(Diag::IntegerRange, digits.str(), element);
    }
    bits.push_back(number.sextOrTrunc(width));
    return success();
  }

  SmallVector<APInt> bits;
  SmallVector<int64_t> shape;

private:
  OpAsmParser &parser;
  Type element;
};
} // namespace

ParseResult tessera::cuda_tile::parseLiteral(OpAsmParser &parser, DenseElementsAttr &value,
                                             TileType &type) {
  Type element;
  if (parser.parseLess())
    return failure();
  SMLoc elementAt = parser.getCurrentLocation();
  if (parseShortType(parser, element))
    return parser.emitError(elementAt) << sentence(Diag::LiteralElement, element);
  auto number = dyn_cast<IntegerType>(element);
  bool known = (number && number.isSignless() &&
                llvm::is_contained({1u, 8u, 16u, 32u, 64u}, number.getWidth())) ||
               isa<Float16Type, BFloat16Type, Float32Type, Float64Type, FloatTF32Type,
                   Float8E4M3FNType, Float8E5M2Type, Float8E8M0FNUType, Float4E2M1FNType>(element);
  if (!known)
    return parser.emitError(elementAt) << sentence(Diag::LiteralElement, element);
  if (parser.parseColon())
    return failure();
  LiteralReader reader(parser, element);
  bool list = succeeded(parser.parseOptionalLSquare());
  if (list ? reader.list(0) : reader.value())
    return failure();
  if (parser.parseGreater() || parser.parseColon())
    return failure();
  SMLoc typeAt = parser.getCurrentLocation();
  Type result;
  if (parseShortType(parser, result))
    return failure();
  type = dyn_cast<TileType>(result);
  if (!type)
    return parser.emitError(typeAt) << sentence(Diag::ConstantResult, result);
  if (type.getElementType() != element)
    return parser.emitError(typeAt)
           << sentence(Diag::ConstantElement, element, type.getElementType());
  if (list && ArrayRef<int64_t>(reader.shape) != type.getShape())
    return parser.emitError(typeAt)
           << sentence(Diag::LiteralShape, type.getShape(), ArrayRef<int64_t>(reader.shape));
  if (isa<IntegerType>(element)) {
    value = DenseElementsAttr::get(type, reader.bits);
    return success();
  }
  SmallVector<APFloat> floats;
  for (const APInt &bits : reader.bits)
    floats.emplace_back(cast<FloatType>(element).getFloatSemantics(), bits);
  value = DenseElementsAttr::get(type, floats);
  return success();
}

void tessera::cuda_tile::printLiteral(OpAsmPrinter &printer, DenseElementsAttr value) {
  auto type = cast<TileType>(value.getType());
  Type element = type.getElementType();
  printer << '<' << element << ": ";
  auto print = [&](Attribute number) {
    if (auto real = dyn_cast<FloatAttr>(number))
      printer.printFloat(real.getValue());
    else if (element.isInteger(1))
      printer << (cast<IntegerAttr>(number).getValue().isZero() ? "false" : "true");
    else
      printer << cast<IntegerAttr>(number).getValue().getSExtValue();
  };
  if (value.isSplat()) {
    print(value.getSplatValue<Attribute>());
  } else {
    auto numbers = value.getValues<Attribute>();
    auto next = numbers.begin();
    std::function<void(ArrayRef<int64_t>)> list = [&](ArrayRef<int64_t> shape) {
      if (shape.empty())
        return print(*next++);
      printer << '[';
      for (int64_t i = 0; i < shape.front(); ++i) {
        if (i)
          printer << ", ";
        list(shape.drop_front());
      }
      printer << ']';
    };
    list(type.getShape());
  }
  printer << '>';
}
