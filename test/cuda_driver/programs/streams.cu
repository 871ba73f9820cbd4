// Four streams with pinned memory: copies, kernels, copies back, an event that one waits for.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Program.h"

__global__ void scale(float *x, int count, float by) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count)
    x[i] *= by;
}

int main() {
  constexpr int parts = 4, count = 1000;
  float *host = nullptr, *device = nullptr;
  CHECK(cudaMallocHost(&host, parts * count * sizeof(float)));
  CHECK(cudaMalloc(&device, parts * count * sizeof(float)));
  for (int i = 0; i < parts * count; ++i)
    host[i] = number(i);
  cudaStream_t streams[parts];
  cudaEvent_t first;
  CHECK(cudaEventCreateWithFlags(&first, cudaEventDisableTiming));
  for (int p = 0; p < parts; ++p) {
    CHECK(
        cudaStreamCreateWithFlags(&streams[p], p % 2 ? cudaStreamNonBlocking : cudaStreamDefault));
    float *h = host + p * count, *d = device + p * count;
    CHECK(cudaMemcpyAsync(d, h, count * sizeof(float), cudaMemcpyHostToDevice, streams[p]));
    scale<<<(count + 127) / 128, 128, 0, streams[p]>>>(d, count, float(p + 1));
    CHECK(cudaMemcpyAsync(h, d, count * sizeof(float), cudaMemcpyDeviceToHost, streams[p]));
  }
  CHECK(cudaEventRecord(first, streams[0]));
  CHECK(cudaStreamWaitEvent(streams[3], first, 0));
  scale<<<(count + 127) / 128, 128, 0, streams[3]>>>(device, count, 10);
  CHECK(cudaMemcpyAsync(host, device, count * sizeof(float), cudaMemcpyDeviceToHost, streams[3]));
  for (cudaStream_t stream : streams) {
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaStreamQuery(stream));
  }
  for (int p = 0; p < parts; ++p)
    for (int i = 0; i < count; ++i)
      REQUIRE(host[p * count + i] == number(p * count + i) * (p ? p + 1 : 10));
  for (cudaStream_t stream : streams)
    CHECK(cudaStreamDestroy(stream));
  CHECK(cudaEventDestroy(first));
  CHECK(cudaFreeHost(host));
  return passed();
}
