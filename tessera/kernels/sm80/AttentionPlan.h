// AttentionPlan: the shared memory of a block of attention by products of warps. For the parts of
// the kernel only.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/kernels/attention/AttentionMemory.h"

namespace tessera::kernels::sm80 {

/// Tiles are SlicedTile's, and there are no barriers. Sums of few queries take the place of tiles.
struct AttentionPlan : AttentionMemory {
  explicit AttentionPlan(const AttentionConfig &);
  dsl::Region parked; // four words that wait for the result
};

} // namespace tessera::kernels::sm80
