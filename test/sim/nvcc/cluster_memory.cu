// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

// Blocks of a cluster of four read each other's shared memory.
extern "C" __global__ void __cluster_dims__(4, 1, 1)
    cluster_memory(const unsigned *in, unsigned *out) {
  __shared__ unsigned mine[64];
  cg::cluster_group cluster = cg::this_cluster();
  unsigned t = threadIdx.x, rank = cluster.block_rank();
  mine[t] = in[blockIdx.x * 64 + t];
  cluster.sync();
  unsigned sum = 0;
  for (unsigned r = 0; r < 4; ++r)
    sum = sum * 5 + cluster.map_shared_rank(mine, (rank + r) % 4)[t ^ r];
  cluster.sync();
  atomicAdd(cluster.map_shared_rank(&mine[t], rank ^ 1), sum);
  cluster.sync();
  out[blockIdx.x * 64 + t] = mine[t];
}
