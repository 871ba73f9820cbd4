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

/// In what way a file was read.
struct Definitions {
  const Version *version = nullptr; // null if in our spelling
  /// Whether MLIR's parser reads the file, as it stands.
  bool readsMlir = true;
};

/// Calls `see` for all that the main buffer of `source` defines, in no order: results, arguments of
/// functions and blocks, aliases of types; and for all uses of these. The file may be any that
/// importModule reads; it is parsed, not rewritten or verified, so ops that cannot be imported do
/// not matter. Fails after errors, which went to the handlers of `context`; of bytecode there are
/// no lines, and it is refused. Types are gone when this returns.
llvm::FailureOr<Definitions> definitions(const llvm::SourceMgr &source, mlir::MLIRContext &context,
                                         const mlir::DialectRegistry &ownDialects, Reading how,
                                         llvm::function_ref<void(const Definition &)> see,
                                         Inside inside = Inside::Caller);

} // namespace tessera::import
