// A kernel that launches another is refused when it is launched, and the rest goes on.
// GPU: runs it
// Flags: -rdc=true -lcudadevrt
// Prints: cudaErrorNotSupported|cudaErrorNotSupported
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Program.h"

__global__ void child(int *x) { x[threadIdx.x] = int(threadIdx.x); }
__global__ void parent(int *x) { child<<<1, 32>>>(x); }
__global__ void asks(int *x) {
  int device = -1;
  cudaGetDevice(&device);
  *x = device;
}
__global__ void plain(int *x) { *x = 5; }

int main() {
  int *x = upload(std::vector<int>(32));
  parent<<<1, 1>>>(x);
  std::puts(cudaGetErrorName(cudaGetLastError()));
  asks<<<1, 1>>>(x);
  std::puts(cudaGetErrorName(cudaGetLastError()));
  plain<<<1, 1>>>(x);
  child<<<1, 16>>>(x + 16);
  REQUIRE(download(x, 32)[0] == 5 && download(x, 32)[31] == 15);
  return passed();
}
