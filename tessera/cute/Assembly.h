// Assembly: the custom form of algebra ops, from a specification of one line each.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// This is what is read and printed, as in NVIDIA's public `cute` dialect:
//
//   op <attributes> (operands) attr-dict : types
//
// If a text departs from it, the spellings of the context read on (Spellings.h). A specification
// has the form "attributes; types".
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
//               Q, Q          operand types; results are inferred, `-> Q` follows if they say less
// Q is a full type. A letter instead stands for a type that is printed without its name if it is
// the usual one: l layout, c composed_layout, i int_tuple, t tile.
#pragma once

#include "tessera/cute/Evaluate.h"
#include "tessera/cute/Spellings.h"

#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"

namespace tessera::cute {

/// What the text of an op determines before its properties and result types are built.
struct ParsedOp {
  explicit ParsedOp(llvm::StringRef spec = "") : spec(spec) {}

  llvm::StringRef spec;
  llvm::SmallVector<mlir::OpAsmParser::UnresolvedOperand, 4> operands;
  llvm::SmallVector<mlir::Type, 4> operandTypes, resultTypes;
  llvm::SMLoc operandsLoc;
  mlir::NamedAttrList inherent, discardable;
  /// Whether another spelling of the whole op has been read; its state is ready.
  bool complete = false;
};

/// Reads the op `state.name` by the specification `op.spec`.
mlir::ParseResult parseAlgebraText(mlir::OpAsmParser &, mlir::OperationState &state, ParsedOp &op);
void printAlgebraText(mlir::Operation *, llvm::StringRef spec, mlir::OpAsmPrinter &);

/// The parts of the form, for spellings that have them in other places.
/// `1, 0>` after `<`
mlir::ParseResult parseAngleAttributes(mlir::OpAsmParser &, mlir::OperationState &, ParsedOp &);
/// `%a, %b, "(1,_)"`, at least one
mlir::ParseResult parseOperandList(mlir::OpAsmParser &, ParsedOp &);
/// `T` or `(T, T)`
mlir::ParseResult parseResultTypes(mlir::OpAsmParser &, ParsedOp &);

/// Ops whose operands are the dynamic leaves of their result: `(operands) attr-dict : types -> T`.
mlir::ParseResult parseConstructor(mlir::OpAsmParser &, mlir::OperationState &);
void printConstructor(mlir::Operation *, mlir::OpAsmPrinter &);

/// Checks the operands of an op whose result types are not known yet, as its verifier does:
/// inference must see only operands that the op accepts. Reports at `loc`.
mlir::LogicalResult verifyOperands(mlir::OpAsmParser &parser, mlir::OperationState &state,
                                   llvm::SMLoc loc);

/// Operands, properties and types of an op whose text is read.
template <class Op>
mlir::ParseResult resolveAlgebraOp(mlir::OpAsmParser &parser, ParsedOp parsed,
                                   mlir::OperationState &result) {
  if (parser.resolveOperands(parsed.operands, parsed.operandTypes, parsed.operandsLoc,
                             result.operands))
    return mlir::failure();
  auto emitError = [&] { return parser.emitError(parsed.operandsLoc); };
  result.attributes = parsed.discardable;
  mlir::OpaqueProperties properties = nullptr;
  if constexpr (requires { typename Op::Properties; }) {
    if constexpr (!std::is_same_v<typename Op::Properties, mlir::EmptyProperties>) {
      auto &storage = result.getOrAddProperties<typename Op::Properties>();
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
    if (const Spellings *spellings = Spellings::of(parser.getContext()))
      spellings->omittedResults(result.name, inferred);
    parsed.resultTypes.assign(inferred.begin(), inferred.end());
  }
  result.addTypes(parsed.resultTypes);
  return mlir::success();
}

template <class Op>
mlir::ParseResult parseAlgebraOp(mlir::OpAsmParser &parser, mlir::OperationState &result) {
  ParsedOp parsed(Op::assembly());
  if (parseAlgebraText(parser, result, parsed))
    return mlir::failure();
  bool misfit = Op::template hasTrait<mlir::OpTrait::OneOperand>() && parsed.operands.size() != 1;
  if (misfit && !parsed.complete)
    if (mlir::OptionalParseResult other =
            askSpellings(parser, result, Departure::OperandCount, parsed, parsed.operandsLoc);
        other.has_value())
      return *other;
  return parsed.complete ? mlir::ParseResult(mlir::success())
                         : resolveAlgebraOp<Op>(parser, std::move(parsed), result);
}

} // namespace tessera::cute
