// Folding and canonicalising: an op gives way to its value, where that is known or already there.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Definition. One folder serves every pure op. Three cases, in this order:
//
//   1. Its type states the value:     %s = cute.size(%l) : ... -> !cute.int_tuple<"32">
//                                     is cute.static : !cute.int_tuple<"32">
//   2. It is a number:                cute.get_scalars of a shape made of %c8 is %c8
//   3. A value that it is made of,    cute.get_shape(cute.make_layout(%shape, %stride)) is %shape
//      directly or not, is the same:  cute.make_view(cute.get_iter(%v), cute.get_layout(%v)) is %v
//
// No pair of ops has a pattern of its own. The op is evaluated (Evaluate.h) in the domain Trace,
// in which a dynamic leaf is known by its origin: leaf i of this SSA value, or this operation on
// those leaves. Trace evaluates the ops that made the operands too. A value is the same if its
// type is the same and all of its dynamic leaves and pointers have the same origins.
//
// So what Arith simplifies folds (x + 0, x * 1, x / 1), and what the algebra finds to be an
// identity: composition with the layout's own shape, `select` of all modes, `coalesce` twice.
//
// Law. A fold never changes a type, drops an effect or an assumption (Arith::assume), and the
// folded program computes what the other one does: test/cute/FoldTest compares them by the
// interpreter, on random programs.
//
// Canonicalisation (canonicalizationPatterns) also makes new ops: a tuple whose leaves are scalars
// at hand is made of these, two slices become one.
//
// Places. What is folded to a value keeps that value's place; what a pattern makes has the place
// of the op that it replaces. Constants that MLIR's drivers share have none, as everywhere in MLIR;
// diagnostics name the op that uses them.
#pragma once

#include "mlir/IR/OpDefinition.h"

namespace tessera::cute {

/// The folder of all pure ops of this dialect. Failure if the value is neither known nor there.
llvm::LogicalResult foldByEvaluation(mlir::Operation *op,
                                     llvm::SmallVectorImpl<mlir::OpFoldResult> &results);

/// Ops that fold this way.
template <class ConcreteOp>
class FoldByEvaluation : public mlir::OpTrait::TraitBase<ConcreteOp, FoldByEvaluation> {
public:
  static llvm::LogicalResult foldTrait(mlir::Operation *op, llvm::ArrayRef<mlir::Attribute>,
                                       llvm::SmallVectorImpl<mlir::OpFoldResult> &results) {
    return foldByEvaluation(op, results);
  }
};

} // namespace tessera::cute
