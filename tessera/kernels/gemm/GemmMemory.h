// GemmMemory: where the tiles of a GEMM that TMA loads and stores are in shared memory. For the
// GEMMs only.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/kernels/SmemTile.h"
#include "tessera/kernels/gemm/Gemm.h"
#include "tessera/kernels/gemm/GemmType.h"

namespace tessera::kernels {

/// A tile of A or B, contiguous in K or, transposed by the product, in M (N).
SmemTile operandTile(int rows, int tileK, int bits, bool kMajor);

/// To look at a tile that may have any size: the bytes of as many stages may not fit 64 bits.
inline GemmConfig withTwoStages(GemmConfig c) {
  c.stages = 2;
  return c;
}

/// Stages of A and B, D before it is stored, and their barriers. Plans of targets are made of it
/// and of what else they need, which comes after it.
struct GemmMemory {
  static constexpr int tileM = 128;      // rows that all storers have together
  static constexpr int rowsOfBlock = 64; // of the blocks of rows in the ping-pong form
  static constexpr int boxesStaged = 2;  // boxes of D, or C, for which a storer has room

  /// `storers` is the number of groups of threads that store rows of D.
  GemmMemory(const GemmConfig &, int storers);
  GemmConfig c; // which may have been made for the plan
  dsl::SharedMemory memory;
  dsl::Region a, b, d;
  dsl::Region ring;     // barriers: full ones, then empty ones
  dsl::Region arrivedC; // barriers: one for each box of C

  /// In the ping-pong form, the blocks of 64 rows, one below the other, that a storer has of a
  /// tile; else one.
  int rowBlocks() const { return c.pingpong ? c.tileM / rowsOfBlock : 1; }
  int storers() const { return groupsThatStore; }
  int rowsOfStorer() const { return tileM / storers(); }
  /// In a pair each block has half of the rows of B.
  int rowsOfB() const { return c.pair ? c.tileN / 2 : c.tileN; }

  int64_t aStage() const { return c.tileM * SmemTile::rowBytes; }
  int64_t bStage() const { return int64_t(rowsOfB()) * SmemTile::rowBytes; }
  int64_t dBox() const { return rowsOfStorer() * SmemTile::rowBytes; }

  dsl::Element elementD() const { return *dsl::Element::named(c.d); }
  /// Columns of D that are stored at once.
  int boxN() const { return SmemTile::rowBytes * 8 / elementD().bits(); }
  /// Columns of a tile that fill no box. They form a narrower one, whose rows are contiguous.
  int tail() const { return c.tileN % boxN(); }
  /// Boxes of a block of rows, and of a storer's rows: one block of rows after the other.
  int boxesOfRows() const { return (c.tileN + boxN() - 1) / boxN(); }
  int boxes() const { return rowBlocks() * boxesOfRows(); }
  bool isTail(int box) const { return tail() && box % boxesOfRows() == boxesOfRows() - 1; }
  /// The first column of a box in its tile, and its number of columns.
  int columnOf(int box) const { return box % boxesOfRows() * boxN(); }
  int columnsOf(int box) const { return isTail(box) ? tail() : boxN(); }

private:
  int groupsThatStore;
};

} // namespace tessera::kernels
