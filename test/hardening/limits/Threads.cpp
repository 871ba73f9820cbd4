// Rooms without LLVM, used by eight threads as their headers allow.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "EightThreads.h"

#include "tessera-c/Layout.h"
#include "tessera-c/Sim.h"
#include "tessera-c/Tile.h"
#include "tessera/eval/Evaluate.h"
#include "tessera/run/SimDevice.h"
#include "tessera/sanitize/Sanitizer.h"
#include "tessera/sim/Machine.h"
#include "tessera/tile_bytecode/Writer.h"
#include "test/tile_eval/Kernel.h"

#include <cstring>
#include <string>

using namespace tessera;
using tessera::test::expect;
using tessera::test::onEightThreads;

namespace {

constexpr int rounds = 20;

const char text[] = R"(.version 8.0
.target sm_90
.address_size 64
.visible .entry twice(.param .u64 data) {
  .reg .b32 %r<4>;
  .reg .b64 %d<2>;
  ld.param.u64 %d1, [data];
  mov.u32 %r1, %tid.x;
  mov.u32 %r2, %ctaid.x;
  mad.lo.u32 %r1, %r2, 32, %r1;
  mad.wide.u32 %d1, %r1, 4, %d1;
  shl.b32 %r1, %r1, 1;
  st.global.u32 [%d1], %r1;
  ret;
}
)";
constexpr uint32_t blocks = 8, count = blocks * 32;

/// Values of the algebra are read by all; each thread makes its own.
void layouts() {
  TesseraValue *shared = tesseraParse("((4,2),(8,4)):((1,4),(8,64))", nullptr);
  onEightThreads([&](int number) {
    for (int i = 0; i < rounds; ++i) {
      int64_t size = 0, index = 0;
      expect(tesseraSize(shared, &size, nullptr) && size == 256, "the size of a shared layout");
      expect(tesseraIndex(shared, number, &index, nullptr) && index == number, "its index");
      TesseraValue *tile = tesseraNumber(4, nullptr);
      TesseraValue *divided = tesseraLogicalDivide(shared, tile, nullptr);
      expect(divided != nullptr, "its division");
      tesseraDestroy(divided);
      tesseraDestroy(tile);
      expect(eval::evaluate("logical_product((4,8):(8,1), 2)").ok(), "an evaluation");
      expect(!eval::evaluate("coalesce(").ok(), "a refusal");
    }
  });
  tesseraDestroy(shared);
}

/// One program, a machine for each thread, which has threads of its own.
void machines() {
  auto program = std::make_shared<const sim::Program>(*sim::Program::parse(text));
  onEightThreads([&](int number) {
    for (int i = 0; i < rounds; ++i) {
      auto sanitizer = number % 2 ? std::make_shared<sanitize::Sanitizer>() : nullptr;
      sim::Machine machine({.hostThreads = 3, .counts = number % 4 == 2}, sanitizer);
      sim::LoadedProgram loaded = *machine.load(program);
      uint64_t data = *machine.memory().allocate(4 * count);
      expect(machine
                 .launch(loaded, "twice", {.grid = {blocks, 1, 1}, .block = {32, 1, 1}},
                         std::as_bytes(std::span(&data, 1)))
                 .ok(),
             "a launch");
      std::vector<uint32_t> got(count);
      expect(machine.memory().read(std::as_writable_bytes(std::span(got)), data).ok(), "a read");
      for (uint32_t at = 0; at < count; ++at)
        expect(got[at] == 2 * at, "a number");
    }
  });
}

/// The same through C.
void machinesOfC() {
  TesseraSimProgram *program = tesseraSimProgramParse(text, sizeof(text) - 1, nullptr);
  onEightThreads([&](int) {
    for (int i = 0; i < rounds; ++i) {
      TesseraSimMachine *machine = tesseraSimMachineCreate(nullptr, nullptr);
      TesseraSimModule *module = tesseraSimModuleLoad(machine, program, nullptr);
      uint64_t data = 0;
      const void *arguments[] = {&data};
      TesseraSimLaunch launch = {{blocks, 1, 1}, {32, 1, 1}, {0, 0, 0}, 0};
      expect(tesseraSimAllocate(machine, 4 * count, &data, nullptr), "memory");
      expect(tesseraSimLaunch(module, "twice", &launch, arguments, 1, nullptr), "a launch");
      TesseraSimError *error = nullptr;
      expect(!tesseraSimLaunch(module, "none", &launch, arguments, 1, &error), "no kernel");
      expect(!std::strcmp(tesseraSimErrorId(error), "NoKernel"), "the error's id");
      tesseraSimErrorDestroy(error);
      tesseraSimModuleDestroy(module);
      tesseraSimMachineDestroy(machine);
    }
  });
  tesseraSimProgramDestroy(program);
}

