// Reading and printing algebra ops by their specification.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cute/Assembly.h"

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
  char result = 0; // 0: not printed
};

TypeSpec typeSpecOf(StringRef spec) {
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

template <class T> Type parseShort(OpAsmParser &parser) { return T::parse(parser); }

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

/// `<[1, 0]>`, `<0, 2>`, `<{only_dynamic}>`, and 4.3.3's `<{mode = [1]}>`; the `<` is consumed.
ParseResult parseAngleAttributes(OpAsmParser &parser, const AttrSpec &spec, NamedAttrList &out) {
  Builder &b = parser.getBuilder();
  if (succeeded(parser.parseOptionalLBrace())) {
    StringRef name;
    if (parser.parseKeyword(&name))
      return failure();
    if (failed(parser.parseOptionalEqual())) {
      out.set(name, b.getUnitAttr());
    } else if (spec.form == AttrForm::List) {
      SmallVector<int32_t> list;
      if (parseIndexList(parser, list))
        return failure();
      out.set(name, b.getDenseI32ArrayAttr(list));
    } else {
      Attribute value;
      if (parser.parseAttribute(value))
        return failure();
      out.set(name, value);
    }
    return failure(parser.parseRBrace() || parser.parseGreater());
  }
  if (spec.form == AttrForm::List) {
    SmallVector<int32_t> list;
    if (parseIndexList(parser, list))
      return failure();
    out.set(spec.names[0], b.getDenseI32ArrayAttr(list));
    return parser.parseGreater();
  }
  if (spec.form == AttrForm::Word) {
    StringRef word;
    SMLoc loc = parser.getCurrentLocation();
    if (parser.parseKeyword(&word))
      return failure();
    std::optional<DivideGrouping> grouping = symbolizeDivideGrouping(word);
    if (!grouping)
      return parser.emitError(loc, "expects logical, zipped, tiled or flat, but got '")
             << word << "'";
    out.set(spec.names[0], DivideGroupingAttr::get(parser.getContext(), *grouping));
    return parser.parseGreater();
  }
  for (size_t i = 0; i < spec.names.size(); ++i) {
    int32_t number;
    if ((i && parser.parseComma()) || parser.parseInteger(number))
      return failure();
    out.set(spec.names[i], b.getI32IntegerAttr(number));
  }
  return parser.parseGreater();
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
    // Native properties are not inherent attributes of the op; they appear in its property
    // dictionary.
    auto dict = cast<DictionaryAttr>(op->getPropertiesAsAttribute());
    printer << cast<IntegerAttr>(dict.get(name)).getValue();
  });
  printer << ">";
}
} // namespace

//===------------------------------------------------------------------------------------------===//
// Ops
//===------------------------------------------------------------------------------------------===//

