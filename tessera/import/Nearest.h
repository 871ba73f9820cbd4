// Nearest: known ops, types and attributes with names similar to an unknown one.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "mlir/IR/MLIRContext.h"

#include <string>
#include <vector>

namespace tessera::import {

/// The op whose name is most similar to `name`, among those that `context` defines in its dialect
/// and those that have a row; empty if none is close enough to be meant.
std::string nearestOp(llvm::StringRef name, mlir::MLIRContext &context);

/// Notes for an error of a parser or verifier with the text `error`. If it is about an op that
/// `context` does not define, or a type or attribute that our dialects do not, they say what may be
/// meant and what to do. Empty for other errors.
std::vector<std::string> notesOnUnknown(llvm::StringRef error, mlir::MLIRContext &context);

} // namespace tessera::import
