// The attention of Hopper, for configurations whose target has the products of warpgroups.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A block has one producer warpgroup, which loads Q, K and V by TMA, and consumers of 64 queries
// each, which alternate at the tensor cores (wgmma): while one multiplies, another computes
// exponentials.
#pragma once

#include "tessera/kernels/attention/AttentionKernel.h"

namespace tessera::kernels::sm90 {

/// The row of these targets in choice/AttentionKernels.cpp.
extern const AttentionKernel attentionKernel;

} // namespace tessera::kernels::sm90
