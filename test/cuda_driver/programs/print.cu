// printf of kernels: conversions, order, and when it appears.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prints: before|thread 0: 7 2.50 text -3|end of block 0|byte -43 of -298|after
#include "Program.h"

__global__ void say(const char *text) {
  printf("thread %u: %d %.2f %s %lld\n", threadIdx.x, 7, 2.5, text, -3ll);
  if (threadIdx.x == 0)
    printf("end of block %d\n", blockIdx.x);
  printf("byte %hhd of %d\n", -299, -298); // a GPU misprints a third one
}

int main() {
  const char text[] = "text";
  char *onDevice = upload(std::vector<char>(text, text + sizeof text));
  say<<<1, 1>>>(onDevice);
  std::puts("before"); // the kernel's buffer is emptied later
  CHECK(cudaDeviceSynchronize());
  std::puts("after");
  return passed();
}
