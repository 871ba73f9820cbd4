// Runner: what runs the programs of kernels.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/tile_bytecode/Program.h"
#include "tessera/tile_dsl/Kernel.h"

namespace tessera::tile {

class Runner {
public:
  virtual ~Runner() = default;
  /// Runs a kernel over arrays of the host, which have what it wrote when this returns. Codes are
  /// the bits of the entry's parameters; where `arrays` has one for a parameter, it is an address
  /// of the host that the target may put elsewhere.
  struct Launch {
    const tile_bytecode::Program &program;
    std::string kernel;
    Grid grid;
    std::vector<uint64_t> codes;
    std::vector<const detail::Argument *> arrays; // one for each code; null: a number
  };
  virtual Outcome run(const Launch &) = 0;
};

} // namespace tessera::tile
