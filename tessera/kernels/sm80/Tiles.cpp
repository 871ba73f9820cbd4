// Places in swizzled tiles, and ldmatrix.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/kernels/sm80/Tiles.h"

using namespace tessera;
using namespace tessera::dsl;
using namespace tessera::kernels::sm80;

static constexpr int halvesOfPiece = StagedTile::pieceBytes / 2;

/// A panel of 128 bytes is as wide as the banks, so that eight lines exchange pieces differently;
/// of 64 bytes two lines are, and four pairs of lines do.
int StagedTile::period() const { return 8; }
Num StagedTile::placeOf(Num line, Num piece) const {
  const int ofPanel = panelBytes() / pieceBytes, linesAcross = 128 / panelBytes();
  Num exchanged = line / linesAcross % ofPanel;
  Num place = line * panelBytes() + (piece % ofPanel ^ exchanged) * pieceBytes;
  return pieces() == ofPanel ? place : place + piece / ofPanel * (lines() * panelBytes());
}

CopiedPieces::CopiedPieces(StagedTile tile, int threads, Num thread)
    : tile(tile), threads(threads), line(thread / tile.pieces()), piece(thread % tile.pieces()) {
  first = tile.placeOf(line, piece);
}
Num CopiedPieces::placeOf(int i) const {
  if (apart() % tile.period() == 0)
    return first + i * apart() * tile.panelBytes();
  return placeOf(i32(i));
}

/// Lane l gives ldmatrix line l mod 8 of matrix l div 8. Matrices 0 to 3 of A are rows 0 to 7, rows
/// 8 to 15, and both 16 bytes of K further; of B both parts of K, and those of the next eight rows.
WarpRows::WarpRows(StagedTile tile, bool isB, Num first, int count, Num lane)
    : tile(tile), count(count) {
  Num matrix = lane / 8, line = lane % 8;
  Num nextRows = isB ? matrix / 2 : matrix % 2, nextK = isB ? matrix % 2 : matrix / 2;
  place = tile.kMajor ? tile.placeOf(first + nextRows * 8 + line, nextK)
                      : tile.placeOf(nextK * 8 + line, first / tile.elementsOfPiece() + nextRows);
}
Tensor WarpRows::fragment() const {
  return make_rmem_tensor(f16, make_layout(make_shape(halvesOf16Rows, blocks())));
}
/// Pieces that a constant is added to are exchanged as without it, where it is a multiple of the
/// lines' period, and where it changes bits of the piece's number that were 0.
void WarpRows::load(Pointer stage, int step, Tensor fragment) const {
  Atom ldsm = make_ldmatrix(f16, 4, !tile.kMajor);
  const int lines = 16 * tile.panelBytes();
  for (int block = 0; block < blocks(); ++block) {
    int flipped = (tile.kMajor ? step : block) * StagedTile::stepBytes,
        moved = (tile.kMajor ? block : step) * lines;
    Num at = flipped ? place ^ flipped : place;
    Pointer line = offset(stage, (at + moved).promised(StagedTile::pieceBytes));
    copy(ldsm,
         make_tensor(recast_ptr(line, f16, StagedTile::pieceBytes), make_layout(halvesOfPiece)),
         fragment(_, block));
  }
}
