// Fuzzes the bytecode of tile programs and their interpreter: any bytes are refused with a reason
// or read as a program that is written and read as the same one; what verifies runs to an end.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fuzz/Programs.h"
#include "tessera/tile_eval/Interpreter.h"
#include "tessera/tile_eval/Semantics.h"

#include <cstdio>

using namespace tessera;
using namespace tessera::tile_bytecode;

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

} // namespace

TESSERA_FUZZ_PROGRAM()

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
