// Builds inline PTX, and finds what would make LLVM abort.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/lower/InlinePtx.h"

#include "tessera/ptx_text/InlineAssembly.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace tessera::lower {

namespace {
/// Registers of 1 to 128 bits, floating point, immediates.
constexpr StringLiteral codes = "bchrlNqfdin";

/// Operands that a constraint string lists, or what it has that is not a constraint.
struct Listed {
  size_t outputs = 0, inputs = 0;
  std::string wrong;
};
Listed listed(StringRef constraints) {
  Listed result;
  SmallVector<StringRef> parts;
  constraints.split(parts, ',', -1, /*KeepEmpty=*/!constraints.empty());
  for (StringRef part : parts) {
    if (part.starts_with("~{") && part.ends_with("}"))
      continue; // what the text overwrites
    StringRef code = part;
    bool output = code.consume_front("=");
    if (output)
      code.consume_front("&");
    unsigned tied = 0;
    bool known = (code.size() == 1 && codes.contains(code[0])) ||
                 (!output && !code.getAsInteger(10, tied) && tied < result.outputs);
    if (!known)
      result.wrong =
          cat("constraint '", std::string_view(part),
              "' is not one of PTX's: expects one of b, c, h, r, l, q (1 to 128 bits), f, d, "
              "i, n, the number of an "
              "output, or one of the registers after = for an output");
    ++(output ? result.outputs : result.inputs);
  }
  return result;
}
} // namespace

bool hasInlineInstruction(Operation *op, StringRef start) {
  StringRef text;
  if (auto inlined = dyn_cast<LLVM::InlineAsmOp>(op))
    text = inlined.getAsmString();
  else if (auto inlined = dyn_cast<NVVM::InlinePtxOp>(op))
    text = inlined.getPtxCode();
  if (!text.contains(start)) // most texts, which need not be read
    return false;
  Result<std::vector<ptx_text::Instruction>> instructions = ptx_text::parseInlineAssembly(text);
  return !instructions || llvm::any_of(*instructions, [&](const ptx_text::Instruction &one) {
    return StringRef(one.text).starts_with(start);
  });
}

LLVM::InlineAsmOp inlinePtx(OpBuilder &b, Location loc, StringRef text, StringRef constraints,
                            ValueRange operands, TypeRange results) {
  return LLVM::InlineAsmOp::create(
      b, loc, results, operands, text, constraints, /*has_side_effects=*/true,
      /*is_align_stack=*/false, LLVM::TailCallKind::None, LLVM::AsmDialectAttr(), ArrayAttr());
}

std::string wrongInlinePtx(StringRef text, StringRef constraints, size_t inputs) {
  Listed operands = listed(constraints);
  if (!operands.wrong.empty())
    return operands.wrong;
  if (operands.inputs != inputs)
    return cat("expects one constraint for each operand, but got ", operands.inputs, " for ",
               inputs);
  size_t count = operands.outputs + operands.inputs;
  for (size_t at = text.find('$'); at != StringRef::npos; at = text.find('$', at)) {
    StringRef rest = text.substr(at + 1);
    at += 2;
    if (rest.starts_with("$")) // a dollar sign
      continue;
    StringRef name = rest.consume_front("{")
                         ? rest.take_until([](char c) { return c == '}' || c == ':'; })
                         : rest.take_while(llvm::isDigit);
    size_t number = 0;
    if (name.getAsInteger(10, number))
      return cat("'$' in the text is followed by '", std::string_view(rest.take_front(8)),
                 "', but expects the number of an operand, or $$ for a dollar sign");
    if (number >= count)
      return cat("the text names operand $", number, ", but there are ", count,
                 " (outputs first, from $0)");
  }
  return "";
}

} // namespace tessera::lower
