// The specification's spellings (types-and-ops.md): read here, printed as everything else is.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cute/Surface.h"

#include "tessera/cute/Cute.h"
#include "tessera/cute/Diagnostics.h"
#include "tessera/layout/Text.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cute;

//===--- types --------------------------------------------------------------------------------===//

namespace {
/// What a scaled basis can name (layout/Text.h), and so the most modes that anything has.
constexpr int64_t maxRank = 255;
/// As many levels of parentheses as layout/Text.cpp reads.
constexpr int maxLevels = 64;

/// `mode` `rank` times, in brackets where there is more than one.
std::string repeated(StringRef mode, int64_t rank, StringRef brackets, char separator) {
  if (rank == 1)
    return mode.str();
  std::string text(1, brackets[0]);
  for (int64_t i = 0; i < rank; ++i)
    text += (i ? std::string(1, separator) : "") + mode.str();
  return text + brackets[1];
}

std::string textOfRank(RankForm form, int64_t rank) {
  std::string tuple = repeated("?", rank, "()", ',');
  switch (form) {
  case RankForm::Layout: return tuple + ":" + tuple;
  case RankForm::Tile: return rank == 1 ? "[?:1]" : repeated("?:1", rank, "[]", ';');
  default: return tuple;
  }
}

/// A tuple of numbers and `?`, or with `operands` of numbers and SSA values, for which `?` stands
/// in the text.
ParseResult parseTuple(AsmParser &parser, std::string &text,
                       SmallVectorImpl<OpAsmParser::UnresolvedOperand> *operands = nullptr,
                       int levels = 0) {
  if (levels > maxLevels)
    return parser.emitError(parser.getCurrentLocation())
           << layout::fail(layout::Error::NestedTooDeep, maxLevels).text;
  auto list = [&]() -> ParseResult {
    size_t count = 0;
    text += "(";
    if (parser.parseCommaSeparatedList([&]() -> ParseResult {
          text += count++ ? "," : "";
          return parseTuple(parser, text, operands, levels + 1);
        }))
      return failure();
    text += ")";
    return success();
  };
  if (succeeded(parser.parseOptionalLParen()))
    return failure(list() || parser.parseRParen());
  if (!operands && succeeded(parser.parseOptionalQuestion())) {
    text += "?";
    return success();
  }
  if (operands) {
    if (succeeded(parser.parseOptionalLess()))
      return failure(list() || parser.parseGreater());
    OpAsmParser::UnresolvedOperand operand;
    OptionalParseResult found = static_cast<OpAsmParser &>(parser).parseOptionalOperand(operand);
    if (found.has_value()) {
      operands->push_back(operand);
      text += "?";
      return *found;
    }
  }
  int64_t number;
  Type type;
  if (parser.parseInteger(number))
    return failure();
  text += std::to_string(number);
  // The specification also writes the type of a number in brackets, `<8 : i32>`.
  return operands && levels && succeeded(parser.parseOptionalColon()) ? parser.parseType(type)
                                                                      : success();
}
} // namespace

ParseResult tessera::cute::parseValueText(AsmParser &parser, RankForm form, std::string &text) {
  SMLoc loc = parser.getCurrentLocation();
  if (form == RankForm::Layout && succeeded(parser.parseOptionalLess())) {
    SmallVector<std::string> shapes, strides;
    if (parser.parseCommaSeparatedList([&] {
          return failure(parseTuple(parser, shapes.emplace_back()) || parser.parseColon() ||
                         parseTuple(parser, strides.emplace_back()));
        }))
      return failure();
    auto joined = [](ArrayRef<std::string> modes) {
      return modes.size() == 1 ? modes[0] : "(" + llvm::join(modes, ",") + ")";
    };
    text = joined(shapes) + ":" + joined(strides);
    return parser.parseGreater();
  }
  int64_t rank;
  OptionalParseResult number =
      form == RankForm::None ? std::nullopt : parser.parseOptionalInteger(rank);
  if (!number.has_value())
    return parser.parseString(&text);
  if (failed(*number))
    return failure();
  if (rank < 1 || rank > maxRank)
    return parser.emitError(loc) << sentence(Diag::RankNumber, maxRank, rank);
  text = textOfRank(form, rank);
  return success();
}