/// A device for each thread.
void devices() {
  onEightThreads([&](int) {
    for (int i = 0; i < rounds; ++i) {
      run::SimDevice device({.hostThreads = 2});
      auto module = device.loadModule(std::as_bytes(std::span(text)));
      expect(module.ok(), "a module");
      auto kernel = device.kernel(module->id, "twice");
      auto data = device.allocate(4 * count);
      expect(kernel.ok() && data.ok(), "a kernel and memory");
      void *arguments[] = {&*data};
      expect(device.launch(kernel->id, {.grid = {blocks, 1, 1}, .block = {32, 1, 1}}, arguments)
                     .ok() &&
                 device.synchronize().ok(),
             "a launch");
    }
  });
}

/// Tile blocks that take turns, each on a thread: they count in an array, and store their numbers.
std::string tileProgram() {
  using tile_bytecode::Op;
  tile_eval::test::Kernel k({"ptr<i32>"});
  auto id = k.add(Op::GetTileBlockId, {"i32", "i32", "i32"}, {}, {});
  auto one = k.constant("i32", {1});
  k.add(Op::AtomicRMWTko, {"i32", "token"}, {4, 1, 3}, {{0}, {one}, {}, {}});
  auto next = k.add(Op::AddI, {"i32"}, {0}, {{id}, {one}});
  k.store(k.add(Op::Offset, {"ptr<i32>"}, {}, {{0}, {next}}), id);
  k.add(Op::PrintTko, {"token"}, {k.string("%d\n")}, {{id}, {}});
  return *write(k.finish());
}

/// One program, which all read, and an interpreter for each thread, which has threads of its own.
void tilePrograms() {
  std::string bytes = tileProgram();
  TesseraTileProgram *program = tesseraTileProgramRead(bytes.data(), bytes.size(), nullptr);
  onEightThreads([&](int number) {
    for (int i = 0; i < rounds; ++i) {
      TesseraTileInterpreter *interpreter = tesseraTileInterpreterCreate(program, nullptr);
      TesseraTileOptions options = tesseraTileDefaultOptions();
      options.seed = uint64_t(number * rounds + i);
      options.resident = 4;
      std::vector<uint32_t> data(1 + blocks);
      uint32_t grid[3] = {blocks, 1, 1};
      uint64_t argument = reinterpret_cast<uint64_t>(data.data());
      expect(tesseraTileArrayAdd(interpreter, data.data(), 4 * data.size(), nullptr), "an array");
      expect(tesseraTileLaunch(interpreter, "k", grid, &argument, 1, &options, nullptr),
             "a launch");
      expect(data[0] == blocks, "a count");
      for (uint32_t at = 0; at < blocks; ++at)
        expect(data[1 + at] == at, "a number");
      expect(std::strlen(tesseraTileTakeOutput(interpreter)) == 2 * blocks, "what was printed");
      expect(!std::strcmp(tesseraTileKernelName(program, 0), "k") &&
                 tesseraTileParameterCount(program, "k") == 1,
             "what a shared program says");
      TesseraTileError *error = nullptr;
      expect(!tesseraTileLaunch(interpreter, "none", grid, &argument, 1, nullptr, &error),
             "no kernel");
      expect(!std::strcmp(tesseraTileErrorId(error), "NoKernel"), "the error's id");
      tesseraTileErrorDestroy(error);
      tesseraTileInterpreterDestroy(interpreter);
    }
  });
  tesseraTileProgramDestroy(program);
}

} // namespace

int main() {
  layouts();
  machines();
  machinesOfC();
  devices();
  tilePrograms();
}
