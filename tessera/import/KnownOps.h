// Target: the context that receives an import: which ops and properties LLVM 22 knows.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"

namespace tessera::import {

class KnownOps {
public:
  explicit KnownOps(mlir::MLIRContext *context) : context(context) {}

  bool knows(llvm::StringRef opName) const { return lookup(opName).has_value(); }
  bool hasProperty(llvm::StringRef opName, llvm::StringRef property) const;
  /// Whether an op of that name may have these properties, whose attributes are of the foreign
  /// context. Fails with a report at `op`. An op unknown here is left to the hand-over.
  llvm::LogicalResult accepts(mlir::Operation *op, llvm::StringRef opName,
                              const mlir::NamedAttrList &properties);

private:
  std::optional<mlir::RegisteredOperationName> lookup(llvm::StringRef opName) const;
  /// The attribute with the same text in this context, null if there is none.
  mlir::Attribute translate(mlir::Attribute foreign);

  mlir::MLIRContext *context;
  llvm::DenseMap<mlir::Attribute, mlir::Attribute> translated;
  /// Accepted pairs of name and properties: most ops of a kernel have the same.
  llvm::DenseSet<std::pair<mlir::StringAttr, mlir::DictionaryAttr>> accepted;
};

} // namespace tessera::import
