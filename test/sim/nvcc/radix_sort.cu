// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sorts a block's numbers by digits of four bits, the lowest first; places by counts of each digit.
extern "C" __global__ void radix_sort(unsigned *numbers) {
  __shared__ unsigned counts[16][128], values[128];
  unsigned t = threadIdx.x, *mine = numbers + blockIdx.x * 128, x = mine[t];
  for (unsigned shift = 0; shift < 32; shift += 4) {
    unsigned digit = x >> shift & 15;
    for (unsigned d = 0; d < 16; ++d)
      counts[d][t] = d == digit;
    __syncthreads();
    if (t < 16) {
      unsigned sum = 0;
      for (unsigned i = 0; i < 128; ++i) {
        unsigned c = counts[t][i];
        counts[t][i] = sum, sum += c;
      }
      values[t] = sum;
    }
    __syncthreads();
    unsigned place = counts[digit][t];
    for (unsigned d = 0; d < digit; ++d)
      place += values[d];
    __syncthreads();
    values[place] = x;
    __syncthreads();
    x = values[t];
    __syncthreads();
  }
  mine[t] = x;
}
