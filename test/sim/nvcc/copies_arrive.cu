// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdint>

// An mbarrier that small copies arrive at when they are done.
extern "C" __global__ void copies_arrive(const unsigned *in, unsigned *out, int rounds) {
  __shared__ unsigned slots[64];
  __shared__ alignas(8) uint64_t barrier;
  unsigned t = threadIdx.x, at = __cvta_generic_to_shared(&barrier), sum = 0;
  if (t == 0)
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 64;" ::"r"(at) : "memory");
  __syncthreads();
  for (int r = 0; r < rounds; ++r) {
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(
                     (unsigned)__cvta_generic_to_shared(&slots[t])),
                 "l"(in + r * 64 + t)
                 : "memory");
    asm volatile("cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%0];" ::"r"(at) : "memory");
    asm volatile(
        "{ .reg .pred p; again: mbarrier.test_wait.parity.shared::cta.b64 p, [%0], %1; @!p "
        "bra again; }" ::"r"(at),
        "r"(r & 1)
        : "memory");
    sum = sum * 7 + slots[63 - t];
    __syncthreads();
  }
  out[t] = sum;
}
