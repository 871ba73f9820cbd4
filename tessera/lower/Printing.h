// Printing: tensors as loops over their coordinates, values as C formats.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/cute/Emit.h"

#include "mlir/IR/PatternMatch.h"

namespace tessera::cute {
class PrintOp;
class PrintViewOp;
} // namespace tessera::cute

namespace tessera::lower {

/// A print of a tensor with its elements: a head, then one loop for each mode; long modes show
/// three elements at both ends. A debugging transform.
mlir::LogicalResult rewritePrintView(mlir::IRRewriter &, cute::PrintViewOp);

/// A C format and what it takes.
struct Printf {
  std::string format;
  llvm::SmallVector<mlir::Value> values;
};
/// How a print with these operands looks. Tensors show up to 31 elements; `load` reads the element
/// at an address.
Printf formatPrint(cute::Emit &, mlir::StringAttr format, llvm::ArrayRef<cute::Datum> operands,
                   llvm::function_ref<mlir::Value(const cute::Iterator &)> load);

} // namespace tessera::lower
