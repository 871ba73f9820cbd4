// The spellings of the documents (docs/specification/types-and-ops.md#notation).
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// clang-format off
//
//   !cute.shape<3>               a rank: `?` for each mode, an i32 (int_tuple, coord, shape, stride,
//                                layout, tile)
//   !cute.tiler<2>               a tile
//   !cute.layout<<8:1, 4:8>>     shape:stride of each mode; with one mode, that of the layout
//   !cute.ptr<f16, 3>            an address space by its number
//   make_shape [%m, %n] : (index, index) -> T, make_int_tuple %m, %n : T, and so every constructor
//   make_layout(shape = (%m, 8), stride = (1, %s)) : T
//   make_layout shape = <8 : i32>, stride = <1 : i32> : T
//   make_composed_layout(outer = %l, swizzle = swizzle<2, 4, 3>, offset = (0, 0)) : T
//   make_swizzle 2, 4, 3 : T
//   get_iter %base, %extent, %tile_shape, %stride : T, T, T, T     make_desc_iter of the same
//   get_shape %l : T -> T        an algebra op without parentheses; the results may be absent, stated
//                                where we leave them out, or stand after `to`
//   tensor %t, %l : T, T         make_tensor
//
// clang-format on
#include "tessera/import/spellings/Spelling.h"

#include "tessera/cute/Cute.h"
#include "tessera/import/Diagnostics.h"
#include "tessera/layout/Text.h"

using namespace mlir;
using tessera::cute::Departure;
using tessera::cute::ValueForm;

