// GemmScales: factors of blocks of A and B, as DeepSeek-V3 scales its f8. For the GEMMs only.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A has a factor for each 128 elements of a row, B one for each 128 x 128. A tile of K is 128
// elements of 8 bits, so its products have one factor for each row and each 128 columns of D: they
// are summed separately, scaled, and added in f32. That is also more exact, since wgmma keeps fewer
// bits of a sum of f8 products than f32 has.
// Source: DeepSeek-V3 Technical Report (arXiv 2412.19437), 3.3.2.
#pragma once

#include "tessera/kernels/gemm/GemmBlock.h"
#include "tessera/kernels/gemm/GemmWalk.h"

namespace tessera::kernels::sm90 {

class BlockScales {
public:
  static constexpr int block = GemmConfig::scaledBlock; // elements of K, and rows of B

  /// The factors of a tile of K that a thread needs: for its rows of wgmma's fragment, and for its
  /// columns.
  struct Held {
    llvm::SmallVector<dsl::Num> rows, columns;
    auto members() { return std::tie(rows, columns); }
  };

  /// For a product that is not swapped: rows of A are wgmma's M.
  BlockScales(const GemmBlock &, dsl::Num consumer, const TilePosition &);
  /// For a swapped one: 64 rows of B from `firstOfB` are wgmma's M, rows of A from `firstOfA` its
  /// N.
  BlockScales(const dsl::Tensor &ofA, const dsl::Tensor &ofB, dsl::Num firstOfA, int rowsOfA,
              dsl::Num firstOfB, dsl::Num lane);

  Held load(dsl::Num tileOfK) const;
  /// sums += part * factors. A thread has pairs of adjacent columns of wgmma's accumulator, in a
  /// row and in the row 8 further, and such pairs again every 8 columns: PTX ISA, wgmma, fragment
  /// of D.
  static void add(dsl::Tensor part, dsl::Tensor sums, int columns, const Held &);

private:
  llvm::SmallVector<dsl::Tensor> rows, columns; // factors of each, along K
};

/// The reason why Hopper has no kernel for a configuration with factors.
std::optional<Reason> refusedScales(const GemmConfig &);

} // namespace tessera::kernels::sm90
