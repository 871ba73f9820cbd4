// OneBlock: a kernel's text through the whole compiler, and one block of it on the simulator.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace tessera::lower::test {

/// What came of a kernel. `errors` are the diagnostics, a line each, with the file, line and
/// column; one that compiled and ran has none.
struct Outcome {
  bool ran = false;
  std::string errors;
  std::string printed;
  std::vector<uint8_t> out;
};

/// How cute ops become arithmetic: by the steps of expansion, or by the bank of
/// --convert-cute-to-llvm alone.
enum class Way {
  Expanded,
  ByTheBank
};

struct Block {
  int32_t n = 0;
  uint32_t threads = 1;
  Way way = Way::Expanded;
  bool checks = false;       // --check-layout-assumptions
  uint64_t instructions = 0; // of a warp at most, where it is given
  std::string arch = "sm_90a";
};

/// Runs the kernel @k(%in: pointer, %out: pointer, %n: i32), where `out` is as given at first.
Outcome runBlock(const std::string &text, std::span<const uint8_t> in, std::vector<uint8_t> out,
                 const Block &block = {});

} // namespace tessera::lower::test
