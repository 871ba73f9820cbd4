// Listing: the ops of a traced program as lines of text, without MLIR; what tests expect of it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/tile.h"
#include "tessera/tile_bytecode/Program.h"

#include <gtest/gtest.h>
#include <set>
#include <string>

namespace tessera::tile::test {

/// One line for each op, in order: `%3 = addf nearest_even %1, %2 : tile<8xf32>`; operands without
/// the entry's numbers are %0, %1, ... as the program counts. Attributes that are not there are
/// left out; ops in regions are indented.
std::string listing(const tile_bytecode::Program &program);

/// The ops that tests of this program have traced.
std::set<tile_bytecode::Op> &opsTraced();

/// The listing of what a kernel traces for such arguments, or its diagnostics.
template <class K, class... A> std::string traced(K &&k, A &&...arguments) {
  auto &&made = detail::asKernel(k);
  Outcome outcome;
  const tile_bytecode::Program *program = made.trace(outcome, arguments...);
  return program ? listing(*program) : outcome.text();
}

inline bool contains(const std::string &text, const std::string &part) {
  return text.find(part) != std::string::npos;
}
#define EXPECT_LISTED(text, part) EXPECT_TRUE(contains(text, part)) << part << " in\n" << text

/// Runs a kernel in one tile block.
#define EXPECT_RUNS(...)                                                                           \
  do {                                                                                             \
    Outcome done = __VA_ARGS__;                                                                    \
    EXPECT_TRUE(done) << done.text();                                                              \
  } while (false)

} // namespace tessera::tile::test
