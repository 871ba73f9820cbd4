// The spelling of CuTe DSL 4.3 and later.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   make_view(%it, %l) : T                 the result only, of ops that bind several values
//   together get(%l) <{mode = [1]}> : T             attributes with their names, after the operands
//   get_iter(%t) : T                       no result type (tessera/import/Version.h)
//   memref.load_vec(%t) : (T) -> vector    since 4.5
//   print("text", ) :                      a comma and a colon without operands
#include "tessera/import/spellings/Spelling.h"

#include "tessera/cute/Cute.h"
#include "tessera/import/ForeignContext.h"

using namespace mlir;
using tessera::cute::Departure;

namespace tessera::import {

namespace {
/// `mode = [1]}>` after `<{`
OptionalParseResult namedAttributes(OpAsmParser &parser, OperationState &, cute::ParsedOp &op) {
  Builder &b = parser.getBuilder();
  StringRef name;
  if (parser.parseKeyword(&name))
    return ParseResult(failure());
  Attribute value = b.getUnitAttr();
  if (succeeded(parser.parseOptionalEqual())) {
    SmallVector<int32_t> list;
    if (succeeded(parser.parseOptionalLSquare())) {
      if (failed(parser.parseOptionalRSquare()) && (parser.parseCommaSeparatedList([&] {
            return parser.parseInteger(list.emplace_back());
          }) || parser.parseRSquare()))
        return ParseResult(failure());
      value = b.getDenseI32ArrayAttr(list);
    } else if (parser.parseAttribute(value)) {
      return ParseResult(failure());
    }
  }
  op.inherent.set(name, value);
  return ParseResult(failure(parser.parseRBrace() || parser.parseGreater()));
}

OptionalParseResult attributesAfterOperands(OpAsmParser &parser, OperationState &state,
                                            cute::ParsedOp &op) {
  return cute::parseAngleAttributes(parser, state, op);
}

//===--- texts that state only the result -----------------------------------------------------===//

using Parts = SmallVector<Type, 3>;

/// What `make_layout` is made of, and so on; nothing if the result cannot be of that op.
Parts partsOfLayout(Type result) {
  auto type = dyn_cast<cute::LayoutType>(result);
  if (!type)
    return {};
  return {cute::ShapeType::get(type.getContext(), type.getValue().shape),
          cute::StrideType::get(type.getContext(), type.getValue().stride)};
}
Parts partsOfComposed(Type result) {
  auto type = dyn_cast<cute::ComposedLayoutType>(result);
  if (!type)
    return {};
  MLIRContext *context = type.getContext();
  layout::Composed c = type.getValue();
  Type inner = c.swizzle()
                   ? Type(cute::SwizzleType::get(context, *c.swizzle()))
                   : Type(cute::LayoutType::get(context, std::get<layout::Layout>(c.inner)));
  return {inner, cute::IntTupleType::get(context, c.offset),
          cute::LayoutType::get(context, c.outer)};
}
Parts partsOfView(Type result) {
  MLIRContext *context = result.getContext();
  if (auto tensor = dyn_cast<cute::CuteMemRefType>(result))
    return {tensor.getPtrType(), cute::typeOf(context, cute::Datum(tensor.getLayout()))};
  if (auto coords = dyn_cast<cute::CoordTensorType>(result)) {
    // Before 4.3 they start at an int_tuple; so do texts that show no version.
    const Version *version = ForeignContext::version(context);
    bool iterator = version && version->results.empty();
    Type start = iterator ? Type(cute::ArithTupleIterType::get(context, coords.getStart()))
                          : Type(cute::IntTupleType::get(context, coords.getStart()));
    return {start, cute::typeOf(context, cute::Datum(coords.getLayout()))};
  }
  return {};
}
/// An identity is made of its shape.
Parts partsOfIdentity(Type result) {
  MLIRContext *context = result.getContext();
  if (auto l = dyn_cast<cute::LayoutType>(result))
    return {cute::ShapeType::get(context, l.getValue().shape)};
  if (auto coords = dyn_cast<cute::CoordTensorType>(result))
    return {cute::ShapeType::get(context, coords.getLayout().shape())};
  return {};
}
template <class Tiled> Parts atomOf(Type result) {
  auto tiled = dyn_cast<Tiled>(result);
  return tiled ? Parts{tiled.getAtom()} : Parts();
}

/// The one type that was read is that of the result.
template <Parts (*partsOf)(Type)>
OptionalParseResult onlyResult(OpAsmParser &parser, OperationState &, cute::ParsedOp &op) {
  if (op.operandTypes.size() != 1)
    return std::nullopt;
  Type result = op.operandTypes[0];
  Parts parts = partsOf(result);
  size_t count = op.operands.size();
  if (parts.size() < count)
    return ParseResult(parser.emitError(op.operandsLoc)
                       << "cannot tell the operand types from the result type " << result);
  op.resultTypes = {result};
  op.operandTypes.assign(parts.begin(), parts.begin() + count);
  return ParseResult(success());
}

//===--- the table ----------------------------------------------------------------------------===//

constexpr OpRow ops[] = {
    {"cute.make_layout", Departure::ResultsOmitted, onlyResult<partsOfLayout>},
    {"cute.make_composed_layout", Departure::ResultsOmitted, onlyResult<partsOfComposed>},
    {"cute.make_identity_layout", Departure::ResultsOmitted, onlyResult<partsOfIdentity>},
    {"cute.make_identity_tensor", Departure::ResultsOmitted, onlyResult<partsOfIdentity>},
    {"cute.make_view", Departure::ResultsOmitted, onlyResult<partsOfView>},
    {"cute.make_tiled_copy", Departure::ResultsOmitted, onlyResult<atomOf<cute::TiledCopyType>>},
    {"cute.make_tiled_mma", Departure::ResultsOmitted, onlyResult<atomOf<cute::TiledMmaType>>},
    {"cute.print", Departure::InParentheses, permit},
    {"cute.print", Departure::OperandTypes, permit},
    {"cute.memref.load_vec", Departure::Operands, permit},
    {"cute.memref.store_vec", Departure::Operands, permit},
    {anyOp, Departure::Attributes, namedAttributes},
    {anyOp, Departure::AfterOperands, attributesAfterOperands},
    {anyOp, Departure::OperandTypes, permit},
    {anyOp, Departure::ResultsOmitted, permit},
};
} // namespace

Spelling dsl43() { return {.ops = ops}; }

} // namespace tessera::import
