// Constant and device variables: copied to and from, by address, and pointers between them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Program.h"

__constant__ float weights[8] = {1, 1, 1, 1, 1, 1, 1, 1};
__device__ int counter = 41;
__device__ float results[8];
__device__ float *whereTo = results;

__global__ void apply(float x) {
  whereTo[threadIdx.x] = weights[threadIdx.x] * x;
  if (threadIdx.x == 0)
    atomicAdd(&counter, 1);
}

int main() {
  float back[8];
  apply<<<1, 8>>>(3);
  CHECK(cudaMemcpyFromSymbol(back, results, sizeof back));
  for (float value : back)
    REQUIRE(value == 3);
  float halves[4] = {0.5f, 1.5f, 2.5f, 3.5f};
  CHECK(cudaMemcpyToSymbol(weights, halves, sizeof halves, 4 * sizeof(float)));
  apply<<<1, 8>>>(2);
  CHECK(cudaMemcpyFromSymbol(back, results, sizeof back));
  for (int i = 0; i < 8; ++i)
    REQUIRE(back[i] == (i < 4 ? 2 : 2 * halves[i - 4]));
  int count = 0;
  CHECK(cudaMemcpyFromSymbol(&count, counter, sizeof count));
  REQUIRE(count == 43);
  void *address = nullptr;
  size_t size = 0;
  CHECK(cudaGetSymbolAddress(&address, weights));
  CHECK(cudaGetSymbolSize(&size, weights));
  REQUIRE(size == sizeof back);
  CHECK(cudaMemset(address, 0, size));
  apply<<<1, 8>>>(2);
  CHECK(cudaMemcpyFromSymbol(back, results, sizeof back));
  REQUIRE(back[7] == 0);
  REQUIRE(cudaMemcpyToSymbol(weights, halves, sizeof halves, 20) != cudaSuccess); // past its end
  cudaGetLastError();
  return passed();
}
