// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Approximations.
extern "C" __global__ void fast_math(const float *in, float *out) {
  unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
  float x = in[t], *mine = out + 8 * t;
  mine[0] = __sinf(x), mine[1] = __cosf(x), mine[2] = __expf(x), mine[3] = __logf(fabsf(x) + 1);
  mine[4] = rsqrtf(fabsf(x) + 0.5f), mine[5] = __fdividef(x, 3.7f), mine[6] = tanhf(x),
  mine[7] = __powf(fabsf(x) + 1, 1.3f);
}
