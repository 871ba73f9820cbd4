// Runs a kernel of PTX on the simulator, and one that goes too far.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/sim/Machine.h"

#include <cstdio>
#include <vector>

using namespace tessera;

namespace {

const char *text = R"(.version 8.0
.target sm_90
.address_size 64
.visible .entry twice(.param .u64 data) {
  .reg .b32 %r<2>;
  .reg .b64 %d<2>;
  ld.param.u64 %d1, [data];
  mov.u32 %r1, %tid.x;
  mad.wide.u32 %d1, %r1, 4, %d1;
  ld.global.u32 %r1, [%d1];
  shl.b32 %r1, %r1, 1;
  st.global.u32 [%d1], %r1;
  ret;
}
)";

Result<int> run(uint32_t threads) {
  TESSERA_TRY(sim::Program program, sim::Program::parse(text));
  sim::Machine machine;
  TESSERA_TRY(sim::LoadedProgram loaded,
              machine.load(std::make_shared<const sim::Program>(std::move(program))));
  std::vector<uint32_t> values{1, 2, 3, 4, 5, 6, 7, 8};
  TESSERA_TRY(uint64_t data, machine.memory().allocate(values.size() * 4));
  TESSERA_CHECK(machine.memory().write(data, std::as_bytes(std::span(values))));
  TESSERA_CHECK(machine.launch(loaded, "twice", {.grid = {}, .block = {threads}},
                               std::as_bytes(std::span(&data, 1))));
  TESSERA_CHECK(machine.memory().read(std::as_writable_bytes(std::span(values)), data));
  for (uint32_t value : values)
    std::printf("%u ", value);
  std::printf("\n");
  return 0;
}

} // namespace

int main() {
  for (uint32_t threads : {8, 9})
    if (Result<int> ran = run(threads); !ran)
      std::printf("%s\n", ran.reason().text.c_str());
}
