// Gradients of attention by products of warps, for targets without those of warpgroups.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/kernels/attention/AttentionBackward.h"

namespace tessera::kernels::sm80 {

/// Why there is no such kernel, beyond what refused() checks for all targets.
std::optional<Reason> refusedAttentionBackward(const AttentionBackwardConfig &);
void buildAttentionBackward(const AttentionBackwardConfig &);

} // namespace tessera::kernels::sm80
