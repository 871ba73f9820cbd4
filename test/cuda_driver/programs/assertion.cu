// A failed assert of a kernel: the error, that it stays, and that the rest of the program goes on.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Program.h"

#include <cassert>

__global__ void check(const int *x) { assert(x[threadIdx.x] < 3); }

int main() {
  int *x = upload(std::vector<int>{0, 1, 2, 3});
  check<<<1, 3>>>(x);
  CHECK(cudaDeviceSynchronize());
  check<<<1, 4>>>(x);
  REQUIRE(cudaDeviceSynchronize() == cudaErrorAssert);
  REQUIRE(cudaFree(x) == cudaErrorAssert); // it stays
  std::puts("passed");
}
