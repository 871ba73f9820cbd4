// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
__constant__ int table[4][3] = {{2, -3, 5}, {7, -11, 13}, {-17, 19, 23}, {29, 31, -37}};
__constant__ float reals[5] = {0.5f, 1.5f, -2.5f, 8, 1e-3f};
__device__ unsigned start = 41;
__device__ const char word[] = "tessera";

// Tables in constant memory, indexed by data, and variables of the program.
extern "C" __global__ void constant_tables(const unsigned *in, int *out, float *more) {
  unsigned t = blockIdx.x * blockDim.x + threadIdx.x, x = in[t];
  int sum = start;
  for (int i = 0; i < 3; ++i)
    sum = sum * 3 + table[x >> 2 * i & 3][(x + i) % 3];
  out[t] = sum + word[x % 7];
  more[t] = reals[x % 5] * sum;
}
