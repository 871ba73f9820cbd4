// WarpScales: factors of blocks of A and B, for a warp's sums. For the GEMM of warps only.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/dsl/Dsl.h"

namespace tessera::kernels::sm80 {

/// The products of a tile of K, which is 128 elements, are summed separately and have one factor
/// for each row of the warp, as its columns are in one block of B (sm90/GemmScales.h says more).
class WarpScales {
public:
  /// For the rows from `firstRow` on of the factors of A, in blocks of 16, and the columns from
  /// `firstColumn` on.
  WarpScales(const dsl::Tensor &ofA, const dsl::Tensor &ofB, dsl::Num firstRow, int blocksM,
             dsl::Num firstColumn, int columns, dsl::Num lane);

  /// Registers for the factors of the lane's rows.
  dsl::Tensor registers() const;
  void load(dsl::Num tileK, dsl::Tensor to) const;
  /// sums += part * factors, and part is 0 afterwards. Both are those of WarpProducts.
  void add(dsl::Tensor part, dsl::Tensor sums, dsl::Tensor factors) const;

private:
  int blocksM, blocksN;
  llvm::SmallVector<dsl::Tensor> rows; // factors of each along K
  dsl::Tensor column;
};

} // namespace tessera::kernels::sm80
