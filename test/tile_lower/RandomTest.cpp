// Random kernels compiled for several targets, simulated, and compared with the interpreter.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A sample of seeds. TESSERA_LONG runs more; TESSERA_TILE_SEED and TESSERA_TILE_COUNT say which,
// and TESSERA_TILE_SHOW=1 prints each kernel. A kernel that differs is printed with its seed.
#include "RandomKernel.h"

#include "tessera/driver/Registration.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>

using namespace tessera;
using namespace tessera::tile_lower::test;

namespace {
uint64_t numberFrom(const char *variable, uint64_t otherwise) {
  const char *text = std::getenv(variable);
  return text ? std::strtoull(text, nullptr, 10) : otherwise;
}

/// Compares one kernel at both levels, each for another target.
void check(driver::Compiler &compiler, uint64_t seed, const RandomKernel &kernel) {
  constexpr const char *targets[] = {"sm_80", "sm_90a", "sm_100a", "sm_120a"};
  for (int level : {0, 1}) {
    Setup setup = kernel.setup;
    setup.arch = targets[(seed + unsigned(level)) % std::size(targets)];
    setup.level = level;
    setup.sanitizes = seed % 4 == 0;
    EXPECT_EQ(difference(compiler, kernel.text, kernel.arrays, setup, kernel.least), "")
        << "seed " << seed << " at level " << level << " for " << setup.arch << "\n"
        << (std::getenv("TESSERA_TILE_QUIET") ? "" : kernel.text);
  }
}
} // namespace

TEST(Random, KernelsDoWhatTheInterpreterDoes) {
  uint64_t first = numberFrom("TESSERA_TILE_SEED", 1);
  uint64_t count = numberFrom("TESSERA_TILE_COUNT", std::getenv("TESSERA_LONG") ? 3000 : 40);
  auto compiler = std::make_unique<driver::Compiler>();
  for (uint64_t seed = first; seed < first + count; ++seed) {
    if (seed % 50 == 0) // a context keeps all types that it has seen
      compiler = std::make_unique<driver::Compiler>();
    RandomOptions options;
    if (seed % 10 == 0) // tiles in local memory, and of 256 threads
      options = {.statements = 5, .mostElements = 32768};
    RandomKernel kernel = randomKernel(seed, options);
    if (std::getenv("TESSERA_TILE_SHOW"))
      std::cout << "// seed " << seed << "\n" << kernel.text << std::flush;
    check(*compiler, seed, kernel);
  }
}

// Canonical forms and split loops are the same programs. CSE, which knows the effects of ops, too.
TEST(Random, PassesKeepWhatKernelsDo) {
  uint64_t first = numberFrom("TESSERA_TILE_SEED", 1);
  uint64_t count = numberFrom("TESSERA_TILE_COUNT", std::getenv("TESSERA_LONG") ? 3000 : 60);
  driver::registerAllPasses();
  auto compiler = std::make_unique<driver::Compiler>();
  for (uint64_t seed = first; seed < first + count; ++seed) {
    if (seed % 50 == 0)
      compiler = std::make_unique<driver::Compiler>();
    RandomKernel kernel = randomKernel(seed, {.statements = 24, .mostElements = 64});
    for (const char *passes :
         {"canonicalize",
          "cuda_tile.module(cuda_tile.entry(canonicalize,loop-split,canonicalize,cse))"})
      EXPECT_EQ(differenceAfter(*compiler, passes, kernel.text, kernel.arrays, kernel.setup,
                                kernel.least),
                "")
          << "seed " << seed << " after " << passes << "\n"
          << kernel.text;
  }
}
