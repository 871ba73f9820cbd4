// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cooperative_groups.h>
#include <cstdint>

namespace cg = cooperative_groups;

// Blocks of a cluster send numbers into the next one's shared memory; its mbarrier counts bytes.
extern "C" __global__ void __cluster_dims__(4, 1, 1)
    cluster_messages(const unsigned *in, unsigned *out) {
  __shared__ alignas(16) unsigned inbox[64];
  __shared__ alignas(8) uint64_t barrier;
  cg::cluster_group cluster = cg::this_cluster();
  unsigned t = threadIdx.x, next = (cluster.block_rank() + 1) % 4;
  unsigned bar = __cvta_generic_to_shared(&barrier),
           slot = __cvta_generic_to_shared(&inbox[63 - t]);
  if (t == 0) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(bar) : "memory");
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 256;" ::"r"(bar) : "memory");
  }
  cluster.sync();
  unsigned there, thereBar;
  asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(slot), "r"(next));
  asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(thereBar) : "r"(bar), "r"(next));
  asm volatile(
      "st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%0], %1, [%2];" ::"r"(there),
      "r"(in[blockIdx.x * 64 + t] * 3), "r"(thereBar)
      : "memory");
  asm volatile(
      "{ .reg .pred p; again: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], 0; @!p bra "
      "again; }" ::"r"(bar)
      : "memory");
  out[blockIdx.x * 64 + t] = inbox[t];
  cluster.sync();
}
