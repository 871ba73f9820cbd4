// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cuda_bf16.h>

// bf16: products in single precision, rounded once.
extern "C" __global__ void bfloats(const float *a, const float *b, __nv_bfloat16 *out) {
  unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
  __nv_bfloat16 x = __float2bfloat16(a[t]), y = __float2bfloat16_rz(b[t]);
  out[2 * t] = __hfma(x, y, x);
  out[2 * t + 1] = __hmin(x, y);
}
