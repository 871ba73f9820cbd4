// GemmParameters: what the host function of a GEMM passes to its kernel. For the GEMMs only.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/dsl/Dsl.h"

#include <optional>
#include <tuple>

namespace tessera::kernels {

/// Arguments of the host function after D; each is there if the configuration asks for it. For the
/// kernel, C is a tensor map.
struct GemmExtras {
  std::optional<dsl::TmaTensor> c = {}, tailD = {};
  std::optional<dsl::Tensor> bias = {}, scaleA = {}, scaleB = {};
  std::optional<dsl::Num> alpha = {}, beta = {};
  std::optional<dsl::Tensor> workspace = {}, counters = {};
  std::optional<dsl::TmaTensor> factorsA = {}, factorsB = {};        // on Blackwell
  std::optional<dsl::Tensor> blockFactorsA = {}, blockFactorsB = {}; // on Hopper
  std::optional<dsl::Num> products = {};                             // batches or groups
  std::optional<dsl::Tensor> bounds = {}; // rows that count of each batch, or starts of groups
  std::optional<dsl::Tensor> plainD = {}; // for what boxes of TMA would write too much of

  auto members() {
    return std::tie(c, tailD, bias, scaleA, scaleB, alpha, beta, workspace, counters, factorsA,
                    factorsB, blockFactorsA, blockFactorsB, products, bounds, plainD);
  }
};

/// The parameters of a kernel whose operands TMA loads.
struct GemmParameters {
  dsl::TmaTensor a, b, d;
  dsl::Num tilesM, tilesN, tilesK;
  GemmExtras extras;

  auto members() { return std::tie(a, b, d, tilesM, tilesN, tilesK, extras); }
};

} // namespace tessera::kernels
