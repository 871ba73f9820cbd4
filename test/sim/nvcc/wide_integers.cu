// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// 64-bit integers: division, the high half of products, bits.
extern "C" __global__ void wide_integers(const unsigned long long *a, const unsigned long long *b,
                                         unsigned long long *out) {
  unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned long long x = a[t], y = b[t] | 1;
  unsigned long long z = x / y + x % y * 3 + __umul64hi(x, y);
  z ^= (unsigned long long)((long long)x / (long long)y) ^
       (unsigned long long)__mul64hi((long long)x, (long long)y);
  out[t] = z + __clzll(x) + (__popcll(y) << 8) + __brevll(x) + __ffsll(y);
}
