// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cuda_fp16.h>

// half2: fused products, the larger of two, comparison, conversion.
extern "C" __global__ void halves(const __half2 *a, const __half2 *b, __half2 *out, float *sums) {
  unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
  __half2 x = a[t], y = b[t], z = __hfma2(x, y, x);
  z = __hmax2(z, __hsub2(y, x));
  if (__hbgt2(x, y))
    z = __hneg2(z);
  out[t] = z;
  sums[t] = __low2float(z) + __high2float(z) + __half2float(__float2half_rz(__low2float(y) * 0.3f));
}
