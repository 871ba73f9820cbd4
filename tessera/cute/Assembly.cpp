// Reading and printing algebra ops by their specification.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cute/Assembly.h"
#include "tessera/cute/Dictionary.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cute;

namespace {

/// A kind of attribute text: `<...>` after the name or something around the operands.
enum class AttrForm : uint8_t {
  List,
  Numbers,
  Unit,
  Word,
  Letter,
  Text
};

struct AttrSpec {
  StringRef key;
  AttrForm form;
  SmallVector<StringRef, 2> names;
};

const AttrSpec attrSpecs[] = {
    {"mode", AttrForm::List, {"mode"}},
    {"begin,end", AttrForm::Numbers, {"begin", "end"}},
    {"new,old", AttrForm::Numbers, {"new_type_bits", "old_type_bits"}},
    {"rank", AttrForm::Numbers, {"rank"}},
    {"only_dynamic", AttrForm::Unit, {"only_dynamic"}},
    {"grouping", AttrForm::Word, {"grouping"}},
    {"operand_id", AttrForm::Letter, {"operand_id"}},
    {"proj", AttrForm::Text, {"proj"}},
    {"coord", AttrForm::Text, {"coord"}},
};

const AttrSpec *attrSpecOf(StringRef spec) {
  StringRef key = spec.split(';').first.trim();
  for (const AttrSpec &row : attrSpecs)
    if (row.key == key)
      return &row;
  return nullptr;
}

struct TypeSpec {
  StringRef operands; // one letter each, the last one repeats
  bool parenthesised = false;
  char result = 0; // 0: left out where it is what is inferred
};

/// The form of the types. With its coordinate among `count` operands, `dice` has that of `slice`.
TypeSpec typeSpecOf(StringRef spec, size_t count) {
  if (spec.starts_with("coord;") && count > 1)
    spec = "; Q, Q";
  auto [operands, result] = spec.split(';').second.split("->");
  TypeSpec types;
  types.operands = operands.trim();
  types.parenthesised = types.operands.consume_front("(");
  types.operands.consume_back(")");
  if (!result.trim().empty())
    types.result = result.trim()[0];
  return types;
}

char letter(StringRef operands, size_t i) {
  SmallVector<StringRef, 4> parts;
  operands.split(parts, ',');
  StringRef part = parts[std::min(i, parts.size() - 1)].trim();
  return part.empty() ? 'Q' : part[0];
}

/// A type, or `<"...">` where `kind` names a type.
ParseResult parseTypeOrShort(OpAsmParser &parser, char kind, Type &type) {
  // A short form starts with '<'; only the parsers of the value types consume it.
  auto tryShort = [&](auto tag) -> ParseResult {
    using T = typename decltype(tag)::type;
    if (Type t = T::parse(parser)) {
      type = t;
      return success();
    }
    return failure();
  };
  Type full;
  OptionalParseResult parsed = parser.parseOptionalType(full);
  if (parsed.has_value()) {
    type = full;
    return *parsed;
  }
  switch (kind) {
  case 'l': return tryShort(std::type_identity<LayoutType>());
  case 'c': return tryShort(std::type_identity<ComposedLayoutType>());
  case 'i': return tryShort(std::type_identity<IntTupleType>());
  case 't': return tryShort(std::type_identity<TileType>());
  default: return parser.parseType(type);
  }
}

void printTypeOrShort(OpAsmPrinter &printer, char kind, Type type) {
  bool usual = (kind == 'l' && isa<LayoutType>(type)) ||
               (kind == 'c' && isa<ComposedLayoutType>(type)) ||
               (kind == 'i' && isa<IntTupleType>(type)) || (kind == 't' && isa<TileType>(type));
  if (!usual) {
    printer << type;
    return;
  }
  TypeSwitch<Type>(type).Case<LayoutType, ComposedLayoutType, IntTupleType, TileType>(
      [&](auto t) { t.print(printer); });
}

//===------------------------------------------------------------------------------------------===//
// Attributes
//===------------------------------------------------------------------------------------------===//

ParseResult parseIndexList(OpAsmParser &parser, SmallVectorImpl<int32_t> &list) {
  return parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Square,
                                        [&] { return parser.parseInteger(list.emplace_back()); });
}

bool hasAngles(const AttrSpec *spec) {
  return spec && spec->form != AttrForm::Letter && spec->form != AttrForm::Text;
}

