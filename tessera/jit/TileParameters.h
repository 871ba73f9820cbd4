// TileParameters: what an entry of a tile program takes, as plain data.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The one place that says how callers see such an entry: the library, Python, `tessera run` and
// exported functions all ask here.
#pragma once

#include "tessera/run/Parameter.h"
#include "tessera/tile_bytecode/Program.h"

namespace tessera::jit {

/// A pointer or a number for each parameter, without a name. What the entry assumes of them before
/// anything else, that a number divides them, is an alignment or a divisor. Refused: what is
/// neither, which no entry that passed the verifier has.
std::vector<run::Parameter> parametersOf(const tile_bytecode::Program &,
                                         const tile_bytecode::Function &);

} // namespace tessera::jit
