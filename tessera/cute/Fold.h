// Fold: folding and canonicalising: an op is replaced by its value if that is known or exists
// already.
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
// where a dynamic leaf is known by its origin: leaf i of an SSA value, or an operation on other
// leaves. Trace also evaluates the ops that made the operands. Two values are the same if their
// types are equal and all of their dynamic leaves and pointers have the same origins.
//
// So everything that Arith simplifies is folded (x + 0, x * 1, x / 1), and everything that the
// algebra finds to be an identity: composition with the layout's own shape, `select` of all modes,
// `coalesce` twice.
//
// Law. A fold never changes a type, drops an effect or drops an assumption (Arith::assume), and the
// folded program computes the same as the original: test/cute/FoldTest compares them with the
// interpreter, on random programs.
//
// Canonicalisation (canonicalizationPatterns) also makes new ops: a tuple whose leaves are existing
// scalars is built from them, and two slices become one.
//
// Locations. A folded value keeps its own location; an op made by a pattern has the location of the
// op that it replaces. Constants that MLIR's drivers share have none, as everywhere in MLIR;
// diagnostics name the op that uses them.
#pragma once

#include "mlir/IR/OpDefinition.h"

namespace tessera::cute {

/// The folder of all pure ops of this dialect. Fails if the value is neither known nor existing.
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
