// Printing: prints tensors by a loop over their coordinates, and values by C formats.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/cute/Emit.h"

#include "mlir/IR/PatternMatch.h"

namespace tessera::cute {
class PrintOp;
class PrintViewOp;
} // namespace tessera::cute

namespace tessera::lower {

/// Rewrites a print of a tensor with its elements: a header, then one loop over all coordinates in
/// the order of the layout's domain. For debugging.
mlir::LogicalResult rewritePrintView(mlir::IRRewriter &, cute::PrintViewOp);

/// The C conversion of one number and the value that it takes: a float as a double, an integer in
/// 32 or 64 bits. None for other types, and for more than 64 bits.
struct Conversion {
  llvm::StringRef text;
  mlir::Value value;
};
std::optional<Conversion> conversionOf(mlir::OpBuilder &, mlir::Location, mlir::Value,
                                       bool isSigned);

/// A C format and what it takes.
struct Printf {
  std::string format;
  llvm::SmallVector<mlir::Value> values;
};
/// The format for a print with these operands. Tensors show up to 31 elements; `load` reads the
/// element at an address.
Printf formatPrint(cute::Emit &, mlir::StringAttr format, llvm::ArrayRef<cute::Datum> operands,
                   llvm::function_ref<mlir::Value(const cute::Iterator &)> load);

} // namespace tessera::lower
