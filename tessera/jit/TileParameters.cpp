// Types of tile programs, and what entries assume, as parameters.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/jit/TileParameters.h"

#include <numeric>

namespace tessera::jit {

using run::Parameter;
using tile_bytecode::Function;
using tile_bytecode::Program;
using Kind = Parameter::Kind;

namespace {

constexpr size_t pointerBytes = 8;

/// What arrays of an element type are made of. Other libraries have no f8E5M3FNU: they pass bytes.
std::optional<run::ElementTypes> elementsOf(const tile_bytecode::TypeRow &row) {
  if (row.kind != tile_bytecode::TypeKind::F8E5M3FNU)
    return run::elementsOf(std::string(row.text));
  std::optional<run::ElementTypes> bytes = run::elementsOf("i8");
  bytes->text = cat(row.text, ", as bytes,");
  return bytes;
}

Parameter parameterOf(const Program &program, tile_bytecode::Index index) {
  using tile_bytecode::TypeKind;
  Parameter parameter{.kind = Kind::Refused, .type = typeText(program, index)};
  const tile_bytecode::Type &type = program.type(index);
  if (type.kind != TypeKind::Tile || !type.shape.empty())
    return parameter;
  const tile_bytecode::Type *element = &program.type(type.element);
  bool isPointer = element->kind == TypeKind::Pointer;
  if (isPointer)
    element = &program.type(element->element);
  const tile_bytecode::TypeRow &row = rowOf(element->kind);
  std::optional<run::ElementTypes> types = elementsOf(row);
  if (!types)
    return parameter;
  parameter.kind = isPointer ? Kind::Pointer : Kind::Number;
  parameter.element = *std::move(types);
  size_t bytes = (row.bits + 7) / 8;
  if (isPointer)
    parameter.alignment = int64_t(bytes); // elements lie at multiples of their size
  parameter.packing.size = isPointer ? pointerBytes : bytes;
  parameter.packing.leaves = {{0, unsigned(parameter.packing.size * 8)}};
  return parameter;
}

/// Adds the alignments and divisors that the entry assumes of its parameters before any op that may
/// end or repeat. An assumption may be made of the result of another one.
void addAssumed(const Program &program, const Function &entry, std::vector<Parameter> &parameters) {
  std::vector<size_t> of(parameters.size()); // by value: the parameter that it equals
  std::iota(of.begin(), of.end(), 0);
  constexpr size_t none = ~size_t(0);
  for (const tile_bytecode::Instruction &op : entry.body) {
    if (!op.regions.empty() || op.op == tile_bytecode::Op::Assert)
      return;
    if (op.op == tile_bytecode::Op::Assume) {
      size_t value = entry.operands(op)[0];
      size_t parameter = value < of.size() ? of[value] : none;
      of.push_back(parameter);
      const tile_bytecode::Attribute &predicate = program.attributes[entry.attribute(op, 0)];
      if (parameter == none || predicate.kind != tile_bytecode::Attribute::DivBy)
        continue;
      Parameter &assumed = parameters[parameter];
      int64_t &divisor = assumed.kind == Kind::Pointer ? assumed.alignment : assumed.divisor;
      divisor = std::lcm(divisor, int64_t(predicate.value));
    } else {
      of.insert(of.end(), op.results, none);
    }
  }
}

} // namespace

std::vector<Parameter> parametersOf(const Program &program, const Function &entry) {
  std::vector<Parameter> parameters;
  for (tile_bytecode::Index index : program.type(entry.type).parameters)
    parameters.push_back(parameterOf(program, index));
  addAssumed(program, entry, parameters);
  return parameters;
}

} // namespace tessera::jit
