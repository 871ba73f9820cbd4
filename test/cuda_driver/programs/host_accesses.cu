// The host uses managed and pinned memory when it has waited for the work that does, or beside it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Program.h"

#include <algorithm>
#include <thread>

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
/// Tells the host that a number is there.
__global__ void tell(int *number, volatile int *flag) {
  *number = 42;
  __threadfence_system();
  *flag = 1;
}

int main() {
  constexpr int count = 5000, bytes = count * 4;
  int *managed, *pinned, *device;
  CHECK(cudaMallocManaged(&managed, bytes));
  CHECK(cudaMallocHost(&pinned, bytes));
  CHECK(cudaMalloc(&device, bytes));
  std::fill_n(managed, count, 1);
  std::fill_n(pinned, count, 2);
  cudaStream_t s, t;
  cudaEvent_t event;
  CHECK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
  CHECK(cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking));
  CHECK(cudaEventCreate(&event));

  // Waits of all kinds.
  add<<<20, 256, 0, s>>>(managed, count, 1);
  CHECK(cudaStreamSynchronize(s));
  REQUIRE(std::count(managed, managed + count, 2) == count);
  managed[0] = 1;
  add<<<20, 256, 0, s>>>(managed, count, 1);
  CHECK(cudaEventRecord(event, s));
  CHECK(cudaEventSynchronize(event));
  REQUIRE(managed[0] == 2 && managed[4999] == 3);
  add<<<20, 256>>>(managed, count, 1);
  CHECK(cudaDeviceSynchronize());
  REQUIRE(managed[4999] == 4);
  CHECK(cudaMemcpyAsync(pinned, managed, bytes, cudaMemcpyDefault, t));
  while (cudaStreamQuery(t) != cudaSuccess)
    ;
  REQUIRE(pinned[0] == 3 && pinned[4999] == 4);
  CHECK(cudaMemcpyAsync(device, pinned, bytes, cudaMemcpyHostToDevice, s));
  REQUIRE(pinned[7] == 4); // to read what is read
  CHECK(cudaStreamSynchronize(s));
  pinned[7] = 9;
  std::thread([&] {
    add<<<20, 256, 0, s>>>(pinned, count, 1);
    CHECK(cudaStreamSynchronize(s));
  }).join();
  REQUIRE(pinned[7] == 10 && pinned[8] == 5);

  // Halves: the kernel has one, the host the other.
  add<<<10, 256, 0, s>>>(managed, 2048, 1);
  std::fill(managed + 2560, managed + count, 7);
  REQUIRE(managed[2560] == 7);
  CHECK(cudaStreamSynchronize(s));
  // A flag in pinned memory.
  pinned[1] = 0;
  tell<<<1, 1, 0, s>>>(pinned, pinned + 1);
  while (!static_cast<volatile int *>(pinned)[1])
    ;
  REQUIRE(pinned[0] == 42);
  // Buffers that take turns, with an event for each.
  CHECK(cudaMemset(device, 0, 4));
  cudaEvent_t ended[2];
  int *buffers[2], expected = 0;
  for (int k = 0; k < 2; ++k) {
    CHECK(cudaEventCreateWithFlags(&ended[k], cudaEventDisableTiming));
    CHECK(cudaMallocHost(&buffers[k], bytes));
  }
  for (int round = 0; round < 6; ++round) {
    const int k = round % 2;
    CHECK(cudaEventSynchronize(ended[k]));
    std::fill_n(buffers[k], count, round);
    expected += round * count;
    sum<<<20, 256, 0, s>>>(buffers[k], count, device);
    CHECK(cudaEventRecord(ended[k], s));
  }
  // Memory of the program's own that is registered: what lies beside it stays the program's.
  std::vector<int> own(count, 1);
  CHECK(cudaHostRegister(own.data() + 100, 1000 * 4, cudaHostRegisterDefault));
  sum<<<4, 256, 0, s>>>(own.data() + 100, 1000, device);
  own[99] = own[1100] = 3;
  expected += 1000;
  CHECK(cudaStreamSynchronize(s));
  CHECK(cudaHostUnregister(own.data() + 100));
  int total = 0;
  CHECK(cudaMemcpy(&total, device, 4, cudaMemcpyDeviceToHost));
  REQUIRE(total == expected);
  // Freed while a kernel may run: the host waits.
  add<<<20, 256, 0, s>>>(managed, count, 1);
  CHECK(cudaFree(managed));
  return passed();
}
