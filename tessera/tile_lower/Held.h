// Held: registers for tiles that wait while rows are reduced.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel that reduces rows waits for memory, and for other threads, so it gains by many blocks on
// a multiprocessor. ptxas takes more registers than it needs where nothing limits it. 64 leave room
// for half of the threads; they are enough where a thread holds 32 numbers across a reduction,
// beside what it computes with them, but not where it holds several such tiles. LayerNorm of rows
// of 8192 has four blocks so, not three, and takes 8 % less time; smaller blocks, of which there
// are many, gain less than loops of several iterations lose (docs/tile.md).
#pragma once

#include "tessera/tile_lower/Kept.h"

namespace tessera::tile_lower {

/// How many blocks of a kernel of rows should share a multiprocessor, which limits the registers of
/// a thread. 0: no limit.
int64_t blocksOfRows(cuda_tile::EntryOp entry, const Plan &plan, llvm::ArrayRef<KeptTiles> kept);

} // namespace tessera::tile_lower
