// Work of streams and graphs that nothing orders.
// Cases: 13
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../Program.h"

constexpr int count = 1000, bytes = count * 4;

__device__ int at() { return blockIdx.x * blockDim.x + threadIdx.x; }

template <int which> __global__ void fill(int *p, int value) {
  if (at() < count)
    p[at()] = value;
}
template <int which> __global__ void add(int *p, int value) {
  if (at() < count)
    p[at()] += value; // REPORT 0 1 3 4 5 7 10: StreamRace
}
template <int which> __global__ void copy(int *to, const int *from) {
  if (at() < count)
    to[at()] = from[at()]; // REPORT 2 9: StreamRace
}
template <int which> __global__ void late(int *p) {
  if (at() < count)
    p[at()] = 1; // REPORT 8: StreamRace
}
__global__ void evens(char *p, int from) {
  if (2 * at() + from < bytes)
    p[2 * at() + from] = 1; // REPORT 11: StreamRace
}
// The flag is there, but tells nothing: neither a release nor an acquire, and it is not waited for.
__global__ void produce(int *data, int *flag) {
  data[at()] = 1;
  if (at() == 0)
    *flag = 1;
}
__global__ void consume(int *data, int *flag, int *out) {
  if (*flag)                // REPORT 12: StreamRace
    out[at()] = data[at()]; // REPORT 12: StreamRace
}

int main(int, char **arguments) {
  int *a = upload(std::vector<int>(count)), *b = upload(std::vector<int>(count)), *host = nullptr;
  int *flag = upload(std::vector<int>{0});
  CHECK(cudaMallocHost(&host, bytes));
  std::fill_n(host, count, 0);
  cudaStream_t s, t, beside;
  CHECK(cudaStreamCreate(&s));
  CHECK(cudaStreamCreate(&t));
  CHECK(cudaStreamCreateWithFlags(&beside, cudaStreamNonBlocking));
  cudaEvent_t event;
  CHECK(cudaEventCreate(&event));
  CHECK(cudaDeviceSynchronize());
  switch (std::atoi(arguments[1])) {
  case 0: // two streams
    fill<0><<<8, 128, 0, s>>>(a, 1);
    add<0><<<8, 128, 0, t>>>(a, 1);
    break;
  case 1: // cudaMemset does not wait, and the stream does not wait for the legacy one
    CHECK(cudaMemset(a, 1, bytes));
    add<1><<<8, 128, 0, beside>>>(a, 1);
    break;
  case 2:
    fill<2><<<8, 128>>>(a, 1);
    copy<2><<<8, 128, 0, beside>>>(b, a);
    break;
  case 3: // the event was recorded too early
    fill<3><<<8, 128, 0, s>>>(a, 1);
    CHECK(cudaEventRecord(event, s));
    add<3><<<8, 128, 0, s>>>(a, 1);
    CHECK(cudaStreamWaitEvent(t, event));
    add<3><<<8, 128, 0, t>>>(a, 1);
    break;
  case 4:
    CHECK(cudaMemcpyAsync(a, host, bytes, cudaMemcpyHostToDevice, s));
    add<4><<<8, 128, 0, t>>>(a, 1);
    break;
  case 5:
    add<5><<<8, 128, 0, s>>>(a, 1);
    CHECK(cudaMemcpyAsync(host, a, bytes, cudaMemcpyDeviceToHost, t));
    break;
  case 6: // two copies, of which no line is known; REPORT 6 has none: StreamRace
    CHECK(cudaMemcpyAsync(a, host, bytes, cudaMemcpyHostToDevice, s));
    CHECK(cudaMemsetAsync(a, 0, 100, t));
    break;
  case 7: { // two branches of a graph
    cudaGraph_t graph;
    cudaGraphExec_t executable;
    CHECK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    CHECK(cudaEventRecord(event, s));
    CHECK(cudaStreamWaitEvent(t, event));
    fill<7><<<8, 128, 0, s>>>(a, 1);
    add<7><<<8, 128, 0, t>>>(a, 1);
    CHECK(cudaEventRecord(event, t));
    CHECK(cudaStreamWaitEvent(s, event));
    CHECK(cudaStreamEndCapture(s, &graph));
    CHECK(cudaGraphInstantiate(&executable, graph, 0));
    CHECK(cudaGraphLaunch(executable, s));
    break;
  }
  case 8: { // memory that the other stream has not allocated yet
    int *p = nullptr;
    CHECK(cudaMallocAsync(&p, bytes, s));
    late<8><<<8, 128, 0, t>>>(p);
    break;
  }
  case 9: { // memory that the other stream frees
    int *p = nullptr;
    CHECK(cudaMallocAsync(&p, bytes, s));
    fill<9><<<8, 128, 0, s>>>(p, 1);
    CHECK(cudaStreamSynchronize(s));
    copy<9><<<8, 128, 0, t>>>(b, p);
    CHECK(cudaFreeAsync(p, s));
    break;
  }
  case 10: // the next copy does not wait for the kernel
    for (int round = 0; round < 3; ++round) {
      CHECK(cudaMemcpyAsync(a, host, bytes, cudaMemcpyHostToDevice, s));
      CHECK(cudaEventRecord(event, s));
      CHECK(cudaStreamWaitEvent(t, event));
      add<10><<<8, 128, 0, t>>>(a, 1);
    }
    break;
  case 11: // single bytes: the first and the third launch write the same
    evens<<<16, 128, 0, s>>>(reinterpret_cast<char *>(a), 0);
    evens<<<16, 128, 0, t>>>(reinterpret_cast<char *>(a), 1);
    evens<<<16, 128, 0, beside>>>(reinterpret_cast<char *>(a), 0);
    break;
  case 12:
    produce<<<1, 128, 0, s>>>(a, flag);
    consume<<<1, 128, 0, t>>>(a, flag, b);
    break;
  }
  return passed();
}
