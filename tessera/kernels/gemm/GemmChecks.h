// Checks of configurations that several targets make. For the GEMMs only.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/kernels/gemm/Gemm.h"

namespace tessera::kernels {

/// The reason why there are no such products in one launch, or nothing; and likewise below.
std::optional<Reason> refusedGroups(const GemmConfig &);
/// ... why B cannot have such scales of groups.
std::optional<Reason> refusedWeights(const GemmConfig &);
/// ... why these types have no factors of blocks, of f32.
std::optional<Reason> refusedBlockFactors(const GemmConfig &);
/// ... why Hopper or Blackwell has no room for such numbers of stages, slices and blocks.
std::optional<Reason> refusedSizes(const GemmConfig &);

} // namespace tessera::kernels
