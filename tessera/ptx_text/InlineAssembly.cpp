// Reads inline assembly as a piece of a body, operands as names.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/ptx_text/InlineAssembly.h"

#include "tessera/ptx_text/Lexer.h"
#include "tessera/ptx_text/Parser.h"

#include <algorithm>

namespace tessera::ptx_text {

namespace {

/// The text with operands in braces as names of the same length, so that every place stays what it
/// was: `${0:x}` becomes `$_0_x_`, `{$rw0}` becomes `_$rw0_`.
std::string withPlainOperands(std::string_view text) {
  std::string out(text);
  for (size_t at = 0; at < out.size(); ++at) {
    bool before = out.compare(at, 2, "${") == 0 && (at == 0 || out[at - 1] != '$');
    bool around = out.compare(at, 3, "{$r") == 0 || out.compare(at, 3, "{$w") == 0;
    size_t first = at + before, close = out.find('}', first);
    if ((!before && !around) || close == out.npos)
      continue;
    // A vector of several registers begins the same way: {$r0, $r1}.
    std::string_view inside = std::string_view(out).substr(first + 1, close - first - 1);
    if (inside.find_first_of(" ,;\t\n") != inside.npos)
      continue;
    std::replace_if(
        out.begin() + long(first), out.begin() + long(close) + 1,
        [](char c) { return c == '{' || c == '}' || c == ':'; }, '_');
    at = close;
  }
  return out;
}

/// Names that begin with % and are neither declared in the text nor numbers of operands.
void addSpecialRegisters(const Operand &operand, const std::vector<Statement> &statements,
                         std::vector<std::string_view> &out) {
  for (const Operand &part : operand.parts)
    addSpecialRegisters(part, statements, out);
  std::string_view name = operand.name;
  if (name.size() < 2 || name[0] != '%' || (name[1] >= '0' && name[1] <= '9'))
    return;
  bool declared =
      std::any_of(statements.begin(), statements.end(), [&](const Statement &statement) {
        return statement.kind == Statement::Declaration &&
               (name == statement.variable.name ||
                (statement.variable.count && name.starts_with(statement.variable.name)));
      });
  if (!declared)
    out.push_back(name);
}

} // namespace

Result<std::vector<Instruction>> parseInlineAssembly(std::string_view text) {
  std::string plain = withPlainOperands(text);
  TESSERA_TRY(std::vector<Statement> statements, parseStatements(plain));
  // What the statements point to lies at the same place of the text.
  auto written = [&](std::string_view part) {
    return part.empty() ? part : text.substr(size_t(part.data() - plain.data()), part.size());
  };
  std::vector<Instruction> out;
  for (const Statement &s : statements) {
    if (s.kind != Statement::Instruction)
      continue;
    if (s.name.starts_with('.'))
      return atLine(text, s.line, fail(Error::Directive, s.name));
    Instruction &i = out.emplace_back();
    i.text = written(s.name);
    i.guard = written(s.guard);
    i.guardNegated = s.guardNegated;
    i.hasSink = !s.operands.empty() && s.operands[0].kind == Operand::Sink;
    for (const Operand &operand : s.operands) {
      i.operands += operand.kind != Operand::Vector;
      std::vector<std::string_view> names;
      addSpecialRegisters(operand, statements, names);
      for (std::string_view name : names)
        i.registers.push_back(written(name));
    }
    size_t at = size_t(i.text.data() - text.data());
    i.line = s.line;
    i.column = int(at - (at ? text.rfind('\n', at - 1) + 1 : 0)) + 1;
    std::string_view rest = i.text;
    for (bool first = true; first || !rest.empty(); first = false) {
      size_t dot = std::min(rest.find('.'), rest.size());
      if (first)
        i.mnemonic = rest.substr(0, dot);
      else
        i.modifiers.push_back(rest.substr(0, dot));
      rest.remove_prefix(std::min(dot + 1, rest.size()));
    }
  }
  return out;
}

} // namespace tessera::ptx_text
