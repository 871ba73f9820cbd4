// Narrowed: an index that fills a leaf of 32 bits, and the assertion that it fits.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "mlir/IR/Builders.h"

namespace tessera::cute {

/// On an `arith.index_cast` that the compiler made of an index operand; one that the program wrote
/// drops bits because it says so.
inline constexpr llvm::StringLiteral narrowedAttrName = "cute.narrowed";

/// Asserts, after both, that `narrow` is the number that `wide` is.
void assertSame(mlir::OpBuilder &, mlir::Location, mlir::Value wide, mlir::Value narrow);

} // namespace tessera::cute
