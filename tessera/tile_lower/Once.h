// Once: loops that have one iteration each when the kernel runs, as code without loops.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Programs that normalise rows have several loops over the tiles of a row (Kept.h). Where a tile
// holds the whole row, which the program does not know, each loop runs once. So there are two
// versions of the code from the first of the loops to the end of their block:
//
//   if there is exactly one iteration:  x = load row; sum of x; ...; result of x, in registers
//   else:                               the loops
//
// The first version loads a tile once for all loops, and carries nothing from turn to turn. A sum
// over all tiles, which begins with +0, is that of the one tile: +0 is added at the end, which has
// the same bits, as only zeros differ, and only if all of them are negative.
#pragma once

#include "tessera/tile_lower/Kernel.h"

namespace tessera::tile_lower {

/// The loops that begin with this op and may have a version of their own; null if none do.
KeptTiles *onceFrom(Kernel &k, Operation &op);
/// Makes the version of the block's rest, from `op` on, in which each of the loops has one
/// iteration. What follows is the code for all other numbers of iterations.
LogicalResult lowerOnce(Kernel &k, Operation &op, KeptTiles &loops);

} // namespace tessera::tile_lower
