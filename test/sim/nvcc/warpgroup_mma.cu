// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cuda_fp16.h>

// A warpgroup multiplies 64 x 16 by 16 x 8 halves that lie in shared memory as rows of 16 bytes of
// matrices of 8 x 8, named by descriptors; small integers.
extern "C" __global__ void warpgroup_mma(const __half *a, const __half *b, float *d) {
  __shared__ alignas(128) __half left[2][64][8], right[2][8][8];
  unsigned t = threadIdx.x;
  for (int i = t; i < 64 * 16; i += 128)
    left[i % 16 / 8][i / 16][i % 8] = a[i];
  if (t < 128)
    right[t % 16 / 8][t / 16][t % 8] = b[t];
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
  auto descriptor = [](const void *p, unsigned long long along, unsigned long long across) {
    return (unsigned long long)((__cvta_generic_to_shared(p) & 0x3ffff) >> 4) | along >> 4 << 16 |
           across >> 4 << 32;
  };
  float r[4] = {};
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
  asm volatile(
      "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0,%1,%2,%3}, %4, %5, 1, 1, 1, 0, 0;"
      : "+f"(r[0]), "+f"(r[1]), "+f"(r[2]), "+f"(r[3])
      : "l"(descriptor(left, 1024, 128)), "l"(descriptor(right, 128, 128)));
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
  asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
  float *D = d + (t / 32 * 16 + t % 32 / 4) * 8 + t % 4 * 2;
  D[0] = r[0], D[1] = r[1], D[64] = r[2], D[65] = r[3];
}
