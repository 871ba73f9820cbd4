// Input: reading untrusted files in a form that MLIR's parser can take.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// MLIR's reader of bytecode is not made for hostile bytes: a changed byte makes it write out of
// bounds. Bytecode is therefore read in a process of its own (OwnProcess.h), which returns it as
// text in the generic form with all locations, and that text is parsed. Texts nested deeper than
// parsers can follow are refused before. Every program that takes MLIR reads it through this
// header.
#pragma once

#include "tessera/base/Nesting.h"
#include "tessera/base/Result.h"

#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/MemoryBuffer.h"

#include <optional>
#include <string>

namespace tessera::import {

/// The largest file that a program reads, in bytes: MLIR, PTX, a tile program, a table. Endless
/// files, such as /dev/zero, exceed it.
constexpr uint64_t mostFileBytes = uint64_t(1) << 30;

/// What would end MLIR's parser, and with it the process, instead of being an error.
struct Deadly {
  size_t line, column; // from 1, in bytes
  std::string why;     // a sentence
};
std::optional<Deadly> findDeadly(llvm::StringRef text, size_t mostNesting = mostMlirNesting);

/// The content of a file, or of stdin if `path` is "-", under its name. It is read, not mapped: if
/// a mapped file were truncated meanwhile, the process would end. Reasons do not name the path.
Result<std::unique_ptr<llvm::MemoryBuffer>> readFile(const std::string &path);

/// A file as text: unchanged, or as printed from its bytecode, under the same name. Null after an
/// error, which goes to the handlers of `context`; the dialects of bytecode are those of its
/// registry.
std::unique_ptr<llvm::MemoryBuffer> asText(llvm::MemoryBufferRef file, mlir::MLIRContext &context);
/// The same for a program without a context: errors go to stderr as "FILE:LINE:COLUMN: error: ...".
std::unique_ptr<llvm::MemoryBuffer> asText(llvm::MemoryBufferRef file,
                                           const mlir::DialectRegistry &dialects);

} // namespace tessera::import
