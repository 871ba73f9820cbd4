// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Numbers taken apart and put together: exponents, remainders, neighbours, signs, roundings.
extern "C" __global__ void real_parts(const float *a, const float *b, float *out, int *integers) {
  int t = blockIdx.x * blockDim.x + threadIdx.x, e;
  float x = a[t] * (t % 5 ? 100 : 1e-3f), y = b[t], *mine = out + 12 * t;
  mine[0] = frexpf(x, &e), mine[1] = ldexpf(y, t % 300 - 150), mine[2] = fmodf(x, y);
  mine[3] = remainderf(x, y), mine[4] = nextafterf(x, y), mine[5] = copysignf(x, y);
  mine[6] = fdimf(x, y), mine[7] = rintf(x), mine[8] = roundf(x), mine[9] = scalbnf(x, -140);
  mine[10] = modff(x, mine + 11);
  integers[4 * t] = e, integers[4 * t + 1] = ilogbf(x);
  integers[4 * t + 2] = (int)lroundf(x) * 2 + !!isfinite(x / (t % 7)) + 4 * !!signbit(y);
  integers[4 * t + 3] = isnan(sqrtf(x)) + 2 * isinf(1 / (y * (t % 3)));
}
