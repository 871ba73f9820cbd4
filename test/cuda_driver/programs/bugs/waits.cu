// Kernels whose threads wait for what never comes, one in each case.
// Cases: 6
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../Program.h"

#include <cooperative_groups.h>

namespace cg = cooperative_groups;

__global__ void waitForFlag(volatile int *flag, int *out) {
  while (*flag == 0) // REPORT 0 5: Deadlock
    ;
  *out = 1;
}
__global__ void takeTwice(int *lock, int *out) {
  for (int i = 0; i < 2; ++i)
    while (atomicCAS(lock, 0, 1)) // REPORT 1: Deadlock
      ;
  *out = 1;
}
/// Two threads take two locks, each the other one first.
__global__ void crosswise(int *locks, int *out) {
  const int first = blockIdx.x, other = 1 - first;
  while (atomicExch(&locks[first], 1))
    ;
  atomicAdd(out, 1);
  while (atomicAdd(out, 0) < 2) // both have one now
    ;
  while (atomicExch(&locks[other], 1)) // REPORT 2: Deadlock
    ;
}
__global__ void laterBlock(volatile int *flag, int *out) {
  if (blockIdx.x == 0)
    while (*flag != int(gridDim.x)) // REPORT 3: Deadlock
      ;
  else
    atomicAdd((int *)flag, 1);
  atomicAdd(out, 1);
}
__global__ void halfOfGrid(int *out) {
  if (blockIdx.x % 2)
    cg::this_grid().sync(); // REPORT 4: Deadlock
  atomicAdd(out, 1);
}
__global__ void setFlag(int *flag) { atomicExch(flag, 1); }

int main(int, char **arguments) {
  int *memory, *both;
  CHECK(cudaMalloc(&memory, 64));
  CHECK(cudaMemset(memory, 0, 64));
  CHECK(cudaMallocManaged(&both, 64));
  both[0] = 0;
  cudaStream_t s, t;
  CHECK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
  CHECK(cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking));
  CHECK(cudaDeviceSynchronize());
  int *out = memory + 4;
  void *toOut[] = {&out};
  switch (std::atoi(arguments[1])) {
  case 0: // the kernel that sets it comes later: a GPU need not run both at once
    waitForFlag<<<1, 1, 0, s>>>(memory, out);
    setFlag<<<1, 1, 0, t>>>(memory);
    break;
  case 1: takeTwice<<<1, 1>>>(memory, out); break;
  case 2: crosswise<<<2, 1>>>(memory, out); break;
  case 3: laterBlock<<<5, 1>>>(memory, out); break;
  case 4: CHECK(cudaLaunchCooperativeKernel(halfOfGrid, 4, 32, toOut)); break;
  case 5: waitForFlag<<<1, 1>>>(both, out); break; // the host has no other thread that could set it
  }
  return cudaDeviceSynchronize() == cudaSuccess;
}
