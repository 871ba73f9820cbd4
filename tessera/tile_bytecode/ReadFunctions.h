// ReadFunctions: the part of the reader for functions: instructions from the columns of their ops.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/tile_bytecode/ReadTables.h"

namespace tessera::tile_bytecode {

/// Reads the section Func. All tables of the program must have been read.
void readFunctions(Cursor, Program &, const DebugLists &);

} // namespace tessera::tile_bytecode
