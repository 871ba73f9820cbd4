// What a kernel is told of launches that cannot be, and a kernel that asks for more than launches.
// GPU: has all of CUDA's runtime
// Flags: -rdc=true -lcudadevrt
// Prints: 9 9 9 0|1 0|65 at 24|cudaErrorNotSupported
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Program.h"

__global__ void child(int *x) { x[threadIdx.x] = int(threadIdx.x); }
__global__ void wrong(int *x) {
  child<<<0, 32>>>(x);
  x[0] = cudaGetLastError();
  child<<<1, 2048>>>(x);
  x[1] = cudaPeekAtLastError();
  x[2] = cudaGetLastError();
  x[3] = cudaGetLastError();
  cudaGetDeviceCount(x + 4);
  cudaGetDevice(x + 5);
}
__global__ void deep(int *x, int depth) {
  x[0] = depth;
  deep<<<1, 1>>>(x, depth + 1);
  if (const int code = cudaGetLastError())
    x[1] = code;
}
__global__ void asks(int *x) {
  cudaFuncAttributes attributes;
  *x = cudaFuncGetAttributes(&attributes, child);
}
__global__ void plain(int *x) { *x = 5; }

int main() {
  int *x = upload(std::vector<int>(32));
  wrong<<<1, 1>>>(x);
  std::vector<int> codes = download(x, 6);
  std::printf("%d %d %d %d\n%d %d\n", codes[0], codes[1], codes[2], codes[3], codes[4], codes[5]);
  deep<<<1, 1>>>(x, 0);
  codes = download(x, 2);
  std::printf("%d at %d\n", codes[1], codes[0]);
  asks<<<1, 1>>>(x);
  std::puts(cudaGetErrorName(cudaGetLastError()));
  plain<<<1, 1>>>(x);
  child<<<1, 16>>>(x + 16);
  REQUIRE(download(x, 32)[0] == 5 && download(x, 32)[31] == 15);
  return passed();
}
