// cudaDeviceReset: memory is gone, variables are as at first, and the program begins again.
// GPU: has no streams and events from before it either
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Program.h"

__device__ int counter = 5;
__device__ int *where = &counter;
__device__ int many[4];
__constant__ int step = 2;

__global__ void count(int *out) {
  many[1] += step;
  *out = *where += step;
}

int main() {
  int *x = upload(std::vector<int>{0}), *pinned = nullptr, own[4] = {};
  CHECK(cudaMallocHost(&pinned, 64));
  CHECK(cudaHostRegister(own, sizeof own, 0));
  const int three = 3;
  CHECK(cudaMemcpyToSymbol(step, &three, sizeof three));
  count<<<1, 1>>>(x);
  REQUIRE(download(x, 1)[0] == 8);
  CHECK(cudaDeviceReset());

  REQUIRE(cudaFree(x) == cudaErrorInvalidValue);
  int value = 0;
  REQUIRE(cudaMemcpy(&value, x, 4, cudaMemcpyDeviceToHost) == cudaErrorInvalidValue);
  cudaGetLastError();
  cudaPointerAttributes attributes;
  CHECK(cudaPointerGetAttributes(&attributes, own));
  REQUIRE(attributes.type == cudaMemoryTypeUnregistered);
  CHECK(cudaHostRegister(own, sizeof own, 0));
  int *y = upload(std::vector<int>{0});
  REQUIRE(y != x);
  count<<<1, 1>>>(y);
  count<<<1, 1>>>(own);
  REQUIRE(download(y, 1)[0] == 7);
  CHECK(cudaMemcpyFromSymbol(&value, many, 4, 4));
  REQUIRE(value == 4 && own[0] == 9);
  CHECK(cudaDeviceReset());
  CHECK(cudaDeviceReset());
  count<<<1, 1>>>(y); // memory of before
  REQUIRE(cudaDeviceSynchronize() == cudaErrorIllegalAddress);
  std::printf("passed\n");
  return 0;
}