void printAngleAttributes(Operation *op, const AttrSpec &spec, OpAsmPrinter &printer) {
  if (spec.form == AttrForm::Unit) {
    if (op->getInherentAttr(spec.names[0]).value_or(Attribute()))
      printer << "<{" << spec.names[0] << "}>";
    return;
  }
  if (spec.form == AttrForm::Word) {
    auto word = cast<DivideGroupingAttr>(op->getInherentAttr(spec.names[0]).value());
    printer << "<" << stringifyDivideGrouping(word.getValue()) << ">";
    return;
  }
  if (spec.form == AttrForm::List) {
    auto list = dyn_cast_or_null<DenseI32ArrayAttr>(
        op->getInherentAttr(spec.names[0]).value_or(Attribute()));
    if (!list || list.empty())
      return;
    printer << "<[";
    llvm::interleaveComma(list.asArrayRef(), printer);
    printer << "]>";
    return;
  }
  printer << "<";
  llvm::interleaveComma(spec.names, printer, [&](StringRef name) {
    printer << cast<IntegerAttr>(op->getInherentAttr(name).value()).getValue();
  });
  printer << ">";
}
} // namespace

//===------------------------------------------------------------------------------------------===//
// Ops
//===------------------------------------------------------------------------------------------===//

/// `<[1, 0]>`, `<0, 2>`, `<zipped>`, `<{only_dynamic}>`
ParseResult tessera::cute::parseAngleAttributes(OpAsmParser &parser, OperationState &state,
                                                ParsedOp &op) {
  const AttrSpec &spec = *attrSpecOf(op.spec);
  Builder &b = parser.getBuilder();
  SMLoc loc = parser.getCurrentLocation();
  if (succeeded(parser.parseOptionalLBrace())) {
    if (spec.form == AttrForm::Unit && succeeded(parser.parseOptionalKeyword(spec.names[0]))) {
      op.inherent.set(spec.names[0], b.getUnitAttr());
      return failure(parser.parseRBrace() || parser.parseGreater());
    }
    OptionalParseResult other = askSpellings(parser, state, Departure::Attributes, op, loc);
    return other.has_value() ? *other : parser.emitError(loc, "expects attributes without names");
  }
  if (spec.form == AttrForm::List) {
    SmallVector<int32_t> list;
    if (parseIndexList(parser, list))
      return failure();
    op.inherent.set(spec.names[0], b.getDenseI32ArrayAttr(list));
    return parser.parseGreater();
  }
  if (spec.form == AttrForm::Word) {
    StringRef word;
    if (parser.parseKeyword(&word))
      return failure();
    std::optional<DivideGrouping> grouping = symbolizeDivideGrouping(word);
    if (!grouping)
      return parser.emitError(loc, "expects logical, zipped, tiled or flat, but got '")
             << word << "'";
    op.inherent.set(spec.names[0], DivideGroupingAttr::get(parser.getContext(), *grouping));
    return parser.parseGreater();
  }
  for (size_t i = 0; i < spec.names.size(); ++i) {
    int32_t number;
    if ((i && parser.parseComma()) || parser.parseInteger(number))
      return failure();
    op.inherent.set(spec.names[i], b.getI32IntegerAttr(number));
  }
  return parser.parseGreater();
}

