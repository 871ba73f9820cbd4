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

/// The place in the text that defines a value or an alias of a type; `line` and `column` count from
/// 1. `%a:2` gives two with the same name and place, with numbers 0 and 1; else `number` is 0.
struct Definition {
  llvm::StringRef name;
  unsigned line, column, number;
  mlir::Type type;
  bool isUse = false; // the place uses it and does not define it
};

/// The process in which definitions are looked for. A process of its own (OwnProcess.h) may crash,
/// so that the depth of its text is not checked first; and as it ends, nothing needs to be freed.
enum class Inside {
  Caller,
  OwnProcess
};

/// How a file was read.
struct Definitions {
  const Version *version = nullptr; // null if in our spelling
  /// Whether MLIR's parser reads the file as it stands.
  bool readsMlir = true;
};

/// Calls `see` for every result, argument of a function or block, and alias of a type that the main
/// buffer of `source` defines, and for each use of these, in no particular order. The file may be
/// any that importModule reads. It is parsed, not rewritten or verified, so ops that cannot be
/// imported do not matter. Fails after errors, which went to the handlers of `context`. Bytecode
/// has no lines and is refused. Types are gone when this returns.
llvm::FailureOr<Definitions> definitions(const llvm::SourceMgr &source, mlir::MLIRContext &context,
                                         const mlir::DialectRegistry &ownDialects, Reading how,
                                         llvm::function_ref<void(const Definition &)> see,
                                         Inside inside = Inside::Caller);

} // namespace tessera::import
