// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Digits in an array of each thread, indexed by what they are.
extern "C" __global__ void local_array(const unsigned *in, unsigned *out) {
  unsigned t = blockIdx.x * blockDim.x + threadIdx.x, counts[16] = {};
  for (unsigned x = in[t]; x; x /= 10)
    ++counts[x % 10];
  unsigned code = 0;
  for (int d = 9; d >= 0; --d)
    code = code * 3 + counts[(d * 7 + t) % 10];
  out[t] = code;
}
