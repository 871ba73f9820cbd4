// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdint>

// One warp copies pieces of 1 KiB through a ring of four with bulk copies; the others double them.
extern "C" __global__ void bulk_pipeline(const unsigned *in, unsigned *out, int pieces) {
  __shared__ alignas(128) unsigned ring[4][256];
  __shared__ alignas(8) uint64_t full[4], empty[4];
  auto address = [](const void *p) { return uint32_t(__cvta_generic_to_shared(p)); };
  auto wait = [&](uint64_t *barrier, unsigned parity) {
    asm volatile("{ .reg .pred p; again: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1; @!p "
                 "bra again; }" ::"r"(address(barrier)),
                 "r"(parity)
                 : "memory");
  };
  if (threadIdx.x == 0) {
    for (int i = 0; i < 4; ++i) {
      asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(address(&full[i])) : "memory");
      asm volatile("mbarrier.init.shared::cta.b64 [%0], 64;" ::"r"(address(&empty[i])) : "memory");
    }
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
  __syncthreads();
  if (threadIdx.x >= 64) {
    if (threadIdx.x == 64)
      for (int p = 0; p < pieces; ++p) {
        int slot = p % 4;
        if (p >= 4)
          wait(&empty[slot], (p / 4 - 1) & 1);
        asm volatile(
            "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 1024;" ::"r"(address(&full[slot]))
            : "memory");
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], "
                     "[%1], 1024, [%2];" ::"r"(address(ring[slot])),
                     "l"(in + p * 256), "r"(address(&full[slot]))
                     : "memory");
      }
  } else
    for (int p = 0; p < pieces; ++p) {
      int slot = p % 4;
      wait(&full[slot], p / 4 & 1);
      for (int i = threadIdx.x; i < 256; i += 64)
        out[p * 256 + i] = 2 * ring[slot][i];
      asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(address(&empty[slot]))
                   : "memory");
    }
}
