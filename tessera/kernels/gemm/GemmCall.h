// GemmCall: the arguments of the host function of a GEMM. For the GEMMs only.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/kernels/gemm/Gemm.h"
#include "tessera/kernels/gemm/GemmParameters.h"

namespace tessera::kernels {

/// The arguments in order; each is there if the configuration asks for it.
struct GemmCall {
  const GemmConfig &config;
  dsl::Tensor a, b, d; // M x K, N x K, M x N
  std::optional<dsl::Tensor> c, bias, scaleA, scaleB;
  std::optional<dsl::Num> alpha, beta;
  std::optional<dsl::Tensor> workspace, counters; // if slices of K meet in memory
  // On Blackwell, for 128 rows and elementsOfWord() of K: 128 words of four factors (sm100/Gemm.h).
  // Elsewhere: (M, K / 128) and (N / 128, K / 128), sm90/GemmScales.h.
  std::optional<dsl::Tensor> factorsA, factorsB;
  std::optional<dsl::Tensor> groupScales; // (N, K / elements of a group): NarrowNumbers.h
  std::optional<dsl::Tensor> bounds;      // rows that count of each batch, or starts of groups

  /// The types of the host function's parameters.
  static llvm::SmallVector<mlir::Type> types(const GemmConfig &);
  GemmCall(const GemmConfig &, const dsl::Arguments &);
  /// What the kernel gets of them besides A, B and D; the tensor map of C is not set yet.
  GemmExtras extras() const;
  /// Checks what a tensor map would hide, since reads beyond an extent give 0 and writes are
  /// dropped. If D has no elements, the call ends there.
  void begin() const;

private:
  void check() const;
  bool batched = false, contiguous = false;
};

/// Factors of a row along K, where they are of blocks; of rows after the last, which are not
/// stored, the last one's.
dsl::Tensor factorsOfRow(const dsl::Tensor &factors, dsl::Num row);

} // namespace tessera::kernels
