// Programs: changes of tile programs by their structure.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Half of the inputs are changed as bytes, the others as programs: an instruction gets another
// operand, type, attribute or op, so that inputs go deeper than the reader.
#pragma once

#include "tessera/tile_bytecode/Reader.h"
#include "tessera/tile_bytecode/Writer.h"
#include "test/tile_bytecode/Random.h"

#include <cstring>
#include <random>

extern "C" size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);

namespace tessera::fuzz {

using namespace tile_bytecode;

class ProgramChange {
public:
  ProgramChange(Program &program, uint64_t seed) : program(program), random(seed) {}

  void make() {
    if (below(8) == 0)
      return type();
    if (program.functions.empty())
      return;
    Function &function = program.functions[below(program.functions.size())];
    std::vector<std::vector<Instruction> *> lists{&function.body};
    collect(function.body, lists);
    std::vector<Instruction> &list = *lists[below(lists.size())];
    if (!list.empty())
      instruction(function, list, below(list.size()));
  }

private:
  size_t below(size_t n) { return n ? random() % n : 0; }
  static void collect(std::vector<Instruction> &body,
                      std::vector<std::vector<Instruction> *> &lists) {
    for (Instruction &i : body)
      for (Region &region : i.regions) {
        lists.push_back(&region.body);
        collect(region.body, lists);
      }
  }
  void type() {
    Type &type = program.types[below(program.types.size())];
    switch (below(3)) {
    case 0:
      if (!type.shape.empty())
        type.shape[below(type.shape.size())] = int64_t(1) << below(6);
      break;
    case 1:
      if (type.kind == TypeKind::Tile && !type.shape.empty())
        type.shape.pop_back();
      break;
    default:
      if (type.element != noIndex)
        type.element = Index(below(program.types.size()));
    }
  }
  void instruction(Function &function, std::vector<Instruction> &list, size_t at) {
    Instruction &i = list[at];
    size_t columns = rowOf(i.op).operands.size();
    size_t operands = function.operands(i).size();
    Index *indices = function.indices.data() + i.indices;
    switch (below(6)) {
    case 0:
      if (operands)
        indices[i.results + columns + below(operands)] = Index(below(40));
      break;
    case 1:
      if (i.results)
        indices[below(i.results)] = Index(below(program.types.size()));
      break;
    case 2:
      if (size_t count = rowOf(i.op).attributes.size()) {
        size_t column = below(count);
        uint64_t &value = function.attributes[i.attributes + column];
        bool isComplex = tile_bytecode::isComplex(rowOf(i.op).attributes[column].form);
        value = isComplex ? below(program.attributes.size()) : below(10);
        i.present |= 1u << column;
      }
      break;
    case 3: list.erase(list.begin() + ptrdiff_t(at)); break;
    case 4: list.insert(list.begin() + ptrdiff_t(at), Instruction(i)); break;
    default: // an op with the same columns
      for (size_t tries = 0; tries < 20; ++tries) {
        const OpRow &other = opRows[below(opCount)];
        const OpRow &row = rowOf(i.op);
        if (other.results.size() == row.results.size() &&
            other.attributes.size() == row.attributes.size() && other.operands.size() == columns &&
            other.regions == row.regions) {
          i.op = other.op;
          break;
        }
      }
    }
  }

  Program &program;
  std::mt19937_64 random;
};

/// For LLVMFuzzerCustomMutator.
inline size_t mutateProgram(uint8_t *data, size_t size, size_t most, unsigned seed) {
  if (seed % 2)
    return LLVMFuzzerMutate(data, size, most);
  auto program = read(std::as_bytes(std::span(data, size)));
  std::mt19937_64 random(seed);
  Program changed =
      program
          ? *std::move(program)
          : tile_bytecode::test::RandomProgram(random(), {13, uint8_t(1 + random() % 4)}).make();
  for (size_t n = random() % 3; n < 3; ++n)
    ProgramChange(changed, random()).make();
  auto written = write(changed, changed.version);
  if (!written || written->size() > most)
    return LLVMFuzzerMutate(data, size, most);
  std::memcpy(data, written->data(), written->size());
  return written->size();
}

} // namespace tessera::fuzz

/// Inputs of a fuzzer are changed in this way.
#define TESSERA_FUZZ_PROGRAM()                                                                     \
  extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most,               \
                                            unsigned int seed) {                                   \
    return tessera::fuzz::mutateProgram(data, size, most, seed);                                   \
  }
