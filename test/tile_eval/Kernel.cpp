// Programs made by tests.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Kernel.h"

#include "tessera/tile_bytecode/Constants.h"
#include "tessera/tile_eval/Semantics.h"

#include <cstdlib>

namespace tessera::tile_eval::test {

std::set<Op> &opsRun() {
  static std::set<Op> ops;
  return ops;
}

Kernel::Kernel(const Types &parameters, tile_bytecode::Version version)
    : interner(program), block(&function.body) {
  program.version = version;
  Type type{.kind = TypeKind::Function};
  for (const std::string &parameter : parameters)
    type.parameters.push_back(this->type(parameter));
  function.type = interner.type(type);
  function.name = interner.string("k");
  next = Index(parameters.size());
}

Index Kernel::define(const std::string &name, const Type &type) {
  named.emplace_back(name, interner.type(type));
  return named.back().second;
}

Index Kernel::type(const std::string &text) {
  for (auto &[name, index] : named)
    if (name == text)
      return index;
  if (text == "token")
    return interner.type({.kind = TypeKind::Token});
  Type tile{.kind = TypeKind::Tile};
  size_t at = 0;
  while (at < text.size() && text[at] >= '0' && text[at] <= '9') {
    char *end = nullptr;
    tile.shape.push_back(std::strtoll(text.c_str() + at, &end, 10));
    at = size_t(end - text.c_str()) + 1; // x
  }
  std::string element = text.substr(at);
  bool isPointer = element.starts_with("ptr<");
  if (isPointer)
    element = element.substr(4, element.size() - 5);
  for (const tile_bytecode::TypeRow &row : tile_bytecode::typeRows)
    if (row.text == element)
      tile.element = interner.type({.kind = row.kind});
  if (isPointer)
    tile.element = interner.type({.kind = TypeKind::Pointer, .element = tile.element});
  return interner.type(tile);
}

uint64_t Kernel::attribute(Attribute attribute) {
  program.attributes.push_back(std::move(attribute));
  return program.attributes.size() - 1;
}

Index Kernel::add(Op op, const Types &results, const Attributes &attributes,
                  const Columns &operands, std::vector<Region> regions) {
  std::vector<Index> types;
  for (const std::string &result : results)
    types.push_back(type(result));
  Instruction made = function.make(op, types, attributes, operands);
  made.regions = std::move(regions);
  block->push_back(std::move(made));
  opsRun().insert(op);
  Index first = next;
  next += Index(results.size());
  return first;
}

Region Kernel::region(const Types &arguments,
                      const std::function<void(const std::vector<Index> &)> &body) {
  Region out;
  std::vector<Index> numbers;
  Index before = next;
  for (const std::string &argument : arguments) {
    out.arguments.push_back(type(argument));
    numbers.push_back(next++);
  }
  std::vector<Instruction> *outer = std::exchange(block, &out.body);
  body(numbers);
  block = outer;
  next = before;
  return out;
}

Index Kernel::constant(const std::string &text, const Codes &codes) {
  const Type tile = program.type(type(text));
  Codes all = codes;
  if (all.size() == 1)
    all.assign(size_t(elementsOf(tile)), codes[0]);
  Index bytes = interner.constant(constantBytes(program, all, tile));
  return add(Op::Constant, {text}, {bytes}, {});
}
Index Kernel::load(const std::string &type, Index pointers) {
  return add(Op::LoadPtrTko, {type, "token"}, {0}, {{pointers}, {}, {}, {}});
}
void Kernel::store(Index pointers, Index value) {
  add(Op::StorePtrTko, {"token"}, {0}, {{pointers}, {value}, {}, {}});
}
Index Kernel::pointers(const std::string &pointee, Index base, int64_t count) {
  std::string scalar = cat("ptr<", pointee, ">"), n = std::to_string(count);
  Index one = add(Op::Reshape, {cat("1x", scalar)}, {}, {{base}});
  Index all = add(Op::Broadcast, {cat(n, "x", scalar)}, {}, {{one}});
  Index places = add(Op::Iota, {cat(n, "xi32")}, {}, {});
  return add(Op::Offset, {cat(n, "x", scalar)}, {}, {{all}, {places}});
}

Program Kernel::finish() {
  add(Op::Return, {}, {}, {{}});
  program.functions.push_back(function);
  return program;
}

std::string textOf(const Status &status) {
  return status ? "ok" : cat(status.reason().id, ": ", status.reason().text);
}

Result<std::vector<Codes>> One::run(Op op, const Types &results, const Attributes &attributes,
                                    const std::vector<std::vector<Tile>> &operands,
                                    std::vector<Region> regions) {
  opsRun().insert(op);
  Program &program = kernel.program;
  tile_bytecode::Function function = kernel.function; // empty
  Type type{.kind = TypeKind::Function};
  std::vector<Value> values;
  Columns numbers;
  for (const auto &column : operands) {
    numbers.emplace_back();
    for (const Tile &tile : column) {
      numbers.back().push_back(Index(values.size()));
      Index index = kernel.type(tile.type);
      type.parameters.push_back(index);
      Codes codes = tile.codes;
      if (codes.size() == 1)
        codes.assign(size_t(elementsOf(program.type(index))), codes[0]);
      values.push_back({.type = index, .codes = std::make_shared<const Codes>(codes)});
    }
  }
  function.type = kernel.define("function", type);
  std::vector<Index> resultTypes;
  for (const std::string &result : results)
    resultTypes.push_back(kernel.type(result));
  function.body.push_back(function.make(op, resultTypes, attributes, numbers));
  function.body[0].regions = std::move(regions);
  TESSERA_CHECK(verify(program, function));
  std::vector<uint64_t> globals;
  Launch launch{program, function, {1, 1, 1}, {}, memory, options, globals, output};
  TileBlock block(launch, {0, 0, 0}, 1);
  for (Value &value : values)
    block.define(value);
  Step step(block, function.body[0]);
  TESSERA_CHECK(semanticsOf(op).run(step));
  std::vector<Codes> out;
  for (size_t i = 0; i < results.size(); ++i) {
    const Value &value = block.value(Index(values.size() + i));
    out.push_back(value.codes ? *value.codes : Codes());
  }
  return out;
}
std::string One::outcome(Op op, const Types &results, const Attributes &attributes,
                         const std::vector<std::vector<Tile>> &operands) {
  auto done = run(op, results, attributes, operands);
  return done ? "ok" : cat(done.reason().id, ": ", done.reason().text);
}

} // namespace tessera::tile_eval::test
