// Spellings of the dialect `cute` that differ from ours, for a context to read.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "mlir/IR/DialectRegistry.h"

namespace tessera::import {

/// Lets contexts of `registry` read `cute` as CuTe DSL and the documents spell it, too; what is
/// printed stays the same. Every spelling is a table in spellings/.
void registerSpellings(mlir::DialectRegistry &registry);

} // namespace tessera::import
