// Every function of tessera-c/Tile.h where memory or threads run out.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Faults.h"
#include "tessera-c/Tile.h"
#include "tessera/tile_bytecode/Constants.h"
#include "tessera/tile_bytecode/Writer.h"
#include "test/tile_eval/Kernel.h"

using namespace tessera::test;
using tessera::tile_bytecode::Op;

namespace {

struct Api {
  using Error = TesseraTileError;
  static const char *id(const Error *error) { return tesseraTileErrorId(error); }
  static const char *text(const Error *error) { return tesseraTileErrorText(error); }
  static void destroy(Error *error) { tesseraTileErrorDestroy(error); }
  static void giveBack(TesseraTileProgram *made) { tesseraTileProgramDestroy(made); }
  static void giveBack(TesseraTileInterpreter *made) { tesseraTileInterpreterDestroy(made); }
  static void giveBack(bool) {}
};

void expect(bool good, const char *what) {
  if (!good)
    wrong(what, "is not so");
}

/// A kernel with a global, memory of its own, a print, and an atomic op, for which tile blocks take
/// turns: each stores its number at its place.
std::string bytecode() {
  tessera::tile_eval::test::Kernel k({"ptr<i32>"});
  tessera::tile_bytecode::Interner interner(k.program);
  auto type = k.type("4xi32");
  k.program.globals.push_back(
      {k.string("g"), type,
       interner.constant(constantBytes(k.program, {0, 1, 2, 3}, k.program.type(type))), 4});
  auto id = k.add(Op::GetTileBlockId, {"i32", "i32", "i32"}, {}, {});
  auto own = k.add(Op::Alloca, {"ptr<i32>"}, {std::nullopt, 64, 16}, {});
  auto one = k.constant("i32", {1});
  k.add(Op::AtomicRMWTko, {"i32", "token"}, {4, 1, 3}, {{own}, {one}, {}, {}});
  k.add(Op::PrintTko, {"token"}, {k.string("%d\n")}, {{id}, {}});
  auto global = k.add(Op::GetGlobal, {"ptr<i32>"}, {k.string("g")}, {});
  auto value = k.load("i32", k.add(Op::Offset, {"ptr<i32>"}, {}, {{global}, {id}}));
  k.store(k.add(Op::Offset, {"ptr<i32>"}, {}, {{0}, {id}}), value);
  return *write(k.finish());
}

/// All that a program does; each function with every allocation of it failing once.
void everyAllocation(uint32_t resident) {
  std::string bytes = bytecode();
  TesseraTileProgram *program = exhausted<Api>("read", [&](auto **error) {
    return tesseraTileProgramRead(bytes.data(), bytes.size(), error);
  });
  TesseraTileParameter parameter;
  exhausted<Api>("parameter", [&](auto **error) {
    return tesseraTileParameter(program, "k", 0, &parameter, error);
  });
  const void *written = nullptr;
  size_t size = 0;
  exhausted<Api>("write", [&](auto **error) {
    return tesseraTileProgramWrite(program, 4, &written, &size, error);
  });
  exhausted<Api>("size", [&](auto **error) {
    return tesseraTileBytecodeSize(bytes.data(), bytes.size(), &size, error);
  });
  expect(size == bytes.size(), "the size of the bytecode");
  TesseraTileInterpreter *interpreter = exhausted<Api>(
      "interpreter", [&](auto **error) { return tesseraTileInterpreterCreate(program, error); });
  uint32_t data[4] = {};
  exhausted<Api>("array", [&](auto **error) {
    return tesseraTileArrayAdd(interpreter, data, sizeof(data), error);
  });
  uint64_t address = 0;
  exhausted<Api>(
      "global", [&](auto **error) { return tesseraTileGlobal(interpreter, "g", &address, error); });
  TesseraTileOptions options = tesseraTileDefaultOptions();
  options.resident = resident;
  uint32_t grid[3] = {4, 1, 1};
  uint64_t argument = reinterpret_cast<uint64_t>(data);
  auto launch = [&](auto **error) {
    return tesseraTileLaunch(interpreter, "k", grid, &argument, 1, &options, error);
  };
  exhausted<Api>("launch", launch);
  for (uint32_t i = 0; i < 4; ++i)
    expect(data[i] == i, "the numbers of the launch that went through");
  for (long n = 1; n < 8; ++n) { // these have no error to fill
    failAllocation(n);
    (void)tesseraTileTakeOutput(interpreter);
    (void)tesseraTileSteps(interpreter);
    (void)tesseraTileKernelCount(program);
    (void)tesseraTileKernelName(program, 0);
    (void)tesseraTileProgramMinor(program);
    (void)tesseraTileParameterCount(program, "k");
    TesseraTileError *error = nullptr;
    (void)tesseraTileGlobal(interpreter, "none", &address, &error); // refused; or for memory
    tesseraTileErrorDestroy(error);
    failAllocation(0);
  }
  // Where the system refuses a thread the others do its work; without any the launch says so.
  if (resident > 1)
    for (long n = 1; n <= long(resident); ++n) {
      TesseraTileError *error = nullptr;
      failThread(n);
      bool done = launch(&error);
      failThread(0);
      expect(n == 1 ? !done && !std::strcmp(Api::id(error), "OutOfThreads") : done && !error,
             "what a refused thread does");
      tesseraTileErrorDestroy(error);
    }
  failAllocation(1);
  tesseraTileArrayRemove(interpreter, data);
  tesseraTileInterpreterDestroy(interpreter);
  tesseraTileProgramDestroy(program);
  failAllocation(0);
}

} // namespace

int main() {
  for (uint32_t resident : {1u, 3u})
    everyAllocation(resident);
  std::puts("the C API of tile programs survives what runs out");
}