namespace tessera::import {

namespace {
/// More modes than the documents write, so that a larger number is one by mistake.
constexpr int64_t maxRank = 16;
/// The limit of nested parentheses, the same as in layout/Text.cpp.
constexpr int maxLevels = 64;

using Operands = SmallVectorImpl<OpAsmParser::UnresolvedOperand>;

/// A tuple of numbers and `?`, or with `operands` of numbers and SSA values, for which `?` stands
/// in the text.
ParseResult parseTuple(AsmParser &parser, std::string &text, Operands *operands = nullptr,
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
  // The documents also write the type of a number in brackets, `<8 : i32>`.
  return operands && levels && succeeded(parser.parseOptionalColon()) ? parser.parseType(type)
                                                                      : success();
}

//===--- values -------------------------------------------------------------------------------===//

/// `mode` `rank` times, in brackets where there is more than one.
std::string repeated(StringRef mode, int64_t rank, StringRef brackets, char separator) {
  if (rank == 1)
    return mode.str();
  std::string text(1, brackets[0]);
  for (int64_t i = 0; i < rank; ++i)
    text += (i ? std::string(1, separator) : "") + mode.str();
  return text + brackets[1];
}

/// `3`
OptionalParseResult rankOfValue(AsmParser &parser, ValueForm form, std::string &text) {
  int64_t rank;
  SMLoc loc = parser.getCurrentLocation();
  OptionalParseResult number = parser.parseOptionalInteger(rank);
  if (!number.has_value() || failed(*number))
    return number;
  if (rank < 1 || rank > maxRank)
    return ParseResult(parser.emitError(loc) << sentence(Diag::RankNumber, maxRank, rank));
  std::string tuple = repeated("?", rank, "()", ',');
  switch (form) {
  case ValueForm::Layout: text = tuple + ":" + tuple; break;
  case ValueForm::Tile: text = rank == 1 ? "[?:1]" : repeated("?:1", rank, "[]", ';'); break;
  default: text = tuple;
  }
  return ParseResult(success());
}

/// `<8:1, 4:8>`
OptionalParseResult modesOfLayout(AsmParser &parser, ValueForm, std::string &text) {
  if (failed(parser.parseOptionalLess()))
    return std::nullopt;
  SmallVector<std::string> shapes, strides;
  if (parser.parseCommaSeparatedList([&] {
        return failure(parseTuple(parser, shapes.emplace_back()) || parser.parseColon() ||
                       parseTuple(parser, strides.emplace_back()));
      }))
    return ParseResult(failure());
  auto joined = [](ArrayRef<std::string> modes) {
    return modes.size() == 1 ? modes[0] : "(" + llvm::join(modes, ",") + ")";
  };
  text = joined(shapes) + ":" + joined(strides);
  return parser.parseGreater();
}

//===--- constructors -------------------------------------------------------------------------===//

/// `[%m, %n]`, or no brackets at all
OptionalParseResult bracketsOrBare(OpAsmParser &parser, OperationState &, cute::ParsedOp &op) {
  if (succeeded(parser.parseOptionalLSquare()))
    return ParseResult(failure(parser.parseOperandList(op.operands) || parser.parseRSquare()));
  return parser.parseOperandList(op.operands);
}

/// The types of the operands are those of the leaves of the result.
void typesOfLeaves(Builder &b, Type result, size_t operands, SmallVectorImpl<Type> &types) {
  types.clear();
  cute::datumOf(result).forEachDynamicLeaf(
      [&](layout::Int &leaf) { types.push_back(b.getIntegerType(layout::bitsOf(leaf.width))); });
  // One too many or too few is for the verifier to say.
  types.resize(operands, b.getI32Type());
}

/// `: T`
OptionalParseResult leavesOfResult(OpAsmParser &parser, OperationState &, cute::ParsedOp &op) {
  Type result = op.operandTypes[0];
  op.resultTypes = {result};
  typesOfLeaves(parser.getBuilder(), result, op.operands.size(), op.operandTypes);
  return ParseResult(success());
}

//===--- parts in place -----------------------------------------------------------------------===//

/// `name = `
ParseResult parseName(AsmParser &parser, StringRef name) {
  return failure(parser.parseKeyword(name) || parser.parseEqual());
}

/// `: (operand types) -> T`, or `: T`; resolves the operands.
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
    typesOfLeaves(parser.getBuilder(), type, operands.size(), types);
  }
  return parser.resolveOperands(operands, types, loc, values);
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

/// `= (%m, 8), stride = (1, %s)) : T` after `shape`; a tuple of the leaves, or the static value.
ParseResult parseLayoutParts(OpAsmParser &parser, OperationState &state, bool open) {
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
  if ((open && parser.parseRParen()) || parser.parseOptionalAttrDict(state.attributes) ||
      parseLeafTypes(parser, operands, loc, type, state.operands))
    return failure();
  auto stated = dyn_cast<cute::LayoutType>(type);
  if (!stated || profileOf(stated.getValue()) != profileOf(*spelled))
    return parser.emitError(loc) << sentence(Diag::InPlaceType, profileOf(*spelled), type);
  StringRef name =
      operands.empty() ? cute::StaticOp::getOperationName() : cute::MakeTupleOp::getOperationName();
  state.name = OperationName(name, parser.getContext());
  state.addTypes(type);
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

/// `= %l, swizzle = swizzle<2, 4, 3>, offset = (0, 0)) : T` after `outer`
ParseResult parseComposedParts(OpAsmParser &parser, OperationState &state, bool open) {
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
      parser.parseOptionalAttrDict(state.attributes) || parser.parseColonType(type))
    return failure();
  if (Result<layout::Swizzle> sound = layout::checked(swizzle); !sound)
    return parser.emitError(loc) << sound.reason().text;

  // The type is that of the result; of a layout's, the operand has the same.
  MLIRContext *context = parser.getContext();
  SmallVector<Value> outer;
  auto composed = dyn_cast<cute::ComposedLayoutType>(type);
  if (parser.resolveOperand(
          operand, composed ? cute::LayoutType::get(context, composed.getValue().outer) : type,
          outer))
    return failure();
  Operation *definition = outer[0].getDefiningOp();
  if (definition && !definition->getBlock())
    return parser.emitError(operand.location) << sentence(Diag::InPlaceOuter, operand.name);
  // The parts in place become constants right after the outer layout, where they dominate the op.
  OpBuilder b(context);
  b.setInsertionPointAfterValue(outer[0]);
  Value inner = cute::StaticOp::create(b, state.location, cute::SwizzleType::get(context, swizzle));
  Value start =
      cute::StaticOp::create(b, state.location, cute::IntTupleType::get(context, *offset));
  state.addOperands({inner, start, outer[0]});
  SmallVector<Type> inferred;
  if (failed(cute::verifyOperands(parser, state, loc)) ||
      failed(cute::MakeComposedLayoutOp::inferReturnTypes(context, state.location, state.operands,
                                                          {}, nullptr, {}, inferred)))
    return failure();
  state.addTypes(composed ? type : inferred[0]);
  return success();
}

/// An op with its parts in place: a keyword, then `read`. `open`: a parenthesis has been read.
template <const char *keyword, ParseResult (*read)(OpAsmParser &, OperationState &, bool),
          bool open>
OptionalParseResult inPlace(OpAsmParser &parser, OperationState &state, cute::ParsedOp &op) {
  if (failed(parser.parseOptionalKeyword(keyword)))
    return std::nullopt;
  op.complete = true;
  return read(parser, state, open);
}
constexpr char shape[] = "shape", outer[] = "outer";

/// `B, M, S : T`, where T says the same numbers
OptionalParseResult swizzleNumbers(OpAsmParser &parser, OperationState &state, cute::ParsedOp &op) {
  layout::Swizzle numbers;
  cute::SwizzleType type;
  SMLoc loc = parser.getCurrentLocation();
  OptionalParseResult first = parser.parseOptionalInteger(numbers.bits);
  if (!first.has_value() || failed(*first))
    return first;
  op.complete = true;
  if (parser.parseComma() || parser.parseInteger(numbers.base) || parser.parseComma() ||
      parser.parseInteger(numbers.shift) || parser.parseOptionalAttrDict(state.attributes) ||
      parser.parseColonType(type))
    return ParseResult(failure());
  std::string stated = layout::str(type.getValue());
  if (layout::str(numbers) != stated)
    return ParseResult(parser.emitError(loc)
                       << sentence(Diag::SwizzleNumbers, stated, layout::str(numbers)));
  state.addTypes(type);
  return ParseResult(success());
}

//===--- algebra ops --------------------------------------------------------------------------===//

/// `%a, %b`
OptionalParseResult bareOperands(OpAsmParser &parser, OperationState &, cute::ParsedOp &op) {
  return cute::parseOperandList(parser, op);
}

/// docs/specification/abi.md#layouts-and-iterators writes descriptor iterators
/// `cute.get_iter %base, %extent, %tile_shape, %stride`.
OptionalParseResult fourOperands(OpAsmParser &parser, OperationState &state, cute::ParsedOp &op) {
  if (op.operands.size() != 4)
    return std::nullopt;
  op.complete = true;
  state.name = OperationName(cute::MakeDescIterOp::getOperationName(), parser.getContext());
  return cute::resolveAlgebraOp<cute::MakeDescIterOp>(parser, op, state);
}

/// `to T`, where we write `-> T`
OptionalParseResult resultsAfterTo(OpAsmParser &parser, OperationState &, cute::ParsedOp &op) {
  if (failed(parser.parseOptionalKeyword("to")))
    return std::nullopt;
  return cute::parseResultTypes(parser, op);
}

//===--- the tables ---------------------------------------------------------------------------===//

const ValueRow values[] = {
    {{ValueForm::Layout}, modesOfLayout},
    {{ValueForm::Tuple, ValueForm::Layout, ValueForm::Tile}, rankOfValue},
};

/// As in LLVM; 5 is local memory, here registers, 6 tensor memory. 4, constant memory, holds no
/// tensor.
constexpr SpaceRow spaces[] = {
    {0, cute::AddressSpace::Generic}, {1, cute::AddressSpace::Gmem}, {3, cute::AddressSpace::Smem},
    {5, cute::AddressSpace::Rmem},    {6, cute::AddressSpace::Tmem}, {7, cute::AddressSpace::Dsmem},
};

constexpr OpRow ops[] = {
    {"cute.make_shape", Departure::Operands, bracketsOrBare},
    {"cute.make_shape", Departure::ResultsOmitted, leavesOfResult},
    {"cute.make_stride", Departure::Operands, bracketsOrBare},
    {"cute.make_stride", Departure::ResultsOmitted, leavesOfResult},
    {"cute.make_coord", Departure::Operands, bracketsOrBare},
    {"cute.make_coord", Departure::ResultsOmitted, leavesOfResult},
    {"cute.make_tile", Departure::Operands, bracketsOrBare},
    {"cute.make_tile", Departure::ResultsOmitted, leavesOfResult},
    {"cute.make_int_tuple", Departure::Operands, bracketsOrBare},
    {"cute.make_int_tuple", Departure::ResultsOmitted, leavesOfResult},
    {"cute.make_tuple", Departure::Operands, bracketsOrBare},
    {"cute.make_tuple", Departure::ResultsOmitted, leavesOfResult},
    {"cute.make_layout", Departure::Operands, inPlace<shape, parseLayoutParts, false>},
    {"cute.make_layout", Departure::InParentheses, inPlace<shape, parseLayoutParts, true>},
    {"cute.make_composed_layout", Departure::Operands, inPlace<outer, parseComposedParts, false>},
    {"cute.make_composed_layout", Departure::InParentheses,
     inPlace<outer, parseComposedParts, true>},
    {"cute.make_swizzle", Departure::Operands, swizzleNumbers},
    {"cute.get_iter", Departure::OperandCount, fourOperands},
    {"cute.memref.load_vec", Departure::Operands, permit}, // its operand in parentheses
    {anyOp, Departure::Operands, bareOperands},
    {anyOp, Departure::OperandTypes, permit},
    {anyOp, Departure::ResultsOmitted, resultsAfterTo},
    {anyOp, Departure::ResultsOmitted, permit},
};

constexpr NameRow names[] = {{"cute.tensor", "cute.make_tensor"}};
constexpr TypeRow types[] = {{"tiler", cute::TileType::parse}};
} // namespace

Spelling specification() {
  return {.values = values, .spaces = spaces, .ops = ops, .names = names, .types = types};
}

} // namespace tessera::import
