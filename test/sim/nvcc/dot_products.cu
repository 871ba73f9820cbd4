// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products of four bytes and of two halves.
extern "C" __global__ void dot_products(const int *a, const int *b, int *out) {
  unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
  int x = __dp4a(a[t], b[t], 100);
  unsigned y = __dp4a((unsigned)a[t], (unsigned)b[t], 7u);
  out[t] = x ^ (int)y ^ __dp2a_lo(a[t], b[t], x) ^ __dp2a_hi(b[t], a[t], 3);
}
