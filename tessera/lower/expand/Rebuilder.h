// Rebuilder: builds a function again so that its cute values leave only arithmetic on leaves.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The rebuilder walks a function once, in order. For each value of the old function it knows its
// replacement in the new one: a value, or the datum of a cute value. Loops and branches carry the
// leaves of their values. Ops without a rule are cloned.
#pragma once

#include "tessera/lower/expand/Expander.h"
#include "tessera/lower/expand/Invariants.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "llvm/ADT/DenseMap.h"

namespace tessera::lower {

class Rebuilder final : public Expander {
public:
  /// Builds the replacement of an op. Rules are found by op name.
  using Rule = mlir::LogicalResult (*)(Rebuilder &, mlir::Operation *);
  struct NamedRule {
    llvm::StringLiteral op;
    Rule rule;
  };

  /// Builds the body of `function` again; `function` keeps its signature. With `checks`,
  /// assumptions of the algebra become assertions.
  static mlir::LogicalResult rebuild(mlir::FunctionOpInterface function, bool checks);

  //===--- what stands for old values ---------------------------------------------------------===//

  mlir::Value value(mlir::Value old) override;
  cute::Datum datum(mlir::Value old) override;

  /// Records the replacement of an old value.
  void bind(mlir::Value old, cute::Datum);
  void bind(mlir::Value old, mlir::Value);
  /// Uses the replacement of one old value for another one too.
  void alias(mlir::Value old, mlir::Value other);

  /// The values that carry an old value across a region boundary, and back.
  llvm::SmallVector<mlir::Value> parts(mlir::Value old, mlir::Type type);
  llvm::SmallVector<mlir::Type> partTypes(mlir::Type);
  /// Binds `old` to the first of `parts` and returns the others.
  mlir::ValueRange take(mlir::Value old, mlir::ValueRange parts);

  /// For the old function.
  Invariants invariants;

  //===--- the walk ---------------------------------------------------------------------------===//

  mlir::LogicalResult block(mlir::Block &old);
  /// Builds the blocks of one region; the first one goes into the block at which code is built.
  mlir::LogicalResult blocks(llvm::ArrayRef<mlir::Block *> old);
  /// Builds the ops of a block except for its terminator.
  mlir::LogicalResult body(mlir::Block &old);
  mlir::LogicalResult clone(mlir::Operation *);

private:
  explicit Rebuilder(mlir::FunctionOpInterface function, mlir::Block *entry);

  mlir::LogicalResult op(mlir::Operation *);
  mlir::LogicalResult jump(mlir::BranchOpInterface);
  mlir::LogicalResult algebra(mlir::Operation *);

  llvm::DenseMap<mlir::OperationName, Rule> rules;
  llvm::DenseMap<mlir::Value, cute::Datum> data;
  mlir::IRMapping values;
};

llvm::ArrayRef<Rebuilder::NamedRule> regionRules(); // scf, choices
llvm::ArrayRef<Rebuilder::NamedRule> memoryRules(); // registers, elements, pointers, prints

/// Whether values of a type are known by their leaves.
bool hasLeaves(mlir::Type);

} // namespace tessera::lower
