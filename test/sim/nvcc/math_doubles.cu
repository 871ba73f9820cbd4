// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions of doubles; each as a single, and 2^24 times what that leaves.
extern "C" __global__ void math_doubles(const double *in, float *out) {
  unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
  double x = in[t], a = fabs(x);
  const double all[] = {exp(x),          sin(x * 50),  cos(x),          log(a + 0.1),
                        pow(a + 0.5, x), tanh(x),      erf(x),          cbrt(x),
                        atan(x * 3),     exp2(x),      log2(a + 1),     sinh(x),
                        acos(x),         asinh(x * 4), lgamma(a + 1.5), tgamma(a + 1)};
  for (int i = 0; i < 16; ++i) {
    float rounded = (float)all[i];
    out[32 * t + 2 * i] = rounded, out[32 * t + 2 * i + 1] = (float)((all[i] - rounded) * 0x1p24);
  }
}
