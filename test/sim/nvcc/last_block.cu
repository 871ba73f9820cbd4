// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sums of blocks; the block that is done last adds them up.
extern "C" __global__ void last_block(const unsigned *in, unsigned *partial, unsigned *count,
                                      unsigned *total) {
  __shared__ bool last;
  unsigned sum = __reduce_add_sync(~0u, in[blockIdx.x * 32 + threadIdx.x]);
  if (threadIdx.x == 0) {
    partial[blockIdx.x] = sum;
    __threadfence();
    last = atomicInc(count, gridDim.x - 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (last) {
    __threadfence();
    sum = __reduce_add_sync(
        ~0u, threadIdx.x < gridDim.x ? ((volatile unsigned *)partial)[threadIdx.x] : 0);
    if (threadIdx.x == 0)
      *total = sum;
  }
}
