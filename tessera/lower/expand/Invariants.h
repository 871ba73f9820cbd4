// Invariants: values that loops and branches only pass on.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/DenseMap.h"

namespace tessera::lower {

class Invariants {
public:
  /// The value that `v` always equals.
  mlir::Value source(mlir::Value v);
  /// Whether argument `i` of a loop has its initial value in every iteration.
  bool isInvariant(mlir::scf::ForOp loop, unsigned i);

private:
  // Without this memo a chain of branches would be walked once for each path through it.
  llvm::DenseMap<mlir::Value, mlir::Value> sources;
};

} // namespace tessera::lower
