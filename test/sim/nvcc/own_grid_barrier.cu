// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A barrier of the grid made of one counter that only grows.
__device__ void everyone(unsigned *arrived, unsigned count) {
  __syncthreads();
  if (threadIdx.x == 0) {
    __threadfence();
    atomicAdd(arrived, 1);
    while (*(volatile unsigned *)arrived < count)
      ;
    __threadfence();
  }
  __syncthreads();
}
extern "C" __global__ void own_grid_barrier(unsigned *values, unsigned *sums, unsigned *arrived) {
  unsigned at = blockIdx.x * blockDim.x + threadIdx.x, size = gridDim.x * blockDim.x;
  for (unsigned step = 1; step <= 3; ++step) {
    sums[at] = values[at] + values[(at + 77 * step) % size];
    everyone(arrived, (2 * step - 1) * gridDim.x);
    values[at] = sums[size - 1 - at];
    everyone(arrived, 2 * step * gridDim.x);
  }
}
