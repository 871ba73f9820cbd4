// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cooperative_groups.h>
#include <cstdint>

namespace cg = cooperative_groups;

// Each block of a cluster fetches one piece and has it copied into the shared memory of all.
extern "C" __global__ void __cluster_dims__(2, 1, 1)
    cluster_multicast(const unsigned *in, unsigned *out) {
  __shared__ alignas(128) unsigned pieces[2][64];
  __shared__ alignas(8) uint64_t barrier;
  cg::cluster_group cluster = cg::this_cluster();
  unsigned t = threadIdx.x, rank = cluster.block_rank();
  unsigned bar = __cvta_generic_to_shared(&barrier);
  if (t == 0) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(bar) : "memory");
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 512;" ::"r"(bar) : "memory");
  }
  cluster.sync();
  if (t == 0)
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes"
                 ".multicast::cluster [%0], [%1], 256, [%2], %3;" ::"r"(
                     (unsigned)__cvta_generic_to_shared(pieces[rank])),
                 "l"(in + (blockIdx.x / 2 * 2 + rank) * 64), "r"(bar), "h"((short)3)
                 : "memory");
  asm volatile(
      "{ .reg .pred p; again: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], 0; @!p bra "
      "again; }" ::"r"(bar)
      : "memory");
  out[blockIdx.x * 64 + t] = pieces[0][t] + 5 * pieces[1][63 - t] + rank;
  cluster.sync();
}
