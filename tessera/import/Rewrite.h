// Step two of an import: every foreign op becomes the op that LLVM 22 has for it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "mlir/IR/BuiltinOps.h"

#include <map>

namespace tessera::import {

/// Rewrites the ops that have a row or no definition, in a module of a foreign context. `target` is
/// the context that knows LLVM 22's dialects. Adds to `counts` the number of ops of each name.
/// Reports every op that it cannot rewrite, and then fails.
llvm::LogicalResult rewriteForeignOps(mlir::ModuleOp module, mlir::MLIRContext *target,
                                      std::map<std::string, unsigned> &counts);

} // namespace tessera::import
