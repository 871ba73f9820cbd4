// WriteFunctions: the part of the writer for functions: instructions by the columns of their ops.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/tile_bytecode/Errors.h"
#include "tessera/tile_bytecode/Output.h"
#include "tessera/tile_bytecode/Program.h"
#include "tessera/tile_bytecode/Writer.h"

namespace tessera::tile_bytecode {

/// Writes a function of the section Func. `number`: its list of locations, from 1; 0: none. `at` is
/// the instruction that was written last, or that is refused.
Status writeFunction(const Program &, Version, const Function &, uint32_t number, Output &,
                     Index &at);

/// An attribute with its tag.
void writeAttribute(const Attribute &, const Program &, Output &);

} // namespace tessera::tile_bytecode
