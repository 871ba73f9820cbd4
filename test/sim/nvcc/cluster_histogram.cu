// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

// A histogram spread over the shared memory of a cluster, counted by atomics from afar.
extern "C" __global__ void __cluster_dims__(4, 1, 1)
    cluster_histogram(const unsigned char *in, unsigned *out) {
  __shared__ unsigned counts[64];
  cg::cluster_group cluster = cg::this_cluster();
  unsigned t = threadIdx.x;
  counts[t] = 0;
  cluster.sync();
  for (int i = 0; i < 16; ++i) {
    unsigned x = in[(blockIdx.x * 64 + t) * 16 + i];
    atomicAdd(cluster.map_shared_rank(&counts[x % 64], x / 64), 1);
  }
  cluster.sync();
  atomicAdd(&out[cluster.block_rank() * 64 + t], counts[t]);
}
