// The start of a block.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/kernels/gemm/GemmBlock.h"

using namespace tessera;
using namespace tessera::dsl;
using namespace tessera::kernels;

void GemmBlock::begin(const GemmParameters &parameters) {
  given = parameters;
  static_cast<ThreadIds &>(*this) = ThreadIds::here();
  plan.memory.open();
  rank = c.clusterBlocks() > 1 ? block_rank_in_cluster() : i32(0);
}
