// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Counts of bytes: in shared memory, then added to global memory.
extern "C" __global__ void histogram_shared(const unsigned *in, unsigned *counts) {
  __shared__ unsigned mine[256];
  mine[threadIdx.x] = 0;
  __syncthreads();
  unsigned word = in[blockIdx.x * 256 + threadIdx.x];
  for (int i = 0; i < 4; ++i)
    atomicAdd(&mine[word >> (8 * i) & 255], 1);
  __syncthreads();
  atomicAdd(&counts[threadIdx.x], mine[threadIdx.x]);
}
