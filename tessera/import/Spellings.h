// Spellings of the dialect `cute` that differ from ours, for a context to read.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "mlir/IR/DialectRegistry.h"

namespace tessera::import {

/// Makes contexts of `registry` also read `cute` as CuTe DSL and the specification spell it.
/// Printing does not change. Every spelling is a table in spellings/.
void registerSpellings(mlir::DialectRegistry &registry);

} // namespace tessera::import
