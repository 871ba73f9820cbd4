// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cuda_pipeline.h>

// Two stages of cp.async: the next tile comes while this one is added up.
extern "C" __global__ void async_copies(const unsigned *in, unsigned *out, int tiles) {
  __shared__ alignas(16) unsigned stage[2][512];
  unsigned t = threadIdx.x, sum = 0;
  const unsigned *mine = in + blockIdx.x * tiles * 512;
  __pipeline_memcpy_async(&stage[0][4 * t], mine + 4 * t, 16);
  __pipeline_commit();
  for (int i = 0; i < tiles; ++i) {
    if (i + 1 < tiles)
      __pipeline_memcpy_async(&stage[(i + 1) & 1][4 * t], mine + (i + 1) * 512 + 4 * t, 16);
    __pipeline_commit();
    __pipeline_wait_prior(1);
    __syncthreads();
    for (int k = 0; k < 4; ++k)
      sum = sum * 31 + stage[i & 1][(t + k * 128) ^ 5];
    __syncthreads();
  }
  out[blockIdx.x * 128 + t] = sum;
}
