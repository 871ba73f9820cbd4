// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cuda_bf16.h>
#include <cuda_fp16.h>

// Sums of singles, doubles, halves and bfloats by atomics; all numbers are so small that they are
// exact in any order.
extern "C" __global__ void atomic_reals(const signed char *in, float *sum, double *wide,
                                        __half2 *pair, __half *half, __nv_bfloat162 *bfloats,
                                        float *larger) {
  unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
  float x = in[t] * 0.25f, y = (in[t] & 3) * 0.5f;
  atomicAdd(sum, x), atomicAdd(wide, (double)x * 1.25);
  atomicAdd(pair, __floats2half2_rn(y, -y)), atomicAdd(half, __float2half(y));
  atomicAdd(bfloats, __floats2bfloat162_rn(in[t] & 1, 0.5f * (in[t] & 1)));
  float old = *(volatile float *)larger; // compare and swap until nobody has come between
  while (old < x) {
    unsigned seen = atomicCAS((unsigned *)larger, __float_as_uint(old), __float_as_uint(x));
    if (seen == __float_as_uint(old))
      break;
    old = __uint_as_float(seen);
  }
}
