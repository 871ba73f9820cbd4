// Text and verifiers of modules, functions and globals.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cuda_tile/Assembly.h"
#include "tessera/cuda_tile/DebugInfo.h"
#include "tessera/cuda_tile/Hints.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tessera::cuda_tile;

#define GET_OP_CLASSES
#include "tessera/cuda_tile/ops/Module.cpp.inc"

//===-- module --===//

ParseResult TileModuleOp::parse(OpAsmParser &parser, OperationState &state) {
  StringAttr name;
  Region *body = state.addRegion();
  if (parser.parseSymbolName(name) || parser.parseOptionalAttrDictWithKeyword(state.attributes) ||
      parser.parseRegion(*body, /*arguments=*/{}))
    return failure();
  state.getOrAddProperties<Properties>().sym_name = name;
  if (body->empty())
    body->emplaceBlock();
  return success();
}
void TileModuleOp::print(OpAsmPrinter &printer) {
  printer << ' ';
  printer.printSymbolName(getSymName());
  printer.printOptionalAttrDictWithKeyword((*this)->getAttrs(), {getSymNameAttrName()});
  printer << ' ';
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false, /*printBlockTerminators=*/false);
}
LogicalResult TileModuleOp::verifyRegions() { return verifyModuleScopes(*this); }

//===-- Functions --===//

/// `@name(%a: T, ...) -> R optimization_hints=<...> attributes {...} {...} {...}`.
template <class Function>
static ParseResult parseFunction(OpAsmParser &parser, OperationState &state, bool hasHints) {
  StringAttr name;
  SmallVector<OpAsmParser::Argument> arguments;
  SmallVector<Type> results;
  auto &own = state.getOrAddProperties<typename Function::Properties>();
  if (parser.parseSymbolName(name) ||
      parser.parseCommaSeparatedList(AsmParser::Delimiter::Paren, [&]() -> ParseResult {
        OpAsmParser::Argument &argument = arguments.emplace_back();
        NamedAttrList attributes;
        if (parser.parseArgument(argument) || parser.parseColon() ||
            parseShortType(parser, argument.type) || parser.parseOptionalAttrDict(attributes) ||
            parser.parseOptionalLocationSpecifier(argument.sourceLoc))
          return failure();
        argument.attrs = attributes.getDictionary(parser.getContext());
        return success();
      }))
    return failure();
  if (succeeded(parser.parseOptionalArrow())) {
    if (succeeded(parser.parseOptionalLParen())) {
      if (failed(parser.parseOptionalRParen()) &&
          (parseShortTypes(parser, results) || parser.parseRParen()))
        return failure();
    } else if (parseShortType(parser, results.emplace_back())) {
      return failure();
    }
  }
  if constexpr (std::is_same_v<Function, EntryOp>)
    if (hasHints && succeeded(parser.parseOptionalKeyword("optimization_hints"))) {
      if (parser.parseEqual())
        return failure();
      own.optimization_hints =
          llvm::dyn_cast_or_null<OptimizationHintsAttr>(OptimizationHintsAttr::parse(parser, {}));
      if (!own.optimization_hints)
        return failure();
    }
  if (parser.parseOptionalAttrDictWithKeyword(state.attributes))
    return failure();
  SmallVector<Type> types;
  bool hasAttributes = false;
  SmallVector<Attribute> attributes;
  for (OpAsmParser::Argument &argument : arguments) {
    types.push_back(argument.type);
    attributes.push_back(argument.attrs);
    hasAttributes |= !argument.attrs.empty();
  }
  own.sym_name = name;
  own.function_type = TypeAttr::get(FunctionType::get(parser.getContext(), types, results));
  if (hasAttributes)
    own.arg_attrs = ArrayAttr::get(parser.getContext(), attributes);
  if (parseBody<ReturnOp>(parser, *state.addRegion(), state.location, arguments))
    return failure();
  return parser.parseOptionalAttrDict(state.attributes);
}
template <class Function>
static void printFunction(OpAsmPrinter &printer, Function op, OptimizationHintsAttr advice,
                          ArrayRef<StringRef> own) {
  printer << ' ';
  printer.printSymbolName(op.getSymName());
  printer << '(';
  ArrayAttr attributes = op.getArgAttrsAttr();
  llvm::interleaveComma(op.getBody().getArguments(), printer, [&](BlockArgument argument) {
    printer << argument << ": ";
    printShortType(printer, argument.getType());
    if (attributes)
      printer.printOptionalAttrDict(
          cast<DictionaryAttr>(attributes[argument.getArgNumber()]).getValue());
  });
  printer << ')';
  ArrayRef<Type> results = op.getFunctionType().getResults();
  if (!results.empty()) {
    printer << " -> ";
    if (results.size() > 1)
      printer << '(';
    printShortTypes(printer, results);
    if (results.size() > 1)
      printer << ')';
  }
  if (advice && !advice.getValue().empty()) {
    printer << " optimization_hints=";
    advice.print(printer);
  }
  printer << ' ';
  printer.printRegion(op.getBody(), /*printEntryBlockArgs=*/false);
  printer.printOptionalAttrDict(op->getAttrs(), own);
}

