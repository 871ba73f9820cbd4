// Bank: the cute-to-LLVM patterns as rows.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "mlir/Transforms/DialectConversion.h"

namespace tessera::lower {

/// A named pattern.
struct BankRow {
  llvm::StringLiteral name;
  void (*add)(mlir::RewritePatternSet &, const mlir::TypeConverter &, llvm::StringRef name);
};

template <class Pattern>
void addPattern(mlir::RewritePatternSet &patterns, const mlir::TypeConverter &types,
                llvm::StringRef name) {
  auto pattern = std::make_unique<Pattern>(types, patterns.getContext());
  pattern->setDebugName(name);
  patterns.add(std::move(pattern));
}

/// Loads, stores, pointers, registers.
llvm::ArrayRef<BankRow> memoryBank();
/// fast_divmod and its divisors.
llvm::ArrayRef<BankRow> divisionBank();
llvm::ArrayRef<BankRow> printBank();
/// Constants, casts and conversions of floats that LLVM has no type for, and which ops have such.
llvm::ArrayRef<BankRow> floatBank();
bool hasForeignFloats(mlir::Operation *);
/// Whether an op narrows floats by another rule than to nearest even.
bool roundsOtherwise(mlir::Operation *);

/// Replaces an algebra op: reads the leaves of the lowered operands, evaluates the op, and builds
/// the results from leaves.
mlir::LogicalResult lowerByEvaluation(mlir::Operation *op, mlir::ValueRange lowered,
                                      mlir::ConversionPatternRewriter &,
                                      const mlir::TypeConverter &);

/// The entry block of the function around `op`. Stack memory is allocated there, so that loops do
/// not allocate it repeatedly.
mlir::Block *entryBlockAround(mlir::Operation *op);

} // namespace tessera::lower
