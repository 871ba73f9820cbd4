// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

namespace cg = cooperative_groups;

// Sums of tiles of 8 threads; odd numbers are counted by the threads that came to the branch.
extern "C" __global__ void cooperative(const unsigned *in, unsigned *sums, unsigned *odd) {
  cg::thread_block block = cg::this_thread_block();
  auto tile = cg::tiled_partition<8>(block);
  unsigned at = blockIdx.x * blockDim.x + block.thread_rank(), x = in[at];
  unsigned sum = cg::reduce(tile, x, cg::plus<unsigned>());
  if (tile.thread_rank() == 0)
    sums[at / 8] = sum;
  if (x & 1) {
    cg::coalesced_group active = cg::coalesced_threads();
    if (active.thread_rank() == 0)
      atomicAdd(odd, active.size());
  }
}