ParseResult tessera::cute::parseAlgebraText(OpAsmParser &parser, StringRef spec, ParsedOp &op,
                                            bool open) {
  const AttrSpec *attrs = attrSpecOf(spec);
  TypeSpec types = typeSpecOf(spec);
  auto optionalAngles = [&]() -> ParseResult {
    if (hasAngles(attrs) && succeeded(parser.parseOptionalLess()))
      return parseAngleAttributes(parser, *attrs, op.inherent);
    return success();
  };
  if (optionalAngles())
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
  // The specification's spellings leave the parentheses out.
  bool inParentheses = open || succeeded(parser.parseOptionalLParen());
  if (!inParentheses || failed(parser.parseOptionalRParen())) {
    do {
      std::string text;
      if (attrs && attrs->form == AttrForm::Text && succeeded(parser.parseOptionalString(&text))) {
        Result<layout::Tree> tree = layout::parseTree(text, layout::TreeKind::Coord);
        if (!tree)
          return parser.emitError(parser.getCurrentLocation(), tree.reason().text);
        op.inherent.set(attrs->names[0], CoordAttr::get(parser.getContext(), *tree));
      } else if (parser.parseOperand(op.operands.emplace_back())) {
        return failure();
      }
    } while (succeeded(parser.parseOptionalComma()));
    if (inParentheses && parser.parseRParen())
      return failure();
  }
  if (optionalAngles() || parser.parseOptionalAttrDict(op.discardable) || parser.parseColon())
    return failure();

  bool parenthesised = succeeded(parser.parseOptionalLParen());
  if (!parenthesised || failed(parser.parseOptionalRParen())) {
    do {
      char kind = letter(types.operands, op.operandTypes.size());
      if (parseTypeOrShort(parser, kind, op.operandTypes.emplace_back()))
        return failure();
    } while (succeeded(parser.parseOptionalComma()));
    if (parenthesised && parser.parseRParen())
      return failure();
  }
  if (succeeded(parser.parseOptionalArrow()) || succeeded(parser.parseOptionalKeyword("to"))) {
    bool several = succeeded(parser.parseOptionalLParen());
    if (!several || failed(parser.parseOptionalRParen())) {
      do {
        if (parseTypeOrShort(parser, types.result, op.resultTypes.emplace_back()))
          return failure();
      } while (succeeded(parser.parseOptionalComma()));
      if (several && parser.parseRParen())
        return failure();
    }
  }
  return success();
}

void tessera::cute::printAlgebraText(Operation *op, StringRef spec, OpAsmPrinter &printer) {
  const AttrSpec *attrs = attrSpecOf(spec);
  TypeSpec types = typeSpecOf(spec);
  DictionaryAttr properties = dyn_cast_or_null<DictionaryAttr>(op->getPropertiesAsAttribute());
  if (hasAngles(attrs)) {
    printAngleAttributes(op, *attrs, printer);
    printer << " ";
  }
  if (attrs && attrs->form == AttrForm::Letter)
    printer << " " << char('A' + cast<IntegerAttr>(properties.get(attrs->names[0])).getInt())
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
  if (!types.result)
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

LogicalResult tessera::cute::impliedOperandTypes(Type result, size_t count,
                                                 SmallVectorImpl<Type> &types) {
  MLIRContext *context = result.getContext();
  SmallVector<Type, 3> implied =
      TypeSwitch<Type, SmallVector<Type, 3>>(result)
          .Case([&](LayoutType t) {
            return SmallVector<Type, 3>{ShapeType::get(context, t.getValue().shape),
                                        StrideType::get(context, t.getValue().stride)};
          })
          .Case([&](ComposedLayoutType t) {
            layout::Composed c = t.getValue();
            Type inner = c.swizzle()
                             ? Type(SwizzleType::get(context, *c.swizzle()))
                             : Type(LayoutType::get(context, std::get<layout::Layout>(c.inner)));
            return SmallVector<Type, 3>{inner, IntTupleType::get(context, c.offset),
                                        LayoutType::get(context, c.outer)};
          })
          .Case([&](CuteMemRefType t) {
            return SmallVector<Type, 3>{t.getPtrType(), typeOf(context, Datum(t.getLayout()))};
          })
          .Case([&](CoordTensorType t) {
            // 4.3.3 starts coordinate tensors at an int_tuple. An identity tensor is made of its
            // shape.
            if (count == 1)
              return SmallVector<Type, 3>{ShapeType::get(context, t.getLayout().shape())};
            return SmallVector<Type, 3>{IntTupleType::get(context, t.getStart()),
                                        typeOf(context, Datum(t.getLayout()))};
          })
          .Case([&](TiledCopyType t) { return SmallVector<Type, 3>{t.getAtom()}; })
          .Case([&](TiledMmaType t) { return SmallVector<Type, 3>{t.getAtom()}; })
          .Default([](Type) { return SmallVector<Type, 3>(); });
  if (implied.size() < count)
    return failure();
  types.assign(implied.begin(), implied.begin() + count);
  return success();
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
  return parser.emitError(loc) << text;
}
