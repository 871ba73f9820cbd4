// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sums of warps by shuffles, then of the block.
extern "C" __global__ void reduce_shuffle(const float *in, float *out) {
  __shared__ float sums[8];
  float x = in[blockIdx.x * 256 + threadIdx.x];
  for (int step = 16; step; step /= 2)
    x += __shfl_down_sync(~0u, x, step);
  if (threadIdx.x % 32 == 0)
    sums[threadIdx.x / 32] = x;
  __syncthreads();
  if (threadIdx.x < 8) {
    x = sums[threadIdx.x];
    for (int step = 4; step; step /= 2)
      x += __shfl_xor_sync(0xff, x, step, 8);
    if (threadIdx.x == 0)
      out[blockIdx.x] = x;
  }
}
