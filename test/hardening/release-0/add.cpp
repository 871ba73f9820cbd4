// The same from C++: bytecode as plain data, and its kernel over arrays of the host.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Add.h"
#include "tessera/tile_bytecode/Reader.h"
#include "tessera/tile_eval/Interpreter.h"

#include <cstdio>

int main() {
  using namespace tessera;
  auto program = tile_bytecode::read(std::as_bytes(std::span(add)));
  if (!program)
    return 1;
  tile_eval::Interpreter interpreter(*program);
  for (tile_bytecode::Index parameter : program->type(program->find("add")->type).parameters)
    std::printf("%s ", typeText(*program, parameter).c_str());
  float a[8] = {1, 2, 3, 4, 5, 6, 7, 8}, b[8] = {10, 20, 30, 40, 50, 60, 70, 80}, c[8];
  std::vector<uint64_t> arguments;
  for (float *array : {a, b, c}) {
    interpreter.memory().add(array, sizeof(a));
    arguments.push_back(reinterpret_cast<uint64_t>(array));
  }
  std::printf("\n");
  if (interpreter.launch("add", {2, 1, 1}, arguments))
    for (float element : c)
      std::printf("%g ", element);
  Status outside = interpreter.launch("add", {3, 1, 1}, arguments);
  std::string text = outside ? "" : outside.reason().text;
  std::printf("\n%s\n", text.substr(0, text.find(':')).c_str());
}
