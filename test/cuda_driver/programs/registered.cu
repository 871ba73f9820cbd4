// Memory of the host that kernels use under its own address, and its end.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Program.h"

__global__ void increment(int *x, int count) {
  for (int i = threadIdx.x; i < count; i += blockDim.x)
    ++x[i];
}

int main() {
  std::vector<int> values(3000, 4);
  CHECK(cudaHostRegister(values.data(), values.size() * sizeof(int), cudaHostRegisterDefault));
  REQUIRE(cudaHostRegister(values.data(), 4, cudaHostRegisterDefault) ==
          cudaErrorHostMemoryAlreadyRegistered);
  cudaGetLastError();
  int *device = nullptr;
  CHECK(cudaHostGetDevicePointer(&device, values.data(), 0));
  increment<<<1, 64>>>(device, int(values.size()));
  CHECK(cudaDeviceSynchronize());
  for (int value : values)
    REQUIRE(value == 5);
  CHECK(cudaHostUnregister(values.data()));
  increment<<<1, 64>>>(device, 1);
  REQUIRE(cudaDeviceSynchronize() == cudaErrorIllegalAddress);
  std::puts("passed");
}
