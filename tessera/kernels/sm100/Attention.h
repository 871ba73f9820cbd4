// The attention of Blackwell, for configurations whose target has tensor memory.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A block has 128 queries for each consumer, which are four warps: a thread has a row of scores, so
// that no lanes exchange anything. One warp loads Q, K and V by TMA, one multiplies (tcgen05.mma):
// S = Q K^T into tensor memory, and O += P V with P there too, in the columns of S that the
// consumer has read. Products of the consumers take turns, so that the softmax of one is beside
// those of the other. O is scaled down only where the largest score grew so much that the
// exponentials of a row would get too large otherwise.
#pragma once

#include "tessera/kernels/sm90/Attention.h"

namespace tessera::kernels::sm100 {

/// Why there is no such kernel, of what Hopper's has in common with it all being well.
std::optional<Reason> refusedAttention(const AttentionConfig &);
void buildAttention(const AttentionConfig &);

} // namespace tessera::kernels::sm100
