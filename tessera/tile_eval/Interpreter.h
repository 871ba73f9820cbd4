// Interpreter: runs kernels of tile programs over arrays of the host, with exact semantics.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   Interpreter interpreter(*tile_bytecode::read(bytes));
//   interpreter.memory().add(data, size);            // what the kernel may touch
//   interpreter.launch("kernel", {8, 1, 1}, arguments, {.seed = 1});
//
// It is the reference for compilers: every op rounds once where its definition does, and undefined
// behaviour ends the launch with a reason that names the op, the tile block and the element. Where
// the definition leaves a choice, the seed decides: the order of the tile blocks and the bits of
// unspecified elements. Approximations (exp2, rsqrt, tanh, ...) return the exact result, rounded;
// Products.cpp and Reductions.cpp define the sums of mmaf and reduce.
//
// Tile blocks run one after the other, each to its end. In a program with atomics or accesses that
// are not weak they take turns instead, since one may wait for another.
#pragma once

#include "tessera/tile_eval/Launch.h"

namespace tessera::tile_eval {

/// The kernel with this name; otherwise the reason lists the names that exist.
Result<const tile_bytecode::Function *> findKernel(const tile_bytecode::Program &,
                                                   std::string_view name);

class Interpreter {
public:
  explicit Interpreter(tile_bytecode::Program program) : program_(std::move(program)) {}

  const tile_bytecode::Program &program() const { return program_; }
  Memory &memory() { return memory_; }

  /// The address of a global, which is allocated by this call; nothing for an unknown name.
  Result<uint64_t> global(std::string_view name);

  /// Runs a kernel. `arguments` has the bits of each parameter, zero-extended: the codes of
  /// numbers, the addresses of pointers. Refuses a kernel that does not verify, and stops at
  /// undefined behaviour; memory then has what was written before.
  Status launch(std::string_view kernel, std::array<uint32_t, 3> grid,
                std::span<const uint64_t> arguments, const Options &options = {});

  /// The output printed since the last call.
  std::string takeOutput() { return std::exchange(output, {}); }
  /// Instructions that the last launch ran.
  uint64_t steps() const { return steps_; }

private:
  Status placeGlobals();

  tile_bytecode::Program program_;
  Memory memory_;
  std::vector<uint64_t> globals; // addresses, once they are placed
  std::string output;
  uint64_t steps_ = 0;
};

} // namespace tessera::tile_eval
