// From bytes in shared memory to wgmma's first operand.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/kernels/sm90/GemmWeights.h"

#include "tessera/kernels/Errors.h"
#include "tessera/kernels/sm80/Gemm.h"

#include <array>

using namespace tessera;
using namespace tessera::dsl;
using namespace tessera::kernels;
using namespace tessera::kernels::sm90;

std::optional<Reason> sm90::refusedWeights(const GemmConfig &c) {
  if (!c.groupScales)
    return std::nullopt;
  if (c.groupScales != 32 && c.groupScales != 64 && c.groupScales != 128)
    return fail(Error::GemmWeightsGroup, c.groupScales);
  if (c.hasTensorMemory())
    return fail(Error::GemmWeightsTarget, c.target.str());
  const bool byWarps = sm80::multipliesByWarps(c.target); // where no product is swapped
  if (!byWarps && !c.swap)
    return fail(Error::GemmWeightsSwap);
  if (!byWarps && c.tileM > Weights::mostRows)
    return fail(Error::GemmWeightsRows, Weights::mostRows, c.tileM);
  if (c.factors || c.scales)
    return fail(Error::GemmWeightsScales);
  if (c.major != "kk")
    return fail(Error::GemmWeightsMajor, c.major);
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

/// Byte t of eight; or bytes 2t and 2t + 1.
NarrowNumbers::NarrowNumbers(Element type, Element wide, Num quad) : type(type), wide(wide) {
  constexpr int nibble = 4, zero = 0x4440;
  selector = type.bits() == nibble ? quad | zero : quad * 2 | (quad * 2 + 1) << nibble;
}
/// Eight bytes, in two words, have 16 numbers, the first in the lower half of a byte. After the
/// bits of 128 (1024) a number x + 8 is the float 136 + x (1032 + x).
Num NarrowNumbers::integers(Num word) const {
  Num byte = byte_perm(word, i32(0), selector);
  // The second number goes to the upper half; a byte's products have no carries.
  return (byte * 0x1001 & 0x000f000f) ^ (wide == f16 ? 0x64086408 : 0x43084308);
}
Num NarrowNumbers::floats(Num first, Num second) const {
  return byte_perm(first, second, selector);
}
Num NarrowNumbers::bothPairs(Num low, Num high) { return byte_perm(low, high, i32(0x5410)); }

void NarrowNumbers::scale(llvm::ArrayRef<Num> words, llvm::ArrayRef<Num> factors, Tensor to) const {
  Tensor packed = make_rmem_tensor(i32, make_layout(int64_t(words.size())));
  store_vec(vector_of(words), packed);
  Pointer from = recast_ptr(get_iter(packed), whole() ? wide : type), there = get_iter(to);
  // Two at a time, as one instruction has both.
  constexpr int pair = 2;
  for (size_t i = 0; i < factors.size(); ++i) {
    auto at = [&](Pointer first) {
      return make_tensor(offset(first, int32_t(i) * pair), make_layout(pair));
    };
    Num pairs = load_vec(at(from));
    if (whole())
      pairs = pairs - broadcast(wide(wide == f16 ? 1032.0 : 136.0), pair);
    else
      pairs = convert(pairs, wide);
    store_vec(pairs * broadcast(factors[i], pair), at(there));
  }
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
