// A foreign op while it is rewritten: its operands and properties, which of them were used, and its
// replacement.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/import/Diagnostics.h"
#include "tessera/import/KnownOps.h"
#include "tessera/import/Row.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Operation.h"

namespace tessera::import {

class ForeignOp {
public:
  /// `row` may be null for an op that LLVM 22 knows under its name. New ops go in front of `op`.
  ForeignOp(mlir::Operation *op, const Row *row, KnownOps &target);

  llvm::StringRef name() const { return op->getName().getStringRef(); }
  const Row &row() const { return *rowPtr; }
  mlir::Operation *operation() const { return op; }
  mlir::MLIRContext *context() const { return op->getContext(); }
  mlir::Builder &build() { return builder; }
  mlir::OperandRange operands() const { return op->getOperands(); }
  mlir::Value operand(unsigned i) const { return op->getOperand(i); }
  mlir::Type resultType() const { return op->getResult(0).getType(); }

  /// Checks counts and types of operands and results against the row's slots.
  llvm::LogicalResult check() const;
  /// Applies the row's edits to the properties.
  llvm::LogicalResult edit();

  /// A property; null if absent.
  mlir::Attribute get(llvm::StringRef property) const { return properties.get(property); }
  /// The same, and marks the property as understood.
  mlir::Attribute take(llvm::StringRef property) { return properties.erase(property); }
  /// The enumerator `x` of `#nvvm.mnemonic<x>` or `#nvvm<mnemonic x>`. `otherwise` if the property
  /// is absent; an absent one without `otherwise` fails, like any other text.
  llvm::FailureOr<llvm::StringRef> takeEnumerator(llvm::StringRef property,
                                                  llvm::StringRef mnemonic,
                                                  llvm::StringRef otherwise = "");
  llvm::FailureOr<bool> takeFlag(llvm::StringRef property, bool otherwise);

  /// A new op of any name. `attributes` are its properties.
  mlir::Operation *create(llvm::StringRef opName, mlir::TypeRange results,
                          mlir::ValueRange operands,
                          llvm::ArrayRef<mlir::NamedAttribute> attributes = {});
  /// The same, for the value of an op with one result.
  mlir::Value value(llvm::StringRef opName, mlir::Type result, mlir::ValueRange operands,
                    llvm::ArrayRef<mlir::NamedAttribute> attributes = {}) {
    return create(opName, result, operands, attributes)->getResult(0);
  }
  /// An instruction as inline PTX with LLVM's `constraints`, and its result; `result` is null for
  /// none. Without a result, or with addresses as operands (`touchesMemory`), it keeps its place
  /// among the accesses.
  mlir::Value ptx(llvm::StringRef text, llvm::StringRef constraints, mlir::Type result,
                  mlir::ValueRange operands, bool touchesMemory = true);
  /// `name = text`, where the text is an attribute: #nvvm.mem_scope<cta>.
  mlir::NamedAttribute property(llvm::StringRef propertyName, llvm::StringRef text);

  /// The op of another name with the same operands, results and remaining properties. Fails on a
  /// property that LLVM 22 does not know or whose value it does not take.
  llvm::LogicalResult becomes(llvm::StringRef opName);
  /// Puts `values` in its place. Fails if a property was not understood.
  llvm::LogicalResult replace(mlir::ValueRange values);

  template <class... Pieces> llvm::LogicalResult refuse(Diag diag, const Pieces &...pieces) const {
    return import::refuse(op->getLoc(), diag, name(), pieces...);
  }

private:
  mlir::Operation *op;
  const Row *rowPtr;
  KnownOps &target;
  mlir::OpBuilder builder;
  mlir::NamedAttrList properties;
  llvm::SmallVector<mlir::NamedAttribute> discardable;
  /// Those `properties` that may be notes of the file's author. Any of them that no row takes is
  /// discardable too.
  llvm::SmallVector<llvm::StringRef> notes;
};

} // namespace tessera::import
