// Work of several streams in every order that CUDA promises: the sanitizer has no report.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Program.h"

#include <cuda/atomic>

constexpr int count = 1000, bytes = count * 4;

__device__ int at() { return blockIdx.x * blockDim.x + threadIdx.x; }

__global__ void fill(int *p, int value) {
  if (at() < count)
    p[at()] = value;
}
__global__ void add(int *p, int value) {
  if (at() < count)
    p[at()] += value;
}
/// Every second word, from the first or second one on.
__global__ void everySecond(int *p, int from) {
  if (2 * at() + from < count)
    p[2 * at() + from] += 1;
}
__global__ void histogram(const int *p, int *bins) { atomicAdd(&bins[p[at()] & 3], 1); }
__global__ void produce(int *data, int *flag) {
  data[at()] = at();
  __syncthreads();
  if (at() == 0)
    cuda::atomic_ref<int, cuda::thread_scope_device>(*flag).store(1, cuda::memory_order_release);
}
__global__ void consume(const int *data, int *flag, int *out) {
  if (at() == 0)
    while (
        !cuda::atomic_ref<int, cuda::thread_scope_device>(*flag).load(cuda::memory_order_acquire)) {
    }
  __syncthreads();
  out[at()] = data[at()];
}
__global__ void tellHost(int *data, volatile int *flag) {
  data[0] = 7;
  __threadfence_system();
  *flag = 1;
}

/// The second launch gets memory from malloc that the first one freed.
__global__ void heap(int *out) {
  auto *p = static_cast<int *>(malloc(64));
  p[threadIdx.x] = int(threadIdx.x);
  out[threadIdx.x] = p[threadIdx.x];
  free(p);
}

