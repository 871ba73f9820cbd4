// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdint>

// Bulk copies back to global memory: one that stores, one that adds, one that keeps the largest.
extern "C" __global__ void bulk_sums(const unsigned *in, unsigned *stored, unsigned *sums,
                                     unsigned *largest) {
  __shared__ alignas(128) unsigned piece[128];
  unsigned t = threadIdx.x, at = __cvta_generic_to_shared(piece);
  piece[t] = in[blockIdx.x * 128 + t];
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
  if (t == 0) {
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], 512;" ::"l"(
                     stored + blockIdx.x * 128),
                 "r"(at)
                 : "memory");
    asm volatile(
        "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%0], [%1], 512;" ::"l"(sums),
        "r"(at)
        : "memory");
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
    asm volatile(
        "cp.reduce.async.bulk.global.shared::cta.bulk_group.max.u32 [%0], [%1], 256;" ::"l"(
            largest),
        "r"(at + 256)
        : "memory");
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
    asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
  }
}
