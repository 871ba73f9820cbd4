// Streams with priorities, events that order them, and copies between them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Program.h"

__global__ void scale(float *x, int count, float by) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x)
    x[i] *= by;
}
__global__ void add(const float *a, const float *b, float *out, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count)
    out[i] = a[i] + b[i];
}

int main() {
  int least = 0, greatest = 0;
  CHECK(cudaDeviceGetStreamPriorityRange(&least, &greatest));
  REQUIRE(greatest <= least);
  cudaStream_t slow, fast;
  CHECK(cudaStreamCreateWithPriority(&slow, cudaStreamNonBlocking, least));
  CHECK(cudaStreamCreateWithPriority(&fast, cudaStreamNonBlocking, greatest - 5));
  int priority = 0;
  unsigned flags = 0;
  CHECK(cudaStreamGetPriority(fast, &priority));
  REQUIRE(priority == greatest); // clamped
  CHECK(cudaStreamGetFlags(slow, &flags));
  REQUIRE(flags == cudaStreamNonBlocking);
  cudaEvent_t begin, half, end;
  CHECK(cudaEventCreate(&begin));
  CHECK(cudaEventCreateWithFlags(&half, cudaEventDisableTiming));
  CHECK(cudaEventCreateWithFlags(&end, cudaEventBlockingSync));
  const int count = 3000;
  float *pinned = nullptr, *a = nullptr, *b = nullptr, *out = nullptr;
  CHECK(cudaMallocHost(&pinned, 2 * count * sizeof(float)));
  for (int i = 0; i < 2 * count; ++i)
    pinned[i] = number(i);
  CHECK(cudaMallocAsync(&a, count * sizeof(float), slow));
  CHECK(cudaMallocAsync(&b, count * sizeof(float), fast));
  CHECK(cudaMallocAsync(&out, count * sizeof(float), fast));
  CHECK(cudaEventRecord(begin, slow));
  CHECK(cudaMemcpyAsync(a, pinned, count * sizeof(float), cudaMemcpyHostToDevice, slow));
  CHECK(cudaMemcpyAsync(b, pinned + count, count * sizeof(float), cudaMemcpyDefault, fast));
  scale<<<4, 128, 0, slow>>>(a, count, 3);
  CHECK(cudaEventRecordWithFlags(half, slow, cudaEventRecordDefault));
  scale<<<4, 128, 0, fast>>>(b, count, 0.5f);
  CHECK(cudaStreamWaitEvent(fast, half, cudaEventWaitDefault));
  add<<<(count + 255) / 256, 256, 0, fast>>>(a, b, out, count);
  CHECK(cudaEventRecord(end, fast));
  CHECK(cudaEventSynchronize(end));
  REQUIRE(cudaEventQuery(end) == cudaSuccess && cudaStreamQuery(fast) == cudaSuccess);
  float time = -1;
  CHECK(cudaEventElapsedTime(&time, begin, end));
  REQUIRE(time >= 0);
  REQUIRE(cudaEventElapsedTime(&time, begin, half) == cudaErrorInvalidResourceHandle);
  cudaGetLastError();
  auto result = download(out, count);
  for (int i = 0; i < count; ++i)
    REQUIRE(result[i] == 3 * number(i) + 0.5f * number(count + i));
  unsigned long long id = 0, other = 0;
  CHECK(cudaStreamGetId(slow, &id));
  CHECK(cudaStreamGetId(fast, &other));
  REQUIRE(id != other);
  CHECK(cudaFreeAsync(a, slow));
  CHECK(cudaFreeAsync(b, fast));
  CHECK(cudaFreeAsync(out, fast));
  CHECK(cudaStreamDestroy(slow));
  CHECK(cudaStreamDestroy(fast));
  CHECK(cudaFreeHost(pinned));
  REQUIRE(cudaStreamSynchronize(cudaStreamPerThread) == cudaSuccess);
  return passed();
}
