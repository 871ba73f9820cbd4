// GemmWeights: B in 4 or 8 bits with scales of groups, where A has 16 bits. For the GEMMs only.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products with few rows wait for B, so B is stored narrow: as 4-bit integers or 8-bit floats,
// where 32, 64 or 128 adjacent ones in a row share a scale of A's type. The swapped kernel has B as
// wgmma's first operand, which may be in registers: a thread reads its numbers of B from shared
// memory, widens them, multiplies them by their scales (rounded to A's type, as a separate widening
// of B would) and passes them to wgmma.
//
// Of each 16 elements of K, a thread has elements 2t, 2t + 1, 2t + 8 and 2t + 9 of two rows, 8
// apart, where t is its lane modulo 4 (PTX ISA, wgmma, fragment of A). The four lanes that share a
// row read the same 16 bytes at once, and each keeps its own part.
#pragma once

#include "tessera/kernels/SmemTile.h"
#include "tessera/kernels/gemm/Gemm.h"
#include "tessera/kernels/gemm/NarrowNumbers.h"

#include <array>

namespace tessera::kernels::sm90 {

class Weights {
public:
  static constexpr int tileK = 128;    // elements: 64 or 128 bytes of a row of B
  static constexpr int blockK = 16;    // elements of K of a wgmma
  static constexpr int mostRows = 128; // of a block: sums have half as many registers of a thread

  /// A stage of `rows` rows of B in memory, as TMA writes it.
  static SmemTile tile(const GemmConfig &, int rows);
  /// The swizzle of the 16-byte pieces of its rows.
  static layout::Swizzle swizzle(const GemmConfig &);

  /// The scales of a tile of K that a thread needs: those of its two rows.
  struct Held {
    llvm::SmallVector<dsl::Num> rows[2];
    auto members() { return std::tie(rows[0], rows[1]); }
  };

  /// 64 rows of B from `firstOfB` on, which are the rows from `firstInStage` on of a stage. Stages
  /// begin at `inMemory`; `ofB` has the scales of B (row, group).
  Weights(const GemmConfig &, dsl::Pointer inMemory, dsl::Tensor ofB, dsl::Num firstOfB,
          dsl::Num firstInStage, dsl::Num warp, dsl::Num lane);

  Held load(dsl::Num tileOfK) const;
  /// Registers for wgmma's first operand of `blocks` blocks of K: (value, 1, block).
  dsl::Tensor fragment(int blocks) const;
  /// Widens and scales `blocks` blocks of K of a stage, from `first` on.
  void widen(dsl::Num stage, int first, int blocks, const Held &, dsl::Tensor to) const;

private:
  using Piece = std::array<dsl::Num, 4>;

  const GemmConfig &c;
  dsl::Element wide;    // of A
  int pitch;            // bytes of a row of a stage
  dsl::Pointer rows[2]; // of a thread's rows in the first stage
  dsl::Num permuted;    // exclusive or by which the swizzle exchanges pieces of these rows
  std::optional<NarrowNumbers> numbers; // of B
  dsl::Tensor scales[2];                // of its rows

  Piece piece(size_t row, dsl::Num stage, int which) const;
};

/// The reason why Hopper has no kernel for a configuration with scales of groups.
std::optional<Reason> refusedWeightsTile(const GemmConfig &);

} // namespace tessera::kernels::sm90
