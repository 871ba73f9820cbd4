// Epilogue: from the sums of warps to D. For the GEMM of warps only.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/kernels/sm80/GemmPlan.h"

namespace tessera::kernels::sm80 {

/// The parameters of the kernel, without tensor maps; matrices of one product, in the kernel.
struct PlainParameters {
  dsl::Tensor a, b, d;
  std::optional<dsl::Tensor> c, bias, scaleA, scaleB;
  std::optional<dsl::Num> alpha, beta;
  dsl::Num tilesM, tilesN;
  std::optional<dsl::Tensor> workspace, counters; // for slices of K
  std::optional<dsl::Tensor> groupScales;         // (N, K / elements of a group)
  std::optional<dsl::Tensor> factorsA, factorsB;  // of blocks
  std::optional<dsl::Tensor> bounds; // rows that count of each batch, or starts of groups

  auto members() {
    return std::tie(a, b, d, c, bias, scaleA, scaleB, alpha, beta, tilesM, tilesN, workspace,
                    counters, groupScales, factorsA, factorsB, bounds);
  }
};

/// D = activation(alpha * sums + beta * C + bias), 16 rows of a warp at a time: their sums go to
/// shared memory, and come back in pieces of 16 bytes of D, each a lane's.
class Epilogue {
public:
  explicit Epilogue(const GemmPlan &plan) : plan(plan), c(plan.c) {}
  /// `row` and `column` are the warp's first ones. Nobody reads operands in shared memory any more.
  void store(const PlainParameters &, dsl::Tensor sums, dsl::Num warp, dsl::Num lane, dsl::Num row,
             dsl::Num column);

private:
  const GemmPlan &plan;
  const GemmConfig &c;

  /// Columns of a piece.
  int piece() const { return StagedTile::pieceBytes * 8 / plan.elementD().bits(); }
};

} // namespace tessera::kernels::sm80
