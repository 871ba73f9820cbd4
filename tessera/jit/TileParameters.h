// TileParameters: the parameters of an entry of a tile program, as plain data.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The only place that defines how callers see such an entry: the library, Python, `tessera run` and
// exported functions all use it.
#pragma once

#include "tessera/run/Parameter.h"
#include "tessera/tile_bytecode/Program.h"

namespace tessera::jit {

/// A pointer or a number for each parameter, without a name. An alignment or divisor comes from the
/// assumptions at the beginning of the entry. Other types are refused; no entry that passed the
/// verifier has one.
std::vector<run::Parameter> parametersOf(const tile_bytecode::Program &,
                                         const tile_bytecode::Function &);

} // namespace tessera::jit
