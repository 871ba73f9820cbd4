// Comparison of what a simulated kernel computes with what the interpreter says.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/driver/Compiler.h"
#include "tessera/tile_eval/Element.h"

#include <string>

namespace tessera::tile_lower::test {

constexpr uint32_t threads = 128; // of a block, as .reqntid says

struct Compiled {
  std::string ptx;   // empty after an error
  std::string error; // the first one
};
/// A tile program, as bytecode or text.
Compiled compile(driver::Compiler &compiler, const std::string &program, const char *arch);

enum class Match {
  Equal, // NaNs are equal
  Close, // numbers within a tolerance: some units in the last place of numbers of magnitude 1
  Different
};
Match compareCodes(tile_eval::TypeKind kind, uint64_t a, uint64_t b);

} // namespace tessera::tile_lower::test
