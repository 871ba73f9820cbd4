// The custom form of algebra ops, from one line of specification each.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Three spellings are read: the generic one, that of NVIDIA's public `cute` dialect, which is what
// we print, and that of CuTe DSL 4.3.3:
//
//   op <attributes> (operands) attr-dict : types
//
// A specification has the form "attributes; types".
//   attributes  mode          <[1, 0]>         an index path or list; left out when empty
//               begin,end     <0, 2>
//               new,old       <16, 8>          new_type_bits, old_type_bits
//               rank          <3>
//               only_dynamic  <{only_dynamic}>
//               grouping      <zipped>
//               operand_id    A, B or C before the operands
//               proj, coord   "(1,_,1)" after the operands
//   types       (Q, Q) -> Q   operand and result types in functional form
//               Q -> Q        the same without parentheses
//               Q, Q          operand types; results are inferred
// Q is a full type. A letter instead stands for a type that is printed without its name where it is
// the usual one: l layout, c composed_layout, i int_tuple, t tile.
#pragma once

#include "tessera/cute/Evaluate.h"
#include "tessera/cute/Surface.h"

#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"

namespace tessera::cute {

/// What the text of an op determines before its properties and result types are built.
struct ParsedOp {
  llvm::SmallVector<mlir::OpAsmParser::UnresolvedOperand, 4> operands;
  llvm::SmallVector<mlir::Type, 4> operandTypes, resultTypes;
  llvm::SMLoc operandsLoc;
  mlir::NamedAttrList inherent, discardable;
};

/// `open`: the parenthesis of the operands has been read.
mlir::ParseResult parseAlgebraText(mlir::OpAsmParser &, llvm::StringRef spec, ParsedOp &,
                                   bool open = false);
void printAlgebraText(mlir::Operation *, llvm::StringRef spec, mlir::OpAsmPrinter &);

/// The types of the operands of a constructor whose text states only the result, as 4.3.3 prints
/// it.
mlir::LogicalResult impliedOperandTypes(mlir::Type result, size_t count,
                                        llvm::SmallVectorImpl<mlir::Type> &types);

/// Checks the operands of an op whose result types are not known yet, as its verifier will:
/// inference must see only operands that the op takes. Reports at `loc`.
mlir::LogicalResult verifyOperands(mlir::OpAsmParser &parser, mlir::OperationState &state,
                                   llvm::SMLoc loc);

/// For ops in which a single type without an arrow may be the result: specialised by their group.
template <class Op> constexpr bool statesOnlyResult = false;

/// Operands, properties and types of an op whose text is read.
template <class Op>
mlir::ParseResult resolveAlgebraOp(mlir::OpAsmParser &parser, ParsedOp parsed,
                                   mlir::OperationState &result) {
  bool onlyResult =
      parsed.resultTypes.empty() && statesOnlyResult<Op> && parsed.operandTypes.size() == 1;
  if (onlyResult) {
    parsed.resultTypes = parsed.operandTypes;
    parsed.operandTypes.clear();
    if (mlir::failed(impliedOperandTypes(parsed.resultTypes[0], parsed.operands.size(),
                                         parsed.operandTypes)))
      return parser.emitError(parsed.operandsLoc)
             << "cannot tell the operand types from the result type " << parsed.resultTypes[0];
  }
  if (parser.resolveOperands(parsed.operands, parsed.operandTypes, parsed.operandsLoc,
                             result.operands))
    return mlir::failure();
  auto emitError = [&] { return parser.emitError(parsed.operandsLoc); };
  result.attributes = parsed.discardable;
  mlir::OpaqueProperties properties = nullptr;
  if constexpr (requires { typename Op::Properties; }) {
    if constexpr (!std::is_same_v<typename Op::Properties, mlir::EmptyProperties>) {
      auto &storage = result.getOrAddProperties<typename Op::Properties>();
      if constexpr (Op::template hasTrait<mlir::OpTrait::AttrSizedOperandSegments>())
        Op::addSegmentSizes(parser.getBuilder(), parsed.operands.size(), parsed.inherent);
      if (mlir::failed(Op::setPropertiesFromAttr(
              storage, parsed.inherent.getDictionary(parser.getContext()), emitError)))
        return mlir::failure();
      properties = &storage;
      result.name.populateDefaultProperties(properties);
    }
  }
  if (parsed.resultTypes.empty()) {
    if (mlir::failed(verifyOperands(parser, result, parsed.operandsLoc)))
      return mlir::failure();
    llvm::SmallVector<mlir::Type> inferred;
    if (mlir::failed(Op::inferReturnTypes(parser.getContext(), result.location, result.operands,
                                          result.attributes.getDictionary(parser.getContext()),
                                          properties, {}, inferred)))
      return mlir::failure();
    parsed.resultTypes.assign(inferred.begin(), inferred.end());
  }
  result.addTypes(parsed.resultTypes);
  return mlir::success();
}

/// The op that is meant where the name of `Op` stands before four operands: specialised by its
/// group.
template <class Op> struct WithFourOperands {
  using type = Op;
};

template <class Op>
mlir::ParseResult parseAlgebraOp(mlir::OpAsmParser &parser, mlir::OperationState &result) {
  using Other = typename WithFourOperands<Op>::type;
  ParsedOp parsed;
  bool open = false;
  if constexpr (inPlaceForm<Op> != nullptr) {
    open = mlir::succeeded(parser.parseOptionalLParen());
    if (mlir::OptionalParseResult inPlace = inPlaceForm<Op>(parser, result, open);
        inPlace.has_value())
      return *inPlace;
  }
  if (parseAlgebraText(parser, Op::assembly(), parsed, open))
    return mlir::failure();
  if (std::is_same_v<Op, Other> || parsed.operands.size() != 4)
    return resolveAlgebraOp<Op>(parser, std::move(parsed), result);
  result.name = mlir::OperationName(Other::getOperationName(), parser.getContext());
  return resolveAlgebraOp<Other>(parser, std::move(parsed), result);
}

} // namespace tessera::cute
