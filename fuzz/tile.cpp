// Fuzzes the bytecode of tile programs and their interpreter: any bytes are refused with a reason
// or read as a program that is written and read as the same one; what verifies runs to an end.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Half of the inputs are changed as bytes, the others as programs: an instruction gets another
// operand, type, attribute or op, so that inputs go deeper than the reader.
#include "tessera/tile_bytecode/Reader.h"
#include "tessera/tile_bytecode/Writer.h"
#include "tessera/tile_eval/Interpreter.h"
#include "tessera/tile_eval/Semantics.h"
#include "test/tile_bytecode/Random.h"

#include <cstdio>
#include <cstring>

using namespace tessera;
using namespace tessera::tile_bytecode;

extern "C" size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);

namespace {

[[noreturn]] void wrong(const char *what, const std::string &text) {
  std::fprintf(stderr, "%s: %s\n", what, text.c_str());
  __builtin_trap();
}

/// Whether no tile is so large that running it says nothing new and takes long.
bool isSmall(const Program &program) {
  for (const Type &type : program.types)
    if (type.kind == TypeKind::Tile && elementsOf(type) > 256)
      return false;
  return true;
}

/// Each kernel, where all pointers point into one array.
void run(const Program &program) {
  static std::vector<uint64_t> array(1 << 12);
  tile_eval::Interpreter interpreter(program);
  interpreter.memory().add(array.data(), array.size() * 8);
  for (const Function &function : program.functions) {
    std::vector<uint64_t> arguments;
    for (Index parameter : program.type(function.type).parameters) {
      const Type &type = program.type(parameter);
      bool isPointer =
          type.kind == TypeKind::Tile && program.type(type.element).kind == TypeKind::Pointer;
      arguments.push_back(isPointer ? reinterpret_cast<uint64_t>(array.data()) + 8192 : 1);
    }
    Status status = interpreter.launch(program.text(function.name), {2, 1, 1}, arguments,
                                       {.steps = 100, .bytes = 1 << 26, .resident = 2});
    if (!status && status.reason().text.empty())
      wrong("refused without a reason", std::string(status.reason().id));
    (void)interpreter.takeOutput();
  }
}

//===--- Changes of programs

class Change {
public:
  Change(Program &program, uint64_t seed) : program(program), random(seed) {}

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

} // namespace

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most,
                                          unsigned int seed) {
  if (seed % 2)
    return LLVMFuzzerMutate(data, size, most);
  auto program = read(std::as_bytes(std::span(data, size)));
  std::mt19937_64 random(seed);
  Program changed = program ? *std::move(program)
                            : test::RandomProgram(random(), {13, uint8_t(1 + random() % 4)}).make();
  for (size_t n = random() % 3; n < 3; ++n)
    Change(changed, random()).make();
  auto written = write(changed, changed.version);
  if (!written || written->size() > most)
    return LLVMFuzzerMutate(data, size, most);
  std::memcpy(data, written->data(), written->size());
  return written->size();
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::span<const std::byte> bytes = std::as_bytes(std::span(data, size));
  (void)sizeOf(bytes);
  auto program = read(bytes);
  if (!program) {
    if (program.reason().text.empty())
      wrong("refused without a reason", std::string(program.reason().id));
    return 0;
  }
  auto written = write(*program);
  if (!written)
    wrong("is not written", written.reason().text);
  auto again = read(std::as_bytes(std::span(*written)));
  if (!again)
    wrong("is not read again", again.reason().text);
  if (again->functions != program->functions || again->types != program->types ||
      again->attributes != program->attributes || again->constants != program->constants)
    wrong("is read as another program", "");
  (void)write(*program, {13, uint8_t(1 + size % 4)});
  if (isSmall(*program))
    run(*program);
  return 0;
}
