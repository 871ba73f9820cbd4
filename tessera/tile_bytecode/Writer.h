// Writer: a Program as bytecode, 13.1 to 13.4.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program that was read is written as the same bytes, if its writer used the shortest form of
// each number and no gaps. An older version than the program's is possible if nothing newer is in
// use: attributes with the value that the older version implies, results that nobody uses and the
// producer are left out; everything else is refused with the name of the part and the version
// that it needs.
#pragma once

#include "tessera/tile_bytecode/Errors.h"
#include "tessera/tile_bytecode/Program.h"

namespace tessera::tile_bytecode {

/// The part that is refused: an instruction, counted from 0 in the order of the text, so that
/// regions follow what they are of; or a global. A type is none of these: all are noIndex.
struct WriteFault {
  Index function = noIndex, instruction = noIndex, global = noIndex;
};

/// The bytes of a file. Refuses a version without features that the program uses, and indices
/// outside of their tables. Not all rules of Reader.h are checked: if a program breaks them, `read`
/// may refuse its bytes.
Result<std::string> write(const Program &, Version, WriteFault *fault = nullptr);
/// In the version of the program.
Result<std::string> write(const Program &);

} // namespace tessera::tile_bytecode
