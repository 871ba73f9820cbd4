// Steps: the steps of expansion on one function, in the order of the pipeline.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   step             what goes                              what is left                      file
//   unrollLoops      loops and branches of known counts     the rest, unchanged Unroll.cpp
//   expandAlgebra    layouts, coordinates, views            arithmetic; views where they are
//   Rebuilder.cpp
//                                                           used: make_view(pointer, layout)
//   expandVectors    vectors of one dimension               scalars, and their accesses Vectors.cpp
//   expandAtomCalls  atoms and their calls                  cute_nvgpu.arch.*, accesses
//   AtomCalls.cpp makeTensorMaps   make_non_exec_*_tma_*, update_tma_desc calls of the host, arch
//   ops       TensorMaps.cpp
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

/// One function, in place. With `checks` what the algebra assumes becomes assertions. Failures are
/// said.
using Step = mlir::LogicalResult (*)(mlir::FunctionOpInterface, bool checks, OpCounts &);
mlir::LogicalResult unrollLoops(mlir::FunctionOpInterface, bool checks, OpCounts &);
mlir::LogicalResult expandAlgebra(mlir::FunctionOpInterface, bool checks, OpCounts &);
mlir::LogicalResult expandVectors(mlir::FunctionOpInterface, bool checks, OpCounts &);
mlir::LogicalResult expandAtomCalls(mlir::FunctionOpInterface, bool checks, OpCounts &);
mlir::LogicalResult makeTensorMaps(mlir::FunctionOpInterface, bool checks, OpCounts &);

/// Refuses, at an op, vectors and tensors in registers of so many elements that no program is
/// meant.
mlir::LogicalResult checkElements(mlir::Operation *);

/// Erases ops without users and effects.
void eraseDeadOps(mlir::Region &);

} // namespace tessera::lower
