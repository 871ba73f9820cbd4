// What is said of kernels and of the device agrees with itself.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Program.h"

__global__ void small(int *x) { x[threadIdx.x] = 1; }
__global__ void __launch_bounds__(96) bounded(int *x) { x[threadIdx.x] = 1; }
__global__ void large(int *x) {
  __shared__ int shared[8000];
  shared[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  x[threadIdx.x] = shared[threadIdx.x ^ 1];
}

int main() {
  cudaDeviceProp p;
  int count = 0, blocks = 0, fewer = 0, grid = 0, block = 0;
  CHECK(cudaGetDeviceCount(&count));
  REQUIRE(count == 1);
  CHECK(cudaGetDeviceProperties(&p, 0));
  REQUIRE(p.warpSize == 32 && p.maxThreadsPerBlock == 1024 && p.multiProcessorCount > 0 &&
          p.totalGlobalMem > 1u << 30);
  CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, small, 1024, 0));
  REQUIRE(blocks == p.maxThreadsPerMultiProcessor / 1024);
  CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, small, 32, 0));
  REQUIRE(blocks == p.maxBlocksPerMultiProcessor);
  CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&fewer, large, 32, 0));
  REQUIRE(fewer == int(p.sharedMemPerMultiprocessor / (32000 + p.reservedSharedMemPerBlock)));
  CHECK(cudaOccupancyMaxPotentialBlockSize(&grid, &block, small));
  REQUIRE(block > 0 && block % 32 == 0 && grid % p.multiProcessorCount == 0);
  cudaFuncAttributes of;
  CHECK(cudaFuncGetAttributes(&of, large));
  REQUIRE(of.sharedSizeBytes == 32000 && of.maxThreadsPerBlock == 1024 && of.numRegs > 0);
  CHECK(cudaFuncGetAttributes(&of, bounded));
  REQUIRE(of.maxThreadsPerBlock == 96);
  int *x = upload(std::vector<int>(1024));
  bounded<<<1, 128>>>(x);
  REQUIRE(cudaGetLastError() == cudaErrorInvalidValue);
  small<<<1, 1025>>>(x);
  REQUIRE(cudaGetLastError() == cudaErrorInvalidValue);
  small<<<0, 32>>>(x);
  REQUIRE(cudaGetLastError() == cudaErrorInvalidValue);
  size_t free = 0, total = 0;
  CHECK(cudaMemGetInfo(&free, &total));
  REQUIRE(free < total);
  return passed();
}
