// From bytes in shared memory to wgmma's first operand.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/kernels/sm90/GemmWeights.h"

#include "tessera/kernels/Errors.h"
#include "tessera/kernels/gemm/GemmType.h"

#include <array>

using namespace tessera;
using namespace tessera::dsl;
using namespace tessera::kernels;
using namespace tessera::kernels::sm90;

std::optional<Reason> sm90::refusedWeightsTile(const GemmConfig &c) {
  if (!c.groupScales)
    return std::nullopt;
  if (!c.swap)
    return fail(Error::GemmWeightsSwap);
  if (c.tileM > Weights::mostRows)
    return fail(Error::GemmWeightsRows, Weights::mostRows, c.tileM);
  return std::nullopt;
}

static int bytesOfRow(const GemmConfig &c) {
  return Weights::tileK * findGemmType(c.b)->bits() / 8;
}
SmemTile Weights::tile(const GemmConfig &c, int rows) { return {rows, bytesOfRow(c), 8}; }
layout::Swizzle Weights::swizzle(const GemmConfig &c) {
  return SmemTile::swizzleOf(SmemTile::panelBytes(bytesOfRow(c), 8));
}

Weights::Weights(const GemmConfig &c, Pointer inMemory, Tensor ofB, Num firstOfB, Num firstInStage,
                 Num warp, Num lane)
    : c(c), wide(findGemmType(c.a)->mma), pitch(bytesOfRow(c)) {
  Num row = firstInStage + warp % 4 * 16 + lane / 4, quad = lane % 4;
  for (int below : {0, 1}) {
    rows[below] = offset(inMemory, ((row + 8 * below) * pitch).promised(pitch));
    Num inB = firstOfB + warp % 4 * 16 + lane / 4 + 8 * below;
    scales[below] = ofB(min(inB, size(ofB, 0) - 1), _); // after the last: not stored
  }
  // Rows 8 apart have their pieces exchanged alike: swizzles repeat after 8 rows.
  constexpr int bank = 128, pieceBytes = 16;
  permuted = (row / (bank / pitch) % (pitch / pieceBytes)) * pieceBytes;
  numbers = NarrowNumbers(findGemmType(c.b)->mma, wide, quad);
}

Weights::Held Weights::load(Num tileOfK) const {
  Held held;
  int groups = tileK / c.groupScales;
  for (size_t row : {0, 1})
    for (int group = 0; group < groups; ++group) {
      // After the last group A has zeros.
      Num at = min(tileOfK * groups + group, size(scales[row], 0) - 1);
      held.rows[row].push_back(dsl::load(scales[row], at));
    }
  return held;
}

Tensor Weights::fragment(int blocks) const {
  return make_rmem_tensor(wide, make_layout(make_shape(make_shape(2, 2, 2), 1, blocks),
                                            make_stride(make_stride(1, 2, 4), 0, 8)));
}

/// 16 bytes of a row, as four words.
Weights::Piece Weights::piece(size_t row, Num stage, int which) const {
  constexpr int pieceBytes = 16;
  Num at = stage * (c.tileN * pitch) + (permuted ^ which * pieceBytes);
  Pointer from = recast_ptr(offset(rows[row], at.promised(pieceBytes)), i32, pieceBytes);
  Tensor words = make_rmem_tensor(i32, make_layout(4));
  store_vec(load_vec(make_tensor(from, make_layout(4))), words);
  return {dsl::load(words, 0), dsl::load(words, 1), dsl::load(words, 2), dsl::load(words, 3)};
}

void Weights::widen(Num stage, int first, int blocks, const Held &held, Tensor to) const {
  const bool whole = numbers->whole();
  llvm::SmallVector<Num> words, factors; // of pairs
  std::array<Piece, 2> now;
  for (int block = first; block < first + blocks; ++block) {
    bool begins = !whole || block % 2 == 0;
    for (size_t row = 0; begins && row < now.size(); ++row)
      now[row] = piece(row, stage, whole ? block / 2 : block);
    for (size_t eight : {0, 1}) // numbers of K
      if (whole) {
        for (const Piece &row : now)
          words.push_back(numbers->integers(row[size_t(block % 2 * 2) + eight]));
      } else {
        Num pairs[2];
        for (size_t row : {0, 1})
          pairs[row] = numbers->floats(now[row][2 * eight], now[row][2 * eight + 1]);
        words.push_back(NarrowNumbers::bothPairs(pairs[0], pairs[1]));
      }
    size_t group = size_t(block * blockK / c.groupScales);
    for (size_t row : {0, 1, 0, 1})
      factors.push_back(held.rows[row][group]);
  }
  numbers->scale(words, factors, to);
}
