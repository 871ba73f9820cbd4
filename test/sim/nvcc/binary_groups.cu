// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

// A tile falls into two groups by a predicate; each votes and passes numbers around.
extern "C" __global__ void binary_groups(const unsigned *in, unsigned *out) {
  auto tile = cg::tiled_partition<16>(cg::this_thread_block());
  unsigned at = blockIdx.x * blockDim.x + threadIdx.x, x = in[at];
  cg::coalesced_group half = cg::binary_partition(tile, (x & 2) != 0);
  unsigned next = half.shfl(x, (half.thread_rank() + 1) % half.size());
  unsigned odd = half.ballot(x & 1), some = half.any(x % 7 == 0), all = half.all(x > 1000);
  out[at] =
      next + odd * 3 + some * 5 + all * 7 + tile.meta_group_rank() * 1000 + tile.match_any(x & 1);
}