int main() {
  cudaStream_t s, t, one, other; // the last two do not wait for the legacy stream
  CHECK(cudaStreamCreate(&s));
  CHECK(cudaStreamCreate(&t));
  CHECK(cudaStreamCreateWithFlags(&one, cudaStreamNonBlocking));
  CHECK(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
  cudaEvent_t event, joined, done[2];
  for (cudaEvent_t *each : {&event, &joined, &done[0], &done[1]})
    CHECK(cudaEventCreate(each));
  int *a = nullptr, *b = nullptr, *bins = nullptr, *flag = nullptr, *pinned = nullptr;
  CHECK(cudaMalloc(&a, bytes));
  CHECK(cudaMalloc(&b, bytes));
  CHECK(cudaMemset(b, 0, bytes));
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaMalloc(&bins, 16));
  CHECK(cudaMalloc(&flag, 4));
  CHECK(cudaMallocHost(&pinned, 2 * bytes));
  std::fill_n(pinned, 2 * count, 0);
  std::vector<int> host(count);

  // The legacy stream, and the streams beside it.
  fill<<<8, 128, 0, s>>>(a, 1);
  add<<<8, 128>>>(a, 1);
  add<<<8, 128, 0, t>>>(a, 1);
  add<<<8, 128>>>(a, 1);
  add<<<8, 128, 0, cudaStreamPerThread>>>(a, 1);
  add<<<8, 128>>>(a, 1);

  // To wait in the legacy stream, or to be waited for by it, is work too.
  add<<<8, 128, 0, one>>>(b, 1);
  CHECK(cudaEventRecord(event, one));
  CHECK(cudaStreamWaitEvent(s, event));
  CHECK(cudaEventRecord(joined, nullptr));
  add<<<8, 128, 0, t>>>(b, 1);

  // Events, from stream to stream and to the host; waits for streams.
  CHECK(cudaEventRecord(event, nullptr));
  CHECK(cudaStreamWaitEvent(one, event));
  add<<<8, 128, 0, one>>>(a, 1);
  CHECK(cudaEventRecord(event, one));
  CHECK(cudaStreamWaitEvent(t, event));
  add<<<8, 128, 0, t>>>(a, 1);
  CHECK(cudaEventRecord(event, t));
  CHECK(cudaEventSynchronize(event));
  add<<<8, 128, 0, one>>>(a, 1);
  CHECK(cudaStreamSynchronize(one));
  add<<<8, 128, 0, other>>>(a, 1);
  while (cudaStreamQuery(other) == cudaErrorNotReady) {
  }
  add<<<8, 128, 0, one>>>(a, 1);
  CHECK(cudaMemcpyAsync(host.data(), a, bytes, cudaMemcpyDeviceToHost, one)); // pageable: waits
  add<<<8, 128, 0, other>>>(a, 1);
  CHECK(cudaDeviceSynchronize());
  REQUIRE(host[count - 1] == 11);

  // Other bytes, reads alone, atomics.
  everySecond<<<4, 128, 0, one>>>(a, 0);
  everySecond<<<4, 128, 0, other>>>(a, 1);
  CHECK(cudaMemset(bins, 0, 16));
  CHECK(cudaDeviceSynchronize());
  for (cudaStream_t stream : {one, other, s})
    histogram<<<1, 128, 0, stream>>>(a, bins);
  CHECK(cudaMemset(flag, 0, 4));
  CHECK(cudaDeviceSynchronize());
  REQUIRE(download(bins, 4)[1] == 3 * 128);

  heap<<<1, 1, 0, one>>>(a);
  heap<<<1, 1, 0, other>>>(b);

  // A flag, released and acquired; a flag that the host reads; a host function.
  CHECK(cudaStreamSynchronize(other));
  produce<<<1, 128, 0, one>>>(a, flag);
  consume<<<1, 128, 0, other>>>(a, flag, b);
  CHECK(cudaStreamSynchronize(other));
  tellHost<<<1, 1, 0, one>>>(a, pinned);
  while (!*static_cast<volatile int *>(pinned)) {
  }
  fill<<<8, 128, 0, other>>>(a, 0);
  CHECK(cudaStreamSynchronize(other));
  static volatile bool isTold = false;
  fill<<<8, 128, 0, one>>>(a, 3);
  CHECK(cudaLaunchHostFunc(one, [](void *) { isTold = true; }, nullptr));
  while (!isTold) {
  }
  add<<<8, 128, 0, other>>>(a, 1);
  CHECK(cudaStreamSynchronize(other));

  // A copy to the host waits.
  fill<<<8, 128>>>(a, 3);
  CHECK(cudaMemcpy(host.data(), a, bytes, cudaMemcpyDeviceToHost));
  add<<<8, 128, 0, one>>>(a, 1);
  CHECK(cudaStreamSynchronize(one));

  // A graph with a fork and a join, launched in several streams.
  cudaGraph_t graph;
  cudaGraphExec_t executable;
  CHECK(cudaStreamBeginCapture(one, cudaStreamCaptureModeGlobal));
  fill<<<8, 128, 0, one>>>(a, 1);
  CHECK(cudaEventRecord(event, one));
  CHECK(cudaStreamWaitEvent(other, event));
  everySecond<<<4, 128, 0, one>>>(a, 0);
  everySecond<<<4, 128, 0, other>>>(a, 1);
  CHECK(cudaMemsetAsync(b, 0, bytes, other));
  CHECK(cudaEventRecord(joined, other));
  CHECK(cudaStreamWaitEvent(one, joined));
  add<<<8, 128, 0, one>>>(a, 1);
  add<<<8, 128, 0, one>>>(b, 1);
  CHECK(cudaStreamEndCapture(one, &graph));
  CHECK(cudaGraphInstantiate(&executable, graph, 0));
  for (cudaStream_t stream : {one, other, s})
    CHECK(cudaGraphLaunch(executable, stream));
  add<<<8, 128>>>(a, 1);
  CHECK(cudaDeviceSynchronize());
  REQUIRE(download(a, count)[5] == 4);

  // Memory in stream order, that goes from stream to stream; two buffers in turn.
  int *p = nullptr, *turns[2];
  CHECK(cudaMallocAsync(&p, bytes, one));
  fill<<<8, 128, 0, one>>>(p, 1);
  CHECK(cudaEventRecord(event, one));
  CHECK(cudaStreamWaitEvent(other, event));
  add<<<8, 128, 0, other>>>(p, 1);
  CHECK(cudaEventRecord(event, other));
  CHECK(cudaStreamWaitEvent(one, event));
  CHECK(cudaFreeAsync(p, one));
  for (int *&turn : turns)
    CHECK(cudaMallocAsync(&turn, bytes, one));
  for (int round = 0; round < 8; ++round) {
    int k = round % 2;
    CHECK(cudaStreamWaitEvent(one, done[k]));
    CHECK(cudaMemcpyAsync(turns[k], pinned + k * count, bytes, cudaMemcpyHostToDevice, one));
    CHECK(cudaEventRecord(event, one));
    CHECK(cudaStreamWaitEvent(other, event));
    add<<<8, 128, 0, other>>>(turns[k], 1);
    CHECK(cudaEventRecord(done[k], other));
  }
  return passed();
}
