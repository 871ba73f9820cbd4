// TileBlock: the state of one tile block of a launch while it runs: its values, and its position.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/tile_eval/Launch.h"
#include "tessera/tile_eval/Value.h"

#include <array>
#include <random>

namespace tessera::tile_eval {

/// How a list of instructions ended.
enum class Flow : uint8_t {
  End, // without a terminator
  Continue,
  Break,
  Yield,
  Return
};

class TileBlock {
public:
  /// `number` counts the tile blocks of the grid from 1.
  TileBlock(Launch &launch, std::array<uint32_t, 3> id, uint32_t number);

  TileBlock(const TileBlock &) = delete;
  ~TileBlock();

  /// Runs the kernel to its end.
  Status run();

  Launch &launch;
  const std::array<uint32_t, 3> id;
  const uint32_t number;
  /// For what the semantics leave open: bits of unspecified elements.
  std::mt19937_64 random;

  const Program &program() const { return launch.program; }
  const tile_bytecode::Function &function() const { return launch.function; }
  const Value &value(Index number) const { return values[number]; }
  void define(Value value) {
    launch.bytes += value.bytes();
    values.push_back(std::move(value));
  }

  /// Number of elements that each scalar of a combiner stands for; 1 outside of combiners.
  size_t batch() const { return batch_; }

  /// Runs a region with these arguments; `results` receives the operands of its terminator.
  Result<Flow> run(const Region &, std::vector<Value> arguments, std::vector<Value> &results);
  /// The same for a region whose scalars stand for `batch` elements each.
  Result<Flow> runBatch(const Region &, size_t batch, std::vector<Value> arguments,
                        std::vector<Value> &results);

  /// The number of a new op that touches memory.
  uint32_t nextAccess() { return accesses++; }

  /// Memory of `alloca`, which the block frees at its end.
  std::vector<uint64_t> allocations;
  uint64_t allocated = 0; // bytes of them

  /// "addi of kernel 'k' in tile block (0, 1, 0) (file.py:3:7)".
  std::string where(const Instruction &) const;

private:
  Result<Flow> runList(const std::vector<Instruction> &, std::vector<Value> &results);
  /// Counts an instruction or an iteration of a loop; fails at the limits of both and of time.
  Status step(const Instruction &);
  Result<Flow> runOne(const Instruction &, std::vector<Value> &results);
  Status runFor(const Instruction &);
  Status runLoop(const Instruction &, std::vector<Value> &results, Flow &);
  Result<Flow> runIf(const Instruction &, std::vector<Value> &results);
  void take(const Instruction &, std::vector<Value> &to) const;
  void forget(size_t from);
  void defineAll(const Instruction &, std::vector<Value> results);

  std::vector<Value> values; // by number
  size_t batch_ = 1;
  uint32_t accesses = 0;
};

} // namespace tessera::tile_eval