FailureOr<AddressSpace> tessera::cute::parseAddressSpace(AsmParser &parser) {
  StringRef word;
  int64_t number;
  SMLoc loc = parser.getCurrentLocation();
  OptionalParseResult byNumber = parser.parseOptionalInteger(number);
  if (byNumber.has_value() ? failed(*byNumber) : failed(parser.parseKeyword(&word)))
    return failure();
  std::optional<AddressSpace> space;
  if (!byNumber.has_value())
    space = symbolizeAddressSpace(word);
  else if (number == uint32_t(number))
    space = symbolizeAddressSpace(uint32_t(number));
  if (space)
    return *space;
  return parser.emitError(loc,
                          "expects an address space generic, gmem, smem, rmem or tmem, but got '")
         << (byNumber.has_value() ? std::to_string(number) : word.str()) << "'";
}

//===--- constructors -------------------------------------------------------------------------===//

namespace {
/// `: (operand types) -> T`, or `: T` where the leaves of T say what its operands are; resolves
/// them.
ParseResult parseLeafTypes(OpAsmParser &parser, ArrayRef<OpAsmParser::UnresolvedOperand> operands,
                           SMLoc loc, Type &type, SmallVectorImpl<Value> &values) {
  if (parser.parseColonType(type))
    return failure();
  SmallVector<Type> types;
  if (auto function = dyn_cast<FunctionType>(type)) {
    if (function.getNumResults() != 1)
      return parser.emitError(loc)
             << "expects one result type, but got " << function.getNumResults();
    type = function.getResult(0);
    types.assign(function.getInputs().begin(), function.getInputs().end());
  } else {
    datumOf(type).forEachDynamicLeaf([&](layout::Int &leaf) {
      types.push_back(
          parser.getBuilder().getIntegerType(leaf.width == layout::Width::I64 ? 64 : 32));
    });
    // One too many or too few is for the verifier to say.
    types.resize(operands.size(), parser.getBuilder().getI32Type());
  }
  return parser.resolveOperands(operands, types, loc, values);
}
} // namespace

ParseResult tessera::cute::parseConstructor(OpAsmParser &parser, OperationState &result) {
  SmallVector<OpAsmParser::UnresolvedOperand> operands;
  SMLoc loc = parser.getCurrentLocation();
  Type type;
  // OptionalSquare and OptionalParen read nothing where another spelling follows.
  if (parser.parseOperandList(operands, AsmParser::Delimiter::OptionalSquare))
    return failure();
  bool bracketed = !operands.empty();
  if (!bracketed && (parser.parseOperandList(operands, AsmParser::Delimiter::OptionalParen) ||
                     (operands.empty() && parser.parseOperandList(operands))))
    return failure();
  if (parser.parseOptionalAttrDict(result.attributes) ||
      parseLeafTypes(parser, operands, loc, type, result.operands))
    return failure();
  result.addTypes(type);
  return success();
}

void tessera::cute::printConstructor(Operation *op, OpAsmPrinter &printer) {
  printer << "(" << op->getOperands() << ")";
  printer.printOptionalAttrDict(op->getAttrs());
  printer << " : ";
  printer.printFunctionalType(op);
}

//===--- parts in place -----------------------------------------------------------------------===//

