// WarpWeights: a warp's rows of a B of 4 or 8 bits with scales of groups. For the GEMM of warps.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/kernels/gemm/Gemm.h"
#include "tessera/kernels/gemm/NarrowNumbers.h"
#include "tessera/kernels/sm80/Tiles.h"

namespace tessera::kernels::sm80 {

/// What WarpRows is for a B as wide as A: from a stage to the registers that a product takes. The
/// four lanes of a row read the same 8 or 16 bytes, and each widens and scales its own numbers
/// (gemm/NarrowNumbers.h).
class WarpWeights {
public:
  /// `count` rows of B, which are those from `first` on in a tile and from `firstOfB` on in B.
  WarpWeights(const GemmConfig &, StagedTile tile, dsl::Tensor ofB, dsl::Num first,
              dsl::Num firstOfB, int count, dsl::Num lane);

  /// Registers for the rows of a step, and for the scales of a tile of K.
  dsl::Tensor fragment() const;
  dsl::Tensor scales() const;
  void loadScales(dsl::Num tileK, dsl::Tensor held) const;
  void load(dsl::Pointer stage, int step, dsl::Tensor scales, dsl::Tensor fragment) const;

private:
  const GemmConfig &c;
  StagedTile tile;
  int count;
  dsl::Num place; // of the first row of the lane
  std::optional<NarrowNumbers> numbers;
  dsl::Element wide;
  llvm::SmallVector<dsl::Tensor> ofRows; // scales of the lane's rows, which are 8 apart

  int groups() const { return std::max(1, c.tileK() / c.groupScales); } // in a tile of K
};

} // namespace tessera::kernels::sm80