namespace {
/// The coordinate in quotes that some ops have among their operands, if it is next.
OptionalParseResult parseCoordText(OpAsmParser &parser, ParsedOp &op) {
  const AttrSpec *attrs = attrSpecOf(op.spec);
  std::string text;
  if (!attrs || attrs->form != AttrForm::Text || failed(parser.parseOptionalString(&text)))
    return std::nullopt;
  Result<layout::Tree> tree = layout::parseTree(text, layout::TreeKind::Coord);
  if (!tree)
    return ParseResult(parser.emitError(parser.getCurrentLocation(), tree.reason().text));
  op.inherent.set(attrs->names[0], CoordAttr::get(parser.getContext(), *tree));
  return ParseResult(success());
}

/// An operand or such a coordinate, if it is next.
OptionalParseResult parseOptionalListItem(OpAsmParser &parser, ParsedOp &op) {
  if (OptionalParseResult coord = parseCoordText(parser, op); coord.has_value())
    return coord;
  OpAsmParser::UnresolvedOperand operand;
  OptionalParseResult parsed = parser.parseOptionalOperand(operand);
  if (parsed.has_value() && succeeded(*parsed))
    op.operands.push_back(operand);
  return parsed;
}

/// The text after the first item.
ParseResult parseListRest(OpAsmParser &parser, ParsedOp &op) {
  while (succeeded(parser.parseOptionalComma()))
    if (OptionalParseResult item = parseOptionalListItem(parser, op); !item.has_value())
      return parser.parseOperand(op.operands.emplace_back());
    else if (failed(*item))
      return failure();
  return success();
}

/// `(%a, %b)`
ParseResult parseOperands(OpAsmParser &parser, OperationState &state, ParsedOp &op) {
  SMLoc loc = parser.getCurrentLocation();
  if (failed(parser.parseOptionalLParen())) {
    OptionalParseResult other = askSpellings(parser, state, Departure::Operands, op, loc);
    return other.has_value() ? *other : parser.parseLParen();
  }
  if (succeeded(parser.parseOptionalRParen()))
    return success();
  loc = parser.getCurrentLocation();
  OptionalParseResult first = parseOptionalListItem(parser, op);
  if (!first.has_value()) {
    OptionalParseResult other = askSpellings(parser, state, Departure::InParentheses, op, loc);
    return other.has_value() ? *other : parser.parseOperand(op.operands.emplace_back());
  }
  return failure(failed(*first) || parseListRest(parser, op) || parser.parseRParen());
}

/// Whether the spellings of the context permit a departure that the parser has already read. Where
/// they do not know it, `expected` reports what ours would be.
ParseResult permitted(OpAsmParser &parser, OperationState &state, Departure departure, ParsedOp &op,
                      SMLoc loc, function_ref<ParseResult()> expected) {
  OptionalParseResult other = askSpellings(parser, state, departure, op, loc);
  return other.has_value() ? *other : expected();
}

ParseResult parseTypes(OpAsmParser &parser, OperationState &state, ParsedOp &op) {
  TypeSpec types = typeSpecOf(op.spec, op.operands.size());
  SMLoc start = parser.getCurrentLocation();
  bool parenthesised = succeeded(parser.parseOptionalLParen());
  if (parenthesised != types.parenthesised &&
      permitted(parser, state, Departure::OperandTypes, op, start,
                [&] { return parser.emitError(start, "expects the types as they are printed"); }))
    return failure();
  if (!parenthesised || failed(parser.parseOptionalRParen())) {
    do {
      char kind = letter(types.operands, op.operandTypes.size());
      if (parseTypeOrShort(parser, kind, op.operandTypes.emplace_back()))
        return failure();
    } while (succeeded(parser.parseOptionalComma()));
    if (parenthesised && parser.parseRParen())
      return failure();
  }
  bool arrow = succeeded(parser.parseOptionalArrow());
  if (arrow)
    return parseResultTypes(parser, op);
  if (!types.result)
    return success();
  // A missing part is reported at the types: the next token may be on another line.
  return permitted(parser, state, Departure::ResultsOmitted, op, start,
                   [&] { return parser.parseArrow(); });
}
} // namespace

ParseResult tessera::cute::parseOperandList(OpAsmParser &parser, ParsedOp &op) {
  OptionalParseResult first = parseOptionalListItem(parser, op);
  if (!first.has_value())
    return parser.parseOperand(op.operands.emplace_back());
  return failure(failed(*first) || parseListRest(parser, op));
}

ParseResult tessera::cute::parseResultTypes(OpAsmParser &parser, ParsedOp &op) {
  bool several = succeeded(parser.parseOptionalLParen());
  if (several && succeeded(parser.parseOptionalRParen()))
    return success();
  char kind = typeSpecOf(op.spec, op.operands.size()).result;
  do {
    if (parseTypeOrShort(parser, kind, op.resultTypes.emplace_back()))
      return failure();
  } while (succeeded(parser.parseOptionalComma()));
  return several ? parser.parseRParen() : ParseResult(success());
}

ParseResult tessera::cute::parseAlgebraText(OpAsmParser &parser, OperationState &state,
                                            ParsedOp &op) {
  const AttrSpec *attrs = attrSpecOf(op.spec);
  if (hasAngles(attrs) && succeeded(parser.parseOptionalLess()) &&
      parseAngleAttributes(parser, state, op))
    return failure();
  if (attrs && attrs->form == AttrForm::Letter) {
    StringRef which;
    SMLoc loc = parser.getCurrentLocation();
    if (parser.parseKeyword(&which))
      return failure();
    if (which.size() != 1 || which[0] < 'A' || which[0] > 'C')
      return parser.emitError(loc, "expects operand A, B or C, but got '") << which << "'";
    op.inherent.set(attrs->names[0], parser.getBuilder().getI32IntegerAttr(which[0] - 'A'));
  }
  op.operandsLoc = parser.getCurrentLocation();
  if (parseOperands(parser, state, op))
    return failure();
  if (op.complete)
    return success();
  SMLoc loc = parser.getCurrentLocation();
  if (hasAngles(attrs) && succeeded(parser.parseOptionalLess()) &&
      permitted(parser, state, Departure::AfterOperands, op, loc, [&] {
        return parser.emitError(loc, "expects the attributes before the operands");
      }))
    return failure();
  loc = parser.getCurrentLocation();
  if (parser.parseOptionalAttrDict(op.discardable))
    return failure();
  // As in the generic form before there were properties.
  for (StringAttr name : state.name.getAttributeNames())
    if (Attribute given = op.discardable.erase(name)) {
      if (op.inherent.get(name))
        return parser.emitError(loc) << "expects the attribute '" << name.getValue() << "' once";
      op.inherent.set(name, given);
    }
  return failure(parser.parseColon() || parseTypes(parser, state, op));
}

