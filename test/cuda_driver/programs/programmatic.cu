// Launches that may begin before the one before them has ended. Target: sm_90
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Program.h"

__global__ void first(int *p, int value) {
  p[blockIdx.x * blockDim.x + threadIdx.x] = value + int(threadIdx.x);
  cudaTriggerProgrammaticLaunchCompletion();
}
__global__ void second(const int *p, int *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, own = 2 * i;
  cudaGridDependencySynchronize();
  out[i] = p[i] + own;
}
__global__ void increment(int *p) { p[blockIdx.x * blockDim.x + threadIdx.x] += 1; }

int main() {
  constexpr int size = 512;
  int *p = upload(std::vector<int>(size)), *out = upload(std::vector<int>(size));
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  cudaLaunchAttribute early{};
  early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  early.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(4);
  config.blockDim = dim3(128);
  config.stream = stream;
  config.attrs = &early;
  config.numAttrs = 1;
  auto both = [&](int value) {
    first<<<4, 128, 0, stream>>>(p, value);
    CHECK(cudaLaunchKernelEx(&config, second, static_cast<const int *>(p), out));
  };
  auto isRight = [&](int value) {
    CHECK(cudaStreamSynchronize(stream));
    std::vector<int> found = download(out, size);
    for (int i = 0; i < size; ++i)
      REQUIRE(found[i] == value + i % 128 + 2 * i);
  };
  both(5);
  isRight(5);

  // In a captured graph the edge says so.
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
  both(9);
  cudaGraph_t graph, copy;
  CHECK(cudaStreamEndCapture(stream, &graph));
  CHECK(cudaGraphClone(&copy, graph));
  for (cudaGraph_t g : {graph, copy}) {
    cudaGraphNode_t from[2], to[2];
    cudaGraphEdgeData data[2];
    size_t count = 2;
    CHECK(cudaGraphGetEdges(g, from, to, data, &count));
    REQUIRE(count == 1 && data[0].type == cudaGraphDependencyTypeProgrammatic);
    REQUIRE(data[0].from_port == cudaGraphKernelNodePortProgrammatic);
    count = 2;
    CHECK(cudaGraphNodeGetDependencies(to[0], from, data, &count));
    REQUIRE(count == 1 && data[0].type == cudaGraphDependencyTypeProgrammatic);
    CHECK(cudaGraphRemoveDependencies(g, from, to, data, 1));
    CHECK(cudaGraphAddDependencies(g, from, to, nullptr, 1));
    count = 2;
    CHECK(cudaGraphGetEdges(g, from, to, data, &count));
    REQUIRE(count == 1 && data[0].type == cudaGraphDependencyTypeDefault);
    cudaGraphExec_t executable;
    CHECK(cudaGraphInstantiate(&executable, g, 0));
    CHECK(cudaMemsetAsync(out, 0, size * sizeof(int), stream));
    CHECK(cudaGraphLaunch(executable, stream));
    isRight(9);
  }

  // What needs no wait in the kernel: the host has waited, a fill or an event lies between, the
  // launch before lets none begin early.
  CHECK(cudaMemset(p, 0, size * sizeof(int)));
  first<<<4, 128, 0, stream>>>(p, 0);
  CHECK(cudaStreamSynchronize(stream));
  CHECK(cudaLaunchKernelEx(&config, increment, p));
  first<<<4, 128, 0, stream>>>(p, 1);
  CHECK(cudaMemsetAsync(out, 0, sizeof(int), stream));
  CHECK(cudaLaunchKernelEx(&config, increment, p));
  cudaEvent_t event;
  CHECK(cudaEventCreate(&event));
  first<<<4, 128, 0, stream>>>(p, 2);
  CHECK(cudaEventRecord(event, stream));
  CHECK(cudaStreamWaitEvent(stream, event));
  CHECK(cudaLaunchKernelEx(&config, increment, p));
  CHECK(cudaLaunchKernelEx(&config, increment, p));
  CHECK(cudaStreamSynchronize(stream));
  REQUIRE(download(p, size)[130] == 2 + 2 + 2);
  return passed();
}
