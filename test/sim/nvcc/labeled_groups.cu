// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

namespace cg = cooperative_groups;

// Threads of a warp with the same label form a group that adds, and knows ranks.
extern "C" __global__ void labeled_groups(const unsigned *in, unsigned *out) {
  auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  unsigned at = blockIdx.x * blockDim.x + threadIdx.x, x = in[at];
  cg::coalesced_group same = cg::labeled_partition(warp, x % 5);
  unsigned sum = cg::reduce(same, x, cg::plus<unsigned>());
  out[at] = sum * 31 + same.thread_rank() * 7 + same.size() + same.shfl(x, 0);
}
