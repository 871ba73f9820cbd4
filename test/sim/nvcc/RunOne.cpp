// Runs one of the programs from a file of PTX, which may have been changed, under the sanitizer:
// tessera-nvcc-run NAME FILE. Exit code 0: ran and right, 1: numbers differ, 2: bad input, 5: it
// ended with an error. Without arguments: the names.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Programs.h"

#include "tessera/run/SimDevice.h"
#include "tessera/sanitize/Sanitizer.h"

#include <cstdio>
#include <filesystem>

using namespace tessera;

int main(int count, char **arguments) {
  for (const nvcc::Program &program : nvcc::programs()) {
    if (count < 3) {
      std::printf("%s\n", program.name.c_str());
      continue;
    }
    if (program.name != arguments[1])
      continue;
    Result<std::vector<nvcc::Bytes>> want = nvcc::expectedOf(program);
    run::SimDevice device({.instructions = 20'000'000}, std::make_shared<sanitize::Sanitizer>());
    Result<std::vector<nvcc::Bytes>> got = nvcc::runProgram(program, arguments[2], device);
    if (!want || !got) {
      const Reason &why = want ? got.reason() : want.reason();
      bool ran = device.statistics().warpInstructions != 0;
      std::fprintf(stderr, "error: %s\n", why.text.c_str());
      return want && ran ? 5 : 2;
    }
    std::string difference = nvcc::difference(program, *got, *want);
    std::fprintf(stderr, "%s\n", difference.c_str());
    return difference.empty() ? 0 : 1;
  }
  return count < 3 ? 0 : 2;
}