namespace {
/// `name = `
ParseResult parseName(AsmParser &parser, StringRef name) {
  return failure(parser.parseKeyword(name) || parser.parseEqual());
}

/// `l` with nothing known of its dynamic leaves.
std::string profileOf(const layout::Layout &l) {
  layout::AnyLayout copy = l;
  layout::forEachLeaf(copy, [](layout::Leaf &leaf) {
    if (!leaf.isStatic())
      leaf.value = layout::Int::dynamic(layout::Symbolic::anonymous, layout::Width::I32);
  });
  return layout::str(copy);
}

ParseResult parseLayoutParts(OpAsmParser &parser, OperationState &result, bool open) {
  SmallVector<OpAsmParser::UnresolvedOperand> operands;
  SMLoc loc = parser.getCurrentLocation();
  std::string text;
  Type type;
  if (parser.parseEqual() || parseTuple(parser, text, &operands))
    return failure();
  if (succeeded(parser.parseOptionalComma())) {
    text += ":";
    if (parseName(parser, "stride") || parseTuple(parser, text, &operands))
      return failure();
  } else if (!operands.empty()) {
    return parser.emitError(loc) << sentence(Diag::InPlaceStride, text);
  }
  Result<layout::Layout> spelled = layout::parseLayout(text);
  if (!spelled)
    return parser.emitError(loc) << spelled.reason().text;
  if ((open && parser.parseRParen()) || parser.parseOptionalAttrDict(result.attributes) ||
      parseLeafTypes(parser, operands, loc, type, result.operands))
    return failure();
  auto stated = dyn_cast<LayoutType>(type);
  if (!stated || profileOf(stated.getValue()) != profileOf(*spelled))
    return parser.emitError(loc) << sentence(Diag::InPlaceType, profileOf(*spelled), type);
  StringRef name =
      operands.empty() ? StaticOp::getOperationName() : MakeTupleOp::getOperationName();
  result.name = OperationName(name, parser.getContext());
  result.addTypes(type);
  return success();
}

/// A number, or a tuple of zeros, which may stand for the number 0.
FailureOr<layout::Tree> parseOffset(OpAsmParser &parser) {
  std::string text;
  SMLoc loc = parser.getCurrentLocation();
  if (parseTuple(parser, text))
    return failure();
  Result<layout::Tree> offset = layout::parseTree(text, layout::TreeKind::IntTuple);
  bool zeros = bool(offset);
  if (offset)
    offset->forEachLeaf(
        [&](const layout::Leaf &leaf) { zeros &= leaf.isStatic() && leaf.value.value == 0; });
  if (zeros)
    return layout::Tree(0);
  if (offset && offset->isLeaf() && offset->leaf().isStatic())
    return *std::move(offset);
  return parser.emitError(loc) << sentence(Diag::InPlaceOffset, text);
}

ParseResult parseComposedParts(OpAsmParser &parser, OperationState &result, bool open) {
  OpAsmParser::UnresolvedOperand operand;
  layout::Swizzle swizzle = {0, 4, 3};
  SMLoc loc = parser.getCurrentLocation();
  Type type;
  if (parser.parseEqual() || parser.parseOperand(operand) || parser.parseComma() ||
      parseName(parser, "swizzle") || parser.parseKeyword("swizzle") || parser.parseLess() ||
      parser.parseInteger(swizzle.bits) || parser.parseComma() ||
      parser.parseInteger(swizzle.base) || parser.parseComma() ||
      parser.parseInteger(swizzle.shift) || parser.parseGreater() || parser.parseComma() ||
      parseName(parser, "offset"))
    return failure();
  FailureOr<layout::Tree> offset = parseOffset(parser);
  if (failed(offset) || (open && parser.parseRParen()) ||
      parser.parseOptionalAttrDict(result.attributes) || parser.parseColonType(type))
    return failure();
  if (Result<layout::Swizzle> sound = layout::checked(swizzle); !sound)
    return parser.emitError(loc) << sound.reason().text;

  // The type is that of the result; of a layout's, the operand has the same.
  MLIRContext *context = parser.getContext();
  SmallVector<Value> outer;
  auto composed = dyn_cast<ComposedLayoutType>(type);
  if (parser.resolveOperand(
          operand, composed ? LayoutType::get(context, composed.getValue().outer) : type, outer))
    return failure();
  Operation *definition = outer[0].getDefiningOp();
  if (definition && !definition->getBlock())
    return parser.emitError(operand.location) << sentence(Diag::InPlaceOuter, operand.name);
  // The parts in place become constants right after the outer layout, where they dominate the op.
  OpBuilder b(context);
  b.setInsertionPointAfterValue(outer[0]);
  Value inner = StaticOp::create(b, result.location, SwizzleType::get(context, swizzle));
  Value start = StaticOp::create(b, result.location, IntTupleType::get(context, *offset));
  result.addOperands({inner, start, outer[0]});
  SmallVector<Type> inferred;
  if (failed(verifyOperands(parser, result, loc)) ||
      failed(MakeComposedLayoutOp::inferReturnTypes(context, result.location, result.operands, {},
                                                    nullptr, {}, inferred)))
    return failure();
  result.addTypes(composed ? type : inferred[0]);
  return success();
}
} // namespace

OptionalParseResult tessera::cute::parseLayoutInPlace(OpAsmParser &parser, OperationState &result,
                                                      bool open) {
  if (failed(parser.parseOptionalKeyword("shape")))
    return std::nullopt;
  return parseLayoutParts(parser, result, open);
}
OptionalParseResult tessera::cute::parseComposedInPlace(OpAsmParser &parser, OperationState &result,
                                                        bool open) {
  if (failed(parser.parseOptionalKeyword("outer")))
    return std::nullopt;
  return parseComposedParts(parser, result, open);
}
