// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rounding modes of f32.
extern "C" __global__ void exact_math(const float *a, const float *b, float *out) {
  unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
  float x = a[t], y = b[t], *mine = out + 8 * t;
  mine[0] = __fadd_rd(x, y), mine[1] = __fmul_ru(x, y), mine[2] = __fmaf_rz(x, y, x),
  mine[3] = __fdiv_rn(x, y);
  mine[4] = __fsqrt_rn(fabsf(x)), mine[5] = __frcp_ru(y), mine[6] = truncf(x) + rintf(y),
  mine[7] = __saturatef(x) + fminf(x, y);
}
