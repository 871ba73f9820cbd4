// ProductLayouts: who holds which elements of a product's sums, and of operands in registers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Both follow from the fragments of one instruction (atom::layouts), which are repeated over warps
// and registers.
#pragma once

#include "tessera/tile_lower/Plan.h"

namespace tessera::tile_lower {

/// The layout of the sums, for 2^threadBits threads. `keepsRows` gives all columns of a row to one
/// warp, which makes sums along rows cheap.
BitLayout layoutOfSums(const Product &product, int threadBits, bool keepsRows);
/// Sets the layouts of operands in registers: fragments of the instruction, for the rows and
/// columns that the warp has of the result.
void layOutOperands(Product &product);

/// The layout of a result of fused multiply-adds: parts of 4 x 4 neighbours or more in a thread,
/// and of 32 x 16 in a warp, whose numbers of one step are read without bank conflicts.
BitLayout layoutOfFused(const Extents &extents, int threadBits);

} // namespace tessera::tile_lower