/// Whether the result types are those that a text without them would get.
static bool areInferred(Operation *op) {
  auto inference = dyn_cast<InferTypeOpInterface>(op);
  SmallVector<Type> inferred;
  return inference &&
         succeeded(inference.inferReturnTypes(op->getContext(), std::nullopt, op->getOperands(),
                                              op->getRawDictionaryAttrs(),
                                              op->getPropertiesStorage(), {}, inferred)) &&
         op->getResultTypes() == TypeRange(inferred);
}

void tessera::cute::printAlgebraText(Operation *op, StringRef spec, OpAsmPrinter &printer) {
  const AttrSpec *attrs = attrSpecOf(spec);
  TypeSpec types = typeSpecOf(spec, op->getNumOperands());
  DictionaryAttr properties = dyn_cast_or_null<DictionaryAttr>(op->getPropertiesAsAttribute());
  if (hasAngles(attrs)) {
    printAngleAttributes(op, *attrs, printer);
    printer << " ";
  }
  if (attrs && attrs->form == AttrForm::Letter)
    printer << " "
            << char('A' +
                    cast<IntegerAttr>(properties.get(attrs->names[0])).getValue().getSExtValue())
            << " ";
  printer << "(" << op->getOperands();
  if (attrs && attrs->form == AttrForm::Text && properties)
    if (auto coord = dyn_cast_or_null<CoordAttr>(properties.get(attrs->names[0])))
      printer << ", \"" << layout::str(coord.getValue()) << "\"";
  printer << ")";
  printer.printOptionalAttrDict(op->getDiscardableAttrDictionary().getValue());
  printer << " : ";
  if (types.parenthesised)
    printer << "(";
  for (auto [i, type] : llvm::enumerate(op->getOperandTypes())) {
    if (i)
      printer << ", ";
    printTypeOrShort(printer, letter(types.operands, i), type);
  }
  if (types.parenthesised)
    printer << ")";
  if (!types.result && areInferred(op))
    return;
  printer << " -> ";
  bool several = op->getNumResults() != 1;
  if (several)
    printer << "(";
  llvm::interleaveComma(op->getResultTypes(), printer,
                        [&](Type type) { printTypeOrShort(printer, types.result, type); });
  if (several)
    printer << ")";
}

ParseResult tessera::cute::parseConstructor(OpAsmParser &parser, OperationState &result) {
  ParsedOp op("; (Q) -> Q");
  op.operandsLoc = parser.getCurrentLocation();
  Type type;
  if (parseOperands(parser, result, op) || parseDictionary(parser, result) || parser.parseColon())
    return failure();
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseType(type))
    return failure();
  if (auto function = dyn_cast<FunctionType>(type)) {
    op.operandTypes.assign(function.getInputs().begin(), function.getInputs().end());
    op.resultTypes.assign(function.getResults().begin(), function.getResults().end());
  } else {
    op.operandTypes = {type};
    if (permitted(parser, result, Departure::ResultsOmitted, op, loc,
                  [&] { return parser.parseArrow(); }))
      return failure();
  }
  if (op.resultTypes.size() != 1)
    return parser.emitError(op.operandsLoc)
           << "expects one result type, but got " << op.resultTypes.size();
  result.addTypes(op.resultTypes);
  return parser.resolveOperands(op.operands, op.operandTypes, op.operandsLoc, result.operands);
}

void tessera::cute::printConstructor(Operation *op, OpAsmPrinter &printer) {
  printer << "(" << op->getOperands() << ")";
  printer.printOptionalAttrDict(op->getAttrs());
  printer << " : ";
  printer.printFunctionalType(op);
}

LogicalResult tessera::cute::verifyOperands(OpAsmParser &parser, OperationState &state, SMLoc loc) {
  // The verifier checks operands before results, so that a probe with a result that no op has fails
  // only after them.
  Type nothing = parser.getBuilder().getNoneType();
  Operation *probe =
      Operation::create(state.location, state.name, TypeRange(nothing), state.operands,
                        NamedAttrList(), state.getRawProperties(), BlockRange(), 0u);
  std::string problem;
  {
    ScopedDiagnosticHandler capture(parser.getContext(), [&](Diagnostic &diagnostic) {
      if (problem.empty())
        problem = diagnostic.str();
      return success();
    });
    if (succeeded(state.name.verifyInvariants(probe)))
      problem.clear();
  }
  probe->destroy();
  StringRef text = problem;
  bool aboutResult = text.contains(" result") || text.contains(" return");
  if (text.empty() || aboutResult)
    return success();
  text.consume_front(("'" + state.name.getStringRef() + "' op ").str());
  // These ops call their first operand by its name, as the public dialect has it.
  if (text.consume_front("operand #0 must be "))
    return parser.emitError(loc) << "expects $input to be " << text;
  return parser.emitError(loc) << text;
}
