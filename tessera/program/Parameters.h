// Parameters of kernels of tile programs and of PTX.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/program/Compiled.h"
#include "tessera/tile_bytecode/Program.h"

namespace tessera::program {

/// The kernels of a tile program, without their blocks.
std::vector<Callable> kernelsOf(const tile_bytecode::Program &);

/// The kernels of PTX, with their required blocks and clusters. A parameter of 8 bytes without a
/// type takes an address, a tensor or an integer; an array of bytes takes only bytes.
Result<std::vector<Callable>> kernelsOf(const std::string &ptx);

/// Parameters known only by their sizes, as a device reports them for a cubin.
std::vector<run::Parameter> parametersOf(const run::KernelInfo &);

} // namespace tessera::program
