// Reads the probes. A reader of its own: operands are what commas separate outside of brackets.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Probes.h"

#include <fstream>

namespace tessera::atom::test {

const std::vector<Probe> &probes() {
  static const std::vector<Probe> all = [] {
    std::vector<Probe> read;
    std::ifstream file(TESSERA_INSTRUCTION_PROBES);
    for (std::string line; std::getline(file, line);) {
      if (line.empty() || line[0] == '#')
        continue;
      size_t at = line.find(" ~ ");
      if (at == line.npos)
        read.push_back({"", line});
      else
        read.push_back({line.substr(0, at), line.substr(at + 3)});
    }
    return read;
  }();
  return all;
}

Read read(std::string_view text) {
  Read out;
  size_t end = std::min(text.find_first_of(" ;"), text.size());
  out.written.mnemonic = text.substr(0, end);
  int depth = 0;
  std::string_view rest = text.substr(end);
  for (size_t i = 0, start = 0; i < rest.size(); ++i) {
    depth += rest[i] == '{' || rest[i] == '[';
    depth -= rest[i] == '}' || rest[i] == ']';
    if (depth || (rest[i] != ',' && rest[i] != ';'))
      continue;
    std::string_view operand = rest.substr(start, i - start);
    operand.remove_prefix(std::min(operand.find_first_not_of(' '), operand.size()));
    start = i + 1;
    if (operand.empty())
      continue;
    if (out.written.operands == 0 && operand == "_")
      out.written.hasSink = true;
    out.written.operands += operand[0] != '{';
    // %r7 is a register of the probe, %tid.x and %is_explicit_cluster are not.
    bool own = operand.size() > 2 && operand[0] == '%' && operand[2] >= '0' && operand[2] <= '9';
    if (operand[0] == '%' && !own)
      out.registers.push_back(operand);
  }
  return out;
}

Result<std::vector<const Availability *>> conditionsOf(std::string_view instruction) {
  Read text = read(instruction);
  Result<std::vector<const Availability *>> all = availabilityOf(text.written);
  if (all)
    for (std::string_view name : text.registers) {
      Result<const Availability *> one = availabilityOfRegister(name);
      if (!one)
        return one.reason();
      all->push_back(*one);
    }
  return all;
}

} // namespace tessera::atom::test
