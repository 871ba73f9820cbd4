// What kernels launch, beside the work of other streams; nothing else is reported.
// Cases: 9
// Flags: -rdc=true -lcudadevrt
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../Program.h"

#include <cstdlib>

constexpr int count = 256;

__device__ int at() { return int(blockIdx.x * blockDim.x + threadIdx.x); }

template <int which> __global__ void write(int *p) {
  if (at() < count)
    p[at()] = at(); // REPORT 2 4 7: StreamRace
}
template <int which> __global__ void read(int *to, const int *from) {
  if (at() < count)
    to[at()] = from[at()]; // REPORT 1: StreamRace
}
// Two shapes of a kernel in one launch.
template <int which> __global__ void both(int *to) {
  if (at())
    return;
  write<which><<<2, 64>>>(to);
  write<which><<<2, 128>>>(to);
}
template <int which> __global__ void reads(int *to, const int *from) {
  if (at() == 0)
    read<which><<<1, count>>>(to, from);
}
template <int which> __global__ void clear(int *p) {
  if (at() < count)
    p[at()] = 0; // REPORT 0 3 5 6: StreamRace
}

// Copies and fills that kernels ask for.
template <int which> __global__ void moves(int *to, const int *from) {
  if (at() == 0)
    cudaMemcpyAsync(to, from, count * sizeof(int), cudaMemcpyDeviceToDevice, 0);
}
template <int which> __global__ void fills(int *to) {
  if (at() == 0)
    cudaMemsetAsync(to, 0, count * sizeof(int), 0);
}

int main(int, char **arguments) {
  int *a = upload(std::vector<int>(count)), *b = upload(std::vector<int>(count)), *host = nullptr;
  CHECK(cudaMallocHost(&host, count * sizeof(int)));
  cudaStream_t s, t;
  CHECK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
  CHECK(cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking));
  cudaEvent_t event;
  CHECK(cudaEventCreate(&event));
  CHECK(cudaDeviceSynchronize());

  // All of this is in order.
  both<9><<<1, 32, 0, s>>>(a);
  reads<9><<<1, 32, 0, s>>>(b, a);
  CHECK(cudaEventRecord(event, s));
  CHECK(cudaStreamWaitEvent(t, event, 0));
  clear<9><<<2, 128, 0, t>>>(a);
  both<9><<<1, 32, 0, t>>>(b);
  CHECK(cudaStreamSynchronize(t));
  reads<9><<<1, 32, 0, s>>>(a, b);
  fills<9><<<1, 32, 0, s>>>(b);
  moves<9><<<1, 32, 0, s>>>(b, a);
  CHECK(cudaEventRecord(event, s));
  CHECK(cudaStreamWaitEvent(t, event, 0));
  moves<9><<<1, 32, 0, t>>>(a, b);
  CHECK(cudaStreamSynchronize(t));
  CHECK(cudaMemcpyAsync(host, a, count * sizeof(int), cudaMemcpyDeviceToHost, s));
  CHECK(cudaDeviceSynchronize());
  for (int i = 0; i < count; ++i)
    REQUIRE(host[i] == i);

  switch (std::atoi(arguments[1])) {
  case 0: // the launched kernels are those before
    both<0><<<1, 32, 0, s>>>(a);
    clear<0><<<2, 128, 0, t>>>(a);
    break;
  case 1: // the launched kernel is the one after
    clear<1><<<2, 128, 0, t>>>(a);
    reads<1><<<1, 32, 0, s>>>(b, a);
    break;
  case 2: // a copy does not wait for a launched kernel
    both<2><<<1, 32, 0, s>>>(a);
    CHECK(cudaMemcpyAsync(host, a, count * sizeof(int), cudaMemcpyDeviceToHost, t));
    break;
  case 3: // an event that was recorded too early
    CHECK(cudaEventRecord(event, s));
    reads<3><<<1, 32, 0, s>>>(b, a);
    CHECK(cudaStreamWaitEvent(t, event, 0));
    clear<3><<<2, 128, 0, t>>>(a);
    break;
  case 4: // launched kernels on both sides
    both<4><<<1, 32, 0, s>>>(a);
    both<4><<<1, 32, 0, t>>>(a);
    break;
  case 5: // a copy before: it reads
    moves<5><<<1, 32, 0, s>>>(b, a);
    clear<5><<<2, 128, 0, t>>>(a);
    break;
  case 6: // a fill after
    clear<6><<<2, 128, 0, t>>>(a);
    fills<6><<<1, 32, 0, s>>>(a);
    break;
  case 7: // a copy after a kernel that another launched
    both<7><<<1, 32, 0, s>>>(a);
    moves<7><<<1, 32, 0, t>>>(b, a);
    break;
  case 8: // a fill beside a copy of the host's, no line: REPORT 8 has none: StreamRace
    fills<8><<<1, 32, 0, s>>>(a);
    CHECK(cudaMemcpyAsync(host, a, count * sizeof(int), cudaMemcpyDeviceToHost, t));
    break;
  }
  return passed();
}
