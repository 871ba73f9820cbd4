// Printing.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cute/Cute.h"
#include "tessera/cute/Diagnostics.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cute;

/// `("format", %a, %b) : types` or `(%a) : type`; 4.3.3 writes `("format", ) :` where there is no
/// operand.
ParseResult PrintOp::parse(OpAsmParser &parser, OperationState &result) {
  std::string format;
  SmallVector<OpAsmParser::UnresolvedOperand> operands;
  SmallVector<Type> types;
  if (parser.parseLParen())
    return failure();
  bool more = true;
  if (succeeded(parser.parseOptionalString(&format))) {
    result.addAttribute("fmt", parser.getBuilder().getStringAttr(format));
    more = succeeded(parser.parseOptionalComma());
  }
  while (more) {
    OpAsmParser::UnresolvedOperand operand;
    OptionalParseResult parsed = parser.parseOptionalOperand(operand);
    if (!parsed.has_value())
      break;
    if (failed(*parsed))
      return failure();
    operands.push_back(operand);
    more = succeeded(parser.parseOptionalComma());
  }
  if (parser.parseRParen() || parser.parseOptionalAttrDict(result.attributes))
    return failure();
  SMLoc loc = parser.getCurrentLocation();
  if (succeeded(parser.parseOptionalColon()) && !operands.empty() && parser.parseTypeList(types))
    return failure();
  return parser.resolveOperands(operands, types, loc, result.operands);
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
