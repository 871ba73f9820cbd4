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
// Each is a pass of its own, so that others can stand between; --cute-expand-ops runs them all.
// Each takes what no step has touched as well as what the ones before it leave, and says so where
// it does not.
#pragma once

#include "tessera/lower/expand/Expander.h"

#include "llvm/ADT/MapVector.h"

namespace tessera::lower {

/// How many ops of each name a step has expanded, in the order of first use.
using OpCounts = llvm::MapVector<llvm::StringRef, size_t>;

/// Of all names.
inline size_t total(const OpCounts &counts) {
  size_t sum = 0;
  for (auto &[name, count] : counts)
    sum += count;
  return sum;
}

/// One function, in place; whether it changed. With `checks` what the algebra assumes becomes
/// assertions. Failures are said.
using Changed = mlir::FailureOr<bool>;
using Step = Changed (*)(mlir::FunctionOpInterface, bool checks, OpCounts &);
Changed unrollLoops(mlir::FunctionOpInterface, bool checks, OpCounts &);
Changed expandAlgebra(mlir::FunctionOpInterface, bool checks, OpCounts &);
Changed expandVectors(mlir::FunctionOpInterface, bool checks, OpCounts &);
Changed expandAtomCalls(mlir::FunctionOpInterface, bool checks, OpCounts &);
Changed makeTensorMaps(mlir::FunctionOpInterface, bool checks, OpCounts &);

/// Loops of several dimensions become nests of loops; the first thing that `unrollLoops` does.
Changed nestLoops(mlir::FunctionOpInterface);

/// Vector ops of several dimensions, masks, prints and the like become those that the vector step
/// or LLVM's conversion takes, and what has no code is refused. `unrollLoops` begins with it, as
/// the algebra step takes no regions but those of scf, and so does `expandVectors`.
Changed lowerVectorOps(mlir::FunctionOpInterface);

/// Refuses, at an op, vectors and tensors in registers of so many elements that no program is
/// meant.
mlir::LogicalResult checkElements(mlir::Operation *);

/// Erases ops without users and effects; whether there were any.
bool eraseDeadOps(mlir::Region &);

} // namespace tessera::lower
