// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Quotients and remainders of all widths, by constants and by numbers, with sign and without.
extern "C" __global__ void divisions(const unsigned *a, const unsigned *b, unsigned *out) {
  unsigned t = blockIdx.x * blockDim.x + threadIdx.x, x = a[t], y = b[t] >> t % 30 | 1;
  int s = (int)x, d = (int)y;
  unsigned sum = x / 7 + x % 10 * 3 + x / 641 + s / 3 + s % 100 + s / -8 + s / 16 % 5;
  sum = sum * 31 + x / y + x % y * 3;
  sum = sum * 31 + (d == -1 ? x : (unsigned)(s / d) + (unsigned)(s % d) * 3);
  short h = (short)x, g = (short)(y | 1);
  signed char c = (signed char)(x >> 8), e = (signed char)(y >> 3 | 1);
  sum = sum * 31 + (short)(h / g) + h % g + (c / e) * 7 + c % e;
  long long w = (long long)x * s, v = (long long)y * 77 + 1;
  out[t] =
      sum * 31 + (unsigned)(w / v) + (unsigned)(w % v) + (unsigned)((unsigned long long)w / 1000);
}
