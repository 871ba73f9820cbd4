// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Neighbours exchange where they are in the wrong order, as signed numbers.
extern "C" __global__ void odd_even_sort(int *numbers) {
  __shared__ int row[128];
  int t = threadIdx.x, *mine = numbers + blockIdx.x * 128;
  row[t] = mine[t], row[t + 64] = mine[t + 64];
  for (int step = 0; step < 128; ++step) {
    __syncthreads();
    int i = 2 * t + (step & 1);
    if (i + 1 < 128 && row[i] > row[i + 1]) {
      int swap = row[i];
      row[i] = row[i + 1], row[i + 1] = swap;
    }
  }
  __syncthreads();
  mine[t] = row[t], mine[t + 64] = row[t + 64];
}
