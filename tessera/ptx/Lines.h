// Lines: the source line of each instruction, in the form in which LLVM passes it on to PTX.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/ptx/InlinedAt.h"

#include <string>

namespace mlir {
class Operation;
}

namespace tessera::ptx {

/// Gives the functions of a module (LLVM dialect) and their ops the places that LLVM writes as
/// .file and .loc (PTX ISA 11.5.2, 11.5.3): the innermost file, line and column of an op's
/// location, and the calls that lead there (`callsite`) as inlined functions. Names and fusions are
/// looked through. An op without a place gets that of the previous op, as a compiler made it for
/// that op. A function without any place is not changed. Returns the calls. If `namesCalls`, files
/// of lines that calls lead to have special names, which only `InlinedCalls::written` understands.
InlinedCalls attachLines(mlir::Operation *module, bool namesCalls);

/// Removes each .loc of line 0 from PTX. LLVM writes these if it makes one instruction of several,
/// or moves one to another block, so that a debugger does not jump back and forth. For a profile or
/// a race report a nearby line is better: that of the previous instruction.
void dropLineZero(std::string &ptx);

} // namespace tessera::ptx
