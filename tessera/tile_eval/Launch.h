// Launch: what the tile blocks of one launch share.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/tile_bytecode/Program.h"
#include "tessera/tile_eval/Memory.h"

#include <array>
#include <chrono>
#include <functional>
#include <span>

namespace tessera::tile_eval {

struct Options {
  /// What chooses the order of the tile blocks, and bits that the semantics leave open: elements
  /// that a mask or an edge leaves unspecified.
  uint64_t seed = 0;
  /// Instructions of all tile blocks, with those of each turn of a loop.
  uint64_t steps = uint64_t(1) << 36;
  /// What tiles, tokens and `alloca` of the tile blocks that run may take at a time, where an
  /// element of a tile counts 8 bytes. The results of one op come on top.
  uint64_t bytes = uint64_t(1) << 32;
  /// Accesses that tokens do not order are errors, and those of tile blocks that nothing
  /// synchronises.
  bool checksRaces = true;
  /// Assumptions (`assume`) that do not hold are errors.
  bool checksAssumptions = true;
  /// Tile blocks that run at a time, in turns, where a program waits for other tile blocks.
  unsigned resident = 64;
  /// A launch that is not at its end by then fails with the id Time; it is looked at between
  /// instructions, of which one may take long.
  std::optional<std::chrono::steady_clock::time_point> deadline{};
};

struct Launch {
  const tile_bytecode::Program &program;
  const tile_bytecode::Function &function;
  std::array<uint32_t, 3> grid;
  std::span<const uint64_t> arguments; // codes
  Memory &memory;
  const Options &options;
  const std::vector<uint64_t> &globals; // addresses
  std::string &output;                  // what was printed
  bool synchronises = false;            // the program has atomics, or accesses that are not weak
  uint64_t steps = 0;                   // taken so far
  uint64_t bytes = 0;                   // that values and `alloca` take now
  /// Lets another tile block run, where it may change something; the reason after one has failed.
  std::function<Status()> turn = {};
};

} // namespace tessera::tile_eval
