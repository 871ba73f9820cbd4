// Runs: how the elements of a tile of numbers, pointers or conditions follow each other.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Programs that compute an address for each element mostly step through rows: %p + row * pitch +
// iota. What is known of a tile along one dimension is its runs, aligned groups of neighbours, as
// Triton's analysis of axes has them:
//
//   [0 1 2 3 4 5 6 7] * 1 + 32   rise 8, same 1, divisor 8 or more
//   [5 5 5 5 9 9 9 9]            rise 1, same 4
//   [0 1 2 3 4 5 6 7] < 4        same 4
#pragma once

#include "tessera/tile_lower/Windows.h"

#include "llvm/ADT/DenseMap.h"

#include <optional>

namespace tessera::tile_lower {

/// All numbers are powers of two. Groups begin at multiples of their length.
struct Run {
  int64_t rise = 1; // in groups of so many, each element is one more than the one before
  int64_t same = 1; // in groups of so many, all are equal
  /// Divides the first element of each group of `rise`; for pointers in bytes.
  int64_t divisor = 1;

  friend bool operator==(const Run &, const Run &) = default;
};

class Runs {
public:
  /// Along a dimension; with nothing, each element for itself, so that only the divisor says
  /// anything.
  Run along(mlir::Value tile, std::optional<size_t> dim);

private:
  Run of(mlir::Value tile, std::optional<size_t> dim);
  Run computed(mlir::Value tile, std::optional<size_t> dim);
  Run ofShape(mlir::Operation *op, std::optional<size_t> dim);
  Run read(mlir::Value tile, std::optional<size_t> dim);
  Run ofSum(mlir::Operation *op, std::optional<size_t> dim);
  Run ofComparison(mlir::Operation *op, std::optional<size_t> dim);
  Run ofCarried(mlir::BlockArgument value, std::optional<size_t> dim);

  bool holds();

  // Of values that loops carry something is assumed, and what follows for others is known. Then
  // what the iterations pass on has to agree; what does not is assumed no longer, and all is asked
  // again. As assumptions only become weaker, that ends.
  using Key = std::pair<mlir::Value, unsigned>;
  llvm::DenseMap<Key, Run> known, assumed;
  llvm::SmallVector<std::pair<mlir::BlockArgument, std::optional<size_t>>> carried;
  int depth = 0;
};

/// The order in memory of the elements that pointers name, and how many neighbours one access can
/// move, at most 16 bytes, all or none of which the mask (may be null) selects. In the order of
/// their numbers, with vectors of one, where nothing is known.
Traversal traversalOfPointers(mlir::Value pointers, mlir::Value mask);

} // namespace tessera::tile_lower
