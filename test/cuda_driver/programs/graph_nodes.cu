// A graph made node by node: memset, copy, kernel, host function, a child graph.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Program.h"

__global__ void square(int *x, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count)
    x[i] = x[i] * x[i] + 1;
}
static void count(void *calls) { ++*static_cast<int *>(calls); }

int main() {
  constexpr int size = 100;
  int *x = nullptr, calls = 0;
  std::vector<int> out(size, -1);
  CHECK(cudaMalloc(&x, size * sizeof(int)));
  cudaGraph_t graph, child;
  CHECK(cudaGraphCreate(&graph, 0));
  CHECK(cudaGraphCreate(&child, 0));
  cudaGraphNode_t fill, kernel, copy, host, inner, twice;
  cudaMemsetParams fillOf{};
  fillOf.dst = x;
  fillOf.value = 3;
  fillOf.elementSize = 4;
  fillOf.width = size;
  fillOf.height = 1;
  CHECK(cudaGraphAddMemsetNode(&fill, graph, nullptr, 0, &fillOf));
  int elements = size;
  void *arguments[] = {&x, &elements};
  cudaKernelNodeParams kernelOf{};
  kernelOf.func = reinterpret_cast<void *>(square);
  kernelOf.gridDim = dim3(4);
  kernelOf.blockDim = dim3(32);
  kernelOf.kernelParams = arguments;
  CHECK(cudaGraphAddKernelNode(&kernel, graph, &fill, 1, &kernelOf));
  CHECK(cudaGraphAddKernelNode(&inner, child, nullptr, 0, &kernelOf));
  CHECK(cudaGraphAddChildGraphNode(&twice, graph, &kernel, 1, child));
  CHECK(cudaGraphAddMemcpyNode1D(&copy, graph, &twice, 1, out.data(), x, size * sizeof(int),
                                 cudaMemcpyDeviceToHost));
  cudaHostNodeParams hostOf{count, &calls};
  CHECK(cudaGraphAddHostNode(&host, graph, &copy, 1, &hostOf));
  cudaGraphNodeType type;
  CHECK(cudaGraphNodeGetType(copy, &type));
  REQUIRE(type == cudaGraphNodeTypeMemcpy);
  cudaKernelNodeParams kernelIs{};
  CHECK(cudaGraphKernelNodeGetParams(kernel, &kernelIs));
  REQUIRE(kernelIs.func == kernelOf.func && kernelIs.gridDim.x == 4);
  size_t roots = 0;
  CHECK(cudaGraphGetRootNodes(graph, nullptr, &roots));
  REQUIRE(roots == 1);
  cudaGraphExec_t executable;
  CHECK(cudaGraphInstantiate(&executable, graph, 0));
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  CHECK(cudaGraphLaunch(executable, stream));
  CHECK(cudaGraphLaunch(executable, stream));
  CHECK(cudaStreamSynchronize(stream));
  REQUIRE(calls == 2);
  for (int value : out)
    REQUIRE(value == 101); // 3, 10, 101
  return passed();
}
