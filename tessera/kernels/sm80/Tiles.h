// StagedTile: a tile of a matrix in shared memory, as threads copy it and ldmatrix reads it. For
// the kernels of mma.sync.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All of it is counted in bytes, so that one form serves every type: a step of the product takes 32
// bytes of K, 16 elements of 16 bits or 32 of 8, and ldmatrix moves 8 lines of 16 bytes. What comes
// to a lane is what every mma.sync of 16 x 8 x 32 bytes takes (PTX ISA 9.7.14.5).
#pragma once

#include "tessera/dsl/Dsl.h"

namespace tessera::kernels::sm80 {

/// `rows` of `kBytes` bytes of K. In memory lines are contiguous: rows, or along M (N) all rows of
/// an element of K. A line is pieces of 16 bytes, in panels of 64 or 128 bytes, in which pieces are
/// exchanged so that eight lines of ldmatrix, and eight threads that store, are in different banks.
struct StagedTile {
  static constexpr int pieceBytes = 16;
  static constexpr int stepBytes = 32; // of K, of a product

  int rows, kBytes, bits; // bits of an element
  bool kMajor;

  int elementsOfPiece() const { return pieceBytes * 8 / bits; }
  int elementsOfK() const { return kBytes * 8 / bits; }
  int lines() const { return kMajor ? rows : elementsOfK(); }
  int lineBytes() const { return kMajor ? kBytes : rows * bits / 8; }
  int pieces() const { return lineBytes() / pieceBytes; } // of a line
  int panelBytes() const { return lineBytes() < 128 ? lineBytes() : 128; }
  int bytes() const { return rows * kBytes; }
  int steps() const { return kBytes / stepBytes; }

  /// Where a piece of a line is, in bytes from the start of the tile.
  dsl::Num placeOf(dsl::Num line, dsl::Num piece) const;
  /// Lines after which pieces are exchanged in the same way again.
  int period() const;
};

/// The 16-byte pieces of a tile that a thread copies: pieces of one column, `apart` lines from each
/// other.
struct CopiedPieces {
  StagedTile tile;
  int threads;
  dsl::Num line, piece; // of the first

  CopiedPieces(StagedTile tile, int threads, dsl::Num thread);
  int apart() const { return threads / tile.pieces(); }
  int count() const { return tile.lines() / apart(); }
  dsl::Num lineOf(dsl::Num i) const { return line + i * apart(); }
  dsl::Num placeOf(int i) const;
  dsl::Num placeOf(dsl::Num i) const { return tile.placeOf(lineOf(i), piece); }

private:
  dsl::Num first; // its place
};

/// A warp's rows of A or B in registers: 16 rows of a step make 4 registers of a lane. Of A they
/// are a product's; of B those of two, one after the other.
class WarpRows {
public:
  WarpRows() = default;
  /// `first` is the warp's first row, and `count` their number, a multiple of 16.
  WarpRows(StagedTile tile, bool isB, dsl::Num first, int count, dsl::Num lane);

  static constexpr int halvesOf16Rows = 8; // registers as pairs of 16 bits
  int blocks() const { return count / 16; }
  /// Registers for the rows of a step.
  dsl::Tensor fragment() const;
  /// ldmatrix of a step into them; `stage` is where the tile begins, as bytes.
  void load(dsl::Pointer stage, int step, dsl::Tensor fragment) const;

private:
  StagedTile tile = {};
  int count = 0;
  dsl::Num place; // of the lane's line of the first 16 rows of step 0
};

} // namespace tessera::kernels::sm80
