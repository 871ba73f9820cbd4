// Narrowed: an index that fills a leaf of 32 bits, and the assertion that it fits.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "mlir/IR/Builders.h"

namespace tessera::cute {

/// Marks an `arith.index_cast` that the compiler made for an index operand. A cast without it was
/// written in the program and drops bits on purpose.
inline constexpr llvm::StringLiteral narrowedAttrName = "cute.narrowed";

/// Asserts, after both, that `narrow` and `wide` are the same number.
void assertSame(mlir::OpBuilder &, mlir::Location, mlir::Value wide, mlir::Value narrow);

} // namespace tessera::cute
