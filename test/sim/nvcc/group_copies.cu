// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>

namespace cg = cooperative_groups;

// Groups of a warp copy their rows by memcpy_async and wait for all but the last.
extern "C" __global__ void group_copies(const unsigned *in, unsigned *out) {
  __shared__ unsigned rows[4][2][40];
  auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  unsigned w = threadIdx.x / 32, lane = threadIdx.x % 32;
  for (int half = 0; half < 2; ++half)
    cg::memcpy_async(warp, rows[w][half], in + (w * 2 + half) * 40, 160);
  cg::wait_prior<1>(warp);
  unsigned sum = rows[w][0][39 - lane];
  cg::wait(warp);
  out[threadIdx.x] = sum * 3 + rows[w][1][lane + 8];
}
