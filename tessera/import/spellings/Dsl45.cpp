// The spelling of CuTe DSL 4.5 and later, where it differs from that of 4.3.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   atom.set_value<accum_c>(%a, %v) : (T, i1)     a field of an atom by its name
//   atom.get_value<tma_bar>(%a) : (T) -> U
#include "tessera/import/spellings/Spelling.h"

#include "tessera/cute_nvgpu/AtomTypes.h"

using namespace mlir;
using tessera::cute::Departure;

namespace tessera::import {

namespace {
/// The attribute for a field of an atom; null if the atom has none of that name.
Attribute fieldNamed(Type type, StringRef name) {
  if (auto atom = dyn_cast<cute_nvgpu::TableAtomType>(cute::untiled(type)))
    for (const cute_nvgpu::AtomField &field : atom.getFields())
      if (field.name == name)
        return field.key;
  return {};
}

OptionalParseResult namedField(OpAsmParser &parser, OperationState &state, cute::ParsedOp &op) {
  if (failed(parser.parseOptionalLess()))
    return std::nullopt;
  StringRef name;
  SmallVector<OpAsmParser::UnresolvedOperand, 2> operands;
  SmallVector<Type, 2> types;
  SMLoc nameLoc = parser.getCurrentLocation(), loc;
  if (parser.parseKeyword(&name) || parser.parseGreater() || parser.getCurrentLocation(&loc) ||
      parser.parseOperandList(operands, AsmParser::Delimiter::Paren) ||
      parser.parseOptionalAttrDict(state.attributes) || parser.parseColon() ||
      parser.parseLParen() || parser.parseTypeList(types) || parser.parseRParen())
    return ParseResult(failure());
  Attribute field = fieldNamed(types.front(), name);
  if (!field)
    return ParseResult(parser.emitError(nameLoc)
                       << "expects a field of " << types.front() << ", but got '" << name << "'");
  state.addAttribute("field", field);
  if (failed(parser.parseOptionalArrow()))
    state.addTypes(types.front());
  else if (parser.parseTypeList(state.types))
    return ParseResult(failure());
  op.complete = true;
  return parser.resolveOperands(operands, types, loc, state.operands);
}

constexpr OpRow ops[] = {
    {"cute_nvgpu.atom.set_value", Departure::Operands, namedField},
    {"cute_nvgpu.atom.get_value", Departure::Operands, namedField},
};
} // namespace

Spelling dsl45() { return {.ops = ops}; }

} // namespace tessera::import
