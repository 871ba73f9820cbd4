// The attention of Blackwell, for configurations whose target has tensor memory.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A block has 128 queries for each consumer, a group of four warps. Each thread has a row of
// scores, so that lanes exchange nothing. One warp loads Q, K and V by TMA, and one multiplies
// (tcgen05.mma): S = Q K^T into tensor memory, and O += P V. P is also in tensor memory, in the
// columns of S that the consumer has read. Products of the consumers alternate, so that the softmax
// of one overlaps with the products of the other. O is scaled down only if the largest score of a
// row grew so much that its exponentials would otherwise get too large.
#pragma once

#include "tessera/kernels/attention/AttentionKernel.h"

namespace tessera::kernels::sm100 {

/// The row of these targets in choice/AttentionKernels.cpp.
extern const AttentionKernel attentionKernel;

} // namespace tessera::kernels::sm100
