// Instructions as functions, in a file of their own: a report is at the line that calls them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

__device__ unsigned shared32(const void *p) { return unsigned(__cvta_generic_to_shared(p)); }
__device__ void start(uint64_t &bar, unsigned count) {
  asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(shared32(&bar)), "r"(count) : "memory");
}
__device__ void arrive(uint64_t &bar) {
  asm volatile("mbarrier.arrive.shared.b64 _, [%0];" ::"r"(shared32(&bar)) : "memory");
}
__device__ void arriveEarly(uint64_t &bar) {
  asm volatile("mbarrier.arrive.noComplete.shared.b64 _, [%0], 1;" ::"r"(shared32(&bar))
               : "memory");
}
__device__ void awaitPhase(uint64_t &bar, unsigned parity) {
  asm volatile(
      "{ .reg .pred p; W: mbarrier.try_wait.parity.shared.b64 p, [%0], %1; @!p bra W; }" ::"r"(
          shared32(&bar)),
      "r"(parity)
      : "memory");
}
__device__ void fetch(int *to, const int *from, uint64_t &bar, unsigned expected) {
  asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(shared32(&bar)),
               "r"(expected)
               : "memory");
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 256, "
               "[%2];" ::"r"(shared32(to)),
               "l"(from), "r"(shared32(&bar))
               : "memory");
}
__device__ void send(int *to, const int *from) {
  asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], 256;" ::"l"(to),
               "r"(shared32(from))
               : "memory");
  asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}
__device__ void fetch16(int *to, const int *from) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared32(to)), "l"(from));
}
__device__ int rows(const char *from) {
  int a, b;
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];"
               : "=r"(a), "=r"(b)
               : "r"(shared32(from)));
  return a + b;
}
__device__ void proxyFence() { asm volatile("fence.proxy.async;" ::: "memory"); }
