// Steps: the steps of expansion on one function, in the order of the pipeline.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   step             what goes                              what is left
//   unrollLoops      loops and branches of known counts     the rest, unchanged
//   makeTensorMaps   make_non_exec_*_tma_*,                 calls of the host, arch ops
//                    update_tma_desc
//   expandAlgebra    layouts, coordinates, views            arithmetic; views where they are used:
//                                                           make_view(pointer, layout)
//   expandVectors    vectors of one dimension               scalars, and their accesses
//   expandAtomCalls  atoms and their calls                  cute_nvgpu.arch.*, accesses
//
// Each is a pass of its own, so that others can be put between them; --cute-expand-ops runs them
// all. Each accepts IR that no step has touched as well as the output of the steps before it, and
// reports anything else.
#pragma once

#include "tessera/lower/expand/Expander.h"

#include "llvm/ADT/MapVector.h"

namespace tessera::lower {

/// Number of ops of each name that a step has expanded, in the order of first use.
using OpCounts = llvm::MapVector<llvm::StringRef, size_t>;

/// Number of ops of all names.
inline size_t total(const OpCounts &counts) {
  size_t sum = 0;
  for (auto &[name, count] : counts)
    sum += count;
  return sum;
}

/// A step on one function, in place; returns whether it changed. With `checks`, assumptions of the
/// algebra become assertions. Failures are reported.
using Changed = mlir::FailureOr<bool>;
using Step = Changed (*)(mlir::FunctionOpInterface, bool checks, OpCounts &);
Changed unrollLoops(mlir::FunctionOpInterface, bool checks, OpCounts &);
Changed expandAlgebra(mlir::FunctionOpInterface, bool checks, OpCounts &);
Changed expandVectors(mlir::FunctionOpInterface, bool checks, OpCounts &);
Changed expandAtomCalls(mlir::FunctionOpInterface, bool checks, OpCounts &);
Changed makeTensorMaps(mlir::FunctionOpInterface, bool checks, OpCounts &);

/// Turns loops of several dimensions into nests of loops; the first part of `unrollLoops`.
Changed nestLoops(mlir::FunctionOpInterface);

/// Turns vector ops of several dimensions, masks, prints and the like into ops that the vector step
/// or LLVM's conversion accepts, and refuses ops without code. Both `unrollLoops` and
/// `expandVectors` begin with it, since the algebra step accepts no regions except those of scf.
Changed lowerVectorOps(mlir::FunctionOpInterface);

/// Refuses, at an op, vectors and register tensors with more elements than any sensible program
/// has.
mlir::LogicalResult checkElements(mlir::Operation *);

/// Erases ops without users and effects; returns whether there were any.
bool eraseDeadOps(mlir::Region &);

} // namespace tessera::lower
