// GemmCall: what the host function of a GEMM is called with. For the GEMMs only.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/kernels/sm90/GemmPlan.h"

namespace tessera::kernels::sm90 {

/// The arguments in their order, each there if the configuration asks for it.
struct GemmCall {
  const GemmConfig &config;
  dsl::Tensor a, b, d; // M x K, N x K, M x N
  std::optional<dsl::Tensor> c, bias, scaleA, scaleB;
  std::optional<dsl::Num> alpha, beta;
  std::optional<dsl::Tensor> workspace, counters; // where K is in slices that meet in memory
  // On Blackwell, of 128 rows and elementsOfWord() of K 128 words, four factors each: sm100/Gemm.h.
  // On Hopper, (M, K / 128) and (N / 128, K / 128): GemmScales.h.
  std::optional<dsl::Tensor> factorsA, factorsB;
  std::optional<dsl::Tensor> groupScales; // (N, K / elements of a group): GemmWeights.h
  std::optional<dsl::Tensor> bounds;      // rows that count of batches, or starts of groups

  /// The types of the host function's parameters.
  static llvm::SmallVector<mlir::Type> types(const GemmConfig &);
  GemmCall(const GemmConfig &, const dsl::Arguments &);
  /// What a kernel is given of them besides A, B and D; not yet the tensor map of C.
  GemmExtras extras() const;
  /// Checks what a tensor map would hide, as reads beyond an extent give 0 and writes are dropped.
  /// The call ends there if D has no elements.
  void begin() const;

private:
  void check() const;
  bool batched = false, contiguous = false;
};

/// Tiles of so many that an extent has, the last one partial or not.
inline dsl::Num tilesOf(dsl::Num extent, int tile) { return (extent + (tile - 1)) / tile; }

} // namespace tessera::kernels::sm90
