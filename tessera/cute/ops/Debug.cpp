// Printing.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cute/Cute.h"
#include "tessera/cute/Diagnostics.h"
#include "tessera/cute/Dictionary.h"

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
  if (parser.parseRParen() || parseDictionary(parser, result))
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

/// The types that a format of C takes. Sets `wrong` to a conversion that there is not.
static SmallVector<Type> typesOfFormat(MLIRContext *context, StringRef format, StringRef &wrong) {
  SmallVector<Type> types;
  Type i32 = IntegerType::get(context, 32), i64 = IntegerType::get(context, 64);
  while (true) {
    size_t percent = format.find('%');
    if (percent == StringRef::npos)
      return types;
    StringRef whole = format = format.drop_front(percent);
    format = format.drop_front();
    if (format.consume_front("%"))
      continue;
    StringRef options =
        format.take_while([](char c) { return StringRef("-+ #0123456789.*").contains(c); });
    types.append(options.count('*'), i32);
    format = format.drop_front(options.size());
    StringRef width = format.take_while([](char c) { return StringRef("hljzt").contains(c); });
    format = format.drop_front(width.size());
    StringRef letter = format.take_front();
    format = format.drop_front(letter.size());
    bool isWide = llvm::is_contained({"l", "ll", "j", "z", "t"}, width),
         isInteger = !letter.empty() && StringRef("diuoxXc").contains(letter),
         isFloat = !letter.empty() && StringRef("fFeEgGaA").contains(letter);
    if (isInteger && (isWide || llvm::is_contained({"", "h", "hh"}, width)))
      types.push_back(isWide ? i64 : i32);
    else if (isFloat && width.empty())
      types.push_back(Float64Type::get(context));
    else if (letter == "p" && width.empty())
      types.push_back(i64);
    else if (wrong.empty())
      wrong = whole.drop_back(format.size());
  }
}

LogicalResult PrintfOp::verify() {
  StringRef wrong;
  SmallVector<Type> types = typesOfFormat(getContext(), getFormat(), wrong);
  if (!wrong.empty())
    return refuse(*this, Diag::PrintConversion, wrong);
  if (TypeRange(types) != TypeRange(getValues().getTypes()))
    return refuse(*this, Diag::PrintTypes, TypeRange(types), getValues().getTypes());
  return success();
}

#define GET_OP_CLASSES
#include "tessera/cute/ops/Debug.cpp.inc"
