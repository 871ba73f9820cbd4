// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions that the library makes with ex2, rcp, rsqrt or sqrt of the hardware.
extern "C" __global__ void math_approximate(const float *in, float *out) {
  unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
  float x = in[t], a = fabsf(x), *mine = out + 16 * t;
  mine[0] = expf(x), mine[1] = powf(a + 0.5f, x), mine[2] = erff(x), mine[3] = tgammaf(a + 1);
  mine[4] = tanhf(x * 2), mine[5] = exp2f(x), mine[6] = exp10f(x), mine[7] = sinhf(x);
  mine[8] = asinf(x), mine[9] = acosf(x), mine[10] = normcdff(x), mine[11] = rsqrtf(a + 0.1f);
  mine[12] = tanf(x), mine[13] = cbrtf(x), mine[14] = atan2f(x, 0.3f), mine[15] = expm1f(x * 0.3f);
}
