// Combine: code for the regions of reductions and scans.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/tile_lower/Kernel.h"

namespace tessera::tile_lower {

/// The results of the region for one element of each operand (cur_0, acc_0, cur_1, acc_1, ...);
/// empty after an error.
SmallVector<Value> combined(Kernel &k, mlir::Region &region, ArrayRef<Value> arguments);
/// The arguments of the region: current and accumulated elements in turn.
SmallVector<Value> paired(ArrayRef<Value> current, ArrayRef<Value> accumulated);
/// The identities of a reduction or scan in register form.
SmallVector<Value> identitiesOf(Kernel &k, Operation *op, mlir::ArrayAttr identities);

/// The extents before, of and after the combined dimension.
struct Split {
  int64_t outer = 1, along = 1, inner = 1;
};
Split splitOf(ArrayRef<int64_t> shape, size_t dim);

/// The row of scans (Scans.cpp).
LogicalResult scan(Kernel &k, Operation *op);

} // namespace tessera::tile_lower
