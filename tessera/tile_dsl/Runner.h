// Runner: something that runs the programs of kernels.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/tile_bytecode/Program.h"
#include "tessera/tile_dsl/Kernel.h"

namespace tessera::tile {

class Runner {
public:
  virtual ~Runner() = default;
  /// Runs a kernel over arrays of the host, which hold its results when this returns. `codes` are
  /// the bits of the entry's parameters. If `arrays` has an entry for a parameter, the code is a
  /// host address, which the target may replace by that of a copy.
  struct Launch {
    const tile_bytecode::Program &program;
    std::string kernel;
    Grid grid;
    std::vector<uint64_t> codes;
    std::vector<const detail::Argument *> arrays; // one for each code; null: a number
    std::vector<size_t> numbers; // for each code, which argument of the author it is of, from 1
  };
  virtual Outcome run(const Launch &) = 0;
};

} // namespace tessera::tile
