// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sorts 512 numbers of each block.
extern "C" __global__ void bitonic_sort(unsigned *data) {
  __shared__ unsigned keys[512];
  unsigned *mine = data + blockIdx.x * 512, t = threadIdx.x;
  keys[t] = mine[t], keys[t + 256] = mine[t + 256];
  for (unsigned size = 2; size <= 512; size *= 2)
    for (unsigned step = size / 2; step; step /= 2) {
      __syncthreads();
      unsigned low = 2 * t - (t & (step - 1)), high = low + step;
      bool up = !(low & size);
      unsigned a = keys[low], b = keys[high];
      if ((a > b) == up)
        keys[low] = b, keys[high] = a;
    }
  __syncthreads();
  mine[t] = keys[t], mine[t + 256] = keys[t + 256];
}
