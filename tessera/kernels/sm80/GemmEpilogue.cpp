// The way of sums to D, with C, bias and activation.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/kernels/sm80/GemmEpilogue.h"

#include "tessera/kernels/sm80/WarpProducts.h"

using namespace tessera;
using namespace tessera::dsl;
using namespace tessera::kernels;
using namespace tessera::kernels::sm80;

void Epilogue::store(const GemmParameters &given, Tensor sums, Num warp, Num lane, Num row,
                     Num column) {
  constexpr int rowsAtOnce = GemmPlan::rowsStored, ofLane = WarpProducts::sumsOfLane;
  const int columnsOfWarp = plan.tile.columns(), pitch = plan.sumsPitch();
  const int across = columnsOfWarp / piece(), down = atom::Threads::ofWarp / across;
  const int blocksM = plan.tile.rows() / rowsAtOnce, blocksN = columnsOfWarp / 8;
  const Element sum = plan.sum(), element = plan.elementD();
  const sm90::Finish finish(c, given.alpha, given.beta, given.scaleA, given.scaleB);
  Num rows = size(given.d, 0), columns = size(given.d, 1);

  Pointer all = plan.memory.pointer(plan.sums, sum, {}, StagedTile::pieceBytes);
  Pointer staged = offset(all, (warp * plan.sumsOfWarp()).promised(8));
  // A lane has two columns of a row, and of the row 8 further. It reads a piece of some row.
  Num ownPlace = lane / 4 * pitch + lane % 4 * 2;
  Num inPiece = lane % across * piece(), ofDown = lane / across;
  Num firstColumn = column + inPiece;

  // The columns of a lane are always the same, and so is their bias.
  Num bias;
  if (c.bias != "none") {
    llvm::SmallVector<Num> values;
    Num last = size(*given.bias, 0) - 1;
    for (int i = 0; i < piece(); ++i)
      values.push_back(convert(load(*given.bias, min(firstColumn + i, last)), f32));
    bias = vector_of(values);
  }
  for (int block = 0; block < blocksM; ++block) {
    for (int n = 0; n < blocksN; ++n)
      for (int half : {0, 1}) {
        Pointer from = offset(get_iter(sums), ofLane * (block + blocksM * n) + 2 * half);
        Num place = (ownPlace + (half * 8 * pitch + n * 8)).promised(2);
        store_vec(load_vec(make_tensor(from, make_layout(2))),
                  make_tensor(offset(staged, place), make_layout(2)));
      }
    sync_warp();
    auto placeOf = [&](Num line) {
      return (line * pitch + inPiece).promised(std::min(piece(), 4));
    };
    auto stored = [&](Num x) { return sum == element ? x : convert(x, element); };
    Num firstRow = row + block * rowsAtOnce;
    Num isWhole = firstColumn + piece() <= columns;
    for (int turn = 0; turn < rowsAtOnce / down; ++turn) {
      Num line = ofDown + turn * down, ofD = firstRow + line;
      If((ofD < rows) & isWhole, [&] {
        auto pieceOf = [&](Tensor matrix) {
          Pointer begin = get_iter(matrix(ofD, _));
          return make_tensor(offset(begin, firstColumn.promised(piece())), make_layout(piece()));
        };
        Num x = load_vec(make_tensor(offset(staged, placeOf(line)), make_layout(piece())));
        auto matrixC = [&] { return convert(load_vec(pieceOf(*given.c)), f32); };
        store_vec(stored(finish.of(x, matrixC, bias)), pieceOf(given.d));
      });
    }
    // The last columns, beside which may be numbers of somebody else, one by one.
    If((columns > firstColumn) & (columns < firstColumn + piece()), [&] {
      For(ofDown, min(rows - firstRow, rowsAtOnce), down, [&](Num line) {
        Num ofD = firstRow + line;
        Tensor held = make_tensor(offset(staged, placeOf(line)), make_layout(piece()));
        For(0, columns - firstColumn, 1, [&](Num i) {
          Num at = firstColumn + i, x = load(held, i);
          auto matrixC = [&] { return convert(load(*given.c, make_coord(ofD, at)), f32); };
          Num biasOfColumn;
          if (c.bias != "none")
            biasOfColumn = convert(load(*given.bias, at), f32);
          dsl::store(stored(finish.of(x, matrixC, biasOfColumn)), given.d, make_coord(ofD, at));
        });
      });
    });
    if (block + 1 < blocksM)
      sync_warp();
  }
}
