// More dynamic shared memory than a kernel gets without asking.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Program.h"

__global__ void reverse(int *x, int count) {
  extern __shared__ int shared[];
  for (int i = threadIdx.x; i < count; i += blockDim.x)
    shared[i] = x[i];
  __syncthreads();
  for (int i = threadIdx.x; i < count; i += blockDim.x)
    x[i] = shared[count - 1 - i];
}

int main() {
  constexpr int bytes = 60 * 1024, count = bytes / 4;
  std::vector<int> in(count);
  for (int i = 0; i < count; ++i)
    in[i] = i ^ 0x55;
  int *x = upload(in), most = 0;
  CHECK(cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0));
  REQUIRE(most >= bytes);
  reverse<<<1, 128, bytes>>>(x, count);
  REQUIRE(cudaGetLastError() == cudaErrorInvalidValue);
  CHECK(cudaFuncSetAttribute(reverse, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
  reverse<<<1, 128, bytes>>>(x, count);
  CHECK(cudaGetLastError());
  std::vector<int> out = download(x, count);
  for (int i = 0; i < count; ++i)
    REQUIRE(out[i] == in[count - 1 - i]);
  REQUIRE(cudaFuncSetAttribute(reverse, cudaFuncAttributeMaxDynamicSharedMemorySize, most + 1) !=
          cudaSuccess);
  cudaGetLastError();
  return passed();
}
