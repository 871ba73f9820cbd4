// From bytes in shared memory to mma.sync's second operand.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/kernels/sm80/GemmWeights.h"

#include "tessera/kernels/gemm/GemmType.h"

using namespace tessera;
using namespace tessera::dsl;
using namespace tessera::kernels;
using namespace tessera::kernels::sm80;

static constexpr int rowsApart = 8; // of a lane, as mma.sync has 8 columns

WarpWeights::WarpWeights(const GemmConfig &c, StagedTile tile, Tensor ofB, Num first, Num firstOfB,
                         int count, Num lane)
    : c(c), tile(tile), count(count), wide(findGemmType(c.a)->mma) {
  place = tile.placeOf(first + lane / 4, i32(0));
  numbers = NarrowNumbers(findGemmType(c.b)->mma, wide, lane % 4);
  for (int row = 0; row < count; row += rowsApart) // after the last: not stored
    ofRows.push_back(ofB(min(firstOfB + lane / 4 + row, size(ofB, 0) - 1), _));
}

Tensor WarpWeights::fragment() const {
  return make_rmem_tensor(wide, make_layout(make_shape(WarpRows::halvesOf16Rows, count / 16)));
}
Tensor WarpWeights::scales() const {
  return make_rmem_tensor(wide, make_layout(make_shape(groups(), count / rowsApart)));
}
void WarpWeights::loadScales(Num tileK, Tensor held) const {
  const int first = c.tileK(), elements = c.groupScales;
  for (size_t row = 0; row < ofRows.size(); ++row)
    for (int group = 0; group < groups(); ++group) {
      // After the last group A has zeros.
      Num at = min(tileK * first / elements + group, size(ofRows[row], 0) - 1);
      dsl::store(dsl::load(ofRows[row], at), held, make_coord(group, int(row)));
    }
}

/// Rows 8 apart have their pieces exchanged alike.
void WarpWeights::load(Pointer stage, int step, Tensor scales, Tensor fragment) const {
  const int elementsOfStep = 16, bytes = numbers->whole() ? 8 : 16; // of a row
  const int inLine = step * bytes, piece = inLine / StagedTile::pieceBytes * StagedTile::pieceBytes;
  const int group = step * elementsOfStep / c.groupScales;
  for (int block = 0; block < count / 16; ++block) {
    llvm::SmallVector<Num> words, factors;
    for (int below : {0, 1}) {
      int row = 2 * block + below;
      Num at =
          (piece ? place ^ piece : place) + (row * rowsApart * tile.lineBytes() + inLine - piece);
      Pointer from = recast_ptr(offset(stage, at.promised(bytes)), i32, bytes);
      Tensor held = make_rmem_tensor(i32, make_layout(bytes / 4));
      store_vec(load_vec(make_tensor(from, make_layout(bytes / 4))), held);
      auto word = [&](int i) { return dsl::load(held, i); };
      if (numbers->whole())
        words.append({numbers->integers(word(0)), numbers->integers(word(1))});
      else
        words.push_back(NarrowNumbers::bothPairs(numbers->floats(word(0), word(1)),
                                                 numbers->floats(word(2), word(3))));
      Num factor = dsl::load(scales, make_coord(group, row));
      factors.append({factor, factor});
    }
    numbers->scale(words, factors, fragment(_, block));
  }
}
