// Finish: operations on sums before they become D. For the GEMMs only.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/dsl/Dsl.h"
#include "tessera/kernels/Activation.h"
#include "tessera/kernels/gemm/Gemm.h"

#include <functional>

namespace tessera::kernels {

/// Operations on accumulators before they become D; a number is unset if the configuration lacks
/// it.
struct Finish {
  dsl::Num factor, beta;
  const Activation *activation = nullptr;

  Finish() = default;
  /// In the kernel.
  Finish(const GemmConfig &, const std::optional<dsl::Num> &alpha,
         const std::optional<dsl::Num> &beta, const std::optional<dsl::Tensor> &scaleA,
         const std::optional<dsl::Tensor> &scaleB);
  /// activation(factor * sums + beta * C + bias), for vectors of f32. `matrixC` is called when C is
  /// needed, and may be empty without C.
  dsl::Num of(dsl::Num sums, const std::function<dsl::Num()> &matrixC, dsl::Num bias) const;
};

} // namespace tessera::kernels
