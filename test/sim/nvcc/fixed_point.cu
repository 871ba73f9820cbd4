// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Numbers with 16 bits after the point: products, quotients, roots, means; 24-bit products.
extern "C" __global__ void fixed_point(const int *a, const int *b, int *out) {
  unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
  int x = a[t] >> 4, y = (b[t] >> 8) | 1;
  int product = (int)((long long)x * y >> 16), quotient = (int)(((long long)x << 16) / y);
  unsigned n = abs(x), root = 0;
  for (int bit = 15; bit >= 0; --bit) {
    unsigned next = root | 1u << bit;
    if (next * next <= n)
      root = next;
  }
  out[t] = product ^ quotient * 3 ^ root ^ __mul24(x, y) * 5 ^ __umul24(n, y) ^ __rhadd(x, y) ^
           (int)__mul64hi((long long)x << 30, (long long)y << 30);
}
