// The way of sums to D, with C, bias and activation.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/kernels/sm80/GemmEpilogue.h"

#include "tessera/kernels/gemm/Finish.h"
#include "tessera/kernels/sm80/WarpProducts.h"

using namespace tessera;
using namespace tessera::dsl;
using namespace tessera::kernels;
using namespace tessera::kernels::sm80;

void Epilogue::store(const PlainParameters &given, Tensor sums, Num warp, Num lane, Num row,
                     Num column) {
  constexpr int rowsAtOnce = GemmPlan::rowsStored, ofLane = WarpProducts::sumsOfLane;
  const int columnsOfWarp = plan.tile.columns(), pitch = plan.sumsPitch();
  const int across = columnsOfWarp / piece(), down = atom::Threads::ofWarp / across;
  const int blocksM = plan.tile.rows() / rowsAtOnce, blocksN = columnsOfWarp / 8;
  const Element sum = plan.sum(), element = plan.elementD();
  const Finish finish(c, given.alpha, given.beta, given.scaleA, given.scaleB);
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
  // Pieces of a lane follow each other by so many rows, without a product for each.
  auto firstOf = [&](Tensor matrix) {
    return offset(get_iter(matrix(row + ofDown, _)), firstColumn.promised(piece()));
  };
  auto next = [&](Pointer at, Tensor matrix) {
    return offset(at, crd2idx(make_coord(down, 0), get_layout(matrix)));
  };
  Pointer ofD = firstOf(given.d), ofC;
  if (c.c)
    ofC = firstOf(*given.c);
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
      Num line = ofDown + turn * down;
      If((firstRow + line < rows) & isWhole, [&] {
        auto pieceAt = [&](Pointer at) { return make_tensor(at, make_layout(piece())); };
        Num x = load_vec(pieceAt(offset(staged, placeOf(line))));
        auto matrixC = [&] { return convert(load_vec(pieceAt(ofC)), f32); };
        store_vec(stored(finish.of(x, matrixC, bias)), pieceAt(ofD));
      });
      ofD = next(ofD, given.d);
      if (c.c)
        ofC = next(ofC, *given.c);
    }
    // The last columns, beside which may be numbers of somebody else, one by one.
    If((columns > firstColumn) & (columns < firstColumn + piece()), [&] {
      For(ofDown, min(rows - firstRow, rowsAtOnce), down, [&](Num line) {
        Num at = firstRow + line;
        Tensor held = make_tensor(offset(staged, placeOf(line)), make_layout(piece()));
        For(0, columns - firstColumn, 1, [&](Num i) {
          Num columnOfD = firstColumn + i, x = load(held, i);
          auto matrixC = [&] { return convert(load(*given.c, make_coord(at, columnOfD)), f32); };
          Num biasOfColumn;
          if (c.bias != "none")
            biasOfColumn = convert(load(*given.bias, columnOfD), f32);
          dsl::store(stored(finish.of(x, matrixC, biasOfColumn)), given.d,
                     make_coord(at, columnOfD));
        });
      });
    });
    if (block + 1 < blocksM)
      sync_warp();
  }
}
