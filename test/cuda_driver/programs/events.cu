// Events: their order, times between them, and errors of those that were not recorded.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Program.h"

__global__ void spin(int *x, int turns) {
  for (int i = 0; i < turns; ++i)
    atomicAdd(x, 1);
}

int main() {
  int *x = upload(std::vector<int>{0});
  cudaEvent_t start, end, never;
  CHECK(cudaEventCreate(&start));
  CHECK(cudaEventCreate(&end));
  CHECK(cudaEventCreate(&never));
  CHECK(cudaEventRecord(start));
  spin<<<1, 32>>>(x, 500);
  CHECK(cudaEventRecord(end));
  CHECK(cudaEventSynchronize(end));
  CHECK(cudaEventQuery(end));
  float milliseconds = -1;
  CHECK(cudaEventElapsedTime(&milliseconds, start, end));
  REQUIRE(milliseconds > 0 && milliseconds < 60000);
  CHECK(cudaEventElapsedTime(&milliseconds, start, start));
  REQUIRE(milliseconds == 0);
  REQUIRE(cudaEventElapsedTime(&milliseconds, start, never) == cudaErrorInvalidResourceHandle);
  cudaGetLastError();
  CHECK(cudaStreamWaitEvent(nullptr, never, 0)); // nothing to wait for
  CHECK(cudaEventQuery(never));
  REQUIRE(download(x, 1)[0] == 32 * 500);
  CHECK(cudaEventDestroy(start));
  return passed();
}
