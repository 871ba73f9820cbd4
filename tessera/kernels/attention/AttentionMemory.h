// AttentionMemory: the shared memory of a block of attention. For the parts of the kernels only.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/atom/Threads.h"
#include "tessera/dsl/Dsl.h"
#include "tessera/kernels/Overlap.h"
#include "tessera/kernels/SmemTile.h"
#include "tessera/kernels/attention/Attention.h"

#include <algorithm>

namespace tessera::kernels {

/// Q (later O), stages of K and V, barriers. Plans of targets are made of it, and place the pieces.
struct AttentionMemory {
  static constexpr int bits = 16;           // of the elements that accumulators are converted to
  static constexpr int rowsOfConsumer = 64; // of four warps: one wgmma's, or 16 of each warp
  static constexpr int groupThreads = atom::Threads::ofGroup;

  static constexpr int padding = 8; // words after a row of sums: see sumsPitch

  explicit AttentionMemory(const AttentionConfig &c) : c(c) {}
  AttentionConfig c;
  dsl::SharedMemory memory;
  dsl::Region q, k, v;
  dsl::Region turned; // for 8 bits: V again, with the keys of a head contiguous
  dsl::Region o;      // O, of a persistent grid; else it takes Q's place
  dsl::Region sums; // for few queries: the results of the parts of the keys, in place of the tiles
  dsl::Region flag; // for few queries with teams: the order in which the block arrived
  /// Barriers: full of Q; full, then empty, of each stage of K, V and turned V; and empty of Q in a
  /// persistent grid.
  dsl::Region barriers;

  int operandBits() const { return c.isNarrow() ? 8 : bits; }
  SmemTile tileQ() const { return {c.tileM(), c.headDim, operandBits()}; }
  SmemTile tileK() const { return {c.tileN, c.headDim, operandBits()}; }
  SmemTile tileV() const { return {c.tileN, c.valueDims(), operandBits()}; }
  SmemTile tileTurned() const { return {c.valueDims(), c.tileN, operandBits()}; }
  /// Keys of a tile that one TMA box loads: all of them, or those of a page.
  int keysOfBox() const { return c.pageSize ? std::min(c.pageSize, c.tileN) : c.tileN; }
  SmemTile boxOf(const SmemTile &tile, int columns) const {
    return keysOfBox() == c.tileN ? tile
                                  : SmemTile(keysOfBox(), columns, operandBits()).within(c.tileN);
  }
  SmemTile boxO() const { return {rowsOfBox(), panelO(), bits}; }
  /// Rows of O that are stored together: those of a consumer, or of a warp if accumulators are in
  /// tensor memory.
  int rowsOfBox() const { return c.hasTensorMemory() ? atom::Threads::ofWarp : rowsOfConsumer; }
  /// Columns of a box of O, as wide as those of a head.
  int panelO() const { return int(8 * SmemTile::panelBytes(c.valueDims(), bits) / bits); }
  int64_t bytesOf(const SmemTile &tile) const { return tile.elements() * operandBits() / 8; }
  /// Words from a row of sums to the next. A quarter of a warp writes pairs of two rows; four rows
  /// are 8 words apart modulo the 32 banks.
  int sumsPitch() const { return c.valueDims() + padding; }
  int statesStart() const { return rowsOfConsumer * sumsPitch(); }
  /// Whether a block may begin before earlier kernels have ended (Overlap.h): for few queries. With
  /// many it gains nothing, and the changed order of blocks then costs 5 %.
  bool overlaps() const { return c.splits && !c.hasTensorMemory() && kernels::overlaps(c.target); }

protected:
  /// The pieces where TMA loads: tiles of Q, K and V, and their barriers.
  void placeTiles();
  /// For few queries: sums and flag, where the tiles from `start` to `end` are.
  void placeFew(int64_t start, int64_t end);
};

} // namespace tessera::kernels