ParseResult EntryOp::parse(OpAsmParser &parser, OperationState &state) {
  return parseFunction<EntryOp>(parser, state, /*hasHints=*/true);
}
void EntryOp::print(OpAsmPrinter &printer) {
  printFunction(printer, *this, getOptimizationHintsAttr(),
                {getSymNameAttrName(), getFunctionTypeAttrName(), getArgAttrsAttrName(),
                 getResAttrsAttrName(), getOptimizationHintsAttrName()});
}
LogicalResult EntryOp::verify() {
  if (getFunctionType().getNumResults())
    return refuse(*this, Diag::EntryResults);
  for (Type type : getArgumentTypes())
    if (auto tile = dyn_cast<TileType>(type); tile && tile.getRank() != 0)
      return refuse(*this, Diag::EntryScalars);
  return hints::verify(*this, getOptimizationHintsAttr(), hints::Entry);
}
LogicalResult EntryOp::verifyRegions() { return verifyFunctionScopes(*this); }

ParseResult TestingFuncOp::parse(OpAsmParser &parser, OperationState &state) {
  return parseFunction<TestingFuncOp>(parser, state, /*hasHints=*/false);
}
void TestingFuncOp::print(OpAsmPrinter &printer) {
  printFunction(printer, *this, {},
                {getSymNameAttrName(), getFunctionTypeAttrName(), getArgAttrsAttrName(),
                 getResAttrsAttrName()});
}
LogicalResult TestingFuncOp::verify() { return success(); }
LogicalResult TestingFuncOp::verifyRegions() { return verifyFunctionScopes(*this); }

//===-- Globals --===//

ParseResult GlobalOp::parse(OpAsmParser &parser, OperationState &state) {
  auto &own = state.getOrAddProperties<Properties>();
  MLIRContext *context = parser.getContext();
  SymbolVisibility visibility = SymbolVisibility::Public;
  if (succeeded(parser.parseOptionalKeyword("private")))
    visibility = SymbolVisibility::Private;
  else
    (void)parser.parseOptionalKeyword("public");
  own.symbol_visibility = SymbolVisibilityAttr::get(context, visibility);
  if (succeeded(parser.parseOptionalKeyword("constant")))
    own.constant = UnitAttr::get(context);
  DenseElementsAttr value;
  TileType type;
  int64_t alignment = 0;
  if (parser.parseSymbolName(own.sym_name))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("alignment")) &&
      (parser.parseEqual() || parser.parseInteger(alignment)))
    return failure();
  own.alignment = IntegerAttr::get(IntegerType::get(context, 64), alignment);
  if (parser.parseOptionalAttrDict(state.attributes) || parseLiteral(parser, value, type))
    return failure();
  own.value = value;
  return success();
}
void GlobalOp::print(OpAsmPrinter &printer) {
  if (getSymbolVisibility() == SymbolVisibility::Private)
    printer << " private";
  if (getConstant())
    printer << " constant";
  printer << ' ';
  printer.printSymbolName(getSymName());
  if (getAlignment())
    printer << " alignment = " << getAlignment();
  printer.printOptionalAttrDict((*this)->getAttrs(),
                                {getSymNameAttrName(), getValueAttrName(), getAlignmentAttrName(),
                                 getSymbolVisibilityAttrName(), getConstantAttrName()});
  printer << ' ';
  printLiteral(printer, cast<DenseElementsAttr>(getValue()));
  printer << " : ";
  printShortType(printer, getValue().getShapedType());
}
LogicalResult GlobalOp::verify() {
  auto value = dyn_cast<DenseElementsAttr>(getValue());
  auto type = value ? dyn_cast<TileType>(value.getType()) : TileType();
  if (!type)
    return refuse(*this, Diag::ConstantResult, getValue().getType());
  if (type.getRank() != 1)
    return refuse(*this, Diag::GlobalRank);
  if (getAlignment() && !llvm::isPowerOf2_64(getAlignment()))
    return refuse(*this, Diag::GlobalAlignment, getAlignment());
  return success();
}
LogicalResult GetGlobalOp::verifySymbolUses(SymbolTableCollection &tables) {
  auto global = tables.lookupNearestSymbolFrom<GlobalOp>(*this, getNameAttr());
  if (!global)
    return refuse(*this, Diag::GlobalMissing, getName());
  Type element = global.getValue().getElementType();
  if (pointeeOf(getType()) != element)
    return refuse(*this, Diag::GlobalPointee, elementOf(getType()), element, getName());
  return success();
}

//===-- The grid --===//

static ParseResult parseGridOp(OpAsmParser &parser, OperationState &state) {
  Type type;
  if (parser.parseOptionalAttrDict(state.attributes) || parser.parseColon() ||
      parseShortType(parser, type))
    return failure();
  state.addTypes({type, type, type});
  return success();
}
static void printGridOp(OpAsmPrinter &printer, Operation *op) {
  printer.printOptionalAttrDict(op->getAttrs());
  printer << " : ";
  printShortType(printer, op->getResult(0).getType());
}
ParseResult GetTileBlockIdOp::parse(OpAsmParser &parser, OperationState &state) {
  return parseGridOp(parser, state);
}
void GetTileBlockIdOp::print(OpAsmPrinter &printer) { printGridOp(printer, *this); }
ParseResult GetNumTileBlocksOp::parse(OpAsmParser &parser, OperationState &state) {
  return parseGridOp(parser, state);
}
void GetNumTileBlocksOp::print(OpAsmPrinter &printer) { printGridOp(printer, *this); }
