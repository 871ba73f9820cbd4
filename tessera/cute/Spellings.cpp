// Places where texts of the dialect may depart from ours, and what happens there.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cute/Spellings.h"

#include "tessera/cute/Cute.h"
#include "tessera/cute/Diagnostics.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cute;

namespace {
/// Our text in a place. One entry for each ValueForm, then one for each Departure, in their orders.
constexpr StringLiteral ownValues[] = {
    R"-(a quoted tuple, such as "(8,4)")-",
    R"-(a quoted layout, such as "(8,4):(1,8)")-",
    R"-(a quoted tile, such as "[8:1;4:1]")-",
    "a quoted value",
};
static_assert(std::size(ownValues) == size_t(ValueForm::Other) + 1);
constexpr StringLiteral ownTexts[] = {
    "attributes as <1, 0>, without names",
    "what this op has after its name, which is operands in parentheses for most",
    "an operand",
    "the attributes of the op before its operands",
    "the list of operand types as it is printed: in parentheses for some ops, bare for others",
    "the types of the operands, -> and the types of the results",
    "the number of operands that this op takes",
};
static_assert(std::size(ownTexts) == size_t(Departure::OperandCount) + 1);
} // namespace

const Spellings *Spellings::of(MLIRContext *context) {
  auto *dialect = context->getLoadedDialect<CuteDialect>();
  return dialect ? dialect->getRegisteredInterface<Spellings>() : nullptr;
}

OptionalParseResult tessera::cute::askSpellings(OpAsmParser &parser, OperationState &state,
                                                Departure departure, ParsedOp &op, SMLoc loc) {
  if (const Spellings *spellings = Spellings::of(parser.getContext()))
    return spellings->departure(parser, state, departure, op);
  return ParseResult(parser.emitError(loc)
                     << sentence(Diag::OtherSpelling, ownTexts[size_t(departure)]));
}

ParseResult tessera::cute::parseValueText(AsmParser &parser, ValueForm form, std::string &text) {
  SMLoc loc = parser.getCurrentLocation();
  if (succeeded(parser.parseOptionalString(&text)))
    return success();
  const Spellings *spellings = Spellings::of(parser.getContext());
  if (!spellings)
    return parser.emitError(loc) << sentence(Diag::OtherSpelling, ownValues[size_t(form)]);
  OptionalParseResult other = spellings->value(parser, form, text);
  return other.has_value() ? *other : parser.parseString(&text);
}

FailureOr<AddressSpace> tessera::cute::parseAddressSpace(AsmParser &parser) {
  StringRef word;
  SMLoc loc = parser.getCurrentLocation();
  if (succeeded(parser.parseOptionalKeyword(&word))) {
    if (std::optional<AddressSpace> space = atom::parseKeyword<atom::AddressSpace>(word))
      return *space;
    return parser.emitError(loc) << sentence(Diag::SpaceName, word);
  }
  const Spellings *spellings = Spellings::of(parser.getContext());
  if (!spellings)
    return parser.emitError(loc) << sentence(Diag::OtherSpelling, "the name of an address space");
  AddressSpace space;
  OptionalParseResult other = spellings->addressSpace(parser, space);
  if (other.has_value() ? failed(*other) : failed(parser.parseKeyword(&word)))
    return failure();
  return space;
}
