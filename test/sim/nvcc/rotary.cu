// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cuda_fp16.h>

// Pairs of halves turned by angles whose cosines and sines are a table.
extern "C" __global__ void rotary(const __half2 *in, const float2 *table, __half2 *out, int pairs) {
  int t = blockIdx.x * blockDim.x + threadIdx.x, position = t / pairs, pair = t % pairs;
  float2 x = __half22float2(in[t]), w = table[position * pairs + pair];
  float a = fmaf(x.x, w.x, -__fmul_rn(x.y, w.y)), b = fmaf(x.x, w.y, __fmul_rn(x.y, w.x));
  out[t] = __floats2half2_rn(a, b);
}
