// What goes wrong in kernels: each kind has its code, and it stays.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Program.h"

#include <cstring>
#include <sys/wait.h>
#include <unistd.h>

__global__ void outside(int *x) { x[1 << 28] = 1; } // a GPU maps whole pages
__global__ void crooked(char *x) { *reinterpret_cast<int *>(x + 1) = 1; }
__global__ void trap() { __trap(); }
__global__ void fine(int *x) { *x = 1; }

/// Each in a process of its own, as a context does not recover.
template <class F> void expect(cudaError_t code, F launch) {
  pid_t child = fork();
  if (!child) {
    int *x = upload(std::vector<int>{0});
    launch(x);
    bool first = cudaDeviceSynchronize() == code;
    fine<<<1, 1>>>(x);
    bool stays = cudaDeviceSynchronize() == code && cudaMemset(x, 0, 4) == code;
    _exit(first && stays ? 0 : 1);
  }
  int status = 1;
  waitpid(child, &status, 0);
  REQUIRE(status == 0);
}

int main() {
  expect(cudaErrorIllegalAddress, [](int *x) { outside<<<1, 1>>>(x); });
  expect(cudaErrorMisalignedAddress,
         [](int *x) { crooked<<<1, 1>>>(reinterpret_cast<char *>(x)); });
  expect(cudaErrorLaunchFailure, [](int *) { trap<<<1, 1>>>(); });
  int *x = upload(std::vector<int>{0});
  REQUIRE(cudaMemcpy(x, x, 8, cudaMemcpyDeviceToDevice) == cudaErrorInvalidValue);
  REQUIRE(cudaMalloc(&x, size_t(1) << 50) == cudaErrorMemoryAllocation);
  REQUIRE(cudaSetDevice(7) == cudaErrorInvalidDevice);
  REQUIRE(cudaFree(reinterpret_cast<void *>(0x1234)) == cudaErrorInvalidValue);
  REQUIRE(!std::strcmp(cudaGetErrorName(cudaGetLastError()), "cudaErrorInvalidValue"));
  REQUIRE(!std::strcmp(cudaGetErrorName(cudaError_t(12345)), "unrecognized error code"));
  REQUIRE(!std::strcmp(cudaGetErrorString(cudaError_t(12345)), "unrecognized error code"));
  return passed();
}
