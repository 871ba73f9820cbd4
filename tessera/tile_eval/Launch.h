// Launch: state that the tile blocks of one launch share.
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
  /// Chooses the order of the tile blocks, and bits that the semantics leave open: elements that a
  /// mask or an edge leaves unspecified.
  uint64_t seed = 0;
  /// Limit of instructions of all tile blocks; each iteration of a loop counts its own.
  uint64_t steps = uint64_t(1) << 36;
  /// Limit of bytes that tiles, tokens and `alloca` of the running tile blocks take at a time. An
  /// element of a tile counts 8 bytes. The results of one op are not included.
  uint64_t bytes = uint64_t(1) << 32;
  /// Whether accesses that tokens do not order, and unsynchronised accesses of different tile
  /// blocks, are errors.
  bool checksRaces = true;
  /// Whether assumptions (`assume`) that do not hold are errors.
  bool checksAssumptions = true;
  /// Number of tile blocks that run in turns if a program waits for other tile blocks.
  unsigned resident = 64;
  /// A launch that has not ended by then fails with the id Time. It is checked between
  /// instructions, and a single instruction may take long.
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
  uint64_t bytes = 0;                   // taken by values and `alloca` now
  /// Lets another tile block run, if that may change something; the reason after one has failed.
  std::function<Status()> turn = {};
};

} // namespace tessera::tile_eval
