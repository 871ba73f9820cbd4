// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sums of blocks, by halves in shared memory.
extern "C" __global__ void reduce_shared(const unsigned *in, unsigned *out) {
  __shared__ unsigned sums[256];
  sums[threadIdx.x] = in[blockIdx.x * 256 + threadIdx.x];
  for (unsigned half = 128; half; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half)
      sums[threadIdx.x] += sums[threadIdx.x + half];
  }
  if (threadIdx.x == 0)
    out[blockIdx.x] = sums[0];
}
