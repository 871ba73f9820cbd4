// Printing.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cute/Cute.h"
#include "tessera/cute/Diagnostics.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cute;

/// `("format", %a, %b) : types` or `(%a) : type`
ParseResult PrintOp::parse(OpAsmParser &parser, OperationState &result) {
  ParsedOp op;
  std::string format;
  op.operandsLoc = parser.getCurrentLocation();
  if (parser.parseLParen())
    return failure();
  bool comma = false, more = true;
  if (succeeded(parser.parseOptionalString(&format))) {
    result.addAttribute("fmt", parser.getBuilder().getStringAttr(format));
    more = comma = succeeded(parser.parseOptionalComma());
  }
  while (more) {
    SMLoc loc = parser.getCurrentLocation();
    OpAsmParser::UnresolvedOperand operand;
    OptionalParseResult parsed = parser.parseOptionalOperand(operand);
    if (!parsed.has_value()) {
      if (!comma)
        break;
      parsed = askSpellings(parser, result, Departure::InParentheses, op, loc);
      if (!parsed.has_value())
        return parser.parseOperand(operand);
      if (failed(*parsed))
        return failure();
      break;
    }
    if (failed(*parsed))
      return failure();
    op.operands.push_back(operand);
    more = comma = succeeded(parser.parseOptionalComma());
  }
  if (parser.parseRParen() || parser.parseOptionalAttrDict(result.attributes))
    return failure();
  SMLoc loc = parser.getCurrentLocation();
  if (!op.operands.empty())
    return failure(parser.parseColonTypeList(op.operandTypes) ||
                   parser.resolveOperands(op.operands, op.operandTypes, loc, result.operands));
  if (failed(parser.parseOptionalColon()))
    return success();
  OptionalParseResult other = askSpellings(parser, result, Departure::OperandTypes, op, loc);
  return other.has_value() ? *other : parser.emitError(loc, "expects no `:` without operands");
}

void PrintOp::print(OpAsmPrinter &printer) {
  printer << "(";
  if (getFmtAttr()) {
    printer << getFmtAttr();
    if (!getValues().empty())
      printer << ", ";
  }
  printer << getValues() << ")";
  printer.printOptionalAttrDict((*this)->getDiscardableAttrDictionary().getValue());
  if (!getValues().empty())
    printer << " : " << getValues().getTypes();
}

LogicalResult PrintOp::verify() {
  if (!getFmt())
    return success();
  size_t holes = 0;
  for (StringRef rest = *getFmt(); rest.contains("{}"); rest = rest.split("{}").second)
    ++holes;
  if (holes != getValues().size())
    return refuse(*this, Diag::PrintOperands, holes, getValues().size());
  return success();
}

#define GET_OP_CLASSES
#include "tessera/cute/ops/Debug.cpp.inc"
