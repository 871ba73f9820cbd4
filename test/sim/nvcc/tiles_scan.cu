// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cooperative_groups.h>
#include <cooperative_groups/scan.h>

namespace cg = cooperative_groups;

// Running sums and products of tiles of 16 threads, the own number in and out.
extern "C" __global__ void tiles_scan(const unsigned *in, unsigned *out) {
  cg::thread_block block = cg::this_thread_block();
  auto tile = cg::tiled_partition<16>(block);
  unsigned at = blockIdx.x * blockDim.x + block.thread_rank(), x = in[at];
  unsigned with = cg::inclusive_scan(tile, x), before = cg::exclusive_scan(tile, x);
  unsigned most = cg::inclusive_scan(tile, x, cg::greater<unsigned>());
  unsigned product = cg::inclusive_scan(tile, x | 1, [](unsigned a, unsigned b) { return a * b; });
  out[at] = with ^ before * 3 ^ most * 5 ^ product * 7;
}
