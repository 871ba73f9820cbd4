// Definitions: the values and aliases of types that a line of a file defines.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/import/Version.h"

#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace llvm {
class SourceMgr;
}

namespace tessera::import {

/// A value, or an alias of a type, where the text defines it; `line` and `column` count from 1. Of
/// `%a:2` there are two of the same name and place, with numbers 0 and 1; `number` is 0 otherwise.
struct Definition {
  llvm::StringRef name;
  unsigned line, column, number;
  mlir::Type type;
  bool isUse = false; // where it is used, not defined
};

/// Where definitions are looked for. A process of its own (OwnProcess.h) may crash, so that its
/// text is not looked at for depth first, and it ends, so that what was read is not taken apart.
enum class Inside {
  Caller,
  OwnProcess
};

/// Calls `see` for all that the main buffer of `source` defines, in no order: results, arguments of
/// functions and blocks, aliases of types; and for all uses of these. The file may have any
/// spelling; it is parsed, not rewritten or verified, so ops that cannot be imported do not matter.
/// Fails after errors, which went to the handlers of `context`; of bytecode there are no lines, and
/// it is refused. Types are gone when this returns. Returns the version in which the file was read,
/// null if in our spelling.
llvm::FailureOr<const Version *> definitions(const llvm::SourceMgr &source,
                                             mlir::MLIRContext &context,
                                             const mlir::DialectRegistry &ownDialects, Reading how,
                                             llvm::function_ref<void(const Definition &)> see,
                                             Inside inside = Inside::Caller);

} // namespace tessera::import
