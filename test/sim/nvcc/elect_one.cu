// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One lane of each warp, and of half a warp, is elected and adds.
extern "C" __global__ void elect_one(const unsigned *in, unsigned *out) {
  auto elected = [](unsigned mask) {
    unsigned is;
    asm volatile("{ .reg .pred p; elect.sync _|p, %1; selp.u32 %0, 1, 0, p; }"
                 : "=r"(is)
                 : "r"(mask));
    return is;
  };
  unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  if (elected(~0u))
    atomicAdd(&out[warp], in[warp]);
  if (lane < 16) {
    if (elected(0x0000ffff))
      atomicAdd(&out[8], 1);
  } else if (elected(0xffff0000))
    atomicAdd(&out[9], 2);
}
