// Nearest: ops, types and attributes with a name like one that nobody knows.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "mlir/IR/MLIRContext.h"

#include <string>
#include <vector>

namespace tessera::import {

/// The op that `name` is most like, out of those that `context` defines in its dialect and those
/// that have a row; empty if none is close enough to be meant.
std::string nearestOp(llvm::StringRef name, mlir::MLIRContext &context);

/// What to say to an error of a parser or verifier, whose text this is, about an op that `context`
/// does not define, or a type or attribute that our dialects do not: what may be meant, and what to
/// do. Nothing to other errors.
std::vector<std::string> notesOnUnknown(llvm::StringRef error, mlir::MLIRContext &context);

} // namespace tessera::import
