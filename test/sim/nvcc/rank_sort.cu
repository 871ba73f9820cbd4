// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The place of a number is how many are less, or equal and before it.
extern "C" __global__ void rank_sort(const unsigned char *keys, unsigned *order, int n) {
  extern __shared__ unsigned char bytes[];
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    bytes[i] = keys[i];
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x, rank = 0;
  for (int j = 0; j < n; ++j)
    rank += bytes[j] < bytes[i] || (bytes[j] == bytes[i] && j < i);
  order[rank] = i;
}
