// Windows: tiles of views in global memory, and the order of their elements there.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/tile_lower/BitLayout.h"

#include "mlir/IR/Value.h"

#include <optional>

namespace tessera::tile_lower {

/// What a type of view says about one dimension of its tiles.
struct Dimension {
  size_t ofTensor;
  int64_t step;          // in elements, from one index to the next
  bool isSparse = false; // indexed by a tile of row numbers
};
llvm::SmallVector<Dimension> dimensionsOf(mlir::Type view, llvm::ArrayRef<int64_t> shape);

/// Bits of elements in memory order: first those of the dimension whose stride is known to be 1.
/// 2^vectorBits adjacent elements are aligned to their size, at most 16 bytes, and are all inside
/// of the tensor or all outside.
struct Traversal {
  BitList order;
  int runBits = 0; // of that dimension; of the last one if no stride is known to be 1
  int vectorBits = 0;
};
/// Elements of a tile in memory order, one by one: first along a dimension, if one is given.
Traversal traversalAlong(llvm::ArrayRef<int64_t> shape, std::optional<size_t> along);
Traversal traversalOf(mlir::Value view, llvm::ArrayRef<bool> inbounds);

/// Whether accesses are coalesced: each thread has 2^vectorBits adjacent elements, and lanes follow
/// each other.
bool isCoalesced(const BitLayout &layout, const Traversal &traversal, int64_t elementBytes);

/// The lowest bit of a dimension in the number of an element, counted in row-major order.
int firstBitOf(llvm::ArrayRef<int64_t> shape, size_t dim);

} // namespace tessera::tile_lower
