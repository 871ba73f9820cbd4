// A kernel that writes memory that was freed fails, and the code stays.
// GPU: keeps the page mapped, and notices nothing
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Program.h"

__global__ void fine(int *x) { *x = 1; }

int main() {
  int *x = upload(std::vector<int>{0});
  CHECK(cudaFree(x));
  fine<<<1, 1>>>(x);
  REQUIRE(cudaDeviceSynchronize() == cudaErrorIllegalAddress);
  int *y = nullptr;
  REQUIRE(cudaMalloc(&y, 4) == cudaErrorIllegalAddress);
  std::printf("passed\n"); // the context does not recover
  return 0;
}
