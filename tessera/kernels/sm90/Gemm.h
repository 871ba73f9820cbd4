// The GEMM of Hopper, for configurations whose target has the products of warpgroups.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A block has one producer warpgroup, which loads tiles of A and B by TMA, and two consumers, which
// multiply (wgmma) and store. They share a tile of D, or in the ping-pong form have one each and
// take turns at the tensor cores; products with few rows are swapped (GemmSwapped.h).
#pragma once

#include "tessera/kernels/gemm/GemmKernel.h"

namespace tessera::kernels::sm90 {

/// The row of these targets in choice/GemmKernels.cpp.
extern const GemmKernel gemmKernel;
void buildGemm(const GemmConfig &);

} // namespace tessera::kernels::sm90
