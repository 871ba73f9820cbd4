// Input: files of any spelling for programs whose parser knows only ours.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/import/Version.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/Support/MemoryBuffer.h"

#include <memory>

namespace tessera::driver {

/// What a file is for a program whose parser knows only our spelling.
struct Input {
  std::unique_ptr<llvm::MemoryBuffer> text; ///< what that parser reads; null after errors
  /// What it would make of the text, verified, in the context that was given. Null where that was
  /// not needed to say what the text is, or where the text is wrong.
  mlir::OwningOpRef<mlir::ModuleOp> module;
};

/// The file as `inOurSpelling` has it, read in `context`, in which `registerAllDialects`
/// registered.
Input read(std::unique_ptr<llvm::MemoryBuffer> file, mlir::MLIRContext &context,
           import::Reading how = {});

/// The file, converted to bytecode with its locations if CuTe DSL wrote it in another spelling than
/// ours; else unchanged, so that the program itself reports its errors. Null after errors in a file
/// of CuTe DSL, which went to stderr. An edited file is first made consistent, in any spelling.
std::unique_ptr<llvm::MemoryBuffer> inOurSpelling(std::unique_ptr<llvm::MemoryBuffer> file,
                                                  import::Reading how = {});

} // namespace tessera::driver
