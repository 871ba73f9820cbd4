// LocalOrigins: which op may have made the fragment that a value is a view of.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Operation.h"

namespace tessera::lower {

/// Whether an op makes what values of InlineLocals' types are addresses of: one place, however
/// often it runs.
bool makesLocal(mlir::Operation *);

/// What a value may be a view of: what ops made, and arguments of blocks. Branches, loops and
/// blocks are looked through.
class LocalOrigins {
public:
  explicit LocalOrigins(mlir::Value view) { add(view); }
  /// Does not look through the arguments of `loop`: what an iteration hands on, in its own terms.
  LocalOrigins(mlir::Value view, mlir::Operation *loop) : within(loop) { add(view); }
  /// Whether it may be what an op inside of `op` makes.
  bool inside(mlir::Operation *op) const;
  bool has(mlir::Value value) const { return seen.contains(value); }
  bool any(llvm::function_ref<bool(mlir::Value)> is) const { return llvm::any_of(seen, is); }
  /// What there is inside of `op` that makes it.
  llvm::SmallVector<mlir::Operation *> makersIn(mlir::Operation *op) const;
  /// Whether both may be views of the same, made in `op` or handed to it.
  bool meets(const LocalOrigins &, mlir::Operation *op) const;

private:
  void add(mlir::Value);
  void addArgument(mlir::BlockArgument);
  void addResult(mlir::OpResult);

  llvm::SmallPtrSet<mlir::Value, 8> seen;
  mlir::Operation *within = nullptr;
};

/// All elements of a fragment in registers; null for what else there is, and run-time layouts.
mlir::VectorType elementsOf(mlir::Type);

/// Copies of elements to places at the end of a block, as assignments at the same time.
struct CopiesAtEnd {
  llvm::SmallVector<std::pair<mlir::Value, mlir::Value>> all; // what, and where it goes
  /// Before `terminator`: all loads before all stores.
  void write(mlir::Operation *terminator) const;
};

} // namespace tessera::lower
