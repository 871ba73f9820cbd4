// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cuda_fp16.h>

// Pairs of halves: fused sums, rectified ones, comparisons, minima with and without NaN, whole
// numbers.
extern "C" __global__ void half_pairs(const __half2 *a, const __half2 *b, __half2 *out,
                                      unsigned *masks) {
  unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
  __half2 x = a[t], y = b[t], *mine = out + 8 * t;
  mine[0] = __hfma2(x, y, y), mine[1] = __hfma2_relu(x, y, x), mine[2] = __hadd2_sat(x, y);
  mine[3] = __hmin2(x, y), mine[4] = __hmax2_nan(x, y), mine[5] = __hmul2(x, y);
  mine[6] = __hsub2(__hneg2(x), __habs2(y)), mine[7] = h2rint(__hmul2(x, __float2half2_rn(8)));
  masks[2 * t] = __hgt2_mask(x, y);
  masks[2 * t + 1] = __half2int_rd(__low2half(x) * __float2half(9)) * 16 + (__hbeq2(x, y) ? 1 : 0) +
                     (__hblt2(x, y) ? 2 : 0) + (__hisnan(__low2half(x)) ? 4 : 0);
}
