// InlinePtx: building inline PTX, and checking its operands and constraints.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

#include <string>

namespace tessera::lower {

/// A sentence that says what is wrong with a text and its constraints; empty if nothing is. LLVM
/// ends the process on these mistakes, so they must not reach it. `inputs` is the number of
/// operands of the op. Source: LLVM's NVPTXISelLowering (constraints), AsmPrinterInlineAsm (text).
std::string wrongInlinePtx(llvm::StringRef text, llvm::StringRef constraints, size_t inputs);

/// Whether an op is inline PTX, of LLVM or of NVVM, with an instruction that begins with `start`
/// anywhere in its text. A text that contains `start` but cannot be read counts as having it.
bool hasInlineInstruction(mlir::Operation *, llvm::StringRef start);

/// Inline PTX with side effects.
mlir::LLVM::InlineAsmOp inlinePtx(mlir::OpBuilder &, mlir::Location, llvm::StringRef text,
                                  llvm::StringRef constraints, mlir::ValueRange operands,
                                  mlir::TypeRange results = {});

} // namespace tessera::lower
