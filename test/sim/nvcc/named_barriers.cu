// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Two pairs of warps, each with a barrier of its own; arrive and wait.
extern "C" __global__ void named_barriers(const unsigned *in, unsigned *out) {
  __shared__ unsigned box[2][32];
  unsigned pair = threadIdx.x / 64, lane = threadIdx.x % 32, t = pair * 32 + lane;
  if (threadIdx.x % 64 < 32) {
    box[pair][lane] = in[t] + 1;
    asm volatile("bar.arrive %0, 64;" ::"r"(pair + 1) : "memory");
  } else {
    asm volatile("bar.sync %0, 64;" ::"r"(pair + 1) : "memory");
    out[t] = box[pair][31 - lane];
  }
}
