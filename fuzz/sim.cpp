// Fuzzes the simulator: any text is refused or a program, and its kernels end, rightly or with a
// reason, within their limits.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fuzz/Tokens.h"
#include "tessera/ptx_text/Parser.h"
#include "tessera/sim/Machine.h"

#include <cstring>

using namespace tessera::sim;

TESSERA_FUZZ_TEXT()

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::string_view text(reinterpret_cast<const char *>(data), size);
  (void)tessera::ptx_text::outlineOf(text);
  (void)tessera::ptx_text::parseStatements(text);
  auto program = Program::parse(std::string(text));
  if (!program)
    return 0;
  auto shared = std::make_shared<const Program>(*std::move(program));
  Machine machine({.instructions = 20000, .globalBytes = 1 << 24, .hostThreads = 1});
  auto loaded = machine.load(shared);
  uint64_t buffer = *machine.memory().allocate(4096);
  for (const auto &function : shared->functions) {
    if (!loaded || !function->isEntry)
      continue;
    std::vector<std::byte> parameters(function->parameterBytes);
    for (size_t at = 0; at + 8 <= parameters.size(); at += 8)
      std::memcpy(&parameters[at], &buffer, 8);
    LaunchConfig config{.grid = {2}, .block = {48}, .cluster = {}, .dynamicShared = 1024};
    (void)machine.launch(*loaded, function->name, config, parameters);
  }
  return 0;
}
