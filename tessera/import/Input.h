// Input: files that nobody vouches for, as MLIR's parser may have them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// MLIR's reader of bytecode is not made for hostile bytes: a changed byte makes it write out of
// bounds. So bytecode is read in a process of its own (OwnProcess.h), which gives it as text in the
// generic form with all locations, and that is parsed. Texts that go deeper than parsers follow are
// refused before. Every program that takes MLIR reads it through here.
#pragma once

#include "tessera/base/Result.h"

#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/MemoryBuffer.h"

namespace tessera::import {

/// The most bytes of a file that a program reads: MLIR, PTX, a tile program, a table. What has no
/// end, such as /dev/zero, has more.
constexpr uint64_t mostFileBytes = uint64_t(1) << 30;

/// The content of a file, or of stdin if `path` is "-", under its name. It is read, not mapped: a
/// file that is cut meanwhile would end the process. Reasons do not name the path.
Result<std::unique_ptr<llvm::MemoryBuffer>> readFile(const std::string &path);

/// The text of a file: itself, or what its bytecode says, under the same name. Null after an error,
/// which goes to the handlers of `context`; the dialects of bytecode are those of its registry.
std::unique_ptr<llvm::MemoryBuffer> asText(llvm::MemoryBufferRef file, mlir::MLIRContext &context);
/// The same for a program without a context: errors go to stderr as "FILE:LINE:COLUMN: error: ...".
std::unique_ptr<llvm::MemoryBuffer> asText(llvm::MemoryBufferRef file,
                                           const mlir::DialectRegistry &dialects);

} // namespace tessera::import
