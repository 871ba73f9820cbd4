// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cooperative_groups.h>
#include <cstdint>

namespace cg = cooperative_groups;

// A bulk copy from one block's shared memory into that of the other of its cluster.
extern "C" __global__ void __cluster_dims__(2, 1, 1)
    cluster_copies(const unsigned *in, unsigned *out) {
  __shared__ alignas(16) unsigned mine[64], theirs[64];
  __shared__ alignas(8) uint64_t barrier;
  cg::cluster_group cluster = cg::this_cluster();
  unsigned t = threadIdx.x, other = cluster.block_rank() ^ 1, there, thereBar;
  unsigned bar = __cvta_generic_to_shared(&barrier);
  mine[t] = in[blockIdx.x * 64 + t] + t;
  if (t == 0) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(bar) : "memory");
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 256;" ::"r"(bar) : "memory");
  }
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  cluster.sync();
  if (t == 0) {
    asm("mapa.shared::cluster.u32 %0, %1, %2;"
        : "=r"(there)
        : "r"((unsigned)__cvta_generic_to_shared(theirs)), "r"(other));
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(thereBar) : "r"(bar), "r"(other));
    asm volatile("cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%0], "
                 "[%1], 256, [%2];" ::"r"(there),
                 "r"((unsigned)__cvta_generic_to_shared(mine)), "r"(thereBar)
                 : "memory");
  }
  asm volatile(
      "{ .reg .pred p; again: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], 0; @!p bra "
      "again; }" ::"r"(bar)
      : "memory");
  out[blockIdx.x * 64 + t] = theirs[63 - t];
  cluster.sync();
}
