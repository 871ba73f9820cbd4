// Listings of programs.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Listing.h"

namespace tessera::tile::test {

using namespace tile_bytecode;

namespace {

class Lister {
  using Index = tile_bytecode::Index;

public:
  explicit Lister(const Program &program) : program(program) {}

  std::string run(const Function &f) {
    function = &f;
    next = Index(program.type(f.type).parameters.size());
    list(f.body, "");
    return std::move(out);
  }

private:
  std::string attribute(const Attribute &a) const {
    std::string text;
    auto all = [&](const auto &items, auto show) {
      for (const auto &item : items)
        text += (text.empty() ? "" : ", ") + show(item);
    };
    switch (a.kind) {
    case Attribute::Integer: return std::to_string(int64_t(a.value));
    case Attribute::Float: return "0x" + hex(a.value);
    case Attribute::Bool: return a.value ? "true" : "false";
    case Attribute::DivBy:
      return "div_by<" + std::to_string(a.value) +
             (a.first ? ", every " + std::to_string(*a.first) : "") +
             (a.second ? " along " + std::to_string(*a.second) : "") + ">";
    case Attribute::Bounded:
      return "bounded<" + (a.first ? std::to_string(*a.first) : "?") + ", " +
             (a.second ? std::to_string(*a.second) : "?") + ">";
    case Attribute::SameElements:
      all(a.numbers, [](int64_t n) { return std::to_string(n); });
      return "same_elements<[" + text + "]>";
    case Attribute::Array:
      all(a.items, [&](const Attribute &item) { return attribute(item); });
      return "[" + text + "]";
    case Attribute::Dictionary:
    case Attribute::OptimizationHints:
      for (size_t i = 0; i < a.keys.size(); ++i)
        text +=
            (i ? ", " : "") + std::string(program.text(a.keys[i])) + " = " + attribute(a.items[i]);
      return "<" + text + ">";
    default: all(a.numbers, [](int64_t n) { return std::to_string(n); }); return "[" + text + "]";
    }
  }
  static std::string hex(uint64_t n) {
    std::string text;
    do
      text.insert(text.begin(), "0123456789abcdef"[n % 16]);
    while (n /= 16);
    return text;
  }

  void list(const std::vector<Instruction> &body, const std::string &indent) {
    for (const Instruction &i : body)
      one(i, indent);
  }
  void one(const Instruction &i, const std::string &indent) {
    opsTraced().insert(i.op);
    const OpRow &row = rowOf(i.op);
    std::string line;
    for (size_t c = 0; c < row.attributes.size(); ++c) {
      if (!Function::has(i, c))
        continue;
      uint64_t value = function->attribute(i, c);
      switch (row.attributes[c].form) {
      case AttributeForm::Unit: line += " " + std::string(row.attributes[c].name); break;
      case AttributeForm::Enum:
        line += " " + std::string(row.attributes[c].keywords[value].text);
        break;
      case AttributeForm::String:
        line += " \"" + std::string(program.text(Index(value))) + "\"";
        break;
      case AttributeForm::Constant:
        line += " 0x";
        for (unsigned char b : program.constants[value].substr(0, 8))
          line += hex(b / 16) + hex(b % 16);
        break;
      case AttributeForm::Int:
      case AttributeForm::Bool: line += " " + std::to_string(value); break;
      default: line += " " + attribute(program.attributes[value]); break;
      }
    }
    std::string operands, types, results;
    for (Index operand : function->operands(i))
      operands += (operands.empty() ? " %" : ", %") + std::to_string(operand);
    for (Index type : function->results(i))
      types += (types.empty() ? " : " : ", ") + typeText(program, type);
    std::string inner;
    Index before = next;
    size_t at = out.size();
    for (const Region &region : i.regions) {
      out += indent + "{";
      for (Index type : region.arguments)
        out += " %" + std::to_string(next++) + " : " + typeText(program, type);
      out += "\n";
      list(region.body, indent + "  ");
      out += indent + "}\n";
      next = before;
    }
    for (size_t r = 0; r < i.results; ++r)
      results += (r ? ", %" : "%") + std::to_string(next++);
    out.insert(at, indent + results + (results.empty() ? "" : " = ") + std::string(row.name) +
                       line + operands + types + "\n");
  }

  const Program &program;
  const Function *function = nullptr;
  Index next = 0;
  std::string out;
};

} // namespace

std::string listing(const Program &program) {
  return program.functions.empty() ? "" : Lister(program).run(program.functions[0]);
}
std::set<Op> &opsTraced() {
  static std::set<Op> ops;
  return ops;
}

} // namespace tessera::tile::test
