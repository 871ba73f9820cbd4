// What the host does to memory that unfinished work uses.
// Cases: 7
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../Program.h"

// No line of the host is known: the report names the program and the place in it.
// REPORT 0 1 2 3 4 5 6 has none: HostRace

__global__ void add(int *x, int count, int more) {
  const int i = int(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < count)
    x[i] += more;
}
__global__ void sum(const int *x, int count, int *out) {
  const int i = int(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < count)
    atomicAdd(out, x[i]);
}

int main(int, char **arguments) {
  constexpr int count = 5000, bytes = count * 4; // not of whole pages
  int *managed, *pinned, *device;
  CHECK(cudaMallocManaged(&managed, bytes));
  CHECK(cudaMallocHost(&pinned, bytes));
  CHECK(cudaMalloc(&device, bytes));
  for (int i = 0; i < count; ++i)
    managed[i] = pinned[i] = i;
  CHECK(cudaMemset(device, 0, bytes));
  cudaStream_t s;
  cudaEvent_t event;
  CHECK(cudaStreamCreate(&s));
  CHECK(cudaEventCreate(&event));
  CHECK(cudaDeviceSynchronize());
  volatile int seen = 0;
  switch (std::atoi(arguments[1])) {
  case 0: // a read of what a kernel writes
    add<<<20, 256, 0, s>>>(managed, count, 1);
    seen = managed[4999];
    break;
  case 1: // a write of what a kernel reads
    sum<<<20, 256, 0, s>>>(managed, count, device);
    managed[17] = 5;
    break;
  case 2: // a copy to pinned memory that has not ended
    CHECK(cudaMemcpyAsync(pinned, device, bytes, cudaMemcpyDeviceToHost, s));
    seen = pinned[1000];
    break;
  case 3: // the next round is prepared while it is copied
    CHECK(cudaMemcpyAsync(device, pinned, bytes, cudaMemcpyHostToDevice, s));
    pinned[3] = 9;
    break;
  case 4: // the event was recorded before the kernel
    CHECK(cudaEventRecord(event, s));
    add<<<20, 256, 0, s>>>(pinned, count, 1);
    CHECK(cudaEventSynchronize(event));
    seen = pinned[5];
    break;
  case 5: // another stream was waited for
    add<<<20, 256, 0, s>>>(managed, count, 1);
    CHECK(cudaStreamSynchronize(cudaStreamPerThread));
    seen = managed[1];
    break;
  case 6: // a fill does not wait
    CHECK(cudaMemsetAsync(managed, 1, bytes, s));
    seen = managed[1];
    break;
  }
  (void)seen;
  CHECK(cudaDeviceSynchronize());
  return 0;
}
