// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cuda_fp4.h>
#include <cuda_fp6.h>
#include <cuda_fp8.h>

// Reals as numbers of 8, 6 and 4 bits and back through halves.
extern "C" __global__ void narrow_floats(const float *in, unsigned char *codes, float *out) {
  unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
  float x = in[t] * (1 << t % 10) * 0.25f;
  __nv_fp6_e2m3 a(x);
  __nv_fp6_e3m2 b(x);
  __nv_fp4_e2m1 c(x);
  __nv_fp8_e4m3 d(__float2half(x));
  codes[4 * t] = a.__x, codes[4 * t + 1] = b.__x, codes[4 * t + 2] = c.__x,
            codes[4 * t + 3] = d.__x;
  out[4 * t] = float(a), out[4 * t + 1] = float(b), out[4 * t + 2] = float(c),
          out[4 * t + 3] = float(d);
}
