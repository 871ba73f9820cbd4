// Lines: which line of the source each instruction comes from, as LLVM carries it to PTX.
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
/// looked through. An op without a place has that of the op before it, as a compiler made it for
/// that op. A function without any place stays as it is. Returns the calls; files of lines that
/// they lead to have names of their own, which only `InlinedCalls::written` knows, if
/// `namesCalls`.
InlinedCalls attachLines(mlir::Operation *module, bool namesCalls);

/// Takes each .loc of line 0 out of PTX. LLVM writes these where it makes one instruction of
/// several, or moves one to another block, so that a debugger does not jump back and forth. A
/// profile or a race report is better off with a line close by: that of the instruction before.
void dropLineZero(std::string &ptx);

} // namespace tessera::ptx
